"""Gaps that are typed: a masked model fills them, others say that they do not."""

import pytest

from mha.engine import writing as engine
from mha.models.files.catalog import model_row
from mha.screens.decoder import next_word
from mha.screens.decoder.written import askable_entries
from tests.said import texts

SENTENCE = "I saw the [MASK] with the telescope"


def test_a_typed_mask_is_the_model_s_own_on_the_axis_and_its_words_are_told(tiny_offered):
    row = model_row("tiny-masked")
    assert row.predicts == "mask"
    assert next_word.n_gaps(SENTENCE, row) == 1
    assert next_word.not_filled(SENTENCE, row) == ""
    recording = engine.masked(SENTENCE, row.name)
    assert [token.text for token in recording.maps.merged().tokens][3:6] == ["the", "[MASK]", "with"]
    found = engine.predicted(SENTENCE, row.name, each=recording.maps.heads, silenced=((0, 0), (0, 1)))
    told = texts([*next_word.likely_blocks(found, next_word.title(0, 1)), *next_word.head_by_head_blocks(found, 0)])
    assert told.startswith("What fills the gap, with and without two heads")
    assert "Probability with one head ablated (the 12 of 15 with the largest effect)" in told
    assert len(found.words) == 10


def test_several_gaps_are_each_told_and_the_rest_is_counted(tiny_offered):
    text = "I [MASK] the [MASK] and the [MASK] of [MASK]"
    assert next_word.n_gaps(text, model_row("tiny-masked")) == 4
    assert next_word.left_out(4) == "Showing the first three of 4 gaps."
    assert next_word.left_out(3) == ""
    assert next_word.title(1, 2) == "What fills gap 2"
    first, second = (engine.predicted(text, "tiny-masked", mask=number) for number in (0, 1))
    assert first.place != second.place


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("minilm", "MiniLM cannot fill gaps: it has no layer that predicts words. It reads “[MASK]” as ordinary text."),
        ("copier", "Copier cannot fill gaps: it writes on."),
        ("reverser", "Reverser cannot fill gaps: it writes a text beside it."),
    ],
)
def test_a_model_that_fills_no_gaps_says_so(name, why):
    assert next_word.not_filled(SENTENCE, model_row(name)).startswith(why)
    assert next_word.not_filled("no gap", model_row(name)) == ""
    assert next_word.n_gaps(SENTENCE, model_row(name)) == 0


def test_every_kind_of_model_is_told_what_it_can_be_asked(tiny_offered):
    answers = {
        name: {entry["name"]: entry["text"] for entry in askable_entries(model_row(name))} for name in tiny_offered
    }
    assert answers["tiny-causal"]["The next word, and which head moves it"] == "yes"
    assert "put the deciding word first" in answers["tiny-causal"]["Readings decided by later words"]
    assert "type [MASK]" in answers["tiny-masked"]["The next word"]
    assert "writes one beside the text" in answers["tiny-encoder-decoder"]["The next word of a target"]
