//! Numbers as the field writes them.

/// A number with so many digits after the point and a signed exponent of two digits: `1.25e-06`; `-` where there is none.
pub(crate) fn scientific(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    let plain = format!("{value:.digits$e}");
    let (mantissa, exponent) = plain.split_once('e').unwrap_or((&plain, "0"));
    let (sign, size) = exponent.strip_prefix('-').map_or(('+', exponent), |size| ('-', size));
    format!("{mantissa}e{sign}{size:0>2}")
}

#[cfg(test)]
mod tests {
    use super::scientific;

    #[test]
    fn exponents_have_a_sign_and_two_digits() {
        assert_eq!(scientific(-1.254e-6, 2), "-1.25e-06");
        assert_eq!(scientific(0.0, 1), "0.0e+00");
        assert_eq!(scientific(1e100, 0), "1e+100");
        assert_eq!(scientific(f64::NEG_INFINITY, 3), "-");
    }
}
