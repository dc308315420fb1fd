"""The published method next to its theorems: prints docs/theory.txt to the digit, as `cargo run --release -p ufcm --example theory` does, and draws
the observed and promised numbers of gradients.

"promised" are the gradients (and proximal steps) that the theory says suffice; "observed" the gradients after which the output was
(eps, r)-optimal. Every promise is also asserted. With `--short` it prints a part, in seconds. All of it takes some minutes.
"""

import sys
from math import ceil

from _picture import plt, save

from ufcm import theory
from ufcm.theory import planted
from ufcm.theory.planted import RowKind, runs

SHORT = "--short" in sys.argv
if SHORT:
    sys.argv.remove("--short")
# p, and the first and the last accuracy as a share of the start's.
EXPONENTS = [(0.0, 0.5, 0.1), (0.25, 0.15, 1e-2), (0.5, 0.15, 1e-3), (1.0, 0.15, 1e-5)]
SHARES = [0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0]
RATES, RESTARTS = planted.COMPOSITIONS, planted.COMPOSITIONS
if SHORT:
    RATES, EXPONENTS = [planted.COMPOSITIONS[0], planted.COMPOSITIONS[3]], EXPONENTS[3:]
    RESTARTS, SHARES = planted.COMPOSITIONS[:1], SHARES[:2]


def scientific(value, width):
    """1.5e-7 for 1.5e-07, at the right of `width` characters."""
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}".rjust(width)


def check(run):
    assert run.hit is not None and run.hit <= ceil(run.promised.gradients), f"the promise was not kept: {run}"
    assert run.inner_steps <= run.promised.proximal, f"too many proximal steps: {run}"


def show(lead, run):
    promised, ratio = run.promised.gradients, run.promised.gradients / run.hit
    print(
        f"{lead}  {scientific(run.eps, 7)} {run.hit:10} {promised:10.0f} {ratio:6.1f} {run.inner_steps:15} "
        f"{scientific(run.promised.proximal, 9)}"
    )


def order(p):
    """The promised order in 1/eps."""
    return 2 / (1 + 3 * p)


def rates(composition):
    """Algorithm 1: gradients against eps for each smoothness exponent."""
    print(f"\nUFCM, {composition.name}: gradients to (eps, r)-optimality")
    print("     p  order in 1/eps  fitted      eps   observed   promised  ratio  proximal steps  promised")
    series = {}
    for p, first, last in EXPONENTS:
        instance = planted.uniform_instance(composition, p, None, seed=11)
        done = [runs.ufcm(instance, eps, early=True) for eps in runs.accuracies(instance, first, last, 6)]
        for k, run in enumerate(done):
            check(run)
            lead = f"{p:6.2f}  {order(p):14.2f}  {runs.fitted_slope(done):6.2f}"
            show(lead if k == 0 else " " * 30, run)
        series[f"p = {p:g}"] = done
    return series


def print_slopes(panels):
    """The table of docs/theory.md."""
    names = [composition.name for composition in RATES]
    print(f"\n| p | order 2/(1+3p) | {' | '.join(names)} |")
    print(f"|---|---|{'---|' * len(names)}")
    for p, *_ in EXPONENTS:
        fitted = [f"{runs.fitted_slope(panel[f'p = {p:g}']):.2f}" for panel in panels]
        print(f"| {p} | {order(p):.2f} | {' | '.join(fitted)} |")


def restarts():
    """Algorithm 2 in its four cases, with one set of constants and with each execution's own."""
    print("\nR-UFCM: gradients taken by the plan, and those after which the output was (eps, r)-optimal")
    print("composer       q  constants  case          eps   observed   promised  ratio  proximal steps  promised")
    series = {}
    for composition in RESTARTS:
        for q in (None, 1.0, 2.0, 3.0):
            instance = planted.uniform_instance(composition, 1.0, None if q is None else (0.3, q), seed=11)
            for own in (False, True):
                accuracies = runs.accuracies(instance, 1e-2, 1e-5, 4)
                done = [runs.restarted(instance, eps, own_constants=own) for eps in accuracies]
                for run in done:
                    assert run.reached <= run.eps, f"the promise was not kept: {run}"
                    assert run.gradients <= ceil(run.promised.gradients), f"too many gradients: {run}"
                    check(run)
                name = "-" if q is None else f"{q:g}"
                lead = f"{composition.name:13} {name:>2}  {'own' if own else 'one set':9}  {case(instance, accuracies[3]):8}"
                show(lead, done[3])
                if own and composition.name == "constraints":
                    series[f"q = {name}"] = done
    return series


def case(instance, eps):
    at = theory.Distances(instance.d_x, instance.d_lambda, 0.0)
    return theory.Case.of(instance.theory(eps).mu_ada(), instance.l_h, eps, at).value


def sweep():
    """Section 1.2: the max of one smooth and one Lipschitz piece, as the multiplier moves from one to the other."""
    eps = 0.02
    print(f"\nmax of a smooth and a Lipschitz piece (section 1.2), eps = {eps}, lambda^0 = (1/2, 1/2)")
    print("                                      r = eps^(3/4)        r = sqrt(eps)")
    print("lambda* of the Lipschitz piece  observed   promised  observed   promised")
    for share in SHARES:
        done = [runs.ufcm(planted.smooth_and_lipschitz(share, eps, power), eps, early=True) for power in (0.75, 0.5)]
        for run in done:
            check(run)
        told = " ".join(f"{run.hit:9} {run.promised.gradients:10.0f}" for run in done)
        print(f"{share:30g} {told}")


def inactive_constraints():
    """Constraints that are not active at x* cost next to nothing, however curved they are."""
    print("\nconstraints: the same problem with inactive constraints added, eps = 1e-4")
    print("inactive  their L  observed   promised")
    for count, scale in [(0, 1.0), (1, 1.0), (10, 1.0), (10, 10.0)]:
        rows = [(1.0, 1.0), (2.0, 0.7)] + count * [(scale, 0.0)]
        kinds = [RowKind(scale=size, p=1.0, convexity=None, multiplier=multiplier) for size, multiplier in rows]
        run = runs.ufcm(planted.Instance("constraints", kinds, n=30, seed=7), 1e-4, early=True)
        check(run)
        print(f"{count:8} {scale:8g} {run.hit:9} {run.promised.gradients:10.0f}")


def draw(panels):
    """Observed numbers of gradients as points, promised ones dashed."""
    panels = {title: series for title, series in panels.items() if series}
    plt.rcParams["svg.fonttype"] = "none"
    rows, columns = ceil(len(panels) / 3), min(3, len(panels))
    figure, axes = plt.subplots(rows, columns, figsize=(4 * columns, 3.4 * rows), squeeze=False)
    for axis, (title, series) in zip(axes.flat, panels.items()):
        for label, done in series.items():
            inverse = [1 / run.eps for run in done]
            (line,) = axis.loglog(inverse, [run.hit for run in done], "o-", label=label)
            axis.loglog(inverse, [run.promised.gradients for run in done], "--", color=line.get_color())
        axis.set(title=title, xlabel="1/eps", ylabel="gradients")
        axis.legend()
    figure.tight_layout()
    save(figure, "theory")


panels = [rates(composition) for composition in RATES]
if not SHORT:
    print_slopes(panels)
titles = [f"UFCM, {composition.name}" for composition in RATES]
restarting = restarts()
sweep()
inactive_constraints()
draw({**dict(zip(titles, panels)), "R-UFCM, constraints": restarting})
