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

/// `1 gradient`, `2 gradients`
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Entries that are smaller than this part of the largest are told as 0. Interior points leave some 1e-10 of the largest in every entry, and a
/// change of the unit that all entries share changes nothing.
const NEGLIGIBLE: f64 = 1e-9;

/// Which entries are worth telling: those that are not negligible beside the largest, and what is no number.
pub(crate) fn is_told(values: impl Iterator<Item = f64>) -> impl Fn(f64) -> bool {
    let largest = values.filter(|value| value.is_finite()).fold(0.0f64, |most, value| most.max(value.abs()));
    let least = (NEGLIGIBLE * largest).max(f64::MIN_POSITIVE);
    move |value| value.is_nan() || value.abs() >= least
}

/// How many entries are not 0. Where some are only negligible, that is said.
pub(crate) fn not_zero(values: impl Iterator<Item = f64> + Clone) -> String {
    let is_told = is_told(values.clone());
    let told = values.clone().filter(|value| is_told(*value)).count();
    let all = values.filter(|value| *value != 0.0).count();
    let rest =
        if all > told { format!(" (others are below {NEGLIGIBLE:e} of the largest)") } else { String::new() };
    format!("{told} not 0{rest}")
}

#[cfg(test)]
mod tests {
    use super::{counted, not_zero, scientific};

    #[test]
    fn exponents_have_a_sign_and_two_digits() {
        assert_eq!(scientific(-1.254e-6, 2), "-1.25e-06");
        assert_eq!(scientific(0.0, 1), "0.0e+00");
        assert_eq!(scientific(1e100, 0), "1e+100");
        assert_eq!(scientific(f64::NEG_INFINITY, 3), "-");
    }

    #[test]
    fn negligible_entries_are_told_as_zero_in_every_unit() {
        let entries = [0.5, -3e-11, 0.0, 1e-8, 2.0];
        for unit in [1.0, 1e-12, 1e9] {
            let told = not_zero(entries.iter().map(|value| unit * value));
            assert_eq!(told, "3 not 0 (others are below 1e-9 of the largest)");
        }
        assert_eq!(not_zero([0.0, 1.0, -2.0].into_iter()), "2 not 0");
        assert_eq!(not_zero([0.0, 0.0].into_iter()), "0 not 0");
        assert_eq!(not_zero([f64::NAN, 1.0].into_iter()), "2 not 0");
        assert_eq!(not_zero([f64::INFINITY, 1.0].into_iter()), "2 not 0");
        assert_eq!(counted(1, "solve"), "1 solve");
        assert_eq!(counted(2, "solve"), "2 solves");
    }
}
