//! The name that was probably meant.

/// The name among `known` that `name` was probably meant to be.
///
/// ```
/// assert_eq!(ufcm_io::nearest("logistc", ["linear", "logistic"]), Some("logistic"));
/// assert_eq!(ufcm_io::nearest("spline", ["linear", "logistic"]), None);
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let distance = |other: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let candidates = known.into_iter().map(|other| (distance(other), other));
    // One slip in three letters, as in the suggestions of compilers.
    candidates.filter(|(d, other)| *d <= other.len().max(name.len()).div_ceil(3)).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("kidn", ["kind", "data"]), Some("kind"));
        assert_eq!(nearest("Logistic", ["linear", "logistic"]), Some("logistic"));
        assert_eq!(nearest("colour", ["kind", "data"]), None);
    }
}
