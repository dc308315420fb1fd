//! The numbers that methods are tuned by. Each names the decision record that chose it, or says that nothing was measured.

/// Steps without improvement after which a run gives up: rounding is then held to keep the tolerance out of reach.
/// Decision 0004.
pub(crate) const PATIENCE: usize = 500;
/// The same for methods to compare with, whose progress may be slow, and no fault of theirs. Not measured.
pub(crate) const RIVAL_PATIENCE: usize = 100_000;
/// Minorants that a lower bound combines. Decision 0004.
pub(crate) const MINORANTS: usize = 20;

/// The adaptive method.
pub(crate) mod adaptive {
    /// Attempts at one step: L grows by at least 1.2 each time, so this many mean a wrong gradient, not a large L.
    /// Not measured.
    pub(crate) const ATTEMPTS: usize = 100;
    /// Attempts at one step in which multipliers count in full.
    /// Not measured.
    pub(crate) const UNCAPPED_ATTEMPTS: usize = 3;
    /// L falls no lower: the step sizes, its inverse, and their squares stay finite.
    pub(crate) const LEAST_L: f64 = 1e-100;
    /// What L is multiplied with where a component overflows.
    /// Not measured.
    pub(crate) const OVERFLOW_GROWTH: f64 = 10.0;
    /// Rounding errors of values and products, in units of their size.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;
    /// What no longer passes for rounding where a component lies below its linearisation.
    /// Not measured.
    pub(crate) const NONCONVEX: f64 = 1e-8;
    /// Steps below this, relative to 1 and the size of the point, are rounding. Not measured.
    pub(crate) const TINY: f64 = 1e-13;
    /// How many accepted steps L looks back on.
    /// Not measured.
    pub(crate) const MEMORY: usize = 5;
    /// Where a step in the metric of curvature leaves no more than this part of what the one before left of stationarity, plain
    /// steps converge faster than the averages of an epoch can follow (those forget the first as 1/k^2): the epoch ends.
    /// Not measured.
    pub(crate) const CONTRACTION: f64 = 0.2;
    /// What the first step of an epoch under trusted second derivatives may exceed the test by: below 2, so that it lowers F.
    /// Decision 0018.
    pub(crate) const NEWTON_ROOM: f64 = 1.5;
    /// The curvature along a step is compared with the metric where it is this much larger than rounding. Not measured.
    pub(crate) const NOISE: f64 = 1e3;
    /// Where a step leaves less of the objective than this part of the accuracy, the metric is not looked at. Decision 0018.
    pub(crate) const NEGLIGIBLE: f64 = 1e-6;
    /// What sliding may leave of a row in any case, in units of the slack of the test.
    /// Not measured.
    pub(crate) const FLOOR: f64 = 0.01;
    /// What L is multiplied with after a model step that was not solved, where rows are all affine, and after how many in a row at
    /// most. Every L passes the test there, and model steps get harder as it falls: kinked composers of hundreds of rows would
    /// see none solved. (By sliding, L only does not fall then.)
    /// Not measured.
    pub(crate) const UNSOLVED_GROWTH: f64 = 4.0;
    /// Not measured.
    pub(crate) const UNSOLVED_STEPS: usize = 20;
    /// Operations of a read, in all and for each number of an image of a point, from which on images are kept. Decision 0030.
    pub(crate) const IMAGE_LEAST: f64 = 2e5;
    /// Decision 0030.
    pub(crate) const IMAGE_WORTH: f64 = 8.0;
    /// Newton steps allowed in one subproblem.
    /// Not measured.
    pub(crate) const NEWTON_STEPS: usize = 200;
}

/// Newton's method.
pub(crate) mod newton {
    /// Attempts at one step. Not measured.
    pub(crate) const ATTEMPTS: usize = 30;
    /// Minorants that a bound combines: each of them is read once more for the proof, and the last ones say most. Decision 0034.
    pub(crate) const MINORANTS: usize = 6;
    /// delta relative to the largest eigenvalue of H: at first, at a warm start, at least, and where the method gives way to another.
    /// Decision 0028.
    pub(crate) const FIRST_DAMPING: f64 = 0.1;
    /// Decision 0018.
    pub(crate) const WARM_DAMPING: f64 = 1e-8;
    /// Not measured.
    pub(crate) const LEAST_DAMPING: f64 = 1e-10;
    /// Not measured.
    pub(crate) const MOST_DAMPING: f64 = 1e3;
    /// What it is multiplied with after a step that failed the test, and divided by after one ... Decision 0028.
    pub(crate) const MORE: f64 = 8.0;
    /// ... whose curvature is below this part of the metric's. Decision 0028.
    pub(crate) const LESS: f64 = 0.75;
    /// A step that fails the test is repeated with H formed anew where a multiplier is more than this times what it counted in H.
    /// Decision 0028.
    pub(crate) const GROWN: f64 = 1.2;
    /// It then counts this times what the attempt has shown: with its curvature in H it is likely to grow. Decision 0028.
    pub(crate) const BEYOND: f64 = 1.5;
    /// Damping below which it does not slow steps down: what is slow then is the fault of H. Decision 0028.
    pub(crate) const TRUSTED: f64 = 1e-5;
    /// A step that is longer than this part of the one before is slow. Decision 0028.
    pub(crate) const SLOW: f64 = 0.35;
    /// Where the curvature along a step is what H says but for this share, damping falls by so much. Decision 0028.
    pub(crate) const MUCH: f64 = 1e3;
    /// Beyond this share H is formed anew, ... Decision 0028.
    pub(crate) const STALE: f64 = 0.3;
    /// ... after so many steps beyond this one. Decision 0028.
    pub(crate) const OLD: usize = 4;
    /// Decision 0028.
    pub(crate) const RENEWED: f64 = 0.03;
    /// Steps whose changes of slope are kept on top of H, ... Not measured.
    pub(crate) const PAIRS: usize = 20;
    /// ... unless <s, y> is below this part of |s| |y|: that tells of rounding. Not measured.
    pub(crate) const FLAT: f64 = 1e-8;
    /// Reads that a Hessian costs beyond which a step that fails the test is repeated with what it has shown, and damping falls all at once: each
    /// change of it takes other factors. Decision 0034.
    pub(crate) const DEAR: usize = 2;
    /// Attempts that are repeated so. Not measured.
    pub(crate) const LESSONS: usize = 4;
    /// Rows up to which model steps are tried without u: all of them are solved for together. Not measured.
    pub(crate) const INTERIOR_ROWS: usize = 100;
    /// A constraint without a multiplier counts as crossed beyond this share of the room that it had, ... Decision 0035.
    pub(crate) const SURPRISE: f64 = 1.0;
    /// ... and the step ends there if that leaves less than this part of it. Decision 0035.
    pub(crate) const NEARLY_ALL: f64 = 0.9;
    /// Model steps in which u has a say, where those are too dear: after more of them another method goes on. Decision 0034.
    pub(crate) const MOST_OUTSIDE: usize = 2;
}

/// The working-set method.
pub(crate) mod working_set {
    /// The share of the variables whose laws must hold them at 0. Not measured.
    pub(crate) const RESTS: f64 = 0.5;
    /// Variables beside those that are not 0, at least, and relative to the number of those. Decision 0029.
    pub(crate) const LEAST: usize = 100;
    /// Decision 0029.
    pub(crate) const GROWTH: f64 = 1.0;
    /// Slopes that are within this share of what would let their variables leave 0 come next. Not measured.
    pub(crate) const SPARE: f64 = 1.0;
    /// What a step is to bring, relative to the first of its round and to the accuracy, where a round ends. Decision 0029.
    pub(crate) const ENOUGH: f64 = 1e-4;
    /// Decision 0029.
    pub(crate) const NEGLIGIBLE: f64 = 1e-3;
    /// What a round may cost, compared with Newton's method on all variables: other methods take hundreds of reads. Decision 0029.
    pub(crate) const WORTH: f64 = 20.0;
    /// Steps in a round. Not measured.
    pub(crate) const MOST_STEPS: usize = 30;
    /// Minorants that a bound combines: steps contract, so that the last one says most. Decision 0029.
    pub(crate) const MINORANTS: usize = 2;
}

/// How deep the adaptive method slides.
pub(crate) mod setup {
    /// What sliding may leave relative to what a step brings, where a gradient costs up to so many inner steps.
    /// Decision 0007.
    pub(crate) const SLACK: [(f64, f64); 2] = [(30.0, 0.1), (f64::INFINITY, 0.03)];
}

/// The slack of its test.
pub(crate) mod slack {
    /// The slack of the test, as a share of the accuracy asked for: at first, and at least. Decision 0004.
    ///
    /// Rough components need it, but steps that pass only by it keep slopes of the order of sqrt(L slack), and a lower bound
    /// loses that times the diameter of X: where nothing improves any more, the share falls, and starts anew once it has been as
    /// small as makes sense.
    pub(crate) const SLACK_SHARES: (f64, f64) = (0.1, 1e-6);
}

/// The primal-dual method.
pub(crate) mod primal_dual {
    /// Iterations between two measurements of optimality.
    /// Decision 0006.
    pub(crate) const ITERATIONS: usize = 64;
    /// The step size is this share of what the estimated norm allows.
    /// Not measured.
    pub(crate) const SAFETY: f64 = 0.99;
    /// A constant that was estimated too small becomes this multiple of what a step has shown.
    /// Not measured.
    pub(crate) const RAISE: f64 = 1.1;
    /// Rounding errors of values and products, in units of their size.
    /// Not measured.
    pub(crate) const ROUNDING: f64 = 8.0 * f64::EPSILON;
}

/// When a run by it gives up.
pub(crate) mod patience {
    /// Iterations, and the share of all, without improvement after which a run gives up. Decision 0006.
    pub(crate) const PATIENCE: (usize, usize) = (500_000, 2);
}

/// Its auxiliary aims.
pub(crate) mod aim {
    /// Heavy enough beside any regulariser or conjugate that a prox only projects.
    /// Not measured.
    pub(crate) const HEAVY: f64 = 1e30;
    /// t of a ray.
    /// Not measured.
    pub(crate) const FAR: f64 = 1e20;
    /// Iterations between two measurements of a run beside the run.
    /// Not measured.
    pub(crate) const AUXILIARY_ITERATIONS: usize = 32;
    /// t of a directional derivative: differences of numbers near c keep ten digits.
    /// Not measured.
    pub(crate) const NEAR: f64 = 1e4;
}

/// Its preconditioning.
pub(crate) mod scaling {
    /// Decision 0006.
    pub(crate) const RUIZ_ROUNDS: usize = 10;
    /// Rounds of the power method for |A^| and for the curvature.
    /// Decision 0006.
    pub(crate) const POWER_ROUNDS: usize = 30;
    /// Entries of D and E are kept within these factors of 1.
    /// Not measured.
    pub(crate) const RANGE: (f64, f64) = (1e-20, 1e20);
}

/// The norm of a Jacobian in Algorithm 1.
pub(crate) mod spectral {
    /// Rows up to which the Gram matrix is squared.
    /// Not measured.
    pub(crate) const SQUARED_ROWS: usize = 64;
    /// Not measured.
    pub(crate) const SQUARINGS: i32 = 7;
    /// Steps of Lanczos' method for more rows, and what the largest eigenvalue may exceed what they find by: a bound but for a
    /// probability of 1e-12. Decision 0023.
    pub(crate) const LANCZOS_STEPS: usize = 80;
    pub(crate) const LANCZOS_MARGIN: f64 = 0.05;
    /// Any number will do.
    pub(crate) const LANCZOS_SEED: u64 = 17;
}

/// The interior-point method.
pub(crate) mod interior_point {
    /// Rows e >= 0 whose constant is at least this say nothing to the engine but numbers in which all others drown: it is not told of them.
    /// Bounds of 1e20 mean "none" in many files, and in other units a little less. Decision 0020.
    pub(crate) const FAR_AWAY: f64 = 1e17;
    /// How a run of the engine is set.
    pub(crate) struct Attempt {
        pub(crate) tolerance: f64,
        /// What is added to the diagonal of the system before it is factored.
        pub(crate) regularisation: f64,
        /// What refinement may leave of a Newton system, relative to its right-hand side and at all.
        pub(crate) refinement: (f64, f64),
        /// The share of the way to the boundary that a step takes.
        pub(crate) step: f64,
        /// The largest factor by which rows and columns are scaled, and the rounds that find it.
        pub(crate) scaling: (f64, u32),
    }

    /// The engine's own refinement.
    const FINEST: (f64, f64) = (1e-13, 1e-12);

    /// The runs of the engine, one after the other: what it reaches on most programs; the best that it can do; the same with scaling for
    /// programs whose entries span many decades; with next to no regularisation, for nearly dependent rows. Decisions 0020 and 0032.
    #[rustfmt::skip]
    pub(crate) const ATTEMPTS: [Attempt; 4] = [
        Attempt { tolerance: 1e-9, regularisation: 1e-9, refinement: (1e-11, 1e-11), step: 0.99, scaling: (1e4, 10) },
        Attempt { tolerance: 1e-13, regularisation: 1e-9, refinement: FINEST, step: 0.99, scaling: (1e4, 10) },
        Attempt { tolerance: 1e-13, regularisation: 1e-8, refinement: FINEST, step: 0.99, scaling: (1e8, 50) },
        Attempt { tolerance: 1e-13, regularisation: 1e-14, refinement: FINEST, step: 0.95, scaling: (1e4, 10) },
    ];
    /// How many of these are made of problems that are no programs. Decision 0020.
    pub(crate) const PLAIN_ATTEMPTS: usize = 2;
    /// Operations, at the speed of products, of the largest factorisation that is worth waiting for: about a second. Decision 0020.
    pub(crate) const LARGEST: f64 = 2e9;
    /// The same by the engine of our own, which other methods do not take over from in less. Decision 0025.
    pub(crate) const LARGEST_CONDENSED: f64 = 8e9;
    /// Operations of a factorisation for each entry of the factor from which on it can be done in dense blocks. The engine's own rule.
    pub(crate) const IN_BLOCKS: f64 = 40.0;
    /// ... and in all from which on blocks take less time than entries. Decision 0032.
    pub(crate) const BLOCKS_PAY: f64 = 2e8;
    /// Operations of products that take as long as one of a factorisation that goes entry by entry through columns that long.
    /// Decision 0032.
    pub(crate) const BY_LONG_COLUMNS: f64 = 3.0;
    /// Operations of products that take as long as one of a factorisation that goes entry by entry. Decision 0025.
    pub(crate) const BY_ENTRY: f64 = 8.0;
    /// Below so many operations at the speed of products the engine's factorisation takes no time, and nothing is looked for that would
    /// take less. Decision 0025.
    pub(crate) const WORTHWHILE: f64 = 1e6;
    /// Entries of the largest program. Decision 0025.
    pub(crate) const ROOM: usize = 1 << 22;
    /// Entries of the largest program that does not condense: finding its order of elimination takes a tenth of a second, in which no
    /// limit is asked for. Decision 0017.
    pub(crate) const SPARSE_ROOM: usize = 1 << 20;
    /// Operations of an iteration beside its factorisation, for each variable, row and entry: cones, scalings, refinement. Decision 0017.
    pub(crate) const BESIDE: f64 = 100.0;
    /// Multipliers below this part of the largest, of rows that are not at the end of where they may be, count as 0. Decision 0017.
    pub(crate) const NEGLIGIBLE: f64 = 1e-8;
    /// ... unless what is left of the optimality conditions without them is more than this. Decision 0020.
    pub(crate) const UNNEEDED: f64 = 1e-7;
    /// A set that reaches so far along every axis counts as the whole space, which is looked at in so many variables at most.
    /// Not measured.
    pub(crate) const FAR_OUT: f64 = 1e12;
    pub(crate) const MOST_AXES: usize = 2000;
    /// The tolerance of phase one: margins of 1e-7 must stand out. Decision 0021.
    pub(crate) const PHASE_ONE: f64 = 1e-11;
    /// Factorisations of a run of the engine, about. Decision 0017.
    pub(crate) const ITERATIONS: f64 = 25.0;
}

/// Interior points with a dense core.
pub(crate) mod condensed {
    /// Rounds of scaling, and the largest factor by which rows and columns are scaled. As the engine's own.
    pub(crate) const RUIZ_ROUNDS: usize = 10;
    pub(crate) const WIDEST: f64 = 1e4;
    /// Columns of a block that is eliminated by formulas, and rows that tie it. Absolute values and Huber's function have three columns.
    /// Not measured.
    pub(crate) const LARGEST_BLOCK: usize = 4;
    pub(crate) const MOST_ROWS: usize = 12;
    /// Columns of the core, and rows that stay: 72 MB each. Decision 0025.
    pub(crate) const LARGEST_CORE: usize = 3000;
    /// Rows are long from so many entries on, and so many times the mean; the most of them that are a border. Not measured.
    pub(crate) const LONG: (usize, usize) = (200, 10);
    pub(crate) const MOST_LONG: usize = 8;
    /// Rows with this part of their entries are multiplied as dense ones, and all rows of matrices this wide. Not measured.
    pub(crate) const DENSE: f64 = 0.25;
    pub(crate) const SMALL: usize = 32;
    /// Operations of products that take as long as one that adds an entry of a sparse row's product. Decision 0025.
    pub(crate) const BY_ENTRY: f64 = 4.0;
    /// What is added to diagonals before they are factored, absolutely and relative to each entry. Decision 0025.
    pub(crate) const DEFINITE: f64 = 1e-10;
    pub(crate) const RELATIVE: f64 = 1e-14;
    /// Rounds of refinement of a direction at most, and what is left of its right-hand side where they end. Not measured.
    pub(crate) const REFINEMENTS: usize = 3;
    pub(crate) const REFINED: f64 = 1e-9;
    /// Right-hand sides below this count as this large. Not measured.
    pub(crate) const NOTHING: f64 = 1e-5;
    /// The part of the way to the boundary that a step takes. Not measured.
    pub(crate) const TO_THE_BOUNDARY: f64 = 0.995;
    /// Corrections of a direction at most, made while steps are shorter than this, by how much they are to lengthen it, and how far products
    /// s z may be from their mean. Decision 0025.
    pub(crate) const CORRECTORS: usize = 2;
    pub(crate) const LONG_ENOUGH: f64 = 0.9;
    pub(crate) const LONGER: f64 = 0.1;
    pub(crate) const SPREAD: f64 = 10.0;
    /// Iterations at most, and without halving the error. Not measured.
    pub(crate) const ITERATIONS: usize = 150;
    pub(crate) const PATIENCE: usize = 15;
    /// The error of an answer that did not come within the tolerance, and is yet worth having. Not measured.
    pub(crate) const ACCEPTABLE: f64 = 1e-7;
}
