//! What a proof rests on besides its premise: the parts of a problem that are not convex by construction.

use super::evidence::{Witness, combined_multipliers};
use super::premise::Premise;
use super::together::convex_together;
use crate::audit::Role;
use crate::linalg::norm;
use crate::oracle::{Component, Grounds};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// A part of a problem that the library's code and the user's data do not prove convex.
///
/// ```
/// use ufcm::component::Custom;
/// use ufcm::oracle::Grounds;
/// use ufcm::problem::Problem;
///
/// let square = Custom::new(1, |x, gradient| {
///     if let Some(gradient) = gradient { gradient[0] = 2.0 * x[0]; }
///     Ok(x[0] * x[0])
/// })?;
/// let grounds = Problem::minimise(square).build()?.grounds();
/// assert_eq!((grounds[0].component.as_str(), grounds[0].grade), ("objective", Grounds::Function));
/// assert_eq!(
///     grounds[0].to_string(),
///     "`objective` is a user's function: gradient and convexity neither checked (no audit ran) nor proven"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ground {
    /// The name of the row, or of the term or constraint where several of its rows rest on the same.
    pub component: String,
    /// What the name stands for: rows, the composer over them, the regulariser, or rows known by products with them.
    #[serde(default = "component", skip_serializing_if = "is_component")]
    pub role: Role,
    /// On what it rests: the weakest, where there are several rows.
    pub grade: Grounds,
    /// Whether it declares constants, a lower bound or strong convexity, on which bounds may rest as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declares: bool,
    /// At how many points it was checked; the fewest, where there are several rows.
    #[serde(default)]
    pub points: usize,
    /// Whether an audit found nothing wrong with it.
    #[serde(default)]
    pub audited: bool,
}

fn component() -> Role {
    Role::Component
}

fn is_component(role: &Role) -> bool {
    *role == Role::Component
}

impl Ground {
    fn new(component: String, role: Role, grade: Grounds) -> Self {
        Self { component, role, grade, declares: false, points: 0, audited: false }
    }

    /// Notes that so many points were looked at, and nothing was found.
    pub(crate) fn note(&mut self, points: usize) {
        self.points = if self.audited { self.points.min(points) } else { points };
        self.audited = true;
    }

    /// What it is, and what of it would have to be proven.
    fn words(&self) -> (&'static str, &'static str) {
        match (self.grade, self.role) {
            (Grounds::Construction, _) => ("is convex by construction", "nothing"),
            (Grounds::Trusted, _) => ("is convex on the user's word", "convexity"),
            (Grounds::Function, Role::Component) if self.declares => {
                ("is a user's function", "gradient, convexity and the constants that it declares")
            }
            (Grounds::Function, Role::Component) => ("is a user's function", "gradient and convexity"),
            (Grounds::Function, Role::Operator) => ("is a user's operator", "products"),
            (Grounds::Function, Role::Composer) => ("has a user's composer", "conjugate and convexity"),
            (Grounds::Function, Role::Regulariser) => ("is a user's own", "prox and convexity"),
        }
    }

    /// The sentence of somebody who has not run the audit, but has been told of it.
    fn as_told(&self) -> String {
        let (what, unproven) = self.words();
        let name = &self.component;
        match self.audited {
            true => format!(
                "`{name}` {what}: {unproven} not proven; the certificate says that {} points were checked",
                self.points
            ),
            false => format!("`{name}` {what}: {unproven} not proven"),
        }
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, unproven) = self.words();
        write!(f, "`{}` {what}: {unproven} ", self.component)?;
        match self.audited {
            true => write!(f, "checked at {} points, not proven", self.points),
            false => write!(f, "neither checked (no audit ran) nor proven"),
        }
    }
}

impl Problem {
    /// The parts that are not convex by construction, which every proof about the problem takes for granted. Nobody has
    /// checked them here. None at all means that all components are convex by construction.
    #[must_use]
    pub fn grounds(&self) -> Vec<Ground> {
        self.grounds_by_rows(None, &[]).into_iter().map(|(ground, _)| ground).collect()
    }

    /// As [`Problem::grounds`], each with the rows that it speaks of. A bound with these `multipliers` does not rest on quadratic constraints
    /// whose multiplier is 0: nobody asks whether those are convex; nor on rows that are convex `together`.
    pub(crate) fn grounds_by_rows(
        &self,
        multipliers: Option<&[f64]>,
        together: &[usize],
    ) -> Vec<(Ground, Vec<usize>)> {
        let mut grounds: Vec<(Ground, Vec<usize>)> = Vec::new();
        for (rows, composer) in self.parts() {
            let unused = |row: usize| {
                composer.is_constraint()
                    && multipliers.is_some_and(|multipliers| multipliers[row] == 0.0)
                    && self.component(row).is_some_and(|component| component.quadratic().is_some())
            };
            let idle = |row: usize| together.binary_search(&row).is_ok() || unused(row);
            grounds.extend(grounds_of_rows(self, rows, idle));
        }
        for (rows, composer) in self.parts() {
            if composer.grounds() != Grounds::Construction {
                let ground = Ground::new(block_name(self, &rows), Role::Composer, composer.grounds());
                grounds.push((ground, rows.collect()));
            }
        }
        let u = self.regulariser();
        if u.grounds() != Grounds::Construction {
            let ground = Ground::new("regulariser".to_owned(), Role::Regulariser, u.grounds());
            grounds.push((ground, Vec::new()));
        }
        grounds
    }
}

/// The rows of a block that are not convex by construction, as one entry for each grade and role.
fn grounds_of_rows(
    problem: &Problem,
    rows: Range<usize>,
    idle: impl Fn(usize) -> bool,
) -> Vec<(Ground, Vec<usize>)> {
    let mut found: Vec<(Ground, Vec<usize>)> = Vec::new();
    for row in rows.clone().filter(|row| !idle(*row)) {
        let grade = problem.grounds_of(row);
        if grade == Grounds::Construction {
            continue;
        }
        let component = problem.component(row);
        let role = if component.is_some() { Role::Component } else { Role::Operator };
        let declares = component.is_some_and(declares);
        match found.iter_mut().find(|(ground, _)| (ground.grade, ground.role) == (grade, role)) {
            Some((ground, same)) => {
                ground.component = block_name(problem, &rows);
                ground.declares |= declares;
                same.push(row);
            }
            None => {
                let name = problem.row_names()[row].clone();
                found.push((Ground { declares, ..Ground::new(name, role, grade) }, vec![row]));
            }
        }
    }
    found
}

/// Whether bounds may rest on constants that a component declares. Where the answers are the library's own, so are these.
fn declares(component: &dyn Component) -> bool {
    let on_code = component.grounds() == Grounds::Function;
    on_code && (component.lower_bound().is_some() || component.convexity().is_some())
}

/// The name of a term or constraint: that of its first row, without the row's place in it.
fn block_name(problem: &Problem, rows: &Range<usize>) -> String {
    let first = &problem.row_names()[rows.start];
    let alone = if rows.len() > 1 { first.strip_suffix("[0]") } else { None };
    alone.unwrap_or(first).to_owned()
}

/// All that a proof rests on, in words: its premise, and the parts that are not convex by construction.
pub(super) fn rests_on(premise: &Premise, grounds: &[Ground], told: bool) -> String {
    let mut sentences = match premise {
        premise if grounds.is_empty() => vec![premise.to_string()],
        Premise::None => Vec::new(),
        Premise::BoundedDomain => vec!["the domain is bounded or the regulariser grows fast".to_owned()],
        premise => vec![premise.to_string()],
    };
    sentences.extend(grounds.iter().map(|ground| if told { ground.as_told() } else { ground.to_string() }));
    sentences.join("; ")
}

/// The parts of `problem` that are not convex by construction, found anew; `listed` is asked only how far they were checked.
pub(super) fn found_anew(
    problem: &Problem,
    premise: &Premise,
    listed: &[Ground],
    witnesses: &[Witness],
) -> Vec<Ground> {
    let multipliers = combined_multipliers(witnesses).filter(|sum| sum.len() == problem.rows());
    let together =
        multipliers.as_ref().map_or_else(Vec::new, |_| convex_together(problem, premise, witnesses));
    let found = problem.grounds_by_rows(multipliers.as_deref(), &together);
    let mut grounds: Vec<Ground> = found.into_iter().map(|(ground, _)| ground).collect();
    for ground in &mut grounds {
        let same = |other: &&Ground| (&other.component, other.role) == (&ground.component, ground.role);
        if let Some(told) = listed.iter().find(same) {
            (ground.points, ground.audited) = (told.points, told.audited);
        }
    }
    grounds
}

/// The ball of a premise in words.
pub(super) fn ball(centre: &[f64], radius: f64) -> String {
    format!("a solution lies within {radius:e} of the given point, whose norm is {:e}", norm(centre))
}
