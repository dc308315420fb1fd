//! Projections onto simplex, capped simplex, l1 ball and l2 ball in any diagonal metric, without sorting or allocating,
//! and the three monotone roots behind them and behind most other proxes.
//!
//! A set serves twice: as a domain X, and as the domain of the conjugate h* of a composer (the simplex of max, the
//! balls of norms). Callers of the roots hand over entries as an iterator that can be run again.

use crate::jacobian::JacobianBlock;
use crate::linalg::norm;
use crate::oracle::Weight;

/// The theta with sum over i of max(m_i - theta b_i, 0) = total, for entries (m_i, b_i) with b_i > 0, total > 0.
///
/// The left-hand side is convex, piecewise linear and decreasing, so Newton's method started left of the root
/// moves right, never past it, and ends after finitely many steps: the active set only shrinks.
pub(crate) fn threshold(entries: impl Iterator<Item = (f64, f64)> + Clone, total: f64) -> f64 {
    // Left of the root: dropping the max can only lower the sum.
    let (mass, slope) = entries.clone().fold((0.0, 0.0), |(m, b), (mi, bi)| (m + mi, b + bi));
    let mut theta = (mass - total) / slope;
    loop {
        let (mut mass, mut slope) = (0.0, 0.0);
        for (m, b) in entries.clone() {
            if m > theta * b {
                mass += m;
                slope += b;
            }
        }
        // The active entries alone give the next root; rounding makes it stop moving at the fixed point.
        let next = (mass - total) / slope;
        if slope > 0.0 && next > theta {
            theta = next;
        } else {
            return theta;
        }
    }
}

/// The θ with sum over i of clip((v_i - θ) / r_i, 0, 1) = count, for entries (v_i, r_i) with r_i > 0, more than `count`.
///
/// The left-hand side decreases from the number of entries to 0 and is piecewise linear: Newton's method within a
/// bracket ends on the right piece. Every third step halves the bracket, lest the others creep.
pub(crate) fn capped_threshold(entries: impl Iterator<Item = (f64, f64)> + Clone, count: f64) -> f64 {
    let (mut low, mut high) = entries
        .clone()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (v, r)| (low.min(v - r), high.max(v)));
    let mut theta = 0.5 * low + 0.5 * high;
    for round in 1.. {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (v, r) in entries.clone() {
            let part = (v - theta) / r;
            if part >= 1.0 {
                sum += 1.0;
            } else if part > 0.0 {
                sum += part;
                slope += 1.0 / r;
            }
        }
        if sum > count {
            low = theta;
        } else if sum < count {
            high = theta;
        } else {
            return theta;
        }
        let newton = theta + (sum - count) / slope;
        let middle = 0.5 * low + 0.5 * high;
        let next = if round % 3 != 0 && newton > low && newton < high { newton } else { middle };
        if !(next > low && next < high) {
            return theta;
        }
        theta = next;
    }
    theta
}

/// The mu >= 0 with sum over i of (w_i v_i / (w_i + mu))^2 = radius^2, for entries (w_i, v_i) with w_i > 0, given that
/// the sum exceeds radius^2 at mu = 0. `radius` > 0.
///
/// The reciprocal of the norm is concave and increasing in mu, so Newton's method on 1/|x(mu)| = 1/radius moves
/// right from a point left of the root and never past it. At the root no entry alone exceeds the radius, which
/// gives such a point; squares taken relative to the radius do not overflow from there on.
pub(crate) fn ball_multiplier(entries: impl Iterator<Item = (f64, f64)> + Clone, radius: f64) -> f64 {
    let mut mu = entries.clone().fold(0.0f64, |mu, (w, v)| mu.max(w * (v.abs() / radius - 1.0)));
    for _ in 0..200 {
        let (mut square, mut derivative) = (0.0, 0.0);
        for (w, v) in entries.clone() {
            // Relative to the radius, so that squares neither overflow nor vanish before the answer does.
            let x = v * (w / (w + mu)) / radius;
            square += x * x;
            derivative += x * x / (w + mu);
        }
        let norm = square.sqrt();
        let step = (1.0 - 1.0 / norm) * square * norm / derivative;
        let next = mu + step;
        if next <= mu || !next.is_finite() || norm <= 1.0 + 4.0 * f64::EPSILON {
            break;
        }
        mu = next;
    }
    mu
}

/// The t > 0 at which `f`, which falls, passes 0, given f(0) = `first` > 0: the end of the last bracket at which f <= 0. The search begins at `guess` > 0.
///
/// The secant through the ends, the older of which counts half where it stays (Illinois); every third step halves the bracket, in ratio where it is wide.
pub(crate) fn falling_root<E>(
    first: f64,
    guess: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let (mut low, mut at_low, mut high, mut growth) = (0.0, first, guess, 4.0f64);
    let mut at_high = f(high)?;
    while (at_high > 0.0 || at_high.is_nan()) && high < 1e300 {
        (low, at_low) = (high, at_high);
        high *= growth;
        growth = (growth * growth).min(1e20);
        at_high = f(high)?;
    }
    for round in 1..200 {
        if at_high == 0.0 || high - low <= 2.0 * f64::EPSILON * high {
            break;
        }
        let secant = low + (high - low) * (at_low / (at_low - at_high));
        let middle = match low {
            _ if high <= 4.0 * low => 0.5 * low + 0.5 * high,
            _ if low == 0.0 => high / 16.0,
            _ => low.sqrt() * high.sqrt(),
        };
        let mut next = if round % 3 != 0 && secant > low && secant < high { secant } else { middle };
        if !(next > low && next < high) {
            next = 0.5 * low + 0.5 * high;
            if !(next > low && next < high) {
                break;
            }
        }
        let at_next = f(next)?;
        if at_next <= 0.0 {
            (high, at_high) = (next, at_next);
            at_low *= 0.5;
        } else {
            (low, at_low) = (next, at_next);
            at_high *= 0.5;
        }
    }
    Ok(high)
}

/// Projects `v` onto {x >= 0, sum x = total} in |.|_W. `total` > 0.
pub(crate) fn simplex(weight: Weight<'_>, total: f64, v: &mut [f64]) {
    let level = Level::new(weight, total, v.iter().copied());
    for (i, v) in v.iter_mut().enumerate() {
        *v = level.excess(weight.at(i), *v).max(0.0);
    }
    // The sum is right up to the rounding of each entry; this leaves the rounding of the sum alone.
    let excess = v.iter().sum::<f64>() / total;
    v.iter_mut().for_each(|v| *v /= excess);
}

/// Projects `v` onto {0 <= x <= cap, sum x = 1} in |.|_W, for 1 < cap times the number of entries.
pub(crate) fn capped_simplex(weight: Weight<'_>, cap: f64, v: &mut [f64]) {
    let level = Level::capped(weight, cap, v);
    for (i, v) in v.iter_mut().enumerate() {
        *v = level.clipped(weight.at(i), *v, cap);
    }
    // The sum is right up to the rounding of each entry. What is missing goes to the entries that are free to take it; a
    // second round takes up what the first one had to clip.
    for _ in 0..2 {
        let missing = 1.0 - v.iter().sum::<f64>();
        let is_free = |v: f64| v > 0.0 && v < cap;
        let yielding = |(i, v): (usize, &f64)| if is_free(*v) { 1.0 / weight.at(i) } else { 0.0 };
        let total: f64 = v.iter().enumerate().map(yielding).sum();
        if missing == 0.0 || total == 0.0 {
            return;
        }
        for (i, v) in v.iter_mut().enumerate().filter(|(_, v)| is_free(**v)) {
            *v = (*v + missing * (1.0 / weight.at(i) / total)).max(0.0).min(cap);
        }
    }
}

/// Projects `v` onto {sum |x_i| <= radius} in |.|_W. `radius` > 0.
pub(crate) fn l1_ball(weight: Weight<'_>, radius: f64, v: &mut [f64]) {
    let Some(level) = l1_ball_level(weight, radius, v) else { return };
    for (i, v) in v.iter_mut().enumerate() {
        *v = level.excess(weight.at(i), v.abs()).max(0.0).copysign(*v);
    }
    let excess = v.iter().map(|v| v.abs()).sum::<f64>() / radius;
    if excess > 1.0 {
        v.iter_mut().for_each(|v| *v /= excess);
    }
}

/// Projects `v` onto {|x| <= radius} in |.|_W. `radius` > 0.
pub(crate) fn l2_ball(weight: Weight<'_>, radius: f64, v: &mut [f64]) {
    let Some(mu) = l2_ball_multiplier(weight, radius, v) else { return };
    for (i, v) in v.iter_mut().enumerate() {
        let w = weight.at(i);
        *v *= w / (w + mu);
    }
    // Rounding may leave the point an ulp outside: bounds are respected.
    let excess = norm(v) / radius;
    if excess > 1.0 {
        v.iter_mut().for_each(|v| *v /= excess);
    }
}

/// The generalised Jacobian of [`simplex`] at `point`.
pub(crate) fn simplex_jacobian(weight: Weight<'_>, total: f64, point: &[f64], out: &mut JacobianBlock<'_>) {
    let level = Level::new(weight, total, point.iter().copied());
    face_jacobian(weight, out, point, |i| if level.excess(weight.at(i), point[i]) > 0.0 { 1.0 } else { 0.0 });
}

/// The generalised Jacobian of [`capped_simplex`] at `point`: nothing moves where no entry lies strictly between its bounds.
pub(crate) fn capped_simplex_jacobian(
    weight: Weight<'_>,
    cap: f64,
    point: &[f64],
    out: &mut JacobianBlock<'_>,
) {
    let level = Level::capped(weight, cap, point);
    let is_free = |i: usize| {
        let x = level.clipped(weight.at(i), point[i], cap);
        x > 0.0 && x < cap
    };
    if (0..point.len()).any(is_free) {
        face_jacobian(weight, out, point, |i| if is_free(i) { 1.0 } else { 0.0 });
    }
}

/// The generalised Jacobian of [`l1_ball`] at `point`.
pub(crate) fn l1_ball_jacobian(weight: Weight<'_>, radius: f64, point: &[f64], out: &mut JacobianBlock<'_>) {
    match l1_ball_level(weight, radius, point) {
        None => identity_jacobian(weight, out),
        Some(level) => face_jacobian(weight, out, point, |i| {
            if level.excess(weight.at(i), point[i].abs()) > 0.0 { 1f64.copysign(point[i]) } else { 0.0 }
        }),
    }
}

/// The generalised Jacobian of [`l2_ball`] at `point`: with K = W + mu I and x the projection,
/// K^-1 - (K^-1 x)(K^-1 x)' / (x' K^-1 x).
pub(crate) fn l2_ball_jacobian(weight: Weight<'_>, radius: f64, point: &[f64], out: &mut JacobianBlock<'_>) {
    let Some(mu) = l2_ball_multiplier(weight, radius, point) else {
        return identity_jacobian(weight, out);
    };
    for (i, d) in out.diagonal().iter_mut().enumerate() {
        *d = 1.0 / (weight.at(i) + mu);
    }
    // Scaled by 1/radius so that x' K^-1 x does not underflow.
    let x = |i: usize| point[i] * (weight.at(i) / (weight.at(i) + mu)) / radius;
    let energy: f64 = (0..point.len()).map(|i| x(i) * x(i) / (weight.at(i) + mu)).sum();
    out.rank_one(-1.0 / energy, 0, (0..point.len()).map(|i| x(i) / (weight.at(i) + mu)));
}

/// W^-1, the Jacobian of a prox that moves nothing.
pub(crate) fn identity_jacobian(weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
    for (i, d) in out.diagonal().iter_mut().enumerate() {
        *d = 1.0 / weight.at(i);
    }
}

/// Moving on the face {sum_i s_i x_i constant} of the coordinates with s_i != 0, s_i = +-1:
/// W_F^-1 - (W_F^-1 s)(W_F^-1 s)' / (s' W_F^-1 s).
fn face_jacobian(
    weight: Weight<'_>,
    out: &mut JacobianBlock<'_>,
    point: &[f64],
    sign: impl Fn(usize) -> f64,
) {
    let mut total = 0.0;
    for (i, d) in out.diagonal().iter_mut().enumerate() {
        *d = sign(i).abs() / weight.at(i);
        total += *d;
    }
    out.rank_one(-1.0 / total, 0, (0..point.len()).map(|i| sign(i) / weight.at(i)));
}

/// The theta with sum of max(v_i - theta / w_i, 0) = total, kept as `base` + `offset`.
///
/// Where |v| is large against `total`, v_i - theta / w_i cancels, and the sum misses the total by eps |v|. So theta is
/// measured from the largest w_i v_i: what is then left of the entries above it is of the size of `total`, whatever
/// |v| is. In a diagonal metric it may still be larger by a ratio of weights; a second root, measured from the first,
/// removes that.
#[derive(Clone, Copy)]
struct Level {
    base: f64,
    offset: f64,
}

impl Level {
    fn new(weight: Weight<'_>, total: f64, v: impl Iterator<Item = f64> + Clone) -> Self {
        let v = v.enumerate().map(|(i, v)| (weight.at(i), v));
        let above = |base: f64| {
            let level = Self { base, offset: 0.0 };
            let offset = threshold(v.clone().map(|(w, v)| (level.excess(w, v), 1.0 / w)), total);
            Self { base, offset }
        };
        let level = above(v.clone().fold(f64::NEG_INFINITY, |largest, (w, v)| largest.max(w * v)));
        if weight.as_scalar().is_some() { level } else { above(level.base + level.offset) }
    }

    /// The theta with sum of clip(v_i - theta / w_i, 0, cap) = 1, measured from the w_i v_i next to it: differences between
    /// entries are then exact, whatever |v| is.
    fn capped(weight: Weight<'_>, cap: f64, v: &[f64]) -> Self {
        let above = |base: f64| {
            let entry = |(i, v): (usize, &f64)| (weight.at(i) * v - base, weight.at(i) * cap);
            let offset = capped_threshold(v.iter().enumerate().map(entry), 1.0 / cap);
            Self { base, offset }
        };
        let theta = above(0.0).offset;
        let pulls = v.iter().enumerate().map(|(i, v)| weight.at(i) * v);
        let nearer = |a: f64, b: f64| if (b - theta).abs() < (a - theta).abs() { b } else { a };
        above(pulls.fold(f64::INFINITY, nearer))
    }

    /// v - theta / w, clipped to [0, cap]. Where all entries are at their bounds theta is any number of an interval, and the
    /// root may be at the end of it: what an entry is then off its bound by is less than the rounding of the sum, 1.
    fn clipped(&self, w: f64, v: f64, cap: f64) -> f64 {
        match self.excess(w, v) {
            x if x <= f64::EPSILON => 0.0,
            x if x >= cap - f64::EPSILON => cap,
            x => x,
        }
    }

    /// v - theta / w.
    fn excess(&self, w: f64, v: f64) -> f64 {
        (w * v - self.base - self.offset) / w
    }
}

/// The level of the projection onto the l1 ball; `None` inside.
fn l1_ball_level(weight: Weight<'_>, radius: f64, v: &[f64]) -> Option<Level> {
    let outside = v.iter().map(|v| v.abs()).sum::<f64>() > radius;
    outside.then(|| Level::new(weight, radius, v.iter().map(|v| v.abs())))
}

/// The multiplier of the projection onto the l2 ball; `None` inside.
fn l2_ball_multiplier(weight: Weight<'_>, radius: f64, v: &[f64]) -> Option<f64> {
    let norm = norm(v);
    (norm > radius).then(|| match weight.as_scalar() {
        Some(tau) => tau * (norm / radius - 1.0),
        None => ball_multiplier(v.iter().enumerate().map(|(i, &v)| (weight.at(i), v)), radius),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::norm_of;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn threshold_solves_its_equation(
            entries in prop::collection::vec((-10.0..10.0f64, 1e-3..1e3f64), 1..40),
            total in 1e-3..10.0f64,
        ) {
            let theta = threshold(entries.iter().copied(), total);
            let sum: f64 = entries.iter().map(|(m, b)| (m - theta * b).max(0.0)).sum();
            prop_assert!((sum - total).abs() <= 1e-10 * (1.0 + total), "{sum} against {total}");
        }

        #[test]
        fn ball_multiplier_solves_its_equation_far_away(
            entries in prop::collection::vec((1e-4..1e4f64, -1.0..1.0f64), 1..40),
            exponent in 20..250i32,
        ) {
            let entries: Vec<_> = entries.iter().map(|(w, v)| (*w, v * 10f64.powi(exponent))).collect();
            let mu = ball_multiplier(entries.iter().copied(), 2.0);
            let reached = norm_of(entries.iter().map(|(w, v)| v * (w / (w + mu))));
            prop_assert!((reached - 2.0).abs() <= 1e-12, "{reached} against 2");
        }

        #[test]
        fn ball_multiplier_solves_its_equation(
            entries in prop::collection::vec((1e-4..1e4f64, -10.0..10.0f64), 1..40),
            shrink in 1e-6..0.999f64,
        ) {
            let norm = entries.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
            prop_assume!(norm > 1e-6);
            let radius = shrink * norm;
            let mu = ball_multiplier(entries.iter().copied(), radius);
            let reached = entries.iter().map(|(w, v)| (v * w / (w + mu)).powi(2)).sum::<f64>().sqrt();
            prop_assert!((reached - radius).abs() <= 1e-12 * radius, "{reached} against {radius}");
        }
    }
}
