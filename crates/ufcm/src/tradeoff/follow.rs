//! The solves of a curve, each where the band is widest.

use super::band::{Above, Band};
use super::tuning::{FIRST_TRY, MOST_SOLVES, SAME, SHARE, TRIES};
use super::{Tradeoff, TradeoffError, TradeoffPoint, TradeoffProgress, TradeoffStatus};
use crate::budget::Budget;
use crate::certificate::{Certificate, Line, Range, Upper, first_feasible};
use crate::error::check_positive;
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::report::{Control, Counts, Report, Status};
use crate::settings::Settings;
use crate::warm_start::WarmStart;

type Observer<'o> = &'o mut (dyn FnMut(&TradeoffProgress<'_>) -> Control + Send);

impl Problem {
    /// As [`Problem::tradeoff`], for a row by its number, within a budget that others can stop, telling an observer after every solve.
    ///
    /// # Errors
    /// As there.
    pub fn tradeoff_within(
        &self,
        row: usize,
        [from, to]: [f64; 2],
        tol: f64,
        settings: &Settings,
        budget: &Budget,
        observer: Observer<'_>,
    ) -> Result<Tradeoff, TradeoffError> {
        self.bound_of(row)?;
        check_positive("trade-off", "tol", tol)?;
        settings.validate()?;
        if !(from.is_finite() && to.is_finite() && from != to) {
            return Err(TradeoffError::Range { from, to });
        }
        let sign = if self.sides(row).is_some_and(|sides| sides.upper.is_finite()) { 1.0 } else { -1.0 };
        let ends = [sign * from, sign * to];
        let [tight, loose] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let at = |s: f64| self.with_bound_of(row, sign * s);
        let range = Range { row, sign, tightest: (tight, at(tight)?), loosest: (loose, at(loose)?) };
        let budget =
            &settings.time_limit.map_or_else(|| budget.clone(), |seconds| budget.clone().with_time(seconds));
        let mut follow = Follow {
            problem: self,
            range,
            tol,
            settings,
            budget,
            observer,
            band: Band { unit: 1.0, ..Band::default() },
            points: Vec::new(),
            proofs: Vec::new(),
            premises: Vec::new(),
            counts: Counts::default(),
            first: None,
            violation: 0.0,
            infeasible: None,
            warm: Vec::new(),
            begun: false,
        };
        let ended = follow.run()?;
        Ok(follow.told(ended))
    }
}

/// A curve in the making. Bounds are measured by how loose they are, s.
struct Follow<'a, 'o> {
    problem: &'a Problem,
    range: Range,
    tol: f64,
    settings: &'a Settings,
    budget: &'a Budget,
    observer: Observer<'o>,
    band: Band,
    points: Vec<(f64, TradeoffPoint)>,
    /// Proofs that wait for the value with the tightest bound, which some lines need.
    proofs: Vec<(f64, Certificate)>,
    premises: Vec<String>,
    counts: Counts,
    first: Option<Counts>,
    violation: f64,
    /// Below this no point is feasible.
    infeasible: Option<f64>,
    /// What solves leave for those nearby.
    warm: Vec<(f64, WarmStart)>,
    /// Whether both ends are solved.
    begun: bool,
}

/// Why there are no more solves.
type Ended = Option<TradeoffStatus>;

impl Follow<'_, '_> {
    fn run(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let loosest = self.range.loosest.0;
        let report = self.solve(loosest, None)?;
        if report.status == Status::Infeasible {
            let (bound, meaning) = (self.bound(loosest), report.meaning());
            return Err(TradeoffError::Infeasible { name: self.name(), bound, meaning });
        }
        self.band.unit = report.unit;
        if let Some(ended) = self.take(loosest, &report)? {
            return Ok(ended);
        }
        if let Some(ended) = self.begin()? {
            return Ok(ended);
        }
        self.refine()
    }

    /// Solves with the tightest bound, or the tightest that is feasible.
    fn begin(&mut self) -> Result<Ended, TradeoffError> {
        let (asked, loosest) = (self.range.tightest.0, self.range.loosest.0);
        let (mut s, mut step) = (asked, FIRST_TRY * (loosest - asked));
        for _ in 0..TRIES {
            let report = self.solve(s, None)?;
            if report.status == Status::Infeasible {
                let proven = match &report.infeasibility {
                    Some(proof) => {
                        let problem = self.problem.with_bound_of(self.range.row, self.bound(s))?;
                        first_feasible(proof, &problem, s, &self.range).unwrap_or(s)
                    }
                    None => s,
                };
                self.infeasible = Some(self.infeasible.map_or(proven, |before: f64| before.max(proven)));
                s = proven.max(s) + step;
                step *= 4.0;
            } else if let Some(ended) = self.take(s, &report)? {
                return Ok(Some(ended));
            } else if self.band.upper(s).is_finite() {
                return self.begin_at(s).map(|()| None);
            } else {
                // Feasible but for a little: the same with a bound tighter by that.
                let short = self.band.above.first().map_or(SAME * (loosest - asked), |point| point.s - s);
                let report = self.solve(s - 2.0 * short.abs(), None)?;
                let ended = self.take(s - 2.0 * short.abs(), &report)?;
                if ended.is_some() || self.band.upper(s).is_finite() {
                    return self.begin_at(s).map(|()| ended);
                }
                s += step;
                step *= 4.0;
            }
            s = s.min(loosest);
        }
        // The curve begins where something is feasible.
        let s = self.band.above.first().map_or(loosest, |point| point.s);
        self.begin_at(s).map(|()| None)
    }

    /// The curve begins at `s`.
    fn begin_at(&mut self, s: f64) -> Result<(), TradeoffError> {
        self.range.tightest = (s, self.problem.with_bound_of(self.range.row, self.bound(s))?);
        self.begun = true;
        self.draw_lines()
    }

    /// Solves where the band is widest, until it is narrow.
    fn refine(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let (tight, loose) = (self.range.tightest.0, self.range.loosest.0);
        while self.points.len() < MOST_SOLVES {
            let (s, width) = self.band.widest(tight, loose);
            if width <= self.tol {
                return Ok(TradeoffStatus::Certified);
            }
            let start = self.between(s)?;
            if self.band.width(s) <= self.tol {
                continue;
            }
            let near = |(other, _): &(f64, TradeoffPoint)| (other - s).abs() <= SAME * (loose - tight);
            if self.points.iter().any(near) {
                return Ok(TradeoffStatus::Stalled);
            }
            let report = self.solve(s, start)?;
            if let Some(ended) = self.take(s, &report)? {
                return Ok(ended);
            }
        }
        Ok(TradeoffStatus::Stalled)
    }

    /// The mix of the neighbours of `s`: feasible, since all is convex, and far better than their chord, since answers change smoothly with
    /// the bound. It is also where the solve at `s` begins.
    fn between(&mut self, s: f64) -> Result<Option<WarmStart>, TradeoffError> {
        let Some((a, b)) = self.band.neighbours(s) else { return Ok(None) };
        let t = (s - a.s) / (b.s - a.s);
        let mix =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect() };
        let (x, multipliers) = (mix(&a.x, &b.x), mix(&a.multipliers, &b.multipliers));
        self.add_above(&x, &multipliers, None)?;
        let named = self.problem.row_names().iter().cloned().zip(multipliers).collect();
        let start = WarmStart::new(x, named);
        Ok(Some(match self.nearest(s) {
            Some(nearest) => WarmStart { x: start.x, multipliers: start.multipliers, ..nearest.clone() },
            None => start,
        }))
    }

    /// Solves with the bound `s`.
    fn solve(&mut self, s: f64, start: Option<WarmStart>) -> Result<Report, TradeoffError> {
        let problem = self.problem.with_bound_of(self.range.row, self.bound(s))?;
        let share = SHARE * self.tol;
        let mut settings = Settings { eps_rel: share, ..self.settings.clone() };
        if let Some(max) = settings.max_gradients {
            settings.max_gradients = Some(max.saturating_sub(self.counts.gradients).max(1));
        }
        if self.first.is_some() {
            let value = self.band.lower(s).abs();
            let size = self.band.unit.max(if value.is_finite() { value } else { 0.0 });
            (settings.eps_abs, settings.eps_rel) = (share * size, 0.0);
        }
        // A radius speaks of the start that the user gave.
        if self.settings.radius.is_none()
            && let Some(start) = start.or_else(|| self.nearest(s).cloned())
        {
            (settings.warm, settings.x0, settings.multipliers0) = (Some(start), None, None);
        }
        let report = problem.solve_within(&settings, self.budget, &mut |_| Control::Continue)?;
        self.counts.add(&report.counts);
        self.first.get_or_insert(report.counts);
        Ok(report)
    }

    /// Takes what a solve shows; answers whether that was the end.
    fn take(&mut self, s: f64, report: &Report) -> Result<Ended, TradeoffError> {
        let problem = self.problem.with_bound_of(self.range.row, self.bound(s))?;
        let checked = checked_proof(&problem, report);
        let stopped =
            matches!(report.status, Status::TimeLimit | Status::IterationLimit | Status::Interrupted);
        if checked.is_none() && !stopped {
            return Err(self.no_bound(s, report));
        }
        if report.x.len() == self.problem.dimension()
            && report.objective.is_finite()
            && report.violation.is_finite()
        {
            let (x, upper) = match &report.feasible {
                Some(repaired) => (&repaired.x, repaired.upper.objective + repaired.upper.rounding),
                None => (&report.x, report.upper_bound),
            };
            let known = upper.is_finite().then_some((s, upper.max(report.upper_bound)));
            self.add_above(x, &report.multipliers, known)?;
        }
        self.warm.push((s, report.warm_start()));
        let lower = checked.as_ref().map_or(f64::NEG_INFINITY, |proof| proof.lower);
        if let Some(proof) = checked {
            let told = report.premise();
            if !self.premises.contains(&told) {
                self.premises.push(told);
            }
            self.proofs.push((s, proof));
        }
        if self.begun {
            self.draw_lines()?;
        }
        let multiplier = report.multipliers.get(self.range.row).copied().unwrap_or(0.0).abs();
        let point = TradeoffPoint {
            bound: self.bound(s),
            lower,
            upper: self.band.upper(s).min(report.upper_bound),
            multiplier,
            gradient_evaluations: report.counts.gradients,
            x: report.x.clone(),
        };
        let width = self.band.widest(self.range.tightest.0, self.range.loosest.0).1;
        let progress = TradeoffProgress { point: &point, width, counts: self.counts };
        let asked_to_stop = (self.observer)(&progress) == Control::Stop;
        self.points.push((s, point));
        let spent = self.settings.max_gradients.is_some_and(|max| self.counts.gradients >= max);
        Ok(match report.status {
            status if stopped => Some(TradeoffStatus::Stopped(status)),
            _ if asked_to_stop => Some(TradeoffStatus::Stopped(Status::Interrupted)),
            _ if spent => Some(TradeoffStatus::Stopped(Status::IterationLimit)),
            _ => None,
        })
    }

    /// Keeps what a point shows: with its own value of the row as the bound, unless a bound with which it is feasible is known.
    fn add_above(
        &mut self,
        x: &[f64],
        multipliers: &[f64],
        known: Option<(f64, f64)>,
    ) -> Result<(), OracleError> {
        let (s, value) = match known {
            Some(known) => known,
            None => match self.shown(x)? {
                Some(shown) => shown,
                None => return Ok(()),
            },
        };
        self.band.add_above(Above { s, value, x: x.to_vec(), multipliers: multipliers.to_vec() });
        Ok(())
    }

    /// The looseness that `x` needs and its objective, if other constraints hold.
    fn shown(&mut self, x: &[f64]) -> Result<Option<(f64, f64)>, OracleError> {
        let (row, sign) = (self.range.row, self.range.sign);
        self.counts.values += 1;
        let mut values = self.problem.values_at(x)?;
        let needed = sign * values[row];
        let needed = needed + 4.0 * f64::EPSILON * needed.abs();
        // The others, with this row where its bound is.
        let sides = self.problem.sides(row);
        values[row] = sides.and_then(|sides| sides.only()).unwrap_or(values[row]);
        let rows = self.problem.rows_of_values(&values);
        let upper = Upper::of(self.problem, x, &rows);
        if !(upper.violation <= self.settings.eps_feas && upper.objective.is_finite()) {
            return Ok(None);
        }
        self.violation = self.violation.max(upper.violation);
        Ok(Some((needed, upper.objective + upper.rounding)))
    }

    /// Makes lines of the proofs, now that both ends are known.
    fn draw_lines(&mut self) -> Result<(), TradeoffError> {
        let level = self.band.upper(self.range.tightest.0);
        for (s, proof) in std::mem::take(&mut self.proofs) {
            let problem = self.problem.with_bound_of(self.range.row, self.bound(s))?;
            if let Ok(line) = Line::of(&proof, &problem, s, &self.range, level) {
                self.band.lines.push(line);
            }
        }
        Ok(())
    }

    /// What the solve nearest to `s` has left.
    fn nearest(&self, s: f64) -> Option<&WarmStart> {
        let nearer =
            |a: &&(f64, WarmStart), b: &&(f64, WarmStart)| (a.0 - s).abs().total_cmp(&(b.0 - s).abs());
        self.warm.iter().min_by(nearer).map(|(_, start)| start)
    }

    fn bound(&self, s: f64) -> f64 {
        self.range.sign * s
    }

    fn name(&self) -> String {
        self.problem.row_names()[self.range.row].clone()
    }

    fn no_bound(&self, s: f64, report: &Report) -> TradeoffError {
        let advice = match report.status {
            Status::Solved => "; a bounded domain, or a radius, would give the lower side",
            _ => "",
        };
        let (bound, status, meaning) = (self.bound(s), report.status, report.meaning());
        TradeoffError::Solve { name: self.name(), bound, status, meaning, advice }
    }

    fn told(mut self, status: TradeoffStatus) -> Tradeoff {
        let _ = self.draw_lines();
        let (tight, loose) = (self.range.tightest.0, self.range.loosest.0);
        let width = self.band.widest(tight, loose).1;
        let ends = [self.bound(tight), self.bound(loose)];
        let mut points: Vec<TradeoffPoint> = self.points.drain(..).map(|(_, point)| point).collect();
        points.sort_by(|a, b| a.bound.total_cmp(&b.bound));
        Tradeoff {
            constraint: self.name(),
            from: ends[0].min(ends[1]),
            to: ends[0].max(ends[1]),
            status,
            width,
            tol: self.tol,
            unit: self.band.unit,
            points,
            infeasible_beyond: self.infeasible.map(|s| self.bound(s)),
            violation: self.violation,
            premises: self.premises,
            counts: self.counts,
            first: self.first.unwrap_or_default(),
            sign: self.range.sign,
            band: self.band,
        }
    }
}

/// The proof of a lower bound, if it holds: what leaves a run as certified was verified, and others are verified here.
fn checked_proof(problem: &Problem, report: &Report) -> Option<Certificate> {
    let proof = report.certificate.as_ref().filter(|proof| proof.lower > f64::NEG_INFINITY)?;
    if report.status == Status::Certified {
        return Some(proof.clone());
    }
    let verified = proof.verify(problem).ok()?;
    Some(Certificate { lower: proof.lower.min(verified.lower), ..proof.clone() })
}
