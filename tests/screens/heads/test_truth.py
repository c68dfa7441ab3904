"""Every sentence that a typed text opens with is held against the maps, for twenty-five kinds of text."""

import re

import pytest

import mha
from mha.analysis.opening import GRAMMAR_WORDS, PREPOSITIONS, PRONOUNS
from mha.analysis.roles import roles
from mha.analysis.usual import bundled, looking
from mha.examples import EXAMPLES, example_for
from mha.formats import labels, percent
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.heads.overview import overview_of
from mha.screens.shown import shown_for
from tests.screens.heads.sentences import SENTENCES, WORTH

TOGETHER = re.compile(
    r"From (.+), (L\d+H\d+) gives (.+) of its attention to (.+), and (L\d+H\d+) gives (\d+.%) to (.+)\."
)
ALONE = re.compile(r"(?:From (.+), (L\d+H\d+)|In head (L\d+H\d+), (.+)) gives (.+) of its attention to (.+)\.")
USUAL = re.compile(
    r"Usually (?:this head gives|these heads give) (\S+.%)(?: and (\S+.%))? at (?:this|these) distances?\."
)


def said(spans):
    return "".join(text for _, text in spans)


def told(sentences):
    """Return what a finding says: of each head who looks, at what, with which share."""
    both = TOGETHER.fullmatch(said(sentences[0])) if len(sentences) == 1 else None
    if both is not None:
        query, first, share, key, second, other, elsewhere = both.groups()
        return [(first, query, key, share), (second, query, elsewhere, other)]
    found = [ALONE.fullmatch(said(sentence)) for sentence in sentences]
    parts = [one.groups() for one in found if one is not None]
    return [(a or b, q or p, key, share) for q, a, b, p, share, key in parts]


@pytest.mark.parametrize("kind", SENTENCES)
def test_what_a_typed_text_opens_with_is_true_of_its_maps(kind):
    text = SENTENCES[kind]
    assert example_for(text) is None
    maps = mha.attend(text)
    shown = shown_for(View(text=text), maps)
    header = overview_of(shown, "all").header
    found = told(header["finding"])
    if not found:
        assert WORTH[kind] == "nothing"
        check_that_nothing_is_told(shown, header, " ".join(map(said, header["finding"])))
        return
    merged, habit = maps.merged(), bundled(maps)
    names = labels([merged.tokens[place] for place in shown.kept])
    usual = USUAL.search(said(header["note"]))
    assert usual, "what is usual is told beside every share"
    number = [token.word for token in merged.tokens]
    for (name, query, key, share), habitual in zip(found, usual.groups(), strict=False):
        head, at = HeadId.parse(name), (shown.kept[names.index(query)], shown.kept[names.index(key)])
        weight = float(merged[head][at])
        assert percent(weight) == share
        at_distance = float(habit.at(number[at[1]] - number[at[0]])[head])
        assert percent(at_distance) == habitual
        assert weight >= at_distance + 0.1
        assert header["looks"][head.layer * 12 + head.head][:2] == [names.index(query), names.index(key)]
    assert len({name for name, *_ in found}) == len(found)
    assert len({frozenset((query, key)) for _, query, key, _ in found}) == len(found)
    if not shown.opening.sides:  # without readings: from a word of content, pronoun or preposition to two others
        asks = found[0][1].casefold()
        assert asks in PRONOUNS | PREPOSITIONS or re.sub("[₀-₉]", "", asks) not in GRAMMAR_WORDS
        looked = {re.sub("[₀-₉]", "", key).casefold() for _, _, key, _ in found}
        assert not looked & (GRAMMAR_WORDS - PRONOUNS), "no small word"
    assert WORTH[kind] == "content"


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.readings], ids=lambda one: one.label)
def test_an_example_opens_with_connections_of_its_readings(example):
    maps = mha.attend(example.sentence)
    shown = shown_for(View(text=example.sentence), maps, example.readings)
    sentences = overview_of(shown, "all").header["finding"]
    merged, called, habit = maps.merged(), labels(maps.merged().tokens), bundled(maps)
    found = told(sentences)
    assert len(found) == 2, "each reading has its head"
    for (name, query, key, share), reading in zip(found, example.readings, strict=True):
        row, column = called.index(query), called.index(key)
        ends = {merged.tokens[row].word, merged.tokens[column].word}
        assert ends in [set(link) for link in reading.links]
        weight = float(merged[HeadId.parse(name)][row, column])
        assert share == percent(weight)
        usual = habit.at(merged.tokens[column].word - merged.tokens[row].word)[HeadId.parse(name)]
        assert weight >= usual + 0.1
        assert usual < 0.4, "a head that looks at neighbours whatever the sentence opens no example"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.label)
def test_no_example_opens_with_a_head_at_its_usual_place(example):
    maps = mha.attend(example.sentence)
    shown = shown_for(View(text=example.sentence), maps, example.readings)
    assert shown.pins
    usual = {role.head: role.usual.key for role in roles(maps)}
    number = [token.word for token in maps.merged().tokens]
    offsets = {"back": -1, "ahead": 1, "itself": 0}
    opening = shown.opening
    for head, (query, key), weight in zip(opening.heads, opening.looks, opening.weights, strict=False):
        assert offsets.get(usual[head]) != number[key] - number[query]
        assert abs(number[key] - number[query]) > 1 or weight < 0.995


def test_the_only_word_stands_alone_but_its_pieces_do_not():
    text = "Antidisestablishmentarianism"
    maps = mha.attend(text)
    (sentence,) = overview_of(shown_for(View(text=text), maps), "all").header["finding"]
    assert said(sentence) == (
        "Antidisestablishm… is the only word, so it has no other word to look at. For the model it is 8 tokens. "
        "Choose View, then tokens under Axis, to see where each token looks."
    )
    assert "under Axis" not in mha.show(maps).html, "a file has no menu"
    pieces = overview_of(shown_for(View(text=text, units="tokens"), maps), "all").header["finding"]
    assert all("of its attention to" in said(sentence) for sentence in pieces)


def check_that_nothing_is_told(shown, header, finding):
    assert shown.opening.word is None
    assert header["lock"] is None
    assert "Usually" not in said(header["note"]), "there is no look that it could be about"
    n_words = len({token.word for token in shown.full.tokens} - {None})
    assert ("has no other word to look at." in finding) == (n_words == 1)
    if "neighbours" in finding:
        shares = looking(shown.full)
        assert all(shares["neighbours"][head] >= 0.5 for head in shown.pins)
