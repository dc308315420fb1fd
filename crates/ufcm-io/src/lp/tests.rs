use super::*;
use crate::mps;
use ufcm::matrix::Matrix;

fn parse(text: &str) -> Result<Program, ReadError> {
    read(&Source::from_bytes("a.lp", text.into()).unwrap(), &Options::default())
}

const WHOLE: &str = "\\ a comment
Maximize
 profit: 3 x + 2y - 4 z[1] - [ x^2 + 2 x*y + 2 y ^ 2 ] / 2
   + 5
Subject To
 supply: x + y <= 4 \\ and another
 both: -2 <= x - y <= 2
 x + 3e0 z[1] = 1.5
 back: 3 >= y + 1
 energy: [ x^2 + y^2 ] + x <= 9
 least: - [ 4 z[1] ^2 ] >= -16
Bounds
 y free
 -1e30 <= z[1] <= 5
 x >= 0.5
End
";

#[test]
fn all_sections_are_read() {
    let program = parse(WHOLE).unwrap();
    assert_eq!((program.sense, program.constant), (Sense::Maximise, 5.0));
    assert_eq!(program.variables, ["x", "y", "z[1]"]);
    assert_eq!(program.linear, [3.0, 2.0, -4.0]);
    let q = Matrix::csr(3, 3, &[0, 2, 4, 4], &[0, 1, 0, 1], vec![-1.0, -1.0, -1.0, -2.0]).unwrap();
    assert_eq!(program.quadratic, Some(q));
    assert_eq!(program.rows, ["supply", "both", "R3", "back", "energy", "least"]);
    let inf = f64::INFINITY;
    assert_eq!(program.row_lower, [-inf, -2.0, 1.5, -inf, -inf, -16.0]);
    assert_eq!(program.row_upper, [4.0, 2.0, 1.5, 2.0, 9.0, inf]);
    assert_eq!((program.lower, program.upper), (vec![0.5, -inf, -inf], vec![inf, inf, 5.0]));
    let rows: Vec<usize> = program.quadratic_rows.iter().map(|curved| curved.row).collect();
    assert_eq!(rows, [4, 5]);
    let ball = Matrix::csr(3, 3, &[0, 1, 2, 2], &[0, 1], vec![2.0, 2.0]).unwrap();
    assert_eq!(program.quadratic_rows[0].matrix, ball);
}

#[test]
fn the_problem_is_the_program() {
    let program = parse(WHOLE).unwrap();
    let problem = program.to_problem().unwrap();
    let names = problem.row_names();
    assert_eq!(names[names.len() - 2..], ["energy", "least"]);
    // -(3 x + 2 y - 4 z - (x^2 + 2 x y + 2 y^2)/2 + 5) at (1.5, 1, 0).
    assert_eq!(problem.value(&[1.5, 1.0, 0.0]).unwrap(), -7.875);
    let report = problem.solve(&ufcm::settings::Settings::default()).unwrap();
    assert_eq!(report.status, ufcm::report::Status::Certified);
    let text = program.to_toml().unwrap();
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    let again = crate::problem_file::read(&source, &crate::paths::Base::new(".")).unwrap().problem;
    assert_eq!(again.value(&[1.5, 1.0, 0.0]).unwrap(), -7.875);
    let other = again.solve(&ufcm::settings::Settings::default()).unwrap();
    assert!((other.objective - report.objective).abs() <= 1e-5 * report.objective.abs());
}

#[test]
fn linear_and_quadratic_programs_survive_a_round_through_mps() {
    let text = "min\n obj: x - 2 y + [ 2 x^2 + x*y + y^2 ] / 2\nst\n c1: x + y >= 1\n c2: -3 <= x - y <= 4\n c3: x = 0.25\nbounds\n -1 <= y <= 8\nend";
    let program = parse(text).unwrap();
    let written = mps::text(&program);
    let again =
        mps::read(&Source::from_bytes("a.mps", written.into()).unwrap(), &mps::Options::default()).unwrap();
    assert_eq!((&again.variables, &again.rows), (&program.variables, &program.rows));
    assert_eq!(
        (&again.matrix, &again.quadratic, &again.linear),
        (&program.matrix, &program.quadratic, &program.linear)
    );
    assert_eq!((&again.row_lower, &again.row_upper), (&program.row_lower, &program.row_upper));
    assert_eq!((&again.lower, &again.upper), (&program.lower, &program.upper));
}

#[test]
fn integers_are_refused_or_relaxed() {
    let text = "min\n x + y\nst\n x + y >= 1\nbinary\n x\ngeneral\n y\nend\n";
    let error = parse(text).unwrap_err().to_string();
    assert_eq!(
        error,
        "a.lp, line 6, column 2: the integer variable `x` is not supported; --relax-integers takes integer variables as real ones"
    );
    let source = Source::from_bytes("a.lp", text.into()).unwrap();
    let program = read(&source, &Options { relax_integers: true }).unwrap();
    assert_eq!(program.notes, ["2 integer variables are taken as real ones"]);
    assert_eq!(program.upper, [1.0, f64::INFINITY]);
}

#[test]
fn what_is_wrong_is_named_by_line_and_column() {
    let head = "min\n obj: x + y\nst\n";
    let cases = [
        ("x + y\n".to_owned(), "line 1, column 1: expected `minimize` or `maximize`, found `x`"),
        (format!("{head} c: x + <= 3\nend"), "line 4, column 9: expected a number or a name, found `<=`"),
        (format!("{head} c: x + y 3\nend"), "line 4, column 11: expected `<=`, `>=` or `=`, found `3`"),
        (
            format!("{head} c: x <= y\nend"),
            "line 4, column 10: expected a number, found `y`; variables stand left of the relation",
        ),
        (format!("{head} c: x <= 3 + y\nend"), "line 4, column 12: expected the end of the row"),
        (format!("{head} c: x <= 3\n c: y <= 1\nend"), "line 5, column 2: the row `c` is given twice"),
        (format!("{head} c: [ x^3 ] <= 3\nend"), "line 4, column 9: expected the power 2, found `3`"),
        (
            format!("{head} c: x^2 <= 3\nend"),
            "line 4, column 6: a product outside of brackets is not supported",
        ),
        (
            format!("{head} c: [ x^2 ] = 3\nend"),
            "line 4, column 2: a quadratic row with an equality or two sides",
        ),
        (
            format!("{head} c: 3 <= x >= 1\nend"),
            "line 4, column 12: expected the same inequality on both sides",
        ),
        (format!("{head} c: x = 1 -> y <= 2\nend"), "line 4, column 11: an indicator is not supported"),
        (format!("{head} c: x >= 1\nsos\nend"), "line 5, column 1: the section `sos` is not supported"),
        (
            format!("{head} c: x >= 1\nbounds\n x <= -1\nend"),
            "line 6: the bounds of `x` leave no number: 0 and -1 (a lower bound is 0",
        ),
        (format!("{head} c: x >= 1\n"), "line 5, column 1: expected a relation, a sign or a section"),
        (format!("{head} c: 1e999 x >= 1\nend"), "line 4, column 5: expected a finite number, found `1e999`"),
        (format!("{head} c: x ? >= §\nend"), "line 4, column 7: expected `<=`, `>=` or `=`, found `?`"),
        (format!("{head} c: 3 <= 4\nend"), "line 4, column 2: expected a row with variables"),
    ];
    for (text, message) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.lp, {message}")), "{text}: {error}");
    }
}

#[test]
fn any_bytes_make_a_program_or_an_error() {
    let bytes = WHOLE.as_bytes();
    for cut in 0..bytes.len() {
        let _ = parse(&WHOLE[..cut]);
        let mut changed = bytes.to_vec();
        for with in [b' ', b'[', b'^', b'0', b'\n', 0xff] {
            changed[cut] = with;
            let source = Source::from_bytes("a.lp", changed.clone()).unwrap();
            let _ =
                read(&source, &Options { relax_integers: true }).map(|program| program.to_problem().is_ok());
        }
    }
}
