"""The notebook of the docs is executed from top to bottom, in a kernel of its own, and shows what it says."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "notebook.ipynb"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
def test_the_notebook_runs(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(FILE, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the file"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [cell.outputs[-1].get("data", {}) for cell in notebook.cells if cell.get("outputs")]
    assert "All is well" in shown[0]["text/html"]
    assert shown[1]["text/html"].startswith("<iframe srcdoc=")
    assert int(shown[2]["text/plain"]) > 50_000
    assert "array" in shown[3]["text/plain"]
