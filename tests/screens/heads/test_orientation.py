"""The newcomer's line is true of every model's shape."""

from dataclasses import replace

import pytest

from mha.models.files.catalog import model_row
from mha.screens.blocks import as_text
from mha.screens.heads.orientation import orientation

MOST_WORDS = 35
WHY = "Where a head looks does not show why, or whether it matters."


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((6, 12), "See where each of MiniLM’s 72 heads looks in your sentence."),
        ((1, 2), "See where each of MiniLM’s 2 heads looks in your sentence."),
        ((1, 1), "See where the one head of MiniLM looks in your sentence."),
    ],
)
def test_the_line_counts_heads_that_there_are(shape, said):
    row = replace(model_row("minilm"), n_layers=shape[0], n_heads=shape[1])
    line = as_text(orientation(row))
    assert line == f"An attention head lets each word gather information from other words. {said} {WHY}"
    assert len(line.split()) <= MOST_WORDS


def test_a_model_that_reads_left_to_right_has_its_own():
    causal = as_text(orientation(replace(model_row("minilm"), causal=True)))
    assert causal.startswith("An attention head lets each word gather information from earlier words.")
