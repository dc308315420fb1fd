//! The answer in the user's words: variables and constraints by name, what is active, and what that means.

use crate::constraints::{ConstraintRow, constraint_rows};
use crate::record::RunRecord;
use crate::sense::shown;
use ufcm::oracle::ErrorRates;
use ufcm::problem::{Problem, Sides};
use ufcm::report::Status;
use ufcm_io::Sense;

/// How near to its bound a value is to stand on it, relative to both.
const AT_BOUND: f64 = 1e-7;
/// The share of the largest multiplier below which one counts as 0.
const NEGLIGIBLE: f64 = 1e-6;

/// What a run came to.
pub(crate) struct Answer {
    /// The name and value of each variable.
    pub(crate) variables: Vec<(String, f64)>,
    /// The rows of constraints, in the order of the file.
    pub(crate) constraints: Vec<Held>,
    /// Variables at the ends of their boxes, those with the largest reduced costs first.
    pub(crate) at_bounds: Vec<AtBound>,
    /// Losses over labelled samples.
    pub(crate) classifiers: Vec<Classifier>,
}

/// A row of a constraint at x.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// `None` where the bound is one of several rows together.
    pub(crate) sides: Option<Sides>,
    pub(crate) multiplier: f64,
    pub(crate) active: bool,
    /// Whether what is left is nothing but rounding.
    pub(crate) at_bound: bool,
    /// Whether it is beyond its bound by more than rounding and the tolerance.
    pub(crate) violated: bool,
}

/// A variable at an end of its box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AtBound {
    pub(crate) name: String,
    pub(crate) bound: f64,
    pub(crate) is_lower: bool,
    /// What the objective changes by, for each unit by which the variable is raised.
    pub(crate) reduced_cost: f64,
}

/// A loss over labelled samples at x.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classifier {
    pub(crate) name: String,
    pub(crate) loss: f64,
    pub(crate) rates: ErrorRates,
}

impl Held {
    /// How far inside its bounds it is.
    pub(crate) fn slack(&self) -> Option<f64> {
        self.sides.map(|sides| sides.slack(self.value))
    }

    /// `<= 0.03`
    pub(crate) fn bound(&self) -> String {
        match self.sides {
            None => "of several rows".to_owned(),
            Some(Sides { lower, upper }) if lower == upper => format!("= {}", short(lower)),
            Some(Sides { lower, upper }) => match (lower.is_finite(), upper.is_finite()) {
                (false, true) => format!("<= {}", short(upper)),
                (true, false) => format!(">= {}", short(lower)),
                (true, true) => format!("{} .. {}", short(lower), short(upper)),
                (false, false) => "free".to_owned(),
            },
        }
    }

    /// What loosening an active constraint brings, in a sentence.
    pub(crate) fn sentence(&self, sense: Sense) -> Option<String> {
        // Beyond its bound the point is no solution, whose price the multiplier would be.
        let sides = self.sides.filter(|_| self.active && !self.violated)?;
        let bound = if sides.upper.is_finite() { sides.upper } else { sides.lower };
        let amount = round_part(bound);
        let worth = rounded(amount * self.multiplier.abs(), 3);
        let (name, amount) = (&self.name, short(amount));
        if sides.lower == sides.upper {
            // The optimum falls by the multiplier as the right-hand side rises.
            let falls = (self.multiplier > 0.0) == (sense == Sense::Minimise);
            let verb = if falls { "lowers" } else { "raises" };
            return Some(format!(
                "raising the right-hand side of `{name}` by {amount} {verb} the objective by about {worth}"
            ));
        }
        let verb = if sense == Sense::Minimise { "lowers" } else { "raises" };
        Some(format!("loosening `{name}` by {amount} {verb} the objective by about {worth}"))
    }
}

/// A power of ten that is a part of a bound, a hundredth for 0.
fn round_part(bound: f64) -> f64 {
    if bound == 0.0 { 0.01 } else { 10f64.powf((0.5 * bound.abs()).log10().floor()) }
}

/// A number with up to six digits, plain where that is short.
pub(crate) fn short(value: f64) -> String {
    rounded(value, 6)
}

/// A number with so many digits.
fn rounded(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "none".into();
    }
    let power = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    if !(-4.0..7.0).contains(&power) {
        let text = format!("{value:.*e}", (digits - 1).min(3));
        return match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", trimmed(digits)),
            None => text,
        };
    }
    let decimals = (digits as f64 - 1.0 - power).max(0.0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

impl Answer {
    /// The answer of a run; `None` where there is no point to speak of.
    pub(crate) fn of(problem: &Problem, record: &RunRecord) -> Option<Self> {
        let report = &record.report;
        let n = problem.dimension();
        let nothing = matches!(report.status, Status::Infeasible | Status::Unbounded) || report.x.len() != n;
        if nothing || !report.x.iter().all(|x| x.is_finite()) {
            return None;
        }
        // Of several ranks all are here, with the same x.
        let judged = problem.judged_at(&report.x).unwrap_or_else(|_| vec![(f64::NAN, None); problem.rows()]);
        let (values, rates): (Vec<f64>, Vec<Option<ErrorRates>>) = judged.into_iter().unzip();
        let names = variable_names(record.description.variable_names.as_deref(), n);
        let rows = constraint_rows(problem, &record.description);
        let constraints = held(problem, record, &rows, &values);
        let at_bounds = at_bounds(problem, record, &names);
        let classifiers = classifiers(problem, record, &values, &rates);
        let variables = names.into_iter().zip(report.x.iter().copied()).collect();
        Some(Self { variables, constraints, at_bounds, classifiers })
    }

    /// The variables, those with the largest values first.
    pub(crate) fn largest(&self) -> Vec<&(String, f64)> {
        let mut order: Vec<&(String, f64)> = self.variables.iter().collect();
        order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        order
    }

    /// The constraints, those that matter first: violated, then active, then by how little is left.
    pub(crate) fn ranked(&self) -> Vec<&Held> {
        let mut order: Vec<&Held> = self.constraints.iter().collect();
        let left = |held: &Held| held.slack().unwrap_or(0.0);
        order.sort_by(|a, b| {
            let violated = |held: &Held| if held.violated { left(held) } else { 0.0 };
            let group = |held: &Held| (!held.active, -held.multiplier.abs(), left(held));
            let first = violated(a).total_cmp(&violated(b));
            let (a, b) = (group(a), group(b));
            first.then(a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
        });
        order
    }
}

/// The names of `n` variables; x[0], x[1], ... where they have none.
pub(crate) fn variable_names(given: Option<&[String]>, n: usize) -> Vec<String> {
    match given.filter(|names| names.len() == n) {
        Some(names) => names.to_vec(),
        None => (0..n).map(|i| format!("x[{i}]")).collect(),
    }
}

fn held(problem: &Problem, record: &RunRecord, rows: &[ConstraintRow], values: &[f64]) -> Vec<Held> {
    let multipliers = &record.report.multipliers;
    let largest = rows.iter().map(|row| row.measured(values, multipliers).1.abs()).fold(0.0, f64::max);
    let tolerance = record.settings.eps_feas;
    let objective = record.report.objective.abs().max(1.0);
    let one = |row: &ConstraintRow| {
        let ((value, multiplier), sides) = (row.measured(values, multipliers), row.sides(problem));
        let size = sides.map_or(0.0, |sides| value.abs().max(sides.upper.abs().min(sides.lower.abs())));
        let nothing = (AT_BOUND * size).max(10.0 * tolerance);
        let slack = sides.map(|sides| sides.slack(value));
        // A row in large units has a small multiplier, which is worth as much as that of a row in small ones.
        let matters =
            multiplier.abs() > NEGLIGIBLE * largest || multiplier.abs() * size > NEGLIGIBLE * objective;
        let active = matters && slack.is_none_or(|slack| slack <= nothing);
        // Of a row that is not active, what is left in small units is no rounding.
        let rounding = |slack: f64| {
            slack.abs() <= AT_BOUND * size || (active && slack.abs() <= 10.0 * tolerance.min(1e-6))
        };
        let at_bound = slack.is_some_and(rounding);
        let violated = !at_bound && slack.is_some_and(|slack| slack < -nothing);
        Held { name: row.name.clone(), value, sides, multiplier, active, at_bound, violated }
    };
    rows.iter().map(one).collect()
}

/// The variables at the ends of their boxes.
fn at_bounds(problem: &Problem, record: &RunRecord, names: &[String]) -> Vec<AtBound> {
    let (x, u) = (&record.report.x, problem.regulariser());
    let mut found = Vec::new();
    for (i, x) in x.iter().enumerate() {
        let Some(law) = u.scalar_term(i) else { return Vec::new() };
        let size = AT_BOUND * x.abs().max(1.0);
        let (lower, upper) = ((x - law.lower).abs() <= size, (law.upper - x).abs() <= size);
        if (lower || upper) && law.lower < law.upper {
            let bound = if lower { law.lower } else { law.upper };
            found.push((
                i,
                AtBound { name: names[i].clone(), bound, is_lower: lower, reduced_cost: f64::NAN },
            ));
        }
    }
    let slope = if found.is_empty() { None } else { slope(problem, record) };
    for (i, at) in &mut found {
        let law = u.scalar_term(*i);
        // What u adds inside its box, on the side to which the variable can move: at a kink the sides differ.
        let own = law.map_or(f64::NAN, |law| {
            let right = if at.is_lower { at.bound >= 0.0 } else { at.bound > 0.0 };
            law.ridge * at.bound + if right { law.above } else { -law.below }
        });
        let cost = slope.as_ref().map_or(f64::NAN, |slope| slope[*i] + own);
        at.reduced_cost = shown(cost, record.description.sense);
    }
    let mut found: Vec<AtBound> = found.into_iter().map(|(_, at)| at).collect();
    found.sort_by(|a, b| b.reduced_cost.abs().total_cmp(&a.reduced_cost.abs()));
    found
}

/// The slope of the Lagrangian without u: what it changes by as a variable is raised, the multipliers being as they are.
fn slope(problem: &Problem, record: &RunRecord) -> Option<Vec<f64>> {
    let (report, n) = (&record.report, problem.dimension());
    if report.multipliers.len() != problem.rows() {
        return None;
    }
    let (mut mapping, mut values) = (problem.mapping(), vec![0.0; problem.rows()]);
    mapping.linearise(&report.x, &mut values).ok()?;
    let mut slope = vec![0.0; n];
    mapping.apply_transpose(&report.multipliers, &mut slope);
    slope.iter().all(|s| s.is_finite()).then_some(slope)
}

fn classifiers(
    problem: &Problem,
    record: &RunRecord,
    values: &[f64],
    rates: &[Option<ErrorRates>],
) -> Vec<Classifier> {
    let names = problem.row_names();
    let one = |row: usize| {
        let rates = rates[row]?;
        let name = record.description.component_names.get(&row).unwrap_or(&names[row]).clone();
        Some(Classifier { name, loss: values[row], rates })
    };
    let of_rows = (0..problem.rows()).filter_map(one);
    // A row that is a sum of losses, or takes some of the variables, tells nothing of them.
    let of_parts = record.losses.iter().filter_map(|loss| {
        let (loss_value, rates) = loss.judged(&record.report.x)?;
        Some(Classifier { name: loss.name.clone(), loss: loss_value, rates })
    });
    of_rows.chain(of_parts).collect()
}

#[cfg(test)]
mod tests {
    use super::{Held, round_part, short};
    use ufcm::problem::Sides;
    use ufcm_io::Sense;

    #[test]
    fn numbers_are_short() {
        let shown = [0.03, -1.25, 0.0, 1e-9, 123_456.0, 0.061_531_463_35, 2.142e-5].map(short);
        assert_eq!(shown, ["0.03", "-1.25", "0", "1e-9", "123456", "0.0615315", "2.142e-5"]);
    }

    #[test]
    fn sentences_speak_of_a_round_part_in_the_right_sense() {
        assert_eq!([0.03, 5.0, -1.25, 0.0].map(round_part), [0.01, 1.0, 0.1, 0.01]);
        let side = |lower, upper| Some(Sides { lower, upper });
        let infinite = f64::INFINITY;
        let held = Held {
            name: "missed".into(),
            value: 0.03,
            sides: side(-infinite, 0.03),
            multiplier: 2.142,
            active: true,
            at_bound: true,
            violated: false,
        };
        let told = held.sentence(Sense::Minimise).unwrap();
        assert_eq!(told, "loosening `missed` by 0.01 lowers the objective by about 0.0214");
        assert!(held.sentence(Sense::Maximise).unwrap().contains("raises"));
        assert_eq!(held.bound(), "<= 0.03");
        let equation = Held { sides: side(2.0, 2.0), ..held.clone() };
        assert!(equation.sentence(Sense::Minimise).unwrap().contains("right-hand side"));
        assert_eq!(Held { active: false, ..held }.sentence(Sense::Minimise), None);
    }
}
