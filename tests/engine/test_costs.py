"""What is expected of a question: tokens × passes of MiniLM, by which the short go before the long."""

from dataclasses import replace

import pytest

from mha.engine import answers, word_sweeps, writing
from mha.engine import queue as costs
from mha.engine.queue import LONG_COST, MINILM_SIZE, cost
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.words import words

LONG_TEXT = " ".join(["dog"] * 120)


def test_tokens_are_words_and_marks_and_one_at_each_end():
    assert cost(1, "minilm", "The dog, it barked.") == 6 + 2
    assert cost(1, "minilm", "dog", "cat barked") == 3 + 4
    assert cost(1, "minilm", None, "", "dog") == 3
    assert cost(1, "minilm") == cost(1, "minilm", None) == 0
    assert cost(1, "minilm", LONG_TEXT) == len(words(LONG_TEXT)) + 2


def test_work_is_passes_times_tokens_of_minilm():
    row = model_row("minilm")
    assert row.n_layers * (row.n_heads * row.d_head) ** 2 == MINILM_SIZE
    assert cost(5, "minilm", "The dog, it barked.", None) == 5 * 8
    assert cost(0, "minilm", LONG_TEXT) == cost(7, "minilm") == 0
    assert cost(1, "minilm", LONG_TEXT) < LONG_COST < cost(200, "minilm", LONG_TEXT)


@pytest.mark.parametrize(("layers", "heads", "width", "times"), [(12, 12, 64, 8), (6, 12, 32, 1), (1, 2, 3, 1)])
def test_a_larger_model_costs_more_and_a_smaller_one_no_less(monkeypatch, layers, heads, width, times):
    row = replace(model_row("minilm"), n_layers=layers, n_heads=heads, d_head=width)
    monkeypatch.setattr(costs, "model_row", lambda _name: row)
    assert cost(3, "of a size", "dog") == 3 * 3 * times


@pytest.mark.parametrize(
    ("asks", "passes"),
    [
        (lambda: writing.generate_text("dog", "minilm", 64, None), 64),
        (lambda: writing.record_with_target("dog", "", "minilm"), 1),
        (lambda: writing.masked("dog", "minilm"), 1),
        (lambda: word_sweeps.head_positions("dog", "minilm", HeadId(0, 0), (1,), 0), 4),
    ],
    ids=["written", "beside", "masked", "positions"],
)
def test_what_a_model_writes_counts_by_its_tokens(monkeypatch, asks, passes):
    counted, lanes, waits = [], [], []

    class Asked:
        def answer(self, question, make, cost, lane, yields_to_texts):
            counted.append(cost())
            lanes.append(lane)
            waits.append(yields_to_texts)

    monkeypatch.setattr(answers, "_answers", Asked())
    asks()
    assert counted == [cost(passes, "minilm", "dog")] != [0]
    assert lanes == ["pass" if passes == 1 else "step"], "one pass does not wait for steps of experiments"
    assert waits == [passes == 4], "effects by position wait for texts"
