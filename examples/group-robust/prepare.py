"""Writes survey.csv from the file that the package statsmodels ships.

    pip download --no-deps statsmodels==0.15.0 && unzip statsmodels-*.whl 'statsmodels/datasets/anes96/*'
    python prepare.py statsmodels/datasets/anes96/anes96.csv

Needs nothing but Python's own library.
"""

import csv
import math
import sys
from pathlib import Path

EDUCATION = {1: "school", 2: "school", 3: "diploma", 4: "college", 5: "degree", 6: "degree", 7: "degree"}


def main(source):
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quotechar="'"))
    with open(Path(__file__).parent / "survey.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = ["town", "tv_news", "own_place", "clinton_place", "dole_place", "party", "age", "income", "education", "vote"]
        writer.writerow(names)
        for row in rows:
            town = f"{math.log(float(row['popul']) + 0.1):.3f}"
            numbers = [f"{float(row[name]):g}" for name in ("TVnews", "selfLR", "ClinLR", "DoleLR", "PID", "age", "income")]
            vote = "Dole" if float(row["vote"]) else "Clinton"
            writer.writerow([town, *numbers, EDUCATION[int(float(row["educ"]))], vote])


main(*sys.argv[1:])
