use super::*;

fn program() -> Program {
    Program {
        name: "test".into(),
        sense: Sense::Maximise,
        variables: ["x", "y"].map(String::from).to_vec(),
        rows: ["range", "at least", "free", "equal", "at most"].map(String::from).to_vec(),
        linear: vec![1.0, -2.0],
        constant: 5.0,
        quadratic: Some(Matrix::csr(2, 2, &[0, 1, 2], &[0, 1], vec![-2.0, -4.0]).unwrap()),
        matrix: Matrix::row_major(5, 2, vec![1., 1., 2., 0., 9., 9., 1., -1., 0., 3.]).unwrap(),
        row_lower: vec![-1.0, 0.5, f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY],
        row_upper: vec![4.0, f64::INFINITY, f64::INFINITY, 0.0, 6.0],
        quadratic_rows: Vec::new(),
        cones: Vec::new(),
        lower: vec![0.0, f64::NEG_INFINITY],
        upper: vec![f64::INFINITY, 3.0],
        notes: Vec::new(),
    }
}

#[test]
fn a_maximisation_is_minimised_negated_with_its_rows_in_blocks() {
    let program = program();
    let problem = program.to_problem().unwrap();
    let names = ["objective", "equal", "inequalities[0]", "inequalities[1]", "range"];
    assert_eq!(problem.row_names(), names);
    let origin: Vec<_> = program.problem_rows().iter().map(|r| (r.row, r.negated)).collect();
    assert_eq!(origin, [(3, false), (1, true), (4, false), (0, false)]);
    // -(1 - 2 + 5 - 1 - 2)
    assert_eq!(problem.value(&[1.0, 1.0]).unwrap(), -1.0);
    assert_eq!(problem.value(&[-1.0, -1.0]).unwrap(), f64::INFINITY);
    // x - y = 0 is off by 3, 2 x >= 0.5 by 2.5
    assert_eq!(problem.violation(&[-1.0, 2.0]).unwrap(), f64::hypot(3.0, 2.5));
}

#[test]
fn programs_that_contradict_themselves_are_refused() {
    type Spoil = fn(&mut Program);
    let cases: [(Spoil, &str); 5] = [
        (|p| p.lower.truncate(1), "lower has length 1; expected 2"),
        (|p| p.row_lower[0] = 7.0, "row_lower[0] is 7"),
        (|p| p.row_upper[3] = f64::NAN, "row_lower[3] is 0"),
        (|p| p.upper[0] = -1.0, "lower[0] is 0; it must be at most the upper bound"),
        (|p| p.sense = Sense::Minimise, "nonnegative"),
    ];
    for (spoil, message) in cases {
        let mut program = program();
        spoil(&mut program);
        let error = program.to_problem().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
