"""The reference of the public names, written from their docstrings, and the notebook as it runs: `make docs`.

``python docs/reference.py FOLDER`` writes ``index.html``, ``mha.html`` and ``notebook.html``, which open offline.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import nbformat
import pdoc
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import mha

HERE = Path(__file__).parent
NOTEBOOK = HERE / "notebook.ipynb"
INDEX = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Parallax</title>
<h1>Parallax from a notebook</h1>
<p><a href="notebook.html">A notebook</a> as it runs, and <a href="mha.html">every public name</a> with what it takes,
returns and raises.</p>
</html>
"""


def reference(folder: Path) -> None:
    """Write what every public name is, takes, returns and raises, from its docstring."""
    for name in mha.__all__:  # pdoc reads what stands in a module, and these are loaded when they are first used
        setattr(mha, name, getattr(mha, name))
    pdoc.render.configure(docformat="google", show_source=False, footer_text=f"Parallax {mha.__version__}")
    pdoc.pdoc("mha", output_directory=folder)
    (folder / "index.html").write_text(INDEX, encoding="utf-8")


def notebook() -> nbformat.NotebookNode:
    """Return the notebook of this folder, run from top to bottom, with what it shows."""
    cells = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(cells, timeout=300, kernel_name="python3").execute()
    return cells


def rendered(cells: nbformat.NotebookNode) -> str:
    """Return a notebook as one HTML file that fetches nothing when it opens."""
    nowhere = dict.fromkeys(("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url"), "")
    html: str = HTMLExporter(**nowhere).from_notebook_node(cells)[0]
    return html


def undocumented() -> list[str]:
    """Return the public names, and the public methods and properties of public classes, that have no docstring."""
    missing = []
    for name in mha.__all__:
        value = getattr(mha, name)
        if not inspect.getdoc(value):
            missing.append(name)
        if inspect.isclass(value):
            own = {key: of for key, of in vars(value).items() if not key.startswith("_")}
            missing += [
                f"{name}.{key}"
                for key, of in own.items()
                if (callable(of) or isinstance(of, property | classmethod | staticmethod)) and not inspect.getdoc(of)
            ]
    return missing


def main() -> None:
    """Write both into the folder that is named, ``build/docs`` unless one is."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "build" / "docs")
    reference(folder)
    (folder / "notebook.html").write_text(rendered(notebook()), encoding="utf-8")
    print(folder / "index.html")


if __name__ == "__main__":
    main()
