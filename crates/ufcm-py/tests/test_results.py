"""Results: what they tell, in words, pictures and files."""

import contextlib
import inspect
import io
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    A, B = rng.normal(1.0, 1.0, (60, 4)), rng.normal(-1.0, 1.0, (40, 4))
    return ufcm.Problem(
        minimize=ufcm.logistic(A, np.ones(60)) + 0.1 * ufcm.norm1(ufcm.affine(np.eye(4), name="identity")),
        subject_to=[
            (ufcm.logistic(sp.csr_array(B), -np.ones(40)) <= 0.4).named("false alarms"),
            ufcm.affine(np.ones((1, 4)), [2.0]) <= 0,
        ],
        domain=ufcm.ball(10.0),
    )


@pytest.fixture(scope="module")
def result(problem):
    return problem.solve()


def test_what_a_result_tells(problem, result):
    assert result.status == "Certified" and result.success
    assert result.lower_bound <= result.upper_bound
    assert result.gap == result.objective - result.lower_bound
    assert abs(result.gap_rel) <= 2e-6
    assert result.violation <= 1e-6
    assert result.gradient_evaluations > 0 and result.data_passes > 0 and result.seconds > 0
    assert isinstance(result.multipliers[0], float) and result.multipliers[1].shape == (1,)
    assert result.settings["eps_rel"] == 1e-6
    assert "bounded" in result.premise


def test_the_history(result):
    assert [record.step for record in result.history] == list(range(1, result.steps + 1))
    last = result.history[-1]
    assert (last.objective, last.lower_bound) == (result.objective, result.lower_bound)
    assert last.gap_rel == pytest.approx(result.gap_rel)
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(result.history)
    assert list(table.columns)[:2] == ["step", "seconds"] and len(table) == result.steps


def test_certificates(problem, result):
    certificate = result.certificate
    verified = certificate.verify(problem)
    assert verified.lower <= verified.upper and verified.gap < 1e-5
    again = ufcm.Certificate.from_json(certificate.to_json())
    assert again.verify(problem) == verified
    np.testing.assert_array_equal(again.x, result.x)
    # one that claims more than is so
    text = certificate.to_json()
    lower = certificate.lower
    forged = text.replace(f'"lower": {lower!r}', f'"lower": {lower + 0.01!r}')
    assert forged != text
    with pytest.raises(ufcm.CertificateError, match="the lower bound is claimed to be"):
        ufcm.Certificate.from_json(forged).verify(problem)
    for broken in ("{}", "[]", "no", text.replace("bounds", "infeasibility")):
        with pytest.raises(ValueError):
            ufcm.Certificate.from_json(broken)


def test_words_and_pages(result):
    text = repr(result)
    for word in ("Certified: the gap is proven", "lower bound", "multiplier of false alarms", "gradients"):
        assert word in text
    page = result._repr_html_()
    assert page.startswith("<table>") and "false alarms" in page and "&lt;" not in page
    named = ufcm.Problem(
        minimize=ufcm.quadratic([1.0]), subject_to=[(ufcm.linear([1.0]) <= 1).named("<b>")], domain=ufcm.ball(1.0)
    ).solve()
    assert "&lt;b&gt;" in named._repr_html_()


def test_the_table_goes_through_pythons_stdout(problem):
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        result = problem.solve(verbose=True)
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("ufcm ") and "4 variables" in lines[2]
    header = next(k for k, line in enumerate(lines) if "lower bound" in line and "1/step" in line)
    rows = [line for line in lines[header + 1 :] if line[:6].strip().isdigit()]
    assert rows[0].split()[0].strip("r") == "1"
    assert rows[-1].split()[0].strip("r") == str(result.steps)
    assert any(line.startswith("status") and "Certified" in line for line in lines)


def test_a_silent_solve_prints_nothing(problem, capfd):
    problem.solve()
    assert capfd.readouterr() == ("", "")


def test_the_table_thins_out():
    rng = np.random.default_rng(0)
    f = ufcm.power(rng.normal(size=(60, 8)), rng.normal(size=60), 1.0)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        r = ufcm.Problem(minimize=f, domain=ufcm.ball(3.0)).solve(verbose=True, max_gradients=400, eps_rel=1e-12)
    steps = [int(line[:6]) for line in stream.getvalue().splitlines() if line[:6].strip().isdigit()]
    assert steps[-1] == r.steps
    if r.steps > 40:
        assert steps[:20] == list(range(1, 21)) and 35 not in steps


@pytest.mark.parametrize("against", ["gradient_evaluations", "seconds", "step"])
def test_plots(result, against):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = result.plot(against=against)
    bounds, errors = figure.axes
    assert {text.get_text() for text in bounds.get_legend().get_texts()} == {"objective", "lower bound"}
    assert errors.get_yscale() == "log"
    assert len(bounds.lines[0].get_xdata()) == len(result.history)
    figure.savefig(io.BytesIO())
    plt.close(figure)
    with pytest.raises(ValueError, match="against is 'colour'"):
        result.plot(against="colour")


def test_problems_are_pickled(problem, result):
    again = pickle.loads(pickle.dumps(problem))
    assert repr(again) == repr(problem)
    r = again.solve()
    np.testing.assert_array_equal(r.x, result.x)
    assert r.multipliers_by_name.keys() == result.multipliers_by_name.keys()
    assert result.certificate.verify(again).gap < 1e-5


def test_results_are_pickled(problem, result):
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.x, result.x)
    assert again.history == result.history and again.status == result.status
    assert repr(again) == repr(result)
    assert again.certificate.verify(problem) == result.certificate.verify(problem)
    infeasible = ufcm.Problem(subject_to=[ufcm.quadratic([1.0]) <= 1.0], domain=ufcm.box(2.0, 3.0))
    proof = pickle.loads(pickle.dumps(infeasible.solve())).infeasibility
    assert proof.verify(infeasible) > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: ufcm.quadratic(sp.csr_array(np.diag([1.0, 2.0])), [1.0, 1.0], 3.0),
        lambda: ufcm.quadratic(factor=[[1.0, 2.0]]),
        lambda: 2.0 * ufcm.logistic([[1.0, 2.0]], [1], weights=[2.0]) + ufcm.linear([1.0, 1.0]) - 1.0,
        lambda: ufcm.log_sum_exp(sp.csc_array([[1.0, 0.0], [0.0, 2.0]])),
        lambda: ufcm.huber(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]), [1.0, 2.0], 0.5).named("robust"),
    ],
)
def test_components_are_pickled(make):
    component = make()
    again = pickle.loads(pickle.dumps(component))
    x = [0.3, -0.4]
    assert again(x) == component(x) and again.name == component.name
    np.testing.assert_array_equal(again.gradient(x), component.gradient(x))


def test_bounds_without_proof():
    r = ufcm.Problem(minimize=ufcm.log_sum_exp([[1.0], [-1.0]])).solve()
    assert r.status == "Solved" or math.isfinite(r.lower_bound)
    assert "multiplier" not in repr(r)


def test_results_and_settings_are_the_librarys_models():
    p = ufcm.Problem(minimize=ufcm.quadratic([1.0, 1.0]), domain=ufcm.ball(1.0))
    r = p.solve()
    told, error = ufcm._ufcm.solve(p._core, {}, None)
    assert error is None
    # What the library tells is what the class says it has, with what Python adds.
    added = {"multipliers", "term_multipliers", "constraint_names"}
    assert set(told) | added == set(ufcm.Result.__annotations__)
    # The defaults of solve are those of the library.
    signature = inspect.signature(p.solve).parameters
    own = {name: signature[name].default for name in told["settings"] if name in signature}
    assert own == {name: told["settings"][name] for name in own} and r.settings == told["settings"]
    assert set(told["settings"]) == set(own)
    with pytest.raises(ValueError, match="settings: colour: unknown field"):
        ufcm._ufcm.solve(p._core, {"colour": 1}, None)
    with pytest.raises(ValueError, match="settings: eps_rel: invalid type: string \"small\""):
        ufcm._ufcm.solve(p._core, {"eps_abs": 1e-9, "eps_rel": "small"}, None)
