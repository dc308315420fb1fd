//! The instances that scripts/instances.py and scripts/curvature_instances.py write, as problems.

use super::archive::{Archive, Array};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use ufcm::component::{LeastSquares, Logistic, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, OracleError};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds, L1};

pub struct Instance {
    pub problem: Problem,
    /// p*, where it is known.
    pub optimum: Option<f64>,
    /// Q_0, ..., Q_m for a problem with quadratic rows.
    pub quadratics: Vec<Vec<f64>>,
}

impl Instance {
    pub fn read(folder: &Path, name: &str) -> Result<Self, Box<dyn Error>> {
        let path = folder.join(format!("{name}.npz"));
        let mut archive = Archive::open(&path).map_err(|error| {
            format!("{}: {error}; `scripts/figures` writes the instances and runs this", path.display())
        })?;
        match name.split('-').next() {
            Some("qcqp") => Self::qcqp(&mut archive),
            Some("np") => Self::neyman_pearson(&mut archive),
            Some("max") => Self::max(&mut archive),
            Some("groups") => Self::groups(&mut archive),
            Some("ls") => Self::least_squares(&mut archive),
            _ => Err(format!("{name}: no such family of instances").into()),
        }
    }

    fn qcqp(archive: &mut Archive) -> Result<Self, Box<dyn Error>> {
        let (q, c, b) = (archive.array("Q")?, archive.array("c")?, archive.array("b")?);
        let (rows, n) = (q.shape[0], q.shape[1]);
        let quadratic = |j: usize| -> Result<Quadratic, Box<dyn Error>> {
            let matrix = Matrix::row_major(n, n, q.block(j).to_vec())?;
            Ok(Quadratic::new(&matrix)?.with_linear(c.block(j).to_vec())?)
        };
        let mut builder = Problem::minimise(quadratic(0)?);
        for j in 1..rows {
            builder = builder.subject_to(quadratic(j)?.at_most(b.values[j]));
        }
        let problem = builder.within(Bounds::new(-10.0, 10.0)?).build()?;
        let quadratics = (0..rows).map(|j| q.block(j).to_vec()).collect();
        Ok(Self { problem, optimum: archive.optimum()?, quadratics })
    }

    fn neyman_pearson(archive: &mut Archive) -> Result<Self, Box<dyn Error>> {
        let mut loss = |name: &str, label: f64| -> Result<Logistic, Box<dyn Error>> {
            let Array { shape, values } = archive.array(name)?;
            let data = Matrix::row_major(shape[0], shape[1], values)?;
            Ok(Logistic::new(data, &vec![label; shape[0]])?)
        };
        let (hits, alarms) = (loss("class1", 1.0)?, loss("class0", -1.0)?);
        let (tau, radius) = (archive.array("tau")?.values[0], archive.array("radius")?.values[0]);
        let problem =
            Problem::minimise(hits).subject_to(alarms.at_most(tau)).within(Ball::new(radius)).build()?;
        Ok(Self { problem, optimum: archive.optimum()?, quadratics: Vec::new() })
    }

    fn groups(archive: &mut Archive) -> Result<Self, Box<dyn Error>> {
        let (Array { shape, values }, count) = (archive.array("rows")?, archive.array("count")?);
        let (n, mut rest, mut losses) = (shape[1], values.as_slice(), Vec::<Arc<dyn Component>>::new());
        for count in count.values {
            let (group, others) = rest.split_at(count as usize * n);
            let data = Matrix::row_major(group.len() / n, n, group.to_vec())?;
            losses.push(Arc::new(Logistic::new(data, &vec![1.0; group.len() / n])?));
            rest = others;
        }
        let weight = archive.array("weight")?.values[0];
        let problem = Problem::over(n).plus(Term::max(losses)).regularised_by(L1::new(weight)?).build()?;
        Ok(Self { problem, optimum: archive.optimum()?, quadratics: Vec::new() })
    }

    fn least_squares(archive: &mut Archive) -> Result<Self, Box<dyn Error>> {
        let mut loss = |data: &str, target: &str| -> Result<LeastSquares, Box<dyn Error>> {
            let Array { shape, values } = archive.array(data)?;
            let data = Matrix::row_major(shape[0], shape[1], values)?;
            Ok(LeastSquares::new(data, archive.array(target)?.values)?)
        };
        let (objective, other) = (loss("A", "b")?, loss("C", "d")?);
        let constraint = other.at_most(archive.array("bound")?.values[0]);
        let within = Bounds::new(-10.0, 10.0)?;
        let problem = Problem::minimise(objective).subject_to(constraint).within(within).build()?;
        Ok(Self { problem, optimum: archive.optimum()?, quadratics: Vec::new() })
    }

    fn max(archive: &mut Archive) -> Result<Self, Box<dyn Error>> {
        let (origin, curvature) = (archive.array("origin")?, archive.array("curvature")?);
        let (kinks, constant) = (archive.array("kinks")?, archive.array("constant")?);
        let (pieces, n) = (origin.shape[0], origin.shape[1]);
        let piece = |j: usize| -> Result<Arc<dyn Component>, Box<dyn Error>> {
            Ok(if j.is_multiple_of(2) {
                Arc::new(centred(curvature.block(j), origin.block(j))?)
            } else {
                let (slopes, origin) = (kinks.block(j).to_vec(), origin.block(j).to_vec());
                Arc::new(HalfSumOfAbsolutes { slopes, origin, constant: constant.values[j] })
            })
        };
        let pieces = (0..pieces).map(piece).collect::<Result<Vec<_>, _>>()?;
        let problem = Problem::over(n).plus(Term::max(pieces)).within(Bounds::new(-10.0, 10.0)?).build()?;
        Ok(Self { problem, optimum: archive.optimum()?, quadratics: Vec::new() })
    }
}

/// sum_i e_i (x_i - o_i)^2 / 2, multiplied out.
fn centred(e: &[f64], o: &[f64]) -> Result<Quadratic, Box<dyn Error>> {
    let slope = e.iter().zip(o).map(|(e, o)| -e * o).collect();
    let constant = 0.5 * e.iter().zip(o).map(|(e, o)| e * o * o).sum::<f64>();
    Ok(Quadratic::diagonal(e.to_vec())?.with_linear(slope)?.with_constant(constant)?)
}

/// sum_k |a_k.(x - o)| / 2 + b, as a user would hand it over: a black box that tells values and subgradients.
struct HalfSumOfAbsolutes {
    /// The a_k, one after the other.
    slopes: Vec<f64>,
    origin: Vec<f64>,
    constant: f64,
}

impl Component for HalfSumOfAbsolutes {
    fn kind(&self) -> &'static str {
        "half sum of absolute values"
    }

    fn dimension(&self) -> usize {
        self.origin.len()
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        if let Some(gradient) = &mut gradient {
            gradient.fill(0.0);
        }
        let mut value = self.constant;
        for slope in self.slopes.chunks_exact(self.origin.len()) {
            let z: f64 = slope.iter().zip(x).zip(&self.origin).map(|((a, x), o)| a * (x - o)).sum();
            value += 0.5 * z.abs();
            if let Some(gradient) = &mut gradient {
                let half_sign = 0.5 * z.signum();
                gradient.iter_mut().zip(slope).for_each(|(g, a)| *g += half_sign * a);
            }
        }
        Ok(value)
    }
}
