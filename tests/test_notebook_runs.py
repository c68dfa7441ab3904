"""The notebook of the docs is executed from top to bottom, in a kernel of its own, and shows what it says."""

import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter

from mha import outputs

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
    told = ([each.data for each in cell.outputs] for cell in cells.cells if cell.get("outputs"))
    maps, page, head, figure, size, entropy = told
    assert "All is well" in maps[0]["text/html"]
    assert "<" not in maps[0]["text/html"]
    assert list(maps[1]) == ["image/png"]
    assert sorted(page[0]) == ["image/png", "text/plain"]
    assert "parallax-page" in page[1]["text/html"]
    assert sorted(head[0]) == ["application/vnd.plotly.v1+json", "image/png", "text/plain"]
    assert sorted(figure[0]) == ["image/png", "image/svg+xml", "text/plain"]
    assert int(size[0]["text/plain"]) > 50_000
    assert "array" in entropy[0]["text/plain"]


@pytest.mark.filterwarnings(*IGNORED)
def test_a_picture_and_words_are_left_where_html_is_sanitised(cells):
    """By nbconvert's own sanitising while it writes, and by the stricter step that goes before it."""
    from nbconvert.preprocessors.sanitize import SanitizeHTML

    strict, _ = SanitizeHTML(enabled=True).preprocess(nbformat.from_dict(cells), {})
    for given in (cells, strict):
        page, _ = HTMLExporter(sanitize_html=True).from_notebook_node(nbformat.from_dict(given))
        assert page.count('src="data:image/') == 4  # of the maps, the page, the head and the figure
        assert "Where the heads of Toy" in page
        assert "<iframe" not in page
        assert "&lt;iframe srcdoc" not in page, "no source is written out as text"
        assert outputs.LEFT in page


@pytest.mark.filterwarnings(*IGNORED)
def test_the_notebook_of_the_reference_fetches_nothing(cells):
    import reference

    page = reference.rendered(cells)
    assert "All is well" in page
    assert re.findall(r"<(?:script|img|link)\b[^>]*\b(?:src|href)=\"https?:[^>]*>", page) == []
