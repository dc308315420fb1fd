//! `ufcm init`: a commented problem file with small data, to begin with.

use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use std::path::Path;
use ufcm_io::nearest;

/// A template: its name, what it is, and its files.
struct Template {
    kind: &'static str,
    about: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// The files of a folder of templates/.
macro_rules! files {
    ($folder:literal: $($name:literal),+) => {
        &[$(($name, include_str!(concat!("../../templates/", $folder, "/", $name)))),+]
    };
}

const TEMPLATES: [Template; 10] = [
    Template {
        kind: "neyman-pearson",
        about: "a classifier with a bound on the loss on one class",
        files: files!("neyman-pearson": "problem.toml", "patients.csv"),
    },
    Template {
        kind: "fairness",
        about: "a classifier with a bound on the loss of a group",
        files: files!("fairness": "problem.toml", "applicants.csv"),
    },
    Template {
        kind: "group-robust",
        about: "a classifier for the group it is worst for",
        files: files!("group-robust": "problem.toml", "survey.csv"),
    },
    Template {
        kind: "portfolio",
        about: "the least variance for a given return",
        files: files!("portfolio": "problem.toml", "covariance.csv"),
    },
    Template {
        kind: "qcqp",
        about: "a linear objective within quadratic constraints",
        files: files!("qcqp": "problem.toml"),
    },
    Template { kind: "lp", about: "a linear program", files: files!("lp": "problem.toml") },
    Template {
        kind: "quantile",
        about: "quantile regression",
        files: files!("quantile": "problem.toml", "households.csv"),
    },
    Template {
        kind: "dose",
        about: "least squares within limits on every row",
        files: files!("dose": "problem.toml", "tumour.csv", "organ.csv"),
    },
    Template {
        kind: "logistic",
        about: "logistic regression with a ridge",
        files: files!("logistic": "problem.toml", "patients.csv"),
    },
    Template {
        kind: "lasso",
        about: "least squares with few variables",
        files: files!("lasso": "problem.toml", "measurements.csv"),
    },
];

/// The names of all templates.
pub(crate) fn kinds() -> Vec<&'static str> {
    TEMPLATES.iter().map(|template| template.kind).collect()
}

/// Writes a template into a folder, which it makes; nothing is overwritten.
pub(crate) fn init(kind: Option<&str>, folder: Option<&Path>, console: &mut Console) -> Outcome {
    let Some(kind) = kind else {
        for Template { kind, about, .. } in &TEMPLATES {
            say!(console, "{kind:<16} {about}");
        }
        return Ok(Exit::Success);
    };
    let Some(template) = TEMPLATES.iter().find(|template| template.kind == kind) else {
        let help = match nearest(kind, kinds()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("there are: {}", kinds().join(", ")),
        };
        return Err(Failure::new(format!("there is no template \"{kind}\"; {help}")));
    };
    let folder = folder.unwrap_or(Path::new(template.kind));
    let taken = template.files.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists());
    if let Some(path) = taken {
        return Err(Failure::in_file(
            &path,
            "it is there already, and is not overwritten; give another folder",
        ));
    }
    let unwritable =
        |path: &Path, error: std::io::Error| Failure::in_file(path, format!("cannot be written: {error}"));
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    for (name, text) in template.files {
        let path = folder.join(name);
        write_new(&path, text).map_err(|error| unwritable(&path, error))?;
        say!(console, "wrote {}", path.display());
    }
    let problem = folder.join("problem.toml");
    say!(console, "next  ufcm solve {}", problem.display());
    Ok(Exit::Success)
}

/// Writes a file that must not be there.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::File::options().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
