//! The audit of a composer: value against conjugate, the prox of the conjugate, and what it declares.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::prox::{self, Proxed, Proximable};
use super::{AuditOptions, distance, dot, largest, shifted, unit};
use crate::oracle::Composer;
use crate::oracle::guard::caught;
use crate::random::Random;

pub(super) fn audit(oracle: &dyn Composer, options: &AuditOptions) -> Vec<Finding> {
    let mut findings = Findings::new(Role::Composer, oracle.kind());
    let random = Random::new(options.seed);
    let outcome = caught(|| ComposerAudit { oracle, options, random, findings: &mut findings }.run());
    if let Err(message) = outcome {
        findings.note(Check::Panic, Seen { message: Some(message), ..Seen::default() });
    }
    findings.into_list()
}

struct ComposerAudit<'a> {
    oracle: &'a dyn Composer,
    options: &'a AuditOptions,
    random: Random,
    findings: &'a mut Findings,
}

/// Rows z with h(z), which may be infinite.
struct Rows {
    z: Vec<f64>,
    value: f64,
}

/// How far outside its domain rounding may carry a point, relative to its size.
const NEAR: f64 = 1e-9;

impl ComposerAudit<'_> {
    fn run(&mut self) {
        let oracle = self.oracle;
        if oracle.rows() == 0 {
            return;
        }
        let conjugate = Proximable {
            n: oracle.rows(),
            diagonal: oracle.has_diagonal_prox(),
            value: &|l| oracle.conjugate(l),
            prox: &|weight, l| oracle.prox_conjugate(weight, l),
            jacobian: &|weight, point, out| oracle.prox_conjugate_jacobian(weight, point, out),
        };
        let results = prox::check(&conjugate, self.options, &mut self.random, self.findings);
        for result in &results {
            self.check_prox_conjugate(result);
        }
        let rows = self.rows(&results);
        for (k, row) in rows.iter().enumerate() {
            self.check_domain_distance(row);
            self.check_nondecreasing(row);
            for result in &results {
                self.check_fenchel_young(row, result);
            }
            let next = &rows[(k + 1) % rows.len()];
            self.check_convex(row, next);
            self.check_multipliers(row, next);
        }
    }

    fn relative(&self) -> f64 {
        self.options.tolerance
    }

    fn value(&mut self, z: &[f64]) -> Option<f64> {
        let oracle = self.oracle;
        self.findings.extended(z, || oracle.value(z))
    }

    /// Random rows, and those that belong to results of the prox: the latter lie in the domain of h.
    fn rows(&mut self, results: &[Proxed]) -> Vec<Rows> {
        let n = self.oracle.rows();
        let mut all: Vec<Vec<f64>> = results.iter().map(|result| result.subgradient.clone()).collect();
        for k in 0..self.options.points(self.options.is_quick(n)) {
            let spread = [1.0, 0.3, 5.0][k % 3];
            let z = self.options.point(&mut self.random, n, spread);
            // The mirrored rows reach the other side of a one-sided domain.
            all.push(z.iter().map(|z| -z.abs()).collect());
            all.push(z);
        }
        all.into_iter().filter_map(|z| Some(Rows { value: self.value(&z)?, z })).collect()
    }

    /// h(z) + h*(l) - <l, z>, and the size of its terms.
    fn fenchel_gap(z: &[f64], value: f64, l: &[f64], conjugate: f64) -> (f64, f64) {
        let terms: f64 = l.iter().zip(z).map(|(l, z)| (l * z).abs()).sum();
        (value + conjugate - dot(l, z), terms + value.abs() + conjugate.abs())
    }

    fn note_fenchel(
        &mut self,
        check: Check,
        excess: f64,
        tolerance: f64,
        rows: &Rows,
        l: &[f64],
        conjugate: f64,
    ) {
        self.findings.law(check, excess, tolerance, || Seen {
            points: vec![("z", rows.z.clone()), ("l", l.to_vec())],
            numbers: vec![("h(z)", rows.value), ("h*(l)", conjugate), ("<l, z>", dot(l, &rows.z))],
            ..Seen::default()
        });
    }

    fn check_fenchel_young(&mut self, rows: &Rows, result: &Proxed) {
        if rows.value == f64::INFINITY {
            return;
        }
        let (gap, terms) = Self::fenchel_gap(&rows.z, rows.value, &result.w, result.value);
        let tolerance = self.relative() * terms;
        self.note_fenchel(Check::FenchelYoung, -gap, tolerance, rows, &result.w, result.value);
    }

    /// z = W (v - l) is a subgradient of h* at l, so l is one of h at z.
    fn check_prox_conjugate(&mut self, result: &Proxed) {
        let z = result.subgradient.clone();
        let Some(value) = self.value(&z) else { return };
        if value == f64::INFINITY && self.is_near_domain(&z, &result.v) {
            return;
        }
        let (gap, terms) = Self::fenchel_gap(&z, value, &result.w, result.value);
        let tolerance = if terms.is_finite() { self.relative() * terms } else { 0.0 };
        let rows = Rows { z, value };
        self.note_fenchel(Check::ProxConjugate, gap.abs(), tolerance, &rows, &result.w, result.value);
    }

    fn is_near_domain(&mut self, z: &[f64], v: &[f64]) -> bool {
        let oracle = self.oracle;
        let size = largest(z.iter().chain(v).copied());
        self.findings.call(z, || oracle.domain_distance(z)).is_some_and(|d| d <= NEAR * size)
    }

    fn multipliers(&mut self, z: &[f64]) -> Option<Vec<f64>> {
        let oracle = self.oracle;
        let mut l = vec![f64::NAN; z.len()];
        self.findings.call(z, || oracle.multipliers_at(z, &mut l))?;
        let Some(i) = l.iter().position(|l| !l.is_finite()) else { return Some(l) };
        let check = if l[i].is_nan() { Check::Written } else { Check::Finite };
        let (points, numbers) = (vec![("z", z.to_vec())], vec![("multiplier", l[i])]);
        let excess = f64::INFINITY;
        self.findings.note(check, Seen { points, numbers, index: Some(i), excess, ..Seen::default() });
        None
    }

    /// A subgradient where h is finite, in the domain of h* everywhere; and Lipschitz where h is smooth.
    fn check_multipliers(&mut self, rows: &Rows, next: &Rows) {
        let oracle = self.oracle;
        let Some(l) = self.multipliers(&rows.z) else { return };
        let Some(conjugate) = self.findings.extended(&l, || oracle.conjugate(&l)) else { return };
        let outside = conjugate == f64::INFINITY;
        let (excess, tolerance) = if outside {
            (f64::INFINITY, 0.0)
        } else if rows.value == f64::INFINITY {
            return;
        } else {
            let (gap, terms) = Self::fenchel_gap(&rows.z, rows.value, &l, conjugate);
            (gap.abs(), self.relative() * terms)
        };
        self.note_fenchel(Check::Multipliers, excess, tolerance, rows, &l, conjugate);
        let smoothness = oracle.smoothness();
        if smoothness.is_finite()
            && let Some(other) = self.multipliers(&next.z)
        {
            let (change, allowed) = (distance(&l, &other), smoothness * distance(&rows.z, &next.z));
            let tolerance = self.relative() * (allowed + largest(l.iter().chain(&other).copied()));
            self.findings.law(Check::Smoothness, change - allowed, tolerance, || Seen {
                points: vec![("x", rows.z.clone()), ("y", next.z.clone())],
                numbers: vec![("|g(x) - g(y)|", change), ("L |x - y|", allowed), ("L", smoothness)],
                ..Seen::default()
            });
        }
    }

    fn check_domain_distance(&mut self, rows: &Rows) {
        let oracle = self.oracle;
        let Some(distance) = self.findings.call(&rows.z, || oracle.domain_distance(&rows.z)) else { return };
        let right = if rows.value < f64::INFINITY {
            (0.0..=NEAR * largest(rows.z.iter().copied())).contains(&distance)
        } else {
            distance > 0.0
        };
        self.findings.law(Check::DomainDistance, if right { 0.0 } else { f64::INFINITY }, 0.0, || Seen {
            points: vec![("z", rows.z.clone())],
            numbers: vec![("distance", distance), ("h(z)", rows.value)],
            ..Seen::default()
        });
    }

    /// Raises single rows, then all rows in which h is declared nondecreasing.
    fn check_nondecreasing(&mut self, rows: &Rows) {
        let (oracle, n) = (self.oracle, rows.z.len());
        // Beyond its domain h must stay infinite; at the very edge rounding decides.
        if rows.value == f64::INFINITY && self.is_near_domain(&rows.z, &[]) {
            return;
        }
        let rising: Vec<f64> = (0..n).map(|j| f64::from(u8::from(oracle.is_nondecreasing(j)))).collect();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        for j in self.random.indices(n, 8) {
            if rising[j] > 0.0 {
                directions.push(unit(n, j));
            }
        }
        directions.push(rising.iter().map(|r| r * self.random.uniform()).collect());
        for d in directions {
            for step in [0.01, 1.0, 10.0] {
                let higher = shifted(&rows.z, step * self.options.radius, &d);
                let Some(value) = self.value(&higher) else { return };
                if value == f64::INFINITY {
                    continue;
                }
                let terms = if rows.value.is_finite() { rows.value.abs() + value.abs() } else { 0.0 };
                self.findings.law(
                    Check::Nondecreasing,
                    rows.value - value,
                    self.options.tolerance * terms,
                    || Seen {
                        points: vec![("z", rows.z.clone()), ("z raised", higher.clone())],
                        numbers: vec![("h(z)", rows.value), ("h(z raised)", value)],
                        index: d.iter().position(|d| *d > 0.0),
                        ..Seen::default()
                    },
                );
            }
        }
    }

    fn check_convex(&mut self, x: &Rows, y: &Rows) {
        if x.value == f64::INFINITY || y.value == f64::INFINITY {
            return;
        }
        let theta = self.random.uniform();
        let between: Vec<f64> = x.z.iter().zip(&y.z).map(|(x, y)| (1.0 - theta) * x + theta * y).collect();
        let Some(value) = self.value(&between) else { return };
        if value == f64::INFINITY && self.is_near_domain(&between, &x.z) {
            return;
        }
        let excess = value - ((1.0 - theta) * x.value + theta * y.value);
        let tolerance = self.relative() * (x.value.abs() + y.value.abs());
        self.findings.law(Check::Convex, excess, tolerance, || Seen {
            points: vec![("x", x.z.clone()), ("y", y.z.clone())],
            numbers: vec![("theta", theta), ("f(x)", x.value), ("f(y)", y.value), ("f between", value)],
            ..Seen::default()
        });
    }
}
