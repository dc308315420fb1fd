//! exp and log(1 + e) without branches, so that loops over them vectorise.
//!
//! A loss over data with few columns costs as much in exponentials as in memory traffic when each one is a call into
//! the system's library. These are accurate to about an ulp over the whole range (tested below), and the same on every
//! machine.

/// Numbers are rounded to integers, and their low bits brought to hand, by adding 1.5 * 2^52.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; the first has enough trailing zeros for its multiples to be exact.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 2^k for an integer -1022 <= k <= 1023 held as a float.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    f64::from_bits((k + (ROUND + 1023.0)).to_bits() << 52)
}

/// e^x: infinite beyond the range of f64, gradually 0 below it, NaN for NaN.
#[inline(always)]
#[allow(clippy::manual_clamp)] // `clamp` and `min` would turn NaN into a number or hinder vectorising
pub(crate) fn exp(x: f64) -> f64 {
    let x = if x > 800.0 { 800.0 } else { x };
    let x = if x < -800.0 { -800.0 } else { x };
    // x = k ln 2 + r with |r| <= ln 2 / 2
    let k = (x * std::f64::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    // Taylor: the first term left out is r^14 / 14! < 5e-18.
    let mut p = 1.0 / 6_227_020_800.0;
    p = p * r + 1.0 / 479_001_600.0;
    p = p * r + 1.0 / 39_916_800.0;
    p = p * r + 1.0 / 3_628_800.0;
    p = p * r + 1.0 / 362_880.0;
    p = p * r + 1.0 / 40_320.0;
    p = p * r + 1.0 / 5_040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    // 1 + (r + r^2 p): the small part is summed first.
    let p = 1.0 + (r + r * r * p);
    // In two factors, because 2^k itself may be out of range where e^x is not.
    let half = (0.5 * k + ROUND) - ROUND;
    p * power_of_two(half) * power_of_two(k - half)
}

/// ln(1 + e) for 0 <= e <= 1.
#[inline(always)]
pub(crate) fn ln_1p_unit(e: f64) -> f64 {
    // 1 + e = (1 + u) or 2 (1 + u), with u between 1/sqrt(2) - 1 and sqrt(2) - 1.
    let large = e > std::f64::consts::SQRT_2 - 1.0;
    let u = if large { 0.5 * (e - 1.0) } else { e };
    let shift = if large { std::f64::consts::LN_2 } else { 0.0 };
    // ln(1 + u) = 2 artanh(s), s = u / (2 + u), |s| < 0.172: the first term left out is below 1e-18 of the sum.
    let s = u / (2.0 + u);
    let q = s * s;
    let mut p = 1.0 / 23.0;
    p = p * q + 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    // 2 s + 2 s q p, with 2 s = u - s u so that a small u keeps all its digits.
    shift + (u - s * (u - 2.0 * q * p))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// |a - b| in units in the last place of b.
    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::EPSILON * b.abs()).max(f64::from_bits(1))
    }

    #[test]
    fn exp_is_accurate_everywhere() {
        let mut worst: f64 = 0.0;
        for i in -745_000..710_000 {
            let x = f64::from(i) * 1e-3 + 1.7e-7;
            let reference = x.exp();
            if reference >= f64::MIN_POSITIVE && reference.is_finite() {
                worst = worst.max(ulps(exp(x), reference));
            }
        }
        for x in [1e-300, -1e-20, 1e-9, 0.346_573, -0.346_573, 709.78, -708.3] {
            worst = worst.max(ulps(exp(x), x.exp()));
        }
        assert!(worst <= 2.0, "{worst} ulps");
        assert_eq!([exp(0.0), exp(710.0), exp(f64::INFINITY)], [1.0, f64::INFINITY, f64::INFINITY]);
        assert_eq!([exp(-746.0), exp(f64::NEG_INFINITY)], [0.0, 0.0]);
        assert!(exp(f64::NAN).is_nan());
        assert!(exp(-740.0) > 0.0, "gradual underflow");
    }

    #[test]
    fn logarithm_is_accurate_everywhere() {
        let mut worst: f64 = 0.0;
        for i in 0..=1_000_000 {
            let e = f64::from(i) * 1e-6;
            worst = worst.max(ulps(ln_1p_unit(e), e.ln_1p()));
        }
        for exponent in 1..300 {
            let e = 10f64.powi(-exponent);
            worst = worst.max(ulps(ln_1p_unit(e), e.ln_1p()));
        }
        assert!(worst <= 2.0, "{worst} ulps");
        assert!(ln_1p_unit(f64::NAN).is_nan());
    }
}
