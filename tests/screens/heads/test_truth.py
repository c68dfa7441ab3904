"""Every sentence that a typed text opens with is held against the maps, for twenty-five kinds of text."""

import re

import pytest

import mha
from mha.analysis.habit import bundled, looking
from mha.analysis.opening import GRAMMAR_WORDS
from mha.examples import example_for
from mha.formats import labels, percent
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.heads.overview import overview_of
from mha.screens.shown import shown_for
from tests.screens.heads.sentences import SENTENCES, WORTH

FOUND = re.compile(r"From (.+), (L\d+H\d+) looks at (.+) \((.+)\), (L\d+H\d+) at (.+) \((.+)\)\.")
USUAL = re.compile(
    r"(These two heads (?:do not usually look|look) there(?: more than usual)?: )(.+) and (.+) are their habit"
)


def said(spans):
    return "".join(text for _, text in spans)


@pytest.mark.parametrize("kind", SENTENCES)
def test_what_a_typed_text_opens_with_is_true_of_its_maps(kind):
    text = SENTENCES[kind]
    assert example_for(text) is None
    maps = mha.attend(text)
    shown = shown_for(View(text=text), maps)
    header = overview_of(shown, "all").header
    finding = " ".join(said(sentence) for sentence in header["finding"])
    found = FOUND.fullmatch(finding)
    if found is None:
        assert WORTH[kind] == "nothing"
        check_that_nothing_is_told(shown, header, finding)
        return
    query, first, first_word, first_share, second, second_word, second_share = found.groups()
    merged, habit = maps.merged(), bundled(maps)
    names = labels([merged.tokens[place] for place in shown.kept])
    looker = shown.kept[names.index(query)]
    usual = USUAL.search(said(header["note"]))
    assert usual, "what is usual is told beside every look"
    for head, word, share, habitual in (
        (HeadId.parse(first), first_word, first_share, usual[2]),
        (HeadId.parse(second), second_word, second_share, usual[3]),
    ):
        place = shown.kept[names.index(word)]
        weight = float(merged[head][looker, place])
        assert percent(weight) == share
        number = [token.word for token in merged.tokens]
        at_distance = float(habit.at(number[place] - number[looker])[head])
        assert percent(at_distance) == habitual
        assert weight >= at_distance + 0.1
        assert ("do not usually" not in usual[1]) or at_distance <= 0.1
        assert header["looks"][head.layer * 12 + head.head][:2] == [names.index(query), names.index(word)]
    assert first_word != second_word
    assert first != second
    assert not {re.sub("[₀-₉]", "", word).casefold() for word in (first_word, second_word)} & GRAMMAR_WORDS
    assert WORTH[kind] == "content"


def check_that_nothing_is_told(shown, header, finding):
    assert shown.opening.query is None
    assert header["lock"] is None
    assert "habit at that distance" not in said(header["note"]), "there is no look that it could be about"
    n_words = len({token.word for token in shown.full.tokens} - {None})
    assert finding.endswith("has no other word to look at.") == (n_words == 1)
    if "neighbours" in finding:
        shares = looking(shown.full)
        assert all(shares["previous_word"][head] + shares["next_word"][head] >= 0.5 for head in shown.pins)
