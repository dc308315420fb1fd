//! Options under the names that they have in other solvers, which no likeness of letters would find.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const NAMES: &[(&str, &str)] = &[
    ("--tol", "--eps-rel is the tolerance on the relative gap, --eps-feas that on violations"),
    ("--tolerance", "--eps-rel is the tolerance on the relative gap, --eps-feas that on violations"),
    ("--eps", "--eps-rel is the tolerance on the relative gap, --eps-feas that on violations"),
    ("--max-iter", "--max-gradients limits the evaluations of all gradients"),
    ("--max-iters", "--max-gradients limits the evaluations of all gradients"),
    ("--timeout", "--time-limit takes seconds"),
];

/// Says what an option is called here, in the place of the advice to take its name for a value.
pub(crate) fn told(error: &mut clap::Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip(error) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// What the option is called here that a command line names otherwise.
fn tip(error: &clap::Error) -> Option<&'static str> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let given = given.split('=').next().unwrap_or_default();
    NAMES.iter().find(|(name, _)| *name == given).map(|(_, tip)| *tip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::Parser;

    #[test]
    fn names_of_other_solvers_are_known() {
        let told = |option: &str| {
            let error = Arguments::try_parse_from(["ufcm", "solve", "p.toml", option, "1"]).err();
            error.and_then(|error| tip(&error))
        };
        assert!(told("--tol").is_some_and(|tip| tip.starts_with("--eps-rel")));
        assert!(told("--max-iter").is_some_and(|tip| tip.starts_with("--max-gradients")));
        assert_eq!(told("--colour"), None);
        assert_eq!(told("--eps-rel"), None);
    }

    #[test]
    fn an_unknown_option_is_not_taken_for_a_value() {
        let shown = |option: &str| {
            let mut error = Arguments::try_parse_from(["ufcm", "solve", "p.toml", option, "1"]).unwrap_err();
            told(&mut error);
            error.to_string()
        };
        let tol = shown("--tol");
        assert!(tol.contains("tip: --eps-rel is") && !tol.contains("as a value"), "{tol}");
        assert!(!shown("--colour").contains("as a value"));
        assert!(shown("--solutoin").contains("'--solution'"));
    }
}
