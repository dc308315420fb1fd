//! What can be typed.

mod constants;
mod curves;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::sync::LazyLock;
use ufcm::settings::{MethodRule, MetricRule, Settings};

pub(crate) use constants::ConstantOptions;
pub(crate) use curves::{PredictOptions, TradeoffOptions};

/// Version with what the build can do.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let methods: Vec<&str> = MethodRule::ALL.iter().skip(1).map(|method| method.name()).collect();
    format!(
        "{}\nmethods: {}\nproblems: TOML, MPS, QPS, LP, CBF\ndata: npy, npz, Matrix Market, LIBSVM, CSV (all also gzipped), Parquet, Arrow",
        env!("CARGO_PKG_VERSION"),
        methods.join(", ")
    )
});

/// Solve convex problems made of unlike parts, with a proven gap.
#[derive(Debug, Parser)]
#[command(
    name = "ufcm",
    version,
    long_version = VERSION.as_str(),
    after_help = "Exit codes: 0 certified, solved or done; 1 stopped at a limit or interrupted; 2 infeasible or unbounded; \
                  3 bad input, or an output that cannot be written; 4 numerical trouble, a faulty oracle or an internal error; \
                  130, 143 or 129 ended at once by Ctrl-C (SIGINT), SIGTERM or SIGHUP.\n\
                  Problem files are described in docs/problem-format.md; examples are in examples/."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Solve the problem in a file.
    #[command(after_help = "Examples:\n  \
        ufcm solve problem.toml\n  \
        ufcm solve problem.toml --eps-rel 1e-8 --json run.json --solution x.npy --certificate proof.json\n  \
        ufcm solve problem.toml --report run.html --plot run.svg\n  \
        ufcm solve problem.toml --set constraints.missed.at_most=0.05 --x0 run.json --multipliers0 run.json\n  \
        ufcm solve afiro.mps.gz --time-limit 60 --solution x.csv\n\n\
        `ufcm kinds` lists what a problem file can be made of.\n\
        Outputs are opened before anything is read; none may be a file that is read, nor be named twice.\n\
        Ctrl-C, SIGTERM and SIGHUP stop the run, and everything is still written (exit code 1). The second, or the first before the run \
        begins, ends it at once (130, 143, 129).\n\
        Exit codes: 0 certified or solved; 1 stopped at a limit or interrupted; 2 infeasible or unbounded; \
        3 bad input, or an output that cannot be written; 4 numerical trouble, a faulty oracle or an internal error.")]
    Solve(Box<SolveOptions>),
    /// Audit a problem: gradients, convexity, monotone composition, prox; a fault comes with its witness.
    #[command(
        after_help = "Examples:\n  ufcm check problem.toml\n  ufcm check problem.toml --quick --seed 7"
    )]
    Check(CheckOptions),
    /// Several methods on one problem: what each takes, and how its error falls.
    #[command(
        after_help = "The error is the larger of the violation and |objective - optimum| / max(1, |optimum|), at the best point of each method; \
        the optimum is that of the default method, solved more exactly. Methods that ask for constants find them by a solve before, \
        whose gradients stand in the column `before`.\n\n\
        Example:\n  \
        ufcm compare problem.toml --methods auto,ufcm,restarted,acgd-s --eps-rel 1e-4 --plot errors.svg --csv errors.csv"
    )]
    Compare(Box<CompareOptions>),
    /// The optimal value for all bounds of one constraint, as a band that is proven everywhere.
    #[command(
        after_help = "The optimal value is convex in the bound. Every solve gives a point above it and, through its proof, a line below it: the value is \
        known between them, for every bound. The next solve is where the band is widest. --constraint, --from and --to a second time ask for the \
        optimal value as a function of two bounds.\n\n\
        Examples:\n  \
        ufcm tradeoff problem.toml --constraint missed --from 0.01 --to 0.2\n  \
        ufcm tradeoff problem.toml --constraint missed --from 0.01 --to 0.2 --tol 1e-4 --csv curve.csv --plot curve.svg --json curve.json\n  \
        ufcm tradeoff problem.toml --constraint missed --from 0.01 --to 0.2 --constraint alarms --from 0.1 --to 0.3 --plot map.svg"
    )]
    Tradeoff(Box<TradeoffOptions>),
    /// The paper's constants, and the gradient and proximal calls they promise.
    #[command(after_help = "The constants speak of the solution, so the problem is solved first.\n\n\
        Examples:\n  \
        ufcm plan problem.toml --eps 1e-4\n  \
        ufcm solve problem.toml --json run.json && ufcm plan problem.toml --summary run.json")]
    Plan(PlanOptions),
    /// Score a file with a model that `ufcm solve --model` has written.
    #[command(
        after_help = "Columns are found by name, and treated as those of the problem were. What is missing, and categories that the model does not \
        know, are errors; other columns are ignored, and told.\n\n\
        Example:\n  \
        ufcm solve problem.toml --model model.json && ufcm predict model.json new.csv --output scores.csv"
    )]
    Predict(PredictOptions),
    /// Check a certificate against its problem, without the solver.
    #[command(after_help = "Example:\n  \
        ufcm solve problem.toml --certificate proof.json && ufcm verify problem.toml proof.json")]
    Verify(VerifyOptions),
    /// Convert between the formats that are read, by the ends of the names.
    #[command(
        after_help = "Matrices and data: .npy, .mtx, .csv, .svm (and .npz, .parquet, .arrow and .feather to read), and .ufcm to write, which problems map (`mapped = true`). Programs: .mps, .qps, .toml (linear and quadratic ones), and .lp and .cbf to read.\n\n\
        Examples:\n  \
        ufcm convert A.mtx A.npy\n  \
        ufcm convert people.csv people.svm --label income\n  \
        ufcm convert problem.npz A.mtx --array A\n  \
        ufcm convert afiro.mps.gz afiro.toml"
    )]
    Convert(ConvertOptions),
    /// The kinds of components, composers, regularisers and domains; with a name, its keys.
    #[command(after_help = "Examples:\n  ufcm kinds\n  ufcm kinds huber")]
    Kinds {
        /// A kind.
        name: Option<String>,
    },
    /// Write a commented problem file with small data, to begin with; without a kind, list them.
    #[command(
        after_help = "Nothing is overwritten.\n\nExamples:\n  ufcm init\n  ufcm init portfolio mine && ufcm solve mine/problem.toml"
    )]
    Init {
        /// neyman-pearson, fairness, group-robust, portfolio, qcqp, lp, quantile, dose, logistic or lasso.
        kind: Option<String>,
        /// The folder, which is made; one of that name by default.
        folder: Option<PathBuf>,
    },
    /// Completions for a shell, to standard output.
    #[command(
        after_help = "Example:\n  ufcm completions bash > ~/.local/share/bash-completion/completions/ufcm"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// The manual page, to standard output.
    #[command(after_help = "Example:\n  ufcm man > ufcm.1 && man ./ufcm.1")]
    Man,
}

/// Where a problem comes from.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProblemOptions {
    /// The problem: .toml, or .mps, .qps, .lp and .cbf (also gzipped); `-` for TOML from standard input, with data in this folder.
    pub(crate) problem: PathBuf,
    /// Another value for a key of the problem file: constraints.missed.at_most=0.05, domain.radius=5.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Let the problem file name data files outside its own folder.
    #[arg(long)]
    pub(crate) allow_paths: bool,
    /// Take integer variables of an MPS file as real ones.
    #[arg(long)]
    pub(crate) relax_integers: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SolveOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Start from this point: a .npy file with a vector, or the JSON of an earlier run or solution, by the names of the variables.
    #[arg(long, value_name = "FILE")]
    pub(crate) x0: Option<PathBuf>,
    /// Start from these multipliers: a .npy file with one number for each row, the objective's (1) first, or the JSON of an earlier run, by name.
    #[arg(long, value_name = "FILE")]
    pub(crate) multipliers0: Option<PathBuf>,
    /// x*, where it is known (with --lambda-star): the trace then has the gap function and the (eps, r) measure.
    #[arg(long, value_name = "FILE", requires = "lambda_star")]
    pub(crate) x_star: Option<PathBuf>,
    /// lambda*, of all rows, the objective's (1) first.
    #[arg(long, value_name = "FILE", requires = "x_star")]
    pub(crate) lambda_star: Option<PathBuf>,
    /// Write every iteration of ufcm, restarted, doubling or acgd-s: t, S_t, |nu^t|, objective and violation at the averages.
    #[arg(long, value_name = "OUT.jsonl|OUT.csv")]
    pub(crate) trace: Option<PathBuf>,
    /// Write a summary of the run as JSON; `-` for standard output, and then nothing else is shown.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) json: Option<PathBuf>,
    /// Write the solution: names and values as .csv or .json, or .npy, by the ending; `-` shows it as CSV, and nothing else.
    #[arg(long, value_name = "OUT.csv|.json|.npy")]
    pub(crate) solution: Option<PathBuf>,
    /// Write the solution as a model that scores other files, for `ufcm predict`.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) model: Option<PathBuf>,
    /// Write the proof, for `ufcm verify`.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write a page with charts of the run: one file that opens in any browser, without network.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a picture of the gap and the bounds against gradients.
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Run on all ranks that mpirun has started, each with its share of the samples; rank 0 writes. Needs a build with MPI.
    #[arg(long)]
    pub(crate) mpi: bool,
    /// Show nothing but errors.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show the table of steps on a terminal too.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    // Last: their heading holds for all that follow.
    #[command(flatten)]
    pub(crate) constants: ConstantOptions,
}

/// How exactly to solve, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct Limits {
    /// Tolerance of the gap, relative to max(1, |objective|).
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    eps_rel: f64,
    /// Absolute tolerance of the gap, besides.
    #[arg(long, value_name = "EPS", default_value = "1e-9", allow_negative_numbers = true)]
    eps_abs: f64,
    /// Tolerance of the violation of constraints.
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    eps_feas: f64,
    /// Which method takes the steps.
    #[arg(long, default_value_t = MethodRule::Auto, value_parser = methods())]
    method: MethodRule,
    /// The norm in which steps are measured.
    #[arg(long, default_value_t = MetricRule::Auto, value_parser = metrics())]
    metric: MetricRule,
    /// A solution lies within this distance of the start: bounds may rest on it.
    #[arg(long, value_name = "R")]
    radius: Option<f64>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "S")]
    time_limit: Option<f64>,
    /// Stop after so many evaluations of all gradients.
    #[arg(long, value_name = "N")]
    max_gradients: Option<usize>,
    /// Claim successes without an audit of what is convex on your word alone.
    #[arg(long)]
    no_audit: bool,
    /// The number of threads; results are the same for any. All cores by default.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

impl Limits {
    /// The settings, without a starting point.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            eps_rel: self.eps_rel,
            eps_abs: self.eps_abs,
            eps_feas: self.eps_feas,
            method: self.method,
            metric: self.metric,
            radius: self.radius,
            time_limit: self.time_limit,
            max_gradients: self.max_gradients,
            threads: self.threads,
            audit: !self.no_audit,
            ..Settings::default()
        }
    }
}

/// The names of a choice with what each is; the library spells them.
macro_rules! choice {
    ($choice:ty) => {
        PossibleValuesParser::new(
            <$choice>::ALL.iter().map(|choice| PossibleValue::new(choice.name()).help(choice.about())),
        )
        .try_map(|word| <$choice>::from_name(&word))
    };
}

fn methods() -> impl TypedValueParser<Value = MethodRule> {
    choice!(MethodRule)
}

fn metrics() -> impl TypedValueParser<Value = MetricRule> {
    choice!(MetricRule)
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    /// The seed of the random points.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How far from 0 the points lie, about.
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    pub(crate) radius: f64,
    /// Be content with few points and evaluations.
    #[arg(long)]
    pub(crate) quick: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    /// The methods, with commas between them; `ufcm solve --help` lists them.
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', default_value = "auto,ufcm,restarted")]
    pub(crate) methods: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Write a picture of the errors against gradients and against inner steps.
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Write every step of every method.
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) csv: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    /// The accuracy that is promised, absolute.
    #[arg(long, value_name = "EPS", default_value = "1e-4")]
    pub(crate) eps: f64,
    /// Compare with a run: the file that `solve --json` wrote.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyOptions {
    #[command(flatten)]
    pub(crate) problem: ProblemOptions,
    /// The certificate that `solve --certificate` wrote.
    pub(crate) certificate: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertOptions {
    /// The file to read.
    pub(crate) input: PathBuf,
    /// The file to write.
    pub(crate) output: PathBuf,
    /// The column of a CSV file that holds labels.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// The array of a .npz file.
    #[arg(long, value_name = "NAME")]
    pub(crate) array: Option<String>,
    /// Take integer variables of an MPS file as real ones.
    #[arg(long)]
    pub(crate) relax_integers: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn without_options_the_settings_are_the_defaults() {
        let arguments = Arguments::try_parse_from(["ufcm", "solve", "p.toml"]).unwrap();
        let Command::Solve(options) = arguments.command else { panic!("solve was asked for") };
        assert_eq!(options.limits.settings(), Settings::default());
    }
}
