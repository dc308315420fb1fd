use super::*;
use crate::program::Sense;
use ufcm::matrix::Matrix;

const FREE: &str = "\
* a comment
NAME TEST
ROWS
 N cost
 N spare
 L le
 G ge
 E eq
 E eqr
 L ler
 G ger
COLUMNS
 x cost 1 le 2
 x ge 3 spare 9
 y eq 4 eqr 5
 y ler 6 ger 7
 z le 1.5D1
RHS
 rhs cost -10 le 1
 rhs ge 2 eq 3
 rhs eqr 4 ler 5
 rhs ger 6
RANGES
 r eqr -2 ler 3
 r ger 4
BOUNDS
 UP b x -5
 MI b y
 UP b y 1e30
 FX b z 2
ENDATA
";

fn parse(text: &str) -> Result<Program, ReadError> {
    parse_with(text, &Options::default())
}

fn parse_with(text: &str, options: &Options) -> Result<Program, ReadError> {
    read(&Source::from_bytes("t.mps", text.into()).unwrap(), options)
}

#[test]
fn all_sections_are_read() {
    let program = parse(FREE).unwrap();
    assert_eq!(program.name, "TEST");
    assert_eq!(program.rows, ["le", "ge", "eq", "eqr", "ler", "ger"]);
    assert_eq!(program.variables, ["x", "y", "z"]);
    assert_eq!(program.linear, [1.0, 0.0, 0.0]);
    assert_eq!(program.constant, 10.0);
    assert_eq!(program.row_lower, [f64::NEG_INFINITY, 2.0, 3.0, 2.0, 2.0, 6.0]);
    assert_eq!(program.row_upper, [1.0, f64::INFINITY, 3.0, 4.0, 5.0, 10.0]);
    assert_eq!(program.lower, [f64::NEG_INFINITY, f64::NEG_INFINITY, 2.0]);
    assert_eq!(program.upper, [-5.0, f64::INFINITY, 2.0]);
    let mut entries = Vec::new();
    program.matrix.for_each(|i, j, value| entries.push((i, j, value)));
    let expected = [(0, 0, 2.), (0, 2, 15.), (1, 0, 3.), (2, 1, 4.), (3, 1, 5.), (4, 1, 6.), (5, 1, 7.)];
    assert_eq!(entries, expected);
    assert_eq!(program.notes.len(), 2, "{:?}", program.notes);
    program.to_problem().unwrap();
}

#[test]
fn sets_may_be_unnamed_and_only_the_first_is_taken() {
    let text =
        FREE.replace(" rhs ", " ").replace(" b ", " ").replace("ENDATA", "BOUNDS\n UP other x 7\nENDATA");
    let (plain, unnamed) = (parse(FREE).unwrap(), parse(&text).unwrap());
    assert_eq!((&unnamed.row_lower, &unnamed.upper), (&plain.row_lower, &plain.upper));
    assert!(unnamed.notes[2].contains("BOUNDS has several sets"), "{:?}", unnamed.notes);
}

#[test]
fn fixed_columns_are_detected_and_keep_blanks() {
    let text = "\
NAME          A B
ROWS
 N  THE COST
 L  ROW 1
COLUMNS
    COL 1     THE COST            1.   ROW 1               2.
    COL 2     ROW 1              3.5
RHS
              ROW 1               4.
BOUNDS
 UP BND       COL 1               5.
ENDATA
";
    let program = parse(text).unwrap();
    assert_eq!(program.variables, ["COL 1", "COL 2"]);
    assert_eq!((program.row_upper[0], program.upper[0]), (4.0, 5.0));
    let free = Options { layout: Layout::Free, ..Options::default() };
    assert!(parse_with(text, &free).is_err());
    let fixed = Options { layout: Layout::Fixed, ..Options::default() };
    assert!(
        parse_with(FREE, &fixed).unwrap_err().to_string().contains("t.mps, line 4: expected ASCII fields")
    );
    assert_eq!(parse_with(text, &fixed).unwrap(), program);
}

#[test]
fn maximisation_is_told() {
    for section in ["OBJSENSE\n    MAX\n", "OBJSENSE MAXIMIZE\n"] {
        let program = parse(&FREE.replace("ROWS\n", &format!("{section}ROWS\n"))).unwrap();
        assert_eq!(program.sense, Sense::Maximise);
        assert_eq!(program.notes[0], "the objective is to be maximised");
        assert_eq!(program.linear[0], 1.0);
    }
}

#[test]
fn quadratic_parts_are_symmetric() {
    let expected = Matrix::csr(3, 3, &[0, 2, 3, 3], &[0, 1, 0], vec![2.0, -1.0, -1.0]).unwrap();
    for section in
        ["QUADOBJ\n x x 2 y -1\n", "QSECTION cost\n x x 2\n y x -1\n", "QMATRIX\n x x 2 y -1\n y x -1\n"]
    {
        let program = parse(&FREE.replace("ENDATA", &format!("{section}ENDATA"))).unwrap();
        assert_eq!(program.quadratic.as_ref(), Some(&expected), "{section}");
    }
}

#[test]
fn integers_are_refused_or_relaxed() {
    let marked = FREE
        .replace(" z le", " M1 'MARKER' 'INTORG'\n z le")
        .replace("RHS\n", " M2 'MARKER' 'INTEND'\nRHS\n")
        .replace(" FX b z 2", " BV b z");
    let error = parse(&marked).unwrap_err().to_string();
    assert!(
        error.contains("line 18: the integer variable `z` is not supported; ask for the relaxation"),
        "{error}"
    );
    let relaxed = parse_with(&marked, &Options { relax_integers: true, ..Options::default() }).unwrap();
    assert_eq!((relaxed.lower[2], relaxed.upper[2]), (0.0, 1.0));
    assert!(relaxed.notes.iter().any(|note| note.contains("relaxation")));
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (" x cost 1 le 2", " x cost 1 nix 2", "line 13: row `nix` is unknown; ROWS does not declare it"),
        (" x cost 1 le 2", " x cost 1 le 2,5", "line 13, value: expected a number, found `2,5`"),
        (" x cost 1 le 2", " x cost 1 le inf", "line 13, value: expected a finite number, found `inf`"),
        (" x cost 1 le 2", " x cost 1 le", "line 13: expected `column row value [row value]`"),
        (
            " x cost 1 le 2",
            " x cost 1 cost 2",
            "line 13: the entry of column `x` in row `cost` is given twice",
        ),
        (" z le 1.5D1", " x le 1", "line 17: column `x` was closed before: its lines must follow each other"),
        (" E eq\n", " Q eq\n", "line 8, type of row: expected N, E, L or G, found `Q`"),
        (" E eqr\n", " E eq\n", "line 9: row `eq` is given twice"),
        (" rhs ger 6", " rhs le 6", "line 22: the right-hand side of row `le` is given twice"),
        (" r ger 4", " r ler 4", "line 25: the range of row `ler` is given twice"),
        (" MI b y", " MI b w", "line 28: column `w` is unknown; COLUMNS does not declare it"),
        (" MI b y", " XX b y 1", "line 28, type of bound: expected UP, LO, FX, FR, MI or PL, found `XX`"),
        (" MI b y", " SC b y 1", "line 28: the semicontinuous variable `y` is not supported"),
        (" FX b z 2", " LO b z 2\n UP b z 1", "line 31: the bounds of `z` leave no number: 2 and 1"),
        (" FX b z 2", " LO b z nan", "line 30, bound: expected a number, found `nan`"),
        ("RANGES", "RANGE", "line 23: expected one of NAME, OBJSENSE"),
        ("RANGES", "QCMATRIX le", "line 23: QCMATRIX is not supported; constraints must be linear here"),
        ("RANGES", "QSECTION le", "line 23: a quadratic part of row `le` is not supported"),
        ("ROWS\n", "OBJSENSE\n    UP\nROWS\n", "line 4, OBJSENSE: expected MIN or MAX, found `UP`"),
        ("ROWS\n", "", "line 3: expected a section such as ROWS, found `N cost`"),
        ("ENDATA\n", "", "line 31: expected ENDATA, found the end of the file"),
        (
            "ENDATA",
            "QUADOBJ\n x y 1\n y x 1\nENDATA",
            "line 33: the entry of `y` and `x` (QUADOBJ takes one triangle",
        ),
        ("ENDATA", "QMATRIX\n x y 1\n y x 2\nENDATA", "line 32: QMATRIX is not symmetric in `x` and `y`"),
        (
            "ENDATA",
            "QMATRIX\n x x 1\nQUADOBJ\nENDATA",
            "line 33: the quadratic part of the objective is given twice",
        ),
    ];
    for (from, to, message) in cases {
        let error = parse(&FREE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("t.mps, {message}")), "{to}: {error}");
    }
    assert!(parse("ROWS\n N f\nCOLUMNS\nENDATA").unwrap_err().to_string().contains("at least one column"));
}
