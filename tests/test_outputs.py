"""What ends a notebook's cell: a picture without HTML, a page behind it, and plain text at a terminal."""

import base64
import copy
import io
import re
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from nbconvert.preprocessors.sanitize import SanitizeHTML
from PIL import Image

import mha
from mha import outputs
from mha.figures.thumbnails import DENSITY, GAP, HEAD, MARGIN, png

TEXT = "All is well"


class Kernel:
    """A notebook's shell, as far as what is shown goes."""

    def __init__(self):
        self.shown = []
        self.display_pub = SimpleNamespace(publish=lambda data, metadata: self.shown.append(data))


class TerminalInteractiveShell(Kernel):
    """IPython at a terminal, by its name."""


@pytest.fixture
def shell(monkeypatch):
    found = Kernel()
    monkeypatch.setattr("IPython.get_ipython", lambda: found)
    return found


def test_maps_are_a_sentence_without_markup_and_a_picture(shell):
    maps = mha.attend("All <b>is</b> well", model="toy")
    maps._ipython_display_()
    said, picture = shell.shown
    assert "All &lt;b&gt;is&lt;/b&gt; well" in said["text/html"]
    assert "<" not in said["text/html"]
    assert list(picture) == ["image/png"]
    assert base64.b64decode(picture["image/png"]) == png(maps)


def test_a_page_is_its_picture_and_then_the_page_whose_source_a_comment_holds(shell):
    page = mha.show(mha.attend(TEXT, model="toy"))
    page._ipython_display_()
    still, live = shell.shown
    assert sorted(still) == ["image/png", "text/plain"]
    assert list(live) == ["text/html"]
    (source,) = re.findall(r"<!--([A-Za-z0-9+/=]+)-->", live["text/html"])
    assert base64.b64decode(source).decode() == page.html


@pytest.fixture
def plotly_shows(monkeypatch):
    """Set what plotly shows figures with, as it finds out by itself in a notebook."""
    import plotly.io as pio

    before = pio.renderers.default
    yield lambda name: setattr(pio.renderers, "default", name)
    pio.renderers.default = before


def test_a_head_is_plotly_s_figure_and_its_picture_in_one_output(shell, plotly_shows):
    maps = mha.attend(TEXT, model="toy")
    plotly_shows("plotly_mimetype")
    mha.head_heatmap(maps, (0, 1))._ipython_display_()
    mha.head_heatmap(maps, (0, 1)).show()
    first, second = shell.shown
    assert sorted(first) == ["application/vnd.plotly.v1+json", "image/png", "text/plain"]
    assert first == second
    assert first["text/plain"].startswith("Attention, head L0H1 of Toy")
    assert Image.open(io.BytesIO(base64.b64decode(first["image/png"]))).size > (600, 600)


def test_where_plotly_is_html_the_picture_of_a_head_comes_before_it(shell, plotly_shows):
    plotly_shows("colab")
    mha.head_heatmap(mha.attend(TEXT, model="toy"), (0, 1))._ipython_display_()
    still, live = shell.shown
    assert sorted(still) == ["image/png", "text/plain"]
    assert list(live) == ["text/html"]
    assert live["text/html"].endswith("</script>")


def test_a_figure_that_plotly_opens_in_a_browser_is_left_to_it(shell, plotly_shows, monkeypatch):
    opened = []
    monkeypatch.setattr("plotly.io.show", lambda *args, **how: opened.append(how))
    figure = mha.head_heatmap(mha.attend(TEXT, model="toy"), (0, 1))
    plotly_shows("browser")
    figure.show()
    plotly_shows("plotly_mimetype")
    figure.show(renderer="json")
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    figure.show()
    assert [how.get("renderer") for how in opened] == [None, "json", None]
    assert shell.shown == []


@pytest.mark.slow
def test_a_picture_is_left_of_all_that_a_notebook_shows_where_html_is_sanitised(shell, plotly_shows):
    """By nbconvert's own sanitising while it writes, and by the stricter step that goes before it."""
    maps = mha.attend(TEXT, model="toy")
    for way in ("plotly_mimetype", "colab", "notebook_connected", "vscode"):
        plotly_shows(way)
        for shown in (maps, mha.show(maps), mha.figure(maps, "map", ["L0H1"]), mha.head_heatmap(maps, (0, 1))):
            shell.shown.clear()
            if hasattr(shown, "_ipython_display_"):
                shown._ipython_display_()
            else:
                shell.shown.append(shown._repr_mimebundle_())
            kept = [nbformat.v4.new_output("display_data", data) for data in shell.shown]
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=kept)])
            strict, _ = SanitizeHTML(enabled=True).preprocess(copy.deepcopy(notebook), {})
            for given in (notebook, strict):
                page, _ = HTMLExporter(sanitize_html=True).from_notebook_node(given)
                assert page.count('src="data:image/') == 1, (way, type(shown))


def test_at_a_terminal_and_without_ipython_s_shell_an_object_prints_itself(monkeypatch):
    maps = mha.attend(TEXT, model="toy")
    for found in (None, TerminalInteractiveShell()):
        monkeypatch.setattr("IPython.get_ipython", lambda found=found: found)
        with pytest.raises(NotImplementedError):
            maps._ipython_display_()
        with pytest.raises(NotImplementedError):
            outputs.publish([])


def test_the_picture_has_the_names_of_its_heads_and_the_colours_of_its_cells():
    weights = np.zeros((2, 12, 3, 3), dtype=np.float32)
    weights[1, 11, 0, 2] = 1
    maps = mha.from_arrays(weights, ["a", "b", "c"])
    pixels = np.asarray(Image.open(io.BytesIO(png(maps))).convert("RGB")).astype(int)
    assert pixels.shape == ((MARGIN + 2 * (HEAD + GAP)) * DENSITY, (MARGIN + 12 * (HEAD + GAP)) * DENSITY, 3)
    edge = MARGIN * DENSITY
    ground = pixels[0, 0]
    columns = (pixels[:edge, edge:] != ground).any(axis=(0, 2)).reshape(12, -1)  # of each head's name
    assert columns.any(axis=1).all()
    assert columns[11].sum() > columns[0].sum()  # three letters for two
    rows = (pixels[edge:, :edge] != ground).any(axis=(1, 2)).reshape(2, -1)
    assert rows.any(axis=1).all()
    assert pixels.sum(axis=-1).argmin() // pixels.shape[1] in range(edge + (HEAD + GAP) * DENSITY, pixels.shape[0])
