//! Linear programs in exact arithmetic: the criss-cross method with the least index, on a tableau of integers over one common
//! denominator (Edmonds, Bareiss). It needs no first phase and ends for every program.

use num_bigint::BigInt;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    Optimum(f64),
    Infeasible,
    Unbounded,
}

/// min cost.x subject to a.x <= b for all rows, x free.
pub fn solve(cost: &[f64], rows: &[(Vec<f64>, f64)]) -> Verdict {
    let mut tableau = Tableau::new(cost, rows);
    match tableau.run() {
        End::Optimal => Verdict::Optimum(tableau.value()),
        End::Infeasible => Verdict::Infeasible,
        // No multipliers exist: unbounded if there is a feasible point.
        End::Falls => match Tableau::new(&vec![0.0; cost.len()], rows).run() {
            End::Infeasible => Verdict::Infeasible,
            _ => Verdict::Unbounded,
        },
    }
}

enum End {
    Optimal,
    Infeasible,
    Falls,
}

/// Rows of the constraints, then the row of the reduced costs; the last column is the right-hand side. True entries are these
/// over the denominator, which is positive.
struct Tableau {
    rows: Vec<Vec<BigInt>>,
    denominator: BigInt,
    /// The variable of each row.
    basis: Vec<usize>,
    /// The costs were multiplied by 2 to the power of minus this.
    exponent: i32,
}

impl Tableau {
    /// x = p - q with p and q nonnegative, and a slack for each row.
    fn new(cost: &[f64], rows: &[(Vec<f64>, f64)]) -> Self {
        let (n, m) = (cost.len(), rows.len());
        let line = |x: &[BigInt], slack: Option<usize>, b: BigInt| {
            let mut line: Vec<BigInt> = x.to_vec();
            line.extend(x.iter().map(|v| -v));
            line.extend((0..m).map(|k| BigInt::from(u8::from(slack == Some(k)))));
            line.push(b);
            line
        };
        let mut lines = Vec::new();
        for (i, (a, b)) in rows.iter().enumerate() {
            let mut numbers = a.clone();
            numbers.push(*b);
            let (mut integers, _) = integers(&numbers);
            let b = integers.pop().unwrap();
            // The slack of a row in other units is a slack in other units.
            lines.push(line(&integers, Some(i), b));
        }
        let (integers, exponent) = integers(cost);
        lines.push(line(&integers, None, BigInt::ZERO));
        let basis = (2 * n..2 * n + m).collect();
        Self { rows: lines, denominator: BigInt::from(1), basis, exponent }
    }

    fn run(&mut self) -> End {
        let (m, width) = (self.basis.len(), self.rows[0].len() - 1);
        loop {
            let wrong = (0..width).find_map(|k| match self.basis.iter().position(|b| *b == k) {
                Some(row) => (self.rows[row][width] < BigInt::ZERO).then_some((Some(row), k)),
                None => (self.rows[m][k] < BigInt::ZERO).then_some((None, k)),
            });
            match wrong {
                None => return End::Optimal,
                Some((Some(row), _)) => {
                    let Some(column) = (0..width).find(|k| self.rows[row][*k] < BigInt::ZERO) else {
                        return End::Infeasible;
                    };
                    self.pivot(row, column);
                }
                Some((None, column)) => {
                    let positive = (0..m).filter(|row| self.rows[*row][column] > BigInt::ZERO);
                    let Some(row) = positive.min_by_key(|row| self.basis[*row]) else {
                        return End::Falls;
                    };
                    self.pivot(row, column);
                }
            }
        }
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let pivots = self.rows[row].clone();
        let pivot = pivots[column].clone();
        for (i, line) in self.rows.iter_mut().enumerate() {
            if i == row {
                continue;
            }
            let factor = line[column].clone();
            for (v, p) in line.iter_mut().zip(&pivots) {
                *v = (&*v * &pivot - &factor * p) / &self.denominator;
            }
        }
        self.denominator = pivot;
        if self.denominator < BigInt::ZERO {
            self.denominator = -&self.denominator;
            self.rows.iter_mut().flatten().for_each(|v| *v = -&*v);
        }
        self.basis[row] = column;
    }

    fn value(&self) -> f64 {
        let last = self.rows[self.basis.len()].last().unwrap();
        -ratio(last, &self.denominator) * 2f64.powi(self.exponent)
    }
}

/// The numbers times one power of 2, and the exponent that takes it back.
fn integers(numbers: &[f64]) -> (Vec<BigInt>, i32) {
    let parts: Vec<(i64, i32)> = numbers.iter().map(|v| parts(*v)).collect();
    let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
    let whole = |(mantissa, exponent): &(i64, i32)| match mantissa {
        0 => BigInt::ZERO,
        mantissa => BigInt::from(*mantissa) << (exponent - least) as usize,
    };
    (parts.iter().map(whole).collect(), least)
}

/// A number as an integer times a power of 2.
fn parts(v: f64) -> (i64, i32) {
    assert!(v.is_finite(), "{v} has no mantissa");
    let bits = v.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
    (if v < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// a / b as the nearest number or one beside it; b is positive.
fn ratio(a: &BigInt, b: &BigInt) -> f64 {
    let shift = 80 + b.bits() as i64 - a.bits() as i64;
    let (a, b) = match shift >= 0 {
        true => (a << shift as usize, b.clone()),
        false => (a.clone(), b << (-shift) as usize),
    };
    let quotient = i128::try_from(a / b).unwrap() as f64;
    let half = (shift / 2) as i32;
    quotient * 2f64.powi(-half) * 2f64.powi(half - shift as i32)
}

#[test]
fn small_programs_have_the_optima_that_one_sees() {
    let rows = |rows: &[([f64; 2], f64)]| rows.iter().map(|(a, b)| (a.to_vec(), *b)).collect::<Vec<_>>();
    let quadrant = [([-1.0, 0.0], 0.0), ([0.0, -1.0], 0.0)];
    let mut all = quadrant.to_vec();
    all.extend([([1.0, 2.0], 4.0), ([3.0, 1.0], 6.0)]);
    assert_eq!(solve(&[-1.0, -1.0], &rows(&all)), Verdict::Optimum(-2.8));
    assert_eq!(solve(&[-1.0, -1.0], &rows(&quadrant)), Verdict::Unbounded);
    assert_eq!(solve(&[1e-9, 1e-9], &rows(&[([-1e6, -1e6], -1.0)])), Verdict::Optimum(1e-9 * 1e-6));
    all.push(([-1.0, -1.0], -3.0));
    assert_eq!(solve(&[-1.0, -1.0], &rows(&all)), Verdict::Infeasible);
    assert_eq!(solve(&[-1.0, 1.0], &[]), Verdict::Unbounded);
}
