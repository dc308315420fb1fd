//! The rows of a problem at the end of a run: what each is, its value, its multiplier, and whether it matters.

use crate::record::RunRecord;
use ufcm::oracle::Weight;
use ufcm::problem::Problem;
use ufcm::summary::RowGroup;

/// The share of the largest multiplier below which one counts as 0.
const NEGLIGIBLE: f64 = 1e-6;
/// Colours of the palette.
const COLOURS: usize = 8;

/// A row at the point that is reported.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) index: usize,
    pub(super) name: String,
    /// Which colour of the palette it has in all charts.
    pub(super) colour: usize,
    /// How it enters the problem, in words.
    pub(super) role: String,
    /// Its value at x; not a number where it cannot be evaluated there.
    pub(super) value: f64,
    /// With the sign that the file gives the row.
    pub(super) multiplier: f64,
    /// That sign.
    pub(super) sign: f64,
    /// Whether its multiplier can have one value only.
    pub(super) is_pinned: bool,
    pub(super) is_constraint: bool,
    pub(super) state: State,
}

/// What a row does at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Part of a sum: it always counts.
    Counts,
    /// Its multiplier is not negligible: moving it moves the optimum.
    Active,
    /// Its multiplier is negligible.
    Inactive,
    /// A constraint that is violated by more than the tolerance.
    Violated,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Counts => "always counts",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Violated => "violated",
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Counts => "counts",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Violated => "violated",
        }
    }
}

/// The `most` rows that matter most, and how many there are of each sort: the objective first unless it is always 0, then
/// what is violated, then by the size of their multipliers; those that always count come last.
pub(super) struct Ranking {
    pub(super) rows: Vec<Row>,
    pub(super) total: usize,
    /// Whether g_0 is more than the constant 0.
    pub(super) has_objective: bool,
    /// Rows whose multipliers can have more than one value.
    pub(super) free: usize,
    pub(super) constraints: usize,
    pub(super) active: usize,
    pub(super) violated: usize,
}

/// All there is to know of the rows, by index.
struct Facts {
    values: Vec<f64>,
    multipliers: Vec<f64>,
    violations: Vec<f64>,
    is_pinned: Vec<bool>,
    is_constraint: Vec<bool>,
}

impl Ranking {
    pub(super) fn new(problem: &Problem, record: &RunRecord, most: usize) -> Self {
        let facts = Facts::new(problem, record);
        let is_free = |row: &usize| !facts.is_pinned[*row];
        let size = |row: usize| facts.multipliers[row].abs();
        let largest =
            (0..problem.rows()).filter(is_free).map(size).filter(|l| l.is_finite()).fold(0.0, f64::max);
        let state = |row: usize| match () {
            () if facts.violations[row].abs() > record.settings.eps_feas => State::Violated,
            () if facts.is_pinned[row] => State::Counts,
            () if size(row) > NEGLIGIBLE * largest => State::Active,
            () => State::Inactive,
        };
        // g_0 is row 0; where a problem has none, it is 0 everywhere.
        let first = usize::from(is_zero(problem));
        let mut order: Vec<usize> = (first..problem.rows()).collect();
        let count = |wanted: State| order.iter().filter(|row| state(**row) == wanted).count();
        let (total, active, violated) = (order.len(), count(State::Active), count(State::Violated));
        let free = order.iter().filter(|row| !facts.is_pinned[**row]).count();
        let constraints = order.iter().filter(|row| facts.is_constraint[**row]).count();
        let rank = |row: usize| {
            let group = match state(row) {
                _ if row == 0 => 0,
                State::Violated => 1,
                State::Active | State::Inactive => 2,
                State::Counts => 3,
            };
            (group, -size(row))
        };
        order.sort_by(|&a, &b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let row = |(rank, &index): (usize, &usize)| {
            let group = record.description.multipliers.iter().find(|group| group.rows.contains(&index));
            let sign = group.map_or(1.0, |group| group.sign);
            Row {
                index,
                name: name(problem, record, group, index),
                colour: rank % COLOURS,
                role: role(problem, record, index),
                value: facts.values[index],
                // + 0.0 turns -0 into 0.
                multiplier: sign * facts.multipliers[index] + 0.0,
                sign,
                is_pinned: facts.is_pinned[index],
                is_constraint: facts.is_constraint[index],
                state: state(index),
            }
        };
        let rows = order.iter().take(most).enumerate().map(row).collect();
        Self { rows, total, has_objective: first == 0, free, constraints, active, violated }
    }
}

impl Facts {
    fn new(problem: &Problem, record: &RunRecord) -> Self {
        let m = problem.rows();
        let mut values = vec![f64::NAN; m];
        if problem.mapping().values(&record.report.x, &mut values).is_err() {
            // A row that fails may leave others half done.
            values.fill(f64::NAN);
        }
        let mut multipliers = record.report.multipliers.clone();
        multipliers.resize(m, f64::NAN);
        let (mut violations, mut is_pinned, mut is_constraint) =
            (vec![0.0; m], vec![false; m], vec![false; m]);
        for (rows, composer) in problem.parts() {
            for (k, row) in rows.clone().enumerate() {
                is_pinned[row] = composer.is_pinned(k);
                is_constraint[row] = composer.is_constraint();
            }
            if composer.is_constraint() && values[rows.clone()].iter().all(|v| v.is_finite()) {
                // By Moreau, what is left of the prox of the conjugate of an indicator is the way to its set.
                violations[rows.clone()].copy_from_slice(&values[rows.clone()]);
                if composer.prox_conjugate(Weight::scalar(1.0), &mut violations[rows.clone()]).is_err() {
                    violations[rows].fill(0.0);
                }
            }
        }
        Self { values, multipliers, violations, is_pinned, is_constraint }
    }
}

/// Whether g_0 is the linear function 0, as it is where a problem file has no objective.
fn is_zero(problem: &Problem) -> bool {
    let linear = problem.component(0).filter(|component| component.kind() == "linear component");
    // No linear function but 0 vanishes at a point like this, unless it was made for it.
    let anywhere: Vec<f64> = (0..problem.dimension()).map(|i| (1.0 + i as f64).sqrt()).collect();
    linear.is_some_and(|component| matches!(component.evaluate(&anywhere, None), Ok(0.0)))
}

fn name(problem: &Problem, record: &RunRecord, group: Option<&RowGroup>, index: usize) -> String {
    let own = record.description.component_names.get(&index);
    match group {
        _ if own.is_some() => own.cloned().unwrap_or_default(),
        Some(group) if group.rows.len() == 1 => group.name.clone(),
        _ => problem.row_names().get(index).cloned().unwrap_or_default(),
    }
}

fn role(problem: &Problem, record: &RunRecord, index: usize) -> String {
    let block = problem.blocks().iter().position(|rows| rows.contains(&index));
    let block = block.and_then(|block| record.description.blocks.get(block));
    match block {
        None => String::new(),
        // The row has a name of its own.
        Some(block) if record.description.component_names.contains_key(&index) => {
            format!("{}: {block}", block.name)
        }
        Some(block) => block.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::solved;
    use super::{Ranking, State};
    use crate::record::{Description, RunRecord};
    use std::path::Path;
    use std::sync::Arc;
    use ufcm::component::Linear;
    use ufcm::problem::{IntoConstraint, Problem, Term};
    use ufcm::regulariser::Bounds;
    use ufcm::settings::Settings;

    fn states(ranking: &Ranking) -> Vec<(&str, State)> {
        ranking.rows.iter().map(|row| (row.name.as_str(), row.state)).collect()
    }

    #[test]
    fn what_holds_the_optimum_is_active() {
        let (problem, mut record) = solved("bound");
        let ranking = Ranking::new(&problem, &record, 9);
        assert_eq!(states(&ranking), [("objective", State::Counts), ("bound", State::Active)]);
        assert!((ranking.rows[1].multiplier - 1.0).abs() < 1e-3, "{:?}", ranking.rows[1]);
        record.report.multipliers[1] = 0.0;
        assert_eq!(Ranking::new(&problem, &record, 9).rows[1].state, State::Inactive);
        record.report.x = vec![3.0, 0.0];
        let violated = Ranking::new(&problem, &record, 9);
        assert_eq!((violated.rows[1].state, violated.violated), (State::Violated, 1));
        // |x|^2/2 - 1/2.
        assert!((violated.rows[1].value - 4.0).abs() < 1e-12);
        assert_eq!(Ranking::new(&problem, &record, 1).rows.len(), 1);
    }

    #[test]
    fn without_an_objective_there_is_no_row_for_it() {
        let linear = |slope: [f64; 2]| Linear::new(slope.to_vec(), 0.0).unwrap();
        // max(x, -x) and a bound on y that does not matter.
        let problem = Problem::over(2)
            .plus(Term::max(vec![Arc::new(linear([1.0, 0.0])), Arc::new(linear([-1.0, 0.0]))]).named("size"))
            .subject_to(linear([0.0, 1.0]).at_most(9.0).named("far"))
            .within(Bounds::new(-1.0, 1.0).unwrap())
            .build()
            .unwrap();
        let settings = Settings::default();
        let report = problem.solve(&settings).unwrap();
        let description = Description::new("p".into(), Path::new("p.toml"), &problem, None, None)
            .with_component_names([(2, "minus x".to_owned())].into());
        let record = RunRecord::new(description, settings, report, Vec::new());
        let ranking = Ranking::new(&problem, &record, 9);
        assert!(!ranking.has_objective);
        assert_eq!((ranking.total, ranking.free, ranking.constraints, ranking.active), (3, 3, 1, 2));
        let names: Vec<&str> = ranking.rows.iter().map(|row| row.name.as_str()).collect();
        assert!(names.contains(&"minus x") && names.contains(&"size[0]"), "{names:?}");
        assert_eq!(ranking.rows[2].state, State::Inactive);
        assert_eq!(ranking.rows[2].name, "far");
    }
}
