"""The notebook of the docs is executed from top to bottom, in a kernel of its own, and shows what it says."""

import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "notebook.ipynb"
sys.path.append(str(ROOT / "docs"))
IGNORED = ("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")


@pytest.fixture(scope="module")
def cells():
    """The notebook as it ran."""
    import reference

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        return reference.notebook()


@pytest.mark.filterwarnings(*IGNORED)
def test_the_notebook_runs(cells):
    kept = nbformat.read(FILE, as_version=4)
    assert not any(cell.get("outputs") for cell in kept.cells), "outputs are not kept in the file"
    shown = [cell.outputs[-1].get("data", {}) for cell in cells.cells if cell.get("outputs")]
    assert "All is well" in shown[0]["text/html"]
    assert shown[1]["text/html"].startswith("<iframe srcdoc=")
    assert int(shown[2]["text/plain"]) > 50_000
    assert "array" in shown[3]["text/plain"]


@pytest.mark.filterwarnings(*IGNORED)
def test_the_notebook_of_the_reference_fetches_nothing(cells):
    import reference

    page = reference.rendered(cells)
    assert "All is well" in page
    assert re.findall(r"<(?:script|img|link)\b[^>]*\b(?:src|href)=\"https?:[^>]*>", page) == []
