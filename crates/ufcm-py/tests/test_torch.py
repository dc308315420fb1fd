"""Components from PyTorch functions. scripts/python runs these with Debian's PyTorch: that of PyPI brings gigabytes for GPUs."""

import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from automatic import A, B, check

import ufcm

torch = pytest.importorskip("torch")


def loss(x, data, labels):
    return torch.nn.functional.softplus(-labels * (data @ x)).mean()


def test_a_function_that_closes_over_its_data():
    data, labels = torch.from_numpy(A), torch.from_numpy(B)
    f = ufcm.torch.component(lambda x: loss(x, data, labels), 4, name="closed")
    assert f.name == "closed"
    check(f)


def test_data_of_any_kind():
    check(ufcm.torch.component(loss, 4, args=(A, B)))
    f = ufcm.torch.component(loss, 4, args=(A, B))
    narrow = ufcm.torch.component(loss, 4, args=(torch.from_numpy(A).float(), B.astype(np.int64)))
    value, gradient = narrow.value_and_gradient(np.ones(4))
    assert gradient.dtype == np.float64
    assert value == pytest.approx(f(np.ones(4)), rel=1e-6)
    assert value == pytest.approx(ufcm.logistic(A.astype(np.float32), B)(np.ones(4)), rel=1e-14)


def test_without_a_hessian_and_pickled():
    f = ufcm.torch.component(loss, 4, args=(A, B), hess=False)
    assert f.name == "loss" and f.hessian(np.zeros(4)) is None
    again = pickle.loads(pickle.dumps(f))
    assert again(np.ones(4)) == f(np.ones(4))


def test_a_caller_without_gradients_changes_nothing():
    with torch.no_grad():
        check(ufcm.torch.component(loss, 4, args=(A, B)))


def test_affine_and_constant_functions():
    slope = np.arange(4.0)
    f = ufcm.torch.component(lambda x, c: c @ x, 4, args=(slope,))
    np.testing.assert_array_equal(f.gradient(np.ones(4)), slope)
    np.testing.assert_array_equal(f.hessian(np.ones(4)), np.zeros((4, 4)))
    g = ufcm.torch.component(lambda x: torch.tensor(2.0), 4)
    assert g(np.ones(4)) == 2.0
    np.testing.assert_array_equal(g.gradient(np.ones(4)), np.zeros(4))


def test_in_threads():
    p = ufcm.Problem(minimize=ufcm.torch.component(loss, 4, args=(A, B)), domain=ufcm.ball(2.0))
    expected = p.solve().x
    with ThreadPoolExecutor(4) as pool:
        for x in pool.map(lambda _: p.solve().x, range(4)):
            np.testing.assert_array_equal(x, expected)


def test_errors_come_back():
    def fails(x):
        raise KeyError("missing")

    with pytest.raises(KeyError):
        ufcm.Problem(minimize=ufcm.torch.component(fails, 2)).solve()
    with pytest.raises(TypeError, match="f is int"):
        ufcm.torch.component(1, 2)
    with pytest.raises(RuntimeError):  # PyTorch's own words: float32 data that f closes over
        ufcm.torch.component(lambda x: (torch.ones(2) @ x).sum(), 2)(np.ones(2))


@pytest.mark.skipif(
    not hasattr(torch, "compile") or shutil.which("g++") is None, reason="torch.compile needs PyTorch 2 and g++"
)
@pytest.mark.filterwarnings("ignore")
def test_compiled():
    check(ufcm.torch.component(loss, 4, args=(A, B), compile=True))
