"""The pages under AppTest, started from the frame, and what their components were sent."""

import functools
import json
import shutil
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from mha.assets import ASSETS
from mha.models.files.catalog import offered
from mha.views.component_data import unpacked
from tests.unsealed import unseal

FRAME = str(Path(__file__).parents[2] / "pages" / "frame.py")


class Page:
    """One visitor: open a link, do something, look at what is on the screen, and behind every button of it.

    Without a link the address is ``?v=1``, which opens the telescope sentence; ``bare=True`` opens one without
    parameters. ``at`` is the script of a page, ``state`` what the visit has in its session state before.
    """

    def __init__(self, bare=False, at="", state=(), seconds=60, **link):
        self.test = AppTest.from_file(FRAME, default_timeout=seconds)
        for name, value in ({} if bare else link or {"v": "1"}).items():
            self.test.query_params[name] = value
        for name, value in state:
            self.test.session_state[name] = value
        if at:
            self.test.switch_page(at)
        self.run()

    def run(self):
        self.test.run()
        assert not self.test.exception
        return self

    def components(self, name):
        """Return the data of every component of a name: the envelope's header and arrays, or its JSON."""
        return pictures(self.test, name)

    def header(self, name):
        (data,) = self.components(name)
        return data[0]

    def said(self):
        """Return the notices, warnings and captions, as text without escapes."""
        parts = (*self.test.text, *self.test.warning, *self.test.caption, *self.test.title)
        return "\n".join(element.value for element in parts).replace("\\", "").replace("\u2060", "")


def pictures(test, name):
    """Return the data of every component of a name: the envelope's header and arrays, or its JSON."""
    found = []
    for element in _all(test.main):
        if getattr(element, "type", "") == "bidi_component" and element.proto.component_name == f"parallax_{name}":
            content = unpacked(element.proto.bytes)
            found.append(json.loads(content) if content[3] else unseal(content))
    return found


def opened_at(script, **link):
    """Return a test of a plain page after its first run, opened by a link."""
    test = AppTest.from_file(FRAME, default_timeout=60)
    test.switch_page(script)
    for name, value in link.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


def _all(block):
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from _all(child)
        else:
            yield child


@pytest.fixture(scope="session", autouse=True)
def installed_once():
    """Let what is installed be read once: AppTest does so for each page, which costs more than the page does."""
    manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture
def visit():
    return Page


@pytest.fixture
def reverser(monkeypatch, tmp_path):
    """Offer a copy of the bundled encoder–decoder on pages, under the name "backwards"."""
    shutil.copytree(ASSETS / "reverser", tmp_path / "backwards")
    monkeypatch.setenv("PARALLAX_MODELS", str(tmp_path / "backwards"))
    offered.cache_clear()
    yield
    monkeypatch.undo()
    offered.cache_clear()
