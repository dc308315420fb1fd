use super::*;

fn parse(text: &str) -> Result<Matrix, ReadError> {
    read(&Source::from_bytes("a.mtx", text.into()).unwrap())
}

fn dense(rows: usize, columns: usize, values: &[f64]) -> Matrix {
    Matrix::row_major(rows, columns, values.to_vec()).unwrap()
}

#[test]
fn every_format_field_and_symmetry() {
    let coordinate = parse(
        "%%MatrixMarket matrix coordinate real general\n% note\n\n2 3 4\n2 3 1e1\n1 1 -2\n1 1 0.5\n1 2 0\n",
    );
    assert_eq!(coordinate.unwrap(), Matrix::csr(2, 3, &[0, 1, 2], &[0, 2], vec![-1.5, 10.0]).unwrap());
    let pattern = parse("%%matrixmarket MATRIX Coordinate Pattern Symmetric\n2 2 2\n1 1\n2 1\n").unwrap();
    assert_eq!(pattern, Matrix::csr(2, 2, &[0, 2, 3], &[0, 1, 0], vec![1.0; 3]).unwrap());
    let skew = parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n").unwrap();
    assert_eq!(skew, Matrix::csr(2, 2, &[0, 1, 2], &[1, 0], vec![-3.0, 3.0]).unwrap());
    let array = parse("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n").unwrap();
    assert_eq!(array, dense(2, 2, &[1.0, 3.0, 2.0, 4.0]));
    let array = parse("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n").unwrap();
    assert_eq!(array, dense(2, 2, &[1.0, 2.0, 2.0, 3.0]));
    let array = parse("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n").unwrap();
    assert_eq!(array, dense(2, 2, &[0.0, -5.0, 5.0, 0.0]));
}

#[test]
fn rows_are_those_of_the_whole_matrix() {
    let general = "coordinate real general\n5 3 6\n5 1 1\n1 3 2\n5 1 0.25\n3 2 -1\n2 2 0\n4 3 7\n";
    let symmetric = "coordinate real symmetric\n4 4 4\n4 1 2\n3 3 1\n2 1 5\n4 3 -1\n";
    let skew = "coordinate integer skew-symmetric\n3 3 2\n3 1 2\n2 1 4\n";
    let array = "array real general\n4 2\n1\n2\n3\n4\n5\n6\n7\n8\n";
    let triangle = "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n";
    for text in [general, symmetric, skew, array, triangle] {
        let text = format!("%%MatrixMarket matrix {text}");
        let (source, whole) =
            (Source::from_bytes("a.mtx", text.clone().into()).unwrap(), parse(&text).unwrap());
        for (start, end) in (0..=whole.rows()).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let (part, rows) = read_rows(source.scan(), |_| start..end).unwrap();
            assert_eq!(rows, whole.rows());
            assert_eq!(
                part,
                whole.selected(&(start..end).collect::<Vec<_>>()).unwrap(),
                "{start} {end}\n{text}"
            );
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        ("", "", ": expected the line %%MatrixMarket, found the end of the file"),
        ("coordinate real general", "", ": expected the line of sizes, found the end of the file"),
        ("coordinate complex general", "1 1 0", ", line 1: `complex` is not supported; real, integer"),
        ("coordinate real hermitian", "1 1 0", ", line 1: `hermitian` is not supported"),
        ("array pattern general", "1 1", ", line 1: `pattern` is not supported"),
        ("table real general", "1 1", ", line 1, format: expected coordinate or array, found `table`"),
        ("coordinate real general", "1 1", ", line 2: expected `rows columns entries`, found `1 1`"),
        ("coordinate real symmetric", "1 2 0", ", line 2: expected a square matrix, since it is symmetric"),
        (
            "coordinate real general",
            "1 1 1\n1 2 1",
            ", line 3, column: expected an index from 1 to 1, found `2`",
        ),
        (
            "coordinate real general",
            "1 1 1\n0 1 1",
            ", line 3, row: expected an index from 1 to 1, found `0`",
        ),
        ("coordinate real general", "1 1 1\n1 1", ", line 3, value: expected a number, found nothing"),
        ("coordinate real general", "1 1 1\n1 1 1 1", ", line 3: expected the end of the line, found `1`"),
        ("coordinate real general", "1 1 1\n1 1 inf", ", line 3, value: expected a finite number"),
        ("coordinate real general", "1 1 2\n1 1 1", ": expected 2 entries, found 1"),
        ("coordinate real symmetric", "2 2 1\n1 2 1", ", line 3: expected an entry of the lower triangle"),
        ("coordinate real general", "999999999 1 0", ", line 2: the number of rows is 999999999; for a file"),
        ("coordinate real general", "1 18446744073709551615 0", ", line 2: the number of columns is 184467"),
        ("array real general", "99999 99999", ", line 2: the number of entries is 9999800001; for a file"),
        ("array real general", "0 9999999999999", ", line 2: the number of entries is 0; for a file"),
        ("array real general", "1 1\n1\n2", ": expected 1 entries, found 2"),
        ("array real general", "2 1\n1", ": expected 2 entries, found 1"),
        ("array real general", "1 1\nx", ", line 3, value: expected a number, found `x`"),
    ];
    for (banner, rest, message) in cases {
        let banner =
            if banner.is_empty() { String::new() } else { format!("%%MatrixMarket matrix {banner}\n") };
        let error = parse(&format!("{banner}{rest}")).unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.mtx{message}")), "{rest}: {error}");
    }
}
