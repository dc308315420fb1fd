//! `[components.NAME]` and `[affine.NAME]`: the functions g_j, and blocks of affine rows.

use super::data::DataSet;
use super::error::ProblemFileError;
use super::files::Files;
use super::given::{Given, Samples, entry};
use super::node::{Node, Section};
use super::prepared::{NamedLoss, Offset, Uses};
use super::shares::Part;
use super::variables::Variables;
use crate::sparse::from_entries;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use ufcm::catalogue::{self, AFFINE, ComponentEntry, Values};
use ufcm::component::{Absent, ComponentExt, Sum};
use ufcm::error::DataError;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Convexity, Smoothness};
use ufcm::ranks::{Link, Split};

type Result<T> = std::result::Result<T, ProblemFileError>;
type Shared = Arc<dyn Component>;

/// What components and affine blocks are read with.
pub(super) struct Context<'b> {
    pub(super) files: Files<'b>,
    /// Those that are wrong are there without what they would be.
    pub(super) data: BTreeMap<String, Option<DataSet>>,
    pub(super) variables: Variables<'b>,
    /// The ranks that share the samples.
    pub(super) link: Option<&'b Link>,
    /// What the user should know of what was read.
    pub(super) notes: RefCell<Vec<String>>,
    /// What is taken of which data set.
    pub(super) uses: RefCell<Uses>,
}

/// A number under `key`, or what it is without.
pub(super) fn number(section: &Section<'_>, key: &'static str, default: f64) -> Result<f64> {
    section.get(key).map_or(Ok(default), |node| node.number())
}

impl Context<'_> {
    /// Reads `[components.NAME]`.
    pub(super) fn component(&self, node: &Node<'_>) -> Result<Shared> {
        let section = node.section()?;
        let kinds = catalogue::components().map(|entry| &entry.kind);
        let entry = entry(&section, catalogue::component, kinds)?;
        let (weight, constant) = (number(&section, "weight", 1.0)?, number(&section, "constant", 0.0)?);
        // weight g(x) + constant for any kind, also for one that has a constant of its own.
        let [smoothness, convexity] = ["smoothness", "convexity"].map(|key| pair(&section, key));
        let variables = section.get("variables");
        let elsewhere = ["weight", "constant", "smoothness", "convexity"];
        let given = Given::ask(&section, &entry.kind, &elsewhere)?;
        let samples = self.samples(&given)?;
        let part = samples.as_ref().and_then(|samples| samples.selected.part);
        let mut values = given.values(&self.files, samples.as_ref())?;
        let component = self.share(entry, &mut values, part).map_err(|error| given.blame(&error))?;
        self.notes.borrow_mut().extend(given.cautions());
        let smoothness = smoothness?.map(|(constant, exponent)| Smoothness { constant, exponent });
        let convexity = convexity?.map(|(constant, exponent)| Convexity { constant, exponent });
        let component = match (smoothness, convexity) {
            (None, None) => component,
            _ => shared(component.declaring(smoothness, convexity), &section)?,
        };
        let component = if weight == 1.0 { component } else { shared(component.scaled(weight), &section)? };
        let component =
            if constant == 0.0 { component } else { shared(component.shifted(constant), &section)? };
        self.note_use(&section, entry, &given, &component, samples.as_ref())?;
        let name = node.path.strip_prefix("components.").unwrap_or(&node.path).to_owned();
        let mut loss = NamedLoss { name, component: component.clone(), variables: None };
        let Some(node) = variables else {
            self.uses.borrow_mut().losses.push(loss);
            return Ok(component);
        };
        let n = self.variables.in_all(&node)?;
        let listed = self.variables.listed(&node, n)?;
        if let Some((data, _)) = &given.data {
            self.uses.borrow_mut().rearrange(data.text()?, &listed, n);
        }
        loss.variables = Some(listed.clone());
        self.uses.borrow_mut().losses.push(loss);
        if listed.len() != component.dimension() {
            let (count, own) = (listed.len(), component.dimension());
            return Err(node.error(format!("these are {count} variables; the component takes {own}")));
        }
        shared(component.on_variables(listed, n), &section)
    }

    /// Notes what a loss takes of its data: models that score other files ask.
    fn note_use(
        &self,
        section: &Section<'_>,
        entry: &ComponentEntry,
        given: &Given<'_, '_>,
        component: &Shared,
        samples: Option<&Samples<'_>>,
    ) -> Result<()> {
        let (Some((data, _)), Some(samples)) = (&given.data, samples) else { return Ok(()) };
        let (data, mut uses) = (data.text()?, self.uses.borrow_mut());
        let columns = samples.data.matrix.columns();
        if entry.kind.name == "multinomial_logistic" && columns > 0 {
            uses.has_classes(data, component.dimension() / columns);
        }
        let offset = match section.unlisted("offset") {
            None => Offset::None,
            Some(node) if node.is_text() && samples.data.has_column(node.text()?) => {
                Offset::Column(node.text()?.to_owned())
            }
            Some(_) => Offset::Other,
        };
        uses.has_offset(data, offset);
        Ok(())
    }

    /// The component; where ranks share its samples, the part over those of this rank. Samples of a data set are this rank's already, as `part` says.
    fn share(
        &self,
        entry: &ComponentEntry,
        values: &mut Values,
        part: Option<Part>,
    ) -> std::result::Result<Shared, DataError> {
        let Some(link) = self.link else { return entry.build(values) };
        if let Some(part) = part {
            let own = values.samples().unwrap_or(0);
            values.keep_own(part.first..part.first + own, part.total)?;
            let component = entry.build(values)?;
            return Ok(if own == 0 { Arc::new(Absent::of(&*component)) } else { component });
        }
        let (mut own, samples) = (values.clone(), values.samples().unwrap_or(0));
        let whole = entry.build(values)?;
        if whole.split() == Split::Whole {
            // Every rank has all of it.
            own.keep_samples(0..samples)?;
            return Ok(whole);
        }
        // In 128 bits the product cannot overflow.
        let first = |rank: usize| (samples as u128 * rank as u128 / link.size() as u128) as usize;
        let rows = first(link.rank())..first(link.rank() + 1);
        if rows.is_empty() {
            return Ok(Arc::new(Absent::of(&*whole)));
        }
        own.keep_samples(rows)?;
        entry.build(&mut own)
    }

    /// Reads `[affine.NAME]`: A x - b, or differences of means over groups of rows.
    pub(super) fn affine(&self, node: &Node<'_>) -> Result<Affine> {
        let section = node.section()?;
        let variables = section.get("variables");
        let kind = section.get("kind").map_or(Ok("rows"), |node| match node.text()? {
            kind @ ("rows" | "group_means") => Ok(kind),
            _ => Err(node.unknown("kind of affine block", ["rows", "group_means"])),
        })?;
        let (matrix, offset, given) = if kind == "group_means" {
            let matrix = self.group_means(&section)?;
            let rows = matrix.rows();
            (Arc::new(matrix), vec![0.0; rows], None)
        } else {
            let given = Given::ask(&section, &AFFINE, &[])?;
            let mut values = given.values(&self.files, self.samples(&given)?.as_ref())?;
            let read = values.matrix("matrix").and_then(|matrix| {
                let offset = values.spread_or("offset", matrix.rows(), 0.0)?;
                matrix.check()?;
                Ok((matrix, offset))
            });
            let (matrix, offset) = read.map_err(|error| given.blame(&error))?;
            (matrix, offset, Some(given))
        };
        let matrix = match variables {
            None => matrix,
            Some(node) => {
                if let Some(data) = section.unlisted("data").filter(Node::is_text) {
                    let listed = self.variables.listed(&node, self.variables.in_all(&node)?)?;
                    let n = self.variables.in_all(&node)?;
                    self.uses.borrow_mut().rearrange(data.text()?, &listed, n);
                }
                Arc::new(self.widened(&matrix, &node)?)
            }
        };
        let blamed = |error: DataError| {
            given.as_ref().map_or_else(|| section.blame(&error), |given| given.blame(&error))
        };
        Affine::new(matrix, offset).map_err(blamed)
    }

    /// The matrix over all variables whose columns belong to those that `node` lists.
    fn widened(&self, matrix: &Matrix, node: &Node<'_>) -> Result<Matrix> {
        let n = self.variables.in_all(node)?;
        let listed = self.variables.listed(node, n)?;
        if listed.len() != matrix.columns() {
            let (count, own) = (listed.len(), matrix.columns());
            return Err(node.error(format!("these are {count} variables; the block has {own} columns")));
        }
        let mut entries = Vec::new();
        matrix.for_each(|i, j, value| {
            if value != 0.0 {
                entries.push((i, listed[j], value));
            }
        });
        from_entries(matrix.rows(), n, &entries).map_err(|error| node.error(error.to_string()))
    }

    /// The data set of a name.
    pub(super) fn data_set(&self, name: &Node<'_>) -> Result<&DataSet> {
        match self.data.get(name.text()?) {
            Some(Some(data)) => {
                self.uses.borrow_mut().take(name.text()?);
                Ok(data)
            }
            Some(None) => Err(name.error("these data are wrong").implied()),
            None => Err(name.unknown("data set", self.data.keys().map(String::as_str))),
        }
    }

    /// The rows a_i that a data set brings, with one label each if there are any, if one is named.
    fn samples(&self, given: &Given<'_, '_>) -> Result<Option<Samples<'_>>> {
        let Some((name, rows)) = &given.data else { return Ok(None) };
        let data = self.data_set(name)?;
        Ok(Some(Samples { data, selected: data.select(&self.files, rows.as_ref())? }))
    }
}

/// A constant and its exponent under `key`, where they are given: `[4.0, 0.5]`.
fn pair(section: &Section<'_>, key: &'static str) -> Result<Option<(f64, f64)>> {
    let Some(node) = section.get(key) else { return Ok(None) };
    let numbers = node.items()?.iter().map(Node::number).collect::<Result<Vec<f64>>>()?;
    match numbers[..] {
        [constant, exponent] => Ok(Some((constant, exponent))),
        _ => Err(node.error(format!(
            "`{key}` has {} numbers; it must have two: constant and exponent",
            numbers.len()
        ))),
    }
}

/// A component that may be shared, or what is wrong with it.
fn shared<G: Component + 'static>(
    component: std::result::Result<G, DataError>,
    section: &Section<'_>,
) -> Result<Shared> {
    component.map(|g| Arc::new(g) as Shared).map_err(|error| section.blame(&error))
}

/// w_1 g_1 + w_2 g_2 + ...; a single one without a weight stays as it is.
pub(super) fn weighted_sum(
    components: Vec<Shared>,
    weights: Option<Vec<f64>>,
) -> std::result::Result<Shared, DataError> {
    let scaled = match weights {
        None => components,
        Some(weights) => {
            let scaled = |(g, w): (Shared, f64)| g.scaled(w).map(|g| Arc::new(g) as Shared);
            components.into_iter().zip(weights).map(scaled).collect::<std::result::Result<_, _>>()?
        }
    };
    match &scaled[..] {
        [only] => Ok(only.clone()),
        _ => Ok(Arc::new(Sum::new(scaled)?)),
    }
}
