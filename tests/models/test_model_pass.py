"""The recorded pass is the model's pass: masks, positions, own attention, random numbers; and refusals, every time."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

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


@pytest.mark.parametrize("mask", [CAUSAL, TWO_TEXTS], ids=["causal", "two texts"])
@pytest.mark.parametrize(
    "name",
    ["LlamaForCausalLM", "GPT2Model", "BertModel", "MistralForCausalLM", "GPTNeoXModel", "ModernBertModel", "OPTModel"],
)
def test_true_in_a_mask_is_visible(name, mask):
    model = made(name)
    more = {"position_ids": torch.arange(6)[None]} if name == "OPTModel" else {}  # it counts places by the mask else
    with torch.no_grad():  # as for the model itself
        own, same = (model(IDS, attention_mask=one, **more)[0] for one in (mask, as_numbers(mask)))
    torch.testing.assert_close(own, same, atol=1e-4, rtol=1e-4)
    found = mha.record(model, input_ids=IDS, attention_mask=mask, **more)
    expected = eager(model, input_ids=IDS, attention_mask=as_numbers(mask), **more)
    np.testing.assert_allclose(found.maps.weights, expected, atol=1e-5)
    assert not found.maps.weights[..., ~mask[0, 0].numpy()].any()
    assert not found.notes


def test_masks_of_each_kind_of_layer_and_of_a_decoder():
    model = made("Gemma3ForCausalLM")
    assert model.config._attn_implementation == "sdpa"
    masks = {"full_attention": CAUSAL, "sliding_attention": TWO_TEXTS}
    found = mha.record(model, input_ids=IDS, attention_mask=masks).maps.weights
    numbers = {kind: as_numbers(mask) for kind, mask in masks.items()}
    np.testing.assert_allclose(found, eager(model, input_ids=IDS, attention_mask=numbers), atol=1e-5)
    two = made("BartModel")
    found = mha.record(two, input_ids=IDS, decoder_input_ids=IDS, decoder_attention_mask=TWO_TEXTS)
    assert not found.stacks["decoder"][..., ~TWO_TEXTS[0, 0].numpy()].any()


def test_a_mask_is_what_eager_attention_makes_of_it():
    model = made("LlamaForCausalLM")
    model.set_attn_implementation("eager")
    found = mha.record(model, input_ids=IDS, attention_mask=CAUSAL)
    np.testing.assert_allclose(found.maps.weights, eager(model, input_ids=IDS, attention_mask=CAUSAL), atol=1e-5)
    assert found.maps.weights[:, :, 0, 1:].any()
    assert found.notes[0].startswith("The mask of booleans is added to the scores, as eager attention does")


def test_true_in_a_mask_that_hides_is_noted():
    """MPT fills the scores where a mask is True."""
    sizes = {"d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 16}
    model = made(Tiny("MptForCausalLM", sizes))
    found = mha.record(model, input_ids=IDS, attention_mask=CAUSAL)
    assert not (found.maps.weights[:, :, :5] * CAUSAL[0, 0, :5].numpy()).any()
    assert found.notes == ("True in the mask of booleans hides a token in this model. Pass 0 and the lowest number.",)
    found = mha.record(model, input_ids=IDS, attention_mask=as_numbers(CAUSAL))
    assert not found.maps.weights[..., ~CAUSAL[0, 0].numpy()].any()
    assert found.notes == ()


def test_a_mask_of_a_decoder_that_is_added_is_noted():
    model = made("BartModel")
    model.set_attn_implementation("eager")
    found = mha.record(model, input_ids=IDS, decoder_input_ids=IDS, decoder_attention_mask=CAUSAL)
    assert found.notes[0].startswith("The mask of booleans is added to the scores")


@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        (
            CAUSAL[0, 0],
            r"attention_mask \[6, 6\] has 6 rows for one text\. A mask \[query, key\] is passed as mask\[None",
        ),
        ([0] * 6, "attention_mask has 1 for text and 0 for padding; this one has no 1, or negative numbers"),
        ([-1e9, 0, 0, 0, 0, 0], "has no 1, or negative numbers"),
        (CAUSAL[0], r"Most models take masks \[1, token\] or \[1, 1, query, key\]: pass attention_mask\[:, None\]"),
        ([1, 1, 1, 1], r"\. attention_mask has 4 places, the text 6 tokens"),
    ],
    ids=["query and key", "all hidden", "negative", "three axes", "short"],
)
def test_masks_of_other_forms_are_refused(mask, sentence):
    model = made("LlamaForCausalLM")
    for _ in range(2):
        with pytest.raises((InputError, AttentionUnavailable), match=sentence):
            mha.record(model, input_ids=IDS, attention_mask=mask)
        mha.record(model, input_ids=IDS)


def test_whole_numbers_are_refused_as_by_sdpa():
    model = made("LlamaForCausalLM")
    with pytest.raises(RuntimeError):
        model(IDS, attention_mask=CAUSAL.long())
    for _ in range(2):
        with pytest.raises(InputError, match=r"attention_mask \[1, 1, 6, 6\] has whole numbers, which .* \(sdpa\)"):
            mha.record(model, input_ids=IDS, attention_mask=CAUSAL.long())
        mha.record(model, input_ids=IDS)


def test_rows_without_a_visible_token_are_noted():
    mask = CAUSAL.clone()
    mask[..., :2, :] = mask[..., :2] = False
    for one in (mask, as_numbers(mask)):
        found = mha.record(made("LlamaForCausalLM"), input_ids=IDS, attention_mask=one)
        assert found.notes == (
            "The mask hides every token from the tokens at places 0, 1: their rows have no meaning.",
        )


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
    assert "hides 1 tokens inside the text; the others keep the positions" in found.notes[0]


# ---- an attention function of the model's own


def doubled(module, query, key, value, attention_mask, scaling=None, dropout=0.0, **_):
    scores = 2 * query @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    weights = (scores if attention_mask is None else scores + attention_mask).softmax(dim=-1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


@pytest.fixture
def own():
    def silent(*arguments, **options):
        return doubled(*arguments, **options)[0], None

    def wrong(*arguments, **options):
        output, weights = doubled(*arguments, **options)
        return output, weights.flip(-1)

    def one_text(*arguments, **options):
        output, weights = doubled(*arguments, **options)
        return output, weights[0]

    AttentionMaskInterface.register("test_doubled", eager_mask)
    functions = {
        "test_one_text": one_text, "test_doubled": doubled, "test_silent": silent, "test_wrong": wrong,
        "test_no_mask": doubled,
    }  # fmt: skip
    for name, function in functions.items():
        AttentionInterface.register(name, function)
    yield
    for registry in (AttentionInterface, AttentionMaskInterface):
        for name in [name for name in registry._global_mapping if "test_" in name]:
            del registry._global_mapping[name]


@pytest.mark.parametrize("name", ["GPT2Model", "BertModel", "BartModel"])
def test_a_registered_function_is_recorded_with_its_weights(name, own):
    model, weights = made(name), []
    plain = mha.record(model, input_ids=IDS).maps.weights  # a recording before changes nothing
    for function in ("test_doubled", "test_no_mask"):
        model.set_attn_implementation(function)

        def noted(*arguments, **options):
            output, shares = doubled(*arguments, **options)
            weights.append(shares.detach()[0])
            return output, shares

        AttentionInterface.register(function, noted)
        inputs = {"decoder_input_ids": IDS} if name == "BartModel" else {}
        with torch.no_grad():
            own_output = model(input_ids=IDS, **inputs)[0]
        expected = torch.stack(weights[: len(plain)]).numpy()
        found = mha.record(model, input_ids=IDS, keep=("hidden",), **inputs)
        np.testing.assert_allclose(found.maps.weights, expected, atol=1e-6)
        assert np.abs(found.maps.weights - plain).max() > 1e-2
        assert model.config._attn_implementation == function
        with torch.no_grad():
            torch.testing.assert_close(model(input_ids=IDS, **inputs)[0], own_output)
        weights.clear()
    assert name != "GPT2Model" or found.maps.weights[:, :, 0, 1:].any()  # without a mask function there is no mask
    model.set_attn_implementation("sdpa")
    np.testing.assert_array_equal(mha.record(model, input_ids=IDS).maps.weights, plain)


def test_a_registered_function_of_a_part_alone_is_recorded(own):
    sizes = {"hidden_size": 70, "num_hidden_layers": 2, "num_attention_heads": 5, "intermediate_size": 23}
    parts = [transformers.BertConfig(vocab_size=67, **sizes) for _ in range(2)]
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(
        *parts, decoder_start_token_id=1, pad_token_id=0
    )
    torch.manual_seed(7)
    model = transformers.EncoderDecoderModel(config).eval()
    plain = mha.record(model, input_ids=IDS, decoder_input_ids=IDS).stacks
    model.set_attn_implementation({"encoder": "test_doubled"})
    found = mha.record(model, input_ids=IDS, decoder_input_ids=IDS).stacks
    expected = mha.record(model.encoder, input_ids=IDS).maps.weights  # alone, its own config names the function
    np.testing.assert_allclose(found["encoder"], expected, atol=1e-6)
    assert np.abs(found["encoder"] - plain["encoder"]).max() > 1e-4
    assert model.encoder.config._attn_implementation == "test_doubled"
    assert model.decoder.config._attn_implementation == "sdpa"


def test_a_registered_function_gets_the_mask_of_booleans(own):
    def by_booleans(module, query, key, value, attention_mask, **options):
        return doubled(module, query, key, value, as_numbers(attention_mask), **options)

    AttentionInterface.register("test_doubled", by_booleans)
    model = made("LlamaForCausalLM", num_key_value_heads=6)
    model.set_attn_implementation("test_doubled")
    found = mha.record(model, input_ids=IDS, attention_mask=TWO_TEXTS)
    assert not found.maps.weights[..., ~TWO_TEXTS[0, 0].numpy()].any()
    assert found.notes == ()


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("test_one_text", "weights that one_text returns are not those of its output"),
        (
            "test_silent",
            r"attention function silent of this model returns no weights. set_attn_implementation\(\"eager\"\)",
        ),
        ("test_wrong", "weights that wrong returns are not those of its output"),
    ],
)
def test_a_function_without_its_weights_is_refused(function, sentence, own):
    model = made("GPT2LMHeadModel")
    for first in (False, True, True):
        if first:
            model.set_attn_implementation("sdpa")
            mha.record(model, input_ids=IDS)
        model.set_attn_implementation(function)
        with pytest.raises(AttentionUnavailable, match=sentence):
            mha.record(model, input_ids=IDS)
        with pytest.raises(AttentionUnavailable, match=sentence):
            mha.survey(model, input_ids=IDS)
        assert model.config._attn_implementation == function


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
        assert found.notes == (
            "ViTMAEModel draws random numbers in this pass: without torch.manual_seed() before it, another pass "
            "differs.",
        )
    assert mha.record(model, pixel_values=image, noise=torch.rand(1, 16)).notes == ()


@pytest.mark.parametrize("name", ["GPT2Model", "BertModel", "LlamaForCausalLM"])
def test_training_mode_is_the_same_pass_with_a_note(name):
    more = {"attention_dropout": 0.5} if name == "LlamaForCausalLM" else {}
    model = made(name, **more).train()
    model.set_attn_implementation("eager")
    for _ in range(2):
        torch.manual_seed(3)
        with torch.no_grad():
            states = model(IDS, output_hidden_states=True).hidden_states
        torch.manual_seed(3)
        found = mha.record(model, input_ids=IDS, keep=("hidden",))
        np.testing.assert_allclose(found.hidden, torch.cat(states).numpy(), atol=1e-5)
        np.testing.assert_allclose(found.maps.weights.sum(axis=-1), 1, atol=1e-5)
        assert "is in training mode: dropout acts in this pass" in found.notes[0]
    assert mha.record(model.eval(), input_ids=IDS).notes == ()


def test_layers_that_are_skipped_at_random_are_refused():
    model = made("BartModel", encoder_layerdrop=0.5)
    for _ in range(2):
        with pytest.raises(InputError, match=r"skips layers at random in training mode .* Call model\.eval"):
            mha.record(model.train(), input_ids=IDS)
        mha.record(model.eval(), input_ids=IDS)


# ---- positions of packed texts


@pytest.mark.parametrize("name", ["LlamaForCausalLM", "GPTNeoXModel", "MistralForCausalLM"])
def test_packed_positions_are_the_models_own_pass(name):
    model, positions = made(name), torch.tensor([[0, 1, 2, 0, 1, 2]])
    for cache, is_noted in ((None, True), (True, True), (False, False)):
        more = {} if cache is None else {"use_cache": cache}
        found = mha.record(model, input_ids=IDS, position_ids=positions, **more)
        expected = eager(model, input_ids=IDS, position_ids=positions, **more)
        np.testing.assert_allclose(found.maps.weights, expected, atol=1e-5)
        assert bool(found.maps.weights[..., 3:, :3].any()) == is_noted
        assert len(found.notes) == is_noted
        assert all(note.startswith("position_ids begin again at place 3, and later tokens") for note in found.notes)
    assert not mha.record(model, input_ids=IDS, position_ids=torch.arange(6)[None]).notes


# ---- learnt prompts


def test_a_learnt_prompt_is_noted():
    """As peft names it; the soak runs peft itself."""

    class PeftModel(torch.nn.Module):
        def __init__(self, base, is_prompt_learning):
            super().__init__()
            self.base_model, self.is_prompt_learning = base, is_prompt_learning

        @property
        def active_peft_config(self):
            kind = SimpleNamespace(value="PREFIX_TUNING")
            return SimpleNamespace(is_prompt_learning=self.is_prompt_learning, num_virtual_tokens=5, peft_type=kind)

    model = made("LlamaForCausalLM")
    for wrapped in (PeftModel(model, True), torch.nn.Sequential(PeftModel(model, True))):
        assert mha.record(wrapped, input_ids=IDS).notes == (
            "The 5 learnt prompt tokens of PeftModel (PREFIX_TUNING) are left out: all numbers are those of the model "
            "without them.",
        )
    assert mha.record(PeftModel(model, False), input_ids=IDS).notes == ()


# ---- the second time


@pytest.mark.parametrize("name", ["GPT2Model", "BertModel", "GPTNeoModel", "T5ForConditionalGeneration", "BloomModel"])
@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"attention_mask": torch.ones(1, 1, 3, 3)}, "fails on what it is given"),
        (
            {"inputs_embeds": torch.ones(1, 6, 9), "input_ids": None},
            "fails on what it is given|give decoder_input_ids too",
        ),
        ({"attention_mask": "1"}, "fails on what it is given"),
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


def test_what_the_recorder_asks_for_may_be_passed_too():
    model = made("BertModel")
    more = {"output_attentions": True, "output_hidden_states": False, "return_dict": False}
    for _ in range(2):
        found = mha.record(model, input_ids=IDS, **more)
        np.testing.assert_allclose(found.maps.weights, eager(model, input_ids=IDS), atol=1e-5)


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
    for mask in (None, torch.ones(1, 6), CAUSAL):
        for _ in range(2):
            mha.record(model, input_ids=IDS, **({} if mask is None else {"attention_mask": mask}))
    assert (len(runs), anatomy(model).checked) == (3, True)
