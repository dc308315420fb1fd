//! A section that states a kind: its keys are the fields of the catalogue, its values are read by their types.

use super::data::{DataSet, Selected};
use super::error::{ProblemFileError, list};
use super::files::Files;
use super::labels::Labels;
use super::node::{Node, Section};
use super::regularisers;
use crate::nearest::nearest;
use std::sync::Arc;
use ufcm::catalogue::{self, Field, FieldType, Kind, Section as Place, Value, Values};
use ufcm::error::DataError;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// A section with the nodes of a kind's fields.
pub(super) struct Given<'s, 'a> {
    section: &'s Section<'a>,
    kind: &'static Kind,
    /// The fields that are given, in the order of the catalogue.
    nodes: Vec<(&'static Field, Node<'a>)>,
    /// The data set that brings the matrix and the labels, and which of its rows.
    pub(super) data: Option<(Node<'a>, Option<Node<'a>>)>,
}

/// What a component takes of a data set.
pub(super) struct Samples<'d> {
    pub(super) data: &'d DataSet,
    pub(super) selected: Selected,
}

/// The entry that the key `kind` of a section names.
pub(super) fn entry<T>(
    section: &Section<'_>,
    find: impl Fn(&str) -> Option<&'static T>,
    kinds: impl Iterator<Item = &'static Kind>,
) -> Result<&'static T> {
    let node = section.require("kind")?;
    let word = node.text()?;
    if let Some(entry) = find(word) {
        return Ok(entry);
    }
    let kinds: Vec<&Kind> = kinds.collect();
    let aliases = kinds.iter().flat_map(|kind| kind.aliases).map(|alias| alias.name);
    let spellings = kinds.iter().map(|kind| kind.name).chain(aliases);
    let elsewhere = catalogue::kinds().find(|kind| kind.is_called(word));
    let meant = other_name(word).filter(|meant| kinds.iter().any(|kind| kind.name == *meant));
    let help = match (meant, elsewhere, nearest(word, spellings)) {
        (Some(meant), ..) => format!("here it is called \"{meant}\""),
        (None, Some(elsewhere), _) => format!("it belongs into {}", place(elsewhere.section)),
        (None, None, _) if other_name(word).is_some() => {
            let meant = other_name(word).unwrap_or_default();
            let sections =
                catalogue::kinds().filter(|kind| kind.name == meant).map(|kind| place(kind.section));
            format!("\"{meant}\" is what it is called, in {}", list(sections))
        }
        (None, None, Some(near)) => format!("did you mean \"{near}\"?"),
        (None, None, None) => format!("there is: {}", list(kinds.iter().map(|kind| kind.name))),
    };
    let word: String = word.chars().take(60).collect();
    Err(node.error_with(format!("unknown kind \"{word}\""), Some(help)))
}

/// What a kind is called here that has another name elsewhere.
fn other_name(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().replace(['-', ' '], "_").as_str() {
        "log_loss"
        | "logistic_loss"
        | "logistic_regression"
        | "cross_entropy"
        | "binary_cross_entropy"
        | "bce" => "logistic",
        "softmax" | "categorical_cross_entropy" | "softmax_cross_entropy" | "multinomial" => {
            "multinomial_logistic"
        }
        "hinge" | "hinge_loss" | "svm" => "smoothed_hinge",
        "mse" | "squared_error" | "squared_loss" | "ols" | "linear_regression" => "least_squares",
        "mae" | "absolute_error" | "absolute_loss" | "least_absolute_deviations" | "l1_norm" | "one_norm" => {
            "norm1"
        }
        "pinball" | "pinball_loss" | "quantile_loss" | "check_loss" => "quantile",
        "cvar" | "expected_shortfall" | "average_value_at_risk" | "avar" => "conditional_value_at_risk",
        "logsumexp" | "lse" => "log_sum_exp",
        "l2_norm" | "euclidean_norm" | "two_norm" => "norm2",
        "linf_norm" | "max_norm" | "infinity_norm" => "norm_inf",
        "l2_squared" | "tikhonov" | "squared_l2" | "l2_penalty" => "ridge",
        "lasso" | "l1_penalty" => "l1",
        "tv" => "total_variation",
        "entropy" => "negative_entropy",
        "l2_ball" | "euclidean_ball" => "ball",
        "bounds" | "interval" => "box",
        "positive" | "non_negative" => "nonnegative",
        "soc" | "lorentz_cone" => "second_order_cone",
        _ => return None,
    })
}

/// Where in a file kinds of a section stand.
fn place(section: Place) -> &'static str {
    match section {
        Place::Component => "[components.NAME]",
        Place::Composer => "[[terms]]",
        Place::Affine => "[affine.NAME]",
        Place::Regulariser | Place::Domain => "[regulariser] or [domain]",
    }
}

impl<'s, 'a> Given<'s, 'a> {
    /// Asks a section for the fields of a kind, all but those that are read elsewhere, and refuses all other keys.
    pub(super) fn ask(section: &'s Section<'a>, kind: &'static Kind, elsewhere: &[&str]) -> Result<Self> {
        let takes_samples = kind.fields.iter().any(|field| field.of == FieldType::Labels);
        let data = if takes_samples { section.get("data") } else { None };
        let data = data.map(|data| (data, section.get("rows")));
        // Data bring the matrix, and labels and their classes unless others are given.
        let by_data = |field: &Field| matches!(field.of, FieldType::Labels) || field.name == "classes";
        let is_matrix = |field: &Field| data.is_some() && field.of == FieldType::Matrix;
        let fields: Vec<&'static Field> = kind
            .fields
            .iter()
            .filter(|field| !elsewhere.contains(&field.name) && !is_matrix(field))
            .collect();
        let mut nodes = Vec::new();
        for field in &fields {
            nodes.extend(section.field(field)?.map(|node| (*field, node)));
        }
        for field in fields {
            let comes = data.is_some() && by_data(field);
            if field.is_required() && !comes && !nodes.iter().any(|(given, _)| given.name == field.name) {
                section.require(field.name)?;
            }
        }
        section.finish()?;
        Ok(Self { section, kind, nodes, data })
    }

    /// The values of the fields; those of a data set come as `samples`.
    pub(super) fn values(&self, files: &Files<'_>, samples: Option<&Samples<'_>>) -> Result<Values> {
        let mut values = self.kind.values();
        for (field, node) in &self.nodes {
            let value = match samples.map(|samples| samples.column(field, node)).transpose()?.flatten() {
                Some(column) => Value::Vector(column),
                None => value(files, field, node)?,
            };
            values.set(field.name, value).map_err(|error| node.error(error.to_string()))?;
        }
        if let Some(samples) = samples {
            self.set_samples(samples, &mut values)?;
        }
        Ok(values)
    }

    /// Sets the matrix, and the labels and classes where they are not given.
    fn set_samples(&self, samples: &Samples<'_>, values: &mut Values) -> Result<()> {
        let Some((name, _)) = &self.data else { return Ok(()) };
        let mut set =
            |field: &str, value| values.set(field, value).map_err(|error| name.error(error.to_string()));
        let field_of = |of: FieldType| self.kind.fields.iter().find(|field| field.of == of);
        if let Some(field) = field_of(FieldType::Matrix) {
            set(field.name, Value::Matrix(samples.selected.matrix.clone()))?;
        }
        let is_given = |name: &str| self.nodes.iter().any(|(given, _)| given.name == name);
        let Some(field) = field_of(FieldType::Labels).filter(|field| !is_given(field.name)) else {
            return Ok(());
        };
        let takes_classes = self.kind.field("classes").is_some();
        match samples.selected.label.clone() {
            Some(Labels::Classes { codes, names }) if takes_classes => {
                if !is_given("classes") {
                    set("classes", Value::Count(names.len()))?;
                }
                set(field.name, Value::Vector(codes))
            }
            Some(_) if takes_classes && !is_given("classes") => self.section.require("classes").map(|_| ()),
            Some(label) => set(field.name, Value::Vector(label.numbers(name)?)),
            None if field.is_required() => {
                let help = "give `label` in its [data] section: a column, an array, or a vector".to_owned();
                Err(name.error_with("these data have no label", Some(help)))
            }
            None => Ok(()),
        }
    }

    /// What the user should know of what was given.
    pub(super) fn cautions(&self) -> impl Iterator<Item = String> {
        let raised = self
            .nodes
            .iter()
            .filter(|(field, node)| !field.caution.is_empty() && node.boolean().is_ok_and(|is_true| is_true));
        raised.map(|(field, _)| format!("[{}] {}", self.section.path, field.caution))
    }

    /// What the library refuses, told at the key that is to blame; the first key where the data do not fit as a whole.
    pub(super) fn blame(&self, error: &DataError) -> ProblemFileError {
        let node_of = |field: &Field| {
            let own = self.nodes.iter().find(|(given, _)| given.name == field.name).map(|(_, node)| node);
            let from_data = matches!(field.of, FieldType::Matrix | FieldType::Labels);
            own.or_else(|| self.data.as_ref().filter(|_| from_data).map(|(data, _)| data))
        };
        let to_blame = match error.field() {
            Some(name) => self.kind.blamed(name).find_map(node_of),
            None => self.nodes.first().map(|(_, node)| node),
        };
        match to_blame {
            Some(node) => node.error(error.to_string()),
            None => self.section.error(error.to_string()),
        }
    }
}

impl Samples<'_> {
    /// A column of the data that a text names, where the field takes one number for each sample.
    fn column(&self, field: &Field, node: &Node<'_>) -> Result<Option<Vec<f64>>> {
        if !(matches!(field.of, FieldType::Labels | FieldType::Spread) && node.is_text()) {
            return Ok(None);
        }
        let column = self.data.column(node, self.selected.rows.as_deref())?;
        // A name without an ending is that of a column, not of a file.
        let name = node.text()?;
        let columns = self.data.table.as_ref().filter(|_| !name.contains(['.', '/']));
        match (column, columns) {
            (None, Some(table)) => {
                Err(node.unknown("column", table.names().iter().map(String::as_str).collect::<Vec<_>>()))
            }
            (column, _) => Ok(column),
        }
    }
}

/// A value by the type of its field.
fn value(files: &Files<'_>, field: &Field, node: &Node<'_>) -> Result<Value> {
    Ok(match field.of {
        FieldType::Matrix => Value::Matrix(Arc::new(files.matrix(node)?)),
        FieldType::MatrixOrDiagonal if node.is_array_of_numbers() => Value::Vector(files.vector(node, None)?),
        FieldType::MatrixOrDiagonal => matrix_or_diagonal(files.matrix(node)?, node)?,
        FieldType::Labels | FieldType::Spread if node.is_number() => Value::Number(node.number()?),
        FieldType::Labels | FieldType::Spread | FieldType::Vector => Value::Vector(files.vector(node, None)?),
        FieldType::PerCoordinate if node.is_number() => Value::Number(node.number_or_infinity()?),
        FieldType::PerCoordinate => Value::Vector(files.sides(node, 0)?),
        FieldType::Number => Value::Number(node.number()?),
        FieldType::Count => Value::Count(node.count()?),
        FieldType::Flag => Value::Flag(node.boolean()?),
        FieldType::Choice(words) => {
            let word = node.text()?;
            if !words.contains(&word) {
                return Err(node.unknown("value", words.iter().copied()));
            }
            Value::Word(word.to_owned())
        }
        FieldType::Groups => {
            let group = |group: &Node<'_>| group.items()?.iter().map(Node::count).collect::<Result<Vec<_>>>();
            Value::Groups(node.items()?.iter().map(group).collect::<Result<_>>()?)
        }
        FieldType::Parts => Value::Parts(regularisers::parts(files, node)?),
        of => return Err(node.error(format!("{} cannot be read from a problem file", of.words()))),
    })
}

/// A single column of several entries, as a vector in a file is read, stands for a diagonal. A matrix must be square.
fn matrix_or_diagonal(matrix: Matrix, node: &Node<'_>) -> Result<Value> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    if columns == 1 && rows > 1 {
        let entry = |i: usize| matrix.view_row(i).dot(&[1.0]);
        return Ok(Value::Vector((0..rows).map(entry).collect()));
    }
    if rows != columns {
        let help = "for x'F'F x / 2 with such an F write `factor`";
        return Err(node
            .error_with(format!("the matrix is {rows} x {columns}; it must be square"), Some(help.into())));
    }
    Ok(Value::Matrix(Arc::new(matrix)))
}
