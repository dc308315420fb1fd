//! The solves of a surface, each where it is widest.

use super::super::guess::Guess;
use super::super::solves::{Above, Shown, Solves};
use super::super::tuning::{MOST_SOLVES_OF_SURFACES, SAME};
use super::super::{TradeoffError, TradeoffStatus};
use super::sides::Sides;
use super::{Surface, SurfacePoint, SurfaceProgress};
use crate::budget::Budget;
use crate::certificate::Hopeless;
use crate::problem::Problem;
use crate::report::{Control, Report, Status};
use crate::settings::Settings;

type Observer<'o> = &'o mut (dyn FnMut(&SurfaceProgress<'_>) -> Control + Send);

impl Problem {
    /// As [`Problem::surface`], for rows by their numbers, within a budget that others can stop, telling an observer after every solve.
    ///
    /// # Errors
    /// As there.
    pub fn surface_within(
        &self,
        rows: [usize; 2],
        ends: [[f64; 2]; 2],
        tol: f64,
        settings: &Settings,
        budget: &Budget,
        observer: Observer<'_>,
    ) -> Result<Surface, TradeoffError> {
        let mut solves = Solves::new(self, rows, ends, tol, settings, budget)?;
        let (tight, loose) = (solves.range.tightest.0, solves.range.loosest.0);
        // Answers violate their bounds by up to eps_feas; where bounds are tighter by that, they do not.
        let margin = settings.eps_feas;
        let beyond = tight.map(|tight| tight - 2.0 * margin);
        solves.begin_at(beyond)?;
        let sides = Sides { unit: 1.0, tight, loose, ..Sides::default() };
        let mut follow = Follow {
            solves,
            observer,
            sides,
            margin,
            points: Vec::new(),
            width: f64::INFINITY,
            undecided: 0.0,
        };
        let ended = follow.run()?;
        Ok(follow.told(ended))
    }
}

/// A surface in the making. Bounds are measured by how loose they are, s.
struct Follow<'a, 'o> {
    solves: Solves<'a, 2>,
    observer: Observer<'o>,
    sides: Sides,
    /// How far answers may violate their bounds.
    margin: f64,
    points: Vec<([f64; 2], SurfacePoint)>,
    width: f64,
    undecided: f64,
}

/// Why there are no more solves.
type Ended = Option<TradeoffStatus>;

impl Follow<'_, '_> {
    fn run(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let (tight, loose) = (self.sides.tight, self.sides.loose);
        let report = self.solves.solve(loose, f64::NAN, None)?;
        if report.status == Status::Infeasible {
            let (bounds, meaning) = (self.solves.told(loose), report.meaning());
            return Err(TradeoffError::Infeasible { bounds, meaning });
        }
        (self.sides.unit, self.solves.unit) = (report.unit, report.unit);
        if let Some(ended) = self.take(loose, &report)? {
            return Ok(ended);
        }
        let edge = self.inside(tight);
        let report = self.solves.solve(edge, self.sides.lower(tight), None)?;
        if let Some(ended) = self.take(edge, &report)? {
            return Ok(ended);
        }
        self.refine()
    }

    /// Where to solve for what is known at `s`: a little tighter, so that the answer is feasible there.
    fn inside(&self, s: [f64; 2]) -> [f64; 2] {
        s.map(|s| s - 2.0 * self.margin)
    }

    /// Solves where the surface is widest, or where nothing is known, until all is narrow.
    fn refine(&mut self) -> Result<TradeoffStatus, TradeoffError> {
        let tol = self.solves.tol;
        while self.points.len() < MOST_SOLVES_OF_SURFACES {
            let standing = self.sides.standing(tol);
            (self.width, self.undecided) = (standing.width, standing.undecided);
            let s = match standing.unknown {
                Some(unknown) => unknown,
                None if standing.width <= tol => return Ok(TradeoffStatus::Certified),
                None => standing.place,
            };
            let guess = self.between(s)?;
            // The mix may be enough.
            if self.sides.width(s) <= tol && guess.is_some() {
                continue;
            }
            let s = self.inside(s);
            if self.points.iter().any(|(other, _)| self.solves.distance(*other, s) <= SAME) {
                return Ok(TradeoffStatus::Stalled);
            }
            if let Some(ended) = self.solve(s, guess)? {
                return Ok(ended);
            }
        }
        Ok(TradeoffStatus::Stalled)
    }

    /// The mix of the answers around `s`: feasible, since all is convex, and better than the upper side, since answers change smoothly with
    /// the bounds.
    fn between(&mut self, s: [f64; 2]) -> Result<Option<Guess>, TradeoffError> {
        let mix = self.sides.mix(s);
        if mix.parts.len() < 2 {
            return Ok(None);
        }
        let parts: Vec<(f64, &Above<2>)> =
            mix.parts.iter().map(|(i, weight)| (*weight, &self.sides.above[*i])).collect();
        let guess = Guess::mixed(&parts);
        if let Some(above) = self.solves.at_own_values(&guess.x, guess.multipliers.clone())? {
            self.add_above(above);
        }
        Ok(Some(guess))
    }

    fn solve(&mut self, s: [f64; 2], guess: Option<Guess>) -> Result<Ended, TradeoffError> {
        let value = self.sides.lower(s);
        let Some(guess) = guess else {
            let report = self.solves.solve(s, value, None)?;
            return self.take(s, &report);
        };
        let (sides, tol) = (&self.sides, self.solves.tol);
        let shown = self.solves.guess_or_solve(s, value, guess, |lower, above| {
            let fits = above.s[0] <= s[0] && above.s[1] <= s[1];
            let upper = sides.upper(s).min(if fits { above.value } else { f64::INFINITY });
            upper - lower <= tol * sides.unit.max(lower.abs())
        })?;
        self.keep(s, shown)
    }

    /// Takes what a solve shows; answers whether that was the end.
    fn take(&mut self, s: [f64; 2], report: &Report) -> Result<Ended, TradeoffError> {
        if report.status != Status::Infeasible {
            let shown = self.solves.take(s, report)?;
            return self.keep(s, shown);
        }
        let alone = Hopeless { normal: [0.0; 2], least: f64::NEG_INFINITY, everywhere: false, at: s };
        let problem = self.solves.at(s)?;
        let proven = report
            .infeasibility
            .as_ref()
            .and_then(|proof| Hopeless::of(proof, &problem, s, &self.solves.range).ok());
        self.sides.hopeless.push(proven.unwrap_or(alone));
        let nothing = f64::INFINITY;
        self.tell(s, nothing, nothing, [0.0; 2], report.counts.gradients, Vec::new())
    }

    fn keep(&mut self, s: [f64; 2], shown: Shown<2>) -> Result<Ended, TradeoffError> {
        let Shown { above, lower, upper, stopped, x, multipliers, gradients } = shown;
        if let Some(above) = above {
            self.add_above(above);
        }
        let level = self.sides.upper(self.sides.tight);
        // Some proofs need the value with the tightest bounds, which the second solve is for.
        if !self.points.is_empty() || stopped.is_some() {
            self.sides.planes.extend(self.solves.planes(level)?);
        }
        let rates = self.solves.rates(s, &multipliers);
        let upper = self.sides.upper(s).min(upper);
        let asked = self.tell(s, lower, upper, rates, gradients, x)?;
        Ok(stopped.or(asked))
    }

    fn tell(
        &mut self,
        s: [f64; 2],
        lower: f64,
        upper: f64,
        multipliers: [f64; 2],
        gradient_evaluations: usize,
        x: Vec<f64>,
    ) -> Result<Ended, TradeoffError> {
        let bounds = self.solves.bounds(s);
        let point = SurfacePoint { bounds, lower, upper, multipliers, gradient_evaluations, x };
        let progress = SurfaceProgress { point: &point, width: self.width, counts: self.solves.counts };
        let asked_to_stop = (self.observer)(&progress) == Control::Stop;
        self.points.push((s, point));
        Ok(asked_to_stop.then_some(TradeoffStatus::Stopped(Status::Interrupted)))
    }

    /// Keeps a point that says something new.
    fn add_above(&mut self, above: Above<2>) {
        if above.value.is_finite() && above.value < self.sides.upper(above.s) {
            self.sides.above.push(above);
        }
    }

    fn told(mut self, status: TradeoffStatus) -> Surface {
        let level = self.sides.upper(self.sides.tight);
        self.sides.planes.extend(self.solves.planes(level).unwrap_or_default());
        if status != TradeoffStatus::Certified {
            let standing = self.sides.standing(self.solves.tol);
            (self.width, self.undecided) = (standing.width, standing.undecided);
        }
        let ends = [self.solves.bounds(self.sides.tight), self.solves.bounds(self.sides.loose)];
        let (solves, end) =
            (self.solves, |k: usize| [ends[0][k].min(ends[1][k]), ends[0][k].max(ends[1][k])]);
        Surface {
            constraints: solves.names(),
            ranges: [end(0), end(1)],
            status,
            width: self.width,
            tol: solves.tol,
            unit: self.sides.unit,
            points: self.points.into_iter().map(|(_, point)| point).collect(),
            undecided: self.undecided,
            violation: solves.violation,
            premises: solves.premises,
            counts: solves.counts,
            first: solves.first.unwrap_or_default(),
            signs: solves.range.signs,
            sides: self.sides,
        }
    }
}
