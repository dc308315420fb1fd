//! `ufcm plan`: the paper's constants, and what they promise.

use crate::arguments::PlanOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::load::load;
use crate::number::scientific;
use crate::summary::Counted;
use ufcm::oracle::{Smoothness, Weight};
use ufcm::problem::Problem;
use ufcm::report::Report;
use ufcm::settings::Settings;
use ufcm::theory::promise::{Balance, Case, Distances};
use ufcm::theory::{Aggregate, Promise, RowConstants, promise};
use ufcm_io::Source;

/// Prints constants and promises, next to what a run used.
pub(crate) fn plan(options: &PlanOptions, console: &mut Console) -> Outcome {
    if !(options.eps.is_finite() && options.eps > 0.0) {
        return Err(Failure(format!("option --eps is {}; it must be positive", options.eps)));
    }
    let used = options.summary.as_deref().map(|path| {
        let source = Source::open(path)?;
        serde_json::from_str::<Counted>(source.text()?).map_err(|error| Failure::in_file(path, error))
    });
    let used = used.transpose()?;
    let loaded = load(&options.problem)?;
    let problem = &loaded.problem;
    // The distances are to be right in their leading digits; the solution may be so much less exact than a certificate.
    let settings = Settings { eps_rel: (options.eps / 10.0).min(1e-6), ..Settings::default() };
    let report = problem.solve(&settings)?;
    if !report.status.is_success() {
        let message = format!("the constants speak of a solution, and none was found: {}", report.status);
        return Err(Failure::in_file(&options.problem.problem, message));
    }
    let plan = Plan::new(problem, &report, options.eps)?;
    say!(
        console,
        "problem    {} ({}), eps = {:e}",
        loaded.description.name,
        loaded.description.file,
        options.eps
    );
    plan.tell(console);
    let (counted, whose) = match &used {
        Some(used) => (used.clone(), "used by the run of the summary"),
        None => (
            Counted {
                gradient_evaluations: report.counts.gradients,
                inner_steps: report.counts.newton_steps,
            },
            "used by the default solver",
        ),
    };
    say!(console, "{whose:<44}{:>14}{:>18}", counted.gradient_evaluations, counted.inner_steps);
    Ok(Exit::Success)
}

/// What the theory says of a problem whose solution is known.
struct Plan {
    l_ada: f64,
    mu_ada: f64,
    l_h: f64,
    r: f64,
    at: Distances,
    case: Case,
    executions: usize,
    ufcm: Promise,
    /// `None` where all rows are affine: its bounds divide by L_ADA.
    restarted: Option<Promise>,
}

impl Plan {
    fn new(problem: &Problem, report: &Report, eps: f64) -> Result<Self, Failure> {
        let start = Start::new(problem)?;
        let d_x = distance(&start.x, &report.x).max(f64::MIN_POSITIVE);
        let d_lambda = distance(&start.multipliers, &report.multipliers);
        // cor:smooth-composite-rates-primal-dist; where the multipliers are known, r is not asked for.
        let r = if d_lambda > 0.0 { d_lambda * eps.sqrt() } else { eps.sqrt() };
        let rows = rows(problem, &report.multipliers)?;
        let theory = Aggregate::new(rows.clone(), eps, r)?;
        let (l_ada, mu_ada, l_h) =
            (theory.l_ada_convex(d_x), theory.mu_ada(), problem.composer().smoothness());
        let balance = Balance::with_distances(l_ada, d_x, d_lambda.max(f64::MIN_POSITIVE));
        let smooth = rows.iter().all(|row| row.smoothness.exponent == 1.0);
        let radius = promise::iterate_radius(l_ada, balance, d_x, d_lambda, smooth);
        let at = Distances { d_x, d_lambda, m: jacobian_bound(problem, &report.x, &rows, radius)? };
        let executions = promise::executions(start.gap(problem, report), eps);
        Ok(Self {
            l_ada,
            mu_ada,
            l_h,
            r,
            at,
            case: Case::of(mu_ada, l_h, eps, at),
            executions,
            ufcm: promise::heterogeneous_balanced(theory.l_ada(d_x), eps, at),
            restarted: (l_ada > 0.0).then(|| promise::restarted(l_ada, mu_ada, l_h, eps, executions, at)),
        })
    }

    fn tell(&self, console: &mut Console) {
        let Distances { d_x, d_lambda, m } = self.at;
        let [l_ada, mu_ada, d_x, d_lambda, m, r] =
            [self.l_ada, self.mu_ada, d_x, d_lambda, m, self.r].map(|constant| scientific(constant, 3));
        let l_h = if self.l_h.is_finite() { scientific(self.l_h, 3) } else { "infinite".into() };
        say!(console, "constants  L_ADA = {l_ada}, mu_ADA = {mu_ada}, L_h = {l_h}");
        say!(console, "           D_x = {d_x}, D_lambda = {d_lambda}, M = {m}, r = {r}");
        say!(console);
        say!(console, "{:<44}{:>14}{:>18}", "", "gradients", "inner steps");
        let mut row = |name: String, promise: Promise| {
            let (gradients, proximal) = (promise.gradients.ceil().max(1.0), promise.proximal.ceil());
            say!(console, "{name:<44}{gradients:>14.0}{proximal:>18.0}");
        };
        row("promised by UFCM (Algorithm 1)".into(), self.ufcm);
        if let Some(restarted) = self.restarted {
            let case = match self.case {
                Case::Neither => "1a",
                Case::Dual => "1b",
                Case::Primal => "2a",
                Case::Both => "2b",
            };
            row(format!("promised by R-UFCM (case {case}, {} executions)", self.executions), restarted);
        }
    }
}

/// Where a run starts: the point of X nearest to 0, with the multipliers nearest to 0.
struct Start {
    x: Vec<f64>,
    values: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Start {
    fn new(problem: &Problem) -> Result<Self, Failure> {
        let mut x = vec![0.0; problem.dimension()];
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
        }
        let mut values = vec![0.0; problem.rows()];
        problem.mapping().values(&x, &mut values)?;
        let mut multipliers = vec![0.0; problem.rows()];
        problem.composer().prox_conjugate(Weight::scalar(1.0), &mut multipliers)?;
        Ok(Self { x, values, multipliers })
    }

    /// sum of lambda*_j g_j(x0) - h*(lambda*) + u(x0) minus the optimal value: the primal part of the gap function.
    fn gap(&self, problem: &Problem, report: &Report) -> f64 {
        let dualised: f64 = self.values.iter().zip(&report.multipliers).map(|(g, l)| g * l).sum();
        let conjugate = problem.composer().conjugate(&report.multipliers);
        let gap = dualised - conjugate + problem.regulariser().value(&self.x) - report.objective;
        if gap.is_finite() { gap.max(0.0) } else { 0.0 }
    }
}

/// What the theory needs of each row; a row that does not know its smoothness is named.
fn rows(problem: &Problem, multipliers: &[f64]) -> Result<Vec<RowConstants>, Failure> {
    let constants = |row: usize| {
        let component = problem.component(row);
        let affine = Smoothness { constant: 0.0, exponent: 1.0 };
        let smoothness =
            if problem.is_affine(row) { Some(affine) } else { component.and_then(|g| g.smoothness()) };
        let smoothness = smoothness.ok_or_else(|| {
            let (name, kind) = (&problem.row_names()[row], component.map_or("component", |g| g.kind()));
            Failure(format!(
                "{name} ({kind}) has no Hölder smoothness that holds everywhere: the theory promises nothing"
            ))
        })?;
        Ok(RowConstants {
            multiplier: multipliers[row].abs(),
            pinned: problem.composer().is_pinned(row),
            smoothness,
            convexity: component.and_then(|g| g.convexity()),
        })
    };
    (0..problem.rows()).map(constants).collect()
}

/// M >= |J(x)| for |x - x*| <= R: the norms of the rows at x*, each plus L_j R^p_j, as one Frobenius norm.
fn jacobian_bound(problem: &Problem, x: &[f64], rows: &[RowConstants], radius: f64) -> Result<f64, Failure> {
    let mut mapping = problem.mapping();
    mapping.linearise(x, &mut vec![0.0; problem.rows()])?;
    let mut gradient = vec![0.0; problem.dimension()];
    let square = |(row, constants): (usize, &RowConstants)| {
        mapping.jacobian_row(row, &mut gradient);
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let Smoothness { constant, exponent } = constants.smoothness;
        // An affine row has the same gradient everywhere, however far that is.
        let change = if constant > 0.0 { constant * radius.powf(exponent) } else { 0.0 };
        (norm + change).powi(2)
    };
    Ok(rows.iter().enumerate().map(square).sum::<f64>().sqrt())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
