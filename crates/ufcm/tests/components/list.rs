//! The list of all components: a new component gets every test by being added here.

use crate::random::Rng;
use crate::samples::{STORAGES, Samples, Storage, stored};
use std::sync::Arc;
use ufcm::component::{
    ComponentExt, Custom, ExponentialSum, Glm, Huber, LeastSquares, Linear, LogSumExp, Logistic, Loss,
    MultinomialLogistic, Poisson, Power, Quadratic, Reduction, SmoothedHinge, SquaredHinge, Sum,
};
use ufcm::error::DataError;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Convexity, Smoothness};

/// What a case promises of its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Order {
    /// Affine, and says so.
    Affine,
    /// Offers a Hessian.
    Second,
    /// Has a gradient and no Hessian.
    First,
    /// Has subgradients, or gradients that are only Hölder continuous.
    Kinked,
}

/// One component under test.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub component: Arc<dyn Component>,
    pub order: Order,
}

impl Case {
    fn new(name: impl Into<String>, order: Order, component: impl Component + 'static) -> Self {
        Self { name: name.into(), component: Arc::new(component), order }
    }

    pub fn dimension(&self) -> usize {
        self.component.dimension()
    }

    /// Value and gradient.
    pub fn at(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = vec![f64::NAN; x.len()];
        match self.component.evaluate(x, Some(&mut gradient)) {
            Ok(value) => (value, gradient),
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    pub fn value(&self, x: &[f64]) -> f64 {
        self.component.evaluate(x, None).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Rows and columns of data that fit into one block.
pub const SMALL: [(usize, usize); 9] =
    [(1, 1), (1, 5), (2, 2), (7, 3), (3, 20), (20, 9), (33, 17), (60, 12), (60, 20)];

/// Rows and columns of data with several blocks; with 400 columns, packed symmetric matrices have several too.
pub const LARGE: [(usize, usize); 2] = [(8000, 40), (400, 400)];

/// All components at all small sizes, with a storage that changes from size to size.
pub fn small() -> Vec<Case> {
    let sizes = SMALL.iter().enumerate();
    sizes
        .flat_map(|(k, &(rows, columns))| {
            let samples = Samples::random(rows, columns, 7 + k as u64);
            all(&samples, STORAGES[k % 4])
        })
        .collect()
}

/// All components over data of `samples.columns` features.
pub fn all(samples: &Samples, storage: Storage) -> Vec<Case> {
    let mut cases = on_data(&samples.matrix(storage), samples);
    cases.extend(on_classes(&samples.matrix(storage), samples));
    cases.extend(on_space(samples.columns, storage));
    cases.extend(combined(samples, storage));
    for case in &mut cases {
        case.name = format!("{} [{} x {} {storage:?}]", case.name, samples.rows, samples.columns);
    }
    cases
}

/// The components that see x through a data matrix.
pub fn on_data(data: &Arc<Matrix>, samples: &Samples) -> Vec<Case> {
    let Samples { targets, signs, counts, weights, .. } = samples;
    let bits: Vec<f64> = signs.iter().map(|&s| f64::max(s, 0.0)).collect();
    let offsets: Vec<f64> = targets.iter().map(|t| 0.5 * t).collect();
    let mut cases = Vec::new();
    let mut add = |name: &str, order, made: [Arc<dyn Component>; 4]| {
        let variants = ["mean", "sum", "weighted mean", "weighted sum"];
        for (variant, component) in variants.into_iter().zip(made) {
            cases.push(Case { name: format!("{name}, {variant}"), component, order });
        }
    };
    let d = || data.clone();
    add("logistic", Order::Second, variants(Logistic::new(d(), signs), weights));
    add("logistic 0/1", Order::Second, variants(Logistic::new(d(), &bits), weights));
    add("least squares", Order::Second, variants(LeastSquares::new(d(), targets.clone()), weights));
    add("Huber", Order::Second, variants(Huber::new(d(), targets.clone(), 0.8), weights));
    add("Poisson", Order::Second, variants(Poisson::new(d(), counts.clone()), weights));
    add("squared hinge", Order::Second, variants(SquaredHinge::new(d(), signs), weights));
    add("smoothed hinge", Order::Second, variants(SmoothedHinge::new(d(), signs, 0.6), weights));
    add("exponential sum", Order::Second, variants(ExponentialSum::new(d(), offsets.clone()), weights));
    for (p, order) in [
        (1.0, Order::Kinked),
        (1.25, Order::Kinked),
        (1.5, Order::Kinked),
        (2.0, Order::Second),
        (3.0, Order::Second),
    ] {
        add(&format!("power {p}"), order, variants(Power::new(d(), targets.clone(), p), weights));
    }
    let mut rng = Rng::new(data.columns() as u64);
    let diagonal: Vec<f64> = (0..data.columns()).map(|_| rng.uniform(0.1, 2.0)).collect();
    let factor = || Matrix::clone(data);
    let factored = |diagonal| Quadratic::factored(factor(), diagonal).expect("sound");
    cases.push(Case::new("log-sum-exp", Order::Second, LogSumExp::new(d(), offsets).expect("sound")));
    cases.push(Case::new("factored", Order::Second, factored(None)));
    cases.push(Case::new(
        "factored + diagonal + affine",
        Order::Second,
        with_affine(factored(Some(diagonal)), &mut rng),
    ));
    cases
}

/// The components with a vector of weights for each of several classes.
pub fn on_classes(data: &Arc<Matrix>, samples: &Samples) -> Vec<Case> {
    let mut cases = Vec::new();
    for classes in [2, 3] {
        // Not every class has a sample.
        let labels: Vec<f64> = samples.counts.iter().map(|count| count % classes as f64).collect();
        let loss = MultinomialLogistic::new(data.clone(), &labels, classes).expect("sound");
        let weighted = loss.clone().weighted(samples.weights.clone()).expect("sound");
        for (loss, weights) in [(loss, ""), (weighted, "weighted ")] {
            for (reduction, word) in [(Reduction::Mean, "mean"), (Reduction::Sum, "sum")] {
                let name = format!("multinomial logistic {classes}, {weights}{word}");
                cases.push(Case::new(name, Order::Second, loss.clone().reduced_by(reduction)));
            }
        }
    }
    cases
}

/// Mean and sum, without and with weights.
fn variants<L: Loss + Clone + 'static>(
    made: Result<Glm<L>, DataError>,
    weights: &[f64],
) -> [Arc<dyn Component>; 4] {
    let loss = made.expect("sound");
    let weighted = loss.clone().weighted(weights.to_vec()).expect("sound");
    let (mean, sum) = (Reduction::Mean, Reduction::Sum);
    [
        Arc::new(loss.clone().reduced_by(mean)),
        Arc::new(loss.reduced_by(sum)),
        Arc::new(weighted.clone().reduced_by(mean)),
        Arc::new(weighted.reduced_by(sum)),
    ]
}

fn with_affine(quadratic: Quadratic, rng: &mut Rng) -> Quadratic {
    let linear = rng.vector(quadratic.dimension());
    quadratic.with_linear(linear).and_then(|q| q.with_constant(-0.3)).expect("sound")
}

/// B'B + 0.1 I with few rows in B, by rows.
fn dense_form(n: usize, rng: &mut Rng) -> Vec<f64> {
    let rank = 3.min(n);
    let b: Vec<Vec<f64>> = (0..rank).map(|_| rng.vector(n)).collect();
    let entry = |i: usize, j: usize| b.iter().map(|b| b[i] * b[j]).sum::<f64>() / n as f64;
    (0..n * n).map(|k| entry(k / n, k % n) + if k / n == k % n { 0.1 } else { 0.0 }).collect()
}

/// The form of a weighted chain, tridiagonal; by rows.
fn sparse_form(n: usize, rng: &mut Rng) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    for i in 0..n {
        q[i * n + i] += rng.uniform(0.0, 1.0);
        if i > 0 {
            let link = rng.uniform(0.1, 1.0);
            q[i * n + i] += link;
            q[(i - 1) * n + i - 1] += link;
            q[i * n + i - 1] -= link;
            q[(i - 1) * n + i] -= link;
        }
    }
    q
}

/// The components that need no data matrix; `storage` says whether matrices Q go by rows or by columns.
fn on_space(n: usize, storage: Storage) -> Vec<Case> {
    let mut rng = Rng::new(31 + n as u64);
    let (dense, sparse) = match storage {
        Storage::RowMajor | Storage::Csr => (Storage::RowMajor, Storage::Csr),
        Storage::ColumnMajor | Storage::Csc => (Storage::ColumnMajor, Storage::Csc),
    };
    let q = dense_form(n, &mut rng);
    let full = Quadratic::new(&stored(n, n, &q, dense)).expect("sound");
    let full_as_sparse = Quadratic::new(&stored(n, n, &q, sparse)).expect("sound");
    let chain = Quadratic::new(&stored(n, n, &sparse_form(n, &mut rng), sparse)).expect("sound");
    let diagonal: Vec<f64> = (0..n).map(|i| if i % 3 == 2 { 0.0 } else { rng.uniform(0.1, 2.0) }).collect();
    let diagonal = Quadratic::diagonal(diagonal).expect("sound");
    let linear = Linear::new(rng.vector(n), 0.4).expect("sound");
    vec![
        Case::new("dense + affine", Order::Second, with_affine(full.clone(), &mut rng)),
        Case::new("dense", Order::Second, full),
        Case::new("full, stored as sparse", Order::Second, full_as_sparse),
        Case::new("sparse + affine", Order::Second, with_affine(chain.clone(), &mut rng)),
        Case::new("sparse", Order::Second, chain),
        Case::new("diagonal + affine", Order::Second, with_affine(diagonal.clone(), &mut rng)),
        Case::new("diagonal", Order::Second, diagonal),
        Case::new("linear", Order::Affine, linear),
        Case::new("constant", Order::Affine, Linear::constant(n, -2.0).expect("sound")),
        Case::new("custom root", Order::Second, custom_root(n)),
        Case::new("custom quartic", Order::First, custom_quartic(n)),
    ]
}

/// sqrt(1 + |x|^2), with its Hessian I/s - xx'/s^3.
fn custom_root(n: usize) -> Custom {
    let root = |x: &[f64]| (1.0 + x.iter().map(|x| x * x).sum::<f64>()).sqrt();
    let custom = Custom::new(n, move |x, gradient| {
        let s = root(x);
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x / s);
        }
        Ok(s)
    });
    let with_hessian = custom.expect("sound").with_hessian(move |x, hessian| {
        let s = root(x);
        for (k, h) in hessian.iter_mut().enumerate() {
            *h = if k / n == k % n { 1.0 / s } else { 0.0 } - x[k / n] * x[k % n] / s.powi(3);
        }
        Ok(())
    });
    let smooth = with_hessian.with_smoothness(Smoothness { constant: 1.0, exponent: 1.0 });
    smooth.and_then(|c| c.with_lower_bound(1.0)).expect("sound")
}

/// sum of x_i^4 / 4: uniformly convex of degree 4. With d = y - x and u = x/d, each coordinate has
/// f(y) - f(x) - f'(x) d = d^4 (1/4 + u + 3/2 u^2) >= d^4 / 12, and the sum of d_i^4 is at least |d|^4 / n.
fn custom_quartic(n: usize) -> Custom {
    let custom = Custom::new(n, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x.powi(3));
        }
        Ok(x.iter().map(|x| x.powi(4) / 4.0).sum())
    });
    let convexity = Convexity { constant: 1.0 / (3 * n) as f64, exponent: 3.0 };
    custom.and_then(|c| c.with_convexity(convexity)?.with_lower_bound(0.0)).expect("sound")
}

/// Multiples, sums and pointers.
fn combined(samples: &Samples, storage: Storage) -> Vec<Case> {
    let (data, n) = (samples.matrix(storage), samples.columns);
    let mut rng = Rng::new(57 + n as u64);
    let logistic = || Logistic::new(data.clone(), &samples.signs).expect("sound");
    let power = Power::new(data.clone(), samples.targets.clone(), 1.5).expect("sound");
    let lse = LogSumExp::new(data.clone(), samples.targets.clone()).expect("sound");
    let ridge = || Quadratic::diagonal(vec![0.2; n]).expect("sound");
    let mut linear = || Linear::new(rng.vector(n), 0.4).expect("sound");
    let scaled = logistic().scaled(2.5).and_then(|c| c.shifted(-0.7)).expect("sound");
    let three = Sum::new(vec![Arc::new(logistic()), Arc::new(ridge()), Arc::new(linear())]);
    let boxed: Box<dyn Component> = Box::new(logistic());
    let shared: Arc<dyn Component> = Arc::new(lse.clone());
    vec![
        Case::new("scaled logistic", Order::Second, scaled),
        Case::new("zero times a quadratic", Order::Second, ridge().scaled(0.0).expect("sound")),
        Case::new("negative linear", Order::Affine, linear().scaled(-3.0).expect("sound")),
        Case::new("logistic + ridge + linear", Order::Second, three.expect("sound")),
        Case::new("power 1.5 + linear", Order::Kinked, power.plus(linear()).expect("sound")),
        Case::new("linear + linear", Order::Affine, linear().plus(linear()).expect("sound")),
        Case::new("log-sum-exp + root", Order::Second, lse.plus(custom_root(n)).expect("sound")),
        Case::new("quartic + ridge", Order::First, custom_quartic(n).plus(ridge()).expect("sound")),
        Case::new("5 quartic", Order::First, custom_quartic(n).scaled(5.0).expect("sound")),
        Case::new("boxed", Order::Second, boxed),
        Case::new("shared", Order::Second, shared),
    ]
}
