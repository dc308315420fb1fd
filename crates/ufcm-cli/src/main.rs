//! The command `ufcm`: solves, checks and certifies problems in files.

mod answer;
mod arguments;
mod commands;
mod console;
mod constraints;
mod course;
mod failure;
mod heartbeat;
mod interrupt;
mod load;
mod number;
mod other_names;
mod output;
mod panics;
mod progress;
mod ranks;
mod record;
mod report;
mod sense;
mod summary;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use console::Console;
use failure::{Exit, Failure, Outcome};
use std::process::ExitCode;

fn main() -> ExitCode {
    panics::keep_quiet();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(mut error) => {
            other_names::told(&mut error);
            // Help and version are no errors; a pipe that is closed before all is shown is none either.
            let _ = error.print();
            let exit = if error.use_stderr() { Exit::BadInput } else { Exit::Success };
            return exit.into();
        }
    };
    let outcome = panics::caught(|| obey(&arguments.command));
    match outcome.unwrap_or_else(|sentence| Err(Failure::internal(sentence))) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            console::complain(&failure);
            failure.exit().into()
        }
    }
}

/// Does what was asked.
fn obey(command: &Command) -> Outcome {
    interrupt::listen()?;
    let mut console = Console::stdout();
    let exit = match command {
        Command::Solve(options) => commands::solve(options, &mut console),
        Command::Check(options) => commands::check(options, &mut console),
        Command::Tradeoff(options) => commands::tradeoff(options, &mut console),
        Command::Compare(options) => commands::compare(options, &mut console),
        Command::Plan(options) => commands::plan(options, &mut console),
        Command::Predict(options) => commands::predict(options, &mut console),
        Command::Verify(options) => commands::verify(options, &mut console),
        Command::Convert(options) => commands::convert(options, &mut console),
        Command::Init { kind, folder } => commands::init(kind.as_deref(), folder.as_deref(), &mut console),
        Command::Kinds { name } => commands::kinds(name.as_deref(), &mut console),
        Command::Completions { shell } => commands::completions(*shell, Arguments::command(), &mut console),
        Command::Man => commands::man(Arguments::command(), &mut console),
    }?;
    console.finish().map(|()| exit)
}
