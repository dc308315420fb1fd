"""Neyman-Pearson: how much a bound on missed tumours costs in false alarms, each point of the curve with its proof."""

import csv

import matplotlib.pyplot as plt
import numpy as np
from _picture import HERE, save

import ufcm

with open(HERE.parent / "neyman-pearson" / "breast_cancer.csv", newline="") as file:
    rows = list(csv.reader(file))[1:]
X = np.array([row[:-1] for row in rows], dtype=float)
malignant = np.array([row[-1] == "malignant" for row in rows])
X = np.column_stack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones(len(X))])

missed = ufcm.logistic(X[malignant], np.ones(malignant.sum())).named("missed")
false_alarms = ufcm.logistic(X[~malignant], -np.ones((~malignant).sum()))

# A score that finds every tumour, whatever the false alarms: from inside the constraint, answers are moved until it holds,
# and an answer that holds is an upper bound.
alarm = np.zeros(X.shape[1])
alarm[-1] = 8.0

bounds = np.geomspace(0.01, 0.3, 12)
lower, upper, prices = [], [], []
print("bound on missed   false alarms (proven between)      price of the bound")
for bound in bounds:
    problem = ufcm.Problem(minimize=false_alarms, subject_to=[missed <= bound], domain=ufcm.ball(10.0))
    result = problem.solve(eps_rel=1e-6, interior=alarm)
    assert result.status == "Certified"
    proven = result.certificate.verify(problem)  # without the solver
    lower.append(proven.lower)
    upper.append(result.upper_bound)
    prices.append(result.multipliers[0])
    print(f"{bound:15.4f}   {lower[-1]:.7f} .. {upper[-1]:.7f}   {prices[-1]:14.4f}")

# Proven on both sides; the curve is convex and falls; its slope is minus the multiplier.
assert all(low <= high <= low + 1e-4 for low, high in zip(lower, upper))
assert np.all(np.diff(upper) < 0) and np.all(np.diff(prices) < 1e-6)

figure, (curve, price) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
curve.loglog(bounds, upper, "o-", markersize=4)
curve.set(xlabel="bound on the loss of malignant tumours", ylabel="least loss of benign ones", title="trade-off, every point certified")
price.loglog(bounds, prices, "s-", markersize=4, color="tab:orange")
price.set(xlabel="bound on the loss of malignant tumours", ylabel="multiplier", title="what a tighter bound costs")
save(figure, "neyman_pearson")
