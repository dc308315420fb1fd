//! What ranks cost: `cargo run --release --example ranks [SHARE OF THE FULL SIZE]`.
//!
//! Three problems on 1, 2 and 4 ranks, which are threads of this process with one thread each, against one process with 1 and 2 threads: seconds for each
//! evaluation, sums over ranks, their bytes, the share of time in them (waiting for slower ranks included). The same with a delay of 1 and of 10 ms for each
//! message of a tree of ranks, 2 log2 R of them one after the other for each sum: the delay is made by sleeping, no network is involved.

use std::sync::Arc;
use std::time::{Duration, Instant};
use ufcm::component::Logistic;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{IntoConstraint, Problem, ProblemBuilder, Term};
use ufcm::ranks::{CommunicationError, Communicator, Link, Threads};
use ufcm::regulariser::Ball;
use ufcm::report::Report;
use ufcm::settings::Settings;

/// Threads whose messages take time.
struct Far {
    near: Threads,
    delay: Duration,
}

impl Communicator for Far {
    fn rank(&self) -> usize {
        self.near.rank()
    }

    fn size(&self) -> usize {
        self.near.size()
    }

    fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError> {
        let summed = self.near.sum(numbers);
        std::thread::sleep(self.delay * 2 * self.size().next_power_of_two().ilog2());
        summed
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn centred(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Data with labels.
struct Set {
    name: &'static str,
    data: Matrix,
    labels: Vec<f64>,
    /// Into how many groups the rows are sorted: two classes, or more.
    groups: usize,
}

impl Set {
    fn dense(name: &'static str, rows: usize, columns: usize, groups: usize) -> Self {
        let mut random = Random(1);
        let direction: Vec<f64> = (0..columns).map(|_| random.centred()).collect();
        let values: Vec<f64> = (0..rows * columns).map(|_| random.centred()).collect();
        let t = |row: &[f64]| row.iter().zip(&direction).map(|(a, d)| a * d).sum::<f64>();
        let mut noise = Random(2);
        let labels = values.chunks(columns).map(|row| sign(t(row) + noise.centred())).collect();
        Self { name, data: Matrix::row_major(rows, columns, values).unwrap(), labels, groups }
    }

    fn sparse(name: &'static str, rows: usize, columns: usize, each: usize) -> Self {
        let mut random = Random(3);
        let indices: Vec<usize> = (0..rows * each).map(|_| (random.bits() as usize) % columns).collect();
        let values: Vec<f64> = (0..rows * each).map(|_| random.centred()).collect();
        let starts: Vec<usize> = (0..=rows).map(|i| i * each).collect();
        let labels =
            values.chunks(each).map(|row| sign(row.iter().sum::<f64>() + random.centred())).collect();
        Self { name, data: Matrix::csr(rows, columns, &starts, &indices, values).unwrap(), labels, groups: 2 }
    }

    /// The loss of one group, on this rank's rows of it.
    fn loss(&self, group: usize, link: Option<&Link>) -> Logistic {
        let of_group = |i: &usize| match self.groups {
            2 => (self.labels[*i] > 0.0) == (group == 1),
            _ => i % self.groups == group,
        };
        let rows: Vec<usize> = (0..self.labels.len()).filter(of_group).collect();
        let (rank, size) = link.map_or((0, 1), |link| (link.rank(), link.size()));
        let own = &rows[rows.len() * rank / size..rows.len() * (rank + 1) / size];
        let labels: Vec<f64> = own.iter().map(|&i| self.labels[i]).collect();
        Logistic::new(self.data.selected(own).unwrap(), &labels).unwrap()
    }

    fn problem(&self, link: Option<&Arc<Link>>) -> Problem {
        let loss = |group| self.loss(group, link.map(|link| &**link));
        let builder: ProblemBuilder = match self.groups {
            2 => Problem::minimise(loss(0)).subject_to(loss(1).at_most(0.4)),
            groups => {
                let all = (0..groups).map(|group| Arc::new(loss(group)) as Arc<dyn Component>).collect();
                Problem::over(self.data.columns()).plus(Term::max(all))
            }
        };
        let builder = builder.within(Ball::new(2.0 * (self.data.columns() as f64).sqrt()));
        let builder = link.into_iter().fold(builder, ProblemBuilder::over_ranks);
        builder.build().unwrap()
    }
}

fn sign(t: f64) -> f64 {
    if t > 0.0 { 1.0 } else { -1.0 }
}

fn solved(problem: &Problem, threads: usize) -> (Report, f64) {
    let start = Instant::now();
    let report = problem.solve(&Settings { threads: Some(threads), ..Settings::default() }).unwrap();
    (report, start.elapsed().as_secs_f64())
}

fn line(who: &str, report: &Report, seconds: f64, exchanged: &str) {
    let each = 1e3 * seconds / report.counts.data_passes;
    let status = format!("{:?}", report.status);
    println!(
        "| {who} | {status} | {seconds:.2} | {:.1} | {each:.1} | {exchanged} |",
        report.counts.data_passes
    );
}

fn measure(set: &Set) {
    println!("\n### {}\n", set.name);
    println!(
        "| who | status | seconds | reads of the data | ms for each | sums | bytes | share of time in them |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for threads in [1, 2] {
        let (report, seconds) = solved(&set.problem(None), threads);
        line(&format!("{threads} threads"), &report, seconds, "- | - | -");
    }
    for (size, delay) in [(1, 0), (2, 0), (4, 0), (4, 1), (4, 10)] {
        let delay = Duration::from_millis(delay);
        let told: Vec<_> = std::thread::scope(|scope| {
            let rank = |near: Threads| {
                let link = Link::new(Far { near, delay });
                let problem = set.problem(Some(&link));
                let before = link.traffic();
                let (report, seconds) = solved(&problem, 1);
                let after = link.traffic();
                let bytes = after.bytes - before.bytes;
                (report, seconds, after.reductions - before.reductions, bytes, after.seconds - before.seconds)
            };
            let running: Vec<_> =
                Threads::group(size).into_iter().map(|near| scope.spawn(move || rank(near))).collect();
            running.into_iter().map(|rank| rank.join().unwrap()).collect()
        });
        let (report, seconds, sums, bytes, waiting) = &told[0];
        let exchanged = format!("{sums} | {bytes} | {:.0} %", 100.0 * waiting / seconds);
        line(&format!("{size} ranks, {} ms", delay.as_millis()), report, *seconds, &exchanged);
        assert!(told.iter().all(|other| other.0.x == report.x), "the same bits on all ranks");
    }
}

fn main() {
    let share: f64 =
        std::env::args().nth(1).map_or(1.0, |text| text.parse().expect("a share of the full size"));
    let of = |rows: f64| (share * rows) as usize;
    measure(&Set::dense("Neyman and Pearson, 200 000 x 200", of(2e5), 200, 2));
    measure(&Set::sparse(
        "Neyman and Pearson, sparse, 200 000 x 2 000, 30 entries a row",
        of(2e5),
        2_000,
        30,
    ));
    measure(&Set::dense("largest loss of 8 groups, 200 000 x 50", of(2e5), 50, 8));
}
