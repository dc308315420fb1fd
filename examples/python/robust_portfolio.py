"""A portfolio for two regimes of the market: for each expected return, the least use of the risk budget that is used most."""

import matplotlib.pyplot as plt
import numpy as np
from _picture import HERE, save

import ufcm

folder = HERE.parent / "qcqp"
names = (folder / "quiet.csv").read_text().splitlines()[0].split(",")
quiet, crisis = (np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1) for name in ("quiet", "crisis"))
returns = np.array([2.0, 3.0, 5.0, 7.0, 9.5])  # per cent a year

# Variances in units of what is allowed: a deviation of 10 per cent in quiet years, of 18 per cent in a crisis.
regimes = [2.0 / 10.0**2 * ufcm.quadratic(quiet), 2.0 / 18.0**2 * ufcm.quadratic(crisis)]
earned = ufcm.linear(returns).named("return")

wanted = np.linspace(2.5, 9.0, 14)
shares, risks, decisive = [], [], []
for goal in wanted:
    problem = ufcm.Problem(
        minimize=ufcm.maximum(regimes), subject_to=[earned >= goal], domain=ufcm.simplex()
    )
    result = problem.solve(eps_rel=1e-7)
    assert result.status == "Certified"
    shares.append(result.x)
    risks.append(np.sqrt(result.objective))
    decisive.append(result.term_multipliers[0])  # which regime decides: they sum to 1
    print(f"return {goal:4.1f} %: {risks[-1]:5.2f} of the budget, of which the crisis decides {decisive[-1][1]:.2f}")

assert np.all(np.diff(risks) >= -1e-3)

figure, (frontier, mix) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
frontier.plot(risks, wanted, "o-", markersize=4)
frontier.set(xlabel="deviation, as a part of the budget used most", ylabel="expected return (%)", title="robust frontier")
mix.stackplot(wanted, np.array(shares).T, labels=names)
mix.set(xlabel="expected return (%)", ylabel="share", title="portfolio", ylim=(0, 1), xlim=(wanted[0], wanted[-1]))
mix.legend(loc="upper left", fontsize=8)
save(figure, "robust_portfolio")
