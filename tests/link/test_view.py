"""The words of the link: every value survives the way there and back, every bad one gets a sentence."""

from urllib.parse import parse_qs, parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.link import view as permalink
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.view import View
from mha.maps import HeadId

MODELS = {"minilm": Shape("MiniLM", 6, 12), "toy": Shape("Toy", 1, 2)}


def heads(model: str) -> st.SearchStrategy[HeadId]:
    shape = MODELS[model]
    return st.builds(HeadId, st.integers(0, shape.n_layers - 1), st.integers(0, shape.n_heads - 1))


@st.composite
def views(draw: st.DrawFn) -> View:
    model = draw(st.sampled_from(sorted(MODELS)))
    return View(
        text=draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=60)),
        model=model,
        pins=draw(st.none() | st.lists(heads(model), max_size=4, unique=True).map(tuple)),
        scale=draw(st.sampled_from(permalink.SCALES)),
        units=draw(st.sampled_from(permalink.UNITS)),
        sinks=draw(st.booleans()),
        lock=draw(st.none() | st.integers(-1, permalink.MAX_POSITION)),
        look=draw(st.sampled_from(permalink.LOOKS)),
        reveal=draw(st.booleans()),
        large=draw(st.booleans()),
    )


def read(link: str) -> tuple[View, tuple[str, ...]]:
    return permalink.parse(parse_qs(link.removeprefix("?"), keep_blank_values=True), MODELS)


@given(views())
def test_every_view_comes_back_from_its_link(view):
    assert read(str(Link("", view))) == (view, ())


def test_an_empty_link_is_the_default_view_and_says_only_its_version():
    assert read("") == (View(), ())
    assert str(Link()) == "?v=1"


def test_lists_repeat_the_parameter():
    pairs = parse_qsl(str(Link("", View(pins=(HeadId(5, 3), HeadId(2, 1))))).removeprefix("?"))
    assert pairs == [("v", "1"), ("pins", "L5H3"), ("pins", "L2H1")]


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (
            "pins=L9H0",
            "Problem in this link: pins (MiniLM has heads L0H0 to L5H11, not L9H0). Showing heads picked",
        ),
        ("lock=1e9", "allowed: a whole number"),
        ("lock=512", "from 0 to 511"),
        ("units=letters", "allowed: words or tokens; got “letters”). Showing words."),
        ("sinks=maybe", "allowed: true or false; got “maybe”). Showing true."),
        ("model=../x", "allowed: minilm or toy; got “../x”). Showing minilm."),
        ("model=toy&pins=L5H3", "Toy has heads L0H0 to L0H1, not L5H3"),
        ("pins=L0H0&pins=L0H1&pins=L0H2&pins=L0H3&pins=L0H4", "at most 4 heads, not 5"),
        ("text=first&text=second", "more than once). Showing the last one."),
        ("text=" + "a" * 2001, "it has 2,001 characters, too many). Showing the first 2,000."),
        ("v=2", "this app reads 1"),
        ("reveal=2", "allowed: 1 or 0"),
    ],
)
def test_a_bad_value_gets_one_sentence_and_the_default(link, sentence):
    view, notes = read(link)
    assert len(notes) == 1
    assert sentence in notes[0]
    if "=first" not in link and "text=" not in link and not link.startswith("model=toy"):
        assert view == View()


def test_no_pins_is_a_choice_and_empty_pins_are_automatic():
    assert read("pins=none")[0].pins == ()
    assert read("pins=")[0].pins is None


def test_unknown_parameters_are_ignored():
    assert read("zzz=%3Cscript%3E&__proto__[a]=1&constructor=2") == (View(), ())


def test_the_longest_accepted_text_fits_a_link():
    assert len(str(Link("", View(text="😀" * 2000)))) <= 25_000
