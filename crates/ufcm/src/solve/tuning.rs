//! The numbers that runs are tuned by. Each names the decision record that chose it, or says that nothing was measured.

/// Steps between two attempts to prove that the constraints cannot be met. Not measured.
pub(super) const INFEASIBILITY_STEPS: usize = 10;
/// Rounds in which multipliers are corrected into a proof: each may drop rows. Not measured.
pub(super) const CORRECTION_ROUNDS: usize = 4;
/// Conjugate gradient steps of a round. Not measured.
pub(super) const CORRECTION_STEPS: usize = 100;
/// ... and at most, where the system is small and its condition bad: a plant that grows over 30 steps of control takes 400. Decision 0048.
pub(super) const MOST_CORRECTION_STEPS: usize = 1000;
/// What rounding leaves of a product, relative to the sizes in it. Decision 0021.
pub(super) const NOISE: f64 = 1e-14;
/// Attempts between two that correct the multipliers. Not measured.
pub(super) const CORRECTIONS_OF: usize = 5;
/// Rounds in which slopes are made to cancel. Decision 0021.
pub(super) const CANCELLATIONS: usize = 8;
/// A correction that takes away more than this part of every multiplier tells nothing. Decision 0021.
pub(super) const LARGE: f64 = 0.5;
/// Multipliers of phase one up to these parts of the largest are dropped, one after the other. Decision 0021.
pub(super) const SUPPORTS: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];
/// Steps before phase one is looked at without a cause. Decision 0021.
pub(super) const FIRST_LOOK: usize = 50;
/// Runs of phase one, and operations of them all (some tenths of a second) or those of the run if they are more, that may be spent on
/// leaving constraints out of a proof. Decision 0021.
pub(super) const REDUCTION_RUNS: usize = 60;
pub(super) const REDUCTION: f64 = 2e8;
/// What the plain residual may be, in units of the tolerance: x, y and z differ by as much. Not measured.
pub(super) const STATIONARITY_ROOM: f64 = 10.0;
/// How many times the size of a variable the way is with which slopes are priced before an answer without a bound is claimed.
/// Decision 0022.
pub(super) const REACHED: f64 = 10.0;
/// r of the adaptive method's test. Decision 0004.
pub(super) const MULTIPLIER_SLACK: f64 = 1e-2;
/// The part of eps_rel to which the conditions of optimality must hold where a bound is finite and yet may never be tight.
/// Decision 0004.
pub(super) const PATIENT: f64 = 1e-3;
/// Where a bound is finite, optimality conditions that hold this much better than asked for end a run without it, ...
/// Decision 0006.
pub(super) const CLEARLY: f64 = 0.1;
/// ... once the run is this many times as long as it took them to hold: the slopes that a bound needs come last. Decision
/// 0006.
pub(super) const WAIT: usize = 4;
/// The part of the tolerance on the gap to which one minorant alone is proof enough. Decision 0035.
pub(super) const ENOUGH_PROVEN: f64 = 0.1;
/// The share of a run's operations that combinations of minorants may always take. Decision 0037.
pub(super) const BOUND_SHARE: f64 = 0.1;
/// The objective rests where a step moves it by less than this part of the tolerance. Decision 0037.
pub(super) const AT_REST: f64 = 0.1;
/// Steps that combinations wait at most. Decision 0037.
pub(super) const LONGEST_WAIT: usize = 10;
/// The factor by which a gap, a violation or an error must fall to count as improvement. Not measured.
pub(super) const IMPROVEMENT: f64 = 0.99;
/// The fall of the objective that counts as improvement where there is no bound, relative to its size. Not measured.
pub(super) const OBJECTIVE_IMPROVEMENT: f64 = 1e-9;
/// An objective that never was as large as this share of 1 is small: gaps are then relative to this share of the largest it has been.
/// Decision 0016.
pub(super) const SMALL_SHARE: f64 = 0.1;
/// An objective that has never been larger than this, in units in which its slopes are near 1, may be what is left of larger terms.
/// Decision 0016.
pub(super) const CANCELLED_SIZE: f64 = 1e-6;
/// An interior point must be this much further inside to be worth copying. Not measured.
pub(super) const WORTHWHILE: f64 = 1.5;

/// Rows from which on products with the matrix are all that a step should cost: where it is sparse, and in any case. Decision
/// 0006.
pub(super) const MANY_ROWS: (usize, usize) = (1000, 20_000);
/// Rows under a composer that is not smooth from which on a linear or quadratic program is given to interior points first.
/// Decision 0017.
pub(super) const PROGRAM_ROWS: usize = 16;
/// ... unless the objective is curved and there are more than this many variables for each of them. Decision 0020.
pub(super) const FEW_ROWS: f64 = 4.0;
/// Affine rows for each variable from which on interior points come first, whatever else there is. Decision 0020.
pub(super) const MANY_KINKS: f64 = 10.0;
/// What a violation may be worth in a certified answer, in units of the tolerance on the gap. Decision 0028.
pub(super) const PRICED: f64 = 1.0;
/// Rows with multipliers of their own up to which Newton's method begins: each costs a solution in every model step, and kinks of many
/// rows change together. Decision 0028.
pub(super) const NEWTON_MOST_ROWS: usize = 50;
/// Operations of a run that gave up, a second or so, up to which other methods try from the beginning. Decision 0031.
pub(super) const RESCUE_OPERATIONS: f64 = 2e9;
/// What each of them may take: as many as the run, but this at least and that at most. Decision 0031.
pub(super) const RESCUE_SHARE: (f64, f64) = (2e7, 8e8);
/// Operations of a run that ended without a bound, some milliseconds, up to which other methods try to prove its answer, ... Decision 0031.
pub(super) const DOUBT_OPERATIONS: f64 = 4e7;
/// ... and what each of them may take: a millisecond. Decision 0031.
pub(super) const DOUBT_SHARE: f64 = 5e6;
/// Variables from which on a working set of them is worth its while. Decision 0029.
pub(super) const WORKING_SET_VARIABLES: usize = 500;
/// Steps of Newton's method after which another goes on: it mostly takes ten. Decision 0028.
pub(super) const NEWTON_STEPS: usize = 100;
/// Steps from which on a run may be too long for the method that it began with. Decision 0017.
pub(super) const LONG: usize = 200;
/// ... or operations in its model steps, a tenth of a second, where those are most of its work. Decision 0020.
pub(super) const MUCH_INSIDE: f64 = 2e8;
/// Operations in the model steps of a last method, about a second: those that do not converge take many Newton systems over all rows, or
/// tens of thousands of rounds. Decision 0021.
pub(super) const LONG_INSIDE: f64 = 3e9;
/// Operations of interior points that an answer without a bound is worth in any case: some milliseconds. Decision 0017.
pub(super) const CHEAP_LOOK: f64 = 2e7;
/// Gradients of an adaptive method after interior points have failed, where nothing else is left. Decision 0017.
pub(super) const LAST_LEG: usize = 3_000;
/// Gradients that a second method may take to prove an answer that rests on optimality conditions alone. Decision 0017.
pub(super) const SECOND_LOOK: usize = 1000;
/// What counts as at a bound, relative to 1 and the size of the number: interior points come as near. Decision 0017.
pub(super) const NEAR_BOUND: f64 = 1e-6;
/// The share of stored entries up to which a matrix counts as sparse. Decision 0006.
pub(super) const SPARSE: f64 = 0.2;

/// An auxiliary run takes at most this many iterations, or one in so many of all so far if that is more. Not measured.
pub(super) const AUXILIARY_BUDGET: (usize, usize) = (1024, 4);
/// The same for rays, which are looked for before anything holds, and mostly in vain. Not measured.
pub(super) const RAY_BUDGET: (usize, usize) = (128, 8);
/// After an auxiliary run the run must have grown by this factor before the next of its kind. Not measured.
pub(super) const AUXILIARY_GROWTH: usize = 2;

/// Heavy enough that a prox only projects. Not measured.
pub(super) const HEAVY: f64 = 1e30;
/// A direction is cleaned so many times of what leads out of X and of what changes rows; ... Not measured.
pub(super) const CLEANINGS: usize = 3;
/// ... X is looked at so far out, in units of the point, ... Not measured.
pub(super) const OUT: f64 = 1e12;
/// ... entries below this share of the largest count as nothing, ... Not measured.
pub(super) const DUST: f64 = 1e-9;
/// ... rows that change by less than this share of their terms are taken not to change, ... Not measured.
pub(super) const NEARLY: f64 = 1e-3;
/// ... and second derivatives are formed up to this many variables. Not measured.
pub(super) const MOST_CURVED: usize = 400;
/// The part of eps_feas that the point of a ray may violate: problems that are infeasible by less than
/// eps_feas are not to be called unbounded. Decision 0016.
pub(super) const PRECISELY: f64 = 1e-3;
/// ... or in the units of the row's largest slope: rows of 1e12 cannot hold to 1e-9. Decision 0021.
pub(super) const IN_ITS_UNITS: f64 = 1e-10;
/// What rounding can do to a row, in units of the machine precision and of the sum of its terms. Not measured.
pub(super) const ROUNDED: f64 = 4.0;
/// A violation is smaller where it is at most this part of what it was. Not measured.
pub(super) const TIGHTER: f64 = 0.1;
/// In an unbounded domain a proof of infeasibility speaks of this many times the size of the iterates: with 1e8 one curved
/// problem took 259 000 gradients, with 1e6 158.
/// Where rounding leaves too much for that, the second will do.
pub(super) const REACH: (f64, f64) = (1e6, 1e5);
/// Iterates that went this share of their size since the anchor may be on their way to infinity. Not measured.
pub(super) const ON_THE_MOVE: f64 = 0.25;
/// Steps between two looks along the way from the start, and how far that must be. Not measured.
pub(super) const RAY_STEPS: usize = 50;
pub(super) const FAR: f64 = 1e3;
/// The primal weight where neither points nor multipliers have a size to go by. Not measured.
pub(super) const BALANCED: f64 = 1.0;

/// Corrections towards the feasible set before it is given up: each costs the values of the rows once. Not measured.
pub(super) const CORRECTIONS: usize = 4;
/// The first correction aims this many violations inside; each further one, so much deeper. Not measured.
pub(super) const DEEPER: f64 = 4.0;
/// Rows within so many depths of their bound are corrected together. Not measured.
pub(super) const IN_VIEW: f64 = 100.0;
/// More rows than that are not worth correcting. Not measured.
pub(super) const MOST_ROWS: usize = 500;
/// Sweeps over the rows for a correction. Not measured.
pub(super) const SWEEPS: usize = 50;
/// A correction is good enough when the last sweep moved no row by more than this part of the depth. Not measured.
pub(super) const SETTLED: f64 = 1e-2;
/// A prox of this weight is a projection onto X, but for a shift by its inverse. Not measured.
pub(super) const NEARLY_INFINITE: f64 = 1e12;

/// The part of the tolerance to which the solution is found that the constants of a published method speak of, ... Not
/// measured.
pub(super) const FINER: f64 = 0.1;
/// ... and the relative tolerance that will do in any case. Not measured.
pub(super) const FINE: f64 = 1e-6;
/// The first guess at L of the universal fast gradient method, best too small: it doubles. Not measured.
pub(super) const FIRST_L: f64 = 1e-3;
/// The first trial of APDB's primal step size, best too large, and its steps before the first restart. Not measured.
pub(super) const FIRST_TAU: f64 = 1.0;
pub(super) const APDB_RESTART: usize = 32;
/// Points around an answer at which components have kinks: at most, ... Decision 0038.
pub(super) const AROUND_KINKS: usize = 96;
/// ... whatever they cost, ... Decision 0038.
pub(super) const LEAST_AROUND_KINKS: usize = 24;
/// ... and how many before their minorants are combined. Not measured.
pub(super) const KINKS_AT_ONCE: usize = 12;
/// ... and how far away they are, relative to the largest entry: the answer itself is within some 1e-9 of its kinks. Not measured.
pub(super) const NEAR_KINKS: f64 = 1e-6;
/// Operations of a gradient up to which interior points come first where components have kinks, if they take some milliseconds. Decision 0038.
pub(super) const FEW_KINKS: f64 = 1e4;
