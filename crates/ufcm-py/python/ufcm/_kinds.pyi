"""Written from the catalogue by `UFCM_BLESS=1 scripts/python test tests/test_kinds.py`; do not edit."""

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ufcm._component import Component
from ufcm._regularizer import Regularizer
from ufcm._term import Rows, Term

__all__ = [
    "logistic",
    "squared_hinge_loss",
    "smoothed_hinge",
    "least_squares",
    "huber",
    "power",
    "poisson",
    "exponential_sum",
    "multinomial_logistic",
    "log_sum_exp",
    "quadratic",
    "linear",
    "weighted_sum",
    "maximum",
    "smooth_maximum",
    "squared_hinge",
    "penalty",
    "norm1",
    "norm2",
    "norm_inf",
    "sum_power",
    "quantile",
    "conditional_value_at_risk",
    "sum_huber",
    "half_squares",
    "sum_squares",
    "negative_log",
    "negative_entropy",
    "reciprocal",
    "zero",
    "l1",
    "positive_part",
    "ridge",
    "elastic_net",
    "l1_box",
    "l2",
    "group_l2",
    "linf",
    "total_variation",
    "sum_of_largest",
    "sorted_l1",
    "box",
    "nonnegative",
    "linf_ball",
    "ball",
    "l1_ball",
    "simplex",
    "halfspace",
    "hyperplane",
    "affine_set",
    "second_order_cone",
    "parts",
]

def logistic(
    A: Any,
    y: ArrayLike,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """The logistic loss.

    ``mean of log(1 + exp(-y_i a_i.x))``

    :param A: the rows a_i, one for each sample
    :param y: the labels; -1 and 1, or 0 and 1
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> f = ufcm.logistic([[1.0, 0.5], [1.0, -2.0]], [1, -1])
    >>> round(f([0.0, 0.0]), 12)          # log 2
    0.69314718056
    >>> ufcm.logistic([[1.0], [2.0]], [1, 2])
    Traceback (most recent call last):
        ...
    ValueError: logistic loss: labels[1] is 2; it must be -1 or 1 (or all 0 or 1)
    """

def squared_hinge_loss(
    A: Any,
    y: ArrayLike,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """The squared hinge loss.

    ``mean of max(1 - y_i a_i.x, 0)^2``

    :param A: the rows a_i, one for each sample
    :param y: the labels; -1 and 1, or 0 and 1
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.squared_hinge_loss([[1.0]], [1])([0.5])
    0.25
    """

def smoothed_hinge(
    A: Any,
    y: ArrayLike,
    gamma: float,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """The smoothed hinge loss.

    ``mean of max(1 - y_i a_i.x, 0), rounded by a parabola over the width gamma``

    :param A: the rows a_i, one for each sample
    :param y: the labels; -1 and 1, or 0 and 1
    :param gamma: the width of the parabola; positive
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.smoothed_hinge([[1.0]], [1], 0.5)([-1.0])
    1.75
    """

def least_squares(
    A: Any,
    b: ArrayLike,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """Half squares of residuals.

    ``mean of (a_i.x - b_i)^2 / 2``

    :param A: the rows a_i, one for each sample
    :param b: what the a_i.x are to meet
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.least_squares([[1.0], [1.0]], [0.0, 2.0])([0.0])
    1.0
    """

def huber(
    A: Any,
    b: ArrayLike,
    delta: float,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """The Huber loss of residuals: squares of small ones, absolute values of large ones.

    ``mean of r_i^2 / 2 where |r_i| <= delta, of delta (|r_i| - delta / 2) beyond, with r_i = a_i.x - b_i``

    :param A: the rows a_i, one for each sample
    :param b: what the a_i.x are to meet
    :param delta: where squares end; positive
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.huber([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([0.5])
    2.125
    """

def power(
    A: Any,
    b: ArrayLike,
    p: float,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """Powers of residuals. For p = 1, which has kinks, the term `sum_power` of an affine block is the better form.

    ``mean of |a_i.x - b_i|^p``

    :param A: the rows a_i, one for each sample
    :param b: what the a_i.x are to meet
    :param p: the exponent; at least 1
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.power([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([1.0])
    3.0
    """

def poisson(
    A: Any,
    y: ArrayLike,
    *,
    offset: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """The Poisson loss with the log link.

    ``mean of exp(a_i.x) - y_i a_i.x``

    :param A: the rows a_i, one for each sample
    :param y: the counts; nonnegative
    :param offset: o, added to the a_i.x, one for each sample; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.poisson([[1.0]], [2.0])([0.0])
    1.0
    """

def exponential_sum(
    A: Any,
    b: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    reduction: str = "sum",
) -> Component:
    """Exponentials of affine functions: a posynomial in log variables.

    ``sum of exp(a_i.x + b_i)``

    :param A: the rows a_i, one for each sample
    :param b: added to the a_i.x; without it 0
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.exponential_sum([[1.0], [-1.0]])([0.0])
    2.0
    """

def multinomial_logistic(
    A: Any,
    y: ArrayLike,
    classes: int,
    *,
    weights: ArrayLike | None = None,
    reduction: str = "mean",
) -> Component:
    """Softmax cross-entropy over K classes: the variables are K vectors of weights, one class after the other.

    ``mean of log sum_k exp(a_i.x_k) - a_i.x_{y_i}``

    :param A: the rows a_i, one for each sample
    :param y: the classes; whole numbers from 0 to K - 1
    :param classes: K; at least 2
    :param weights: one weight for each sample; nonnegative, not all 0; without it all 1
    :param reduction: the mean over the samples, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> f = ufcm.multinomial_logistic([[1.0, 0.5], [1.0, -2.0]], [0, 2], classes=3)
    >>> f.n, round(f([0.0] * 6), 12)      # log 3
    (6, 1.098612288668)
    """

def log_sum_exp(A: Any, b: ArrayLike | None = None) -> Component:
    """The log-sum-exp of affine functions: a smooth maximum.

    ``log sum exp(a_i.x + b_i)``

    :param A: the rows a_i, one for each sample
    :param b: added to the a_i.x; without it 0

    >>> import ufcm
    >>> ufcm.log_sum_exp([[1.0], [-1.0]])([1e4])    # nothing overflows
    10000.0
    """

def quadratic(
    Q: Any = None,
    c: ArrayLike | None = None,
    constant: float = 0.0,
    *,
    factor: Any = None,
    diagonal: ArrayLike | None = None,
    trusted: bool = False,
) -> Component:
    """A convex quadratic. Q is symmetric and positive semidefinite: dense, sparse, diagonal, or F'F plus a diagonal, the form of choice for low rank. Whether it is semidefinite is checked cheaply, which catches most mistakes.

    ``x'Qx/2 + c.x + constant``

    :param Q: Q; or give `diagonal` or `factor`; without it none
    :param c: c; without it 0
    :param constant: the value at 0
    :param factor: F with Q = F'F, plus the diagonal if there is one; without it none
    :param diagonal: the diagonal of Q, or what is added to F'F; nonnegative; without it 0
    :param trusted: skips the test of convexity

    >>> import ufcm
    >>> ufcm.quadratic([[2.0, 1.0], [1.0, 2.0]], c=[-1.0, 0.0])([1.0, 1.0])
    2.0
    >>> ufcm.quadratic([1.0, 3.0])([1.0, 1.0])
    2.0
    >>> ufcm.quadratic(factor=[[1.0, 1.0]])([1.0, 2.0])
    4.5
    >>> ufcm.quadratic([[1.0, 2.0], [2.0, 1.0]])
    Traceback (most recent call last):
        ...
    ValueError: quadratic: Q is not positive semidefinite, so the quadratic is not convex: ...
    """

def linear(c: ArrayLike, constant: float = 0.0) -> Component:
    """An affine function.

    ``c.x + constant``

    :param c: the slope
    :param constant: the value at 0

    >>> import ufcm
    >>> budget = ufcm.linear([1.0, 2.0], -3.0)
    >>> budget([1.0, 1.0])
    0.0
    >>> budget >= -1
    <Constraint: linear component >= -1.0>
    """

def weighted_sum(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """A sum of the rows, each with a multiplier of its own. Rows of negative weight must be affine.

    ``sum of w_j z_j``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def maximum(rows: Rows) -> Term:
    """The largest of the rows.

    ``max_j z_j``

    :param rows: a list of components, or an affine block: the z_j

    >>> import ufcm
    >>> worst = ufcm.maximum([ufcm.quadratic([1.0], [-1.0]), ufcm.quadratic([1.0], [1.0])])
    >>> r = ufcm.Problem(minimize=worst, domain=ufcm.box(-5, 5)).solve()
    >>> bool(abs(r.x[0]) < 1e-4), r.status
    (True, 'Certified')
    """

def smooth_maximum(rows: Rows, eta: float) -> Term:
    """The smoothed maximum of m rows, above it by at most eta log m.

    ``eta log sum exp(z_j / eta)``

    :param rows: a list of components, or an affine block: the z_j
    :param eta: the smoothing; positive
    """

def squared_hinge(
    rows: Rows,
    eta: float,
    at_most: ArrayLike | None = None,
    *,
    reduction: str = "sum",
) -> Term:
    """A smooth penalty on rows above their bounds.

    ``sum of max((z_j - at_most_j) / eta, 0)^2``

    :param rows: a list of components, or an affine block: the z_j
    :param eta: the width; positive
    :param at_most: the bound of each row; without it 0
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def penalty(rows: Rows, at_most: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """An exact penalty on rows above their bounds: with a weight above the multipliers of the constraints it has the same solutions as the constraints. Hinge losses are penalties of affine rows.

    ``sum of max(z_j - at_most_j, 0)``

    :param rows: a list of components, or an affine block: the z_j
    :param at_most: the bound of each row; without it 0
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def norm1(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """The l1 norm of affine rows.

    ``sum of w_j |z_j|``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> deviation = ufcm.norm1(ufcm.affine([[1.0], [1.0], [1.0]], [0.0, 1.0, 5.0]))
    >>> r = ufcm.Problem(minimize=deviation, domain=ufcm.box(-10, 10)).solve()
    >>> round(float(r.x[0]), 4)             # the median
    1.0
    """

def norm2(rows: Rows) -> Term:
    """The Euclidean norm of affine rows.

    ``|z|``

    :param rows: a list of components, or an affine block: the z_j
    """

def norm_inf(rows: Rows) -> Term:
    """The largest absolute value of affine rows.

    ``max_j |z_j|``

    :param rows: a list of components, or an affine block: the z_j
    """

def sum_power(rows: Rows, p: float, *, reduction: str = "sum") -> Term:
    """Powers of affine rows.

    ``sum of |z_j|^p``

    :param rows: a list of components, or an affine block: the z_j
    :param p: the exponent; between 1 and 2
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def quantile(rows: Rows, q: float, *, reduction: str = "sum") -> Term:
    """The pinball loss of affine rows: with the rows A x - b, it fits the q-quantile of b.

    ``sum of max((1 - q) z_j, -q z_j)``

    :param rows: a list of components, or an affine block: the z_j
    :param q: the level; strictly between 0 and 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def conditional_value_at_risk(rows: Rows, alpha: float) -> Term:
    """The mean of the worst share alpha of the rows.

    ``max of <l, z> over 0 <= l_j <= 1/(alpha m), sum l_j = 1``

    :param rows: a list of components, or an affine block: the z_j
    :param alpha: the share; above 0, at most 1

    >>> import ufcm
    >>> losses = [ufcm.quadratic([1.0], [c]) for c in (-2.0, -1.0, 3.0)]
    >>> r = ufcm.Problem(minimize=ufcm.conditional_value_at_risk(losses, 0.5), domain=ufcm.box(-5, 5)).solve()
    >>> r.status
    'Certified'
    """

def sum_huber(rows: Rows, delta: float, *, reduction: str = "sum") -> Term:
    """The Huber function of affine rows.

    ``sum of z_j^2 / 2 where |z_j| <= delta, of delta (|z_j| - delta / 2) beyond``

    :param rows: a list of components, or an affine block: the z_j
    :param delta: where squares end; positive
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def half_squares(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """Half the squares of affine rows.

    ``sum of w_j z_j^2 / 2``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"
    """

def sum_squares(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """The squares of affine rows.

    ``sum of w_j z_j^2``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.sum_squares(ufcm.affine([[1.0, 0.0], [0.0, 2.0]]))([3.0, 1.0])
    13.0
    """

def negative_log(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """Minus the logarithms of affine rows, which must be positive: growth of wealth, log-likelihoods, barriers.

    ``-sum of w_j log(z_j)``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> growth = ufcm.negative_log(ufcm.affine([[1.5, 1.0], [0.6, 1.0]]), [0.5, 0.5])     # heads and tails
    >>> whole = ufcm.affine([[1.0, 1.0]], [1.0]) == 0
    >>> r = ufcm.Problem(minimize=growth, subject_to=[whole], domain=ufcm.nonnegative()).solve()
    >>> r.status, round(float(r.x[0]), 3)
    ('Certified', 0.25)
    """

def negative_entropy(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """The negative entropy of affine rows, which must not be negative; 0 log 0 is 0.

    ``sum of w_j z_j log(z_j)``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> ufcm.negative_entropy(ufcm.affine([[1.0, 0.0], [0.0, 1.0]]))
    <Term: negative_entropy of 2 rows>
    """

def reciprocal(rows: Rows, weights: ArrayLike | None = None, *, reduction: str = "sum") -> Term:
    """The reciprocals of affine rows, which must be positive: compliance of bars, variances of shares of a sample.

    ``sum of w_j / z_j``

    :param rows: a list of components, or an affine block: the z_j
    :param weights: w, one for each row; without it all 1
    :param reduction: the mean over the rows, or their sum; "mean" or "sum"

    >>> import ufcm
    >>> compliance = ufcm.reciprocal(ufcm.affine([[1.0, 0.0], [0.0, 1.0]]), [1.0, 4.0])
    >>> whole = ufcm.affine([[1.0, 1.0]], [3.0]) <= 0
    >>> r = ufcm.Problem(minimize=compliance, subject_to=[whole], domain=ufcm.nonnegative()).solve()
    >>> r.status, round(float(r.x[1]), 3)
    ('Certified', 2.0)
    """

def zero() -> Regularizer:
    """Nothing: all of R^n.

    ``0``
    """

def l1(w: ArrayLike) -> Regularizer:
    """The l1 norm.

    ``sum of w_i |x_i|``

    :param w: one for all, or one for each; nonnegative
    """

def positive_part(w: ArrayLike) -> Regularizer:
    """The l1 norm of the positive part.

    ``sum of w_i max(x_i, 0)``

    :param w: one for all, or one for each; nonnegative
    """

def ridge(w: ArrayLike) -> Regularizer:
    """Half squares.

    ``sum of w_i x_i^2 / 2``

    :param w: one for all, or one for each; nonnegative
    """

def elastic_net(w1: ArrayLike, w2: ArrayLike) -> Regularizer:
    """The l1 norm and half squares together.

    ``sum of w1_i |x_i| + w2_i x_i^2 / 2``

    :param w1: one for all, or one for each; nonnegative
    :param w2: one for all, or one for each; nonnegative
    """

def l1_box(w: ArrayLike, lo: ArrayLike = ..., hi: ArrayLike = ...) -> Regularizer:
    """The l1 norm in a box.

    ``sum of w_i |x_i| over lo <= x <= hi``

    :param w: one for all, or one for each; nonnegative
    :param lo: the lower side; may be -inf
    :param hi: the upper side; at least the lower side; may be inf
    """

def l2(w: float) -> Regularizer:
    """The Euclidean norm itself, not its square.

    ``w |x|``

    :param w: the weight; nonnegative
    """

def group_l2(groups: Sequence[Iterable[int]], w: ArrayLike) -> Regularizer:
    """Euclidean norms of groups of variables; variables in no group are free.

    ``sum over groups g of w_g |x_g|``

    :param groups: lists of indices, which do not overlap
    :param w: one for all groups, or one for each; nonnegative

    >>> import ufcm
    >>> ufcm.group_l2([[0, 2], [3]], 2.0)([3.0, 9.0, 4.0, 1.0])
    12.0
    """

def linf(w: float) -> Regularizer:
    """The largest absolute value.

    ``w max |x_i|``

    :param w: the weight; nonnegative
    """

def total_variation(w: float) -> Regularizer:
    """The total variation of a sequence.

    ``w sum of |x_(i+1) - x_i|``

    :param w: the weight; nonnegative
    """

def sum_of_largest(count: int, w: float = 1.0) -> Regularizer:
    """The sum of the k largest entries, with their signs.

    ``w times the sum of the k largest x_i``

    :param count: k; at least 1
    :param w: the weight; nonnegative
    """

def sorted_l1(w: ArrayLike) -> Regularizer:
    """The sorted l1 norm (OWL, SLOPE): the largest entry counts most.

    ``sum over k of w_k |x|_(k), |x|_(1) >= |x|_(2) >= ...``

    :param w: one for each variable; nonnegative, none larger than the one before
    """

def box(lo: ArrayLike = ..., hi: ArrayLike = ...) -> Regularizer:
    """A box, coordinate by coordinate; sides may be infinite.

    ``lo <= x <= hi``

    :param lo: the lower side; may be -inf
    :param hi: the upper side; at least the lower side; may be inf
    """

def nonnegative() -> Regularizer:
    """No entry below 0.

    ``x >= 0``
    """

def linf_ball(R: float, center: ArrayLike | None = None) -> Regularizer:
    """A ball of the largest absolute value.

    ``max |x_i - centre_i| <= R``

    :param R: the radius; positive
    :param center: the centre; without it 0
    """

def ball(R: float, center: ArrayLike | None = None) -> Regularizer:
    """A Euclidean ball.

    ``|x - centre| <= R``

    :param R: the radius; positive
    :param center: the centre; without it 0
    """

def l1_ball(R: float) -> Regularizer:
    """A ball of the l1 norm.

    ``sum of |x_i| <= R``

    :param R: the radius; positive
    """

def simplex(total: float = 1.0) -> Regularizer:
    """A simplex: shares of a total.

    ``x >= 0, sum of x_i = total``

    :param total: what the entries sum to; positive
    """

def halfspace(normal: ArrayLike, offset: float) -> Regularizer:
    """One side of a hyperplane.

    ``a.x <= b``

    :param normal: a; not 0
    :param offset: b
    """

def hyperplane(normal: ArrayLike, offset: float) -> Regularizer:
    """A hyperplane.

    ``a.x = b``

    :param normal: a; not 0
    :param offset: b
    """

def affine_set(A: Any, b: ArrayLike) -> Regularizer:
    """An affine set of few, independent rows; many rows are better as a constraint on an affine block.

    ``A x = b``

    :param A: the rows
    :param b: one number for each row
    """

def second_order_cone() -> Regularizer:
    """The second-order cone.

    ``|(x_1, ..., x_(n-1))| <= x_0``
    """

def parts(pieces: Sequence[tuple[int, Regularizer]]) -> Regularizer:
    """Others of this list, each on its own variables, one after the other.

    ``u_1(x_1) + u_2(x_2) + ...``

    :param pieces: a list of kinds, each with the number of its variables

    >>> import ufcm
    >>> ufcm.parts([(2, ufcm.simplex()), (1, ufcm.l1(3.0))])([0.5, 0.5, -1.0])
    3.0
    """
