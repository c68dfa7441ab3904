"""What the looks of the story bring: numbers of both versions, and a sentence where that cannot be told."""

import dataclasses

import pytest

from mha import brought as every_look
from mha.engine.question import here as ask
from mha.errors import AttentionUnavailable
from mha.formats import percent
from mha.screens.blocks import as_text
from mha.screens.readings.path import contributed_blocks
from mha.screens.readings.recorded import moved, shared
from tests.screens.readings.cases import DOG, case, said


@pytest.fixture(scope="module")
def dog():
    here = case(DOG)
    this = shared(here, moved(here, ask), ask)
    assert this is not None
    return this


def test_what_comes_from_the_changed_word_stands_beside_the_attention_to_it(dog):
    (more,) = contributed_blocks(dog, "minilm", ask)
    rows = list(zip(*more.blocks[1].columns.values(), strict=True))
    maps = every_look(DOG)
    at = [token.text for token in maps.maps.tokens]
    pivot, cue = at.index("it"), at.index("hungry")
    for one in dog.path.senders:
        share = maps.norms[one][pivot, cue] / maps.norms[one][pivot].sum()
        weight = float(maps.maps[one][pivot, cue])
        assert (str(one), "original", "hungry", percent(weight), percent(share)) in rows
    assert {row[2] for row in rows if row[0] == str(dog.path.receiver)} == {"dog", "food"}
    assert as_text(more.blocks[0].spans).startswith(("What it receives changes", "Attention and contribution change"))


def test_a_pivot_that_is_changed_itself_brings_itself_nothing(dog):
    contrast = dataclasses.replace(dog.ambiguity.contrast, changed=(dog.ambiguity.pivot,))
    itself = dataclasses.replace(dog, ambiguity=dataclasses.replace(dog.ambiguity, contrast=contrast))
    (more,) = contributed_blocks(itself, "minilm", ask)
    assert set(more.blocks[1].columns["Head"]) == {str(dog.path.receiver)}
    assert set(more.blocks[1].columns["Word"]) == {"dog", "food"}


def test_without_w_o_there_is_a_sentence_why(dog):
    def none(_question):
        raise AttentionUnavailable("It applies another step between its heads and W_O.")

    assert said(contributed_blocks(dog, "minilm", none)) == (
        "No contributions available: It applies another step between its heads and W_O."
    )


def test_without_a_story_nothing_is_said(dog):
    without = dataclasses.replace(dog, own=None)
    assert contributed_blocks(without, "minilm", ask) == []
