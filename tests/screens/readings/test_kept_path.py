"""What is said of a path over swaps that keep the reading, in every case that can reach it."""

from dataclasses import replace

import pytest

from mha.intervention.calibrated import KeptPath, calibration
from mha.screens.readings.path import path_blocks
from mha.screens.readings.recorded import path_of
from tests.said import texts

KEPT = KeptPath(12, 0.07, 0.1, (0.6, 0.4, 0.8), 0.8)


def said_with(kept):
    known = calibration().of("pronoun")
    path = replace(path_of(known), kept=kept)
    return texts(path_blocks(path)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("kept", "sentence"),
    [
        (KEPT, "which keep the reading, it reproduces 60 % of a smaller shift (0.07; test pairs 0.10)."),
        (replace(KEPT, shift=0.1), "which keep the reading, it reproduces 60 % of a shift (0.10; test pairs 0.10)."),
        (replace(KEPT, share=(0.2, 0.0, 0.4)), "In 12 control swaps, which keep the reading, this path is not shown."),
    ],
)
def test_it_is_said_beside_the_path(kept, sentence):
    assert sentence in said_with(kept)


@pytest.mark.parametrize(
    ("kind", "others"),
    [("pronoun", "Any other three: 3 % at most."), ("relative clause", "50 drawn sets of three others: 7 % at most.")],
)
def test_of_other_senders_no_more_is_said_than_was_tried(kind, others):
    assert others in texts(path_blocks(path_of(calibration().of(kind)))).replace("\u00a0", " ")


def test_nothing_is_said_where_it_was_not_measured():
    assert "keep the reading" not in said_with(None)
