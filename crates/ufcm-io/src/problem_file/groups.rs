//! Means over groups of rows: demographic parity and equal opportunity as affine rows.

use super::components::Context;
use super::error::ProblemFileError;
use super::files::InFile;
use super::node::Section;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// More groups than this are probably a column of another kind.
const MOST: usize = 100;

impl Context<'_> {
    /// One row for each pair of groups: the mean of a_i.x over the first minus that over the second.
    pub(super) fn group_means(&self, section: &Section<'_>) -> Result<Matrix> {
        let (name, groups, rows) =
            (section.require("data")?, section.require("groups")?, section.get("rows"));
        section.finish()?;
        let data = self.data_set(&name)?;
        let Some(table) = &data.table else {
            let help = "groups are the values of a column of a table, such as a CSV file";
            return Err(name.error_with("these data have no columns by name", Some(help.into())));
        };
        let column = groups.text()?;
        if !table.names().iter().any(|other| other == column) {
            return Err(
                groups.unknown("column", table.names().iter().map(String::as_str).collect::<Vec<_>>())
            );
        }
        let selected = data.select(&self.files, rows.as_ref())?;
        let cells: Vec<String> = table.texts(column).in_file(&groups)?.map(String::from).collect();
        let values = table.values(column).in_file(&groups)?;
        let taken = selected.rows.unwrap_or_else(|| (0..cells.len()).collect());
        let mut codes = Vec::with_capacity(taken.len());
        for &row in &taken {
            let missing = || groups.error(format!("the group of row {row} (counted from 0) is missing"));
            codes.push(values.binary_search(&cells[row]).map_err(|_| missing())?);
        }
        let present: Vec<usize> = (0..values.len()).filter(|code| codes.contains(code)).collect();
        if present.len() < 2 {
            return Err(groups.error(format!(
                "all of these rows have the same \"{column}\": there is nothing to compare"
            )));
        }
        if present.len() > MOST {
            let message =
                format!("column \"{column}\" has {} values; groups are {MOST} at most", present.len());
            return Err(groups.error(message));
        }
        Affine::differences_of_means(&selected.matrix, &codes)
            .map_err(|error| groups.error(error.to_string()))
    }
}
