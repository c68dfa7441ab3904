"""The steps of generate: each shape of cache gives the rows of one pass over the whole text."""

import warnings
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import mha
from mha.errors import InputError, ShapeError

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns about masks and options

PROMPT = torch.tensor([[5, 6, 7, 8, 9, 10]])
SMALL = {
    "vocab_size": 61, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 37, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
WINDOW = {"sliding_window": 4}
MIXED = {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
GPT_OSS = {
    "hidden_size": 96, "intermediate_size": 32, "head_dim": 16, "num_local_experts": 2, "num_experts_per_tok": 1,
    **MIXED,
}  # fmt: skip
SIDES = {
    "vocab_size": 61, "d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 4,
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}  # fmt: skip


def made(architecture: str, **settings: Any) -> Any:
    """Return a random model whose attention is far from even."""
    torch.manual_seed(3)
    model_class = getattr(transformers, architecture)
    model = model_class(model_class.config_class(**(SMALL | settings)))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    model.set_attn_implementation("eager")
    return model.eval()


def llama(**settings: Any) -> Any:
    return made("LlamaForCausalLM", **settings)


def t5() -> Any:
    return made("T5ForConditionalGeneration", **SIDES)


def written(model: Any, ids: Any = PROMPT, **options: Any) -> Any:
    asked = {"max_new_tokens": 5, "do_sample": False, "eos_token_id": None}
    asked |= {"output_attentions": True, "return_dict_in_generate": True}
    with torch.no_grad():
        return model.generate(ids, **(asked | options))


def names(ids: torch.Tensor) -> list[str]:
    """Return a name for each id of one sequence; 0 is padding, 2 ends a text."""
    return [{0: "<pad>", 2: "</s>"}.get(int(number), f"t{number}") for number in ids]


def whole(model: Any, ids: torch.Tensor) -> np.ndarray:
    """Return what one pass over a sequence gives, [layer, head, query, key]."""
    with torch.no_grad():
        return torch.cat(model(ids[None], output_attentions=True).attentions).numpy()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("length", [2, 3, 4, 6, 9], ids=lambda length: f"prompt {length}")
@pytest.mark.parametrize("options", [{}, {"cache_implementation": "static"}, {"use_cache": False}], ids=str)
@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("LlamaForCausalLM", {}),
        ("MistralForCausalLM", WINDOW),
        ("Qwen2ForCausalLM", WINDOW | {"use_sliding_window": True, "max_window_layers": 1}),
        ("Gemma2ForCausalLM", WINDOW | {"head_dim": 8}),
        ("Gemma3ForCausalLM", WINDOW | MIXED | {"head_dim": 8}),
        ("GptOssForCausalLM", WINDOW | GPT_OSS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_steps_of_every_cache_are_rows_of_one_pass(architecture, settings, options, length):
    model = made(architecture, **settings)
    outputs = written(model, torch.arange(5, 5 + length)[None], **options)
    ids = outputs.sequences[0]
    maps = mha.from_generate(outputs, names(ids))
    np.testing.assert_allclose(maps.weights, whole(model, ids[:-1]), atol=2e-5)  # experts round in another order
    assert (maps.kind, maps.causal, len(maps.tokens)) == ("self", True, length + 4)


@pytest.mark.parametrize("options", [{"num_beams": 3}, {"num_beams": 3, "use_cache": False}], ids=str)
@pytest.mark.parametrize("sequences", [1, 3])
def test_beams_are_followed_to_the_rows_of_one_sequence(sequences, options):
    model = llama()
    ids = torch.cat([PROMPT, PROMPT.flip(1)])
    outputs = written(model, ids, num_return_sequences=sequences, **options)
    for item, sequence in enumerate(outputs.sequences):
        maps = mha.from_generate(outputs, names(sequence), item=item)
        np.testing.assert_allclose(maps.weights, whole(model, sequence[:-1]), atol=2e-6)
    with pytest.raises(ShapeError, match=f"item=0 to {2 * sequences - 1}"):
        mha.from_generate(outputs, names(outputs.sequences[0]))


def test_a_beam_that_ended_early_has_the_rows_up_to_its_end():
    model = llama()
    outputs = written(model, torch.cat([PROMPT, PROMPT.flip(1)]), num_beams=4, num_return_sequences=4,
                      max_new_tokens=12, eos_token_id=list(range(2, 30)))  # fmt: skip
    lengths = {int((indices >= 0).sum()) for indices in outputs.beam_indices}
    assert len(lengths) > 1
    for item, sequence in enumerate(outputs.sequences):
        maps = mha.from_generate(outputs, [f"t{number}" for number in sequence], item=item)
        n_tokens = 6 + int((outputs.beam_indices[item] >= 0).sum()) - 1
        np.testing.assert_allclose(maps.weights, whole(model, sequence[:n_tokens]), atol=2e-6)


def test_one_of_several_sampled_sequences_is_chosen():
    model = llama()
    torch.manual_seed(1)
    outputs = written(model, do_sample=True, num_return_sequences=3)
    for item, sequence in enumerate(outputs.sequences):
        maps = mha.from_generate(outputs, names(sequence), item=item)
        np.testing.assert_allclose(maps.weights, whole(model, sequence[:-1]), atol=2e-6)


@pytest.mark.parametrize("settings", [{}, WINDOW], ids=["full", "window"])
def test_rows_of_assisted_decoding_are_refused(settings):
    """transformers returns rows of the prompt for the first tokens that an assistant proposes."""
    model, assistant = (made("MistralForCausalLM", **settings) for _ in range(2))
    outputs = written(model, assistant_model=assistant, max_new_tokens=8)
    with pytest.raises(InputError, match=r"assistant_model.*mha\.record\(model, input_ids=outputs\.sequences\)"):
        mha.from_generate(outputs, names(outputs.sequences[0]))


@pytest.mark.parametrize("settings", [{}, WINDOW], ids=["full", "window"])
def test_steps_that_began_with_a_cache_or_in_chunks_are_refused(settings):
    model = made("MistralForCausalLM", **settings)
    for options in ({"prefill_chunk_size": 4}, {"past_key_values": model(PROMPT[:, :3]).past_key_values}):
        outputs = written(model, **options)
        with pytest.raises(ShapeError, match=r"without past_key_values and prefill_chunk_size, or mha\.record"):
            mha.from_generate(outputs, names(outputs.sequences[0]))


# ------------------------------------------------------------------ padding


@pytest.mark.parametrize("pad", ["<pad>", "</s>", "!"])
@pytest.mark.parametrize("window", [{}, WINDOW], ids=["full", "window"])
@pytest.mark.parametrize("cache", [{}, {"cache_implementation": "static"}], ids=["grows", "static"])
def test_a_padded_prompt_gives_the_numbers_of_the_prompt_alone(pad, window, cache):
    model = made("MistralForCausalLM", **window)
    ids, mask = torch.tensor([[0, 0, 0, 5, 6, 7], [8, 9, 10, 11, 12, 13]]), torch.ones(2, 6, dtype=int)
    mask[0, :3] = 0
    outputs = written(model, ids, attention_mask=mask, **cache)
    shown = [pad] * 3 + names(outputs.sequences[0])[3:]
    masks = [{"attention_mask": mask}] if pad == "!" else [{}, {"attention_mask": mask}]  # "!" is a word
    alone = written(model, ids[:1, 3:])
    assert torch.equal(alone.sequences[0], outputs.sequences[0, 3:])
    expected = mha.from_generate(alone, names(alone.sequences[0]))
    for given in masks:
        maps = mha.from_generate(outputs, shown, item=0, **given)
        np.testing.assert_allclose(maps.weights, expected.weights, atol=2e-6)
        assert maps.tokens == expected.tokens


@pytest.mark.parametrize("pad", [0, 2], ids=["pad", "end of text"])
def test_rows_after_the_end_of_a_text_are_dropped(pad):
    model = llama()
    ids = torch.cat([PROMPT, PROMPT.flip(1)])
    free = written(model, ids).sequences
    ends = int(free[0, 7])  # the second token that the first text writes
    assert ends not in free[1, 6:]
    outputs = written(model, ids, eos_token_id=ends, pad_token_id=0 if pad == 0 else ends)
    shown = ["</s>" if int(number) == ends else name
             for number, name in zip(outputs.sequences[0], names(outputs.sequences[0]), strict=True)]  # fmt: skip
    maps = mha.from_generate(outputs, shown, item=0)
    assert [token.raw for token in maps.tokens][-1] == "</s>"
    np.testing.assert_allclose(maps.weights, whole(model, outputs.sequences[0, :8]), atol=2e-6)


# ------------------------------------------------------------------ encoder and decoder


def parts(model: Any, source: torch.Tensor, target: torch.Tensor) -> dict[str, np.ndarray]:
    """Return what one pass gives by stack, [layer, head, query, key]."""
    with torch.no_grad():
        passed = model(input_ids=source[None], decoder_input_ids=target[None], output_attentions=True)
    fields = {"encoder": passed.encoder_attentions, "decoder": passed.decoder_attentions}
    fields["cross"] = passed.cross_attentions
    return {stack: torch.cat(layers).numpy() for stack, layers in fields.items()}


@pytest.mark.parametrize(
    "options",
    [{}, {"use_cache": False}, {"cache_implementation": "static"}, {"num_beams": 3},
     {"decoder_input_ids": torch.tensor([[0, 11, 12]])}],
    ids=["plain", "without cache", "static", "beams", "decoder prompt"],
)  # fmt: skip
def test_an_encoder_and_decoder_write_three_stacks(options):
    model, source = t5(), [f"s{number}" for number in range(6)]
    outputs = written(model, **options)
    sequence = outputs.sequences[0]
    expected = parts(model, PROMPT[0], sequence[:-1])
    target = names(sequence)
    by_default, decoder = mha.from_generate(outputs, target), mha.from_generate(outputs, target, stack="decoder")
    np.testing.assert_allclose(by_default.weights, expected["decoder"], atol=5e-6)  # one row at a time rounds otherwise
    np.testing.assert_array_equal(by_default.weights, decoder.weights)
    for named in (target, target[1:]):  # with what the decoder begins with, and the written tokens alone
        for given in ({"key_tokens": source}, {"key_tokens": source, "stack": "cross"}, {"stack": "cross"}):
            crossing = mha.from_generate(outputs, named, **given)
            np.testing.assert_allclose(crossing.weights, expected["cross"], atol=2e-6)
            assert (crossing.kind, [token.raw for token in crossing.tokens]) == ("cross", target[1:])
    encoder = mha.from_generate(outputs, source, stack="encoder")
    np.testing.assert_allclose(encoder.weights, expected["encoder"], atol=2e-6)
    np.testing.assert_array_equal(encoder.weights, mha.from_arrays(outputs.encoder_attentions, source).weights)


def test_messages_about_generate_lead_to_a_call_that_works():
    outputs = written(t5())
    target, source = names(outputs.sequences[0]), names(PROMPT[0])
    for given in (outputs, outputs.cross_attentions):
        with pytest.raises(InputError, match=r"mha\.from_generate\(outputs, target, source\)"):
            mha.from_arrays(given, target, source)
    with pytest.raises(ShapeError, match=r"pass its source, too: mha\.from_generate\(outputs, target, source\)"):
        mha.from_generate(outputs.cross_attentions, target)
    with pytest.raises(InputError, match="These outputs have encoder, decoder, cross; there is no 'mine'"):
        mha.from_generate(outputs, target, stack="mine")
    with pytest.raises(InputError, match="These outputs have encoder, decoder, cross; there is no 'self'"):
        mha.from_generate(outputs, target, stack="self")


def test_a_hybrid_model_is_read_as_it_generates():
    settings = {"attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 2, "intermediate_size": 64}
    model = made("JambaForCausalLM", **settings, mamba_d_state=4, mamba_d_conv=2, mamba_expand=1)
    outputs = written(model, PROMPT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        maps = mha.from_generate(outputs, names(outputs.sequences[0]))
        recorded = mha.record(model, input_ids=outputs.sequences[:, :-1]).maps
    np.testing.assert_allclose(maps.weights, recorded.weights, atol=1e-5)
