"""A notebook asks a running Parallax and gets what it would reckon itself."""

import inspect
import threading
import time
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
import uvicorn

import mha
from mha.api import alone, entry
from mha.api.routes import written
from mha.archive import packed, unpacked
from mha.errors import InputError, ModelUnavailable
from mha.guard.limits import Limits
from mha.models.files.loading import load
from mha.remote import Remote
from tests.browser.conftest import free_port

DOG = "Tom fed the dog because it was hungry"
READINGS = (mha.Reading("dog", (("it", "dog"),)), mha.Reading("Tom", (("it", "Tom"),)))

KIND = DOG.replace("hungry", "kind")
COPIED = "moon fish table star moon fish"
NOT_ASKED = {"progress", "floor"}  # what is called here, and what only pages know


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
    with pytest.raises(mha.InputError, match="There is no token 'cat' in this text"):
        parallax.cell(DOG, "L3H1", "cat", 3)
    with pytest.raises(mha.InputError, match="Two readings"):
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


SHARED = ("attend", "attend_many", "lean", "sweep", "preference", "patch", "follow", "ablate", "predict", "generate",
          "direct", "cell", "brought")  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
def test_a_method_takes_what_the_function_of_its_name_does(name):
    def taken(function):
        given = inspect.signature(function).parameters.values()
        return [(one.name, one.default, one.kind) for one in given if one.name not in {"self", *NOT_ASKED}]

    assert taken(getattr(Remote, name)) == taken(getattr(mha, name))
    assert f"mha.{name}" in getattr(Remote, name).__doc__ or name in ("attend_many", "lean")


def same(there, here):
    """Hold what came over HTTP against what was found here: everything in it, arrays to what batches change."""
    assert type(there) is type(here)
    if is_dataclass(here):
        for field in fields(here):
            same(getattr(there, field.name), getattr(here, field.name))
    elif isinstance(here, np.ndarray):
        assert (there.dtype, there.shape) == (here.dtype, here.shape)
        np.testing.assert_allclose(there, here, atol=1e-5)
    elif isinstance(here, dict):
        assert there.keys() == here.keys()
        for name in here:
            same(there[name], here[name])
    elif isinstance(here, tuple) and not hasattr(here, "_fields"):
        assert len(there) == len(here)
        for one, other in zip(there, here, strict=True):
            same(one, other)
    elif isinstance(here, float):
        assert there == pytest.approx(here, abs=1e-5, nan_ok=True)
    else:
        assert there == here


ASKED = {
    "a sweep": ("sweep", (DOG, READINGS, "zero"), {}),
    "a sweep elsewhere": ("sweep", (DOG, READINGS), {"at": 2}),
    "a sweep of another kind": ("sweep", (DOG, READINGS, "resample"), {"at": 1}),
    "a sweep of continuations": (
        "sweep",
        ("moon fish table", (mha.Reading("A", ((2, 0),)), mha.Reading("B", ((2, 1),)))),
        {"kind": "zero", "readout": mha.Continuations("star", "rope"), "model": "copier"},
    ),
    "a preference": ("preference", (DOG, READINGS), {"silenced": [(2, 8), "L3H1"], "kind": "uniform"}),
    "a patch": ("patch", (DOG, KIND, READINGS), {"at": 3}),
    "a patch without controls": ("patch", (DOG, KIND, READINGS), {"controls": False}),
    "a path": ("follow", (DOG, KIND, READINGS, ["L2H8"], (3, 1)), {}),
    "an ablation": ("ablate", (DOG, ["L2H8", (0, 1)]), {"keep": ["value", "hidden"]}),
    "a prediction": ("predict", (COPIED, "copier"), {"count": 3, "silenced": ["L0H0"], "each": ["L1H1", "L1H2"]}),
    "a prediction of a target": ("predict", ("apple boat candle", "reverser"), {"target": "candle"}),
    "what is written": ("generate", (COPIED, "copier", 4), {}),
    "what is drawn": ("generate", (COPIED, "copier"), {"n_tokens": 5, "seed": 3, "temperature": 2}),
    "what a translator writes": ("generate", ("apple boat candle", "reverser"), {}),
    "what heads give directly": ("direct", (COPIED, "table", "star", "copier"), {}),
    "a cell": ("cell", (DOG, "L3H1", 3, 4), {}),
    "a cell that a mask hides": ("cell", (COPIED, (1, 2), 2, 4, "copier"), {}),
    "a cell by its tokens": ("cell", (DOG, "L3H1", "it", "dog"), {}),
    "a cell of a toy": ("cell", (DOG, (0, 1), 1, 2, "toy"), {}),
    "what looks bring": ("brought", (DOG,), {}),
    "what looks bring from a source": ("brought", ("apple boat candle", "reverser"), {"stack": "cross"}),
    "maps of a target": ("attend", ("apple boat candle", "reverser", None, "candle boat", "cross"), {}),
}


@pytest.mark.parametrize(("name", "given", "more"), ASKED.values(), ids=ASKED)
def test_an_answer_is_that_of_the_notebook(url, name, given, more):
    same(getattr(mha.connect(url), name)(*given, **more), getattr(mha, name)(*given, **more))


def test_a_model_that_cannot_do_it_is_no_busy_server(url):
    parallax = mha.connect(url)
    for refused, error in (
        (lambda one: one.predict(DOG, "toy"), mha.AttentionUnavailable),
        (lambda one: one.attend(DOG, "nobody"), mha.UnknownModel),
        (lambda one: one.ablate(DOG, ["L9H0"]), mha.InputError),
        (lambda one: one.sweep(DOG, READINGS, at=9), mha.InputError),
    ):
        with pytest.raises(error) as here:
            refused(mha)
        with pytest.raises(error) as there:
            refused(parallax)
        assert type(there.value) is type(here.value)
        assert str(there.value) == str(here.value)


def test_every_method_has_its_address_in_the_document():
    document = written()
    for name in set(SHARED) - {"attend_many", "lean"}:
        said = document["paths"][f"/api/{name}"]["post"]
        schema = said["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        asked = document["components"]["schemas"][schema]["properties"]
        taken = inspect.signature(getattr(mha, name)).parameters.keys() - NOT_ASKED
        assert {"a", "b"} & asked.keys() if "readings" in taken else taken <= asked.keys(), name
        assert taken - {"readings"} <= asked.keys(), name
        assert f"mha.{name}" in said["summary"] or name == "attend"


def test_what_is_no_result_is_refused():
    for content in (b"", b"PK", packed(mha.Reading("a", ((0, 1),)))):
        with pytest.raises((ValueError, TypeError, LookupError)):
            unpacked(mha.Direct, content, 2**20)
    long = mha.Direct(np.zeros((300, 300)), 0.0, 0.0, ("a", "b"), (0, 1))
    with pytest.raises(mha.InputError, match="720,000|720,128"):
        unpacked(mha.Direct, packed(long), 2**10)


@pytest.mark.parametrize("url", ["http://localhost:abc", "http://[::1", "http://", "localhost:8501", "http://a b", 7])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError, match="Connect to an address"):
        mha.connect(url)


@pytest.mark.parametrize("said", [b"{}", b"[]", b"[" * 20_000, b"7", b"no JSON"])
def test_whoever_else_answers_is_no_parallax(monkeypatch, said):
    monkeypatch.setattr(Remote, "_ask", lambda *_: said)
    with pytest.raises(ModelUnavailable, match="is not a Parallax"):
        mha.connect("http://localhost:8501")
