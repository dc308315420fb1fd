"""Every built-in component next to its twin in JAX: the same value and gradient to 1e-12."""

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

M, N = 37, 6
RNG = np.random.default_rng(11)
A = RNG.normal(size=(M, N))
B = RNG.normal(size=M)
SIGNS = np.where(RNG.normal(size=M) > 0, 1.0, -1.0)
COUNTS = RNG.poisson(2.0, size=M).astype(float)
WEIGHTS = RNG.uniform(0.0, 2.0, size=M)
FACTOR = RNG.normal(size=(3, N))
Q = FACTOR.T @ FACTOR + np.diag(RNG.uniform(0.5, 1.0, N))
C = RNG.normal(size=N)


def huber(r, delta):
    size = jnp.abs(r)
    return jnp.where(size <= delta, 0.5 * r**2, delta * (size - 0.5 * delta))


def smoothed_hinge(t, gamma):
    return jnp.where(t >= 1, 0.0, jnp.where(t <= 1 - gamma, 1 - t - gamma / 2, (1 - t) ** 2 / (2 * gamma)))


# (ufcm's component from matrix and weights, the loss of one sample in JAX)
LOSSES = {
    "logistic": (lambda a, **k: ufcm.logistic(a, SIGNS, **k), lambda t: jnp.logaddexp(0.0, -SIGNS * t)),
    "logistic 0/1": (lambda a, **k: ufcm.logistic(a, SIGNS > 0, **k), lambda t: jnp.logaddexp(0.0, -SIGNS * t)),
    "least squares": (lambda a, **k: ufcm.least_squares(a, B, **k), lambda t: 0.5 * (t - B) ** 2),
    "huber": (lambda a, **k: ufcm.huber(a, B, 0.7, **k), lambda t: huber(t - B, 0.7)),
    "poisson": (lambda a, **k: ufcm.poisson(a, COUNTS, **k), lambda t: jnp.exp(t) - COUNTS * t),
    "power 1.5": (lambda a, **k: ufcm.power(a, B, 1.5, **k), lambda t: jnp.abs(t - B) ** 1.5),
    "power 3": (lambda a, **k: ufcm.power(a, B, 3.0, **k), lambda t: jnp.abs(t - B) ** 3.0),
    "power 1": (lambda a, **k: ufcm.power(a, B, 1.0, **k), lambda t: jnp.abs(t - B)),
    "squared hinge": (
        lambda a, **k: ufcm.squared_hinge_loss(a, SIGNS, **k),
        lambda t: jnp.maximum(0.0, 1 - SIGNS * t) ** 2,
    ),
    "smoothed hinge": (
        lambda a, **k: ufcm.smoothed_hinge(a, SIGNS, 0.4, **k),
        lambda t: smoothed_hinge(SIGNS * t, 0.4),
    ),
    "exponentials": (lambda a, **k: ufcm.exponential_sum(a, B, **k), lambda t: jnp.exp(t + B)),
}
OTHERS = {
    "quadratic": (lambda: ufcm.quadratic(Q, C, 2.0), lambda x: 0.5 * x @ Q @ x + C @ x + 2.0),
    "sparse quadratic": (lambda: ufcm.quadratic(sp.csr_array(Q), C), lambda x: 0.5 * x @ Q @ x + C @ x),
    "diagonal": (lambda: ufcm.quadratic(np.diag(Q), C), lambda x: 0.5 * x @ (jnp.diag(Q) * x) + C @ x),
    "factor": (lambda: ufcm.quadratic(factor=FACTOR, c=C), lambda x: 0.5 * jnp.sum((FACTOR @ x) ** 2) + C @ x),
    "factor and diagonal": (
        lambda: ufcm.quadratic(factor=FACTOR, diagonal=np.arange(N)),
        lambda x: 0.5 * jnp.sum((FACTOR @ x) ** 2) + 0.5 * jnp.sum(jnp.arange(N) * x**2),
    ),
    "linear": (lambda: ufcm.linear(C, 1.5), lambda x: C @ x + 1.5),
    "log sum exp": (lambda: ufcm.log_sum_exp(A, B), lambda x: jax.scipy.special.logsumexp(A @ x + B)),
    "combination": (
        lambda: 2.0 * ufcm.logistic(A, SIGNS) + ufcm.quadratic(Q) / 4.0 - 0.3,
        lambda x: 2.0 * jnp.mean(jnp.logaddexp(0.0, -SIGNS * (A @ x))) + 0.125 * x @ Q @ x - 0.3,
    ),
}


VARIANTS = {
    "mean": ({"reduction": "mean"}, jnp.mean),
    "sum": ({"reduction": "sum"}, jnp.sum),
    "weighted mean": ({"reduction": "mean", "weights": WEIGHTS}, lambda losses: WEIGHTS @ losses / WEIGHTS.sum()),
    "weighted sum": ({"reduction": "sum", "weights": WEIGHTS}, lambda losses: WEIGHTS @ losses),
}
STORAGES = (np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array)
POINTS = [scale * np.random.default_rng(5).normal(size=N) for scale in (0.0, 0.1, 1.0, 3.0)]


def compare(components, twin):
    """Holds components, all the same function, to their twin, which is compiled once."""
    with jax.enable_x64(True):
        both = jax.jit(jax.value_and_grad(twin))
        for x in POINTS:
            expected, slope = both(x)
            size = max(1.0, float(jnp.max(jnp.abs(slope))))
            for component in components:
                value, gradient = component.value_and_gradient(x)
                assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-12)
                np.testing.assert_allclose(gradient, slope, rtol=1e-12, atol=1e-12 * size)
                assert component(x) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, variant):
    (make, loss), (options, reduce) = LOSSES[name], VARIANTS[variant]
    compare([make(storage(A), **options) for storage in STORAGES], lambda x: reduce(loss(A @ x)))


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    make, twin = OTHERS[name]
    compare([make()], twin)


def test_hessians_of_smooth_components():
    x = POINTS[1]
    with jax.enable_x64(True):
        for name in ("logistic", "poisson"):
            make, loss = LOSSES[name]
            expected = jax.jit(jax.hessian(lambda x, loss=loss: jnp.mean(loss(A @ x))))(x)
            np.testing.assert_allclose(make(A, reduction="mean").hessian(x), expected, rtol=1e-11, atol=1e-12)
        for name in ("factor and diagonal", "log sum exp"):
            make, twin = OTHERS[name]
            np.testing.assert_allclose(make().hessian(x), jax.jit(jax.hessian(twin))(x), rtol=1e-11, atol=1e-11)
