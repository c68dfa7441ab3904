"""What stands beside an answer, without a page: in every state that its numbers can be in."""

from dataclasses import replace

import numpy as np
import pytest

from mha.engine.bundled import bundled_runs
from mha.figures.named import figure
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.screens.about import truth
from mha.screens.arrays import Lines
from mha.screens.blocks import Said
from mha.screens.places import Chart
from mha.screens.questions import answers
from mha.screens.questions.answers import (
    ONE_OR_TWO,
    many_heads,
    measures,
    one_head,
    output_matrix,
    redundant,
)
from mha.screens.shown import MOST_WORDS, shown_for

ABOUT = model_row("minilm")
RUNS = [bundled_runs()[settings] for settings in ONE_OR_TWO]


def text(answer, style):
    said = [part.spans for part in answer.parts if isinstance(part, Said) and part.style == style]
    return "".join(span[1] for spans in said for span in spans)


def maps(n_words):
    weights = np.full((1, 2, n_words, n_words), 1 / n_words, dtype=np.float32)
    weights[0, 1, 1] = 0
    weights[0, 1, 1, 0] = 1
    return AttentionMaps(weights, tuple(Token(f"w{place}", word=place) for place in range(n_words)), units="words")


def test_two_heads_are_averaged_where_their_looks_differ_most():
    shown = shown_for(View(pins=(HeadId(0, 0), HeadId(0, 1))), maps(5))
    answer = many_heads(shown, ABOUT)
    assert text(answer, "caption found") == (
        "In L0H1, w1 gives 100\u00a0% of its attention to w0. Averaged with L0H0, 60\u00a0% remains."
    )
    assert any(isinstance(part, Chart) for part in answer.parts)


def test_one_pin_or_too_many_words_are_said_instead_of_drawn():
    one = shown_for(View(pins=(HeadId(0, 0),)), maps(5))
    assert "Pin two on Heads" in text(many_heads(one, ABOUT), "caption sub")
    said = text(redundant(maps(5), ABOUT), "caption found")
    assert "heads look in" in said
    assert "If every two heads differed by the average (" in said
    assert "128 words or fewer" in text(redundant(maps(MOST_WORDS + 1), ABOUT), "caption sub")


@pytest.mark.parametrize(("joint", "option"), [(0.1, 0), (0.53, 1), (0.9, 2)])
def test_what_came_true_follows_from_the_run(monkeypatch, joint, option):
    one, two = RUNS
    changed = replace(one, joint=np.full(len(one), joint))
    monkeypatch.setattr(answers, "bundled_runs", lambda: dict(zip(ONE_OR_TWO, (changed, two), strict=True)))
    answer = one_head()
    assert answer.right == option
    assert f"gets both nouns in {100 * joint:.0f}\u00a0%" in text(answer, "caption found")


def test_one_head_draws_nothing_without_the_recorded_runs(monkeypatch):
    drawn, columns = one_head().parts[1:3]
    assert set(columns) == {"model", "step", "both_nouns_right_unseen_pairs"}
    assert figure(drawn.figure, drawn.given, theme="dark").data
    monkeypatch.setattr(answers, "bundled_runs", dict)
    assert one_head().parts == ()


def test_both_arrays_of_the_last_matrix_have_one_ink():
    ((beside,), (output,)) = next(part.lines for part in output_matrix().parts if isinstance(part, Lines))
    values = np.abs([beside.values, output.values])
    assert beside.largest == output.largest == pytest.approx(values.max(), abs=1e-6)
    assert beside.split == (1,)


def test_measures_are_ranked_as_in_the_study():
    names = [measure.name for measure in truth.read_study().measures]
    answer = measures()
    assert names[0] == "resampling ablation"
    assert answer.right == 2
    assert f"{names[0]} ranks heads best by what they do" in text(answer, "caption found")
    (columns,) = (part for part in answer.parts if isinstance(part, dict))
    assert list(columns["measure"]) == names
