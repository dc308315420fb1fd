//! The files that a run writes: opened before it, written after it, each although another failed.

use super::{all_of, solution, trace};
use crate::arguments::SolveOptions;
use crate::commands::predict::model;
use crate::console::Console;
use crate::course::Course;
use crate::failure::{Failure, Outcome};
use crate::load::ending;
use crate::output::{Named, Output, refuse_clashes};
use crate::panics::caught;
use crate::record::RunRecord;
use crate::report::{page, picture};
use crate::summary::{Proof, summary};
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;
use ufcm::problem::Problem;

/// The outputs of a run.
pub(super) struct Files {
    names: Vec<Named>,
    outputs: Vec<Output>,
}

impl Files {
    /// Opens all outputs, before anything is read.
    pub(super) fn open(options: &SolveOptions, budget: &Budget) -> Outcome<Self> {
        options.plot.as_deref().map_or(Ok(()), check_plot)?;
        options.trace.as_deref().map_or(Ok(()), trace::check)?;
        let all = [
            ("--solution", &options.solution),
            ("--certificate", &options.certificate),
            ("--json", &options.json),
            ("--report", &options.report),
            ("--plot", &options.plot),
            ("--model", &options.model),
            ("--trace", &options.trace),
        ];
        let named = |(word, path): (&str, &Option<PathBuf>)| Some(Named::new(word, path.as_ref()?));
        let names: Vec<Named> = all.into_iter().filter_map(named).collect();
        // Standard output holds one file.
        let is_shown = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        let solution = is_shown(&options.solution) && !is_shown(&options.json);
        let word = if solution { "--solution" } else { "--json" };
        names.iter().try_for_each(|name| name.check_stdout_is_for(word))?;
        let problem = Named::new("the problem file", &options.problem.problem);
        let read = [
            ("--x0", &options.x0),
            ("--multipliers0", &options.multipliers0),
            ("--x-star", &options.x_star),
            ("--lambda-star", &options.lambda_star),
        ];
        let inputs: Vec<Named> = [problem].into_iter().chain(read.into_iter().filter_map(named)).collect();
        refuse_clashes(&names, &inputs)?;
        options.solution.as_deref().map_or(Ok(()), solution::check)?;
        options.report.as_deref().map_or(Ok(()), check_report)?;
        let outputs = names.iter().map(|name| Output::open(name.clone(), budget)).collect::<Outcome<_>>()?;
        Ok(Self { names, outputs })
    }

    /// Refuses outputs that are data of the problem.
    pub(super) fn refuse_data(&self, data: &[PathBuf]) -> Outcome<()> {
        let inputs: Vec<Named> = data.iter().map(|path| Named::new("a data file", path)).collect();
        refuse_clashes(&self.names, &inputs)
    }

    /// Takes the room on the disk that the outputs of the problem will need, about and at least.
    pub(super) fn reserve(&mut self, problem: &Problem) -> Outcome<()> {
        let (n, m) = (problem.dimension(), problem.rows());
        // A number takes 8 bytes in .npy, and about 16 in JSON, many being 0; a certificate has a point, its witness and
        // multipliers. What does not grow with the problem is as measured on the examples.
        self.outputs.iter_mut().try_for_each(|output| {
            let bytes = match output.word() {
                "--solution" => 16 * n,
                "--certificate" => 16 * (2 * n + m),
                "--json" => (8 << 10) + 16 * m,
                "--report" => 64 << 10,
                _ => 8 << 10,
            };
            output.reserve(bytes)
        })
    }

    /// Whether an output goes to standard output, and then nothing else does.
    pub(super) fn stdout_is_taken(&self) -> bool {
        self.names.iter().any(Named::is_stdout)
    }

    /// Whether the course of the run is drawn.
    pub(super) fn are_drawn(&self) -> bool {
        self.outputs.iter().any(|output| matches!(output.word(), "--report" | "--plot"))
    }

    /// Writes everything, also after something has failed.
    pub(super) fn write(
        self,
        problem: &Problem,
        record: &RunRecord,
        mut course: Option<Course>,
        console: &mut Console,
    ) -> Outcome<()> {
        if let Some(course) = &mut course {
            course.end(&record.report);
        }
        let write = |output: Output| {
            let content = caught(|| content(&output, problem, record, course.as_ref()));
            let content = content.unwrap_or_else(|sentence| Err(output.failure(sentence)))?;
            if let Some(shown) = output.write(content)? {
                console.write(&shown);
            }
            Ok(())
        };
        let written: Vec<Outcome<()>> = self.outputs.into_iter().map(write).collect();
        all_of(written)
    }
}

/// What is to be written.
fn content(
    output: &Output,
    problem: &Problem,
    record: &RunRecord,
    course: Option<&Course>,
) -> Outcome<Vec<u8>> {
    Ok(match (output.word(), course) {
        ("--solution", _) => solution::content(output.path(), record)?,
        ("--certificate", _) => {
            let proof = Proof::of(record);
            let proof = proof.ok_or_else(|| output.failure("not written: the run proved nothing"))?;
            proof.text()?.into()
        }
        ("--model", _) => model::content(record)?,
        ("--trace", _) => trace::text(output.path(), &record.report.trace)?.into(),
        ("--report", Some(course)) => page(problem, record, course).into(),
        ("--plot", Some(course)) => picture(record, course).into(),
        _ => summary(record)?.into(),
    })
}

/// A report is a page of HTML; a name without an ending, such as that of a device, is taken.
fn check_report(path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "html" | "htm" => Ok(()),
        _ if path.extension().is_none() => Ok(()),
        _ => Err(Failure::in_file(
            path,
            "--report writes HTML; give a name that ends in .html (a browser prints it as PDF)",
        )),
    }
}

/// Pictures are drawn as SVG; other formats take a program that draws it.
fn check_plot(path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "svg" => Ok(()),
        _ => Err(Failure::in_file(
            path,
            "--plot writes SVG; give a name that ends in .svg (browsers and `rsvg-convert` make PNG and PDF of it)",
        )),
    }
}
