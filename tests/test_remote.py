"""A notebook asks a running Parallax and gets what it would reckon itself."""

import threading
import time

import numpy as np
import pytest
import uvicorn

import mha
from mha.api import alone, entry
from mha.guard.limits import Limits
from mha.models.files.loading import load
from tests.browser.conftest import free_port

DOG = "Tom fed the dog because it was hungry"
READINGS = (mha.Reading("dog", (("it", "dog"),)), mha.Reading("Tom", (("it", "Tom"),)))


@pytest.fixture(scope="module")
def url():
    load("minilm")
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(alone.app, port=port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def test_it_gives_what_the_notebook_reckons_itself(url):
    parallax = mha.connect(url)
    maps = parallax.attend(DOG)
    np.testing.assert_allclose(maps.weights, mha.attend(DOG).weights, atol=5e-6)
    here = mha.lean(mha.attend(DOG), READINGS)
    np.testing.assert_allclose(parallax.lean(DOG, READINGS), here, atol=5e-6)
    np.testing.assert_allclose(parallax.lean(maps, READINGS), here, atol=5e-6)
    contrast = DOG.replace("hungry", "kind")
    there, own = parallax.patch(DOG, contrast, READINGS), mha.patch(DOG, contrast, READINGS)
    np.testing.assert_allclose(there.carried, own.carried, atol=1e-4)
    assert there.named == own.named
    assert there.margins == pytest.approx(own.margins, abs=1e-5)


def test_it_has_many_texts_figures_and_pages(url):
    parallax = mha.connect(url)
    first, second = parallax.attend_many([DOG, "All is well"])
    assert (first.text, second.text) == (DOG, "All is well")
    assert parallax.figure(DOG, "map", ["L3H1"], width=60).caption == mha.figure(first, "map", ["L3H1"], 60).caption
    page = parallax.page(f"http://elsewhere.example/readings?text={DOG}")
    assert page["title"] == "Two readings"
    assert DOG in str(page["link"]).replace("+", " ").replace("%20", " ")
    assert parallax.page("about")["title"] == "What can I conclude?"


def test_its_errors_are_those_of_the_notebook(url, monkeypatch):
    parallax = mha.connect(url)
    with pytest.raises(mha.InputError, match="has no words"):
        parallax.attend("…")
    with pytest.raises(mha.InputError, match="one ambiguous word"):
        parallax.lean(DOG, (mha.Reading("both", (("it", "dog"), ("Tom", "dog"))), READINGS[1]))
    with pytest.raises(mha.InputError, match="two readings"):
        parallax.lean(DOG, READINGS[:1])
    monkeypatch.setattr(entry, "TURNS", entry.ClientTurns(Limits(api_per_minute=1)))
    parallax.attend(DOG)
    with pytest.raises(mha.Busy, match="1 times a minute"):
        parallax.attend(DOG)


def test_what_is_no_parallax_is_told():
    with pytest.raises(mha.InputError, match="http://localhost:8501"):
        mha.connect("localhost")
    with pytest.raises(mha.ModelUnavailable, match="Nothing answers"):
        mha.connect(f"http://127.0.0.1:{free_port()}")
