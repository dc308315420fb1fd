"""Where the examples put their pictures: beside themselves, or into the folder given as the first argument."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
# The same bytes every time.
matplotlib.rcParams["svg.hashsalt"] = "ufcm"
import matplotlib.pyplot as plt  # noqa: E402

HERE = Path(__file__).parent


def save(figure, name):
    """Writes a picture and says where."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    print(f"picture: {path.name}")
