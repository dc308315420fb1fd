"""The notebooks of examples/python run from top to bottom, and what they show is what they print."""

import json
import os
from pathlib import Path

import notebook
import pytest

FOLDER = Path(__file__).parents[3] / "examples/python"
# Each with the number of its pictures.
NOTEBOOKS = {"published_method": 2, "neyman_pearson": 1, "fairness_tradeoff": 1, "portfolio_cvar": 1}


def test_all_notebooks_are_here():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_notebook_prints_what_it_shows(name):
    for needed in ("matplotlib", "sklearn"):
        pytest.importorskip(needed)
    path = FOLDER / f"{name}.ipynb"
    kept = json.loads(path.read_text())
    run = notebook.execute(path)
    if os.environ.get("UFCM_BLESS"):
        path.write_text(notebook.text(run))
        return
    assert notebook.printed(run) == notebook.printed(kept), "UFCM_BLESS=1 writes it anew; then read the diff"
    pictures = [out for cell in kept["cells"] for out in cell.get("outputs", []) if out["output_type"] == "display_data"]
    assert len(pictures) == NOTEBOOKS[name] and path.stat().st_size < 100_000
