use super::*;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;

fn parse(text: &str) -> Result<Program, ReadError> {
    read(&Source::from_bytes("a.cbf", text.into()).unwrap(), &Options::default())
}

fn solved(text: &str) -> Report {
    let report = parse(text).unwrap().to_problem().unwrap().solve(&Settings::default()).unwrap();
    assert!(report.status.is_success(), "{:?} {}", report.status, report.meaning());
    report
}

/// min x0 with |(x1 - 3, x2)| <= x0, x1 + x2 = 1, and -x2 in L-: the distance from (3, 0) to a line, sqrt(2).
const SECOND_ORDER: &str = "# a comment
VER
3
OBJSENSE
MIN
VAR
3 1
F 3
CON
5 3
Q 3
L= 1
L- 1
OBJACOORD
1
0 1.0
OBJBCOORD
0.5
ACOORD
6
0 0 1
1 1 1
2 2 1
3 1 1
3 2 1
4 1 -1 # at most 0
BCOORD
2
1 -3
3 -1
";

#[test]
fn second_order_cones_of_rows_are_certified() {
    let program = parse(SECOND_ORDER).unwrap();
    assert_eq!((program.rows.len(), program.cones.len(), program.constant), (2, 1, 0.5));
    assert_eq!((program.row_lower[0], program.row_upper[0], program.row_upper[1]), (1.0, 1.0, 0.0));
    let report = solved(SECOND_ORDER);
    assert!((report.objective - 0.5 - 2f64.sqrt()).abs() < 1e-5, "{}", report.objective);
    assert!(report.lower_bound <= 0.5 + 2f64.sqrt() + 1e-9 || report.status == Status::Solved);
}

#[test]
fn variables_lie_in_cones_too() {
    // max x0 + x1 with 2 x0 x1 >= x2^2 and x0 + x1 <= 1 by a row; x2 = 0.5: x0 + x1 = 1.
    let text = "VER\n1\nOBJSENSE\nMIN\nVAR\n3 1\nQR 3\nCON\n1 1\nL= 1\nOBJACOORD\n2\n0 1\n1 1\nACOORD\n1\n0 2 1\nBCOORD\n1\n0 -2\n";
    // min a + b with 2 a b >= 4: a = b = sqrt(2).
    let report = solved(text);
    assert!((report.objective - 8f64.sqrt()).abs() < 1e-5, "{}", report.objective);
}

#[test]
fn exponential_cones_are_solved() {
    // min t with t >= exp(r), r >= 1 (s = 1 by a row).
    let text = "VER\n3\nOBJSENSE\nMIN\nVAR\n3 1\nEXP 3\nCON\n2 2\nL= 1\nL+ 1\nOBJACOORD\n1\n0 1\nACOORD\n2\n0 1 1\n1 2 1\nBCOORD\n2\n0 -1\n1 -1\n";
    let report = solved(text);
    assert!((report.objective - 1f64.exp()).abs() < 1e-4, "{}", report.objective);
}

#[test]
fn linear_programs_are_those_of_mps() {
    let text = "VER\n3\nOBJSENSE\nMAX\nVAR\n2 2\nL+ 1\nF 1\nCON\n2 1\nL- 2\nOBJACOORD\n2\n0 1\n1 2\nACOORD\n4\n0 0 1\n0 1 1\n1 1 1\n1 0 -1\nBCOORD\n2\n0 -4\n1 -1\n";
    let program = parse(text).unwrap();
    let written = crate::mps::text(&program);
    let source = Source::from_bytes("a.mps", written.into()).unwrap();
    let again = crate::mps::read(&source, &crate::mps::Options::default()).unwrap();
    assert_eq!(
        (&again.matrix, &again.linear, again.sense),
        (&program.matrix, &program.linear, program.sense)
    );
    assert_eq!((again.row_upper, again.lower), (program.row_upper, program.lower));
}

#[test]
fn what_is_wrong_is_named_by_line_and_column() {
    let var = "VER\n3\nOBJSENSE\nMIN\nVAR\n2 1\nF 2\n";
    let cases = [
        ("VER\n9\n".to_owned(), "line 2, column 1: expected a number below 5, found `9`"),
        (format!("{var}PSDVAR\n1\n3\n"), "line 8, column 1: PSDVAR (semidefinite cones) is not supported"),
        (format!("{var}CON\n1 1\nEXP* 3\n"), "line 10, column 1: the cone EXP* is not supported"),
        (format!("{var}CON\n2 1\nEXP 2\n"), "line 10, column 5: expected 3 rows, found `2`"),
        (format!("{var}CON\n2 1\nL+ 3\n"), "line 9, column 1: expected 2 rows in all cones, found 3"),
        (
            format!("{var}CON\n2 1\nX 2\n"),
            "line 10, column 1: expected F, L+, L-, L=, Q, QR or EXP, found `X`",
        ),
        (format!("{var}OBJACOORD\n1\n2 1.0\n"), "line 10, column 1: expected a number below 2, found `2`"),
        (format!("{var}OBJACOORD\n1\n0  nan\n"), "line 10, column 4: expected a finite number, found `nan`"),
        (format!("{var}OBJACOORD\n2\n0 1\n"), "line 11: expected a line of 2, found the end of the file"),
        (format!("{var}OBJACOORD\n1\n0 1 2\n"), "line 10, column 5: expected 2 on this line, found 3"),
        (
            format!("{var}INT\n1\n0\n"),
            "line 10, column 1: the integer variable x0 is not supported; --relax-integers",
        ),
        (format!("{var}VAR\n1 1\nF 1\n"), "line 8, column 1: the section VAR is given twice"),
        (format!("{var}NONSENSE\n"), "line 8, column 1: expected one of VER, OBJSENSE"),
        (
            "VER\n3\nVAR\n99999999999 1\nF 99999999999\n".to_owned(),
            "line 4, column 1: the number of rows is 99999999999",
        ),
        ("VER\n3\n".to_owned(), ""),
    ];
    for (text, message) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("a.cbf, {message}"))
                || error == "a.cbf: expected the section VAR, found none",
            "{text}: {error}"
        );
    }
}

#[test]
fn any_bytes_make_a_program_or_an_error() {
    for cut in 0..SECOND_ORDER.len() {
        let _ = parse(&SECOND_ORDER[..cut]);
        let mut changed = SECOND_ORDER.as_bytes().to_vec();
        for with in [b' ', b'9', b'-', b'\n', 0xff] {
            changed[cut] = with;
            let source = Source::from_bytes("a.cbf", changed.clone()).unwrap();
            let _ =
                read(&source, &Options { relax_integers: true }).map(|program| program.to_problem().is_ok());
        }
    }
}
