//! `ufcm verify`: a certificate is checked from the problem's oracles alone.

use crate::arguments::VerifyOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::load::{Loaded, load};
use crate::number::scientific;
use crate::sense::{proven_bound, shown};
use crate::summary::Proof;
use std::path::Path;
use ufcm::budget::Budget;
use ufcm::certificate::{Certificate, Infeasibility, Verified};
use ufcm_io::Source;

/// How many constraints are shown.
const SHOWN: usize = 20;

/// Checks a certificate against a problem.
pub(crate) fn verify(options: &VerifyOptions, console: &mut Console) -> Outcome {
    let path = &options.certificate;
    let source = Source::open(path)?;
    let proof: Proof = serde_json::from_str(source.text()?).map_err(|error| {
        Failure::in_file(path, format!("it is no certificate of `ufcm solve --certificate`: {error}"))
    })?;
    let loaded = load(&options.problem, &Budget::unlimited())?;
    let refused = |error: ufcm::certificate::CertificateError| {
        Failure::in_file(path, format!("it does not hold for {}: {error}", options.problem.problem.display()))
    };
    let named = |sentence: &str| loaded.description.in_file_names(sentence);
    match proof {
        Proof::Bounds(certificate) => {
            let verified = certificate.verify(&loaded.problem).map_err(refused)?;
            show_bounds(&certificate, &verified, &loaded, path, console);
        }
        Proof::Infeasibility(proof) => {
            let margin = proof.verify(&loaded.problem).map_err(refused)?;
            say!(
                console,
                "verified     {} proves that {} is infeasible",
                path.display(),
                loaded.description.name
            );
            show_conflict(&proof, console, named);
            say!(console, "margin       {}", scientific(margin, 2));
            say!(console, "rests on     {}", named(&proof.rests_on_in(&loaded.problem)));
        }
        Proof::Unboundedness(proof) => {
            let rate = proof.verify(&loaded.problem).map_err(refused)?;
            let name = &loaded.description.name;
            say!(console, "verified     {} proves that {name} is unbounded", path.display());
            say!(
                console,
                "rate         the objective improves by {} for each length of the ray",
                scientific(rate, 2)
            );
            say!(console, "violation    {} at its point", scientific(proof.violation, 2));
            say!(console, "rests on     {}", proof.rests_on());
        }
    }
    Ok(Exit::Success)
}

/// What a certificate proves.
fn show_bounds(
    certificate: &Certificate,
    verified: &Verified,
    loaded: &Loaded,
    path: &Path,
    console: &mut Console,
) {
    let name = &loaded.description.name;
    match verified.lower.is_finite() {
        true => say!(console, "verified     {} proves bounds of {name}", path.display()),
        false => say!(
            console,
            "verified     {} holds for {name}, but bounds the optimum on the side of its point alone",
            path.display()
        ),
    }
    let sense = loaded.description.sense;
    let (bound, objective) = (shown(verified.lower, sense), shown(verified.upper, sense));
    let told = |value: f64, digits| {
        if value.is_finite() { scientific(value, digits) } else { "none".into() }
    };
    say!(console, "{}  {}", proven_bound(sense), told(bound, 9));
    say!(console, "objective    {} at its point", scientific(objective, 9));
    say!(console, "gap          {}", told(verified.gap(), 2));
    say!(console, "violation    {}", scientific(verified.violation, 2));
    if verified.lower.is_finite() {
        say!(
            console,
            "rests on     {}",
            loaded.description.in_file_names(&certificate.rests_on_in(&loaded.problem))
        );
    }
    if certificate.curvature > 0.0 {
        say!(console, "             and the strong convexity that the components claim");
    }
    if let Some(constants) = &certificate.constants {
        say!(console, "constants    {constants} (of the run; no part of the proof)");
    }
}

/// The constraints that have no common point.
fn show_conflict(proof: &Infeasibility, console: &mut Console, named: impl Fn(&str) -> String) {
    say!(console, "conflict     {}", named(&proof.conflict()));
    for needed in proof.rows.iter().take(SHOWN) {
        say!(
            console,
            "             {}: multiplier {}",
            named(&needed.name),
            scientific(needed.multiplier, 3)
        );
    }
    if proof.rows.len() > SHOWN {
        say!(console, "             and {} more", proof.rows.len() - SHOWN);
    }
}
