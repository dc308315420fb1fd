//! Ctrl-C: Python notes it, and hears of it when asked.

use crate::raised::put_aside;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use ufcm::oracle::{Component, Convexity, Curvature, OracleError, Smoothness};

/// How often Python is asked.
pub(crate) const INTERVAL: Duration = Duration::from_millis(50);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Asks Python for signals, but not more often than once in [`INTERVAL`].
#[derive(Default)]
pub(crate) struct Watch {
    /// When it was asked last, in milliseconds since the first use of all.
    asked: AtomicU64,
}

impl Watch {
    /// The exception of a signal handler, usually `KeyboardInterrupt`. Python runs handlers on its main thread alone: on
    /// others this finds nothing.
    pub(crate) fn look(&self) -> PyResult<()> {
        let now = START.elapsed().as_millis() as u64;
        let asked = self.asked.load(Ordering::Relaxed);
        if now.saturating_sub(asked) < INTERVAL.as_millis() as u64 {
            return Ok(());
        }
        self.asked.store(now, Ordering::Relaxed);
        Python::attach(|py| py.check_signals())
    }
}

/// A component that looks for signals before it is evaluated, so that a run ends within one evaluation of the rows however
/// many a step takes.
pub(crate) struct Watched {
    component: Arc<dyn Component>,
    watch: Watch,
}

impl Watched {
    pub(crate) fn new(component: Arc<dyn Component>) -> Self {
        Self { component, watch: Watch::default() }
    }
}

impl Component for Watched {
    fn kind(&self) -> &'static str {
        self.component.kind()
    }

    fn dimension(&self) -> usize {
        self.component.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.watch.look().map_err(put_aside)?;
        self.component.evaluate(x, gradient)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.component.smoothness()
    }

    fn convexity(&self) -> Option<Convexity> {
        self.component.convexity()
    }

    fn is_affine(&self) -> bool {
        self.component.is_affine()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.component.lower_bound()
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.component.curvature()
    }

    fn operations(&self) -> Option<u64> {
        self.component.operations()
    }
}
