"""Components from JAX functions."""

import pickle

import numpy as np
import pytest
from automatic import A, B, check

import ufcm


def jax_loss(x, data, labels):
    import jax.numpy as jnp

    return jnp.mean(jnp.logaddexp(0.0, -labels * (data @ x)))


def test_jax():
    jax = pytest.importorskip("jax")
    f = ufcm.jax.component(jax_loss, 4, args=(A, B))
    assert f.name == "jax_loss"
    check(f)
    # data in float32 and JAX's own default are no obstacle, and the latter stays as it was
    before = jax.config.jax_enable_x64
    narrow = ufcm.jax.component(jax_loss, 4, args=(A.astype(np.float32), B))
    assert narrow.value_and_gradient(np.ones(4))[1].dtype == np.float64
    assert jax.config.jax_enable_x64 == before
    assert jax.numpy.asarray(1.0).dtype == (np.float64 if before else np.float32)


def test_jax_without_a_hessian_and_pickled():
    pytest.importorskip("jax")
    f = ufcm.jax.component(jax_loss, 4, args=(A, B), hess=False, name="loss")
    assert f.hessian(np.zeros(4)) is None and f.name == "loss"
    again = pickle.loads(pickle.dumps(f))
    assert again(np.ones(4)) == f(np.ones(4))


def test_jax_in_threads():
    pytest.importorskip("jax")
    from concurrent.futures import ThreadPoolExecutor

    f = ufcm.jax.component(jax_loss, 4, args=(A, B))
    p = ufcm.Problem(minimize=f, domain=ufcm.ball(2.0))
    expected = p.solve().x
    with ThreadPoolExecutor(4) as pool:
        for x in pool.map(lambda _: p.solve().x, range(4)):
            np.testing.assert_array_equal(x, expected)


def test_jax_errors_come_back():
    pytest.importorskip("jax")

    def fails(x):
        raise KeyError("missing")

    with pytest.raises(KeyError):
        ufcm.Problem(minimize=ufcm.jax.component(fails, 2)).solve()
    with pytest.raises(TypeError, match="f is int"):
        ufcm.jax.component(1, 2)


def test_unknown_attributes():
    with pytest.raises(AttributeError, match="no attribute 'tensorflow'"):
        ufcm.tensorflow  # noqa: B018


def test_import_is_light():
    import subprocess
    import sys

    heavy = "{'jax', 'torch', 'sklearn', 'cvxpy', 'matplotlib', 'scipy', 'pandas'}"
    script = f"import sys, ufcm; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_pytree_in_the_place_of_a_number():
    pytest.importorskip("jax")
    import jax.numpy as jnp

    like = {"w": np.zeros((2, 2)), "b": [0.0, np.zeros(3)]}
    f = ufcm.jax.component(lambda t: jnp.sum((t["w"] - 1.0) ** 2) + t["b"][0] ** 2 + jnp.sum((t["b"][1] + 2.0) ** 2), like)
    assert f.n == 8
    found = ufcm.jax.Tree(like).unpack(ufcm.Problem(minimize=f, domain=ufcm.ball(9.0)).solve().x)
    assert np.allclose(found["w"], 1.0, atol=1e-3) and np.allclose(found["b"][1], -2.0, atol=1e-3)
