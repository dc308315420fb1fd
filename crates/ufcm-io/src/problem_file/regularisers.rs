//! `[regulariser]` and `[domain]`: u and X.

use super::components::{kind, number};
use super::error::ProblemFileError;
use super::files::Files;
use super::node::{Node, Section};
use crate::MEMORY_FLOOR;
use ufcm::error::DataError;
use ufcm::matrix::Matrix;
use ufcm::oracle::Regulariser;
use ufcm::regulariser::{
    AffineSet, Ball, Bounds, ElasticNet, GroupL2, Halfspace, Hyperplane, L1, L1Ball, L1Box, L2Norm, LinfBall,
    LinfNorm, Nonnegative, PerCoordinate, Ridge, Scaled, SecondOrderCone, SeparableSum, Simplex,
    SumOfLargest, TotalVariation, Translated, Zero,
};

type Result<T> = std::result::Result<T, ProblemFileError>;
type Boxed = Box<dyn Regulariser>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zero,
    L1,
    PositivePart,
    Ridge,
    ElasticNet,
    L1Box,
    L2,
    GroupL2,
    Linf,
    TotalVariation,
    SumOfLargest,
    Box,
    Nonnegative,
    LinfBall,
    Ball,
    L1Ball,
    Simplex,
    Halfspace,
    Hyperplane,
    AffineSet,
    SecondOrderCone,
    Parts,
}

const KINDS: [(&str, Kind); 22] = [
    ("zero", Kind::Zero),
    ("l1", Kind::L1),
    ("positive_part", Kind::PositivePart),
    ("ridge", Kind::Ridge),
    ("elastic_net", Kind::ElasticNet),
    ("l1_box", Kind::L1Box),
    ("l2", Kind::L2),
    ("group_l2", Kind::GroupL2),
    ("linf", Kind::Linf),
    ("total_variation", Kind::TotalVariation),
    ("sum_of_largest", Kind::SumOfLargest),
    ("box", Kind::Box),
    ("nonnegative", Kind::Nonnegative),
    ("linf_ball", Kind::LinfBall),
    ("ball", Kind::Ball),
    ("l1_ball", Kind::L1Ball),
    ("simplex", Kind::Simplex),
    ("halfspace", Kind::Halfspace),
    ("hyperplane", Kind::Hyperplane),
    ("affine_set", Kind::AffineSet),
    ("second_order_cone", Kind::SecondOrderCone),
    ("parts", Kind::Parts),
];

/// Reads a regulariser or a domain of `n` variables.
pub(super) fn read(files: &Files<'_>, node: &Node<'_>, n: Option<usize>) -> Result<Boxed> {
    of_section(files, &node.section()?, n)
}

fn of_section(files: &Files<'_>, section: &Section<'_>, n: Option<usize>) -> Result<Boxed> {
    let reader = Reader { files, section, n };
    let kind = kind(section, &KINDS)?;
    let centre = section.get("centre");
    let factor = number(section, "factor", 1.0)?;
    let argument = number(section, "argument", 1.0)?;
    let made = reader.make(kind)?;
    let blamed = |error: DataError| section.blame(&error);
    let made = match centre {
        None => made,
        Some(centre) => Box::new(Translated::new(made, files.vector(&centre, n)?).map_err(blamed)?),
    };
    if factor == 1.0 && argument == 1.0 {
        return Ok(made);
    }
    Ok(Box::new(Scaled::new(made, factor, argument).map_err(blamed)?))
}

struct Reader<'r, 'a> {
    files: &'r Files<'r>,
    section: &'r Section<'a>,
    n: Option<usize>,
}

impl<'a> Reader<'_, 'a> {
    /// A number for all coordinates or one for each.
    fn each(&self, key: &'static str) -> Result<PerCoordinate> {
        self.files.per_coordinate(&self.section.require(key)?)
    }

    fn each_or(&self, key: &'static str, default: f64) -> Result<PerCoordinate> {
        self.section.get(key).map_or(Ok(default.into()), |node| self.files.per_coordinate(&node))
    }

    fn required(&self, key: &'static str) -> Result<f64> {
        self.section.require(key)?.number()
    }

    fn done<R: Regulariser + 'static>(&self, made: std::result::Result<R, DataError>) -> Result<Boxed> {
        self.section.finish()?;
        made.map(|made| Box::new(made) as Boxed).map_err(|error| self.section.blame(&error))
    }

    fn make(&self, kind: Kind) -> Result<Boxed> {
        match kind {
            Kind::Zero => self.done(Ok(Zero)),
            Kind::L1 => self.done(L1::new(self.each("weight")?)),
            Kind::PositivePart => self.done(L1::positive_part(self.each("weight")?)),
            Kind::Ridge => self.done(Ridge::new(self.each("weight")?)),
            Kind::ElasticNet => self.done(ElasticNet::new(self.each("l1")?, self.each("ridge")?)),
            Kind::L1Box => self.done(L1Box::new(
                self.each("weight")?,
                self.each_or("lower", f64::NEG_INFINITY)?,
                self.each_or("upper", f64::INFINITY)?,
            )),
            Kind::L2 => self.done(L2Norm::new(self.required("weight")?)),
            Kind::Linf => self.done(LinfNorm::new(self.required("weight")?)),
            Kind::TotalVariation => self.done(TotalVariation::new(self.required("weight")?)),
            Kind::SumOfLargest => {
                let count = self.section.require("count")?.count()?;
                self.done(SumOfLargest::new(count, self.required("weight")?))
            }
            Kind::Box => self.done(Bounds::new(
                self.each_or("lower", f64::NEG_INFINITY)?,
                self.each_or("upper", f64::INFINITY)?,
            )),
            Kind::Nonnegative => self.done(Ok(Nonnegative)),
            Kind::LinfBall => self.done(LinfBall::new(self.required("radius")?)),
            Kind::Ball => self.done(Ok(Ball::new(self.required("radius")?))),
            Kind::L1Ball => self.done(L1Ball::new(self.required("radius")?)),
            Kind::Simplex => self.done(Simplex::new(number(self.section, "total", 1.0)?)),
            Kind::Halfspace => self.done(Halfspace::new(self.normal()?, self.required("offset")?)),
            Kind::Hyperplane => self.done(Hyperplane::new(self.normal()?, self.required("offset")?)),
            Kind::SecondOrderCone => self.done(Ok(SecondOrderCone)),
            Kind::AffineSet => {
                let matrix = self.files.matrix(&self.section.require("matrix")?)?;
                let offset = self.files.vector(&self.section.require("offset")?, Some(matrix.rows()))?;
                self.check_dense(&matrix)?;
                self.done(AffineSet::new(full_rows(&matrix), offset))
            }
            Kind::GroupL2 => self.group_l2(),
            Kind::Parts => self.parts(),
        }
    }

    /// An affine set keeps all entries of its rows, zeros included.
    fn check_dense(&self, matrix: &Matrix) -> Result<()> {
        let entries = matrix.rows().saturating_mul(matrix.columns());
        if entries <= MEMORY_FLOOR / size_of::<f64>() {
            return Ok(());
        }
        let message = format!("{} x {} is too large for an affine set", matrix.rows(), matrix.columns());
        Err(self
            .section
            .error_with(message, Some("state it as a constraint on an affine block, `equals = 0`".into())))
    }

    fn normal(&self) -> Result<Vec<f64>> {
        self.files.vector(&self.section.require("normal")?, self.n)
    }

    fn group_l2(&self) -> Result<Boxed> {
        let groups = self.section.require("groups")?;
        let indices = |group: &Node<'a>| group.items()?.iter().map(Node::count).collect::<Result<Vec<_>>>();
        let members = groups.items()?.iter().map(indices).collect::<Result<Vec<_>>>()?;
        let n = self
            .n
            .ok_or_else(|| groups.error("the number of variables is not known: give [variables] count"))?;
        self.done(GroupL2::new(n, members, self.each("weight")?))
    }

    /// Each of some parts on its own variables, `count` of them.
    fn parts(&self) -> Result<Boxed> {
        let list = self.section.require("parts")?;
        self.section.finish()?;
        let (mut parts, mut start) = (Vec::new(), 0usize);
        for item in list.items()? {
            let section = item.section()?;
            let count = section.require("variables")?;
            let end = start.saturating_add(count.count()?);
            parts.push((start..end, of_section(self.files, &section, Some(end - start))?));
            start = end;
        }
        self.done(SeparableSum::new(parts))
    }
}

fn full_rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        let mut row = vec![0.0; matrix.columns()];
        matrix.copy_row(i, &mut row);
        row
    };
    (0..matrix.rows()).map(row).collect()
}
