"""Runs the code cells of a notebook, without Jupyter: what they print, and the pictures they leave open."""

import base64
import contextlib
import io
import json


def execute(path):
    """The notebook with the outputs of a run."""
    import matplotlib.pyplot as plt

    notebook, names = json.loads(path.read_text()), {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"{path.name}[{count}]", "exec"), names)
        text = printed.getvalue().splitlines(keepends=True)
        cell["execution_count"] = count
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}] if text else []
        for number in plt.get_fignums():
            cell["outputs"].append(_picture(plt.figure(number)))
        plt.close("all")
    return notebook


def _picture(figure):
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=70, metadata={"Software": None})
    data = {"image/png": base64.b64encode(image.getvalue()).decode()}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def printed(notebook):
    """What the code cells print, cell by cell."""
    streams = [[out for out in cell.get("outputs", []) if out["output_type"] == "stream"] for cell in notebook["cells"]]
    return ["".join("".join(out["text"]) for out in outputs) for outputs in streams]


def text(notebook):
    """The notebook as a file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
