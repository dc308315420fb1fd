//! The random QCQPs of rAPDB (Aybat and Wang, arXiv:2605.29291), drawn as its public code draws them: gradients of our methods and of
//! rivals to 1e-2, 1e-4 and 1e-6.

use super::qcqp_instance::{CONSTRAINTS, Family};
use super::sheet::{Count, Point, Series, Sheet};
use super::{Effort, Outcome};
use ufcm::budget::Budget;
use ufcm::method::baseline::{
    AcgdS, AcgdSParameters, Followed, IdealGradient, PrimalDualBacktracking, PrimalDualParameters,
    SwitchingSubgradient,
};
use ufcm::method::{Method, Published, RestartPlan, Restarted, Ufcm, UfcmParameters};
use ufcm::report::Control;
use ufcm::settings::{MetricRule, Settings};
use ufcm::theory::promise::{self, Balance, Distances};
use ufcm::theory::{Aggregate, RowConstants};

pub fn run(effort: Effort) -> Outcome<Vec<Sheet>> {
    // The default of that code, and the size that its script runs, where methods are given up early.
    let sizes: &[(usize, usize)] = effort.choose(&[(30, 1000)], &[(90, 5000), (1000, 1000)]);
    sizes
        .iter()
        .map(|&(n, limit)| compared(n, limit, effort.choose(&[1e-2, 1e-4], &[1e-2, 1e-4, 1e-6])))
        .collect()
}

/// All methods on one instance, each given up after `limit` gradients.
fn compared(n: usize, limit: usize, tolerances: &[f64]) -> Outcome<Sheet> {
    let family = Family::new(n, 123)?;
    let mut series = Vec::new();
    for (label, metric) in [("default", MetricRule::Auto), ("default, gradients alone", MetricRule::Scalar)] {
        let points = tolerances.iter().map(|&tolerance| family.by_default(metric, tolerance, limit));
        series.push(Series::new(label, points.collect::<Outcome<_>>()?));
    }
    for rival in RIVALS {
        let (mut points, mut given_up) = (Vec::new(), false);
        for &tolerance in tolerances {
            let (variants, promised) = (rival.make)(&family, tolerance)?;
            let mut observed = Count::MoreThan(limit as f64);
            // What was not reached will not be reached more exactly. Of several variants the best counts.
            for method in variants.into_iter().filter(|_| !given_up) {
                let count = family.follow(method, tolerance, limit)?;
                observed = if count.is_less_than(observed) { count } else { observed };
            }
            given_up = matches!(observed, Count::MoreThan(_));
            points.push(Point { x: tolerance, observed, promised });
        }
        series.push(Series::new(rival.name, points));
    }
    let mut sheet =
        Sheet::over_accuracies(&format!("{n} variables, {CONSTRAINTS} constraints"), "gradients", series);
    sheet.x.0 = "tolerance";
    sheet.fitted_from = None;
    Ok(sheet)
}

/// Methods of which the best counts, and what is promised.
type Made<'a> = (Vec<Box<dyn Method + 'a>>, Result<f64, String>);

struct Rival {
    name: &'static str,
    make: for<'a> fn(&'a Family, f64) -> Outcome<Made<'a>>,
}

const RIVALS: [Rival; 7] = [
    Rival { name: "ufcm", make: Family::ufcm },
    Rival { name: "restarted", make: Family::restarted },
    Rival { name: "acgd-s", make: Family::acgd_s },
    Rival { name: "apdb", make: Family::apdb },
    Rival { name: "apdb, best of 4", make: Family::apdb_tuned },
    Rival { name: "ideal", make: Family::ideal },
    Rival { name: "switching", make: Family::switching },
];

impl Family {
    /// A relative tolerance as an absolute one.
    fn goal(&self, tolerance: f64) -> f64 {
        tolerance * self.optimum.abs().max(1.0)
    }

    /// The default solver, which is told nothing but the tolerance. p* only says when to stop counting.
    fn by_default(&self, metric: MetricRule, tolerance: f64, limit: usize) -> Outcome<Point> {
        let mut arrived = None;
        let settings =
            Settings { metric, max_gradients: Some(limit), ..Self::asking(0.1 * tolerance, &self.x0) };
        let goal = self.goal(tolerance);
        self.problem.solve_observed(&settings, &mut |progress| {
            let record = &progress.record;
            if (record.objective - self.optimum).abs().max(record.violation) > goal {
                return Control::Continue;
            }
            arrived = Some(record.counts.gradients);
            Control::Stop
        })?;
        let observed = arrived.map_or(Count::MoreThan(limit as f64), |count| Count::Reached(count as f64));
        Ok(Point { x: tolerance, observed, promised: Err("it knows no constants".to_owned()) })
    }

    /// Steps until objective error and violation are within the tolerance.
    fn follow(&self, mut method: Box<dyn Method + '_>, tolerance: f64, limit: usize) -> Outcome<Count> {
        let (goal, budget) = (self.goal(tolerance), Budget::unlimited());
        let mut gradients = 0;
        while gradients < limit {
            let step = method.step(&budget).map_err(|error| format!("{error:?}"))?;
            gradients += step.counts.gradients;
            let values = method.candidate().row_values;
            let violation = values[1..].iter().map(|value| value.max(0.0).powi(2)).sum::<f64>().sqrt();
            if (values[0] - self.optimum).abs().max(violation) <= goal {
                return Ok(Count::Reached(gradients as f64));
            }
            if step.finished {
                break;
            }
        }
        Ok(Count::MoreThan(gradients as f64))
    }

    /// eps and r for which (eps, r)-optimality is what the tolerance asks for: with r = D_lambda = |lambda*| violations are at most
    /// eps/|lambda*|, and the objective is at most eps above p*, or |lambda*| times the violation below.
    fn target(&self, tolerance: f64) -> (f64, f64) {
        (self.goal(tolerance) * self.d_lambda.min(1.0), self.d_lambda)
    }

    fn l_ada(&self, (eps, r): (f64, f64)) -> Outcome<f64> {
        let rows = self.smoothness.iter().zip(&self.multipliers);
        let mut rows: Vec<RowConstants> =
            rows.map(|(&constant, &multiplier)| RowConstants::smooth(multiplier, constant)).collect();
        rows[0] = rows[0].pinned();
        Ok(Aggregate::new(rows, eps, r)?.l_ada_smooth())
    }

    /// M over the ball of radius sqrt(3) D_x (cor:smooth-composite-rates-primal-dist).
    fn distances(&self) -> Distances {
        let reach = 3f64.sqrt() * self.d_x;
        let square = self.slopes.iter().zip(&self.smoothness).map(|(slope, l)| (slope + l * reach).powi(2));
        Distances { d_x: self.d_x, d_lambda: self.d_lambda, m: square.sum::<f64>().sqrt() }
    }

    fn ufcm(&self, tolerance: f64) -> Outcome<Made<'_>> {
        let target = self.target(tolerance);
        let l_ada = self.l_ada(target)?;
        let balance = Balance::with_distances(l_ada, self.d_x, self.d_lambda);
        let parameters = UfcmParameters { l_ada, balance };
        let method = Ufcm::new(&self.problem, &self.x0, &self.multipliers0, parameters)?;
        let promised = promise::heterogeneous_balanced(l_ada, target.0, self.distances());
        let promised = promised.map(|promise| promise.gradients).map_err(|why| why.to_string());
        Ok((vec![Box::new(Published::ufcm(&self.problem, method))], promised))
    }

    /// Nothing is known to be strongly convex: mu_ADA = 0, and executions only grow longer.
    fn restarted(&self, tolerance: f64) -> Outcome<Made<'_>> {
        let target = self.target(tolerance);
        let l_ada = self.l_ada(target)?;
        let (l_h, distances) = (self.problem.composer().smoothness(), (self.d_x, self.d_lambda));
        let executions = promise::executions(self.gap()?, target.0);
        let plan = RestartPlan::new(l_ada, 0.0, l_h, target.0, distances, executions)?;
        let method = Restarted::new(&self.problem, &self.x0, &self.multipliers0, plan)?;
        let promised = promise::restarted(l_ada, 0.0, l_h, target, executions, self.distances());
        let promised = promised.map(|promise| promise.gradients).map_err(|why| why.to_string());
        Ok((vec![Box::new(Published::restarted(&self.problem, method))], promised))
    }

    /// Q at the start: what x^0 is worth, and with lambda^0 = 0 what the linearised objective lacks of p*.
    fn gap(&self) -> Outcome<f64> {
        let mut values = vec![0.0; self.problem.rows()];
        self.problem.mapping().values(&self.x0, &mut values)?;
        let upper: f64 = values.iter().zip(&self.multipliers).map(|(value, l)| value * l).sum();
        // Convexity: the linearisation at x^0 is at least g_0(x^0) - |∇g_0| D_x, and |∇g_0| at most |∇g_0(x*)| + L_0 D_x.
        let lower = values[0] - (self.slopes[0] + self.smoothness[0] * self.d_x) * self.d_x;
        Ok(upper - lower)
    }

    fn acgd_s(&self, tolerance: f64) -> Outcome<Made<'_>> {
        let (_, r) = self.target(tolerance);
        let parameters = AcgdSParameters {
            smoothness: self.smoothness.clone(),
            multipliers: self.multipliers.clone(),
            r,
            d_x: self.d_x,
        };
        let method = AcgdS::new(&self.problem, &self.x0, &parameters)?;
        Ok((vec![Box::new(Published::acgd_s(&self.problem, method))], Err(RIVALS_HAVE_NONE.to_owned())))
    }

    /// With the ratio of the distances, which nobody knows.
    fn apdb(&self, _: f64) -> Outcome<Made<'_>> {
        let gamma = (self.d_lambda / self.d_x).powi(2);
        Ok((vec![self.apdb_with(gamma)?], Err(RIVALS_HAVE_NONE.to_owned())))
    }

    /// With the ratios that the published code tries on each instance.
    fn apdb_tuned(&self, _: f64) -> Outcome<Made<'_>> {
        let variants = [1.0, 3.0, 6.0, 9.0].map(|gamma| self.apdb_with(gamma));
        Ok((variants.into_iter().collect::<Outcome<_>>()?, Err(RIVALS_HAVE_NONE.to_owned())))
    }

    fn apdb_with(&self, gamma: f64) -> Outcome<Box<dyn Method + '_>> {
        let parameters = PrimalDualParameters { tau: 1.0, gamma, restart: Some(32) };
        let method = PrimalDualBacktracking::new(&self.problem, &self.x0, &self.multipliers0, parameters)?;
        Ok(Box::new(Followed::new(&self.problem, method)))
    }

    fn ideal(&self, _: f64) -> Outcome<Made<'_>> {
        let l = self.smoothness.iter().zip(&self.multipliers).map(|(l, multiplier)| l * multiplier).sum();
        let method = IdealGradient::new(&self.problem, &self.x0, &self.multipliers, l)?.restarting();
        Ok((vec![Box::new(Followed::new(&self.problem, method))], Err(RIVALS_HAVE_NONE.to_owned())))
    }

    fn switching(&self, tolerance: f64) -> Outcome<Made<'_>> {
        let method = SwitchingSubgradient::new(&self.problem, &self.x0, self.goal(tolerance))?;
        Ok((vec![Box::new(Followed::new(&self.problem, method))], Err(RIVALS_HAVE_NONE.to_owned())))
    }
}

const RIVALS_HAVE_NONE: &str = "the paper's theorems do not speak of this method";
