"""Every sentence that a typed text opens with is held against the maps, for twenty-five kinds of text."""

import re

import pytest

import mha
from mha.analysis.habit import bundled, looking
from mha.analysis.opening import GRAMMAR_WORDS
from mha.examples import EXAMPLES, example_for
from mha.formats import labels, percent
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.heads.overview import overview_of
from mha.screens.shown import shown_for
from tests.screens.heads.sentences import SENTENCES, WORTH

FOUND = re.compile(r"From (.+), (L\d+H\d+) looks at (.+) \((.+)\), (L\d+H\d+) at (.+) \((.+)\)\.")
USUAL = re.compile(r"On average these two heads give (.+) and (.+) at those distances\.")


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
        (HeadId.parse(first), first_word, first_share, usual[1]),
        (HeadId.parse(second), second_word, second_share, usual[2]),
    ):
        place = shown.kept[names.index(word)]
        weight = float(merged[head][looker, place])
        assert percent(weight) == share
        number = [token.word for token in merged.tokens]
        at_distance = float(habit.at(number[place] - number[looker])[head])
        assert percent(at_distance) == habitual
        assert weight >= at_distance + 0.1
        assert header["looks"][head.layer * 12 + head.head][:2] == [names.index(query), names.index(word)]
    assert first_word != second_word
    assert first != second
    assert not {re.sub("[₀-₉]", "", word).casefold() for word in (first_word, second_word)} & GRAMMAR_WORDS
    assert WORTH[kind] == "content"


IN_HEAD = re.compile(r"In head (L\d+H\d+), (.+) looks at (.+) with (.+) of its attention\.")


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.readings], ids=lambda one: one.label)
def test_an_example_opens_with_looks_of_its_readings(example):
    maps = mha.attend(example.sentence)
    shown = shown_for(View(text=example.sentence), maps, example.readings)
    sentences = overview_of(shown, "all").header["finding"]
    merged, called = maps.merged(), labels(maps.merged().tokens)
    ((pivot, _),) = example.readings[0].links
    partners = [{partner for _, partner in reading.links} for reading in example.readings]
    if len(sentences) == 1:
        query, first, one, there, second, other, elsewhere = FOUND.fullmatch(said(sentences[0])).groups()
        told = [(first, query, one, there), (second, query, other, elsewhere)]
        at, looked = [shown.opening.query] * 2, shown.opening.keys
        assert merged.tokens[at[0]].word == pivot
        assert all(merged.tokens[key].word in own for key, own in zip(looked, partners, strict=True))
    else:
        told = [IN_HEAD.fullmatch(said(sentence)).groups() for sentence in sentences]
        at, looked = [called.index(query) for _, query, _, _ in told], [called.index(key) for _, _, key, _ in told]
        assert all(merged.tokens[key].word == pivot for key in looked)
        assert all(merged.tokens[query].word in own for query, own in zip(at, partners, strict=True))
    for (head, query, key, share), row, column in zip(told, at, looked, strict=True):
        assert (query, key) == (called[row], called[column])
        assert share == percent(float(merged[HeadId.parse(head)][row, column]))


def test_the_only_word_stands_alone_but_its_pieces_do_not():
    text = "Antidisestablishmentarianism"
    maps = mha.attend(text)
    (sentence,) = overview_of(shown_for(View(text=text), maps), "all").header["finding"]
    assert said(sentence).endswith("it has no other word to look at.")
    pieces = overview_of(shown_for(View(text=text, units="tokens"), maps), "all").header["finding"]
    assert all("looks at" in said(sentence) for sentence in pieces)


def check_that_nothing_is_told(shown, header, finding):
    assert shown.opening.query is None
    assert header["lock"] is None
    assert "On average" not in said(header["note"]), "there is no look that it could be about"
    n_words = len({token.word for token in shown.full.tokens} - {None})
    assert finding.endswith("has no other word to look at.") == (n_words == 1)
    if "neighbours" in finding:
        shares = looking(shown.full)
        assert all(shares["previous_word"][head] + shares["next_word"][head] >= 0.5 for head in shown.pins)
