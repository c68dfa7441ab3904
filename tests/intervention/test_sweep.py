"""The sweep that shares its prefix says what one plain forward pass for each head says."""

import numpy as np
import pytest
import torch

from mha.errors import InputError
from mha.intervention.ablation import ablate
from mha.intervention.bank import head_means
from mha.intervention.subject import subject
from mha.intervention.sweep import iter_sweep, preference, sweep
from mha.maps import HeadId, Reading
from tests.intervention.brute import PLAIN_WAYS, READINGS, ROWS, TEXT, Plain, hidden, left_on, margin, some_heads
from tests.models.tiny import THROUGH_THE_INTERFACE

EXACT = 1e-5


@pytest.fixture
def model_of(tiny, minilm):
    return lambda way: minilm if way.architecture == "MiniLM" else tiny(ROWS[way.architecture])


plain_ways = pytest.mark.parametrize("way", PLAIN_WAYS, ids=lambda way: way.architecture)


def by_brute_force(loaded, way: Plain, kind: str, at: int) -> np.ndarray:
    experiment = subject(loaded)
    n_layers, n_heads = experiment.n_layers, experiment.n_heads
    means = torch.tensor(head_means(experiment)) if kind == "mean" else None
    before = margin(loaded, TEXT, hidden(loaded, way, TEXT, {}, n_heads)[at])
    effect = np.full((n_layers, n_heads), np.nan)
    for layer in range(at):
        for head in some_heads(way, layer, n_heads):

            def silent(output, layer=layer, head=head):
                return torch.zeros_like(output) if means is None else means[layer, head].expand_as(output)

            states = hidden(loaded, way, TEXT, {(layer, head): silent}, n_heads)
            effect[layer, head] = margin(loaded, TEXT, states[at]) - before
    return effect


@pytest.mark.sampled(4)
@plain_ways
@pytest.mark.parametrize(("kind", "from_last"), [("zero", 1), ("mean", 1), ("zero", 0)])
def test_sweep_is_brute_force(way, kind, from_last, model_of):
    loaded = model_of(way)
    at = subject(loaded).n_layers - from_last
    found = sweep(TEXT, READINGS, kind, score_layer=at, model=loaded)
    expected = by_brute_force(loaded, way, kind, at)
    done = np.isfinite(expected)
    np.testing.assert_allclose(found.effect[done], expected[done], atol=EXACT, rtol=0)
    assert np.isfinite(found.effect).sum() == at * subject(loaded).n_heads
    assert np.nanmax(np.abs(expected)) > 1e-3  # something moved
    assert found.direct[at - 1].all()
    assert found.direct.sum() == subject(loaded).n_heads
    assert left_on(loaded) == []


@pytest.mark.sampled(20)
@pytest.mark.parametrize("row", THROUGH_THE_INTERFACE, ids=lambda row: row.architecture)
@pytest.mark.parametrize("kind", ["zero", "mean"])
def test_every_architecture_is_reached(row, kind, tiny):
    """Sharing a prefix changes nothing: whole recordings with a head ablated have the same hidden states."""
    loaded = tiny(row)
    found = sweep(TEXT, READINGS, kind, model=loaded)
    assert found.score_layer == max(1, subject(loaded).n_layers - 1)
    for head in (HeadId(0, 0), HeadId(0, row.n_heads - 1)):
        states = ablate(TEXT, [head], kind, model=loaded, keep=("hidden",)).hidden
        expected = margin(loaded, TEXT, states[found.score_layer]) - found.score
        assert found.effect[head] == pytest.approx(expected, abs=EXACT)
    assert np.nanmax(np.abs(found.effect)) > 0
    assert left_on(loaded) == []


def test_a_sweep_in_small_parts_is_the_same_and_can_be_left(minilm):
    whole = sweep(TEXT, READINGS, "zero", model=minilm)
    parts = list(iter_sweep(TEXT, READINGS, "zero", model=minilm, rows=7))
    assert len(parts) == 1 + -(-60 // 7)
    np.testing.assert_allclose(parts[-1].effect, whole.effect, atol=EXACT)
    early = parts[2]  # 14 heads
    assert np.isfinite(early.effect).sum() == 14
    assert early.waiting.sum() == 46
    assert (early.n_measured, early.n_planned) == (14, 60)
    assert not whole.waiting.any()
    assert np.isnan(whole.effect[5]).all()


A, B = READINGS


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"score_layer": 0}, "block output 1 to 6; you asked for 0"),
        ({"score_layer": 7}, "block output 1 to 6; you asked for 7"),
        ({"ablated": [(9, 0)]}, "heads L0H0 to L5H11; you asked for L9H0"),
        ({"ablated": [(2, 1)], "kind": "gently"}, "ablated by mean or zero; this is 'gently'"),
        ({"score": "vibes"}, "'vibes'"),
        ({"readings": (A, A)}, "Both readings join the same words"),
        ({"readings": (A, Reading("B", ((6, 40),)))}, "no word 40 in this text"),
        ({"readings": (A, Reading("B", (("I", "saw"),)))}, "'I' occurs 2 times"),
        ({"readings": (A, Reading("B", (("telescope", 6),)))}, "with itself"),
        ({"readings": (A, Reading("B", ((6, 3),), cue="beard"))}, "no word 'beard'"),
        ({"readings": (A,)}, "Two readings are compared"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(options, sentence, minilm):
    asked = {"text": TEXT, "readings": READINGS, "model": minilm} | options
    with pytest.raises(InputError, match=sentence):
        preference(**asked)
