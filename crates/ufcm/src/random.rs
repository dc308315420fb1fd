//! Random numbers: small, seeded, the same on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter through a mixing function.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1): never an end, so that its logarithm is finite.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    fn symmetric(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A vector of this norm: n numbers uniform in [-1, 1), scaled.
    pub(crate) fn direction(&mut self, n: usize, norm: f64) -> Vec<f64> {
        let v: Vec<f64> = (0..n).map(|_| self.symmetric()).collect();
        let scale = norm / v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter().map(|v| scale * v).collect()
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let angle = std::f64::consts::TAU * self.uniform();
        (-2.0 * self.uniform().ln()).sqrt() * angle.cos()
    }

    /// A vector of standard normals.
    pub(crate) fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// Uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }

    /// `count` distinct indices of 0..n, or all of them where there are no more.
    pub(crate) fn indices(&mut self, n: usize, count: usize) -> Vec<usize> {
        if count >= n {
            return (0..n).collect();
        }
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count {
            let i = self.below(n);
            if !chosen.contains(&i) {
                chosen.push(i);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_reference_sequence() {
        // The first outputs of the published generator for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn normals_have_mean_0_and_variance_1() {
        let z = Random::new(1).normals(100_000);
        let mean = z.iter().sum::<f64>() / z.len() as f64;
        let variance = z.iter().map(|z| z * z).sum::<f64>() / z.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn indices_are_distinct() {
        let mut indices = Random::new(2).indices(100, 40);
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), 40);
        assert_eq!(Random::new(2).indices(3, 40), [0, 1, 2]);
    }
}
