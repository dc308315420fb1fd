//! The labels of a data set: numbers, or classes by name.

use super::error::{ProblemFileError, list};
use super::files::{Files, InFile};
use super::node::Node;
use crate::table::Table;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// One label for each row.
#[derive(Debug, Clone)]
pub(super) enum Labels {
    Numbers(Vec<f64>),
    /// The number of the class of each row, and the names of the classes in the order of their texts.
    Classes {
        codes: Vec<f64>,
        names: Vec<String>,
    },
}

impl Labels {
    /// The labels of some rows.
    pub(super) fn of(&self, rows: &[usize]) -> Self {
        let taken = |all: &[f64]| rows.iter().map(|&row| all[row]).collect();
        match self {
            Self::Numbers(numbers) => Self::Numbers(taken(numbers)),
            Self::Classes { codes, names } => Self::Classes { codes: taken(codes), names: names.clone() },
        }
    }

    /// The numbers; where there are none, an error at `node` that says how texts become numbers.
    pub(super) fn numbers(self, node: &Node<'_>) -> Result<Vec<f64>> {
        match self {
            Self::Numbers(numbers) => Ok(numbers),
            Self::Classes { names, .. } => Err(are_texts(node, &names)),
        }
    }
}

/// The labels of a table: 1 where they are `positive` and -1 elsewhere, the numbers that stand there, or classes where those are texts.
pub(super) fn in_table(
    files: &Files<'_>,
    table: &Table,
    label: &Node<'_>,
    positive: Option<&Node<'_>>,
    file: &Node<'_>,
) -> Result<Labels> {
    let column = label.text()?;
    if let Some(node) = positive {
        let value = if node.is_number() { node.number()?.to_string() } else { node.text()?.to_owned() };
        let rows = table.rows_where(column, &value).in_file(file)?;
        if files.gathered(node, &[rows.len() as f64])?.iter().all(|rank| rank[0] == 0.0) {
            let help = there_are(&table.values(column).in_file(file)?);
            return Err(node.error_with(format!("no cell of column \"{column}\" is \"{value}\""), Some(help)));
        }
        let mut labels = vec![-1.0; table.rows()];
        rows.into_iter().for_each(|row| labels[row] = 1.0);
        return Ok(Labels::Numbers(labels));
    }
    if !table.is_text(column).in_file(label)? {
        return Ok(Labels::Numbers(table.numbers(column).in_file(label)?));
    }
    let names = files.joined_texts(file, table.values(column).in_file(file)?)?;
    let cells = table.texts(column).in_file(file)?;
    let codes = cells
        .map(|cell| names.iter().position(|name| *name == cell).map_or(0.0, |code| code as f64))
        .collect();
    Ok(Labels::Classes { codes, names })
}

/// "it has: a, b".
pub(super) fn there_are(values: &[String]) -> String {
    format!("it has: {}", list(values.iter().map(String::as_str)))
}

fn are_texts(node: &Node<'_>, names: &[String]) -> ProblemFileError {
    let shown = list(names.iter().map(String::as_str));
    let one = names.last().map_or("yes", String::as_str);
    let help = format!(
        "write positive = \"{one}\" in the data's section: that value is then 1, any other -1; several classes are for \
         kind = \"multinomial_logistic\""
    );
    node.error_with(format!("the labels of these data are texts: {shown}"), Some(help))
}
