use super::*;
use ufcm::matrix::Matrix;

const PEOPLE: &str = "age,job,label\n39, clerk ,1\n50,\"cook, head\",0\n28,clerk,1.0\n,clerk,NA\n";

fn parse(text: &str) -> Result<Table, ReadError> {
    parse_with(text, &Options::default())
}

fn parse_with(text: &str, options: &Options) -> Result<Table, ReadError> {
    Table::read(&Source::from_bytes("p.csv", text.into()).unwrap(), options)
}

#[test]
fn columns_and_selections() {
    let table = parse(PEOPLE).unwrap();
    assert_eq!((table.names(), table.rows()), (&["age", "job", "label"].map(String::from)[..], 4));
    assert_eq!(table.texts("job").unwrap().collect::<Vec<_>>(), ["clerk", "cook, head", "clerk", "clerk"]);
    assert_eq!(table.rows_where("label", "1").unwrap(), [0, 2]);
    assert_eq!(table.rows_where("job", "clerk").unwrap(), [0, 2, 3]);
    assert_eq!(parse("a\n").unwrap().rows(), 0);
}

#[test]
fn features_have_the_columns_of_the_whole_table() {
    let table = parse(PEOPLE).unwrap();
    let features = table.features(&[Column::one_hot("job"), Column::number("age")], &[2, 0]).unwrap();
    assert_eq!(features.names, ["job=clerk", "job=cook, head", "age"]);
    assert_eq!(features.matrix, Matrix::row_major(2, 3, vec![1.0, 0.0, 28.0, 1.0, 0.0, 39.0]).unwrap());
}

#[test]
fn many_categories_are_kept_sparse() {
    let text: String = std::iter::once("id\n".into()).chain((0..5000).map(|k| format!("{k}\n"))).collect();
    let rows: Vec<usize> = (0..5000).collect();
    let features = parse(&text).unwrap().features(&[Column::one_hot("id")], &rows).unwrap();
    assert_eq!((features.matrix.columns(), features.matrix.stored()), (5000, 5000));
}

#[test]
fn files_without_a_header_and_with_another_delimiter() {
    let mut options = Options { delimiter: b';', header: false, ..Options::default() };
    let table = parse_with("1;2\n3;4\n", &options).unwrap();
    assert_eq!(table.numbers("c2").unwrap(), [2.0, 4.0]);
    options.names = Some(["a", "b"].map(String::from).to_vec());
    assert_eq!(parse_with("1;2\n3;4\n", &options).unwrap().numbers("b").unwrap(), [2.0, 4.0]);
    options.names = Some(vec!["a".into()]);
    let error = parse_with("1;2\n3;4\n", &options).unwrap_err().to_string();
    assert_eq!(error, "p.csv, line 1: expected 1 columns, as many as names, found 2");
}

#[test]
fn what_is_wrong_is_named() {
    let table = parse(PEOPLE).unwrap();
    let all = [0, 1, 2, 3];
    let cases = [
        (
            table.numbers("age").unwrap_err(),
            "p.csv, line 5, column `age`: expected a value, found a missing one",
        ),
        (
            table.numbers("label").unwrap_err(),
            "p.csv, line 5, column `label`: expected a value, found a missing one, `NA`",
        ),
        (
            table.numbers("job").unwrap_err(),
            "p.csv, line 2, column `job`: expected a finite number, found `clerk`",
        ),
        (table.numbers("sex").unwrap_err(), "p.csv: column `sex` is unknown; the table has age, job, label"),
        (
            table.features(&[Column::one_hot("age")], &[0]).unwrap_err(),
            "p.csv, line 5, column `age`: expected a value",
        ),
        (
            table.features(&[Column::number("age")], &all).unwrap_err(),
            "p.csv, line 5, column `age`: expected a value",
        ),
        (table.features(&[], &[4]).unwrap_err(), "p.csv: expected a row below 4, found 4"),
        (parse("a,b\n1,2\n1\n").unwrap_err(), "p.csv, line 3: expected 2 cells, found 1"),
        (parse("a,a\n").unwrap_err(), "p.csv, line 1: column `a` is given twice"),
        (parse("a,\n").unwrap_err(), "p.csv, line 1: expected a name for column 2, found nothing"),
        (
            parse(&"n".repeat(300)).unwrap_err(),
            "p.csv, line 1: expected a name of at most 128 bytes for column 1, found 300",
        ),
        (parse("").unwrap_err(), "p.csv: expected at least one line, found none"),
    ];
    for (error, message) in cases {
        assert!(error.to_string().starts_with(message), "{error}");
    }
}
