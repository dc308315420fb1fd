//! A run on several ranks: the same problem and settings everywhere, and one end.

use crate::budget::Budget;
use crate::error::DataError;
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;
use crate::ranks::{Link, Signature, of_this_machine};
use crate::report::{Control, Progress};
use crate::settings::Settings;

const RANKS: &str = "ranks";

/// The budget of a run: as it is, or one on whose end the ranks agree, once they have found that they have the same problem and settings.
pub(super) fn together(problem: &Problem, settings: &Settings, budget: &Budget) -> Result<Budget, DataError> {
    let Some(link) = problem.link() else { return Ok(budget.clone()) };
    compare(&signature(problem, settings), link)?;
    let whole = whole_rows(problem);
    let mut data = Signature::default();
    data.add("data of components that are not split over ranks", whole.unwrap_or_else(|error| text(&error)));
    compare(&data, link)?;
    Ok(link.agreeing(budget))
}

fn compare(signature: &Signature, link: &Link) -> Result<(), DataError> {
    let compared =
        signature.difference(link).map_err(|error| DataError::structure(RANKS, error.to_string()))?;
    let differ = |what| Err(DataError::structure(RANKS, format!("they do not have the same {what}")));
    compared.map_or(Ok(()), differ)
}

fn text(error: &OracleError) -> Vec<u64> {
    error.to_string().bytes().map(u64::from).collect()
}

/// An observer whose wish to stop goes to all ranks first.
pub(super) fn heard<'o>(
    problem: &Problem,
    budget: &Budget,
    observer: &'o mut (dyn FnMut(&Progress<'_>) -> Control + Send),
) -> impl FnMut(&Progress<'_>) -> Control + Send + 'o {
    let flag = problem.link().map(|_| budget.stop_flag());
    move |progress| match (observer(progress), &flag) {
        (Control::Stop, Some(flag)) => {
            flag.raise();
            Control::Continue
        }
        (control, _) => control,
    }
}

/// What must be the same on all ranks.
fn signature(problem: &Problem, settings: &Settings) -> Signature {
    let mut signature = Signature::default();
    signature.add_text("version of ufcm and kind of processor", &of_this_machine());
    // Each rank may have as many threads as it has cores, and rank 0's clock decides.
    let settings = Settings { threads: None, time_limit: None, ..settings.clone() };
    signature.add_text("settings", &format!("{settings:?}"));
    let (n, rows) = (problem.dimension(), problem.rows());
    signature.add("number of variables and rows", [n as u64, rows as u64]);
    signature.add_text("names of rows", &problem.row_names().join("\n"));
    let kinds: Vec<&str> =
        (0..rows).map(|row| problem.component(row).map_or("affine", |g| g.kind())).collect();
    signature.add_text("kinds of components", &kinds.join("\n"));
    let mut parameters = Vec::new();
    (0..rows).filter_map(|row| problem.component(row)).for_each(|g| g.add_parameters(&mut parameters));
    signature.add("bounds, weights and parameters of components", parameters.iter().map(|p| p.to_bits()));
    let at = |k: usize| (k % 7) as f64 - 3.0;
    let mut composers = Vec::new();
    for (rows, composer) in problem.parts() {
        let z: Vec<f64> = (0..rows.len()).map(at).collect();
        let mut multipliers = vec![0.0; z.len()];
        composer.multipliers_at(&z, &mut multipliers);
        composers.extend(composer.kind().bytes().map(u64::from));
        composers.extend([composer.value(&z), composer.domain_distance(&z)].map(f64::to_bits));
        composers.extend(multipliers.iter().map(|l| l.to_bits()));
    }
    signature.add("composers", composers);
    let u = problem.regulariser();
    let mut point: Vec<f64> = (0..n).map(at).collect();
    let found = u.prox(Weight::scalar(1.0), &mut point).is_ok();
    let words = u.kind().bytes().map(u64::from).chain([u64::from(found)]);
    signature.add("regulariser and domain", words.chain(point.iter().map(|x| x.to_bits())));
    signature
}

/// Values and slopes at 0 of the rows that every rank has.
fn whole_rows(problem: &Problem) -> Result<Vec<u64>, OracleError> {
    let zero = vec![0.0; problem.dimension()];
    let (mut words, mut gradient) = (Vec::new(), vec![0.0; zero.len()]);
    let mut has_blocks = false;
    for row in 0..problem.rows() {
        match problem.component(row) {
            Some(component) if component.link().is_none() => {
                let value = crate::oracle::guarded(component, &zero, Some(&mut gradient))?;
                words.push(value.to_bits());
                words.extend(gradient.iter().map(|g| g.to_bits()));
            }
            Some(_) => {}
            None => has_blocks = true,
        }
    }
    if has_blocks {
        words.extend(blocks(problem, &zero)?);
    }
    Ok(words)
}

/// The rows of affine blocks, with their offsets.
fn blocks(problem: &Problem, zero: &[f64]) -> Result<Vec<u64>, OracleError> {
    let (mapping, mut values) = (problem.mapping(), vec![0.0; problem.rows()]);
    mapping.values(zero, &mut values)?;
    let (mut words, mut scratch) = (Vec::new(), Vec::new());
    for row in (0..values.len()).filter(|&row| problem.component(row).is_none()) {
        words.push(values[row].to_bits());
        if mapping.has_rows() {
            let look = &mut |view: crate::oracle::RowView<'_>| {
                view.for_each(|i, a| words.extend([i as u64, a.to_bits()]))
            };
            mapping.with_row(row, &mut scratch, look);
        }
    }
    Ok(words)
}
