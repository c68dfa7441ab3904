"""Twins keep what they should and lose what they should."""

import numpy as np
import pytest
import torch

from mha.errors import InputError
from mha.intervention.subject import in_this_thread
from mha.models.scrambled import scramble, scrambled_copy
from mha.models.watch.attending import attend, record_text
from mha.models.watch.capturing import FLAG, capturing
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


def test_a_copy_that_is_made_while_its_model_is_asked_for_its_attention_is_asked_alike(tiny):
    """The mark of transformers' hooks may be copied without them: a copy takes a while, and they come meanwhile."""
    loaded = tiny(THROUGH_THE_INTERFACE[0])
    with capturing(loaded.model):
        setattr(loaded.model, FLAG, True)
        duplicate = scrambled_copy(loaded, "scrambled", 7)
    assert record_text("the dog saw", duplicate).maps.n_layers == record_text("the dog saw", loaded).maps.n_layers


def test_a_copy_that_is_made_in_the_midst_of_a_pass_has_nothing_of_what_is_done_to_it(tiny):
    model = tiny(ROWS["BertModel"]).model
    held = [
        model.register_forward_hook(in_this_thread(lambda *_: pytest.fail("of another pass"))),
        model.register_forward_pre_hook(in_this_thread(lambda *_: pytest.fail("of another pass"))),
    ]
    try:
        duplicate = scramble(model, 1)
    finally:
        for one in held:
            one.remove()
    duplicate(input_ids=torch.tensor([[1, 2, 3]]))


def test_making_copies_leaves_the_callers_random_numbers_alone(tiny):
    model = tiny(ROWS["BertModel"]).model
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    scramble(model, 1)
    assert torch.equal(torch.rand(3), expected)


def lean(weights: np.ndarray) -> np.ndarray:
    """How much further each head joins telescope with saw than with man, special tokens set aside, [layer, head]."""
    words = weights[:, :, 1:-1, 1:-1] / weights[:, :, 1:-1, 1:-1].sum(axis=-1, keepdims=True)
    pivot, a, b = TELESCOPE_WORD - 1, SAW - 1, MAN - 1
    return (words[..., pivot, a] + words[..., a, pivot] - words[..., pivot, b] - words[..., b, pivot]) / 2


def test_a_scrambled_copy_leans_too(minilm):
    real = np.abs(lean(attend(TELESCOPE).weights)).max()
    chance = record_text(TELESCOPE, scrambled_copy(minilm, "scrambled", 1)).maps
    assert (real.round(2), np.abs(lean(chance.weights)).max().round(2)) == (0.44, 0.29)
    assert chance.origin == "scrambled twin"
    assert chance.revision.endswith("scrambled twin, seed 1")
    assert attend(TELESCOPE).origin == "pretrained"


def test_a_copy_shares_its_embeddings(minilm):
    duplicate = scrambled_copy(minilm, "scrambled", 1)
    assert duplicate.model.embeddings.word_embeddings.weight is minilm.model.embeddings.word_embeddings.weight
    assert duplicate.model.config is not minilm.model.config
    assert not duplicate.model.training


@pytest.mark.parametrize(
    ("kind", "seed", "sentence"),
    [
        ("evil", 1, "A copy is scrambled; not 'evil'"),
        ("scrambled", -1, "A seed is a whole number"),
        ("scrambled", 1.5, "A seed is a whole number"),
        ("scrambled", True, "A seed is a whole number"),
    ],
)
def test_no_other_copy(kind, seed, sentence, minilm):
    with pytest.raises(InputError, match=sentence):
        scrambled_copy(minilm, kind, seed)
