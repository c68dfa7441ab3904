"""The recorded pass is the model's pass: masks, positions, own attention, random numbers; and refusals, every time."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import AttentionInterface

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.models.watch.anatomy import anatomy
from tests.models.tiny import GPT, THE_EAGER_WAY, THROUGH_THE_INTERFACE, Tiny

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns about masks
GPT2 = Tiny("GPT2LMHeadModel", GPT | {"n_inner": 23})
ROWS = {"GPT2LMHeadModel": GPT2} | {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}
IDS = torch.tensor([[5, 6, 7, 8, 9, 11]])
CAUSAL = torch.ones(1, 1, 6, 6).tril().bool()
TWO_TEXTS = CAUSAL & torch.block_diag(torch.ones(4, 4), torch.ones(2, 2)).bool()


def made(row: Tiny | str, **more: Any) -> Any:
    row = ROWS[row] if isinstance(row, str) else row
    torch.manual_seed(7)
    config_class = getattr(transformers, row.architecture).config_class
    model = getattr(transformers, row.architecture)(config_class(**{"vocab_size": 67} | row.settings | more)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return model


def eager(model: Any, **inputs: Any) -> np.ndarray:
    own = model.config._attn_implementation
    model.set_attn_implementation("eager")
    with torch.no_grad():
        outputs = model(**inputs, output_attentions=True)
    model.set_attn_implementation(own)
    return torch.cat([layer for layer in outputs.attentions if layer is not None]).numpy()


def as_numbers(mask: torch.Tensor) -> torch.Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)


# ---- masks


@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        (CAUSAL, r"attention_mask is \[1, token\], with 1 for text and 0 for padding; other masks are not recorded"),
        (CAUSAL[0, 0], "other masks are not recorded"),
        ({"full_attention": CAUSAL}, "other masks are not recorded"),
        ([0] * 6, "attention_mask has 1 for text and 0 for padding; this one has no 1, or negative numbers"),
        ([-1e9, 0, 0, 0, 0, 0], "has no 1, or negative numbers"),
    ],
    ids=["four axes", "query and key", "kinds of layers", "all hidden", "negative"],
)
def test_masks_of_other_forms_are_refused(mask, sentence):
    model = made("LlamaForCausalLM")
    for _ in range(2):
        with pytest.raises(InputError, match=sentence):
            mha.record(model, input_ids=IDS, attention_mask=mask)
        mha.record(model, input_ids=IDS)


def test_falcon_looks_back_only():
    """With SDPA and output_attentions=True transformers 5.23 adds Falcon's mask of booleans to the scores."""
    row = ROWS["FalconModel"]
    model, other = made(row), made(row, attn_implementation="eager")
    with torch.no_grad():
        expected = torch.cat(other(IDS, output_attentions=True).attentions).numpy()
    assert model.config._attn_implementation == "sdpa"
    np.testing.assert_allclose(mha.record(model, input_ids=IDS).maps.weights, expected, atol=1e-5)
    assert not expected[..., np.triu(np.ones((6, 6), dtype=bool), 1)].any()


# ---- padding

OTHERS = {
    "RobertaModel": ROWS["RobertaModel"],
    "XGLMModel": Tiny("XGLMModel", {"d_model": 70, "num_layers": 2, "attention_heads": 5, "ffn_dim": 23}),
    "BioGptModel": Tiny(
        "BioGptModel",
        {
            "hidden_size": 70, "num_hidden_layers": 2, "num_attention_heads": 5, "intermediate_size": 23,
            "pad_token_id": 0,
        },
    ),
    "CTRLModel": Tiny("CTRLModel", {"n_embd": 70, "n_layer": 2, "n_head": 5, "dff": 23}),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["GPT2Model", "BertModel", "LlamaForCausalLM", "OPTModel", "GPTNeoModel", "BloomModel", "DebertaV2Model", *OTHERS],
)
@pytest.mark.parametrize("padding", [(3, 0), (0, 2), (2, 2)], ids=["left", "right", "both"])
def test_padding_changes_no_number(name, padding):
    model = made(OTHERS.get(name, name))
    before, after = padding
    ids, mask = (torch.nn.functional.pad(one, padding) for one in (IDS, torch.ones_like(IDS)))
    keep = ("query", "key", "value", "hidden") if ROWS.get(name) in THROUGH_THE_INTERFACE else ("hidden",)
    alone = mha.record(model, input_ids=IDS, keep=keep)
    named = [f"w{place}" for place in range(6 + before + after)]
    found = mha.record(model, input_ids=ids, attention_mask=mask, tokens=named, keep=keep)
    np.testing.assert_allclose(found.maps.weights, alone.maps.weights, atol=1e-5)
    for what in keep:
        np.testing.assert_allclose(getattr(found, what), getattr(alone, what), atol=1e-4)
    assert [token.raw for token in found.maps.tokens] == named[before : before + 6]
    assert found.notes == ()
    lists = mha.record(model, input_ids=ids[0].tolist(), attention_mask=mask[0].tolist())
    np.testing.assert_array_equal(lists.maps.weights, found.maps.weights)


def test_padding_of_a_source_that_is_its_own_target():
    for name in ("BartModel", "T5ForConditionalGeneration"):
        model = made(name)
        ids, mask = (torch.nn.functional.pad(one, (2, 1)) for one in (IDS, torch.ones_like(IDS)))
        found = mha.record(model, input_ids=ids, attention_mask=mask)
        for stack, weights in mha.record(model, input_ids=IDS).stacks.items():
            np.testing.assert_allclose(found.stacks[stack], weights, atol=1e-5)


def test_other_inputs_of_the_text_lose_the_padding_too():
    model, mask = made("BertModel"), torch.tensor([[0, 0, 1, 1, 1, 1, 1, 1]])
    ids = torch.nn.functional.pad(IDS, (2, 0))
    kinds = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1]])
    positions = torch.arange(8)[None]
    found = mha.record(model, input_ids=ids, attention_mask=mask, token_type_ids=kinds, position_ids=positions)
    expected = eager(model, input_ids=ids, attention_mask=mask, token_type_ids=kinds, position_ids=positions)
    np.testing.assert_allclose(found.maps.weights, expected[:, :, 2:, 2:], atol=1e-5)  # positions that are passed stay


def test_hidden_tokens_inside_a_text_keep_their_places():
    model, mask = made("GPT2Model"), torch.tensor([[1, 1, 0, 1, 1, 1]])
    found = mha.record(model, input_ids=IDS, attention_mask=mask, keep=("query", "hidden"))
    assert (found.query.shape[2], found.hidden.shape[1]) == (5, 5)
    rows = [0, 1, 3, 4, 5]
    expected = eager(model, input_ids=IDS, attention_mask=mask)[:, :, rows][..., rows]
    np.testing.assert_allclose(found.maps.weights, expected, atol=1e-5)


# ---- an attention function of the model's own


def test_registered_function_refused():
    model = made("GPT2LMHeadModel")
    AttentionInterface.register("test_own", AttentionInterface()["sdpa"])
    try:
        model.set_attn_implementation("test_own")
        mha.record(model, input_ids=IDS)
        AttentionInterface.register("test_own", lambda *_, **__: None)  # another one by a name that was recorded
        for look in (mha.record, mha.survey):
            with pytest.raises(AttentionUnavailable, match=r"function 'test_own', .*\. set_attn_implementation"):
                look(model, input_ids=IDS)
        model.set_attn_implementation("eager")
        mha.record(model, input_ids=IDS)
    finally:
        del AttentionInterface._global_mapping["test_own"]


# ---- random numbers


def vit(**more: Any) -> Any:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
    torch.manual_seed(7)
    return transformers.ViTMAEModel(transformers.ViTMAEConfig(**sizes, image_size=32, patch_size=8, **more)).eval()


@pytest.mark.parametrize("more", [{}, {"mask_ratio": 0.0}])
def test_a_model_that_shuffles_patches_is_recorded_in_one_random_state(more):
    model, image = vit(**more), torch.rand(1, 3, 32, 32)
    for _ in range(2):  # the first is held against eager attention
        torch.manual_seed(3)
        expected = eager(model, pixel_values=image)
        after = torch.rand(1)
        torch.manual_seed(3)
        found = mha.record(model, pixel_values=image)
        np.testing.assert_allclose(found.maps.weights, expected, atol=1e-5)
        assert torch.equal(torch.rand(1), after)


def test_training_mode_refused():
    model = made("GPT2Model")
    for _ in range(2):
        with pytest.raises(InputError, match=r"in training mode, .* Call model\.eval"):
            mha.record(model.train(), input_ids=IDS)
        mha.record(model.eval(), input_ids=IDS)


def test_learnt_prompt_refused():
    """As peft names it; the soak runs peft itself."""

    class PeftModel(torch.nn.Module):
        def __init__(self, base, is_prompt_learning):
            super().__init__()
            self.base_model, self.is_prompt_learning = base, is_prompt_learning

        @property
        def active_peft_config(self):
            return SimpleNamespace(is_prompt_learning=self.is_prompt_learning)

    model = made("LlamaForCausalLM")
    for wrapped in (PeftModel(model, True), torch.nn.Sequential(PeftModel(model, True))):
        with pytest.raises(InputError, match="has learnt prompt tokens"):
            mha.record(wrapped, input_ids=IDS)
    mha.record(PeftModel(model, False), input_ids=IDS)


# ---- the second time


@pytest.mark.parametrize("name", ["GPT2Model", "BertModel", "GPTNeoModel", "T5ForConditionalGeneration", "BloomModel"])
@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"attention_mask": torch.ones(1, 3)}, "attention_mask has 3 places, the text 6 tokens"),
        (
            {"inputs_embeds": torch.ones(1, 6, 9), "input_ids": None},
            "fails on what it is given|give decoder_input_ids too",
        ),
        ({"attention_mask": "1"}, "other masks are not recorded"),
        ({"input_ids": torch.tensor([[5, 67]])}, "knows tokens 0 to 66"),
        ({"tokens": ["a"]}, "Weights must be|There are 1 tokens"),
        ({"keep": ("colour",)}, "can keep"),
    ],
    ids=["mask", "embeddings", "text", "ids", "tokens", "keep"],
)
def test_errors_are_sentences_every_time(name, inputs, sentence):
    model = made(name)
    for is_known in (False, True, True):
        if is_known:
            mha.record(model, input_ids=IDS)
        with pytest.raises(mha.MHAError, match=sentence):
            mha.record(model, **{"input_ids": IDS} | inputs)
    mha.record(model, input_ids=IDS)


def test_modules_that_are_replaced_are_recorded():
    model = made("BertModel")
    mha.record(model, input_ids=IDS)
    other = made("BertModel", num_hidden_layers=3)
    other.embeddings = model.embeddings
    model.encoder.layer[0] = other.encoder.layer[0]
    other.encoder.layer[1] = model.encoder.layer[1]
    found = mha.record(model, input_ids=IDS)
    model.set_attn_implementation("eager")
    np.testing.assert_allclose(found.maps.weights, eager(other, input_ids=IDS)[:2], atol=1e-5)


def test_each_kind_of_input_is_held_against_eager_attention(monkeypatch):
    from mha.models.watch import recording

    model, runs = made("BertModel"), []
    compared = recording.compare
    monkeypatch.setattr(recording, "compare", lambda *given: (runs.append(1), compared(*given)))
    for mask in (None, torch.ones(1, 6), torch.ones(1, 6).long()):
        for _ in range(2):
            mha.record(model, input_ids=IDS, **({} if mask is None else {"attention_mask": mask}))
    assert (len(runs), anatomy(model).checked) == (3, True)
