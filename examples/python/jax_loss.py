"""Your JAX loss with constraints: a log-cosh regression that must not be wrong on average in any group."""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from _picture import save

import ufcm

rng = np.random.default_rng(9)
m = 400
hours = rng.uniform(0.0, 24.0, m)
weekend = rng.random(m) < 0.3
demand = 3.0 + np.sin(hours / 24.0 * 2.0 * np.pi) + 0.8 * weekend * np.cos(hours / 24.0 * 4.0 * np.pi)
demand += 0.2 * rng.standard_t(2, m)  # heavy tails
angles = 2.0 * np.pi * hours / 24.0
X = np.column_stack([np.ones(m)] + [wave(k * angles) for k in (1, 2, 3) for wave in (np.sin, np.cos)])


def log_cosh(x, data, targets):
    """Plain JAX: no gradient, no constants."""
    residuals = data @ x - targets
    return jnp.mean(jnp.logaddexp(residuals, -residuals))


loss = ufcm.jax.component(log_cosh, X.shape[1], args=(X, demand))
# The mean residual of a group is affine: at most 0.01 in either direction, on weekdays and on weekends.
groups = np.vstack([X[~weekend].mean(axis=0), X[weekend].mean(axis=0)])
means = np.array([demand[~weekend].mean(), demand[weekend].mean()])

fits = {}
for name, constraints in {
    "free": [],
    "held": [ufcm.affine(groups, means).between(-0.01, 0.01)],
}.items():
    problem = ufcm.Problem(minimize=loss, subject_to=constraints, domain=ufcm.ball(50.0))
    assert problem.check(quick=True).ok  # the audit: gradient, convexity, Hessian
    result = problem.solve()
    assert result.status == "Certified"
    fits[name] = result.x
    off = groups @ result.x - means
    print(f"{name}: loss {result.objective:.6f}, {result.gradient_evaluations} gradients, mean errors {off[0]:+.4f}, {off[1]:+.4f}")
held = groups @ fits["held"] - means
assert np.all(np.abs(held) <= 0.01 + 1e-6)

figure, axis = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
axis.scatter(hours, demand, s=6, c=np.where(weekend, "tab:orange", "tab:blue"), alpha=0.5, label="weekends in orange")
grid = np.linspace(0.0, 24.0, 300)
waves = np.column_stack(
    [np.ones(300)] + [wave(k * 2.0 * np.pi * grid / 24.0) for k in (1, 2, 3) for wave in (np.sin, np.cos)]
)
for (name, x), colour in zip(fits.items(), ("black", "tab:green")):
    axis.plot(grid, waves @ x, label=name, color=colour)
axis.set(xlabel="hour", ylabel="demand", ylim=(0, 6), title="a JAX loss, free and with constraints")
axis.legend()
save(figure, "jax_loss")
