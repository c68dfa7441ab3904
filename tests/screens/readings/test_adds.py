"""What each head gives a next word by itself: where it is told, where not and why, and what is said of the numbers."""

import numpy as np
import pytest

from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import here as ask
from mha.intervention.direct import Direct
from mha.screens.blocks import as_data
from mha.screens.readings import adds
from mha.screens.readings.score import SCORE_ROWS, Scored
from tests.said import texts
from tests.screens.readings.cases import DOG, case, said


def scored(here, a="it barked", b="he slept", name="continuations", margin=1.0) -> Scored:
    label = "continuations" if name == "continuations" else "link margin"
    return Scored(here.ambiguity, margin, None, SCORE_ROWS[label], Score(name, a, b), None)


def given(heads, total=1.0, words=("it", "he")) -> Direct:
    heads = np.array(heads)
    return Direct(heads, total - float(heads.sum()), total, words, (3, 5))


@pytest.mark.parametrize(
    ("a", "b", "shared", "parted"),
    [
        ("it barked", "he slept", "", ("it", "he")),
        ("the dog was hungry", "the food  was hungry", "the", ("dog", "food")),
        ("the dog", "the dog barked", None, None),
        ("the dog", "the  dog", None, None),
    ],
)
def test_two_continuations_are_compared_where_they_part(a, b, shared, parted):
    found = adds.parting("It rained.", a, b)
    if parted is None:
        assert found is None
        return
    assert found.words == parted
    assert found.text == f"It rained. {shared}".strip()


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("minilm", "Direct effects need a model that predicts the next word. MiniLM does not."),
        ("tiny-masked", "that predicts the next word. tiny-masked fills gaps instead."),
        ("tiny-encoder-decoder", "Only the encoder of tiny-encoder-decoder is shown here"),
        (
            "tiny-causal",
            "Choose continuations as the score above: direct effects compare two next words of tiny-causal.",
        ),
    ],
)
def test_every_other_model_has_a_sentence(model, told, tiny_offered):
    here = case(DOG, model=model)
    assert told in said([adds.why_not(here, scored(here, name=LINK), ask)])


def test_what_goes_on_alike_is_not_compared(tiny_offered):
    here = case(DOG, model="tiny-causal")
    assert "Both continuations never differ in their next word" in said(
        [adds.why_not(here, scored(here, "it", "it barked"), ask)]
    )
    assert adds.why_not(here, scored(here), ask) is None


def test_the_parts_of_single_words_sum_to_the_score_that_the_page_reads(tiny_offered):
    here = case(DOG, model="tiny-causal")
    score = Score("continuations", "the dog", "the food")
    (margin,) = experiments.scores(here.ambiguity.text, here.ambiguity.readings, model="tiny-causal", score=score)
    this = scored(here, "the dog", "the food", margin=margin)
    found = adds.gives(here, this, ask)
    assert found.total == pytest.approx(margin, abs=1e-4)
    blocks = adds.gives_blocks(here, this, found, np.full(found.heads.shape, 0.25), "zero")
    assert "The sum is the score above." in said(blocks)
    assert "Two single next words are compared, dog and food after the." in said(blocks)
    (bars,) = [block for column in blocks[-1].columns for block in column if block.kind == "direct_bars"]
    assert bars.rows[-1].role == "total"
    assert sum(row.gives for row in bars.rows[:-1]) == pytest.approx(found.total)
    assert {row.silenced for row in bars.rows if row.role == "head"} == {-0.25}


def test_a_score_of_several_tokens_is_not_drawn_beside():
    here = case(DOG)
    found = given([[0.5, -0.2], [0.1, 0.0]])
    blocks = adds.gives_blocks(here, scored(here, margin=7.5), found, np.ones((2, 2)), "zero")
    words = said(blocks)
    assert "L0H0 has the largest direct effect: +0.50 towards it." in words
    assert "The model prefers it by 1.00 logits: heads add +0.40 and everything else" in words
    assert "The score above, +7.50, adds up every token of both; ablation is not drawn." in words
    assert "Ring" not in words
    assert "Every head × 1,000" in words
    bars = as_data(blocks[-1].columns[0][0])
    assert all("silenced" not in row for row in bars["rows"])
    assert [row["name"] for row in bars["rows"]] == ["L0H0", "L0H1", "L1H0", "L1H1", "all else", "in all"]


def test_a_word_of_several_pieces_says_which_counts():
    here = case(DOG)
    words = said(adds.gives_blocks(here, scored(here), given([[2.0]], words=("it", "h")), None))
    assert "Of he its first piece counts, h." in words
    assert "the one head adds +2.00" in words
    assert "Every head, amber" in words


def test_nothing_at_all_is_said_as_nothing():
    here = case(DOG)
    words = texts(adds.gives_blocks(here, scored(here, margin=0.0), given([[0.0, 0.001]], total=0.0), None))
    assert "No head has a direct effect of 0.01 or more." in words
    assert "The model prefers neither word by 0.01 logits or more" in words


def test_many_heads_are_told_together():
    here = case(DOG)
    (*_, columns) = adds.gives_blocks(here, scored(here), given(np.arange(12.0).reshape(3, 4) / 9), None)
    rows = columns.columns[0][0].rows
    assert [row.name for row in rows[:6]] == ["L1H2", "L1H3", "L2H0", "L2H1", "L2H2", "L2H3"]
    assert rows[6].name == "six others"
