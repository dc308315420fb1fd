//! A problem from a file, with what is to be told about it.

use crate::arguments::ProblemOptions;
use crate::failure::Failure;
use crate::record::Description;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ufcm::budget::{Activity, Budget};
use ufcm::problem::Problem;
use ufcm::ranks::Link;
use ufcm::summary::RowGroup;
use ufcm_io::paths::{Base, similar};
use ufcm_io::problem_file::{NamedLoss, Prepared};
use ufcm_io::{Program, ReadError, Sense, Source, assigned, cbf, lp, mps, problem_file};

/// A problem and its description.
pub(crate) struct Loaded {
    pub(crate) problem: Problem,
    pub(crate) description: Description,
    /// Sentences for the user.
    pub(crate) notes: Vec<String>,
    /// The data files that the problem file names.
    pub(crate) files: Vec<PathBuf>,
    /// How the columns of a table became the variables, if they did.
    pub(crate) prepared: Option<Prepared>,
    /// What was done to the data, in sentences.
    pub(crate) preparation: Vec<String>,
    /// Losses that no row of the problem stands for.
    pub(crate) losses: Vec<NamedLoss>,
}

/// Reads a problem file, or a program in MPS, QPS, LP or CBF, by the end of its name.
///
/// A limit of time, or Ctrl-C, may end that as well.
pub(crate) fn load(options: &ProblemOptions, budget: &Budget) -> Result<Loaded, Failure> {
    load_over(options, budget, None)
}

/// As [`load`], on one of several ranks, which all read the same problem and share its samples.
pub(crate) fn load_over(
    options: &ProblemOptions,
    budget: &Budget,
    link: Option<&Arc<Link>>,
) -> Result<Loaded, Failure> {
    budget.doing(Activity::Reading);
    read(options, budget, link).map_err(|failure| failure.stopped_by(budget))
}

fn read(options: &ProblemOptions, budget: &Budget, link: Option<&Arc<Link>>) -> Result<Loaded, Failure> {
    let path = &options.problem;
    if is_stdin(path) {
        return load_toml(options, budget, link);
    }
    if !path.exists() {
        let near = similar(path).map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(Failure::in_file(path, format!("there is no such file{near}")));
    }
    if path.is_dir() {
        let inside = path.join("problem.toml");
        let near =
            if inside.exists() { format!("; did you mean {}?", inside.display()) } else { String::new() };
        return Err(Failure::in_file(path, format!("expected a file, found a folder{near}")));
    }
    match ending(path).as_str() {
        "toml" => load_toml(options, budget, link),
        "mps" | "qps" | "lp" | "cbf" if link.is_some() => Err(Failure::in_file(
            path,
            "a program has no samples that ranks could share; solve it without --mpi",
        )),
        "mps" | "qps" | "lp" | "cbf" if !options.set.is_empty() => {
            Err(Failure::in_file(path, "--set changes keys of problem files in TOML; this is a program"))
        }
        "mps" | "qps" | "lp" | "cbf" => load_program(options, budget),
        other => {
            let message = format!("a problem ends in .toml, .mps, .qps, .lp or .cbf, not in \".{other}\"");
            Err(Failure::in_file(path, message))
        }
    }
}

/// Whether the problem comes from standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The end of a file's name, `.gz` left aside.
pub(crate) fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = name.trim_end_matches(".gz");
    stem.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_owned())
}

fn load_toml(options: &ProblemOptions, budget: &Budget, link: Option<&Arc<Link>>) -> Result<Loaded, Failure> {
    let path = &options.problem;
    let source = match is_stdin(path) {
        true => Source::from_stdin(budget)?,
        false => Source::open_within(path, budget)?,
    };
    let source = match options.set.is_empty() {
        true => source,
        false => {
            assigned(&source, &options.set).map_err(|error| Failure::new(format!("option --set: {error}")))?
        }
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = Base::new(folder).within(budget);
    let base = if options.allow_paths { base.allowing_others() } else { base };
    let file = problem_file::read_over(&source, &base, link)?;
    if link.is_some() && file.problem.link().is_none() {
        let message = "it has no loss over samples that ranks could share; solve it without --mpi";
        return Err(Failure::in_file(path, message));
    }
    let unnamed = || if is_stdin(path) { "standard input".to_owned() } else { stem(path) };
    let name = file.name.unwrap_or_else(unnamed);
    let description = Description::new(name, path, &file.problem, file.variables, None)
        .with_component_names(file.component_names);
    Ok(Loaded {
        problem: file.problem,
        description,
        notes: file.notes,
        files: base.opened(),
        prepared: file.prepared,
        preparation: file.preparation,
        losses: file.losses,
    })
}

/// A program in MPS, QPS, LP or CBF.
pub(crate) fn read_program(path: &Path, source: &Source, relax_integers: bool) -> Result<Program, ReadError> {
    match ending(path).as_str() {
        "lp" => lp::read(source, &lp::Options { relax_integers }),
        "cbf" => cbf::read(source, &cbf::Options { relax_integers }),
        _ => mps::read(source, &mps::Options { relax_integers, ..mps::Options::default() }),
    }
}

fn load_program(options: &ProblemOptions, budget: &Budget) -> Result<Loaded, Failure> {
    let path = &options.problem;
    let mut program = read_program(path, &Source::open_within(path, budget)?, options.relax_integers)?;
    let problem = program.to_problem().map_err(|error| Failure::in_file(path, error))?;
    let mut notes = std::mem::take(&mut program.notes);
    if program.sense == Sense::Maximise {
        notes.push("the program is to be maximised; multipliers tell what loosening a row brings".into());
    }
    let multipliers = program_multipliers(&program);
    let (sense, name) = (program.sense, if program.name.is_empty() { stem(path) } else { program.name });
    let description = Description::new(name, path, &problem, Some(program.variables), Some(multipliers));
    let own =
        |group: &RowGroup| Some((problem.row_names().get(group.rows.start)?.clone(), group.name.clone()));
    let of_rows = description.multipliers.iter().filter(|group| group.rows.len() == 1);
    let file_names = of_rows.filter_map(own).filter(|(row, name)| row != name).collect();
    let description = Description { sense, file_names, ..description };
    let (files, preparation, losses) = Default::default();
    Ok(Loaded { problem, description, notes, files, prepared: None, preparation, losses })
}

/// One group for each row of the program, with the sign that the program's row has.
fn program_multipliers(program: &Program) -> Vec<RowGroup> {
    let group = |(k, row): (usize, ufcm_io::ProblemRow)| RowGroup {
        name: program.rows[row.row].clone(),
        // Row 0 is the objective.
        rows: k + 1..k + 2,
        sign: if row.negated { -1.0 } else { 1.0 },
    };
    let mut groups: Vec<RowGroup> = program.problem_rows().into_iter().enumerate().map(group).collect();
    let mut first = 1 + groups.len();
    for cone in &program.cones {
        let rows = first..first + cone.offset.len();
        first = rows.end;
        groups.push(RowGroup { name: cone.name.clone(), rows, sign: 1.0 });
    }
    groups
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}
