//! The audit of a matrix that is known by its products.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::{AuditOptions, dot, largest};
use crate::oracle::guard::caught;
use crate::oracle::{LinearOperator, Mapping};
use crate::random::Random;
use std::ops::Range;

/// The multiple of y in the check of linearity.
const SHARE: f64 = -0.7;

/// A product, by its input.
type Product<'a> = &'a dyn Fn(&[f64], &mut [f64]);

pub(super) fn audit(oracle: &dyn LinearOperator, options: &AuditOptions) -> Vec<Finding> {
    let mut findings = Findings::new(Role::Operator, oracle.kind());
    let forward: Product<'_> = &|x, out| oracle.apply(x, out);
    let back: Product<'_> = &|l, out| oracle.apply_transpose(l, out);
    check_products(forward, back, (oracle.rows(), oracle.columns()), options, &mut findings);
    findings.into_list()
}

/// As [`audit`], of rows of a mapping that are known by products with them alone.
pub(crate) fn rows(mapping: &dyn Mapping, rows: &Range<usize>, options: &AuditOptions) -> Vec<Finding> {
    let mut findings = Findings::new(Role::Operator, "rows by products");
    let forward: Product<'_> = &|x, out| {
        let mut all = vec![0.0; mapping.rows()];
        mapping.apply(x, &mut all);
        out.copy_from_slice(&all[rows.clone()]);
    };
    let back: Product<'_> = &|l, out| {
        let mut all = vec![0.0; mapping.rows()];
        all[rows.clone()].copy_from_slice(l);
        mapping.apply_transpose(&all, out);
    };
    check_products(forward, back, (rows.len(), mapping.dimension()), options, &mut findings);
    findings.into_list()
}

fn check_products(
    forward: Product<'_>,
    back: Product<'_>,
    (m, n): (usize, usize),
    options: &AuditOptions,
    findings: &mut Findings,
) {
    let mut random = Random::new(options.seed);
    for _ in 0..options.points(options.is_quick(n.max(m))) {
        let [x, y] = [(); 2].map(|()| options.point(&mut random, n, 1.0));
        let [l, k] = [(); 2].map(|()| random.normals(m));
        let image = check_linear(forward, (&x, &y), m, options, findings);
        let slope = check_linear(back, (&l, &k), n, options, findings);
        let (Some(image), Some(slope)) = (image, slope) else { break };
        let (by_rows, by_columns) = (dot(&l, &image), dot(&slope, &x));
        let size = sizes(&l, &image) + sizes(&slope, &x);
        findings.law(Check::Adjoint, (by_rows - by_columns).abs(), options.tolerance * size, || Seen {
            points: vec![("x", x.clone()), ("l", l.clone())],
            numbers: vec![("<l, A x>", by_rows), ("<A'l, x>", by_columns)],
            ..Seen::default()
        });
    }
}

/// The sum of |a_i b_i|.
fn sizes(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

/// The product with x, where it behaves; everything it owes is checked with that of y.
fn check_linear(
    product: Product<'_>,
    (x, y): (&[f64], &[f64]),
    length: usize,
    options: &AuditOptions,
    findings: &mut Findings,
) -> Option<Vec<f64>> {
    let both: Vec<f64> = x.iter().zip(y).map(|(x, y)| x + SHARE * y).collect();
    let [of_x, of_y, of_both] = [x, y, &both].map(|v| answer(product, v, length, findings));
    let (of_x, of_y, of_both) = (of_x?, of_y?, of_both?);
    let size = largest(of_x.iter().chain(&of_y).copied());
    for i in 0..length {
        let parts = of_x[i] + SHARE * of_y[i];
        findings.law(Check::Linear, (of_both[i] - parts).abs(), options.tolerance * size, || Seen {
            points: vec![("x", x.to_vec()), ("y", y.to_vec())],
            numbers: vec![("c", SHARE), ("of x + c y", of_both[i]), ("of x, plus c times of y", parts)],
            index: Some(i),
            ..Seen::default()
        });
    }
    Some(of_x)
}

/// What the product writes over a buffer of NaN, twice.
fn answer(product: Product<'_>, v: &[f64], length: usize, findings: &mut Findings) -> Option<Vec<f64>> {
    let seen = |message: Option<String>, index: Option<usize>| Seen {
        points: vec![("x", v.to_vec())],
        excess: f64::INFINITY,
        message,
        index,
        ..Seen::default()
    };
    let mut outputs = [vec![f64::NAN; length], vec![0.0; length]];
    for out in &mut outputs {
        if let Err(message) = caught(|| product(v, out)) {
            findings.note(Check::Panic, seen(Some(message), None));
            return None;
        }
    }
    let [first, second] = outputs;
    if let Some(i) = first.iter().position(|v| !v.is_finite()) {
        // The buffer held NaN before: what is one still was not written, or is one in the other buffer too.
        let check = if second[i].is_finite() { Check::Written } else { Check::Finite };
        findings.note(check, seen(None, Some(i)));
        return None;
    }
    if let Some(i) = (0..length).find(|&i| first[i].to_bits() != second[i].to_bits()) {
        findings.note(Check::Repeatable, seen(None, Some(i)));
        return None;
    }
    Some(first)
}
