//! What a first-order step costs at best: a product with the matrix and one with its transpose.

use std::error::Error;
use std::time::Instant;
use ufcm::mapping::Affine;
use ufcm::oracle::Mapping;

/// Products from which the cost is taken, the fastest of them.
const PAIRS: usize = 20;

/// Seconds for A x and A'y.
pub fn seconds_of_a_pair(block: &Affine) -> Result<f64, Box<dyn Error>> {
    let (mut x, mut y) = (vec![1.0; block.dimension()], vec![0.0; block.rows()]);
    let mut fastest = f64::INFINITY;
    for _ in 0..PAIRS {
        let start = Instant::now();
        block.values(&x, &mut y)?;
        block.apply_transpose(&y, &mut x);
        fastest = fastest.min(start.elapsed().as_secs_f64());
        x.fill(1.0);
    }
    Ok(fastest)
}
