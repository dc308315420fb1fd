"""Writes the pages of the documentation site: those of docs/, and others from docstrings, scripts and notebooks.

usage: python scripts/site.py FOLDER, with the Python package on PYTHONPATH
"""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAMES_OF_MODULES = {
    "sklearn": "Estimators",
    "jax": "JAX",
    "torch": "PyTorch",
    "cvxpy": "CVXPY",
    "ranks": "Ranks",
    "theory": "Theory",
}
CONFIG = """\
site_name: ufcm
docs_dir: pages
use_directory_urls: true
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, content.code.copy, search.highlight]
  palette: {primary: indigo}
markdown_extensions: [admonition, tables, attr_list, md_in_html, pymdownx.highlight, pymdownx.superfences, toc: {permalink: true}]
plugins: [search]
validation: {links: {not_found: warn, anchors: ignore, absolute_links: ignore, unrecognized_links: ignore}}
nav:
"""


def markdown(docstring: str) -> str:
    """A docstring as Markdown: parameters as a list, examples as code, names as code."""
    lines: list[str] = []
    in_example = in_list = in_literal = False
    for line in inspect.cleandoc(docstring).splitlines():
        example = line.lstrip().startswith(">>>") or (in_example and line.strip() != "")
        if example != in_example:
            lines += ["", "```pycon"] if example else ["```", ""]
            in_example = example
        if example:
            lines.append(line)
            continue
        if in_literal and line.strip() and not line.startswith(" "):
            lines += ["```", ""]
            in_literal = False
        if line.rstrip() == "::":
            lines += ["", "```text"]
            in_literal = True
            continue
        if in_literal:
            lines.append(line[4:])
            continue
        parameter = re.match(r":param ([^:]+):\s*(.*)", line)
        if parameter:
            if not in_list:
                lines.append("")
            names = ", ".join(f"`{name.strip()}`" for name in parameter[1].split(","))
            line, in_list = f"- {names}: {parameter[2]}", True
        elif in_list and not line.startswith(" "):
            lines.append("")
            in_list = False
        line = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", line)
        lines.append(line.replace("``", "`"))
    if in_example or in_literal:
        lines.append("```")
    return "\n".join(lines).strip() + "\n"


def signature(value: Any) -> str:
    try:
        told = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    told = re.sub(r" -> .*$", "", told)
    told = re.sub(r": '?[^,=)]*(?:\[[^\]]*\])?[^,=)]*'?(?=[,=)])", "", told)
    return re.sub(r"(?<=[(,]) ?self,? ?", "", told).replace("= ", "=").replace("(, ", "(")


def described(name: str, value: Any, level: int = 2) -> str:
    """A function or a class with its methods and properties."""
    if inspect.ismodule(value):
        return ""
    call = f"{name}{signature(value)}" if callable(value) else name
    parts = [f"{'#' * level} `{name}`\n", f"```python\n{call}\n```\n" if callable(value) else "", markdown(inspect.getdoc(value) or "")]
    if inspect.isclass(value):
        for own, member in vars(value).items():
            documented = inspect.isfunction(member) or isinstance(member, (property, staticmethod, classmethod))
            if own.startswith("_") or not documented or not inspect.getdoc(member):
                continue
            plain = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
            parts.append(described(own, plain, level + 1) if callable(plain) else f"**`{own}`** {markdown(inspect.getdoc(member) or '')}")
    return "\n".join(parts)


def python_pages(pages: Path) -> list[tuple[str, str]]:
    """Pages from docstrings; (title, path) of each."""
    import ufcm
    from ufcm._catalogue import KINDS

    sections = {"component": "Components", "composer": "Terms", "regulariser": "Regularisers", "domain": "Domains"}
    kinds: dict[str, list[str]] = {}
    for kind in KINDS:
        kinds.setdefault(kind["section"], []).append(kind["name"])
    made = []

    def page(title: str, path: str, text: str) -> None:
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        (pages / path).write_text(f"# {title}\n\n{text}")
        made.append((title, path))

    catalogued = {name for names in kinds.values() for name in names}
    plain = [name for name in ufcm.__all__ if name not in catalogued and not name.startswith("__") and name not in NAMES_OF_MODULES]
    first = ["Problem", "Result", "minimize", "component", "affine", "matrix"]
    order = [name for name in first if name in plain] + sorted(set(plain) - set(first))
    page("Problems and results", "python/problems.md", markdown(ufcm.__doc__ or "") + "\n" + "\n".join(described(name, getattr(ufcm, name)) for name in order))
    for section, names in kinds.items():
        title = sections.get(section, section.capitalize())
        page(title, f"python/{title.lower()}.md", "\n".join(described(name, getattr(ufcm, name)) for name in names))
    for name, title in NAMES_OF_MODULES.items():
        try:
            module = importlib.import_module(f"ufcm.{name}")
        except ImportError:  # the package it is named after is not here; its docstring is read from the source
            source = ROOT / f"crates/ufcm-py/python/ufcm/{name}.py"
            found = re.match(r'"""(.*?)"""', source.read_text(), re.S)
            page(title, f"python/{name}.md", markdown(found[1] if found else ""))
            continue
        public = getattr(module, "__all__", [own for own, value in vars(module).items() if not own.startswith("_") and getattr(value, "__module__", "") == module.__name__])
        page(title, f"python/{name}.md", markdown(module.__doc__ or "") + "\n" + "\n".join(described(own, getattr(module, own)) for own in public))
    return made


def notebook_page(path: Path, pages: Path) -> tuple[str, str]:
    """A notebook as a page, with what it prints and draws."""
    cells = json.loads(path.read_text())["cells"]
    text, pictures = [], 0
    for cell in cells:
        source = "".join(cell["source"])
        text.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for out in cell.get("outputs", []):
            if out["output_type"] == "stream":
                text.append(f"```text\n{''.join(out['text']).rstrip()}\n```")
            elif "image/png" in out.get("data", {}):
                pictures += 1
                image = f"{path.stem}-{pictures}.png"
                (pages / "notebooks").mkdir(exist_ok=True)
                (pages / "notebooks" / image).write_bytes(base64.b64decode("".join(out["data"]["image/png"])))
                text.append(f"![{path.stem}, picture {pictures}]({image})")
    place = f"notebooks/{path.stem}.md"
    (pages / place).parent.mkdir(exist_ok=True)
    (pages / place).write_text("\n\n".join(text) + "\n")
    return text[0].splitlines()[0].lstrip("# "), place


def gallery_page(pages: Path) -> None:
    """The scripts of examples/python with their pictures; a test runs them."""
    source = ROOT / "examples/python"
    text = ["# Gallery\n", "Each script solves its problems with a proven gap and draws its picture; a test runs them all.\n"]
    for script in sorted(source.glob("[a-z]*.py")):
        code = script.read_text()
        found = re.match(r'(?:#!.*\n)?"""(.*?)"""', code, re.S)
        text.append(f"## {script.stem}\n\n{markdown(found[1]) if found else ''}")
        picture = script.with_suffix(".svg")
        if picture.exists():
            shutil.copy(picture, pages / picture.name)
            text.append(f"![{script.stem}]({picture.name})\n")
        text.append(f'??? note "{script.name}"\n\n' + "\n".join("    " + line for line in f"```python\n{code}\n```".splitlines()) + "\n")
    (pages / "gallery.md").write_text("\n".join(text))


LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def settled(text: str, source: Path, place: Path, known: dict[Path, str]) -> str:
    """Links to pages of the site lead there; those to other files of the repository are their names alone."""

    def link(match: re.Match[str]) -> str:
        image, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if re.match(r"\w+:", target):
            return match[0]
        found = known.get((source.parent / target).resolve())
        if found is None:
            return f"{words} (`{target}`)" if not image else words
        return f"{image}[{words}]({os.path.relpath(found, place.parent)}{anchor})"

    return LINK.sub(link, text)


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    pages.mkdir(parents=True)
    docs = sorted(path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".svg", ".png"))
    known = {path.resolve(): str(path.relative_to(ROOT / "docs")) for path in docs}
    known |= {(ROOT / "README.md").resolve(): "index.md", (ROOT / "crates/ufcm-py/README.md").resolve(): "python/index.md"}
    known |= {(ROOT / "CHANGELOG.md").resolve(): "changelog.md", (ROOT / "CONTRIBUTING.md").resolve(): "contributing.md"}
    known[(ROOT / "crates/ufcm-py").resolve()] = "python/index.md"
    notebooks = sorted((ROOT / "examples/python").glob("*.ipynb"))
    known |= {path.resolve(): f"notebooks/{path.stem}.md" for path in notebooks}
    for path, place in known.items():
        if path.is_dir() or path.suffix == ".ipynb":
            continue
        (pages / place).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = re.sub(r"<!--.*?-->\n?", "", path.read_text(), flags=re.S)
            (pages / place).write_text(settled(text, path, Path(place), known))
        else:
            shutil.copy(path, pages / place)
    gallery_page(pages)
    told = [notebook_page(path, pages) for path in notebooks]
    of_python = python_pages(pages)
    decisions = [path for path in docs if path.parent.name == "decisions" and path.suffix == ".md"]
    others = [path for path in docs if path.parent == ROOT / "docs" and path.suffix == ".md"]
    more = [path for path in docs if path.suffix == ".md" and path not in decisions and path not in others]

    def title(path: Path) -> str:
        found = re.search(r"^# (.+)$", path.read_text(), re.M)
        return found[1] if found else path.stem

    def section(name: str, entries: list[tuple[str, str]]) -> list[str]:
        return [f"  - {json.dumps(name)}:", *(f"      - {json.dumps(words)}: {json.dumps(place)}" for words, place in entries)]

    nav = ['  - "Home": "index.md"', *section("Python", [("Start", "python/index.md"), *of_python]), *section("Notebooks", told)]
    nav += ['  - "Gallery": "gallery.md"', *section("Manual", [(title(path), str(path.relative_to(ROOT / "docs"))) for path in others + more])]
    records = [(re.sub(r"^(Decision )?\d{4}:? *", "", title(path)), path.name) for path in decisions]
    nav += section("Decisions", [(f"{name[:4]} {words}", f"decisions/{name}") for words, name in records])
    nav += section("Project", [("Changes", "changelog.md"), ("Contributing", "contributing.md")])
    (folder / "mkdocs.yml").write_text(CONFIG + "\n".join(nav) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
