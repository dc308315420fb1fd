"""The instances: one file for each family, all of them by name here. An instance is made from a seed."""

from __future__ import annotations

from suite.families import (
    classification,
    dose,
    group_robust,
    maximum,
    programs,
    qcqp,
    regression,
    risk,
    sparse_models,
)
from suite.instance import Family

FAMILIES: dict[str, Family] = {
    "QCQP": qcqp.INSTANCES,
    "classification": classification.INSTANCES,
    "group-robust": group_robust.INSTANCES,
    "p-norm and multinomial": regression.INSTANCES,
    "maximum": maximum.INSTANCES,
    "dose": dose.INSTANCES,
    "quantile and CVaR": risk.INSTANCES,
    "sparse models": sparse_models.INSTANCES,
    "LP and QP": programs.INSTANCES,
}
INSTANCES: Family = {name: make for family in FAMILIES.values() for name, make in family.items()}
