"""Padding takes part in nothing: every way in gives the numbers of the unpadded text."""

from typing import Any

import numpy as np
import pytest
import torch

import mha
from mha.analysis.roles import PATTERNS
from mha.errors import InputError
from tests.models.test_generated import made, names, parts, t5

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns about masks

TEXTS = ["He is an uninvited guest.", "The host of the party didn't sent him the invite."]
IDS = torch.tensor([5, 6, 7, 8, 9])
MASKS = {"right": "1111100", "left": "0011111", "both": "0111110", "beyond a window": "1111100000000"}
BERT = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 37, "vocab_size": 61}
GPT = {"n_embd": 32, "n_head": 4, "n_layer": 3, "vocab_size": 61}


def bert() -> Any:
    model = made("BertModel", **BERT, max_position_embeddings=256)
    with torch.no_grad():
        model.embeddings.position_embeddings.weight.zero_()  # so that left padding moves nothing
    return model


def padded(side: str, filler: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.tensor([[int(digit) for digit in MASKS[side]]])
    ids = torch.full_like(mask, filler)
    ids[mask == 1] = IDS
    return ids, mask


def eager(model: Any, **inputs: Any) -> Any:
    with torch.no_grad():
        return model(**inputs, output_attentions=True)


def assert_equal_numbers(maps: Any, expected: Any, atol: float = 2e-6) -> None:
    np.testing.assert_allclose(maps.weights, expected.weights, atol=atol)
    assert (maps.causal, maps.kind, maps.shape) == (expected.causal, expected.kind, expected.shape)
    if maps.kind == "self":
        statistics = mha.head_statistics(expected)
        for name, values in mha.head_statistics(maps).items():
            np.testing.assert_allclose(values, statistics[name], atol=1e-4, err_msg=name)


def test_a_padded_batch_of_minilm_has_the_numbers_of_each_text(minilm):
    tokenizer, model = minilm.tokenizer, minilm.model
    model.set_attn_implementation("eager")
    try:
        batch = tokenizer(TEXTS, return_tensors="pt", padding="longest")
        outputs = eager(model, **batch)
        for item, text in enumerate(TEXTS):
            alone = tokenizer([text], return_tensors="pt")
            expected = mha.from_arrays(
                eager(model, **alone), tokenizer.convert_ids_to_tokens(alone["input_ids"][0]), text=text
            )
            raws = tokenizer.convert_ids_to_tokens(batch["input_ids"][item])
            maps = mha.from_arrays(outputs, raws, item=item, text=text)
            assert_equal_numbers(maps, expected, 1e-5)
            assert maps.tokens == expected.tokens
            for pattern in PATTERNS:
                np.testing.assert_array_equal(pattern.mask(maps), pattern.mask(expected))
    finally:
        model.set_attn_implementation("sdpa")
    inputs = tokenizer(TEXTS[:1], return_tensors="pt", padding="max_length", max_length=16)
    found = mha.record(model, **inputs, tokenizer=tokenizer, text=TEXTS[0])
    expected = mha.attend(TEXTS[0])
    assert_equal_numbers(found.maps, expected, 1e-5)
    assert found.maps.tokens == expected.tokens


@pytest.mark.sampled(5)
@pytest.mark.parametrize("side", MASKS)
@pytest.mark.parametrize(
    ("make", "pad", "filler"),
    [
        (bert, "[PAD]", 0),
        (lambda: made("LlamaForCausalLM"), "<pad>", 0),
        (lambda: made("LlamaForCausalLM"), "<|finetune_right_pad_id|>", 0),
        (lambda: made("LlamaForCausalLM"), "</s>", 2),
        (lambda: made("GPT2Model", **GPT), "<|endoftext|>", 0),
        (lambda: made("MistralForCausalLM", sliding_window=3), "</s>", 2),
        (lambda: made("MistralForCausalLM", sliding_window=3), "<pad>", 0),
        (lambda: made("Gemma2ForCausalLM", sliding_window=3, head_dim=8), "</s>", 2),
    ],
    ids=[
        "bert", "llama", "llama 3", "end as padding", "gpt-2", "window with end as padding", "window",
        "mixed layers with end as padding",
    ],
)  # fmt: skip
def test_padding_on_any_side_is_dropped(make, pad, filler, side):
    model = make()
    ids, mask = padded(side, filler)
    places = (mask.cumsum(1) - 1).clamp_min(0)
    given = {"position_ids": places} if model.config.model_type != "bert" else {}
    outputs = eager(model, input_ids=ids, attention_mask=mask, **given)
    shown = [pad if not int(visible) else f"t{number}" for number, visible in zip(ids[0], mask[0], strict=True)]
    expected = mha.from_arrays(eager(model, input_ids=IDS[None]), names(IDS))
    for more in ({}, {"attention_mask": mask}, {"attention_mask": mask[0].tolist()}):
        maps = mha.from_arrays(outputs, shown, **more)
        assert_equal_numbers(maps, expected)
        assert [token.raw for token in maps.tokens] == names(IDS)
    assert_equal_numbers(mha.from_arrays(outputs, names(IDS), attention_mask=mask), expected)
    assert_equal_numbers(mha.record(model, input_ids=ids, attention_mask=mask, **given).maps, expected)


@pytest.mark.parametrize(
    "make",
    [bert, lambda: made("MistralForCausalLM", sliding_window=3, max_position_embeddings=256)],
    ids=["bert", "window"],
)
@pytest.mark.parametrize("side", ["right", "left", "both"])
@pytest.mark.parametrize("n_tokens", [5, 131], ids=["short", "cells of three"])
def test_a_survey_is_without_padding(make, side, n_tokens):
    model = make()
    generator = torch.Generator().manual_seed(4)
    text = torch.randint(3, 60, (1, n_tokens), generator=generator)
    before, after = {"right": (0, 4), "left": (4, 0), "both": (2, 3)}[side]
    ids, mask = (torch.nn.functional.pad(one, (before, after)) for one in (text, torch.ones_like(text)))
    more = {"position_ids": (mask.cumsum(1) - 1).clamp_min(0)} if model.config.model_type != "bert" else {}
    asked = {"words": (0, n_tokens - 1), "heads": ("L1H2",)}
    found = mha.survey(model, input_ids=ids, attention_mask=mask, **asked, **more)
    alone = mha.survey(model, input_ids=text, **asked)
    assert found.tokens == alone.tokens
    np.testing.assert_allclose(found.overview, alone.overview, atol=1e-5)
    np.testing.assert_allclose(found.maps[1, 2], alone.maps[1, 2], atol=1e-5)
    for number in found.rows:
        np.testing.assert_allclose(found.rows[number], alone.rows[number], atol=1e-5)
        np.testing.assert_allclose(found.columns[number], alone.columns[number], atol=1e-5)


def test_source_and_target_of_an_encoder_and_decoder_are_without_padding():
    model = t5()
    source, mask = padded("right")
    target = torch.tensor([[0, 11, 12, 13, 0, 0]])
    seen = torch.tensor([[1, 1, 1, 1, 0, 0]])
    expected = parts(model, IDS, target[0, :4])
    for more in ({}, {"decoder_attention_mask": seen}):
        outputs = eager(model, input_ids=source, attention_mask=mask, decoder_input_ids=target, **more)
        shown = names(source[0]), names(target[0])
        crossing = mha.from_arrays(outputs, shown[1], shown[0])
        decoder = mha.from_arrays(outputs.decoder_attentions, shown[1])
        encoder = mha.from_arrays(outputs.encoder_attentions, shown[0])
        for stack, maps in (("cross", crossing), ("decoder", decoder), ("encoder", encoder)):
            np.testing.assert_allclose(maps.weights, expected[stack], atol=2e-6)
        assert [token.raw for token in decoder.tokens] == ["<pad>", "t11", "t12", "t13"]  # it begins with its padding
    found = mha.record(
        model, input_ids=source, attention_mask=mask, decoder_input_ids=target, decoder_attention_mask=seen
    )
    for stack, weights in expected.items():
        np.testing.assert_allclose(found.stacks[stack], weights, atol=2e-6)
        assert found.attention(stack).shape == weights.shape


@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        ([1, 1], r"a 1 or 0 for each of 3 columns; this one is \[2\]"),
        ([0, 0, 0], "has 0 times 1"),
        ([[1, 1, 0], [1, 0, 0]], "there are 2: pass item=0 to 1"),
        ([[1], [1, 0]], r"attention_mask is \[token\] or \[text, token\]"),
        ([1, 0, 1], "attends to tokens that attention_mask calls padding"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(mask, sentence):
    weights = np.full((1, 1, 3, 3), 1 / 3)
    with pytest.raises(InputError, match=sentence):
        mha.from_arrays(weights, list("abc"), attention_mask=mask)
