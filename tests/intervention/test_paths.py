"""Following a path equals brute force: plain hooks before W_O and on feed-forward layers, the whole model each time."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from mha.analysis.readings import lean
from mha.errors import InputError
from mha.intervention.paths import SentOutputs, control_senders, follow
from mha.intervention.subject import subject
from mha.maps import HeadId
from mha.models.watch.attending import attend
from mha.pairs import pairs_of
from mha.stepwise import finished
from studies.forced import followed_pairs
from tests.intervention.brute import CONTRAST, PLAIN_WAYS, READINGS, ROWS, TEXT, Plain, changed, left_on, outputs
from tests.intervention.test_patching import DELICIOUS, DOG, HUNGRY
from tests.models.tiny import THROUGH_THE_INTERFACE

BERT = Plain("BertModel", "encoder.layer.{}.attention.output.dense")
FEED_FORWARD = {
    "MiniLM": "encoder.layer.{}.output.dense",
    "BertModel": "encoder.layer.{}.output.dense",
    "GPT2Model": "h.{}.mlp.c_proj",
    "LlamaForCausalLM": "layers.{}.mlp.down_proj",
    "T5ForConditionalGeneration": "block.{}.layer.1.DenseReluDense.wo",
}
EXACT = 3e-6


def by_brute_force(loaded, way, senders, receiver, directly):
    """How far the receiver's lean moves into the text, written out."""
    experiment = subject(loaded)
    shape = experiment.n_layers, experiment.n_heads
    own, other = (torch.tensor(outputs(loaded, way, text, *shape)) for text in (TEXT, CONTRAST))
    part = way.part(loaded)
    forward = [part.get_submodule(FEED_FORWARD[way.architecture].format(layer)) for layer in range(shape[0])]
    kept, handles = [], []
    for module in forward:
        handles.append(module.register_forward_hook(lambda _m, _a, output: kept.append(output.clone())))
    before = lean(attend(TEXT, loaded), READINGS)
    for handle in handles:
        handle.remove()
    changes = {head: lambda _, head=head: other[head] for head in senders}
    handles = []
    if directly:
        rest = [head for head in product(range(receiver[0]), range(shape[1])) if head not in senders]
        changes |= {head: lambda _, head=head: own[head] for head in rest}
        for layer in range(receiver[0]):
            handles.append(forward[layer].register_forward_hook(lambda _m, _a, _o, kept=kept[-shape[0] :][layer]: kept))
    try:
        with changed(loaded, way, changes, shape[1]):
            after = lean(attend(TEXT, loaded), READINGS)
    finally:
        for handle in handles:
            handle.remove()
    return before[receiver] - after[receiver]


@pytest.mark.parametrize("way", [*PLAIN_WAYS, BERT], ids=lambda way: way.architecture)
@pytest.mark.parametrize("directly", [False, True])
def test_a_path_is_brute_force(way, directly, tiny, minilm):
    loaded = minilm if way.architecture == "MiniLM" else tiny(ROWS[way.architecture])
    senders, receiver = ([(0, 1), (1, 5), (1, 8)], (3, 1)) if loaded is minilm else ([(0, 1), (0, 3)], (1, 2))
    found = follow(TEXT, CONTRAST, READINGS, senders, receiver, model=loaded, controls=False)
    expected = by_brute_force(loaded, way, senders, receiver, directly)
    assert (found.ways_directly if directly else found.ways)[0] == pytest.approx(expected, abs=EXACT)
    assert abs(expected) > 10 * EXACT  # something moved
    assert left_on(loaded) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("row", THROUGH_THE_INTERFACE, ids=lambda row: row.architecture)
def test_every_architecture_is_held_or_says_that_it_is_not(row, tiny):
    loaded = tiny(row)
    held = subject(loaded).projections
    assert left_on(loaded) == []
    if held is not None:
        assert all(subject(loaded).body.get_submodule(name).weight.ndim == 2 for name in held)
    found = follow(TEXT, CONTRAST, READINGS, ["L0H1"], "L1H2", model=loaded, controls=False)
    assert np.isfinite(found.moved)
    assert np.isfinite(found.moved_directly) == (held is not None)
    everything = [
        (0, head) for head in range(row.n_heads)
    ]  # no attention, no feed-forward: what is left are embeddings
    assert np.isfinite(follow(TEXT, CONTRAST, READINGS, everything, "L1H2", model=loaded, controls=False).moved)


def test_the_hungry_dog_follows_three_heads(minilm):
    found = follow(HUNGRY, DELICIOUS, DOG, senders=[(2, 1), (2, 3), (2, 8)], receiver=(3, 1), model=minilm)
    leans = [lean(attend(text, minilm), DOG)[3, 1] for text in (HUNGRY, DELICIOUS)]
    np.testing.assert_allclose(found.leans, leans, atol=EXACT)
    assert found.difference == pytest.approx(leans[0] - leans[1], abs=EXACT)
    assert found.share == pytest.approx(found.moved / found.difference)
    assert found.moved == pytest.approx(sum(found.ways) / 2)
    assert found.share > 0.7
    assert found.share_directly < found.share
    assert found.control.shape == (84,)  # all triples of the nine other heads
    assert np.abs(found.control / found.difference).max() < 0.2
    back = follow(DELICIOUS, HUNGRY, DOG, senders=[(2, 1), (2, 3), (2, 8)], receiver=(3, 1), model=minilm)
    assert back.share == pytest.approx(found.share, abs=1e-4)
    assert back.ways[0] == pytest.approx(-found.ways[1], abs=EXACT)


def test_pairs_one_by_one_sum_up(minilm):
    chosen = pairs_of("relative clause")[:3]
    senders = (HeadId(1, 4), HeadId(1, 8))
    differences, moved = finished(followed_pairs(subject(minilm), chosen, [SentOutputs(senders)], [HeadId(2, 4)]))
    alone = [follow(p.a, p.b, p.readings, senders, (2, 4), model=minilm, controls=False) for p in chosen]
    np.testing.assert_allclose(differences[:, 0], [one.difference for one in alone], atol=EXACT)
    np.testing.assert_allclose(moved.mean(axis=0)[:, 0, 0], [one.moved for one in alone], atol=EXACT)


def test_control_sets_are_all_there_are_or_fifty():
    senders = [HeadId(1, 0), HeadId(1, 3)]
    found = control_senders(senders, 5, senders)
    assert found == [((1, 1), (1, 2)), ((1, 1), (1, 4)), ((1, 2), (1, 4))]
    many = control_senders([HeadId(1, 4), HeadId(1, 8), HeadId(2, 8)], 12, [HeadId(1, 4), HeadId(1, 8), HeadId(2, 8)])
    assert len(set(many)) == len(many) == 50
    assert all([head.layer for head in one] == [1, 1, 2] and (2, 8) not in one for one in many)
    assert control_senders([HeadId(0, head) for head in range(3)], 5, [HeadId(0, head) for head in range(3)]) == []


@pytest.mark.parametrize(
    ("senders", "receiver", "sentence"),
    [
        ([], (3, 1), "at least one head that sends"),
        ([(2, 1), (3, 0)], (3, 1), "L3H0 cannot reach L3H1"),
        ([(2, 1)], (9, 1), "L0H0 to L5H11; you asked for L9H1"),
    ],
)
def test_what_cannot_be_followed_gets_a_sentence(senders, receiver, sentence, minilm):
    with pytest.raises(InputError, match=sentence):
        follow(HUNGRY, DELICIOUS, DOG, senders, receiver, model=minilm)


def test_no_difference_has_no_share(minilm):
    found = follow(HUNGRY, HUNGRY.replace("hungry", "Hungry"), DOG, [(2, 1)], (3, 1), model=minilm, controls=False)
    assert np.isnan(found.share)
    assert found.moved == pytest.approx(0)
