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

/// Who writes a key of another name is told so, not only that one is missing.
#[test]
fn what_stands_in_the_place_of_a_missing_key_is_named() {
    let text = "[components.f]\nkind = \"linear\"\nlinear = [1]\n[affine.r]\nmatrix = [[1]]\n[objective]\nminimise = \"f\"\n\
                [[terms]]\nkind = \"quantile\"\naffine = \"r\"\ntau = 0.5\n[domain]\nkind = \"box\"\nlower = 0\nupper = 1\n";
    assert_eq!(told("place", &[], text).0, "terms[0]: `q` is missing; `tau` is none that this takes");
    let text = "[components.f]\nkind = \"linear\"\nlinear = [1]\n[objective]\nminimise = \"f\"\n[[constraints]]\ncomponent = \"f\"\nless = 2\n";
    let (message, help, _) = told("place", &[], text);
    assert_eq!(message, "constraints[0]: `at_most` is missing; `less` is none that this takes");
    assert!(help.contains("at_most = 0.5"), "{help}");
}

#[test]
fn one_bracket_around_a_constraint_is_told_to_be_two() {
    let text = "[components.f]\nkind = \"linear\"\nlinear = [1]\n[objective]\nminimise = \"f\"\n[constraints]\ncomponent = \"f\"\nat_most = 2\n";
    let (message, help, _) = told("brackets", &[], text);
    assert_eq!(message, "constraints: expected an array, found a table");
    assert!(help.contains("[[constraints]]"), "{help}");
}

#[test]
fn names_of_kinds_in_other_programs_are_known() {
    let text = |kind: &str| {
        format!(
            "[components.f]\nkind = \"{kind}\"\nmatrix = [[1]]\ntarget = [1]\n[objective]\nminimise = \"f\"\n"
        )
    };
    for (kind, words) in [
        ("log_loss", "here it is called \"logistic\""),
        ("MSE", "here it is called \"least_squares\""),
        ("hinge", "here it is called \"smoothed_hinge\""),
        ("cvar", "\"conditional_value_at_risk\" is what it is called, in [[terms]]"),
    ] {
        assert_eq!(told("kinds", &[], &text(kind)).1, words, "{kind}");
    }
    let terms = "[affine.r]\nmatrix = [[1]]\n[[terms]]\nkind = \"cvar\"\naffine = \"r\"\nalpha = 0.5\n";
    assert_eq!(told("kinds", &[], terms).1, "here it is called \"conditional_value_at_risk\"");
}

/// A column's name is no name of a file without an ending.
#[test]
fn a_column_that_is_not_there_is_looked_for_among_columns() {
    let table = "age,logyears,claims\n39,0.5,1\n50,1.2,0\n38,0.1,2\n";
    let text = "[data.people]\nfile = \"people.csv\"\nlabel = \"claims\"\nfeatures = [\"age\"]\n[components.loss]\nkind = \"poisson\"\n\
                data = \"people\"\noffset = \"logyear\"\n[objective]\nminimise = \"loss\"\n";
    let (message, help, marked) = told("offset", &[("people.csv", table)], text);
    assert_eq!(message, "components.loss.offset: unknown column \"logyear\"");
    assert_eq!((help.as_str(), marked.as_str()), ("did you mean \"logyears\"?", "\"logyear\""));
}

/// A label among the features explains itself; a feature that is named twice cannot be told by name.
#[test]
fn a_column_is_a_feature_once_and_never_the_label() {
    let table = "age,hours,sex,claims\n39,40,m,1\n50,13,f,0\n38,20,m,1\n";
    let text = |keys: &str| {
        format!(
            "[data.people]\nfile = \"people.csv\"\nlabel = \"claims\"\n{keys}\n{LOSS}[domain]\nkind = \"ball\"\nradius = 1\n"
        )
    };
    let message = |keys: &str| told("twice", &[("people.csv", table)], &text(keys)).0;
    assert_eq!(
        message("features = [\"age\", \"claims\"]"),
        "data.people.features[1]: column \"claims\" is the label already; it cannot be a feature as well"
    );
    assert_eq!(
        message("features = [\"age\", \"age\"]"),
        "data.people.features[1]: column \"age\" is named twice"
    );
    assert_eq!(
        message("features = [\"age\", \"hours\"]\none_hot = [\"hours\"]"),
        "data.people.one_hot[0]: column \"hours\" is in `features` already; it cannot be a feature as well"
    );
    assert_eq!(
        message("one_hot = [\"sex\"]\nignore = [\"sex\"]"),
        "data.people.one_hot[0]: column \"sex\" is left out by `ignore` already; it cannot be a feature as well"
    );
    read("twice", &[("people.csv", table)], &text("one_hot = [\"sex\"]\nignore = [\"claims\", \"hours\"]"))
        .unwrap();
}

/// Where functions of all variables tell how many there are, others name some of them without a section for that.
#[test]
fn some_of_the_columns_are_named_without_a_section() {
    let text = of_people(
        "label = \"income\"\npositive = \"yes\"\none_hot = [\"sex\", \"town\"]\nintercept = true",
        "",
    ) + "[affine.a]\nmatrix = [[1, 2]]\nvariables = [\"intercept\", \"age\"]\n[[constraints]]\naffine = \"a\"\nat_most = 3\n";
    let file = read("some", &[("people.csv", PEOPLE)], &text).unwrap();
    let row = file.problem.values_at(&[1.0, 10.0, 20.0, 30.0, 40.0, 5.0]).unwrap()[1];
    assert!((row - 7.0).abs() < 1e-12, "{row}");
    let wrong = text.replace("\"intercept\", \"age\"", "\"intercept\", \"aeg\"");
    let (message, help, _) = told("some", &[("people.csv", PEOPLE)], &wrong);
    assert_eq!(message, "affine.a.variables[1]: unknown variable \"aeg\"");
    assert_eq!(help, "did you mean \"age\"?");
}

/// What became of the data is told for blocks of variables and for classes as well, and truly for sparse ones.
#[test]
fn what_was_done_to_the_data_is_told_whatever_the_variables() {
    let table = "age,hours,kind\n39,40,a\n50,13,b\n38,20,a\n44,31,c\n";
    let text = "[data.d]\nfile = \"t.csv\"\nlabel = \"kind\"\nfeatures = [\"age\"]\nstandardise = true\nintercept = true\n\
                [components.loss]\nkind = \"multinomial_logistic\"\ndata = \"d\"\n[objective]\nminimise = \"loss\"\n\
                [regulariser]\nkind = \"ridge\"\nweight = 1\n";
    let file = read("told", &[("t.csv", table)], text).unwrap();
    let one = "1 column of numbers was standardised (mean 0, deviation 1), an intercept was added";
    assert_eq!(file.preparation, [one]);
    let prepared = file.prepared.unwrap();
    assert_eq!((prepared.classes.join(" "), prepared.variables()), ("a b c".to_owned(), 2));
    let rows: String = (0..40).map(|i| format!("{i},{},c{i}\n", i % 2)).collect();
    let text = "[data.d]\nfile = \"w.csv\"\nlabel = \"y\"\none_hot = [\"k\"]\nstandardise = true\n[components.loss]\nkind = \"logistic\"\ndata = \"d\"\n\
                [objective]\nminimise = \"loss\"\n";
    let wide = format!("n,y,k\n{rows}");
    let file = read("told", &[("w.csv", &wide)], text).unwrap();
    let told = &file.preparation[0];
    assert!(told.contains("1 column of numbers was divided by") && !told.contains("mean 0"), "{told}");
}
