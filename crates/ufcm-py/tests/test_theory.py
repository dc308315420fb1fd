"""ufcm.theory says what the library's theory says, and docs/theory.md is reproduced to the digit."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ufcm
from ufcm import theory
from ufcm.theory import Distances, measure, planted, promise

ROOT = Path(__file__).parents[3]
AT = Distances(d_x=2.0, d_lambda=3.0, m=5.0)
INFINITE = float("inf")


def quadratics() -> ufcm.Problem:
    return ufcm.Problem(
        minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
        subject_to=[ufcm.quadratic([1.0, 1.0]) <= 0.5],
        domain=ufcm.box(-5.0, 5.0),
    )


def test_constants_are_those_of_a_plan():
    plan = quadratics().plan(1e-4)
    assert [row.pinned for row in plan.rows] == [True, False]
    assert plan.rows[0].smoothness == (1.0, 1.0) and plan.rows[1].multiplier == pytest.approx(1.0, abs=1e-3)
    rows = theory.Aggregate(plan.rows, plan.eps, plan.r)
    assert rows.l_ada_convex(plan.d_x) == plan.l_ada and rows.mu_ada() == plan.mu_ada
    at = Distances(plan.d_x, plan.d_lambda, plan.m)
    promised = promise.heterogeneous_balanced(rows.l_ada(plan.d_x), plan.eps, at)
    assert np.ceil(promised.gradients) == plan.ufcm.gradients
    m = at._replace(m=plan.m_restarted)
    restarted = promise.restarted(plan.l_ada, plan.mu_ada, plan.l_h, plan.eps, plan.r, plan.executions, m)
    assert np.ceil(restarted.gradients) == plan.restarted.gradients
    assert theory.Case.of(plan.mu_ada, plan.l_h, plan.eps, at) is theory.Case.PRIMAL


@pytest.mark.parametrize(
    ("call", "name", "numbers"),
    [
        (lambda: promise.heterogeneous_balanced(7.0, 5.0, AT), "EpsAboveOne", {"eps": 5.0}),
        (
            lambda: promise.heterogeneous_balanced(0.0, 0.5, AT),
            "AlreadyThere",
            {"eps": 0.5, "l_ada": 0.0, "d_x": 2.0},
        ),
        (
            lambda: promise.restarted(1.0, 97.0, INFINITE, 1e-3, 1e-3, 5, AT),
            "ConvexityAboveSmoothness",
            {"mu_ada": 97.0, "l_ada": 1.0},
        ),
        (
            lambda: promise.restarted(1.0, 0.0, INFINITE, 1e-3, 4.0, 5, AT),
            "RadiusAboveDistance",
            {"r": 4.0, "d_lambda": 3.0},
        ),
        (lambda: promise.heterogeneous(7.0, 1e-3, 0.1, theory.Balance(1e-6, 1.0), AT), "ErrorsAddUp", None),
    ],
)
def test_a_theorem_that_promises_nothing_names_the_condition(call, name, numbers):
    with pytest.raises(theory.Unproven, match="does not hold|above eps") as raised:
        call()
    assert raised.value.name == name and isinstance(raised.value, ufcm.Error)
    assert numbers is None or raised.value.numbers == numbers


def test_promises_agree_with_each_other():
    eps, l_ada = 1e-4, 7.0
    balance = theory.Balance.with_distances(l_ada, AT.d_x, AT.d_lambda)
    general = promise.heterogeneous(l_ada, eps, AT.d_lambda * eps**0.5, balance, AT)
    simple = promise.heterogeneous_balanced(l_ada, eps, AT)
    assert 0.8 < general.gradients / simple.gradients <= 1
    assert promise.gap_bound(l_ada, eps, 0.03, balance, AT, np.ceil(simple.gradients)) <= eps
    assert promise.smooth(l_ada, eps, 0.03, balance, AT).gradients < general.gradients
    assert promise.iterate_radius(l_ada, balance, AT.d_x, AT.d_lambda) == pytest.approx(3**0.5 * AT.d_x)
    assert promise.dual_iterate_radius(l_ada, 2.0, balance, AT) > 0
    assert promise.executions(7.0, 1.0) == 3
    assert promise.first_radius(1.0, 1e-2, 3, 2.0) == pytest.approx((2**4 * 1e-2) ** 0.5)
    assert promise.last_dual_radius(1.0, 1e-2, 3.0) == 0.2
    # Table 1: a hundredth of eps costs ten times in case 1a, and a few restarts more in 2a.
    for mu, most in ((0.0, 10.1), (1.0, 2.1)):
        coarse, fine = (promise.table(l_ada, mu, INFINITE, eps, AT).gradients for eps in (1e-3, 1e-5))
        assert fine / coarse < most
    assert promise.k_sm(1e-4, 3.0, 1.0, 2.0) == pytest.approx((3e4) ** 0.5 * 2.0)
    assert promise.k_uc(1e-4, 3.0, 1.0, 0.5, 1.0, 1.0) == pytest.approx(6**0.5 * np.log(1e4))
    assert promise.acgd_s(10.0, 1.0, 1e-4, AT).gradients < promise.acgd_s_strongly_convex(10.0, 1.0, 1e-4, AT).gradients


@pytest.mark.parametrize("composition", planted.COMPOSITIONS, ids=lambda composition: composition.name)
def test_planted_instances_are_problems_like_any_other(composition):
    instance = planted.uniform_instance(composition, 1.0, (0.3, 1.0), seed=11)
    p, saddle = instance.problem, instance.saddle
    r = p.solve(eps_rel=1e-7)
    assert r.success and r.objective == pytest.approx(saddle.value, abs=1e-5)
    assert measure.optimality(p, r.x, saddle, r=0.1).eps < 1e-3
    assert len(r.multipliers) + len(r.term_multipliers) > 0 and "30 variables" in repr(p)
    assert len(composition.multipliers(3)) == 3 == len(instance.constants)
    # The same by hand: Algorithm 1 from the constants of the theory, with a trace.
    eps = 0.05 * planted.runs.initial(instance)
    rows = instance.theory(eps)
    own = ufcm.Constants(l_ada=rows.l_ada(instance.d_x), d_x=instance.d_x, d_lambda=instance.d_lambda, eps=eps, r=rows.r)
    start = {"x0": instance.x0, "multipliers0": instance.multipliers0, "saddle": saddle}
    r = p.solve(method="ufcm", constants=own, trace=True, eps_rel=1e-15, eps_abs=0.0, eps_feas=1e-15, **start)
    run = planted.runs.ufcm(instance, eps)
    assert r.gradient_evaluations == run.gradients and r.inner_steps == run.inner_steps
    assert r.trace[-1].measure == run.reached <= eps
    with pytest.raises(TypeError, match="plant it again from its seed"):
        pickle.dumps(p)


def test_constants_of_each_execution():
    instance = planted.uniform_instance("constraints", 1.0, (0.3, 2.0), seed=11)
    eps = 1e-2 * planted.runs.initial(instance)
    executions = promise.executions(planted.runs.initial_gap(instance), eps)
    own = instance.theory(eps).own_constants(instance.d_x, executions)
    own = ufcm.Constants(own.l_ada, own.mu_ada, instance.d_x, instance.d_lambda, r=own.r, eps=eps)
    start = {"x0": instance.x0, "multipliers0": instance.multipliers0, "eps_rel": 1e-15, "eps_abs": 0.0}
    r = instance.problem.solve(method="restarted", constants=own, trace=True, saddle=instance.saddle, **start)
    assert r.constants.l_ada == own.l_ada and r.constants.executions == executions == len(own.l_ada)
    assert [now.l_ada for now in r.trace if now.t == 1] == list(own.l_ada)
    assert r.trace[-1].measure <= eps
    again = instance.problem.solve(method="restarted", constants=r.constants, **start)
    assert np.array_equal(r.x, again.x) and again.constants == r.constants
    for constants, message in [
        (ufcm.Constants(l_ada=[1.0, 2.0], mu_ada=[0.1, 0.1, 0.1]), "l_ada has 2 numbers, and mu_ada 3"),
        (ufcm.Constants(mu_ada=[0.1, 0.1]), "l_ada is not given at all"),
        (ufcm.Constants(l_ada=[1.0, -2.0]), "l_ada is -2"),
        (ufcm.Constants(l_ada=[1.0, 2.0], executions=3), "l_ada has 2 numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            instance.problem.solve(method="restarted", constants=constants)


def test_certificates_tell_constants():
    p = quadratics()
    r = p.solve(method="ufcm", eps_rel=1e-3, eps_feas=1e-3)
    assert r.certificate.constants == r.constants is not None
    read = ufcm.Certificate.from_json(r.certificate.to_json())
    assert read.constants == r.constants and read.verify(p) == r.certificate.verify(p)
    assert p.solve().certificate.constants is None


def test_bad_instances_are_refused_by_name():
    row = planted.RowKind(1.0, 1.0, None, 1.0)
    for kinds, message in [
        ([], "no row has a positive multiplier"),
        ([row._replace(p=2.0)], "p is 2"),
        ([row._replace(scale=-1.0)], "scale is -1"),
        ([row, row], r"lambda\* lies outside the domain of h\*"),
    ]:
        with pytest.raises(ValueError, match=message):
            planted.Instance("max", kinds, n=3, seed=1)
    with pytest.raises(ValueError, match='no composition is called "min"'):
        planted.Instance("min", [row], n=3, seed=1)
    with pytest.raises(ValueError, match="jacobian has shape"):
        instance = planted.Instance("sum", [row], n=3, seed=1)
        dual = measure.DualPoint.at(instance.problem, instance.x0, instance.multipliers0)
        measure.lagrangian(instance.problem, instance.x0, dual._replace(jacobian=np.zeros((1, 2))))


def printed(command) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "python")}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    return [line for line in run.stdout.splitlines() if not line.startswith("picture:")]


def test_docs_theory_is_reproduced_to_the_digit(tmp_path):
    pytest.importorskip("matplotlib")
    ours = printed([sys.executable, ROOT / "examples/python/theory.py", tmp_path, "--short"])
    kept = (ROOT / "docs/theory.txt").read_text().splitlines()
    assert len(ours) > 30 and not [line for line in ours if line not in kept]
    # The tables of the page are parts of all that is printed.
    page = (ROOT / "docs/theory.md").read_text()
    tables = [line for line in page.splitlines() if line.startswith("| ")] + page.split("```")[1].splitlines()[1:]
    assert len(tables) > 50 and not [line for line in tables if line not in kept]
    if "UFCM_EXAMPLES" in os.environ:  # scripts/python has built it
        assert printed([Path(os.environ["UFCM_EXAMPLES"]) / "theory", "--short"]) == ours
