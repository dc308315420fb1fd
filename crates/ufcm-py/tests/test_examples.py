"""The examples of examples/python run, hold their own assertions, and draw their pictures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "python"
# What takes minutes has a shorter form.
OPTIONS = {"theory": ["--short"]}
SCRIPTS = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def test_there_are_examples():
    assert len(SCRIPTS) >= 4


@pytest.mark.parametrize("name", SCRIPTS)
def test_example(name, tmp_path):
    pytest.importorskip("matplotlib")
    if name.startswith("jax"):
        pytest.importorskip("jax")
    package = str(Path(__file__).parents[1] / "python")
    environment = {**os.environ, "PYTHONPATH": package}
    command = [sys.executable, FOLDER / f"{name}.py", tmp_path, *OPTIONS.get(name, [])]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / f"{name}.svg").stat().st_size > 1000
    assert f"{name}.svg)" in (FOLDER / "README.md").read_text()
    assert (FOLDER / f"{name}.svg").exists()
