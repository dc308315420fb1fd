//! x
use std::time::Instant;
use ufcm::component::*;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
fn t(name: &str, bytes: usize, mut f: impl FnMut()) {
    let mut b = f64::INFINITY;
    for _ in 0..15 {
        let s = Instant::now();
        f();
        b = b.min(s.elapsed().as_secs_f64());
    }
    println!("{name:30} {:9.2} us {:6.1} GB/s", b * 1e6, bytes as f64 / b / 1e9);
}
fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
        for (m, n) in [(2000, 100), (20000, 100), (200000, 100), (20000, 1000)] {
            let a = Matrix::row_major(
                m,
                n,
                (0..m * n).map(|i| ((i * 7919) % 1000) as f64 * 1e-3 - 0.5).collect(),
            )
            .unwrap();
            let y: Vec<f64> = (0..m).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
            let x = vec![0.01; n];
            let mut g = vec![0.0; n];
            let mut im = vec![0.0; m];
            let by = m * n * 8;
            println!("{m} x {n}");
            let lo = Logistic::new(a.clone(), &y).unwrap();
            let ls = LeastSquares::new(a.clone(), y.clone()).unwrap();
            t("logistic value+grad", by, || {
                lo.evaluate(&x, Some(&mut g)).unwrap();
            });
            t("logistic value", by, || {
                lo.evaluate(&x, None).unwrap();
            });
            t("ls value+grad", by, || {
                ls.evaluate(&x, Some(&mut g)).unwrap();
            });
            t("ls value", by, || {
                ls.evaluate(&x, None).unwrap();
            });
            t("apply", by, || a.apply(&x, &mut im));
            let i = lo.image().unwrap();
            t("loss only", m * 16, || {
                i.evaluate_at_image(&x, &im, None).unwrap();
            });
        }
    })
}
