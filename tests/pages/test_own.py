"""Maps of the reader's own on Heads: read once, refused once, and whatever is accepted is drawn."""

import contextlib
import dataclasses
import functools
import gc
import logging

import numpy as np
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

import mha
from mha.app import errors, uploads
from mha.errors import InputError
from mha.export.heads import statistics_table
from mha.export.provenance import provenance_of
from mha.export.tables import weights_npz
from mha.link.view import View
from mha.maps import AttentionMaps, Token
from mha.screens.heads import own as screen
from mha.ui import own
from mha.views.heads import HeadsChoice, select
from mha.views.heads_file import heads_file
from tests.pages.conftest import Page
from tests.screens.heads.test_own import some, written
from tests.test_damaged import crowded


class Own(Page):
    """A visitor of Heads who has sent a file."""

    def __init__(self, content: bytes, name: str = "mine.npz", **link):
        super().__init__(**link)
        self.test.session_state[own.OPEN] = True
        self.run()
        self.test.file_uploader[0].upload(name, content, "application/octet-stream")
        self.run()


@pytest.fixture
def reads(monkeypatch):
    """Return what was read, file by file, beginning with nothing known."""
    found: list[int] = []
    read = screen.own_maps

    def noted(content: bytes):
        found.append(len(content))
        return read(content)

    own.forget()
    monkeypatch.setattr(own, "own_maps", noted)
    return found


def test_a_file_is_read_once_whatever_is_clicked(reads):
    page = Own(written(some()))
    assert page.header("overview")["layers"] == 2
    assert page.components("bar")[0]["line"] == [], "it would be about the heads of the model that was chosen"
    page.test.session_state["pins"] = ["L1H2"]
    page.run()
    assert page.header("overview")["pins"] == ["L1H2"]
    again = Own(written(some()))
    assert again.header("overview")["layers"] == 2
    assert len(reads) == 1, "another visitor's is the same file"


def test_a_refusal_is_remembered(reads):
    page = Own(crowded(5000))
    assert "mine.npz: This is not a file of saved maps" in page.said()
    (place,) = [place for place in page.test.expander if place.label == "Open your own maps"]
    assert "mine.npz: This is not a file of saved maps" in place.text[0].value, "where the file was dropped, too"
    page.run()
    again = Own(crowded(5000), "other.npz")
    assert "other.npz: This is not a file of saved maps" in again.said()
    assert again.header("overview")["layers"] == 6, "the sentence is drawn"
    assert len(reads) == 1


def test_a_file_that_is_no_longer_here_is_said_to_be(reads, monkeypatch):
    page = Own(written(some()))
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *_, **_more: [])
    page.run()
    assert uploads.GONE in page.said()
    assert errors.APOLOGY not in page.said()
    assert page.header("overview")["layers"] == 6, "the sentence is drawn"


def test_a_file_is_told_by_its_bytes_and_they_are_gone_through_once(reads, monkeypatch):
    hashed = []
    sha256 = own.hashlib.sha256
    monkeypatch.setattr(own.hashlib, "sha256", lambda content: hashed.append(len(content)) or sha256(content))
    page = Own(written(some()))
    page.run().run()
    assert len(hashed) == 1


def held(text: str) -> list[AttentionMaps]:
    """Return the maps of a text that something still holds, once files are forgotten and somebody else has come."""
    Page()
    own.forget()
    gc.unfreeze()
    gc.collect()
    return [one for one in gc.get_objects() if type(one) is AttentionMaps and one.text == text]


def test_an_open_page_keeps_the_file_and_no_maps(reads):
    maps = mha.from_arrays(np.full((2, 3, 4, 4), 0.25), list("abcd"), text="a b  c d held by nobody")
    page = Own(written(maps))
    assert page.header("overview")["layers"] == 2
    kept = maps.text
    del maps
    assert held(kept) == []


@functools.cache
def odd() -> dict[str, AttentionMaps]:
    """Return maps that are sound, but as no model makes them."""
    random = np.random.default_rng(11)

    def even(count: int, layers: int = 2, heads: int = 2) -> np.ndarray:
        return np.full((layers, heads, count, count), 1 / count, np.float32)

    def named(*names: str, **more) -> AttentionMaps:
        weights = random.dirichlet(np.ones(len(names)), size=(2, 2, len(names)))
        return mha.from_arrays(weights.astype(np.float32), names, **more)

    words = tuple(Token("w", word=3) for _ in range(4))
    back = np.tril(np.ones((1, 2, 4, 4))) / np.arange(1, 5)[:, None]
    whole, ours = some(5), mha.attend("Red apples")
    return {
        "one weight": mha.from_arrays(even(1, 1, 1), ["a"]),
        "no weight at all": mha.from_arrays(np.zeros((2, 2, 3, 3)), list("abc")),
        "one nothing": mha.from_arrays(np.zeros((1, 1, 1, 1)), ["a"]),
        "only special": named("[CLS]", "[SEP]", "[PAD]"),
        "one special": mha.from_arrays(even(1), ["[CLS]"]),
        "only marks": named(".", ",", "!"),
        "empty names": named("", "", ""),
        "spaces": named(" ", "\n", "\t", "\u00a0"),
        "control characters": named("\x00", "\x1b[31m", "\u202eabc", "\ufeff", "\u2028"),
        "markup": named("<b>x</b>", "$x$", ":red[x]", "`x`", "<script>alert(1)</script>", model="<i>$m$</i>"),
        "one name": named(*["same"] * 6),
        "a long name": named("x" * 9000, "y"),
        "letters that join": named("e\u0301", "\u0301", "🏳️\u200d🌈", "漢字", "שלום"),
        "no text": AttentionMaps(even(4), tuple(Token(f"w{n}", word=n) for n in range(4))),
        "one word": AttentionMaps(even(4), words),
        "words to and fro": AttentionMaps(even(4), tuple(Token("w", word=n % 2) for n in range(4)), units="words"),
        "words of special tokens": AttentionMaps(even(3), tuple(Token("w", word=n, special=True) for n in range(3))),
        "far apart": AttentionMaps(
            even(2), (Token("a", word=0, start=0, end=1), Token("b", word=1, start=900, end=901)), text="a" * 901
        ),
        "overlapping": AttentionMaps(
            even(3), tuple(Token("ab", word=n, start=0, end=2) for n in range(3)), text="ab", units="words"
        ),
        "back only": mha.from_arrays(back, list("abcd")),
        "said to look back": mha.from_arrays(even(4), list("abcd"), causal=True),
        "one that looks back": mha.from_arrays(np.ones((1, 1, 1, 1)), ["a"], causal=True),
        "half precision": mha.from_arrays(np.float16(even(3)), list("abc")),
        "brought": dataclasses.replace(whole, measure="brought"),
        "a second text without letters": dataclasses.replace(whole, pair=""),
        "a second text": dataclasses.replace(whole, pair="and another"),
        "the second text first": AttentionMaps(
            even(2), (Token("b", word=1, end=1, segment=1), Token("a", word=0, end=1)), text="a", pair="b"
        ),
        "two texts": mha.attend("Red apples", "toy", pair="Old pears"),
        "many heads": mha.from_arrays(even(2, 32, 32), ["a", "b"]),
        "many layers": mha.from_arrays(even(1, 1024, 1), ["a"]),
        "many tokens": mha.from_arrays(even(512, 1, 1), [f"w{n}" for n in range(512)]),
        "tiny": mha.from_arrays(np.full((1, 1, 3, 3), 1e-45, np.float32), list("abc")),
        "some heads of a model of ours": dataclasses.replace(ours, weights=ours.weights[:2, :3]),
    }


VIEWS = (
    {},
    {"units": "tokens", "sinks": "false", "lock": "0", "look": "ask", "scale": "each row"},
    {"pins": ["L0H0", "L9H9"], "lock": "1", "look": "from", "large": "true"},
    {"units": "tokens", "sinks": "false", "lock": "3", "look": "ask", "scale": "each head", "heads_table": "both"},
)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("name", "view"),
    [
        pytest.param(name, view, id=f"{name}-{way}", marks=[] if number % len(VIEWS) == way else [pytest.mark.slow])
        for number, name in enumerate(odd())
        for way, view in enumerate(VIEWS)
    ],
)
def test_whatever_is_accepted_is_drawn(name, view, caplog):
    with caplog.at_level(logging.ERROR):
        page = Own(written(odd()[name]), **view)
    assert errors.APOLOGY not in page.said(), caplog.text[-1500:]
    assert not caplog.records
    assert "Shown: the file mine.npz" in page.said()
    assert page.header("overview")["layers"] == odd()[name].n_layers


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", odd())
def test_whatever_is_accepted_can_be_taken_away(name):
    maps = screen.own_maps(written(odd()[name]))
    for words in ("words", "tokens"):
        picture = screen.own_picture(View(units=words), maps, "mine.npz")
        full = picture.shown.full
        source = provenance_of(full)
        with contextlib.suppress(InputError):  # where nothing is left beside sinks there are no numbers, and it says so
            assert statistics_table(full, source).columns
        assert heads_file(select(full, HeadsChoice(pins=picture.shown.pins, units=full.units)), source)
        assert weights_npz(full, source)
