//! `[components.NAME]`: the functions g_j.

use super::data::DataSet;
use super::error::ProblemFileError;
use super::files::Files;
use super::node::{Node, Section};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use ufcm::component::{
    ComponentExt, ExponentialSum, Glm, Huber, LeastSquares, Linear, LogSumExp, Logistic, Loss, Poisson,
    Power, Quadratic, Reduction, SmoothedHinge, SquaredHinge, Sum,
};
use ufcm::error::DataError;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

type Result<T> = std::result::Result<T, ProblemFileError>;
type Shared = Arc<dyn Component>;

/// What components and affine blocks are read with.
pub(super) struct Context<'b> {
    pub(super) files: Files<'b>,
    pub(super) data: BTreeMap<String, DataSet>,
    /// What the user should know of what was read.
    pub(super) notes: RefCell<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Logistic,
    LeastSquares,
    Huber,
    Poisson,
    Power,
    SquaredHinge,
    SmoothedHinge,
    ExponentialSum,
    LogSumExp,
    Quadratic,
    Linear,
}

const KINDS: [(&str, Kind); 11] = [
    ("logistic", Kind::Logistic),
    ("least_squares", Kind::LeastSquares),
    ("huber", Kind::Huber),
    ("poisson", Kind::Poisson),
    ("power", Kind::Power),
    ("squared_hinge", Kind::SquaredHinge),
    ("smoothed_hinge", Kind::SmoothedHinge),
    ("exponential_sum", Kind::ExponentialSum),
    ("log_sum_exp", Kind::LogSumExp),
    ("quadratic", Kind::Quadratic),
    ("linear", Kind::Linear),
];

/// One of the kinds of a section, by its key `kind`.
pub(super) fn kind<T: Copy>(section: &Section<'_>, kinds: &[(&'static str, T)]) -> Result<T> {
    let node = section.require("kind")?;
    let word = node.text()?;
    let found = kinds.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind);
    found.ok_or_else(|| node.unknown("kind", kinds.iter().map(|(name, _)| *name)))
}

/// A number under `key`, or what it is without.
pub(super) fn number(section: &Section<'_>, key: &'static str, default: f64) -> Result<f64> {
    section.get(key).map_or(Ok(default), |node| node.number())
}

impl Context<'_> {
    /// Reads `[components.NAME]`.
    pub(super) fn component(&self, node: &Node<'_>) -> Result<Shared> {
        let section = node.section()?;
        let kind = kind(&section, &KINDS)?;
        let (weight, constant) = (number(&section, "weight", 1.0)?, number(&section, "constant", 0.0)?);
        let component = match kind {
            Kind::Quadratic => self.quadratic(&section)?,
            Kind::Linear => {
                let linear = section.require("linear")?;
                section.finish()?;
                let linear = Linear::new(self.files.vector(&linear, None)?, 0.0);
                shared(linear, &section)?
            }
            Kind::LogSumExp | Kind::ExponentialSum => self.exponentials(&section, kind)?,
            _ => self.loss(&section, kind)?,
        };
        let component = if weight == 1.0 { component } else { shared(component.scaled(weight), &section)? };
        if constant == 0.0 { Ok(component) } else { shared(component.shifted(constant), &section) }
    }

    fn loss(&self, section: &Section<'_>, kind: Kind) -> Result<Shared> {
        let parameter = match kind {
            Kind::Huber => section.require("delta")?.number()?,
            Kind::Power => section.require("p")?.number()?,
            Kind::SmoothedHinge => section.require("gamma")?.number()?,
            _ => 0.0,
        };
        let weighting = Weighting::read(section)?;
        let samples = self.samples(section, "target")?;
        let Samples { matrix, values: targets } = samples;
        match kind {
            Kind::Logistic => weighting.apply(Logistic::new(matrix, &targets), section, self),
            Kind::LeastSquares => weighting.apply(LeastSquares::new(matrix, targets), section, self),
            Kind::Huber => weighting.apply(Huber::new(matrix, targets, parameter), section, self),
            Kind::Poisson => weighting.apply(Poisson::new(matrix, targets), section, self),
            Kind::Power => weighting.apply(Power::new(matrix, targets, parameter), section, self),
            Kind::SquaredHinge => weighting.apply(SquaredHinge::new(matrix, &targets), section, self),
            _ => weighting.apply(SmoothedHinge::new(matrix, &targets, parameter), section, self),
        }
    }

    fn exponentials(&self, section: &Section<'_>, kind: Kind) -> Result<Shared> {
        let Samples { matrix, values: offsets } = self.samples(section, "offset")?;
        match kind {
            Kind::LogSumExp => shared(LogSumExp::new(matrix, offsets), section),
            _ => shared(ExponentialSum::new(matrix, offsets), section),
        }
    }

    /// The rows a_i with one number each: from `data` (and `rows`), whose labels they are, or from `matrix` and `key`.
    fn samples(&self, section: &Section<'_>, key: &'static str) -> Result<Samples> {
        let Some(name) = section.get("data") else {
            let (matrix, values) = (section.require("matrix")?, section.get(key));
            section.finish()?;
            let matrix = self.files.matrix(&matrix)?;
            let values = match values {
                Some(values) => self.files.vector(&values, Some(matrix.rows()))?,
                None if key == "offset" => vec![0.0; matrix.rows()],
                None => return Err(section.error(format!("`{key}` is missing"))),
            };
            return Ok(Samples { matrix: Arc::new(matrix), values });
        };
        let rows = section.get("rows");
        section.finish()?;
        let Some(data) = self.data.get(name.text()?) else {
            return Err(name.unknown("data set", self.data.keys().map(String::as_str)));
        };
        let (matrix, label) = data.select(rows.as_ref())?;
        let values = label.ok_or_else(|| {
            let help = "give `label` in its [data] section: a column, an array, or a vector".to_owned();
            name.error_with("these data have no label", Some(help))
        })?;
        Ok(Samples { matrix, values })
    }

    /// Reads `[affine.NAME]`: A x - b.
    pub(super) fn affine(&self, node: &Node<'_>) -> Result<Affine> {
        let section = node.section()?;
        let Samples { matrix, values } = self.samples(&section, "offset")?;
        Affine::new(matrix, values).map_err(|error| section.blame(&error))
    }

    fn quadratic(&self, section: &Section<'_>) -> Result<Shared> {
        let [matrix, factor, diagonal, linear] =
            ["matrix", "factor", "diagonal", "linear"].map(|key| section.get(key));
        let trusted = section.get("trusted").map_or(Ok(false), |node| node.boolean())?;
        section.finish()?;
        let diagonal = diagonal.map(|node| self.files.vector(&node, None)).transpose()?;
        let form = match (matrix, factor, diagonal) {
            (Some(q), None, None) => {
                let q: Matrix = self.files.matrix(&q)?;
                if trusted {
                    let note = format!("[{}] is convex on your word: bounds rest on it", section.path);
                    self.notes.borrow_mut().push(note);
                    Quadratic::trusted(&q)
                } else {
                    Quadratic::new(&q)
                }
            }
            (None, Some(factor), diagonal) => Quadratic::factored(self.files.matrix(&factor)?, diagonal),
            (None, None, Some(diagonal)) => Quadratic::diagonal(diagonal),
            _ => {
                let help = "x'Qx/2 is given by `matrix` (Q), by `diagonal`, or by `factor` (F, Q = F'F) with or without \
                            `diagonal`";
                return Err(section.error_with("which form is it?", Some(help.into())));
            }
        };
        let form = form.map_err(|error| section.blame(&error))?;
        let Some(linear) = linear else { return Ok(Arc::new(form)) };
        let linear = self.files.vector(&linear, Some(form.dimension()))?;
        shared(form.with_linear(linear), section)
    }
}

/// Rows with one number each.
struct Samples {
    matrix: Arc<Matrix>,
    values: Vec<f64>,
}

/// How the samples of a loss count.
struct Weighting<'a> {
    reduction: Option<Reduction>,
    weights: Option<Node<'a>>,
}

impl<'a> Weighting<'a> {
    fn read(section: &Section<'a>) -> Result<Self> {
        let choices = [("mean", Reduction::Mean), ("sum", Reduction::Sum)];
        let reduction = section.get("reduction").map(|node| node.choice(&choices)).transpose()?;
        Ok(Self { reduction, weights: section.get("weights") })
    }

    fn apply<L: Loss + 'static>(
        &self,
        loss: std::result::Result<Glm<L>, DataError>,
        section: &Section<'_>,
        context: &Context<'_>,
    ) -> Result<Shared> {
        let mut loss = loss.map_err(|error| section.blame(&error))?;
        if let Some(reduction) = self.reduction {
            loss = loss.reduced_by(reduction);
        }
        match &self.weights {
            None => Ok(Arc::new(loss)),
            Some(weights) => shared(loss.weighted(context.files.vector(weights, None)?), section),
        }
    }
}

/// A component that may be shared, or what is wrong with it.
pub(super) fn shared<G: Component + 'static>(
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
