"""The notebook of examples/python runs from top to bottom, and what it shows is what it prints."""

import json
import os
from pathlib import Path

import notebook
import pytest

PATH = Path(__file__).parents[3] / "examples/python/published_method.ipynb"


def test_the_notebook_prints_what_it_shows():
    pytest.importorskip("matplotlib")
    kept = json.loads(PATH.read_text())
    run = notebook.execute(PATH)
    if os.environ.get("UFCM_BLESS"):
        PATH.write_text(notebook.text(run))
        return
    assert notebook.printed(run) == notebook.printed(kept), "UFCM_BLESS=1 writes it anew; then read the diff"
    pictures = [out for cell in kept["cells"] for out in cell.get("outputs", []) if out["output_type"] == "display_data"]
    assert len(pictures) == 2 and PATH.stat().st_size < 100_000
