//! Where a run begins: vectors in .npy files, or what an earlier run has written as JSON, by names.

use crate::answer::variable_names;
use crate::failure::Failure;
use crate::load::{Loaded, ending};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use ufcm::budget::Budget;
use ufcm_io::{Source, npy};

/// A starting point.
pub(super) fn point(path: &Path, loaded: &Loaded, budget: &Budget) -> Result<Vec<f64>, Failure> {
    let n = loaded.problem.dimension();
    if ending(path) != "json" {
        return vector(path, (n, "variables"), budget);
    }
    let file = json(path, budget)?;
    let names = variable_names(loaded.description.variable_names.as_deref(), n);
    // The summary of a run, or a solution: name and value.
    let listed = file.get("x").filter(|x| x.is_array());
    let Some(listed) = listed else {
        let fields = file.as_object().ok_or_else(|| Failure::in_file(path, NO_POINT))?;
        let known =
            fields.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?))).collect();
        return by_name(path, &names, &known);
    };
    let values = numbers(listed).ok_or_else(|| Failure::in_file(path, NO_POINT))?;
    let told = file.pointer("/problem/variable_names").and_then(Value::as_array);
    let own: Option<Vec<&str>> = told.map(|names| names.iter().filter_map(Value::as_str).collect());
    match (own.filter(|own| own.len() == values.len()), &loaded.description.variable_names) {
        (Some(own), Some(_)) => by_name(path, &names, &own.into_iter().zip(values).collect()),
        _ => fitting(path, values, (n, "variables")),
    }
}

const NO_POINT: &str = "it has no point: the JSON of `ufcm solve --json` or `--solution` is expected";

/// The values of these names; variables that the file does not know begin at 0.
fn by_name(path: &Path, names: &[String], known: &HashMap<&str, f64>) -> Result<Vec<f64>, Failure> {
    if !names.iter().any(|name| known.contains_key(name.as_str())) {
        let message = format!("it has none of the problem's variables, such as \"{}\"", names[0]);
        return Err(Failure::in_file(path, message));
    }
    let x = names.iter().map(|name| known.get(name.as_str()).copied().unwrap_or(0.0)).collect();
    fitting(path, x, (names.len(), "variables"))
}

/// Multipliers of all rows.
pub(super) fn multipliers(path: &Path, loaded: &Loaded, budget: &Budget) -> Result<Vec<f64>, Failure> {
    let rows = loaded.problem.rows();
    if ending(path) != "json" {
        return vector(path, (rows, "rows, the objective's first"), budget);
    }
    let file = json(path, budget)?;
    let known = file.get("multipliers").and_then(Value::as_object).ok_or_else(|| {
        Failure::in_file(path, "it has no multipliers: the JSON of `ufcm solve --json` is expected")
    })?;
    let mut multipliers = vec![0.0; rows];
    multipliers[0] = 1.0;
    let mut found = 0;
    for group in &loaded.description.multipliers {
        let Some(told) = known.get(&group.name) else { continue };
        let values = told.as_f64().map(|one| vec![one]).or_else(|| numbers(told)).unwrap_or_default();
        if values.len() != group.rows.len() {
            let (has, needs) = (values.len(), group.rows.len());
            let message =
                format!("multipliers: {} has {has} numbers; the problem has {needs} rows there", group.name);
            return Err(Failure::in_file(path, message));
        }
        found += 1;
        multipliers[group.rows.clone()].iter_mut().zip(values).for_each(|(l, told)| *l = group.sign * told);
    }
    if found == 0 && !loaded.description.multipliers.is_empty() {
        let name = &loaded.description.multipliers[0].name;
        let message = format!("it has no multiplier of a row of the problem, such as \"{name}\"");
        return Err(Failure::in_file(path, message));
    }
    fitting(path, multipliers, (rows, "rows, the objective's first"))
}

fn json(path: &Path, budget: &Budget) -> Result<Value, Failure> {
    let source = Source::open_within(path, budget).map_err(Failure::from);
    let source = source.map_err(|failure| failure.stopped_by(budget))?;
    serde_json::from_str(source.text()?).map_err(|error| Failure::in_file(path, error))
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// A vector in a .npy file, of `n` numbers.
pub(super) fn vector(path: &Path, (n, of): (usize, &str), budget: &Budget) -> Result<Vec<f64>, Failure> {
    let name = path.to_string_lossy();
    if path.extension().is_some() && !name.trim_end_matches(".gz").ends_with(".npy") {
        let message = "a start is read from a .npy file of NumPy, or --x0 and --multipliers0 from the .json of an earlier run";
        return Err(Failure::in_file(path, message));
    }
    let source = Source::open_within(path, budget).map_err(Failure::from);
    let source = source.map_err(|failure| failure.stopped_by(budget))?;
    let array = npy::read(&source)?;
    let vector = array.into_vector().map_err(|fault| Failure::in_file(path, fault))?;
    fitting(path, vector, (n, of))
}

/// Checks a vector's length and numbers.
fn fitting(path: &Path, vector: Vec<f64>, (n, of): (usize, &str)) -> Result<Vec<f64>, Failure> {
    if vector.len() != n {
        let message = format!("it has {} numbers; the problem has {n} {of}", vector.len());
        return Err(Failure::in_file(path, message));
    }
    if let Some(i) = vector.iter().position(|v| !v.is_finite()) {
        return Err(Failure::in_file(
            path,
            format!("entry {i} is {}; it must be a finite number", vector[i]),
        ));
    }
    Ok(vector)
}
