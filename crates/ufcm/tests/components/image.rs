//! Linear images: linear, and as good as x itself.

use crate::list::{LARGE, all, small};
use crate::measure::{assert_close, norm};
use crate::random::Rng;
use crate::samples::{STORAGES, Samples};
use ufcm::oracle::LinearImage;

fn image(component: &dyn LinearImage, x: &[f64]) -> Vec<f64> {
    let mut image = vec![f64::NAN; component.image_dimension()];
    component.image_of(x, &mut image).expect("finite");
    image
}

#[test]
fn images_are_linear_and_carry_value_and_gradient() {
    let mut rng = Rng::new(41);
    let (rows, columns) = LARGE[0];
    let samples = Samples::random(rows, columns, 42);
    let large = STORAGES.into_iter().flat_map(|storage| all(&samples, storage));
    let mut seen = 0;
    for case in small().into_iter().chain(large) {
        let Some(seen_through) = case.component.image() else { continue };
        seen += 1;
        let (x, y) = (rng.vector(case.dimension()), rng.vector(case.dimension()));
        let (a, b) = (0.3, -1.9);
        let combined: Vec<f64> = x.iter().zip(&y).map(|(x, y)| a * x + b * y).collect();
        let (ix, iy) = (image(seen_through, &x), image(seen_through, &y));
        let expected: Vec<f64> = ix.iter().zip(&iy).map(|(x, y)| a * x + b * y).collect();
        let gap: f64 = norm(&crate::measure::minus(&image(seen_through, &combined), &expected));
        assert!(gap <= 1e-13 * (norm(&ix) + norm(&iy)), "{}: not linear by {gap:e}", case.name);

        let (value, gradient) = case.at(&x);
        let mut through_image = vec![f64::NAN; x.len()];
        let with = seen_through.evaluate_at_image(&x, &ix, Some(&mut through_image)).expect("finite");
        let without = seen_through.evaluate_at_image(&x, &ix, None).expect("finite");
        assert_close(&case.name, &[with], &[value], 1e-12);
        assert_close(&case.name, &[without], &[value], 1e-12);
        assert_close(&case.name, &through_image, &gradient, 1e-12);
    }
    assert!(seen > 500, "all losses and quadratics have an image; {seen} did");
}
