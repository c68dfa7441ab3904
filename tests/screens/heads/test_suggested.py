"""The line above the sentence: whose words stand there, what a link says of them, and what a click does to it."""

from dataclasses import replace

import pytest

from mha.engine.question import CAME, Arrival, Kept
from mha.link.heads import HeadsWords
from mha.link.kinds import Shape
from mha.link.link import Link
from mha.link.readings import DISMISSED, OPEN, SUGGESTED
from mha.screens.blocks import as_text
from mha.screens.heads.suggested import (
    BY_EXAMPLE,
    BY_READER,
    FROM_BEFORE,
    NAME,
    NOBODY,
    OF,
    followed,
    line,
    readings_shown,
)
from mha.screens.inputs import Press, Put, Remember
from mha.screens.places import Row
from mha.screens.readings.sentence import suggestion

CLERK = "The clerk thanked the guest because he waited"
SNOW = "Snow fell quietly in the valley"
CHOSEN = HeadsWords(pivot="6 he", a=("1 clerk",), b=("4 guest",), by=SUGGESTED)
MODELS = {"minilm": Shape("MiniLM", 6, 12)}


def asked(said):
    """Return the question, without the letters' spaces."""
    return as_text(said).replace("\u00a0", " ")


def ask_of(text=None, from_another=False):
    """Return who answers for a visit that last drew a text."""
    known = {Kept(OF): text, CAME: Arrival(from_another=from_another)}
    return known.__getitem__


def follow(own, text, before=None, from_another=False):
    """Return the words of the link that is drawn, and what was put into it for them."""
    put, steps = {}, followed(own, text, ask_of(before, from_another))
    try:
        while True:
            block = next(steps)
            assert isinstance(block, Put | Remember)
            if isinstance(block, Put):
                put[block.word] = block.value
    except StopIteration as stop:
        shown = stop.value
    own = replace(own, **{field: put[name] for field, name in NAME.items() if name in put})
    assert shown == readings_shown(own, text), "and so it opens again"
    return own, put


def presses(shown, text):
    """Return the buttons of the line by their text."""
    rows = [block for block in line(shown, text) if isinstance(block, Row)]
    return {block.text: block for row in rows for block in row.blocks if isinstance(block, Press)}


def test_what_is_suggested_is_drawn_and_stands_in_the_link():
    own, put = follow(HeadsWords(), CLERK)
    assert own == CHOSEN
    assert put == {
        "readings_pivot": "6 he", "readings_a": ("1 clerk",), "readings_b": ("4 guest",), "readings_by": SUGGESTED,
    }  # fmt: skip
    shown = readings_shown(own, CLERK)
    assert shown.by == SUGGESTED
    assert [reading.links for reading in shown.readings] == [((6, 1),), ((6, 4),)]
    assert asked(suggestion(shown.found)) == "suggested Does he refer to A clerk or B guest?"
    assert follow(CHOSEN, CLERK, CLERK) == (CHOSEN, {}), "and stays, whatever is suggested one day"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("She watched the boy with the camera", "Does with the camera go with A watched or B boy?"),
        ("I met the friend of the lawyers who was late", "Does who refer to A friend or B lawyers?"),
    ],
)
def test_each_shape_has_its_question(text, said):
    own, _ = follow(HeadsWords(), text)
    assert asked(suggestion(readings_shown(own, text).found, badge=False)) == said


def test_examples_have_their_own_and_other_sentences_none():
    telescope = "I saw the man with the telescope"
    assert follow(HeadsWords(), telescope) == (HeadsWords(), {})
    assert readings_shown(HeadsWords(), telescope).by == BY_EXAMPLE
    assert list(presses(readings_shown(HeadsWords(), telescope), telescope)) == []
    assert follow(HeadsWords(), SNOW) == (HeadsWords(), {})
    assert readings_shown(HeadsWords(), SNOW).by == NOBODY
    assert not list(line(readings_shown(HeadsWords(), SNOW), SNOW)), "no line, no gap"


def test_a_link_from_before_opens_as_it_did_and_offers_what_is_suggested_now():
    address = "?v=1&text=The+clerk+thanked+the+guest+because+he+waited"
    link, notes = Link.read(address, MODELS)
    assert (notes, link.own.from_before) == ((), True)
    assert follow(link.own, CLERK) == (link.own, {})
    shown = readings_shown(link.own, CLERK)
    assert (shown.by, shown.readings) == (FROM_BEFORE, ())
    after = link
    for act in presses(shown, CLERK)["Suggest readings"].acts:
        after = act.after(after)
    assert readings_shown(after.own, CLERK).by == SUGGESTED
    assert not Link.read(str(after), MODELS)[0].own.from_before
    assert not Link.read("?text=Dogs", MODELS)[0].own.from_before, "typed by hand, it is new"


def test_dismissing_stands_in_the_link_until_it_is_undone():
    buttons = presses(readings_shown(CHOSEN, CLERK), CLERK)
    link = Link("", own=CHOSEN).with_(text=CLERK)
    for act in buttons["Not ambiguous"].acts:
        link = act.after(link)
    assert link.own == HeadsWords(by=DISMISSED)
    assert "readings_by=not+ambiguous" in str(link)
    shown = readings_shown(link.own, CLERK)
    assert (shown.by, shown.readings) == (DISMISSED, ())
    assert follow(link.own, CLERK, CLERK)[0] == link.own
    for act in presses(shown, CLERK)["Undo"].acts:
        link = act.after(link)
    assert follow(link.own, CLERK, CLERK)[0] == CHOSEN


def test_another_text_is_asked_about_anew_and_a_choice_stays_while_its_words_do():
    assert follow(CHOSEN, SNOW, CLERK)[0] == HeadsWords()
    assert follow(HeadsWords(by=DISMISSED), f"{CLERK} long", CLERK)[0].by == SUGGESTED, "dismissed was another sentence"
    mine = replace(CHOSEN, b=("2 thanked",), by=None)
    assert follow(mine, f"{CLERK} long", CLERK) == (mine, {})
    assert readings_shown(mine, CLERK).by == BY_READER
    assert "Remove" in presses(readings_shown(mine, CLERK), CLERK)
    assert follow(CHOSEN, CLERK, SNOW, from_another=True)[0] == CHOSEN, "what came along from Two readings is kept"


def test_words_that_are_not_there_are_left_and_half_a_choice_draws_none():
    assert follow(HeadsWords(pivot="9 dog", by=SUGGESTED), CLERK)[0] == CHOSEN
    half = readings_shown(HeadsWords(pivot="6 he", a=("1 clerk",)), CLERK)
    assert (half.by, half.readings) == (OPEN, ())
