"""Writes returns.csv and mean.csv from the prices that the package skfolio ships.

    pip download --no-deps skfolio==1.12.2 && unzip skfolio-*.whl 'skfolio/datasets/data/*'
    python prepare.py skfolio/datasets/data/sp500_dataset.csv.gz

Needs nothing but Python's own library.
"""

import csv
import gzip
import math
import sys
from pathlib import Path

FROM, TO = "2002-12", "2022-12"  # the closing prices of these months and of all between


def main(source):
    with gzip.open(source, "rt", newline="") as file:
        names, *days = list(csv.reader(file))
    names = names[1:]
    # The last day of each month that the file has.
    closing = {day[0][:7]: [float(price) for price in day[1:]] for day in days if FROM <= day[0][:7] <= TO}
    months = sorted(closing)
    here = Path(__file__).parent
    returns = [
        [round(100 * (now / before - 1), 2) for before, now in zip(closing[last], closing[month])]
        for last, month in zip(months, months[1:])
    ]
    # One scenario a month: the return of each share in per cent, and 1 for the threshold t.
    with open(here / "returns.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["month", *names, "threshold"])
        writer.writerows([month, *row, 1] for month, row in zip(months[1:], returns))
    # What the shares lose in the mean, and nothing for the threshold.
    with open(here / "mean.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["share", "loss"])
        writer.writerows([name, repr(-math.fsum(column) / len(returns))] for name, column in zip(names, zip(*returns)))
        writer.writerow(["threshold", 0])


main(*sys.argv[1:])
