//! The method that is chosen beside every method by name: it is to end as well as the best of them, and not to take many times as
//! long, counted in operations. Methods that both end with an answer are to have the same one: each is a judge of the others that
//! shares nothing with them, and with Clarabel in particular, but the problem.

use crate::family::{Case, Key, Trial};
use crate::{is_long, solver_form};
use std::panic::{AssertUnwindSafe, catch_unwind};
use ufcm::report::Status;
use ufcm::settings::{MethodRule, Settings};

const METHODS: [MethodRule; 4] =
    [MethodRule::InteriorPoint, MethodRule::PrimalDual, MethodRule::Adaptive, MethodRule::Sliding];
/// Seconds for each.
const LIMIT: f64 = 10.0;
/// Operations, some milliseconds, that count as none.
const NOTHING: f64 = 2e7;

/// How a run ended, and what it took.
struct End {
    status: Option<Status>,
    /// Whether no point meets the constraints, and some do within the tolerance: an answer is then as good as a proof that there is none.
    nearly: bool,
    operations: f64,
    objective: f64,
}

impl End {
    /// Proven is better than solved, and that better than nothing.
    fn rank(&self) -> usize {
        match self.status {
            Some(Status::Certified | Status::Infeasible | Status::Unbounded) => 2,
            Some(Status::Solved) if self.nearly => 2,
            Some(Status::Solved) => 1,
            _ => 0,
        }
    }
}

fn end(case: &Case, method: MethodRule) -> End {
    let settings = Settings { time_limit: Some(LIMIT), threads: Some(1), method, ..Settings::default() };
    let nearly = case.margin.is_some_and(|margin| margin <= settings.eps_feas);
    let solved = catch_unwind(AssertUnwindSafe(|| solver_form::problem_of(&case.instance).solve(&settings)));
    // A method that does not take the problem is no method for it.
    match solved {
        Ok(Ok(report)) => End {
            status: Some(report.status),
            nearly,
            operations: report.counts.operations as f64,
            objective: report.objective,
        },
        _ => End { status: None, nearly, operations: f64::INFINITY, objective: f64::NAN },
    }
}

/// A problem, and what the chosen method does beside the best by name.
struct Pair {
    key: Key,
    auto: End,
    best: End,
    by: MethodRule,
    /// What two methods say that contradicts each other.
    contradiction: Option<String>,
}

/// Answers that differ by more than both may be off.
fn contradiction(ends: &[(MethodRule, &End)], scale: f64) -> Option<String> {
    let answers = ends.iter().filter(|(_, end)| end.status.is_some_and(Status::is_success));
    let least = answers.clone().min_by(|(_, a), (_, b)| a.objective.total_cmp(&b.objective))?;
    let most = answers.max_by(|(_, a), (_, b)| a.objective.total_cmp(&b.objective))?;
    let (low, high) = (least.1.objective, most.1.objective);
    let told = || format!("{low:e} by {}, {high:e} by {}", least.0.name(), most.0.name());
    // Written so that a NaN counts.
    let agree = high - low <= 2e-5 * low.abs().max(high.abs()).max(scale);
    (!agree).then(told)
}

impl Pair {
    fn of(key: Key) -> Option<Self> {
        let Trial::Single(case) = key.trial() else { return None };
        let auto = end(&case, MethodRule::Auto);
        let ends = METHODS.map(|method| (method, end(&case, method)));
        let mut all: Vec<(MethodRule, &End)> = ends.iter().map(|(method, end)| (*method, end)).collect();
        all.push((MethodRule::Auto, &auto));
        let contradiction = contradiction(&all, case.scale);
        let better = |a: &End, b: &End| a.rank().cmp(&b.rank()).then(b.operations.total_cmp(&a.operations));
        let (by, best) = ends.into_iter().max_by(|(_, a), (_, b)| better(a, b))?;
        Some(Self { key, auto, best, by, contradiction })
    }

    fn ends_worse(&self) -> bool {
        self.auto.rank() < self.best.rank()
    }

    /// How many times the operations of the best, where that ends as well: as they are, and where a few milliseconds count as none.
    fn ratios(&self) -> Option<[f64; 2]> {
        let as_well = self.best.rank() == self.auto.rank() && self.auto.rank() > 0;
        let ratio = |least: f64| self.auto.operations.max(least) / self.best.operations.max(least);
        as_well.then(|| [ratio(1.0), ratio(NOTHING)])
    }

    fn told(&self) -> String {
        let Self { key, auto, best, by, .. } = self;
        let ends = [auto, best].map(|end| format!("{:?} {:.1e}", end.status, end.operations));
        format!("{key}: {} by itself, {} by {}", ends[0], ends[1], by.name())
    }
}

pub fn keys() -> Vec<Key> {
    if let Some(asked) = crate::asked() {
        return asked;
    }
    let count = std::env::var("UFCM_FORCED").ok().map(|count| count.parse().unwrap());
    let keys = Key::first(count.unwrap_or(if is_long() { 1000 } else { 60 }));
    keys.into_iter().filter(|key| key.family != "large").collect()
}

/// Prints what came out; how many end worse, how many take more than `most` times the operations of the best, and of how many problems
/// two methods have two answers.
pub fn compare(keys: &[Key], most: f64) -> [usize; 3] {
    let pairs: Vec<Pair> = keys.iter().filter_map(|key| Pair::of(*key)).collect();
    let worse: Vec<&Pair> = pairs.iter().filter(|pair| pair.ends_worse()).collect();
    worse.iter().for_each(|pair| println!("ends worse: {}", pair.told()));
    let mut slow = 0;
    for pair in pairs.iter().filter(|pair| pair.ratios().is_some_and(|[_, ratio]| ratio > most)) {
        println!("slow: {}", pair.told());
        slow += 1;
    }
    let mut ratios: Vec<f64> = pairs.iter().filter_map(|pair| Some(pair.ratios()?[0])).collect();
    ratios.sort_by(f64::total_cmp);
    let at =
        |share: f64| ratios.get(((ratios.len() - 1) as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "of {} problems {} end worse than by the best method by name; {slow} take more than {most} times its operations, of which \
         {NOTHING:e} count as none; as they are: median {:.2}, nine in ten {:.1}, 99 in 100 {:.0}, most {:.0} times",
        pairs.len(),
        worse.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0),
    );
    let mut contradictions = 0;
    for Pair { key, contradiction, .. } in &pairs {
        if let Some(told) = contradiction {
            println!("two answers: {key}: {told}");
            contradictions += 1;
        }
    }
    [worse.len(), slow, contradictions]
}
