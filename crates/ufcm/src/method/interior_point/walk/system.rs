//! The optimality conditions of a program whose active rows W are known, a linear system:
//!
//! ```text
//! P x + A_W'z = r,    A_W x = c
//! ```
//!
//! It is factored once for some W. Rows that come and go after that border the system: a row that comes with its own entries, a row that goes
//! with the equation z_k = 0. A small dense matrix, as large as there were changes, is factored anew with each of them.

use super::tuning::{MOST_BORDERS, ROUNDS, SOLVED};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, Mat, MatMut, Par, Spec};

/// Rows and curvature of a program.
pub(super) struct Data {
    pub(super) columns: usize,
    /// The upper triangle of P.
    pub(super) curvature: Vec<(usize, usize, f64)>,
    pub(super) rows: Vec<Vec<(usize, f64)>>,
}

impl Data {
    /// a_i.x
    pub(super) fn product(&self, row: usize, x: &[f64]) -> f64 {
        self.rows[row].iter().map(|(column, a)| a * x[*column]).sum()
    }

    /// sum |a_ik x_k|
    pub(super) fn size(&self, row: usize, x: &[f64]) -> f64 {
        self.rows[row].iter().map(|(column, a)| (a * x[*column]).abs()).sum()
    }

    /// P x, and for each entry the sum of the sizes of what is added.
    pub(super) fn curved(&self, x: &[f64]) -> [Vec<f64>; 2] {
        let (mut sum, mut sizes) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut add = |i: usize, term: f64| {
            sum[i] += term;
            sizes[i] += term.abs();
        };
        for (i, j, v) in &self.curvature {
            add(*i, v * x[*j]);
            if i != j {
                add(*j, v * x[*i]);
            }
        }
        [sum, sizes]
    }
}

/// A row that came or went after the factorisation.
struct Border {
    row: usize,
    comes: bool,
    /// The inverse of the factored matrix times the border.
    image: Vec<f64>,
}

/// The system of the rows W.
pub(super) struct System<'a> {
    data: &'a Data,
    /// Whether a row is in W.
    pub(super) active: Vec<bool>,
    /// The rows for which the system was factored, and where they stand in it.
    base: Vec<usize>,
    place: Vec<Option<usize>>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    borders: Vec<Border>,
    small: Option<PartialPivLu<f64>>,
    /// Factorisations so far.
    pub(super) factorisations: usize,
}

/// x and z; z is 0 for rows that are not in W.
pub(super) type Pair = (Vec<f64>, Vec<f64>);

impl<'a> System<'a> {
    /// Nothing where the system is singular.
    pub(super) fn new(data: &'a Data, active: Vec<bool>) -> Option<Self> {
        let (base, place, symbolic, numeric) = factored(data, &active)?;
        let (borders, small) = (Vec::new(), None);
        Some(Self { data, active, base, place, symbolic, numeric, borders, small, factorisations: 1 })
    }

    /// Changes W: `goes` leaves it, `comes` joins it. False where the system cannot be factored.
    pub(super) fn change(&mut self, goes: Option<usize>, comes: Option<usize>) -> bool {
        goes.into_iter().for_each(|row| self.active[row] = false);
        comes.into_iter().for_each(|row| self.active[row] = true);
        if self.borders.len() + 2 > MOST_BORDERS {
            let Some((base, place, symbolic, numeric)) = factored(self.data, &self.active) else {
                return false;
            };
            (self.base, self.place, self.symbolic, self.numeric) = (base, place, symbolic, numeric);
            (self.borders, self.small) = (Vec::new(), None);
            self.factorisations += 1;
            return true;
        }
        goes.into_iter().for_each(|row| self.border(row, false));
        comes.into_iter().for_each(|row| self.border(row, true));
        self.factor_small();
        true
    }

    fn border(&mut self, row: usize, comes: bool) {
        // A row that went and comes back, or came and goes again, needs no border at all.
        if let Some(k) = self.borders.iter().position(|border| border.row == row) {
            self.borders.remove(k);
            return;
        }
        let mut image = vec![0.0; self.order()];
        match (comes, self.place[row]) {
            (false, Some(place)) => image[place] = 1.0,
            _ => self.data.rows[row].iter().for_each(|(column, a)| image[*column] += a),
        }
        self.solve_base(&mut image);
        self.borders.push(Border { row, comes, image });
    }

    fn order(&self) -> usize {
        self.data.columns + self.base.len()
    }

    /// The border times a vector of the factored system.
    fn border_product(&self, border: &Border, v: &[f64]) -> f64 {
        match (border.comes, self.place[border.row]) {
            (false, Some(place)) => v[place],
            _ => self.data.product(border.row, v),
        }
    }

    fn factor_small(&mut self) {
        let (borders, count) = (&self.borders, self.borders.len());
        let entry = |i: usize, j: usize| self.border_product(&borders[i], &borders[j].image);
        let small = (count > 0).then(|| Mat::from_fn(count, count, entry).partial_piv_lu());
        self.small = small;
    }

    fn solve_base(&self, v: &mut [f64]) {
        let mut room = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let order = v.len();
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(v, order, 1),
            Par::Seq,
            MemStack::new(&mut room),
        );
    }

    /// Solves without refinement.
    fn solve_once(&self, r: &[f64], c: &[f64]) -> Pair {
        let n = self.data.columns;
        let mut v = r.to_vec();
        v.extend(self.base.iter().map(|row| if self.active[*row] { c[*row] } else { 0.0 }));
        self.solve_base(&mut v);
        let mut z = vec![0.0; self.active.len()];
        if let Some(small) = &self.small {
            let right = |border: &Border| {
                self.border_product(border, &v) - if border.comes { c[border.row] } else { 0.0 }
            };
            let mut y = Mat::from_fn(self.borders.len(), 1, |k, _| right(&self.borders[k]));
            small.solve_in_place(y.as_mut());
            for (k, border) in self.borders.iter().enumerate() {
                let y = y[(k, 0)];
                v.iter_mut().zip(&border.image).for_each(|(v, image)| *v -= y * image);
                if border.comes {
                    z[border.row] = y;
                }
            }
        }
        let held = self.base.iter().zip(&v[n..]).filter(|(row, _)| self.active[**row]);
        held.for_each(|(row, v)| z[*row] = *v);
        v.truncate(n);
        (v, z)
    }

    /// Solves; nothing where refinement leaves more than rounding.
    pub(super) fn solve(&self, r: &[f64], c: &[f64]) -> Option<Pair> {
        let (mut x, mut z) = self.solve_once(r, c);
        for _ in 0..ROUNDS {
            let (left, _) = self.residual(&x, &z, r, c);
            let (dx, dz) = self.solve_once(&left.0, &left.1);
            x.iter_mut().zip(&dx).for_each(|(x, d)| *x += d);
            z.iter_mut().zip(&dz).for_each(|(z, d)| *z += d);
        }
        let (_, worst) = self.residual(&x, &z, r, c);
        (worst <= SOLVED).then_some((x, z))
    }

    /// What is left of the equations, and the largest of it relative to what is added up in all of them of its kind.
    fn residual(&self, x: &[f64], z: &[f64], r: &[f64], c: &[f64]) -> (Pair, f64) {
        let [curved, mut sizes] = self.data.curved(x);
        let mut left: Vec<f64> = r.iter().zip(&curved).map(|(r, p)| r - p).collect();
        sizes.iter_mut().zip(r).for_each(|(size, r)| *size += r.abs());
        let (mut rows, mut worst) = (vec![0.0; c.len()], [0.0f64; 2]);
        let mut largest = f64::MIN_POSITIVE;
        for row in (0..c.len()).filter(|row| self.active[*row]) {
            for (column, a) in &self.data.rows[row] {
                left[*column] -= a * z[row];
                sizes[*column] += (a * z[row]).abs();
            }
            rows[row] = c[row] - self.data.product(row, x);
            worst[0] = worst[0].max(rows[row].abs());
            largest = largest.max(c[row].abs() + self.data.size(row, x));
        }
        worst[0] /= largest;
        let largest = sizes.iter().fold(f64::MIN_POSITIVE, |largest, size| largest.max(*size));
        worst[1] = left.iter().fold(0.0f64, |worst, left| worst.max(left.abs())) / largest;
        // Written so that a NaN is the worst of all.
        let is_number = left.iter().chain(&rows).all(|v| v.is_finite());
        let worst = if is_number { worst[0].max(worst[1]) } else { f64::INFINITY };
        ((left, rows), worst)
    }
}

type Factored = (Vec<usize>, Vec<Option<usize>>, SymbolicLu<usize>, NumericLu<usize, f64>);

/// Factors the system of the active rows. Nothing where that fails.
fn factored(data: &Data, active: &[bool]) -> Option<Factored> {
    let base: Vec<usize> = (0..active.len()).filter(|row| active[*row]).collect();
    let mut place = vec![None; active.len()];
    let mut entries: Vec<Triplet<usize, usize, f64>> = Vec::new();
    let mut add = |i: usize, j: usize, v: f64| {
        entries.push(Triplet::new(i, j, v));
        if i != j {
            entries.push(Triplet::new(j, i, v));
        }
    };
    data.curvature.iter().for_each(|(i, j, v)| add(*i, *j, *v));
    for (k, row) in base.iter().enumerate() {
        place[*row] = Some(data.columns + k);
        data.rows[*row].iter().for_each(|(column, a)| add(*column, data.columns + k, *a));
    }
    let order = data.columns + base.len();
    let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(order, order, &entries).ok()?;
    let symbolic = factorize_symbolic_lu(matrix.symbolic(), LuSymbolicParams::default()).ok()?;
    let mut numeric = NumericLu::new();
    let room = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default());
    let mut room = MemBuffer::new(room);
    let stack = MemStack::new(&mut room);
    symbolic.factorize_numeric_lu(&mut numeric, matrix.as_ref(), Par::Seq, stack, Spec::default()).ok()?;
    Some((base, place, symbolic, numeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that come and go are as in a system that is factored anew.
    #[test]
    fn borders_are_as_good_as_a_new_factorisation() {
        let rows = vec![
            vec![(0, 1.0), (1, 2.0)],
            vec![(1, -1.0), (2, 1.0)],
            vec![(0, 1.0), (2, 3.0)],
            vec![(0, 2.0), (1, 1.0), (2, 1.0)],
        ];
        let data =
            Data { columns: 3, curvature: vec![(0, 0, 2.0), (1, 1, 1.0), (0, 1, 0.5), (2, 2, 1.0)], rows };
        let (r, c) = ([1.0, -2.0, 0.5], [1.0, 2.0, 3.0, 4.0]);
        let mut system = System::new(&data, vec![true, true, false, false]).unwrap();
        for (goes, comes) in [(Some(0), Some(2)), (Some(1), None), (None, Some(3)), (Some(3), Some(0))] {
            assert!(system.change(goes, comes));
            let (x, z) = system.solve(&r, &c).unwrap();
            let anew = System::new(&data, system.active.clone()).unwrap().solve(&r, &c).unwrap();
            let differences = x.iter().zip(&anew.0).chain(z.iter().zip(&anew.1)).map(|(a, b)| (a - b).abs());
            assert!(differences.fold(0.0, f64::max) < 1e-12, "{goes:?} {comes:?}");
        }
    }

    #[test]
    fn a_singular_system_is_refused() {
        let data = Data { columns: 2, curvature: Vec::new(), rows: vec![vec![(0, 1.0)], vec![(0, 2.0)]] };
        let solved =
            System::new(&data, vec![true, true]).and_then(|system| system.solve(&[1.0, 1.0], &[1.0, 1.0]));
        assert!(solved.is_none());
    }
}
