//! The problem as the data of a conic solver, and the way back to multipliers.
//!
//! ```text
//! minimise 1/2 y'P y + q.y   with   A y + s = b, s in a product of cones
//! ```
//!
//! Composers speak of variables z_j for the values of the rows. A z_j of which little use is made gives way to the row's own
//! expression; the others stay, held by z_j = a_j.x - b_j, or by z_j >= g_j where g_j is curved, as h does not decrease there. In
//! both cases l_j is the derivative in z_j of the Lagrangian of all but these last rows.

use super::KIND;
use super::phase_one::Leave;
use super::triplets::Triplets;
use crate::conic::{Block, Cone, Expression, Form};
use crate::error::DataError;
use crate::method::tuning::interior_point::{FAR_AWAY, FAR_OUT, MOST_AXES, ROOM, SPARSE_ROOM};
use crate::oracle::{OracleError, ScalarTerm};
use crate::problem::Problem;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;

/// All that the solver takes.
pub(super) struct Program {
    /// n and m of the problem.
    size: [usize; 2],
    pub(super) p: CscMatrix<f64>,
    pub(super) q: Vec<f64>,
    pub(super) a: CscMatrix<f64>,
    pub(super) b: Vec<f64>,
    pub(super) cones: Vec<SupportedConeT<f64>>,
    /// What z_j costs.
    prices: Vec<f64>,
    /// Second derivatives in z: (j, column of the program, value).
    curvature: Vec<(usize, usize, f64)>,
    /// Where z_j stands: (j, row of the program, factor).
    uses: Vec<(usize, usize, f64)>,
}

impl Program {
    /// A program of its own.
    #[cfg(test)]
    pub(super) fn of_parts(
        p: CscMatrix<f64>,
        q: Vec<f64>,
        a: CscMatrix<f64>,
        b: Vec<f64>,
        cones: Vec<SupportedConeT<f64>>,
    ) -> Self {
        let (size, prices, curvature, uses) = ([q.len(), 0], Vec::new(), Vec::new(), Vec::new());
        Self { size, p, q, a, b, cones, prices, curvature, uses }
    }

    /// The program of a problem.
    ///
    /// # Errors
    /// A part that has no conic form, or a program that would be too large.
    pub(super) fn of(problem: &Problem) -> Result<Self, DataError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let mut form = Form::new(n + m, ROOM);
        let x: Vec<_> = (0..n).map(Expression::variable).collect();
        let z: Vec<_> = (n..n + m).map(Expression::variable).collect();
        let rows = row_expressions(problem, &mut form, &x, &vec![true; m], ROOM)?;
        let composer = problem.composer();
        let value = form.in_cost(Some(1.0), |form| composer.conic(form, &z));
        form.pay(&value.ok_or_else(|| missing(composer.kind()))?);
        let regulariser = problem.regulariser();
        let value = form.in_cost(Some(1.0), |form| regulariser.conic(form, &x));
        form.pay(&value.ok_or_else(|| missing(regulariser.kind()))?);
        if form.is_full() {
            return Err(too_large(ROOM));
        }
        Assembly::new(problem, form, rows).finish()
    }

    /// Minimise t where the listed rows, all constraints, are within t times their sizes of where they may be, and x is in X; and
    /// the column of t.
    ///
    /// # Errors
    /// As [`Program::of`]; and rows that do not say where they may be.
    pub(super) fn of_phase_one(
        problem: &Problem,
        listed: &[bool],
        leave: Leave,
    ) -> Result<(Self, usize), DataError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let mut form = Form::new(n + m, SPARSE_ROOM);
        let t = form.variable();
        let x: Vec<_> = (0..n).map(Expression::variable).collect();
        let rows = row_expressions(problem, &mut form, &x, listed, SPARSE_ROOM)?;
        for (range, composer) in problem.parts() {
            for (k, row) in range.enumerate().filter(|(_, row)| listed[*row]) {
                let ends = composer.row_domain(k).ok_or_else(|| missing(composer.kind()))?;
                let largest = rows[row].terms.iter().fold(0.0f64, |largest, (_, c)| largest.max(c.abs()));
                let sized = problem.is_affine(row) && largest > 0.0;
                let room = t.clone().times(if sized { largest } else { 1.0 });
                write_ends(&mut form, &Expression::variable(n + row), ends, room, leave);
            }
        }
        form.nonnegative(t.clone().shifted(if leave == Leave::Room { 1.0 } else { 0.0 }));
        form.pay(&t);
        write_domain(problem, &mut form, &x)?;
        if form.is_full() {
            return Err(too_large(SPARSE_ROOM));
        }
        let assembly = Assembly::new(problem, form, rows);
        let column = assembly.place[n + m].unwrap_or(0);
        Ok((assembly.finish()?, column))
    }

    /// The multipliers of the problem's rows, from the variables and multipliers of the program.
    pub(super) fn multipliers(&self, y: &[f64], dual: &[f64]) -> Vec<f64> {
        let mut multipliers = self.prices.clone();
        self.curvature.iter().for_each(|(j, column, v)| multipliers[*j] += v * y[*column]);
        self.uses.iter().for_each(|(j, row, c)| multipliers[*j] -= c * dual[*row]);
        multipliers
    }

    /// The same where the program's multipliers are a direction: neither prices nor curvature count.
    pub(super) fn multipliers_of_ray(&self, dual: &[f64]) -> Vec<f64> {
        let mut multipliers = vec![0.0; self.size[1]];
        self.uses.iter().for_each(|(j, row, c)| multipliers[*j] -= c * dual[*row]);
        multipliers
    }

    /// The same rows and curvature with other costs and sides.
    pub(super) fn with_sides(&self, q: Vec<f64>, b: Vec<f64>) -> Self {
        let Self { size, p, a, cones, prices, curvature, uses, .. } = self;
        let (p, a, cones) = (p.clone(), a.clone(), cones.clone());
        let (prices, curvature, uses) = (prices.clone(), curvature.clone(), uses.clone());
        Self { size: *size, p, q, a, b, cones, prices, curvature, uses }
    }

    /// The entries of P and A.
    pub(super) fn entries(&self) -> usize {
        self.p.nzval.len() + self.a.nzval.len()
    }

    /// x among the variables.
    pub(super) fn point<'y>(&self, y: &'y [f64]) -> &'y [f64] {
        &y[..self.size[0]]
    }
}

/// z is between its ends, or beyond them by no more than what is left to it.
fn write_ends(form: &mut Form, z: &Expression, [low, high]: [f64; 2], room: Expression, leave: Leave) {
    if low == high && leave == Leave::Room {
        return form.zero(z.clone().shifted(-low));
    }
    if high < f64::INFINITY {
        form.nonnegative(room.clone().plus(-1.0, z).shifted(high));
    }
    if low > f64::NEG_INFINITY {
        form.nonnegative(room.plus(1.0, z).shifted(-low));
    }
}

/// X without u.
fn write_domain(problem: &Problem, form: &mut Form, x: &[Expression]) -> Result<(), DataError> {
    let u = problem.regulariser();
    if (0..x.len()).all(|i| u.scalar_term(i).is_some()) {
        for (i, x) in x.iter().enumerate() {
            let law = u.scalar_term(i).unwrap_or(ScalarTerm::ZERO);
            ScalarTerm { lower: law.lower, upper: law.upper, ..ScalarTerm::ZERO }.conic(form, x);
        }
        return Ok(());
    }
    // Convex, and finite so far out along every axis: as good as everywhere.
    let is_finite_at = |i: usize, far: f64| {
        let mut at = vec![0.0; x.len()];
        at[i] = far;
        u.value(&at).is_finite()
    };
    if x.len() <= MOST_AXES && (0..x.len()).all(|i| is_finite_at(i, FAR_OUT) && is_finite_at(i, -FAR_OUT)) {
        return Ok(());
    }
    form.in_cost(None, |form| u.conic(form, x)).map(|_| ()).ok_or_else(|| missing(u.kind()))
}

fn missing(kind: &str) -> DataError {
    DataError::structure(KIND, format!("{kind} has no conic form, or none that is small enough"))
}

pub(super) fn too_large(room: usize) -> DataError {
    DataError::structure(KIND, format!("the program has more than {room} entries"))
}

/// Whether the program may go on being written down.
fn ask(problem: &Problem) -> Result<(), DataError> {
    problem.budget().component().map_err(|stop| DataError::oracle(KIND, stop.into()))
}

/// An expression for each listed row: its value where it is affine, something that can be as small where it is curved.
fn row_expressions(
    problem: &Problem,
    form: &mut Form,
    x: &[Expression],
    listed: &[bool],
    room: usize,
) -> Result<Vec<Expression>, DataError> {
    let failed = |error: OracleError| DataError::oracle(KIND, error);
    // Curved ones first: what has no conic form is not evaluated.
    let mut rows = curved_expressions(problem, form, x, listed)?;
    let mut mapping = problem.mapping();
    if !mapping.has_rows() {
        return Err(DataError::structure(KIND, "rows that are known by products alone have no conic form"));
    }
    let (mut values, mut scratch) = (vec![0.0; rows.len()], Vec::new());
    mapping.linearise(&vec![0.0; x.len()], &mut values).map_err(failed)?;
    let mut entries = 0;
    for (row, e) in rows.iter_mut().enumerate().filter(|(row, _)| listed[*row] && problem.is_affine(*row)) {
        if entries > room {
            return Err(too_large(room));
        }
        ask(problem)?;
        e.constant = values[row];
        mapping.with_row(row, &mut scratch, &mut |view| *e = view.expression(x).plus(1.0, e));
        entries += e.terms.len();
    }
    Ok(rows)
}

/// The expressions of the curved rows; nothing yet for the others.
fn curved_expressions(
    problem: &Problem,
    form: &mut Form,
    x: &[Expression],
    listed: &[bool],
) -> Result<Vec<Expression>, DataError> {
    let (m, composer) = (problem.rows(), problem.composer());
    let mut multipliers = vec![0.0; m];
    composer.multipliers_at(&vec![0.0; m], &mut multipliers);
    let mut rows = vec![Expression::default(); m];
    // First those that need cones: where one has none, which may be a matter of its size, the others are not written down.
    let curved = (0..m).filter(|row| listed[*row] && !problem.is_affine(*row));
    let (paid, in_cones): (Vec<usize>, Vec<usize>) = curved.partition(|row| composer.is_pinned(*row));
    for row in in_cones.into_iter().chain(paid) {
        let weight = composer.is_pinned(row).then_some(multipliers[row]);
        let component = problem.component(row);
        let e = form.in_cost(weight, |form| component.and_then(|g| g.conic(form, x)));
        rows[row] = e.ok_or_else(|| missing(component.map_or("row", |g| g.kind())))?;
        if form.is_full() {
            return Err(too_large(ROOM));
        }
    }
    Ok(rows)
}

/// A form on its way to being a program.
struct Assembly<'a> {
    problem: &'a Problem,
    form: Form,
    /// The expressions of the rows.
    rows: Vec<Expression>,
    /// The column of every variable; `None` for the z_j that give way.
    place: Vec<Option<usize>>,
    columns: usize,
}

impl<'a> Assembly<'a> {
    fn new(problem: &'a Problem, form: Form, rows: Vec<Expression>) -> Self {
        let (n, m) = (problem.dimension(), problem.rows());
        let mut uses = vec![0usize; m];
        for e in expressions(&form) {
            let values = e.terms.iter().filter(|(k, _)| (n..n + m).contains(k));
            values.for_each(|(k, _)| uses[k - n] += 1);
        }
        // One more row and one more variable, against the row's entries once more for every use.
        let gives_way = |j: usize| uses[j].saturating_sub(1) * rows[j].terms.len() <= 4 + uses[j];
        let mut keeps: Vec<bool> = (0..m).map(|j| !gives_way(j)).collect();
        for (i, j, _) in &form.curvature {
            [i, j].into_iter().filter(|k| (n..n + m).contains(k)).for_each(|k| keeps[k - n] = true);
        }
        let mut columns = 0;
        let place = (0..form.variables()).map(|k| {
            let stays = !(n..n + m).contains(&k) || keeps[k - n];
            stays.then(|| {
                columns += 1;
                columns - 1
            })
        });
        let place = place.collect();
        Self { problem, form, rows, place, columns }
    }

    /// The expression in columns of the program.
    fn placed(&self, e: &Expression) -> Expression {
        let n = self.problem.dimension();
        let mut sum = Expression::constant(e.constant);
        for (k, c) in &e.terms {
            match self.place[*k] {
                Some(column) => sum.terms.push((column, *c)),
                None => sum.add(*c, &self.placed(&self.rows[k - n])),
            }
        }
        sum
    }

    /// z_j less its row's expression, for the z_j that stay and whose rows are affine, or curved.
    fn held(&self, affine: bool) -> impl Iterator<Item = Expression> + '_ {
        let (n, m) = (self.problem.dimension(), self.problem.rows());
        let stays = move |j: &usize| self.problem.is_affine(*j) == affine && self.place[n + j].is_some();
        let held = move |j: usize| Expression::variable(n + j).plus(-1.0, &self.rows[j]);
        (0..m).filter(stays).map(held)
    }

    fn is_value(&self, k: usize) -> bool {
        let (n, m) = (self.problem.dimension(), self.problem.rows());
        (n..n + m).contains(&k)
    }

    fn finish(&self) -> Result<Program, DataError> {
        let (n, m) = (self.problem.dimension(), self.problem.rows());
        let (form, mut rows, mut cones) = (&self.form, Rows::default(), Vec::new());
        form.zero.iter().try_for_each(|e| rows.write(self, e, true))?;
        self.held(true).try_for_each(|e| rows.write(self, &e, false))?;
        let equations = rows.b.len();
        push_cone(&mut cones, SupportedConeT::ZeroConeT, equations);
        let mut near = form.nonnegative.iter().filter(|e| e.constant < FAR_AWAY);
        near.try_for_each(|e| rows.write(self, e, true))?;
        self.held(false).try_for_each(|e| rows.write(self, &e, false))?;
        push_cone(&mut cones, SupportedConeT::NonnegativeConeT, rows.b.len() - equations);
        for block in &form.cones {
            block.rows.iter().try_for_each(|e| rows.write(self, e, true))?;
            cones.push(engine_cone(block));
        }
        let mut q = vec![0.0; self.columns];
        self.placed(&form.cost).terms.iter().for_each(|(k, c)| q[*k] += c);
        let mut prices = vec![0.0; m];
        let paid = form.cost.terms.iter().filter(|(k, _)| self.is_value(*k));
        paid.for_each(|(k, c)| prices[k - n] += c);
        let (p, curvature) = self.curvature();
        let Rows { entries, b, uses } = rows;
        ask(self.problem)?;
        let a = entries.into_matrix(b.len(), self.columns);
        ask(self.problem)?;
        Ok(Program { size: [n, m], p, q, a, b, cones, prices, curvature, uses })
    }

    /// P, and what of it stands in the z_j.
    fn curvature(&self) -> (CscMatrix<f64>, Vec<(usize, usize, f64)>) {
        let (n, mut p, mut curvature) = (self.problem.dimension(), Triplets::default(), Vec::new());
        for (i, j, v) in &self.form.curvature {
            // Variables in P stay.
            let (Some(row), Some(column)) = (self.place[*i], self.place[*j]) else { continue };
            p.push(row.min(column), row.max(column), *v);
            if self.is_value(*i) {
                curvature.push((i - n, column, *v));
            }
            if i != j && self.is_value(*j) {
                curvature.push((j - n, row, *v));
            }
        }
        (p.into_matrix(self.columns, self.columns), curvature)
    }
}

/// The rows of the program in the making.
#[derive(Default)]
struct Rows {
    entries: Triplets,
    b: Vec<f64>,
    uses: Vec<(usize, usize, f64)>,
}

impl Rows {
    /// Writes a row; where it is not one that holds a z_j, `tells` which of them it uses.
    fn write(&mut self, assembly: &Assembly<'_>, e: &Expression, tells: bool) -> Result<(), DataError> {
        ask(assembly.problem)?;
        let (row, n) = (self.b.len(), assembly.problem.dimension());
        let values = e.terms.iter().filter(|(k, _)| tells && assembly.is_value(*k));
        self.uses.extend(values.map(|(k, c)| (k - n, row, *c)));
        let e = assembly.placed(e);
        // s = b - A y is to be the expression itself.
        e.terms.iter().for_each(|(column, c)| self.entries.push(row, *column, -c));
        self.b.push(e.constant);
        Ok(())
    }
}

fn engine_cone(Block { cone, rows }: &Block) -> SupportedConeT<f64> {
    match cone {
        Cone::SecondOrder => SupportedConeT::SecondOrderConeT(rows.len()),
        Cone::Exponential => SupportedConeT::ExponentialConeT(),
        Cone::Power(p) => SupportedConeT::PowerConeT(*p),
    }
}

fn push_cone(cones: &mut Vec<SupportedConeT<f64>>, cone: fn(usize) -> SupportedConeT<f64>, rows: usize) {
    if rows > 0 {
        cones.push(cone(rows));
    }
}

/// All rows of a form.
fn expressions(form: &Form) -> impl Iterator<Item = &Expression> {
    let cones = form.cones.iter().flat_map(|block| &block.rows);
    form.zero.iter().chain(&form.nonnegative).chain(cones)
}
