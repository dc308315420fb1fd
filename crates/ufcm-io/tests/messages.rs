//! What a problem file is told where it is wrong: each message names the thing, shows its place, and says what to write.

use std::path::PathBuf;
use ufcm_io::paths::Base;
use ufcm_io::problem_file::{self, ProblemFile, ProblemFileError};
use ufcm_io::{Source, mps};

const PEOPLE: &str = "age,sex,town,income\n39,Male,A,yes\n50,Female,B,no\n38,Female,A,no\n53,Male,B,yes\n";

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("messages").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    files.iter().for_each(|(file, text)| std::fs::write(folder.join(file), text).unwrap());
    folder
}

fn read(name: &str, files: &[(&str, &str)], text: &str) -> Result<ProblemFile, ProblemFileError> {
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    problem_file::read(&source, &Base::new(folder(name, files)))
}

/// The error, of which there is one only: its message, its help, and what is marked.
fn told(name: &str, files: &[(&str, &str)], text: &str) -> (String, String, String) {
    let error = read(name, files, text).unwrap_err();
    assert!(error.others.is_empty(), "{error}");
    let marked = error.text.chars().skip(error.column - 1).take(error.width).collect();
    (error.message, error.help.unwrap_or_default().into(), marked)
}

const LOSS: &str =
    "[components.loss]\nkind = \"logistic\"\ndata = \"people\"\n[objective]\nminimise = \"loss\"\n";

fn of_people(data: &str, rest: &str) -> String {
    format!("[data.people]\nfile = \"people.csv\"\n{data}\n{LOSS}{rest}")
}

#[test]
fn columns_of_text_are_to_be_categories_or_left_out() {
    let text = of_people("label = \"income\"\npositive = \"yes\"", "");
    let (message, help, marked) = told("text", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "data.people.file: columns sex, town hold text, such as 'Female'");
    assert!(
        help.contains("one_hot = [\"sex\", \"town\"]") && help.contains("ignore = [\"sex\", \"town\"]"),
        "{help}"
    );
    assert_eq!(marked, "\"people.csv\"");
}

/// One run tells of both: who repairs the features should not meet the label only then.
#[test]
fn a_label_of_text_is_told_with_columns_of_text() {
    let text = of_people("label = \"income\"", "");
    let (message, help, _) = told("both", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "data.people.file: columns sex, town hold text, such as 'Female'");
    assert!(help.contains("one_hot = [\"sex\", \"town\"]") && help.contains("positive = \"yes\""), "{help}");
    let text = of_people("label = \"income\"\npositive = \"yes\"", "");
    let (_, help, _) = told("both", &[("people.csv", PEOPLE)], &text);
    assert!(!help.contains("positive"), "{help}");
}

#[test]
fn labels_that_are_texts_need_the_positive_one() {
    let text = of_people("label = \"income\"\nignore = [\"sex\", \"town\"]", "");
    let (message, help, marked) = told("labels", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "components.loss.data: the labels of these data are texts: no, yes");
    assert!(help.contains("positive = \"yes\""), "{help}");
    assert_eq!(marked, "\"people\"");
    let text = of_people("label = \"income\"\npositive = \"Yes\"\nignore = [\"sex\", \"town\"]", "");
    let (message, help, _) = told("labels", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "data.people.positive: no cell of column \"income\" is \"Yes\"");
    assert_eq!(help, "it has: no, yes");
}

#[test]
fn missing_cells_are_an_error_or_dropped() {
    let holes = "age,hours,income\n39,40,1\n,13,0\n38,NA,1\n53,45,0\n28,40,1\n";
    let text = of_people("label = \"income\"", "");
    let (message, help, _) = told("missing", &[("people.csv", holes)], &text);
    assert_eq!(message, "data.people.file: cells of 2 rows are missing, the first in line 3, column \"age\"");
    assert!(help.contains("missing = \"drop\""), "{help}");
    let text = of_people("label = \"income\"\nmissing = \"drop\"", "[domain]\nkind = \"ball\"\nradius = 1\n");
    let file = read("missing", &[("people.csv", holes)], &text).unwrap();
    assert_eq!(file.notes, ["[data.people] left out 2 rows of 5, in which a cell is missing"]);
    // log 2 at 0, whatever the rows; and the mean over the three that are left elsewhere.
    let expected =
        |x: f64| [39.0, -53.0, 28.0].iter().map(|m: &f64| (-m * x).exp().ln_1p()).sum::<f64>() / 3.0;
    assert!((file.problem.value(&[0.01, 0.0]).unwrap() - expected(0.01)).abs() < 1e-12);
}

#[test]
fn values_that_no_row_has_are_listed() {
    let rows = "rows = \"sex == 'female'\"";
    let text = of_people("label = \"income\"\npositive = \"yes\"\none_hot = [\"sex\", \"town\"]", "")
        .replace("data = \"people\"", &format!("data = \"people\"\n{rows}"));
    let (message, help, _) = told("values", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "components.loss.rows: no cell of column \"sex\" is 'female'");
    assert_eq!(help, "it has: Female, Male");
}

#[test]
fn another_delimiter_is_named() {
    let other = PEOPLE.replace(',', ";");
    let (message, help, _) =
        told("delimiter", &[("people.csv", &other)], &of_people("label = \"income\"", ""));
    assert!(message.contains("separated by `;`"), "{message}");
    assert_eq!(help, "add delimiter = \";\"");
    let with = of_people(
        "label = \"income\"\ndelimiter = \";\"\npositive = \"yes\"\nignore = [\"sex\", \"town\"]",
        "",
    );
    read("delimiter", &[("people.csv", &other)], &with).unwrap();
}

#[test]
fn wrong_lengths_are_marked_where_they_are() {
    let text = "[components.g]\nkind = \"least_squares\"\nmatrix = [[1, 0], [0, 1]]\ntarget = [1, 2, 3]\n[objective]\nminimise = \"g\"\n";
    let (message, _, marked) = told("lengths", &[], text);
    assert!(message.contains("targets has length 3; expected 2"), "{message}");
    assert_eq!(marked, "[1, 2, 3]");
    let text = format!("[data.people]\nmatrix = [[1, 0], [0, 1]]\nlabel = [1, -1, 1]\n{LOSS}");
    let (message, _, marked) = told("lengths", &[], &text);
    assert_eq!(
        (message.as_str(), marked.as_str()),
        (
            "data.people: there are 3 labels for 2 rows".replace("data.people", "data.people.label").as_str(),
            "[1, -1, 1]"
        )
    );
}

#[test]
fn matrices_that_are_not_square_are_marked() {
    let text = "[components.g]\nkind = \"quadratic\"\nlinear = [1, 2]\nmatrix = [[1, 2, 3], [2, 1, 0]]\n[objective]\nminimise = \"g\"\n";
    let (message, _, marked) = told("square", &[], text);
    assert_eq!(message, "components.g.matrix: the matrix is 2 x 3; it must be square");
    assert_eq!(marked, "[[1, 2, 3], [2, 1, 0]]");
}

#[test]
fn opposites_are_never_suggested() {
    let text = "[components.g]\nkind = \"linear\"\nlinear = [1]\n[objective]\nmaximise = \"g\"\n";
    let (message, help, _) = told("opposites", &[], text);
    assert_eq!(message, "objective.maximise: objectives are minimised");
    assert!(help.contains("negative") && !help.contains("did you mean"), "{help}");
    let curved = "[components.g]\nkind = \"quadratic\"\ndiagonal = [1]\n[objective]\nminimise = \"g\"\n[[constraints]]\ncomponent = \"g\"\nat_least = 1\n";
    let (message, help, marked) = told("opposites", &[], curved);
    assert_eq!(
        message,
        "constraints[0].at_least: `at_least` on a convex function asks for a set that is not convex"
    );
    assert!(help.contains("[affine.NAME]") && !help.contains("at_most"), "{help}");
    assert_eq!(marked, "1");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let text = "colour = 1\n[variables]\ncount = 2\n[components.a]\nkind = \"logistc\"\n[components.b]\nkind = \"linear\"\nlinear = [1, 2]\nslope = 3\n\
        [affine.z]\nmatrix = [[1, 2, 3]]\n[objective]\nminimise = [\"a\", \"c\"]\n[[constraints]]\naffine = \"z\"\nat_most = 1\n\
        [[terms]]\nkind = \"norm1\"\naffine = \"y\"\n[domain]\nkind = \"bal\"\nradius = 1\n";
    let error = read("all", &[], text).unwrap_err();
    let all: Vec<String> = std::iter::once(&error)
        .chain(&error.others)
        .map(|error| format!("{}: {}", error.line, error.message))
        .collect();
    assert_eq!(
        all,
        [
            "1: unknown key `colour`",
            "5: components.a.kind: unknown kind \"logistc\"",
            "9: components.b: unknown key `slope`",
            "10: affine.z: it has 3 variables; variables.count has 2",
            "19: terms[0].affine: unknown affine block \"y\"",
            "21: domain.kind: unknown kind \"bal\"",
        ],
        "{error}"
    );
    assert_eq!(error.to_string().matches("\n\nerror: ").count(), 5);
    let many: String = (0..30).map(|k| format!("[components.c{k}]\nkind = \"nothing\"\n")).collect();
    let error = read("all", &[], &many).unwrap_err();
    assert_eq!((error.others.len(), error.left_out), (19, 10));
    assert!(error.to_string().ends_with("... and 10 more"));
}

#[test]
fn integers_of_mps_files_name_the_option() {
    let text = "NAME x\nROWS\n N c\n L r\nCOLUMNS\n    M1 'MARKER' 'INTORG'\n    z c 1 r 1\n    M2 'MARKER' 'INTEND'\nRHS\n    RHS r 1\nENDATA\n";
    let source = Source::from_bytes("x.mps", text.into()).unwrap();
    let error = mps::read(&source, &mps::Options::default()).unwrap_err().to_string();
    assert!(error.contains("--relax-integers"), "{error}");
}

/// A domain is looked at, though wrong components leave the number of variables unknown.
#[test]
fn a_wrong_domain_is_told_beside_wrong_components() {
    let text = |domain: &str| {
        format!(
            "[components.a]\nkind = \"least_sqares\"\nmatrix = [[1, 2]]\ntarget = [1]\n[objective]\nminimise = \"a\"\n[domain]\n{domain}"
        )
    };
    let all = |domain: &str| {
        let error = read("domain", &[], &text(domain)).unwrap_err();
        let messages: Vec<String> = [error.message.clone()]
            .into_iter()
            .chain(error.others.iter().map(|other| other.message.clone()))
            .collect();
        messages
    };
    let first = "components.a.kind: unknown kind \"least_sqares\"";
    assert_eq!(all("kind = \"bal\"\nradius = 1\n"), [first, "domain.kind: unknown kind \"bal\""]);
    assert_eq!(all("kind = \"ball\"\nradius = 1\n"), [first]);
    // That the number of variables is unknown follows from the first fault.
    assert_eq!(all("kind = \"ball\"\nradius = 1\nvariables = [0]\n"), [first]);
    let missing = all("kind = \"ball\"\nradius = -1\n");
    assert!(missing.len() == 2 && missing[1].contains("radius"), "{missing:?}");
}

#[test]
fn where_there_is_nothing_to_choose_from_that_is_said() {
    let (message, help, _) = told("none", &[], LOSS);
    assert_eq!(message, "components.loss.data: unknown data set \"people\"");
    assert_eq!(help, "the file has none");
}

#[test]
fn what_may_be_one_name_or_several_says_so() {
    let text = "[components.f]\nkind = \"quadratic\"\nQ = [[1]]\n[objective]\nminimise = 3\n";
    assert_eq!(
        told("names", &[], text).0,
        "objective.minimise: expected a text or an array of texts, found 3"
    );
}

#[test]
fn a_table_without_rows_is_told_as_such() {
    let text = of_people("label = \"income\"\npositive = \"yes\"", "");
    let (message, _, marked) = told("no rows", &[("people.csv", "age,income\n")], &text);
    assert_eq!(message, "data.people.file: it has the names of columns and no rows");
    assert_eq!(marked, "\"people.csv\"");
}

#[test]
fn one_sign_of_equality_is_told_to_be_two() {
    let text = of_people("label = \"income\"\npositive = \"yes\"\nignore = [\"sex\", \"town\"]", "")
        .replace("data = \"people\"", "data = \"people\"\nrows = \"sex = 'Male'\"");
    let (message, help, _) = told("one sign", &[("people.csv", PEOPLE)], &text);
    assert_eq!(message, "components.loss.rows: expected `==` for equality at `= 'Male'`");
    assert!(help.contains("sex == 'Female'"), "{help}");
    let bare = text.replace("sex = 'Male'", "sex == Male");
    let (message, ..) = told("bare word", &[("people.csv", PEOPLE)], &bare);
    assert_eq!(message, "components.loss.rows: expected a number or a text in 'quotes' at `Male`");
}
