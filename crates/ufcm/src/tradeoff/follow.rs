//! The solves of a curve, each where the band is widest.

use super::band::Band;
use super::guess::Guess;
use super::solves::{Shown, Solves};
use super::tuning::{FIRST_TRY, MOST_SOLVES, SAME, TRIES, UNKNOWN};
use super::{Tradeoff, TradeoffError, TradeoffPoint, TradeoffProgress, TradeoffStatus};
use crate::budget::Budget;
use crate::certificate::first_feasible;
use crate::method::Path;
use crate::problem::Problem;
use crate::report::{Control, Report, Status};
use crate::settings::Settings;

type Observer<'o> = &'o mut (dyn FnMut(&TradeoffProgress<'_>) -> Control + Send);

impl Problem {
    /// As [`Problem::tradeoff`], for a row by its number, within a budget that others can stop, telling an observer after every solve.
    ///
    /// # Errors
    /// As there.
    pub fn tradeoff_within(
        &self,
        row: usize,
        ends: [f64; 2],
        tol: f64,
        settings: &Settings,
        budget: &Budget,
        observer: Observer<'_>,
    ) -> Result<Tradeoff, TradeoffError> {
        let mut follow = Follow {
            solves: Solves::new(self, [row], [ends], tol, settings, budget)?,
            observer,
            band: Band { unit: 1.0, ..Band::default() },
            points: Vec::new(),
            infeasible: None,
            begun: false,
            path: None,
        };
        let ended = follow.run()?;
        Ok(follow.told(ended))
    }
}

/// A curve in the making. Bounds are measured by how loose they are, s.
pub(super) struct Follow<'a, 'o> {
    pub(super) solves: Solves<'a, 1>,
    observer: Observer<'o>,
    pub(super) band: Band,
    points: Vec<(f64, TradeoffPoint)>,
    /// Below this no point is feasible.
    pub(super) infeasible: Option<f64>,
    /// Whether both ends are solved.
    begun: bool,
    /// Answers of a linear or quadratic program that are known without solves.
    pub(super) path: Option<Path>,
}

/// Why there are no more solves.
type Ended = Option<TradeoffStatus>;

impl Follow<'_, '_> {
    fn run(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let loosest = self.loosest();
        let report = self.solve(loosest)?;
        if report.status == Status::Infeasible {
            let (bounds, meaning) = (self.solves.told([loosest]), report.meaning());
            return Err(TradeoffError::Infeasible { bounds, meaning });
        }
        (self.band.unit, self.solves.unit) = (report.unit, report.unit);
        if let Some(ended) = self.take(loosest, &report)? {
            return Ok(ended);
        }
        let begun = self.begin_by_walk()?;
        if !begun && let Some(ended) = self.begin()? {
            return Ok(ended);
        }
        self.refine()
    }

    fn loosest(&self) -> f64 {
        self.solves.range.loosest.0[0]
    }

    /// Solves with the tightest bound, or the tightest that is feasible.
    fn begin(&mut self) -> Result<Ended, TradeoffError> {
        let (asked, loosest) = (self.solves.range.tightest.0[0], self.loosest());
        let (mut s, mut step) = (asked, FIRST_TRY * (loosest - asked));
        for _ in 0..TRIES {
            let report = self.solve(s)?;
            if report.status == Status::Infeasible {
                s = self.note_infeasible(s, &report)? + step;
                step *= 4.0;
            } else if let Some(ended) = self.take(s, &report)? {
                return Ok(Some(ended));
            } else if self.band.upper(s).is_finite() {
                return self.closer(s);
            } else {
                // Feasible but for a little: the same with a bound tighter by that.
                let short = self.band.above.first().map_or(SAME * (loosest - asked), |point| point.s[0] - s);
                let report = self.solve(s - 2.0 * short.abs())?;
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
        let s = self.band.above.first().map_or(loosest, |point| point.s[0]);
        self.begin_at(s).map(|()| None)
    }

    /// Takes a proof that nothing is feasible with `s`; answers with the bound up to which that holds.
    fn note_infeasible(&mut self, s: f64, report: &Report) -> Result<f64, TradeoffError> {
        let proven = match &report.infeasibility {
            Some(proof) => {
                let problem = self.solves.at([s])?;
                first_feasible(proof, &problem, s, &self.solves.range).unwrap_or(s)
            }
            None => s,
        };
        let known = self.infeasible.map_or(proven, |before: f64| before.max(proven)).max(s);
        self.infeasible = Some(known);
        Ok(known)
    }

    /// With `s` something is feasible: halves what is between that and what is proven to be infeasible, until it is a small part of the range.
    fn closer(&mut self, mut s: f64) -> Result<Ended, TradeoffError> {
        let (asked, loosest) = (self.solves.range.tightest.0[0], self.loosest());
        for _ in 0..TRIES {
            let Some(infeasible) = self.infeasible.filter(|known| s - known > UNKNOWN * (loosest - asked))
            else {
                break;
            };
            let middle = 0.5 * (infeasible + s);
            let report = self.solve(middle)?;
            if report.status == Status::Infeasible {
                self.note_infeasible(middle, &report)?;
            } else if let Some(ended) = self.take(middle, &report)? {
                return Ok(Some(ended));
            } else {
                // Its answer may need a little more than `middle`.
                s = self.band.above.first().map_or(s, |point| point.s[0].max(middle).min(s));
            }
        }
        self.begin_at(s).map(|()| None)
    }

    /// The curve begins at `s`.
    pub(super) fn begin_at(&mut self, s: f64) -> Result<(), TradeoffError> {
        self.solves.begin_at([s])?;
        self.begun = true;
        // The unit is 1 unless all values are small. That of the first solve knows one end alone, where the value may happen to be 0.
        let value = self.band.upper(s).abs();
        if value.is_finite() {
            self.band.unit = self.band.unit.max(value.min(1.0));
            self.solves.unit = self.band.unit;
        }
        self.draw_lines()
    }

    /// Solves where the band is widest, until it is narrow.
    fn refine(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let (tight, loose) = (self.solves.range.tightest.0[0], self.loosest());
        let tol = self.solves.tol;
        while self.points.len() < MOST_SOLVES {
            let (s, width) = self.band.widest(tight, loose);
            if width <= tol {
                return Ok(TradeoffStatus::Certified);
            }
            let mut guess = self.between(s)?;
            let width = self.band.width(s);
            if width <= tol {
                continue;
            }
            // The place in a range that is widest is not always the best one to solve at.
            let (at, even) = (s, self.band.even_split(s, width / tol));
            let s = even.filter(|_| !self.is_straight()).unwrap_or(at);
            if s != at {
                guess = self.between(s)?;
            }
            let near = |(other, _): &(f64, TradeoffPoint)| (other - s).abs() <= SAME * (loose - tight);
            if self.points.iter().any(near) {
                return Ok(TradeoffStatus::Stalled);
            }
            let shown = self.guess_or_solve(s, guess)?;
            if let Some(ended) = self.keep(s, shown)? {
                return Ok(ended);
            }
        }
        Ok(TradeoffStatus::Stalled)
    }

    fn guess_or_solve(&mut self, s: f64, guess: Option<Guess>) -> Result<Shown<1>, TradeoffError> {
        let value = self.band.lower(s);
        let Some(guess) = guess else {
            let report = self.solves.solve([s], value, None)?;
            return self.solves.take([s], &report);
        };
        if let Some(shown) = self.proven_by_path(s, &guess)? {
            return Ok(shown);
        }
        let (band, tol) = (&self.band, self.solves.tol);
        self.solves.guess_or_solve([s], value, guess, |lower, above| {
            let upper = if above.s[0] <= s { above.value.min(band.upper(s)) } else { band.upper(s) };
            upper - lower <= tol * band.unit.max(lower.abs())
        })
    }

    /// A guess of the answer at `s`: that of the path, or the mix of its neighbours. It is feasible, since all is convex, and far better than their chord, since answers
    /// change smoothly with the bound.
    fn between(&mut self, s: f64) -> Result<Option<Guess>, TradeoffError> {
        if let Some(guess) = self.on_path(s)? {
            return Ok(Some(guess));
        }
        let Some((a, b)) = self.band.neighbours(s) else { return Ok(None) };
        let t = (s - a.s[0]) / (b.s[0] - a.s[0]);
        let mix = Guess::mixed(&[(1.0 - t, a), (t, b)]);
        if let Some(above) = self.solves.at_own_values(&mix.x, mix.multipliers.clone())? {
            self.band.add_above(above);
        }
        Ok(Some(mix))
    }

    /// Solves with the bound `s`.
    fn solve(&mut self, s: f64) -> Result<Report, TradeoffError> {
        self.solves.solve([s], self.band.lower(s), None)
    }

    /// Takes what a solve shows; answers whether that was the end.
    fn take(&mut self, s: f64, report: &Report) -> Result<Ended, TradeoffError> {
        let shown = self.solves.take([s], report)?;
        self.keep(s, shown)
    }

    fn keep(&mut self, s: f64, shown: Shown<1>) -> Result<Ended, TradeoffError> {
        let Shown { above, lower, upper, stopped, x, multipliers, gradients } = shown;
        if let Some(above) = above {
            self.band.add_above(above);
        }
        if self.begun {
            self.draw_lines()?;
        }
        let [multiplier] = self.solves.rates([s], &multipliers);
        let upper = self.band.upper(s).min(upper);
        let [bound] = self.solves.bounds([s]);
        let point = TradeoffPoint { bound, lower, upper, multiplier, gradient_evaluations: gradients, x };
        let width = self.band.widest(self.solves.range.tightest.0[0], self.loosest()).1;
        let progress = TradeoffProgress { point: &point, width, counts: self.solves.counts };
        let asked_to_stop = (self.observer)(&progress) == Control::Stop;
        self.points.push((s, point));
        let interrupted = asked_to_stop.then_some(TradeoffStatus::Stopped(Status::Interrupted));
        Ok(stopped.or(interrupted))
    }

    /// Makes lines of the proofs, now that both ends are known.
    fn draw_lines(&mut self) -> Result<(), TradeoffError> {
        let level = self.band.upper(self.solves.range.tightest.0[0]);
        self.band.lines.extend(self.solves.planes(level)?);
        Ok(())
    }

    fn told(mut self, status: TradeoffStatus) -> Tradeoff {
        let _ = self.draw_lines();
        let (tight, loose) = (self.solves.range.tightest.0[0], self.loosest());
        let width = self.band.widest(tight, loose).1;
        let bound = |s: f64| self.solves.bounds([s])[0];
        let ends = [bound(tight), bound(loose)];
        let infeasible_beyond = self.infeasible.map(bound);
        let mut points: Vec<TradeoffPoint> = self.points.drain(..).map(|(_, point)| point).collect();
        points.sort_by(|a, b| a.bound.total_cmp(&b.bound));
        let [constraint] = self.solves.names();
        let solves = self.solves;
        Tradeoff {
            constraint,
            from: ends[0].min(ends[1]),
            to: ends[0].max(ends[1]),
            status,
            width,
            tol: solves.tol,
            unit: self.band.unit,
            points,
            solves: solves.solved,
            infeasible_beyond,
            violation: solves.violation,
            premises: solves.premises,
            counts: solves.counts,
            first: solves.first.unwrap_or_default(),
            sign: solves.range.signs[0],
            band: self.band,
        }
    }
}
