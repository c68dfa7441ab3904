"""Twins keep what they should and lose what they should."""

import numpy as np
import pytest
import torch

from mha.intervention.induction import scramble, scrambled_copy
from mha.models.watch.attending import attend, record_text
from tests.models.tiny import THE_EAGER_WAY, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}
TELESCOPE = "I saw the man with the telescope"
MAN, TELESCOPE_WORD, SAW = 4, 7, 2  # token positions, behind [CLS]


@pytest.mark.parametrize("architecture", ["BertModel", "GPT2Model", "LlamaForCausalLM", "T5ForConditionalGeneration"])
def test_scrambling_permutes_every_matrix_and_nothing_else(architecture, tiny):
    model = tiny(ROWS[architecture]).model
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    duplicate = scramble(model, seed=3)
    embeddings = {
        id(parameter)
        for module in duplicate.modules()
        if isinstance(module, torch.nn.Embedding)
        for parameter in module.parameters()
    }
    scrambled_names = []
    for name, parameter in duplicate.named_parameters():
        assert torch.equal(dict(model.named_parameters())[name], before[name])  # the model itself is untouched
        if parameter.ndim >= 2 and id(parameter) not in embeddings:
            assert not torch.equal(parameter, before[name]), name
            assert torch.equal(parameter.flatten().sort().values, before[name].flatten().sort().values)
            scrambled_names.append(name)
        else:
            assert torch.equal(parameter, before[name]), name
    assert scrambled_names


def test_the_same_seed_makes_the_same_copy(tiny):
    model = tiny(ROWS["BertModel"]).model
    first, again, other = (scramble(model, seed).state_dict() for seed in (5, 5, 7))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def lean(weights: np.ndarray) -> np.ndarray:
    """How much further each head joins telescope with saw than with man, special tokens set aside, [layer, head]."""
    words = weights[:, :, 1:-1, 1:-1] / weights[:, :, 1:-1, 1:-1].sum(axis=-1, keepdims=True)
    pivot, a, b = TELESCOPE_WORD - 1, SAW - 1, MAN - 1
    return (words[..., pivot, a] + words[..., a, pivot] - words[..., pivot, b] - words[..., b, pivot]) / 2


def test_a_scrambled_copy_leans_too(minilm):
    real = np.abs(lean(attend(TELESCOPE).weights)).max()
    chance = record_text(TELESCOPE, scrambled_copy(minilm, 1)).maps
    assert (real.round(2), np.abs(lean(chance.weights)).max().round(2)) == (0.44, 0.29)
    assert chance.origin == "scrambled twin"
    assert chance.revision.endswith("scrambled twin, seed 1")
    assert attend(TELESCOPE).origin == "pretrained"
