"""Fairness against accuracy: logistic regression whose score may covary with a group only so much."""

import matplotlib.pyplot as plt
import numpy as np
from _picture import save

import ufcm

rng = np.random.default_rng(4)
m = 1500
group = rng.random(m) < 0.4
X = rng.normal(size=(m, 5))
X[:, 0] += 1.2 * group  # one feature tells the group, and the outcome depends on it
score = X @ [1.0, 0.8, -0.6, 0.4, 0.0] - 0.5
y = np.where(rng.random(m) < 1.0 / (1.0 + np.exp(-score)), 1.0, -1.0)
X = np.column_stack([X, np.ones(m)])

loss = ufcm.logistic(X, y)
centred = (group - group.mean()) / group.std()
# The covariance of the score X x with the standardised group is affine in x.
covariance = ufcm.affine(np.atleast_2d(centred @ X / m), name="covariance")

limits = np.linspace(0.0, 0.6, 13)
losses, accuracies, gaps = [], [], []
start = None
for limit in limits:
    problem = ufcm.Problem(minimize=loss, subject_to=[covariance.between(-limit, limit)], domain=ufcm.ball(20.0))
    result = problem.solve(x0=start)
    assert result.status == "Certified"
    start = result.x
    said = X @ result.x > 0
    losses.append(result.objective)
    accuracies.append(np.mean(said == (y > 0)))
    gaps.append(abs(said[group].mean() - said[~group].mean()))
    print(f"covariance <= {limit:.2f}: loss {losses[-1]:.5f}, accuracy {accuracies[-1]:.3f}, gap between groups {gaps[-1]:.3f}")

# A looser limit cannot cost more.
assert np.all(np.diff(losses) <= 1e-6)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(limits, losses, "o-", markersize=4)
left.set(xlabel="limit on the covariance", ylabel="least logistic loss", title="the price of fairness")
right.plot(gaps, accuracies, "o-", markersize=4)
right.set(xlabel="difference of positive rates", ylabel="accuracy", title="frontier")
save(figure, "fairness")
