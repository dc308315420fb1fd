//! One file for each command.

mod check;
mod compare;
mod convert;
mod init;
mod kinds;
mod plan;
pub(crate) mod predict;
mod solve;
mod tradeoff;
mod verify;

pub(crate) use check::check;
pub(crate) use compare::compare;
pub(crate) use convert::convert;
pub(crate) use init::init;
pub(crate) use kinds::kinds;
pub(crate) use plan::plan;
pub(crate) use predict::predict;
pub(crate) use solve::solve;
pub(crate) use tradeoff::tradeoff;
pub(crate) use verify::verify;

use crate::console::Console;
use crate::failure::{Exit, Outcome};

/// Writes completions for a shell.
pub(crate) fn completions(
    shell: clap_complete::Shell,
    mut command: clap::Command,
    console: &mut Console,
) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "ufcm", &mut script);
    console.write(&script);
    Ok(Exit::Success)
}

/// Writes the manual page, with a section for each command.
pub(crate) fn man(command: clap::Command, console: &mut Console) -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for part in command.get_subcommands() {
        let manual = clap_mangen::Man::new(part.clone());
        page.extend(format!(".SH \"UFCM {}\"\n", part.get_name().to_uppercase()).bytes());
        manual.render_synopsis_section(&mut page)?;
        manual.render_description_section(&mut page)?;
        manual.render_options_section(&mut page)?;
        manual.render_extra_section(&mut page)?;
    }
    console.write(&page);
    Ok(Exit::Success)
}
