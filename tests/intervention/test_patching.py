"""Patching equals brute force, and tells the story of the hungry dog with its numbers."""

import dataclasses

import numpy as np
import pytest
import torch

from mha.errors import InputError, NotComparable
from mha.intervention.calibrated import Floor
from mha.intervention.outcomes import NAMED_FROM
from mha.intervention.patching import iter_patch, patch
from mha.intervention.subject import subject
from mha.maps import Reading
from tests.intervention.brute import (
    CONTRAST,
    PLAIN_WAYS,
    READINGS,
    ROWS,
    TEXT,
    hidden,
    left_on,
    margin,
    outputs,
    some_heads,
)

HUNGRY = "A dog ate the food because it was hungry."
DELICIOUS = "A dog ate the food because it was delicious."
DOG = (Reading("the dog was hungry", ((6, 1),), cue=8), Reading("the food was hungry", ((6, 4),), cue=8))
EXACT = 1e-5


def by_brute_force(loaded, way, at):
    experiment = subject(loaded)
    shape = experiment.n_layers, experiment.n_heads
    pair = (TEXT, CONTRAST)
    kept = [outputs(loaded, way, text, *shape) for text in pair]
    m = [margin(loaded, text, hidden(loaded, way, text, {}, shape[1])[at]) for text in pair]
    carried = np.full(shape, np.nan)
    for layer in range(at):
        for head in some_heads(way, layer, shape[1]):
            moved = []
            for here, there in ((0, 1), (1, 0)):
                other = torch.tensor(kept[there][layer, head])
                states = hidden(loaded, way, pair[here], {(layer, head): lambda _, other=other: other}, shape[1])
                moved.append((m[here] - margin(loaded, pair[here], states[at])) / (m[here] - m[there]))
            carried[layer, head] = np.mean(moved)
    return carried


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", PLAIN_WAYS, ids=lambda way: way.architecture)
@pytest.mark.parametrize("from_last", [0, 1])
def test_patch_is_brute_force(way, from_last, tiny, minilm):
    loaded = minilm if way.architecture == "MiniLM" else tiny(ROWS[way.architecture])
    at = subject(loaded).n_layers - from_last
    found = patch(TEXT, CONTRAST, READINGS, score_layer=at, model=loaded)
    tolerance = EXACT / min(1, abs(found.separation))  # shares are margins over the separation
    expected = by_brute_force(loaded, way, at)
    done = np.isfinite(expected)
    np.testing.assert_allclose(found.carried[done], expected[done], atol=tolerance, rtol=0)
    assert np.isfinite(found.carried).sum() == at * subject(loaded).n_heads
    assert found.direct[at - 1].all()
    assert found.changed_words == (0,)
    assert left_on(loaded) == []


def test_the_hungry_dog(minilm):
    found = patch(HUNGRY, DELICIOUS, DOG, model=minilm)
    assert [str(head) for head in found.named_heads] == ["L2H1", "L2H8", "L3H1", "L2H3"]
    np.testing.assert_allclose(
        [found.carried[head] for head in found.named_heads], [0.27, 0.23, 0.15, 0.11], atol=0.005
    )
    assert np.isnan(found.carried[5]).all()
    assert np.isnan(found.control[5]).all()
    assert found.control[2].mean() == pytest.approx(0.01, abs=0.01)


def test_a_difference_smaller_than_what_any_head_does_is_not_shared_out(minilm):
    readings = (Reading("the stone was", ((6, 1),), cue=8), Reading("the window was", ((6, 4),), cue=8))
    text = "The stone broke the window because it was heavy."
    found = patch(text, text.replace("heavy", "thin"), readings, model=minilm, controls=False)
    assert abs(found.separation) < 0.002
    assert (found.carried[:4] > NAMED_FROM).sum() > 10  # parts of next to nothing
    assert found.too_close
    assert found.named_heads == ()


def test_heads_are_told_only_beyond_the_floor_and_where_both_directions_agree(minilm):
    found = patch(HUNGRY, DELICIOUS, DOG, model=minilm)
    np.testing.assert_allclose((found.into_text + found.into_changed_version) / 2, found.carried, atol=1e-12)
    low, high = (Floor(np.full(7, size), size, size, np.empty(0)) for size in (0.9, 1.1) * np.array(found.separation))
    assert found.named_beyond(high) == ()
    assert found.named_beyond(low) == tuple(head for head in found.named_heads if found.both_ways[head])
    bar = Floor(low.sizes, low.low, low.high, np.full(3, 0.2 * found.separation))  # of one head: a fifth of it
    assert found.large(bar) == tuple(head for head in found.named_heads if found.carried[head] >= 0.2)
    assert found.named_beyond(bar) == tuple(head for head in found.large(bar) if found.both_ways[head])
    assert found.left_out == found.named_heads
    assert patch(HUNGRY, DELICIOUS, DOG, model=minilm, floor=bar).left_out == found.named_beyond(bar)
    apart = dataclasses.replace(found, into_text=found.into_changed_version * 2.1)
    assert apart.named_beyond(low) == ()
    assert np.nanmax(np.abs(found.carried[~found.direct])) == pytest.approx(0.27, abs=0.002)


def test_nothing_between_equal_margins_can_be_shared_out(minilm):
    same = patch(HUNGRY, HUNGRY.replace("hungry", "Hungry"), DOG, model=minilm)  # one sentence to this model
    assert np.isnan(same.carried).all()
    assert same.separation == pytest.approx(0)
    assert same.changed_words == ()
    assert same.named_heads == ()


@pytest.mark.parametrize(
    ("contrast", "sentence"),
    [
        (HUNGRY, "is the text itself"),
        (HUNGRY.replace("hungry", "tasty"), "“hungry” is one token for this model, “tasty” two"),
        ("A dog ate the food.", "The text has 12, the changed version 8"),
        ("", "Type a sentence"),
    ],
)
def test_what_cannot_be_patched_gets_a_sentence(contrast, sentence, minilm):
    with pytest.raises(InputError, match=sentence):
        patch(HUNGRY, contrast, DOG, model=minilm)


def test_iter_patch_fills_up_and_can_be_closed(minilm):
    steps = iter_patch(HUNGRY, DELICIOUS, DOG, model=minilm, rows=7)
    empty, first, *_ = partial = list(steps)
    assert np.isnan(empty.carried).all()
    assert np.isfinite(first.carried).sum() == np.isfinite(first.into_text).sum() == first.n_measured == 7
    assert np.isnan(first.control).all()
    whole = patch(HUNGRY, DELICIOUS, DOG, model=minilm)
    for name in ("carried", "control", "into_text", "into_changed_version", "scores"):
        np.testing.assert_allclose(getattr(partial[-1], name), getattr(whole, name), atol=1e-4)
    assert partial[-1].n_measured == partial[-1].n_planned == 135
    left = iter_patch(HUNGRY, DELICIOUS, DOG, model=minilm, rows=7)
    next(left)
    next(left)
    left.close()
    assert left_on(minilm) == []


def test_causal_versions_that_differ_after_the_reading_are_not_comparable(tiny):
    loaded = tiny(ROWS["GPT2Model"])
    with pytest.raises(NotComparable, match="the changed word “hungry” comes after “dog”, “food” and “it”") as refusal:
        patch(HUNGRY, "A dog ate the food because it was strong.", DOG, model=loaded)
    assert "two continuations" in str(refusal.value)


def test_causal_versions_that_differ_before_the_ambiguous_word_are_patched(tiny):
    loaded = tiny(ROWS["GPT2Model"])
    found = patch(HUNGRY, "A dog ate the cake because it was hungry.", DOG, model=loaded, controls=False)
    assert np.isfinite(found.carried[: found.score_layer]).all()
