//! `[components.NAME]` and `[affine.NAME]`: the functions g_j, and blocks of affine rows.

use super::data::{DataSet, Selected};
use super::error::ProblemFileError;
use super::files::Files;
use super::given::{Given, Samples, entry};
use super::node::{Node, Section};
use super::shares::Part;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use ufcm::catalogue::{self, AFFINE, ComponentEntry, Values};
use ufcm::component::{Absent, ComponentExt, Sum};
use ufcm::error::DataError;
use ufcm::mapping::Affine;
use ufcm::oracle::{Component, Convexity, Smoothness};
use ufcm::ranks::{Link, Split};

type Result<T> = std::result::Result<T, ProblemFileError>;
type Shared = Arc<dyn Component>;

/// What components and affine blocks are read with.
pub(super) struct Context<'b> {
    pub(super) files: Files<'b>,
    pub(super) data: BTreeMap<String, DataSet>,
    /// The ranks that share the samples.
    pub(super) link: Option<&'b Link>,
    /// What the user should know of what was read.
    pub(super) notes: RefCell<Vec<String>>,
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
        let elsewhere = ["weight", "constant", "smoothness", "convexity"];
        let given = Given::ask(&section, &entry.kind, &elsewhere)?;
        let (samples, part) = self.samples(&given)?.unzip();
        let mut values = given.values(&self.files, samples)?;
        let component =
            self.share(entry, &mut values, part.flatten()).map_err(|error| given.blame(&error))?;
        self.notes.borrow_mut().extend(given.cautions());
        let smoothness = smoothness?.map(|(constant, exponent)| Smoothness { constant, exponent });
        let convexity = convexity?.map(|(constant, exponent)| Convexity { constant, exponent });
        let component = match (smoothness, convexity) {
            (None, None) => component,
            _ => shared(component.declaring(smoothness, convexity), &section)?,
        };
        let component = if weight == 1.0 { component } else { shared(component.scaled(weight), &section)? };
        if constant == 0.0 { Ok(component) } else { shared(component.shifted(constant), &section) }
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

    /// Reads `[affine.NAME]`: A x - b.
    pub(super) fn affine(&self, node: &Node<'_>) -> Result<Affine> {
        let section = node.section()?;
        let given = Given::ask(&section, &AFFINE, &[])?;
        let mut values = given.values(&self.files, self.samples(&given)?.map(|(samples, _)| samples))?;
        let block = values.matrix("matrix").and_then(|matrix| {
            let offset = values.spread_or("offset", matrix.rows(), 0.0)?;
            matrix.check()?;
            Affine::new(matrix, offset)
        });
        block.map_err(|error| given.blame(&error))
    }

    /// The rows a_i with one number each that a data set brings, if one is named.
    fn samples(&self, given: &Given<'_, '_>) -> Result<Option<(Samples, Option<Part>)>> {
        let Some((name, rows)) = &given.data else { return Ok(None) };
        let Some(data) = self.data.get(name.text()?) else {
            return Err(name.unknown("data set", self.data.keys().map(String::as_str)));
        };
        let Selected { matrix, label, part } = data.select(&self.files, rows.as_ref())?;
        let values = label.ok_or_else(|| {
            let help = "give `label` in its [data] section: a column, an array, or a vector".to_owned();
            name.error_with("these data have no label", Some(help))
        })?;
        Ok(Some(((matrix, values), part)))
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
