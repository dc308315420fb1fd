//! `ufcm plan`: the paper's constants, and what they promise.

use crate::arguments::PlanOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::load::load;
use crate::number::scientific;
use ufcm::budget::Budget;
use ufcm::report::Counts;
use ufcm::settings::Settings;
use ufcm::theory::promise::{Case, Distances};
use ufcm::theory::{Plan, Promise, Unproven};
use ufcm_io::Source;

/// Prints constants and promises, next to what a run used.
pub(crate) fn plan(options: &PlanOptions, console: &mut Console) -> Outcome {
    if !(options.eps.is_finite() && options.eps > 0.0) {
        return Err(Failure::new(format!("option --eps is {}; it must be positive", options.eps)));
    }
    let used = options.summary.as_deref().map(|path| {
        let source = Source::open(path)?;
        serde_json::from_str::<Counts>(source.text()?).map_err(|error| Failure::in_file(path, error))
    });
    let used = used.transpose()?;
    let loaded = load(&options.problem, &Budget::unlimited())?;
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
    tell(&plan, console);
    let (counted, whose) = match used {
        Some(used) => (used, "used by the run of the summary"),
        None => (report.counts, "used by the default solver"),
    };
    say!(console, "{whose:<44}{:>14}{:>18}", counted.gradients, counted.newton_steps);
    Ok(Exit::Success)
}

/// Shows the constants and the promises.
fn tell(plan: &Plan, console: &mut Console) {
    let Distances { d_x, d_lambda, m } = plan.at;
    let [l_ada, mu_ada, d_x, d_lambda, m, r] =
        [plan.l_ada, plan.mu_ada, d_x, d_lambda, m, plan.r].map(|constant| scientific(constant, 3));
    let l_h = if plan.l_h.is_finite() { scientific(plan.l_h, 3) } else { "infinite".into() };
    say!(console, "constants  L_ADA = {l_ada}, mu_ADA = {mu_ada}, L_h = {l_h}");
    say!(console, "           D_x = {d_x}, D_lambda = {d_lambda}, M = {m}, r = {r}");
    let (gap, first) = (scientific(plan.gap, 3), scientific(plan.m_restarted, 3));
    say!(console, "           Q at the start = {gap}, M of R-UFCM = {first}");
    say!(console);
    say!(console, "{:<44}{:>14}{:>18}", "", "gradients", "inner steps");
    let mut row = |name: String, promise: Result<Promise, Unproven>| match promise {
        Ok(promise) => {
            let (gradients, proximal) = (promise.gradients.ceil().max(1.0), promise.proximal.ceil());
            say!(console, "{name:<44}{gradients:>14.0}{proximal:>18.0}");
        }
        Err(unproven) => say!(console, "not {name}: {unproven}"),
    };
    row("promised by UFCM (Algorithm 1)".into(), plan.ufcm);
    let case = match plan.case {
        Case::Neither => "1a",
        Case::Dual => "1b",
        Case::Primal => "2a",
        Case::Both => "2b",
    };
    row(format!("promised by R-UFCM (case {case}, {} executions)", plan.executions), plan.restarted);
}
