//! A program from a .npz archive.

use std::error::Error;
use ufcm::matrix::Matrix;
use ufcm_io::npz::Archive;
use ufcm_io::{Program, Sense, Source};

/// Numbers from here on stand for infinity.
const INFINITE: f64 = 0.999e20;

/// minimise 1/2 x'Px + q'x + r subject to l <= A x <= u, where P and A are CSC arrays P_data, P_indices, P_indptr, A_....
/// Bounds of variables come as rows of A with one entry, and become bounds again.
pub fn program(source: Source) -> Result<Program, Box<dyn Error>> {
    let name = source.name().to_owned();
    let archive = Archive::read(source)?;
    let linear = archive.vector("q")?;
    let n = linear.len();
    let side = |name| -> Result<Vec<f64>, Box<dyn Error>> {
        let infinite = |v: f64| if v.abs() >= INFINITE { v.signum() * f64::INFINITY } else { v };
        Ok(archive.vector(name)?.into_iter().map(infinite).collect())
    };
    let [row_lower, row_upper] = [side("l")?, side("u")?];
    let quadratic = columns(&archive, "P", n, n)?;
    let mut program = Program {
        name,
        sense: Sense::Minimise,
        variables: (0..n).map(|j| format!("x{j}")).collect(),
        rows: (0..row_lower.len()).map(|i| format!("r{i}")).collect(),
        linear,
        constant: archive.scalar("r").or_else(|_| archive.vector("r").map(|r| r.iter().sum()))?,
        quadratic: (quadratic.stored() > 0).then_some(quadratic),
        matrix: columns(&archive, "A", row_lower.len(), n)?,
        row_lower,
        row_upper,
        quadratic_rows: Vec::new(),
        cones: Vec::new(),
        lower: vec![f64::NEG_INFINITY; n],
        upper: vec![f64::INFINITY; n],
        notes: Vec::new(),
    };
    single_entries_to_bounds(&mut program)?;
    Ok(program)
}

fn columns(archive: &Archive, name: &str, rows: usize, columns: usize) -> Result<Matrix, Box<dyn Error>> {
    let part = |part: &str| format!("{name}_{part}");
    let (starts, indices) = (archive.indices(&part("indptr"))?, archive.indices(&part("indices"))?);
    Ok(Matrix::csc(rows, columns, &starts, &indices, archive.vector(&part("data"))?)?)
}

fn single_entries_to_bounds(program: &mut Program) -> Result<(), Box<dyn Error>> {
    let (m, n) = (program.matrix.rows(), program.matrix.columns());
    let (mut entries, mut last) = (vec![0; m], vec![(0, 0.0); m]);
    program.matrix.for_each(|i, j, value| {
        entries[i] += 1;
        last[i] = (j, value);
    });
    let is_bound = |i: usize| entries[i] == 1 && last[i].1 != 0.0;
    for i in (0..m).filter(|&i| is_bound(i)) {
        let (j, value) = last[i];
        let ends = [program.row_lower[i] / value, program.row_upper[i] / value];
        program.lower[j] = program.lower[j].max(ends[0].min(ends[1]));
        program.upper[j] = program.upper[j].min(ends[0].max(ends[1]));
    }
    let kept: Vec<usize> = (0..m).filter(|&i| !is_bound(i)).collect();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut rows = vec![Vec::new(); m];
    program.matrix.for_each(|i, j, value| rows[i].push((j, value)));
    for &i in &kept {
        indices.extend(rows[i].iter().map(|(j, _)| *j));
        values.extend(rows[i].iter().map(|(_, value)| *value));
        starts.push(indices.len());
    }
    program.matrix = Matrix::csr(kept.len(), n, &starts, &indices, values)?;
    program.row_lower = kept.iter().map(|&i| program.row_lower[i]).collect();
    program.row_upper = kept.iter().map(|&i| program.row_upper[i]).collect();
    program.rows = kept.iter().map(|&i| program.rows[i].clone()).collect();
    Ok(())
}
