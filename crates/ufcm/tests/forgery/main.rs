//! Certificates that somebody has changed: what the verifier accepts all the same must be true.
//!
//! Random problems are solved, their certificates and proofs of infeasibility changed in every way that could make them say
//! more, and handed to the verifier. It may accept a forgery; but then what it answers holds for the true optimum, which is
//! known from a feasible point or from Clarabel. Some 2 000 forgeries by default; 20 000 and more with
//!
//! ```text
//! UFCM_LONG=1 cargo test --release -p ufcm --test forgery -- --nocapture
//! ```

#[path = "../honesty/conic/mod.rs"]
mod conic;
#[path = "../honesty/describe/mod.rs"]
#[allow(dead_code, reason = "the honesty test uses the rest")]
mod describe;
mod forge;
#[path = "../honesty/generate/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the honesty test uses the rest")]
mod generate;
#[path = "../common/random.rs"]
mod random;
#[path = "../honesty/solver_form.rs"]
mod solver_form;

use conic::Answer;
use describe::{Instance, norm};
use forge::{FORGERIES, forge, forge_infeasibility};
use generate::Key;
use random::Random;
use std::collections::BTreeMap;
use ufcm::certificate::{Certificate, Premise, Verified};
use ufcm::component::{Custom, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::Problem;
use ufcm::regulariser::Bounds;
use ufcm::report::Report;
use ufcm::settings::Settings;

/// What is left to rounding, relative to 1 + |value|.
const ROUNDING: f64 = 1e-9;

fn long() -> bool {
    std::env::var_os("UFCM_LONG").is_some()
}

/// A solved problem, with what is known of the truth.
struct Case {
    key: Key,
    instance: Instance,
    problem: Problem,
    report: Report,
    /// A point that satisfies the constraints, with its objective.
    feasible: Option<(Vec<f64>, f64)>,
    /// The optimum is at most this; infinite where nothing is known.
    ceiling: f64,
}

impl Case {
    fn of(key: Key) -> Self {
        let instance = key.instance();
        let problem = solver_form::problem_of(&instance);
        let settings = Settings { max_gradients: Some(1_000), threads: Some(1), ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        let repaired = report.feasible.as_ref().map(|repaired| repaired.x.clone());
        let point = repaired.or((report.violation == 0.0).then(|| report.x.clone()));
        let feasible = point
            .filter(|x| problem.value(x).is_ok_and(f64::is_finite))
            .map(|x| (x.clone(), instance.objective_at(&x)));
        let mut ceiling = feasible.as_ref().map_or(f64::INFINITY, |(_, value)| *value);
        if let Answer::Optimum { value, uncertainty } = conic::answer_of(&instance) {
            ceiling = ceiling.min(value + uncertainty);
        }
        Self { key, instance, problem, report, feasible, ceiling }
    }

    /// What is wrong with what the verifier accepted.
    fn complaint(&self, forged: &Certificate, verified: &Verified) -> Option<String> {
        let objective = self.instance.objective_at(&forged.x);
        let violation = self.instance.violation_at(&forged.x);
        let room = |value: f64| ROUNDING * (1.0 + value.abs());
        let size = forged.x.iter().fold(1.0f64, |size, x| size.max(x.abs()));
        if self.instance.domain.violation(&forged.x) > 1e-8 * size {
            return Some("x is outside X".into());
        }
        if verified.upper < objective - room(objective) || forged.upper < objective - room(objective) {
            return Some(format!(
                "upper bounds {:e} and {:e}, the point has {objective:e}",
                forged.upper, verified.upper
            ));
        }
        if verified.violation.max(forged.violation) < violation - 1e-8 * size {
            return Some(format!("violation {:e}, in truth {violation:e}", forged.violation));
        }
        let lower = forged.lower.max(verified.lower);
        if let Premise::Radius { centre, radius } = &forged.premise {
            return self.complaint_in_ball(forged, lower, centre, *radius);
        }
        (lower > self.ceiling + room(self.ceiling))
            .then(|| format!("lower bound {lower:e}, the optimum is at most {:e}", self.ceiling))
    }

    /// The same for a bound that speaks of a ball: it need not hold outside, but its own point must be inside.
    fn complaint_in_ball(
        &self,
        forged: &Certificate,
        lower: f64,
        centre: &[f64],
        radius: f64,
    ) -> Option<String> {
        let away = |x: &[f64]| norm(x.iter().zip(centre).map(|(x, c)| x - c));
        if !forged.rests_on_in(&self.problem).contains("a solution lies within") {
            return Some("the ball is not told".into());
        }
        let far = away(&forged.x);
        if far > radius * (1.0 + 1e-8) + 1e-12 * (1.0 + norm(centre.iter().copied())) {
            return Some(format!("x is {far:e} from the centre of a ball of radius {radius:e}"));
        }
        let own =
            (self.instance.violation_at(&forged.x) == 0.0).then(|| self.instance.objective_at(&forged.x));
        let known = self.feasible.as_ref().filter(|(x, _)| away(x) <= radius).map(|(_, value)| *value);
        let value = own.into_iter().chain(known).fold(f64::INFINITY, f64::min);
        (lower > value + ROUNDING * (1.0 + value.abs()))
            .then(|| format!("lower bound {lower:e}, a feasible point of the ball has {value:e}"))
    }
}

fn keys() -> Vec<Key> {
    let shares = match long() {
        false => [("quadratic", 10), ("unlike", 20), ("hopeless", 8), ("mixed", 2), ("ranked", 4)],
        true => [("quadratic", 120), ("unlike", 240), ("hopeless", 60), ("mixed", 24), ("ranked", 48)],
    };
    let of_suite = |(suite, count)| (0..count).flat_map(move |seed| Key::of_suite(suite, seed));
    shares.into_iter().flat_map(of_suite).collect()
}

#[test]
fn forged_certificates_that_are_accepted_claim_nothing_false() {
    let rounds = if long() { 3 } else { 2 };
    let (mut accepted, mut all, mut wrong) = (BTreeMap::new(), 0, Vec::new());
    for (number, key) in keys().into_iter().enumerate() {
        let case = Case::of(key);
        let Some(sound) = &case.report.certificate else { continue };
        assert!(sound.verify(&case.problem).is_ok(), "{key}: {:?}", sound.verify(&case.problem));
        let mut random = Random::new(77 + number as u64);
        for (kind, name) in FORGERIES.into_iter().enumerate() {
            for _ in 0..rounds {
                let forged = forge(kind, sound, &mut random);
                all += 1;
                let Ok(verified) = forged.verify(&case.problem) else { continue };
                *accepted.entry(name).or_insert(0) += 1;
                if let Some(complaint) = case.complaint(&forged, &verified) {
                    wrong.push(format!("{}, {}: {complaint}", case.key, name));
                }
            }
        }
    }
    println!("{all} forgeries; accepted, and true: {accepted:?}");
    assert!(all >= if long() { 20_000 } else { 1_000 }, "{all} forgeries");
    assert!(
        wrong.is_empty(),
        "{} accepted forgeries claim what is false:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for never in ["lower bound no number", "far centre, tiny radius", "radius no number"] {
        assert_eq!(accepted.get(never), None, "{never}");
    }
}

#[test]
fn forged_proofs_of_infeasibility_are_refused_where_there_is_a_feasible_point() {
    let rounds = if long() { 20 } else { 10 };
    let (mut all, mut accepted, mut wrong) = (0, 0, Vec::new());
    for (number, key) in keys().into_iter().enumerate() {
        let case = Case::of(key);
        let mut random = Random::new(99 + number as u64);
        let proof = case.report.infeasibility.as_ref().map(|proof| &proof.witnesses);
        let Some(witnesses) = proof.or(case.report.certificate.as_ref().map(|c| &c.witnesses)) else {
            continue;
        };
        for _ in 0..rounds {
            let forged = forge_infeasibility(witnesses, &case.report.x, &mut random);
            all += 1;
            if forged.verify(&case.problem).is_err() {
                continue;
            }
            accepted += 1;
            let contradicted = case.feasible.as_ref().is_some_and(|(x, _)| match &forged.premise {
                Premise::Radius { centre, radius } => {
                    norm(x.iter().zip(centre).map(|(x, c)| x - c)) <= *radius
                }
                _ => true,
            });
            if contradicted {
                wrong.push(format!("{key}: a feasible point is known"));
            }
        }
    }
    println!("{accepted} of {all} accepted: of problems without a feasible point, or of balls without one");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn bowl() -> Custom {
    Custom::new(2, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&[2.0 * (x[0] - 1.0), 4.0 * (x[1] + 1.0)]);
        }
        Ok((x[0] - 1.0).powi(2) + 2.0 * (x[1] + 1.0).powi(2))
    })
    .unwrap()
}

#[test]
fn forgeries_cannot_hide_what_a_proof_rests_on() {
    let trusted = Quadratic::trusted(&Matrix::row_major(2, 2, vec![2.0, 1.0, 1.0, 2.0]).unwrap()).unwrap();
    let components: [(Box<dyn Component>, &str); 2] =
        [(Box::new(bowl()), "is a user's function"), (Box::new(trusted), "on the user's word")];
    for (component, words) in components {
        let problem = Problem::minimise(component).within(Bounds::new(-3.0, 3.0).unwrap()).build().unwrap();
        let sound = problem.solve(&Settings::default()).unwrap().certificate.unwrap();
        let mut random = Random::new(5);
        for (kind, name) in FORGERIES.into_iter().enumerate() {
            for _ in 0..20 {
                let mut forged = forge(kind, &sound, &mut random);
                if random.within(0.0, 1.0) < 0.5 {
                    forged.grounds.clear();
                }
                let Ok(verified) = forged.verify(&problem) else { continue };
                let told = forged.rests_on_in(&problem);
                assert!(told.contains(words) && !told.contains("no premise"), "{told}");
                if !matches!(forged.premise, Premise::Radius { .. }) {
                    assert!(forged.lower.max(verified.lower) <= sound.upper + 1e-9, "{name}");
                }
            }
        }
    }
}
