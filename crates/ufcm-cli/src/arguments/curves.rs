//! The options of `ufcm tradeoff` and `ufcm predict`.

use super::ProblemOptions;
use clap::Args;
use std::path::PathBuf;
use ufcm::settings::Settings;

#[derive(Debug, Args)]
pub(crate) struct TradeoffOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    /// The constraint whose bound varies, by its name; `name[k]` for one row of several. Two of them, each with --from and --to, give a surface.
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) constraint: Vec<String>,
    /// One end of the bounds.
    #[arg(long, value_name = "A", required = true, allow_negative_numbers = true)]
    pub(crate) from: Vec<f64>,
    /// The other end.
    #[arg(long, value_name = "B", required = true, allow_negative_numbers = true)]
    pub(crate) to: Vec<f64>,
    /// How wide the band may be, relative to max(unit, |value|); the unit is 1, or less where all values are small.
    #[arg(long, value_name = "TOL", default_value = "1e-3", allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// Write the corners of the band: bound, lower, upper. Of a surface: a grid of 41 x 41 pairs of bounds with both sides.
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) csv: Option<PathBuf>,
    /// Write a picture of the band, or a map of the surface.
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Write all of it as JSON, the points x included; `-` for standard output, and then nothing else is shown.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) json: Option<PathBuf>,
    /// Solve at so many random bounds afterwards, and say whether each value lies in the band.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) check: usize,
    /// Show nothing but errors.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Tolerance of the violation of constraints. (That of the gaps follows from --tol.)
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    eps_feas: f64,
    /// A solution lies within this distance of the start, with every bound: the lower side may rest on it.
    #[arg(long, value_name = "R")]
    radius: Option<f64>,
    /// Stop after so many seconds, of all solves together.
    #[arg(long, value_name = "S")]
    time_limit: Option<f64>,
    /// Stop after so many evaluations of all gradients, of all solves together.
    #[arg(long, value_name = "N")]
    max_gradients: Option<usize>,
    /// The number of threads; results are the same for any. All cores by default.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl TradeoffOptions {
    /// The settings of the solves.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            eps_feas: self.eps_feas,
            radius: self.radius,
            time_limit: self.time_limit,
            max_gradients: self.max_gradients,
            threads: self.threads,
            ..Settings::default()
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PredictOptions {
    /// The model.
    pub(crate) model: PathBuf,
    /// What to score: .csv, .parquet, .arrow or .feather, or .npy, .npz, .mtx and .svm with the columns of the model in their order (all but the columnar ones also gzipped).
    pub(crate) data: PathBuf,
    /// Write the scores as CSV; they are shown without it.
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
}
