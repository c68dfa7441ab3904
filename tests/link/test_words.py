"""Every word of every page: its whole domain goes into a link and comes back; anything else gets one sentence."""

import re
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mha.link.kinds import Label, Labels, Text
from mha.link.link import Link
from mha.link.pages import PAGES, corrected
from mha.link.view import View
from mha.navigation import PAGES
from tests.link.domain import HOSTILE, MINILM, MODELS, NEVER, characters, choices, values
from tools.link_tables import TABLES

EVERY = {word.name: (page, word) for page in TABLES.values() for word in page.table()}
SENTENCE = re.compile(r"Problem in this link: (\w+) \(.+\)\. Showing .+\.", re.DOTALL)
ANY_TEXT = (Text, Label, Labels)  # only the page can say whether such a value fits


def asked(pairs) -> dict[str, list[str]]:
    return parse_qs(urlencode(pairs), keep_blank_values=True)


def page_of(name: str) -> str:
    return next((path for path, words in WORDS.items() if EVERY[name][0] is words), "")


@pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # a thread of a test before may use it meanwhile
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", TABLES)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(data=st.data())
def test_whatever_can_be_chosen_comes_back_from_its_link(name, data):
    said = data.draw(choices(TABLES[name]))
    assert TABLES[name].read(asked(said.pairs()), MINILM) == (said, ())


@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", EVERY)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_every_value_of_a_word_stands_in_a_link_as_it_is(name, data):
    _, word = EVERY[name]
    value = data.draw(values(word))
    found = word.fix(word.write(value), MINILM)
    assert found is None or (found.values == [] and not found.complaint and word.automatic)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_value_is_read_or_gets_one_sentence_and_the_default(name):
    page, word = EVERY[name]
    for value in HOSTILE:
        changes, complaints = corrected({name: [value]}, page_of(name), MODELS)
        assert len(complaints) <= 1
        if complaints:
            assert SENTENCE.fullmatch(complaints[0])[1] == name
            assert value not in changes[name]
        if value in NEVER and not isinstance(word.kind, ANY_TEXT):
            assert complaints
            assert changes[name] == []
            assert page.read({name: [value]}, MINILM)[0] == page()
        assert corrected({name: changes.get(name, [value])}, page_of(name), MODELS) == ({}, ()), "what is left is right"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", EVERY)
@settings(deadline=None, max_examples=25)
@given(said=st.lists(st.text(characters, max_size=20) | st.sampled_from(HOSTILE), min_size=1, max_size=6))
def test_c20_no_value_raises_however_often_it_stands_there(name, said):
    changes, complaints = corrected({name: said}, page_of(name), MODELS)
    assert len(complaints) <= 1
    if not EVERY[name][1].kind.many and len(set(said)) > 1:
        assert complaints or not any(said)
    assert corrected({name: changes.get(name, said)}, page_of(name), MODELS) == ({}, ())


def test_an_empty_link_says_the_defaults_and_its_words_are_each_other_s_strangers():
    for page in TABLES.values():
        assert page.read({}, MINILM) == (page(), ())
        assert page().pairs() == []
    names = [word.name for page in TABLES.values() for word in page.table()]
    assert len(EVERY) == len(set(names)) == len(names)
    assert len({word.field for word in View.table()}) == len(View.table()) == 13


def test_a_head_is_written_as_the_widgets_know_it():
    assert corrected({"pins": ["l5h3", "L5H3"]}, "", MODELS) == ({"pins": ["L5H3"]}, ())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("pin", "pins"), ("modle", "model"), ("Text", "text"), ("units_", "units"), ("readings_pivt", "readings_pivot")],
)
def test_a_word_that_was_to_be_one_of_the_page_is_said_and_taken_out(typed, meant):
    changes, complaints = corrected({typed: ["1"], "v": ["1"]}, "", MODELS)
    assert changes == {typed: []}
    assert complaints == (f"Problem in this link: “{typed}” (unknown; perhaps “{meant}” was meant). Showing the rest.",)
    assert Link.of("", {typed: ["1"]}, MODELS)[1] == complaints


def test_what_others_add_to_a_link_is_left_alone():
    added = ("utm_source", "utm_medium", "fbclid", "gclid", "mc_cid", "ref", "source", "lang", "embed", "embed_options")
    for page in PAGES:
        assert corrected({name: ["1"] for name in added}, page, MODELS) == ({}, ())


def test_a_word_of_another_page_is_left_alone():
    assert corrected({"toy_step": ["inf"], "zzz": ["1"]}, "readings", MODELS) == ({}, ())


def test_a_copied_link_that_lost_its_end_is_told_and_no_other():
    whole = {"c": ["1"], "v": ["1"], "text": ["They are hunting dogs"], "e": ["1"]}
    assert corrected(whole, "", MODELS) == ({"c": [], "e": []}, ())
    for cut in ({"c": ["1"], "v": ["1"], "text": ["They are hun"]}, whole | {"e": [""]}):
        changes, (said,) = corrected(cut, "", MODELS)
        assert said == "This link was cut off. Showing what arrived."
        assert changes == {name: [] for name in ("c", "e") if name in cut}
    for other in ({}, {"v": ["1"], "text": ["x"]}, {"v": ["1"], "e": ["1"]}):
        assert corrected(other, "", MODELS)[1] == (), "links from before, or copied from the address, have no marks"
