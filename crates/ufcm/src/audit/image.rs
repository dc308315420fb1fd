//! The linear image: it must be linear, and lead to the same values and gradients.

use super::component::{ComponentAudit, Sample};
use super::finding::{Check, Seen};
use super::largest;
use crate::oracle::LinearImage;

impl ComponentAudit<'_> {
    pub(super) fn check_image(&mut self, samples: &[Sample]) {
        let Some(image) = self.oracle.image() else { return };
        let pairs = if self.quick { 1 } else { samples.len() };
        for pair in samples.windows(2).take(pairs) {
            let (x, y) = (&pair[0], &pair[1]);
            self.check_image_evaluation(image, x);
            // Between the points and beyond them: a sum of coefficients of 1 is all that the solver needs.
            for c in [0.3, -0.8] {
                self.check_image_linear(image, &x.x, &y.x, c);
            }
        }
    }

    fn image_at(&mut self, image: &dyn LinearImage, x: &[f64]) -> Option<Vec<f64>> {
        let length = image.image_dimension();
        let mut out = Vec::new();
        self.receive(x, Some((&mut out, length)), |out| {
            image.image_of(x, out.unwrap_or_default()).map(|()| 0.0)
        })
        .ok()?;
        Some(out)
    }

    fn check_image_linear(&mut self, image: &dyn LinearImage, x: &[f64], y: &[f64], c: f64) {
        let combine = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (1.0 - c) * a + c * b).collect()
        };
        let (Some(of_x), Some(of_y)) = (self.image_at(image, x), self.image_at(image, y)) else { return };
        let Some(whole) = self.image_at(image, &combine(x, y)) else { return };
        let parts = combine(&of_x, &of_y);
        let size = largest(of_x).max(largest(of_y));
        for (i, (&whole, &parts)) in whole.iter().zip(&parts).enumerate() {
            self.findings.law(
                Check::ImageLinear,
                (whole - parts).abs(),
                self.options.tolerance * size,
                || Seen {
                    points: vec![("x", x.to_vec()), ("y", y.to_vec())],
                    numbers: vec![
                        ("c", c),
                        ("image of (1 - c) x + c y", whole),
                        ("(1 - c) image of x + c image of y", parts),
                    ],
                    index: Some(i),
                    ..Seen::default()
                },
            );
        }
    }

    fn check_image_evaluation(&mut self, image: &dyn LinearImage, sample: &Sample) {
        let Some(at) = self.image_at(image, &sample.x) else { return };
        let (n, relative) = (self.n, self.options.tolerance);
        let mut gradient = Vec::new();
        let evaluated = self
            .receive(&sample.x, Some((&mut gradient, n)), |out| image.evaluate_at_image(&sample.x, &at, out));
        let alone = self.receive(&sample.x, None, |out| image.evaluate_at_image(&sample.x, &at, out));
        let (Ok(value), Ok(alone)) = (evaluated, alone) else { return };
        let value_tolerance = sample.value_noise + relative * sample.value.abs();
        let size = largest(sample.gradient.iter().copied());
        let gradient_tolerance = sample.gradient_noise + relative * size;
        let values = [(None, value, sample.value), (None, alone, sample.value)];
        let entries = gradient.iter().zip(&sample.gradient).enumerate().map(|(i, (&a, &b))| (Some(i), a, b));
        for (index, got, expected) in values.into_iter().chain(entries) {
            let tolerance = if index.is_some() { gradient_tolerance } else { value_tolerance };
            self.findings.law(Check::ImageEvaluation, (got - expected).abs(), tolerance, || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![
                    (if index.is_some() { "gradient entry at image" } else { "value at image" }, got),
                    ("by evaluate", expected),
                ],
                index,
                ..Seen::default()
            });
        }
    }
}
