//! u(x) = sum over groups g of w_g |x_g|.

use super::fields::WEIGHTS;
use super::l2_norm::{Shrinkage, slope_within};
use super::separable::PerCoordinate;
use super::{check_fit, fits, min_linear_at_zero};
use crate::catalogue::{Built, Field, FieldType, Kind, RegulariserEntry, Section, Values};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, Position, check_all_nonnegative, check_length};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm_of;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};

const KIND: &str = "group l2 norm";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "group_l2",
        aliases: &[],
        formula: "sum over groups g of w_g |x_g|",
        about: "Euclidean norms of groups of variables; variables in no group are free.",
        fields: &[
            Field::new("groups", FieldType::Groups, "lists of indices, which do not overlap")
                .sample("[[0, 2], [1]]"),
            WEIGHTS.about("one for all groups, or one for each").sample("2"),
        ],
        example: r#">>> ufcm.group_l2([[0, 2], [3]], 2.0)([3.0, 9.0, 4.0, 1.0])
12.0"#,
    },
    needs_dimension: true,
    build,
};

fn build(values: &mut Values, n: Option<usize>) -> Built<Box<dyn Regulariser>> {
    let groups = values.groups("groups")?;
    let largest = groups.iter().flatten().max().map_or(0, |largest| *largest);
    let n = n.unwrap_or(largest.saturating_add(1));
    Ok(Box::new(GroupL2::new(n, groups, values.per_coordinate("weight")?)?))
}

/// A sum of norms of disjoint groups of coordinates: the coordinates of a group vanish together. Coordinates in no
/// group are free.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::GroupL2;
///
/// let u = GroupL2::new(4, [vec![0, 2], vec![3]], vec![5.0, 1.0])?; // or ranges: [0..2, 2..4]
/// let mut x = [6.0, 100.0, 8.0, 0.5];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [3.0, 100.0, 4.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GroupL2 {
    dimension: usize,
    /// The indices of all groups, one group after another.
    indices: Vec<usize>,
    /// Where in `indices` each group ends.
    ends: Vec<usize>,
    weights: PerCoordinate,
    /// The indices in no group.
    free: Vec<usize>,
}

impl GroupL2 {
    /// sum of w_g |x_g| over `groups` of indices below `dimension`, with one weight for all groups or one for each.
    ///
    /// # Errors
    /// An index that is out of range or in two groups; an empty group; a weight that is negative, NaN or infinite;
    /// as many weights as there are groups are needed, or one.
    pub fn new<G: IntoIterator<Item = usize>>(
        dimension: usize,
        groups: impl IntoIterator<Item = G>,
        weights: impl Into<PerCoordinate>,
    ) -> Result<Self, DataError> {
        let weights = weights.into();
        check_all_nonnegative(KIND, "weights", weights.values())?;
        let mut owner = vec![None; dimension];
        let (mut indices, mut ends) = (Vec::new(), Vec::new());
        for (g, group) in groups.into_iter().enumerate() {
            let start = indices.len();
            for (position, index) in group.into_iter().enumerate() {
                claim(&mut owner, g, position, index)?;
                indices.push(index);
            }
            if indices.len() == start {
                return Err(DataError::structure(KIND, format!("groups[{g}] is empty")));
            }
            ends.push(indices.len());
        }
        check_length(KIND, "weights", ends.len(), weights.dimension().unwrap_or(ends.len()))?;
        let free = (0..dimension).filter(|&i| owner[i].is_none()).collect();
        Ok(Self { dimension, indices, ends, weights, free })
    }

    /// The groups with their weights.
    fn groups(&self) -> impl Iterator<Item = (&[usize], f64)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .enumerate()
            .map(|(g, (start, &end))| (&self.indices[start..end], self.weights.at(g)))
    }
}

/// Notes that `index` belongs to group `g`.
fn claim(owner: &mut [Option<usize>], g: usize, position: usize, index: usize) -> Result<(), DataError> {
    let limit = owner.len();
    let Some(owner) = owner.get_mut(index) else {
        let position = Position::Cell(g, position);
        return Err(DataError::new(
            KIND,
            DataProblem::Index { field: "groups", position, value: index, limit },
        ));
    };
    if let Some(first) = owner.replace(g) {
        let message = format!("groups[{g}, {position}] is {index}, which groups[{first}] holds already");
        return Err(DataError::structure(KIND, message));
    }
    Ok(())
}

impl Regulariser for GroupL2 {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.dimension)
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        self.groups().map(|(group, weight)| weight * norm_of(group.iter().map(|&i| x[i]))).sum()
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        for (group, radius) in self.groups() {
            let shrinkage = Shrinkage::of(weight, radius, x, group.iter().copied());
            for &i in group {
                x[i] *= shrinkage.factor(weight.at(i));
            }
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let in_domain = fits(self, slope.len())
            && self.free.iter().all(|&i| slope[i] == 0.0)
            && self.groups().all(|(group, weight)| slope_within(group.iter().map(|&i| slope[i]), weight));
        min_linear_at_zero(in_domain, minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for (group, weight) in self.groups().filter(|(_, weight)| *weight > 0.0) {
            let norm = form.norm(group.iter().map(|i| x[*i].clone()).collect());
            sum.add(weight, &norm);
        }
        Some(sum)
    }
}

impl NewtonRegulariser for GroupL2 {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        for &i in &self.free {
            out.diagonal()[i] = 1.0 / weight.at(i);
        }
        for (group, radius) in self.groups() {
            let shrinkage = Shrinkage::of(weight, radius, point, group.iter().copied());
            if let Some((c, v)) = shrinkage.jacobian(weight, point, group.iter().copied(), out) {
                out.rank_one_on(c, group, v);
            }
        }
        Ok(())
    }
}
