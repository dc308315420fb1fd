//! The lower bound of a run. It belongs to the run, not to a method: it never falls, also when another method goes on.

use crate::budget::Activity;
use crate::certificate::{
    Certificate, Floor, Linearisation, LowerModel, Premise, Upper, Witness, combined_multipliers, own_floor,
    own_multipliers,
};
use crate::error::DataError;
use crate::oracle::OracleError;
use crate::problem::Problem;

/// What proves the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// There is none.
    Nothing,
    /// What components and u say of themselves.
    OwnFloor,
    /// Minorants of the method that ran before.
    Earlier,
    /// Minorants of the method that runs now.
    Model,
}

/// A bound with its proof.
struct Proof {
    lower: f64,
    curvature: f64,
    witnesses: Vec<Witness>,
}

/// The best lower bound so far, and what it takes to raise it.
pub(super) struct Bounds<'a> {
    problem: &'a Problem,
    premise: &'a Premise,
    floor: Floor<'a>,
    model: LowerModel,
    /// Whether the last minorants have not been combined with the others yet.
    pending: bool,
    /// Operations of combinations under the methods before.
    operations: f64,
    earlier: Option<Proof>,
    own_floor: f64,
    lower: f64,
    source: Source,
}

impl<'a> Bounds<'a> {
    /// No bound yet; those to come rest on `premise` and combine so many minorants.
    pub(super) fn new(
        problem: &'a Problem,
        premise: &'a Premise,
        minorants: usize,
    ) -> Result<Self, DataError> {
        Ok(Self {
            problem,
            premise,
            floor: Floor::new(problem, premise),
            model: LowerModel::new(problem, minorants)?,
            pending: false,
            operations: 0.0,
            earlier: None,
            own_floor: own_floor(problem),
            lower: f64::NEG_INFINITY,
            source: Source::Nothing,
        })
    }

    /// The proven lower bound, -inf where nothing is proven.
    pub(super) fn lower(&self) -> f64 {
        self.lower
    }

    pub(super) fn premise(&self) -> &'a Premise {
        self.premise
    }

    /// Takes in the linearisation of a step and combines it with others; `worthwhile` is what a bound need not exceed.
    pub(super) fn take(&mut self, at: &Linearisation<'_>, worthwhile: f64) -> Result<(), OracleError> {
        self.take_alone(at)?;
        self.combine(worthwhile);
        Ok(())
    }

    /// Takes in the linearisation of a step for what it proves alone.
    pub(super) fn take_alone(&mut self, at: &Linearisation<'_>) -> Result<(), OracleError> {
        self.problem.budget().doing(Activity::Proving);
        self.model.push(at)?;
        let proven = self.model.bound_alone(&mut self.floor);
        self.raise(proven, Source::Model);
        self.pending = true;
        Ok(())
    }

    /// Combines what was taken in alone.
    pub(super) fn combine(&mut self, worthwhile: f64) {
        if self.pending {
            let proven = self.model.bound(&mut self.floor, worthwhile);
            self.raise(proven, Source::Model);
            self.pending = false;
        }
    }

    /// Operations that combinations have taken so far, about.
    pub(super) fn operations(&self) -> f64 {
        self.operations + self.model.operations()
    }

    /// What components and u say of themselves counts where that is enough: then it is all that is needed.
    pub(super) fn take_own_floor(&mut self, objective: f64, tolerance: f64) {
        if objective - self.own_floor <= tolerance {
            self.raise(self.own_floor, Source::OwnFloor);
        }
    }

    fn raise(&mut self, proven: f64, source: Source) {
        if proven > self.lower {
            (self.lower, self.source) = (proven, source);
        }
    }

    /// Another method goes on, whose bounds combine so many minorants. What was proven stays.
    pub(super) fn change_method(&mut self, minorants: usize) -> Result<(), DataError> {
        self.combine(f64::INFINITY);
        self.operations += self.model.operations();
        if self.source == Source::Model {
            self.earlier = Some(self.proof_of_model());
            self.source = Source::Earlier;
        }
        self.model = LowerModel::new(self.problem, minorants)?;
        Ok(())
    }

    /// The verifier finds less.
    pub(super) fn lower_to(&mut self, proven: f64) {
        self.lower = self.lower.min(proven);
    }

    /// What was proven rested on convexity, and that has failed.
    pub(super) fn void(&mut self) {
        (self.lower, self.source, self.pending) = (f64::NEG_INFINITY, Source::Nothing, false);
    }

    fn proof_of_model(&self) -> Proof {
        let (lower, curvature) = (self.model.lower(), self.model.curvature());
        Proof { lower, curvature, witnesses: self.model.witnesses() }
    }

    /// The certificate of `x`, at which the problem looks like `upper`.
    pub(super) fn certificate(&self, x: &[f64], upper: &Upper) -> Certificate {
        let nothing = Certificate {
            x: x.to_vec(),
            lower: f64::NEG_INFINITY,
            upper: upper.objective + upper.rounding,
            violation: upper.violation,
            premise: self.premise.clone(),
            curvature: 0.0,
            witnesses: Vec::new(),
            grounds: Vec::new(),
            constants: None,
        };
        let with = |Proof { lower, curvature, witnesses }: Proof| Certificate {
            lower,
            curvature,
            witnesses,
            ..nothing.clone()
        };
        match self.source {
            Source::Nothing => nothing,
            Source::OwnFloor => Certificate { lower: self.lower, premise: Premise::None, ..nothing },
            Source::Model => with(self.proof_of_model()),
            Source::Earlier => match &self.earlier {
                Some(Proof { lower, curvature, witnesses }) => {
                    let (lower, curvature) = (*lower, *curvature);
                    with(Proof { lower, curvature, witnesses: witnesses.clone() })
                }
                None => nothing,
            },
        }
    }

    /// The multipliers behind the bound: the dual solution that belongs to it, up to the gap.
    pub(super) fn multipliers(&self) -> Option<Vec<f64>> {
        match self.source {
            Source::OwnFloor => own_multipliers(self.problem),
            _ => combined_multipliers(&self.witnesses()),
        }
    }

    /// The linearisations behind the bound, if it has any.
    pub(super) fn witnesses(&self) -> Vec<Witness> {
        match self.source {
            Source::Nothing | Source::OwnFloor => Vec::new(),
            Source::Model => self.model.witnesses(),
            Source::Earlier => self.earlier.as_ref().map_or_else(Vec::new, |proof| proof.witnesses.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Quadratic;
    use crate::mapping::Affine;
    use crate::matrix::Matrix;
    use crate::method::{Adaptive, AdaptiveParameters, Method, PrimalDual};
    use crate::metric::Metric;
    use crate::random::Random;
    use crate::regulariser;
    use proptest::prelude::*;

    const N: usize = 5;

    /// A quadratic in a box under affine constraints, which both methods take.
    fn random_problem(seed: u64) -> Problem {
        let mut random = Random::new(seed);
        let objective = Quadratic::diagonal((0..N).map(|_| random.uniform()).collect()).unwrap();
        let rows =
            Affine::new(Matrix::row_major(4, N, random.normals(4 * N)).unwrap(), vec![0.5; 4]).unwrap();
        Problem::minimise(objective.with_linear(random.normals(N)).unwrap())
            .subject_to(rows.at_most_zero())
            .within(regulariser::Bounds::new(-2.0, 2.0).unwrap())
            .build()
            .unwrap()
    }

    fn methods(problem: &Problem) -> [Box<dyn Method + '_>; 2] {
        let (x, mut multipliers) = (vec![0.0; N], vec![0.0; problem.rows()]);
        multipliers[0] = 1.0;
        let parameters = AdaptiveParameters { eps: 1e-8, r: 1e-2, l: 1.0 };
        [
            Box::new(Adaptive::new(problem, &x, &multipliers, parameters, Metric::Scalar).unwrap()),
            Box::new(PrimalDual::new(problem, &x, &multipliers).unwrap()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever method goes on, and whenever it changes, a bound never falls, never passes the optimum, and its
        /// certificate holds.
        #[test]
        fn bounds_never_fall_when_the_method_changes(seed in 0..1000u64, changes in prop::collection::vec(any::<bool>(), 24)) {
            let problem = random_problem(seed);
            let premise = Premise::implied(&problem, &[0.0; N]).unwrap();
            let mut methods = methods(&problem);
            let mut bounds = Bounds::new(&problem, &premise, 20).unwrap();
            let (mut current, mut last) = (0, f64::NEG_INFINITY);
            for change in changes {
                if change {
                    current = 1 - current;
                    bounds.change_method(methods[current].minorants()).unwrap();
                    prop_assert_eq!(bounds.lower(), last, "a change of method loses nothing");
                }
                methods[current].step(problem.budget()).unwrap();
                bounds.take(&methods[current].linearisation().unwrap(), f64::INFINITY).unwrap();
                prop_assert!(bounds.lower() >= last, "{} after {last}", bounds.lower());
                last = bounds.lower();
                let upper = Upper::at(&problem, &[0.0; N]).unwrap();
                let certificate = bounds.certificate(&[0.0; N], &upper);
                prop_assert_eq!(certificate.lower, last, "the certificate is that of the bound");
                prop_assert!(certificate.verify(&problem).is_ok());
                prop_assert!(last <= upper.objective, "0 is feasible");
            }
        }
    }
}
