"""The bundled sentences: words that exist, contrasts that differ in one word, the sentences that must be there."""

import pytest

from mha.examples import ARITHMETIC, Example, example_for, examples
from mha.words import accept, words

WITH_READINGS = [example for example in examples() if example.readings]


def by_label(example: Example) -> str:
    return example.label


def test_the_named_sentences_are_there_and_two_of_them_are_arithmetic():
    texts = {example.text: example.kind for example in examples()}
    for text in (
        "I saw the man with the telescope",
        "The man saw an astronomer with a telescope",
        "A dog ate the food because it was hungry",
    ):
        assert texts[text] != ARITHMETIC
    assert texts["All is well"] == texts["money bank"] == ARITHMETIC
    assert all((example.kind == ARITHMETIC) == (not example.readings) for example in examples())


@pytest.mark.parametrize("example", examples(), ids=by_label)
def test_texts_are_accepted_as_they_are(example):
    assert accept(example.text).text == example.text
    assert not accept(example.text).notes


@pytest.mark.parametrize("example", WITH_READINGS, ids=by_label)
def test_the_words_of_both_readings_exist_and_the_readings_differ(example):
    count = len(words(example.text))
    first, second = example.readings
    for reading in example.readings:
        for link in reading.links:
            assert all(isinstance(word, int) and 0 <= word < count for word in link)
    assert first.links != second.links
    assert {pivot for pivot, _ in first.links} == {pivot for pivot, _ in second.links}
    assert first.name != second.name
    assert example.cue is not None
    assert 0 <= example.cue < count
    assert first.cue == second.cue == example.cue


@pytest.mark.parametrize("example", [e for e in WITH_READINGS if e.contrast], ids=by_label)
def test_a_contrast_differs_in_the_cue_and_nothing_else(example):
    assert example.contrast is not None
    here, there = words(example.text), words(example.contrast)
    assert len(here) == len(there)
    assert [number for number, pair in enumerate(zip(here, there, strict=True)) if pair[0] != pair[1]] == [example.cue]
    assert example.forces in ("A", "B")


def test_readings_say_what_the_sentence_says():
    telescope = example_for("I saw the man with the telescope.")
    assert telescope is not None
    said = words(telescope.text)
    assert [(said[pivot], said[partner]) for reading in telescope.readings for pivot, partner in reading.links] == [
        ("telescope", "saw"),
        ("telescope", "man"),
    ]
    assert telescope.sentence == "I saw the man with the telescope."
    assert words(telescope.sentence) == said


def test_a_typed_text_has_no_example():
    assert example_for("I saw the woman with the telescope") is None
    assert example_for("") is None
    well = example_for("All is well")
    assert well is not None


@pytest.mark.parametrize("example", WITH_READINGS, ids=by_label)
def test_other_words_for_the_changed_place_begin_with_the_contrasts_own(example):
    assert example.contrast is not None
    changed = [b for a, b in zip(words(example.text), words(example.contrast), strict=True) if a != b]
    assert list(example.others[:1]) == changed
