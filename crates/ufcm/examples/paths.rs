//! Paths of 20 bounds: gradients a point from nothing, from the point before, with its multipliers, and from a warm start.
//!
//! ```sh
//! cargo run --release -p ufcm --example paths -- [FOLDER]     # with a9a.svm and adult.csv, if you have them
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;
use ufcm::component::{Logistic, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::{Counts, Report, Status};
use ufcm::settings::Settings;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bounds of a path.
const POINTS: usize = 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Entries of mean 0 and variance 1.
    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| (self.uniform() - 0.5) * 12f64.sqrt()).collect()
    }
}

/// Samples of two classes: their features, one row after the other, with a constant.
struct Classes {
    n: usize,
    rows: [Vec<Vec<(u32, f64)>>; 2],
}

impl Classes {
    /// Features that are mixed, so that they are correlated.
    fn mixed(rows: usize, n: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let (k, mut classes) = (n - 1, [Vec::new(), Vec::new()]);
        let mixing = random.vector(k * k);
        for row in 0..rows {
            let class = usize::from(row.is_multiple_of(3));
            let lean = if class == 1 { 0.8 } else { -0.4 };
            let mut raw = random.vector(k);
            raw.iter_mut().take(5).for_each(|v| *v += lean);
            raw.iter_mut().enumerate().for_each(|(j, v)| *v *= 10f64.powf(-1.5 * j as f64 / k as f64));
            let mixed =
                |i: usize| (0..k).map(|j| raw[j] * mixing[j * k + i]).sum::<f64>() / (k as f64).sqrt();
            let mut features: Vec<(u32, f64)> = (0..k).map(|i| (i as u32, mixed(i))).collect();
            features.push((k as u32, 1.0));
            classes[class].push(features);
        }
        Self { n, rows: classes }
    }

    fn libsvm(file: &Path) -> Outcome<Self> {
        let (mut n, mut classes) = (0, [Vec::new(), Vec::new()]);
        for line in fs::read_to_string(file)?.lines() {
            let mut words = line.split_whitespace();
            let class = usize::from(words.next() == Some("+1") || line.starts_with('1'));
            let mut row = vec![(0, 1.0)];
            for word in words {
                let (index, value) = word.split_once(':').ok_or("no index:value")?;
                row.push((index.parse()?, value.parse()?));
            }
            n = n.max(row.last().map_or(0, |(index, _)| *index as usize + 1));
            classes[class].push(row);
        }
        Ok(Self { n, rows: classes })
    }

    /// Numbers standardised, words one column each.
    fn adult(file: &Path) -> Outcome<Self> {
        let text = fs::read_to_string(file)?;
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split(',').map(str::trim).collect())
            .filter(|row: &Vec<_>| row.len() == 15)
            .collect();
        let mut columns: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        let numbers = [0, 4, 10, 11, 12];
        let moments = numbers.map(|j| {
            let values: Vec<f64> = rows.iter().filter_map(|row| row[j].parse().ok()).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
            (mean, square.sqrt())
        });
        let mut classes = [Vec::new(), Vec::new()];
        for row in &rows {
            let mut features = vec![(0, 1.0)];
            for (k, &j) in numbers.iter().enumerate() {
                let value: f64 = row[j].parse()?;
                features.push((1 + k as u32, (value - moments[k].0) / moments[k].1));
            }
            for j in [1, 3, 5, 6, 7, 8, 9, 13] {
                let next = (6 + columns.len()) as u32;
                features.push((*columns.entry((j, row[j])).or_insert(next), 1.0));
            }
            features.sort_unstable_by_key(|(index, _)| *index);
            classes[usize::from(row[14].contains('>'))].push(features);
        }
        Ok(Self { n: 6 + columns.len(), rows: classes })
    }

    fn loss(&self, class: usize) -> Outcome<Logistic> {
        let rows = &self.rows[class];
        let label = if class == 1 { 1.0 } else { -1.0 };
        let stored: usize = rows.iter().map(Vec::len).sum();
        let matrix = if stored * 2 > rows.len() * self.n {
            let mut values = vec![0.0; rows.len() * self.n];
            for (i, row) in rows.iter().enumerate() {
                row.iter().for_each(|(j, v)| values[i * self.n + *j as usize] = *v);
            }
            Matrix::row_major(rows.len(), self.n, values)?
        } else {
            let mut starts = vec![0];
            starts.extend(rows.iter().scan(0, |end, row| {
                *end += row.len();
                Some(*end)
            }));
            let columns: Vec<usize> = rows.iter().flatten().map(|(j, _)| *j as usize).collect();
            let values = rows.iter().flatten().map(|(_, v)| *v).collect();
            Matrix::csr(rows.len(), self.n, &starts, &columns, values)?
        };
        Ok(Logistic::new(matrix, &vec![label; rows.len()])?)
    }

    /// The loss on one class, with a bound on that on the other.
    fn problem(&self, bound: f64) -> Outcome<Problem> {
        Ok(Problem::minimise(self.loss(1)?)
            .subject_to(self.loss(0)?.at_most(bound).named("false alarms"))
            .within(Ball::new(10.0))
            .build()?)
    }
}

/// A quadratic under quadratic constraints, all bounded by the same.
fn qcqp(n: usize, m: usize, bound: f64) -> Outcome<Problem> {
    let mut random = Random(7);
    let mut quadratic = |linear: f64| -> Outcome<Quadratic> {
        let root = random.vector(n * n);
        let entry =
            |i: usize, j: usize| (0..n).map(|k| root[k * n + i] * root[k * n + j]).sum::<f64>() / n as f64;
        let mut q = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                q[i * n + j] = entry(i, j) + if i == j { 0.05 } else { 0.0 };
                q[j * n + i] = q[i * n + j];
            }
        }
        let c: Vec<f64> = random.vector(n).iter().map(|c| linear * c).collect();
        Ok(Quadratic::new(&Matrix::row_major(n, n, q)?)?.with_linear(c)?)
    };
    let mut builder = Problem::minimise(quadratic(3.0)?);
    for _ in 0..m {
        builder = builder.subject_to(quadratic(0.5)?.at_most(bound));
    }
    Ok(builder.within(Ball::new(20.0)).build()?)
}

/// What the next point begins with.
#[derive(Debug, Clone, Copy)]
enum Begin {
    Cold,
    Point,
    Multipliers,
    Warm,
}

fn settings(begin: Begin, last: Option<&Report>) -> Settings {
    let Some(last) = last else { return Settings::default() };
    let x0 = Some(last.x.clone());
    match begin {
        Begin::Cold => Settings::default(),
        Begin::Point => Settings { x0, ..Settings::default() },
        Begin::Multipliers => {
            Settings { x0, multipliers0: Some(last.multipliers.clone()), ..Settings::default() }
        }
        Begin::Warm => Settings { warm: Some(last.warm_start()), ..Settings::default() },
    }
}

fn follow(name: &str, [first, last]: [f64; 2], problem: impl Fn(f64) -> Outcome<Problem>) -> Outcome<()> {
    for begin in [Begin::Cold, Begin::Point, Begin::Multipliers, Begin::Warm] {
        let (mut before, mut counts): (Option<Report>, Vec<Counts>) = (None, Vec::new());
        let mut others = 0;
        let (mut seconds, mut told) = (0.0, String::new());
        for k in 0..POINTS {
            let bound = first * (last / first).powf(k as f64 / (POINTS - 1) as f64);
            let problem = problem(bound)?;
            let settings = settings(begin, before.as_ref());
            let start = Instant::now();
            let report = problem.solve(&settings)?;
            seconds += start.elapsed().as_secs_f64();
            others += usize::from(report.status != Status::Certified);
            told += &format!(" {}+{}", report.counts.gradients, report.counts.hessians);
            counts.push(report.counts);
            before = Some(report);
        }
        let total = |of: fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>();
        let mut gradients: Vec<usize> = counts.iter().skip(1).map(|c| c.gradients).collect();
        gradients.sort_unstable();
        println!(
            "{name:28} {begin:12?} median {:3}, in all {:5} gradients, {:5} values, {:3} Hessians, {seconds:6.2} s, {others} not certified",
            gradients[gradients.len() / 2],
            total(|c| c.gradients),
            total(|c| c.values),
            total(|c| c.hessians),
        );
        println!("    {told}");
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let classes = Classes::mixed(3000, 50, 3);
    follow("Neyman-Pearson 3 000 x 50", [0.5, 0.25], |bound| classes.problem(bound))?;
    follow("QCQP n = 60, 6 constraints", [2.0, 1.0], |bound| qcqp(60, 6, bound))?;
    follow("QCQP n = 200, 10 constraints", [2.0, 1.0], |bound| qcqp(200, 10, bound))?;
    if let Some(folder) = std::env::args().nth(1) {
        let folder = Path::new(&folder);
        let a9a = Classes::libsvm(&folder.join("a9a.svm"))?;
        follow("Neyman-Pearson a9a", [0.4, 0.2], |bound| a9a.problem(bound))?;
        let adult = Classes::adult(&folder.join("adult.csv"))?;
        follow("Neyman-Pearson Adult", [0.4, 0.2], |bound| adult.problem(bound))?;
    }
    Ok(())
}
