//! Other units for the variables: x = d y, or x = y + t.

use crate::describe::{BlockRows, Component, Curve, Instance, Penalty, Rows, Set, Truth, dot};

/// Which factors the parts of a problem can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freedom {
    Each,
    /// The same ones again after so many variables: features of several classes.
    Repeated(usize),
    Uniform,
}

fn components(instance: &Instance) -> impl Iterator<Item = &Component> {
    let rows = instance.blocks.iter().flat_map(|block| match &block.rows {
        BlockRows::Components(parts) => &parts[..],
        BlockRows::Affine(_) => &[],
    });
    std::iter::once(&instance.objective).chain(rows)
}

fn freedom(instance: &Instance) -> Freedom {
    let set = matches!(instance.domain.set, Set::Free | Set::Box { .. } | Set::Nonnegative);
    let penalty = matches!(
        instance.domain.penalty,
        Penalty::None
            | Penalty::L1(_)
            | Penalty::Ridge(_)
            | Penalty::ElasticNet { .. }
            | Penalty::Weighted { .. }
    );
    if !set || !penalty {
        return Freedom::Uniform;
    }
    let features = components(instance).find_map(|g| match &g.curve {
        Curve::Softmax { data, .. } => Some(data[0].len()),
        _ => None,
    });
    features.map_or(Freedom::Each, Freedom::Repeated)
}

/// The factors, as far as the problem can take them.
pub fn admissible(instance: &Instance, factors: Vec<f64>) -> Vec<f64> {
    match freedom(instance) {
        Freedom::Each => factors,
        Freedom::Repeated(period) => (0..factors.len()).map(|i| factors[i % period]).collect(),
        Freedom::Uniform => vec![factors[0]; factors.len()],
    }
}

/// x = d y with admissible d.
pub fn scale(instance: &mut Instance, d: Vec<f64>) {
    scale_component(&mut instance.objective, &d);
    for block in &mut instance.blocks {
        match &mut block.rows {
            BlockRows::Components(parts) => parts.iter_mut().for_each(|g| scale_component(g, &d)),
            BlockRows::Affine(rows) => rows.matrix.iter_mut().for_each(|row| times(row, &d)),
        }
    }
    scale_penalty(&mut instance.domain.penalty, &d);
    match &mut instance.domain.set {
        Set::Free | Set::Nonnegative | Set::SecondOrderCone => {}
        Set::Box { lower, upper } => {
            over(lower, &d);
            over(upper, &d);
        }
        Set::Ball { radius, centre } => {
            *radius /= d[0];
            over(centre, &d);
        }
        Set::Simplex { total } => *total /= d[0],
        Set::L1Ball { radius } => *radius /= d[0],
    }
    if let Truth::Minimiser(x) = &mut instance.truth {
        over(x, &d);
    }
}

fn times(v: &mut [f64], d: &[f64]) {
    v.iter_mut().zip(d).for_each(|(v, d)| *v *= d);
}

fn over(v: &mut [f64], d: &[f64]) {
    v.iter_mut().zip(d).for_each(|(v, d)| *v /= d);
}

fn scale_component(g: &mut Component, d: &[f64]) {
    times(&mut g.slope, d);
    scale_curve(&mut g.curve, d);
}

fn scale_curve(curve: &mut Curve, d: &[f64]) {
    match curve {
        Curve::Flat => {}
        Curve::Times(_, curve) => scale_curve(curve, d),
        // Features of several classes have the first factors, for each class again.
        Curve::Quadratic(data)
        | Curve::Data { data, .. }
        | Curve::Softmax { data, .. }
        | Curve::LogSumExp(Rows { matrix: data, .. }) => data.iter_mut().for_each(|row| times(row, d)),
    }
}

fn scale_penalty(penalty: &mut Penalty, d: &[f64]) {
    let n = d.len();
    let (l1, ridge) = match penalty {
        Penalty::None => return,
        Penalty::Groups { weight, .. } | Penalty::L2(weight) | Penalty::Linf(weight) => {
            *weight *= d[0];
            return;
        }
        Penalty::Sorted(weights) => return times(weights, d),
        Penalty::L1(w) => (vec![*w; n], vec![0.0; n]),
        Penalty::Ridge(w) => (vec![0.0; n], vec![*w; n]),
        Penalty::ElasticNet { l1, ridge } => (vec![*l1; n], vec![*ridge; n]),
        Penalty::Weighted { l1, ridge } => (l1.clone(), ridge.clone()),
    };
    let l1: Vec<f64> = l1.iter().zip(d).map(|(w, d)| w * d).collect();
    let ridge: Vec<f64> = ridge.iter().zip(d).map(|(w, d)| w * d * d).collect();
    let uniform = d.iter().all(|v| *v == d[0]);
    *penalty = match penalty {
        Penalty::L1(_) if uniform => Penalty::L1(l1[0]),
        Penalty::Ridge(_) if uniform => Penalty::Ridge(ridge[0]),
        Penalty::ElasticNet { .. } if uniform => Penalty::ElasticNet { l1: l1[0], ridge: ridge[0] },
        _ => Penalty::Weighted { l1, ridge },
    };
}

/// x = y + t, where the parts can be written in y; otherwise nothing.
pub fn shifted(instance: &Instance, t: &[f64]) -> Option<Instance> {
    let mut moved = instance.clone();
    if !matches!(moved.domain.penalty, Penalty::None) {
        return None;
    }
    let minus = |v: &mut [f64]| v.iter_mut().zip(t).for_each(|(v, t)| *v -= t);
    match &mut moved.domain.set {
        Set::Free => {}
        Set::Box { lower, upper } => {
            minus(lower);
            minus(upper);
        }
        Set::Ball { centre, .. } => minus(centre),
        _ => return None,
    }
    shift_component(&mut moved.objective, t)?;
    for block in &mut moved.blocks {
        match &mut block.rows {
            BlockRows::Components(parts) => parts.iter_mut().try_for_each(|g| shift_component(g, t))?,
            BlockRows::Affine(rows) => {
                rows.offset.iter_mut().zip(&rows.matrix).for_each(|(b, row)| *b -= dot(row, t));
            }
        }
    }
    if let Truth::Minimiser(x) = &mut moved.truth {
        minus(x);
    }
    Some(moved)
}

fn shift_component(g: &mut Component, t: &[f64]) -> Option<()> {
    g.constant += dot(&g.slope, t);
    match &g.curve {
        Curve::Flat => {}
        Curve::Quadratic(factor) => {
            for row in factor {
                let image = dot(row, t);
                g.constant += 0.5 * image * image;
                g.slope.iter_mut().zip(row).for_each(|(s, v)| *s += image * v);
            }
        }
        _ => return None,
    }
    Some(())
}
