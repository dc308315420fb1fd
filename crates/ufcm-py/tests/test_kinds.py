"""Every kind of the catalogue as a Python function: built from the samples of its fields, with the numbers that problem files get."""

import inspect
import json
import os
import pathlib
import pickle

import numpy as np
import pytest
from stub import stub

import ufcm
from ufcm._catalogue import ALIASES, FUNCTIONS, KINDS, parameters

HERE = pathlib.Path(__file__).parent
# As crates/ufcm-io/tests/catalogue.rs has them, cut or repeated to the number of variables.
POINTS = np.array([[0.3, -0.7, 0.25], [0.5, 0.5, 1.0], [0.0, 0.0, 0.0]])
BY_NAME = {kind["name"]: kind for kind in KINDS}
KEPT = {
    line.split()[0]: [float(word) for word in line.split()[1:]]
    for line in (HERE / "../../ufcm-io/tests/kinds.txt").read_text().splitlines()
}


def sample(field):
    if field["type"]["is"] == "parts":  # a problem file has tables, Python has pairs
        return [(2, ufcm.simplex()), (1, ufcm.l1(3.0))]
    return json.loads(field["sample"])


def samples(kind, spelling="symbol"):
    return {field[spelling]: sample(field) for field in parameters(kind) if field["sample"]}


def rows():
    components = [ufcm.linear([1.0, 2.0]), ufcm.quadratic([2.0, 1.0])]
    return components, ufcm.affine([[1.0, 2.0], [-1.0, 0.5]], [0.5, 0.0])


def build(kind, make, **given):
    """What a function makes of samples; composers take components where they can."""
    if kind["section"] != "composer":
        return make(**given)
    components, block = rows()
    term = make(components, **given)
    try:
        ufcm.Problem(minimize=term)
    except ValueError:  # not nondecreasing: affine rows alone
        term = make(block, **given)
    return term


def numbers(made):
    """Values at the points, with gradients for components."""
    found = []
    if isinstance(made, ufcm.Component):
        for point in POINTS:
            value, gradient = made.value_and_gradient(np.resize(point, made.n))
            found += [value, *gradient]
        return found
    if isinstance(made, ufcm.Term):
        problem = ufcm.Problem(minimize=made)
        return [problem.value(np.resize(point, problem.n)) for point in POINTS]
    return [made(point) for point in POINTS]


@pytest.mark.parametrize("name", BY_NAME)
def test_problem_files_and_python_build_the_same(name):
    kind, make = BY_NAME[name], getattr(ufcm, name)
    made = build(kind, make, **samples(kind))
    own = numbers(made)
    # The bits of the problem file, up to how other processors round.
    np.testing.assert_allclose(own, KEPT[name], rtol=1e-13, atol=1e-13)
    assert numbers(build(kind, make, **samples(kind, "name"))) == own
    assert numbers(pickle.loads(pickle.dumps(made))) == own


@pytest.mark.parametrize("name", BY_NAME)
def test_functions_are_like_written_ones(name):
    make = getattr(ufcm, name)
    assert name in ufcm.__all__ and make is FUNCTIONS[name] and pickle.loads(pickle.dumps(make)) is make
    assert make.__name__ == name and make.__module__ == "ufcm" and BY_NAME[name]["about"] in make.__doc__
    assert inspect.signature(make).parameters.keys() >= samples(BY_NAME[name]).keys()
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'colour'"):
        make(colour=1)


def test_the_signatures_that_programs_rely_on():
    expected = {
        "logistic": "(A, y, *, offset=None, weights=None, reduction='mean')",
        "least_squares": "(A, b, *, offset=None, weights=None, reduction='mean')",
        "huber": "(A, b, delta, *, offset=None, weights=None, reduction='mean')",
        "poisson": "(A, y, *, offset=None, weights=None, reduction='mean')",
        "power": "(A, b, p, *, offset=None, weights=None, reduction='mean')",
        "log_sum_exp": "(A, b=None)",
        "exponential_sum": "(A, b=None, *, weights=None, reduction='sum')",
        "quadratic": "(Q=None, c=None, constant=0.0, *, factor=None, diagonal=None, trusted=False)",
        "linear": "(c, constant=0.0)",
        "maximum": "(rows)",
        "smooth_maximum": "(rows, eta)",
        "norm1": "(rows, weights=None, *, reduction='sum')",
        "quantile": "(rows, q, *, reduction='sum')",
        "l1": "(w)",
        "elastic_net": "(w1, w2)",
        "group_l2": "(groups, w)",
        "box": "(lo=-inf, hi=inf)",
        "ball": "(R, center=None)",
        "simplex": "(total=1.0)",
        "sum_of_largest": "(count, w=1.0)",
    }
    assert {name: str(inspect.signature(getattr(ufcm, name))) for name in expected} == expected


def test_earlier_names_are_understood():
    assert ufcm.max is ufcm.maximum and ufcm.squares is ufcm.half_squares
    assert "max" in ALIASES and "max" not in ufcm.__all__
    # squared_hinge and huber are kinds of their own in Python.
    assert ufcm.squared_hinge is not ufcm.squared_hinge_loss and ufcm.huber is not ufcm.sum_huber


def test_a_penalty_has_the_solution_of_its_constraint():
    cost, disc = ufcm.linear([-1.0, -1.0]), ufcm.quadratic([2.0, 2.0])
    p = ufcm.Problem(minimize=cost + 5.0 * ufcm.penalty([disc], at_most=1.0), domain=ufcm.box(-2.0, 2.0))
    r = p.solve(eps_rel=1e-8)
    np.testing.assert_allclose(r.x, [0.5**0.5, 0.5**0.5], atol=1e-4)
    assert r.term_multipliers[0].shape == (1,)


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match=r"logistic\(\) missing a required argument: 'y'"):
        ufcm.logistic([[1.0]])
    with pytest.raises(TypeError, match="delta is 'wide'; it must be a number"):
        ufcm.huber([[1.0]], [1.0], "wide")
    with pytest.raises(TypeError, match="count is 1.5; it must be a whole number"):
        ufcm.sum_of_largest(1.5)


def test_the_stub_is_the_catalogues():
    path = HERE / "../python/ufcm/_kinds.pyi"
    if os.environ.get("UFCM_BLESS"):
        path.write_text(stub())
    assert path.read_text() == stub(), "UFCM_BLESS=1 scripts/python test tests/test_kinds.py writes it anew"
