//! Entries of a matrix in any order.

use clarabel::algebra::CscMatrix;

/// Entries in any order; those given twice are added.
#[derive(Default)]
pub(super) struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

/// The order in which keys below `count` increase; equal ones stay in the order of `before`.
fn sorted(keys: &[usize], before: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
    let mut starts = vec![0usize; count + 1];
    keys.iter().for_each(|key| starts[key + 1] += 1);
    (0..count).for_each(|key| starts[key + 1] += starts[key]);
    let mut order = vec![0; keys.len()];
    for k in before {
        let place = &mut starts[keys[k]];
        order[*place] = k;
        *place += 1;
    }
    order
}

impl Triplets {
    pub(super) fn push(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }

    /// The matrix by columns. Keys are counted, not compared: millions of entries take a tenth of a second.
    pub(super) fn into_matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        let by_rows = sorted(&self.rows, 0..self.rows.len(), rows);
        let order = sorted(&self.columns, by_rows.into_iter(), columns);
        let (mut starts, mut indices) = (vec![0; columns + 1], Vec::with_capacity(order.len()));
        let (mut values, mut last) = (Vec::with_capacity(order.len()), None);
        for k in order {
            let place = (self.columns[k], self.rows[k]);
            match values.last_mut() {
                Some(value) if last == Some(place) => *value += self.values[k],
                _ => {
                    indices.push(place.1);
                    values.push(self.values[k]);
                    starts[place.0 + 1] += 1;
                }
            }
            last = Some(place);
        }
        (0..columns).for_each(|column| starts[column + 1] += starts[column]);
        CscMatrix::new(rows, columns, starts, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_columns_and_those_given_twice_are_added() {
        let mut entries = Triplets::default();
        let given = [(2, 1, 1.0), (0, 1, 2.0), (1, 0, 3.0), (2, 1, 0.5), (2, 2, 0.0), (0, 0, -1.0)];
        given.into_iter().for_each(|(row, column, value)| entries.push(row, column, value));
        let matrix = entries.into_matrix(3, 3);
        assert_eq!(matrix.colptr, [0, 2, 4, 4]);
        assert_eq!(matrix.rowval, [0, 1, 0, 2]);
        assert_eq!(matrix.nzval, [-1.0, 3.0, 2.0, 1.5]);
    }
}
