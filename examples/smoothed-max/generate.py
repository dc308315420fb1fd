"""Writes cost.csv, base.csv, energy.mtx and load.mtx: seven vans that are charged overnight in a depot.

    python generate.py

Nothing is random, and nothing but Python's own library is needed.
"""

import csv
import math
from pathlib import Path

# Half-hours from 12:00 noon on: when a van comes back, when it leaves, and how many kWh it needs.
VANS = [(8, 38, 42), (9, 36, 55), (10, 37, 38), (12, 36, 60), (12, 38, 47), (14, 35, 52), (16, 36, 33)]
SLOTS = 48
HALF_HOUR = 0.5
HERE = Path(__file__).parent


def base_load(slot):
    """The load of the depot itself, in kW: an afternoon of work, an evening peak, a morning of loading."""
    hour = 12 + slot * HALF_HOUR
    bump = lambda centre, width, height: height * math.exp(-(((hour - centre) / width) ** 2) / 2)
    return round(18 + bump(14, 2.5, 20) + bump(18.5, 1.5, 34) + bump(30.5, 1.2, 22), 1)


def price(slot):
    """Euro for a kWh: cheap from 23:00 to 05:00, dear from 17:00 to 20:00."""
    hour = 12 + slot * HALF_HOUR
    return 0.18 if 23 <= hour < 29 else 0.38 if 17 <= hour < 20 else 0.27


def write_table(name, header, rows):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_matrix(name, rows, columns, entries):
    head = f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} {len(entries)}\n"
    (HERE / name).write_text(head + "".join(f"{i + 1} {j + 1} {value}\n" for i, j, value in entries))


def main():
    # One variable for each van and half-hour in which it is there: the power of its charger in kW.
    stays = [(van, slot) for van, (come, leave, _) in enumerate(VANS) for slot in range(come, leave)]
    time = lambda slot: f"{(12 + slot // 2) % 24:02}:{30 * (slot % 2):02}"
    costs = [[van + 1, time(slot), round(HALF_HOUR * price(slot), 3)] for van, slot in stays]
    write_table("cost.csv", ["van", "time", "cost"], costs)
    write_table("base.csv", ["time", "minus_load"], [[time(slot), -base_load(slot)] for slot in range(SLOTS)])
    # Energy in kWh that each van gets, and the power in kW that the chargers take in each half-hour.
    write_matrix("energy.mtx", len(VANS), len(stays), [(van, j, HALF_HOUR) for j, (van, _) in enumerate(stays)])
    write_matrix("load.mtx", SLOTS, len(stays), [(slot, j, 1) for j, (_, slot) in enumerate(stays)])


main()
