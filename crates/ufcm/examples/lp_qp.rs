//! Solves every problem of a folder by the primal-dual method and prints one line for each.
//!
//! ```text
//! cargo run --release --example lp_qp -- FOLDER [TOLERANCE [SECONDS]]
//! ```
//!
//! A problem is a .npz with CSC arrays P_data, P_indices, P_indptr (symmetric) and A_..., vectors q, l, u and a number r:
//! minimise 1/2 x'Px + q'x + r subject to l <= A x <= u, and lb <= x <= ub where given. Rows with one entry become bounds.
//! Numbers beyond 1e20 are infinite. Where `optimum` is given, the objective's relative error is printed.

#![allow(clippy::print_stdout, reason = "an example that prints a table")]

use npyz::NpyFile;
use npyz::npz::file_name_from_array_name;
use std::error::Error;
use std::fs::File;
use std::path::Path;
use ufcm::component::{Linear, Quadratic};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Problem, ProblemBuilder};
use ufcm::regulariser::Bounds;
use ufcm::settings::{MethodRule, Settings};
use zip::ZipArchive;

/// Columns of a sparse matrix.
struct Columns {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Columns {
    fn read(archive: &mut ZipArchive<File>, name: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            starts: indices(archive, &format!("{name}_indptr"))?,
            rows: indices(archive, &format!("{name}_indices"))?,
            values: numbers(archive, &format!("{name}_data"))?,
        })
    }

    /// Calls `visit(row, column, value)` for every entry.
    fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for j in 0..self.starts.len() - 1 {
            for k in self.starts[j]..self.starts[j + 1] {
                visit(self.rows[k], j, self.values[k]);
            }
        }
    }
}

struct Instance {
    p: Columns,
    a: Columns,
    q: Vec<f64>,
    r: f64,
    rows: [Vec<f64>; 2],
    bounds: [Vec<f64>; 2],
    optimum: Option<f64>,
}

impl Instance {
    fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let mut archive = ZipArchive::new(File::open(path)?)?;
        let q = numbers(&mut archive, "q")?;
        let mut side = |name: &str, missing: f64| -> Result<Vec<f64>, Box<dyn Error>> {
            let values = if archive.by_name(&file_name_from_array_name(name)).is_ok() {
                numbers(&mut archive, name)?
            } else {
                vec![missing; q.len()]
            };
            Ok(values
                .into_iter()
                .map(|v| if v.abs() >= 1e20 { v.signum() * f64::INFINITY } else { v })
                .collect())
        };
        let rows = [side("l", 0.0)?, side("u", 0.0)?];
        let bounds = [side("lb", f64::NEG_INFINITY)?, side("ub", f64::INFINITY)?];
        let instance = Self {
            p: Columns::read(&mut archive, "P")?,
            a: Columns::read(&mut archive, "A")?,
            q,
            r: numbers(&mut archive, "r")?[0],
            rows,
            bounds,
            optimum: numbers(&mut archive, "optimum").ok().map(|v| v[0]).filter(|v| v.is_finite()),
        };
        Ok(instance.with_single_entries_as_bounds())
    }

    fn with_single_entries_as_bounds(mut self) -> Self {
        let m = self.rows[0].len();
        let (mut entries, mut single) = (vec![0; m], vec![(0, 0.0); m]);
        self.a.for_each(|i, j, value| {
            entries[i] += 1;
            single[i] = (j, value);
        });
        let kept: Vec<usize> = (0..m).filter(|&i| entries[i] != 1 || single[i].1 == 0.0).collect();
        for i in (0..m).filter(|i| kept.binary_search(i).is_err()) {
            let (j, value) = single[i];
            let ends = [self.rows[0][i] / value, self.rows[1][i] / value];
            self.bounds[0][j] = self.bounds[0][j].max(ends[0].min(ends[1]));
            self.bounds[1][j] = self.bounds[1][j].min(ends[0].max(ends[1]));
        }
        let n = self.q.len();
        let mut a = Columns { starts: vec![0; n + 1], rows: Vec::new(), values: Vec::new() };
        self.a.for_each(|i, j, value| {
            if let Ok(place) = kept.binary_search(&i) {
                a.rows.push(place);
                a.values.push(value);
                a.starts[j + 1] = a.rows.len();
            }
        });
        (0..n).for_each(|j| a.starts[j + 1] = a.starts[j + 1].max(a.starts[j]));
        self.rows = self.rows.map(|side| kept.iter().map(|&i| side[i]).collect());
        self.a = a;
        self
    }

    fn problem(&self) -> Result<Problem, Box<dyn Error>> {
        let n = self.q.len();
        let builder: ProblemBuilder = if self.p.values.is_empty() {
            Problem::minimise(Linear::new(self.q.clone(), self.r)?)
        } else {
            let p = Matrix::csc(n, n, &self.p.starts, &self.p.rows, self.p.values.clone())?;
            Problem::minimise(Quadratic::trusted(&p)?.with_linear(self.q.clone())?.with_constant(self.r)?)
        };
        let m = self.rows[0].len();
        let builder = if m == 0 {
            builder
        } else {
            let a = Matrix::csc(m, n, &self.a.starts, &self.a.rows, self.a.values.clone())?;
            let [lower, upper] = self.rows.clone();
            builder.subject_to(Affine::new(a, vec![0.0; m])?.between(lower, upper))
        };
        let [lower, upper] = self.bounds.clone();
        Ok(builder.within(Bounds::new(lower, upper)?).build()?)
    }

    /// (objective, the relative errors of primal and dual feasibility and of the gap), as PDLP defines them.
    fn errors(&self, x: &[f64], y: &[f64]) -> (f64, [f64; 3]) {
        let (mut ax, mut px) = (vec![0.0; y.len()], vec![0.0; x.len()]);
        self.a.for_each(|i, j, value| ax[i] += value * x[j]);
        self.p.for_each(|i, j, value| px[i] += value * x[j]);
        let mut slope: Vec<f64> = px.iter().zip(&self.q).map(|(px, q)| px + q).collect();
        self.a.for_each(|i, j, value| slope[j] += value * y[i]);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
        let finite = |v: f64| if v.is_finite() { v } else { 0.0 };
        let [lower, upper] = &self.rows;
        let outside = |i: usize| (lower[i] - ax[i]).max(ax[i] - upper[i]).max(0.0);
        let side = |i: usize| finite(lower[i]).abs().max(finite(upper[i]).abs());
        let primal = norm(&mut (0..y.len()).map(outside)) / (1.0 + norm(&mut (0..y.len()).map(side)));
        let [low, high] = &self.bounds;
        // A slope that pushes against a finite bound is that bound's multiplier; any other is left over.
        let bound = |i: usize| if slope[i] > 0.0 { low[i] } else { high[i] };
        let left = |i: usize| if bound(i).is_finite() { 0.0 } else { slope[i] };
        let dual = norm(&mut (0..x.len()).map(left)) / (1.0 + norm(&mut self.q.iter().copied()));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let curved = 0.5 * dot(&px, x);
        let objective = self.r + curved + dot(&self.q, x);
        let by_rows: f64 =
            (0..y.len()).map(|i| y[i] * finite(if y[i] > 0.0 { upper[i] } else { lower[i] })).sum();
        let by_bounds: f64 = (0..x.len()).map(|i| slope[i] * finite(bound(i))).sum();
        let dual_objective = self.r - curved - by_rows + by_bounds;
        let gap = (objective - dual_objective).abs() / (1.0 + objective.abs() + dual_objective.abs());
        (objective, [primal, dual, gap])
    }
}

fn numbers(archive: &mut ZipArchive<File>, name: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok(NpyFile::new(archive.by_name(&file_name_from_array_name(name))?)?.into_vec::<f64>()?)
}

fn indices(archive: &mut ZipArchive<File>, name: &str) -> Result<Vec<usize>, Box<dyn Error>> {
    let entries = NpyFile::new(archive.by_name(&file_name_from_array_name(name))?)?.into_vec::<i32>()?;
    Ok(entries.into_iter().map(usize::try_from).collect::<Result<_, _>>()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let tolerance: f64 = arguments.next().map_or(Ok(1e-4), |argument| argument.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(60.0), |argument| argument.parse())?;
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "npz"));
    paths.sort();
    println!(
        "{:12} {:>6} {:>6} {:14} {:>8} {:>7} {:>8} {:>8} {:>8} {:>14} {:>8}",
        "name", "n", "rows", "status", "steps", "s", "primal", "dual", "gap", "objective", "error"
    );
    for path in paths {
        let instance = Instance::read(&path)?;
        let problem = instance.problem()?;
        let settings = Settings {
            eps_rel: tolerance,
            eps_feas: tolerance,
            time_limit: Some(seconds),
            method: MethodRule::PrimalDual,
            ..Settings::default()
        };
        let report = problem.solve(&settings)?;
        let (objective, [primal, dual, gap]) = instance.errors(&report.x, &report.multipliers[1..]);
        let error = instance.optimum.map_or(f64::NAN, |p| (objective - p).abs() / p.abs().max(1.0));
        println!(
            "{:12} {:6} {:6} {:14} {:8} {:7.2} {:8.1e} {:8.1e} {:8.1e} {objective:14.6e} {error:8.1e}",
            path.file_stem().unwrap_or_default().to_string_lossy(),
            instance.q.len(),
            instance.rows[0].len(),
            report.status.to_string(),
            report.counts.steps,
            report.seconds,
            primal,
            dual,
            gap,
        );
    }
    Ok(())
}
