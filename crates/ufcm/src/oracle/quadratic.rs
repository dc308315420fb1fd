//! Quadratics by products that are linear in the point.

/// A component x'Qx/2 + c.x + d. The product Q x is linear in x, so that the products of two points serve all points between them:
/// a method that moves along lines reads Q once where it would read it for every value and every gradient.
pub trait QuadraticForm: Send + Sync {
    /// `out` = Q x.
    fn product(&self, x: &[f64], out: &mut [f64]);

    /// The value at `x`; turns Q x into the gradient.
    fn finish(&self, x: &[f64], product: &mut [f64]) -> f64;

    /// Whether only a factorisation that nobody has made yet could tell that Q is positive semidefinite.
    fn needs_factorisation(&self) -> bool {
        false
    }
}

/// A point (1 - share) a + share b, and the images of a and b.
#[derive(Debug, Clone, Copy)]
pub struct Between<'a> {
    /// The point.
    pub x: &'a [f64],
    /// What [`Mapping::image`](super::Mapping::image) wrote at a and at b.
    pub images: [&'a [f64]; 2],
    /// The share of b.
    pub share: f64,
}

impl<'a> Between<'a> {
    /// The same with these entries of the images alone.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self { images: self.images.map(|image| &image[range.clone()]), ..*self }
    }

    /// Writes the image of the point.
    pub fn combine(&self, out: &mut [f64]) {
        let ([a, b], share) = (self.images, self.share);
        out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = (1.0 - share) * a + share * b);
    }
}
