//! A problem on some of its variables.

use super::Problem;
use crate::budget::Budget;
use crate::oracle::{Grounds, ScalarTerm};
use crate::regulariser::Separable;
use std::sync::Arc;

/// u on some variables: the laws of those.
struct Laws {
    kind: &'static str,
    grounds: Grounds,
    terms: Vec<ScalarTerm>,
}

impl Separable for Laws {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.terms.len())
    }

    fn term(&self, i: usize) -> ScalarTerm {
        self.terms[i]
    }

    fn grounds(&self) -> Grounds {
        self.grounds
    }

    fn strong_convexity(&self) -> f64 {
        self.terms.iter().map(|term| term.ridge).fold(f64::INFINITY, f64::min)
    }
}

impl Problem {
    /// The problem as one in these variables alone, in increasing order, the others being 0; `None` where a row cannot be had so, or u is no
    /// sum of laws of the variables. What is evaluated asks `budget`.
    pub(crate) fn restricted(&self, variables: &[usize], budget: &Budget) -> Option<Self> {
        let mut mapping = self.mapping.restricted(variables)?;
        mapping.set_budget(budget);
        let terms = variables.iter().map(|&i| self.regulariser.scalar_term(i)).collect::<Option<_>>()?;
        let laws = Laws { kind: self.regulariser.kind(), grounds: self.regulariser.grounds(), terms };
        Some(Self {
            mapping,
            composer: self.composer.clone(),
            regulariser: Arc::new(laws),
            names: self.names.clone(),
            blocks: self.blocks.clone(),
            bounds: self.bounds.clone(),
            terms: self.terms.clone(),
            budget: budget.clone(),
            units: None,
            linearised: None,
        })
    }
}
