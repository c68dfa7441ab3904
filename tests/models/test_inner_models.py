"""Models inside a model, text and patches on one axis, states that a caller passes, and inputs of other names."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import transformers as t

import mha
from mha.errors import AttentionUnavailable, InputError

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns about configs

IDS = torch.tensor([[5, 6, 7, 8]])
IMAGE = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(1))
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
PLAIN = SIZES | {"vocab_size": 60, "max_position_embeddings": 64, "pad_token_id": 0}
TEXT = PLAIN | {"bos_token_id": 1, "eos_token_id": 2}
VISION = SIZES | {"image_size": 32, "patch_size": 8}
SIDES = {f"{side}_{name}": 2 for side in ("encoder", "decoder") for name in ("layers", "attention_heads")}
SIDES |= {"vocab_size": 60, "d_model": 32, "encoder_ffn_dim": 37, "decoder_ffn_dim": 37, "max_position_embeddings": 64}
PATCHES = [f"{row}·{column}" for row in range(1, 5) for column in range(1, 5)]


def eager(model: Any, field: str = "attentions", **inputs: Any) -> np.ndarray:
    """Return what eager attention gives for a field of the outputs, [layer, head, query, key]."""
    model.set_attn_implementation("eager")
    with torch.no_grad():
        outputs = model(**inputs, output_attentions=True)
    outputs = getattr(outputs, "language_model_outputs", None) or outputs
    return np.stack([layer[0].numpy() for layer in getattr(outputs, field)])


def llava(n_images: int = 1) -> tuple[Any, dict[str, Any]]:
    vision = VISION | {"model_type": "clip_vision_model", "projection_dim": 32}
    config = t.LlavaConfig(vision_config=vision, text_config=TEXT | {"model_type": "llama"}, image_token_id=59)
    config.image_token_index, config.vision_feature_layer = 59, -1
    ids = torch.tensor([[1] + [59] * 16 * n_images + [5, 6]])
    return t.LlavaForConditionalGeneration(config), {"input_ids": ids, "pixel_values": IMAGE.repeat(n_images, 1, 1, 1)}


def qwen2_vl() -> tuple[Any, dict[str, Any]]:
    """Two images, whose patches are one array behind image_grid_thw."""
    rope = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e4}
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "patch_size": 4, "mlp_ratio": 2}
    ids = {"image_token_id": 59, "video_token_id": 58, "vision_start_token_id": 57, "vision_end_token_id": 56}
    text = TEXT | {"num_key_value_heads": 2, "rope_parameters": rope}
    model = t.Qwen2VLForConditionalGeneration(t.Qwen2VLConfig(text_config=text, vision_config=vision, **ids))
    read = [1, 57, *[59] * 4, 56, 57, *[59] * 4, 56, 5]
    inputs = {"input_ids": torch.tensor([read]), "mm_token_type_ids": torch.tensor([[int(n == 59) for n in read]])}
    return model, inputs | {"pixel_values": torch.rand(32, 96), "image_grid_thw": torch.tensor([[1, 4, 4]] * 2)}


def qwen2_audio() -> tuple[Any, dict[str, Any]]:
    audio = {"model_type": "qwen2_audio_encoder", "d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 4}
    audio |= {"encoder_ffn_dim": 37, "num_mel_bins": 16, "max_source_positions": 8}
    text = TEXT | {"model_type": "qwen2", "num_key_value_heads": 2}
    config = t.Qwen2AudioConfig(text_config=text, audio_config=audio, audio_token_id=59, audio_token_index=59)
    sound = {"input_features": torch.rand(1, 16, 16), "feature_attention_mask": torch.ones(1, 16).long()}
    return t.Qwen2AudioForConditionalGeneration(config), {"input_ids": torch.tensor([[1, 59, 59, 59, 59, 5]])} | sound


def blip2() -> tuple[Any, dict[str, Any]]:
    former = PLAIN | {"encoder_hidden_size": 32, "cross_attention_frequency": 1}
    text = {"model_type": "opt", "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    text |= {"ffn_dim": 37, "max_position_embeddings": 64, "word_embed_proj_dim": 32}
    config = t.Blip2Config(vision_config=VISION, qformer_config=former, text_config=text, num_query_tokens=4)
    config.image_token_index = config.image_token_id = 59
    inputs = {"input_ids": torch.tensor([[59, 59, 59, 59, 1, 5, 6]]), "pixel_values": IMAGE}
    return t.Blip2ForConditionalGeneration(config), inputs


@pytest.mark.parametrize(
    "make",
    [llava, lambda: llava(2), qwen2_vl, qwen2_audio, blip2],
    ids=["llava", "two images", "image_grid_thw", "sound", "blip2"],
)
def test_language_model_recorded_without_towers(make):
    model, inputs = make()
    recording = mha.record(model.eval(), **inputs)
    np.testing.assert_allclose(recording.maps.weights, eager(model, **inputs), atol=1e-6)
    assert len(recording.maps.tokens) == inputs["input_ids"].shape[1]


def test_tower_of_blip_refused():
    """Its outputs have the attention of the image tower alone, which is not that of the text."""
    text = PLAIN | {"encoder_hidden_size": 32, "bos_token_id": 1, "eos_token_id": 2, "sep_token_id": 2}
    model = t.BlipForConditionalGeneration(t.BlipConfig(text_config=text, vision_config=VISION)).eval()
    with pytest.raises(AttentionUnavailable, match=r"is not that of the text\. Pass one of the models inside it"):
        mha.record(model, input_ids=IDS, pixel_values=IMAGE)
    stacks = mha.record(model.text_decoder, input_ids=IDS, encoder_hidden_states=torch.rand(1, 6, 32)).stacks
    assert {stack: weights.shape[2:] for stack, weights in stacks.items()} == {"self": (4, 4), "cross": (4, 6)}


def trocr() -> tuple[Any, dict[str, Any]]:
    sizes = {"d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 37}
    decoder = t.TrOCRConfig(vocab_size=60, max_position_embeddings=64, **sizes)
    config = t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        t.ViTConfig(**VISION), decoder, decoder_start_token_id=1, pad_token_id=0
    )
    return t.VisionEncoderDecoderModel(config), {"pixel_values": IMAGE, "decoder_input_ids": IDS}


@pytest.mark.parametrize("make", [trocr])
def test_part_without_attention_function_recorded_by_eager_attention(make):
    model, inputs = make()
    for _ in range(2):
        stacks = mha.record(model.eval(), **inputs).stacks
        for stack, field in (("encoder", "encoder_attentions"), ("decoder", "decoder_attentions")):
            np.testing.assert_allclose(stacks[stack], eager(model, field, **inputs), atol=1e-6)
        np.testing.assert_allclose(stacks["cross"], eager(model, "cross_attentions", **inputs), atol=1e-6)


def layout() -> tuple[Any, dict[str, Any]]:
    config = t.LayoutLMv3Config(**TEXT, input_size=32, patch_size=8, coordinate_size=6, shape_size=4)
    return t.LayoutLMv3Model(config), {"pixel_values": IMAGE, "bbox": torch.zeros(1, 4, 4).long()}


def test_axis_of_text_and_patches_named_by_the_caller():
    model, inputs = layout()
    names = [f"place {number}" for number in range(21)]
    maps = mha.record(model.eval(), input_ids=IDS, tokens=names, **inputs).maps
    np.testing.assert_allclose(maps.weights, eager(model, input_ids=IDS, **inputs), atol=1e-6)
    with pytest.raises(InputError, match=r"4 tokens for an axis of 21 places, .*Name each place: tokens="):
        mha.record(model, input_ids=IDS, **inputs)


DECODERS: dict[str, Callable[[], Any]] = {
    "bert": lambda: t.BertModel(t.BertConfig(**PLAIN, is_decoder=True, add_cross_attention=True)),
    "gpt2": lambda: t.GPT2LMHeadModel(
        t.GPT2Config(vocab_size=60, n_embd=32, n_layer=2, n_head=4, n_positions=64, add_cross_attention=True)
    ),
    "bart decoder": lambda: t.BartModel(t.BartConfig(**SIDES)).decoder,
    "bart causal": lambda: t.BartForCausalLM(t.BartConfig(**SIDES)),
}


@pytest.mark.parametrize("name", DECODERS)
def test_encoder_hidden_states_crossed(name):
    model, states = DECODERS[name]().eval(), torch.rand(1, 4, 32)
    inputs = {"input_ids": IDS, "encoder_hidden_states": states}
    recording = mha.record(model, **inputs)
    cross = recording.attention("cross")
    assert [token.text for token in cross.tokens] == ["5", "6", "7", "8"]
    assert [token.text for token in cross.key_tokens] == ["0", "1", "2", "3"]  # not the names of the rows
    np.testing.assert_allclose(cross.weights, eager(model, "cross_attentions", **inputs), atol=1e-6)
    assert mha.show(cross) is not None
    mask = torch.tensor([[1, 1, 0, 0]])
    assert mha.record(model, **inputs, encoder_attention_mask=mask).stacks["cross"].shape[-1] == 2
    assert list(mha.record(model, input_ids=IDS).stacks) == ["self"]


def t5() -> Any:
    config = t.T5Config(vocab_size=60, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4, decoder_start_token_id=0)
    return t.T5ForConditionalGeneration(config).eval()


def test_encoder_outputs_and_labels_are_inputs():
    model, target = t5(), torch.tensor([[0, 3, 4, 5]])
    whole = mha.record(model, input_ids=IDS, decoder_input_ids=target)
    with torch.no_grad():
        states = model.encoder(IDS)
    for outputs in (states, (states[0],)):
        recording = mha.record(model, encoder_outputs=outputs, decoder_input_ids=target)
        assert list(recording.stacks) == ["decoder", "cross"]
        np.testing.assert_allclose(recording.stacks["cross"], whole.stacks["cross"], atol=1e-6)
        assert [token.text for token in recording.maps.tokens] == ["0", "3", "4", "5"]
        assert [token.text for token in recording.attention("cross").key_tokens] == ["0", "1", "2", "3"]
    labelled = mha.record(model, input_ids=IDS, labels=torch.tensor([[3, 4, 5, 1]]))
    assert [token.text for token in labelled.read] == ["0", "3", "4", "5"]


def detr() -> tuple[Any, dict[str, Any]]:
    backbone = t.ResNetConfig(embedding_size=8, hidden_sizes=[8] * 4, depths=[1] * 4, out_features=["stage4"])
    layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    config = t.DetrConfig(use_timm_backbone=False, backbone_config=backbone, d_model=32, num_queries=5, **layers)
    return t.DetrModel(config), {"pixel_values": torch.rand(1, 3, 64, 64)}


@pytest.mark.parametrize(("make", "n_source", "n_queries"), [(detr, 4, 5)])
def test_queries_of_a_decoder_numbered(make, n_source, n_queries):
    model, inputs = make()
    recording = mha.record(model.eval(), **inputs)
    shapes = {stack: weights.shape[2:] for stack, weights in recording.stacks.items()}
    assert shapes == {
        "encoder": (n_source, n_source),
        "decoder": (n_queries, n_queries),
        "cross": (n_queries, n_source),
    }
    assert [token.text for token in recording.attention("cross").tokens] == [str(row) for row in range(n_queries)]
    assert not recording.notes  # a backbone without attention is not mentioned
    np.testing.assert_allclose(recording.stacks["cross"], eager(model, "cross_attentions", **inputs), atol=1e-6)


def moves() -> tuple[Any, dict[str, Any]]:
    config = t.DecisionTransformerConfig(state_dim=3, act_dim=2, hidden_size=32, n_layer=2, n_head=4, n_positions=64)
    steps = {"states": torch.rand(1, 4, 3), "actions": torch.rand(1, 4, 2), "rewards": torch.rand(1, 4, 1)}
    steps |= {"returns_to_go": torch.rand(1, 4, 1), "timesteps": torch.arange(4)[None]}
    return t.DecisionTransformerModel(config), steps | {"attention_mask": torch.ones(1, 4)}


def windows(n_channels: int) -> tuple[Any, dict[str, Any]]:
    sizes = {"d_model": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "ffn_dim": 37}
    config = t.PatchTSTConfig(num_input_channels=n_channels, context_length=32, patch_length=8, patch_stride=8, **sizes)
    return t.PatchTSTModel(config), {"past_values": torch.rand(1, 32, n_channels)}


@pytest.mark.parametrize(
    ("make", "n_places", "n_parts", "main"),
    [(moves, 12, 1, "states"), (lambda: windows(1), 4, 1, "past_values"), (lambda: windows(2), 4, 2, "past_values")],
    ids=["trajectory", "series", "two channels"],
)
def test_inputs_of_other_names(make, n_places, n_parts, main):
    model, inputs = make()
    recording = mha.record(model.eval(), **inputs)
    assert [token.text for token in recording.maps.tokens] == [str(place) for place in range(n_places)]
    assert [f"attends in {n_parts} parts" in note for note in recording.notes] == [True] * (n_parts > 1)
    with pytest.raises(
        InputError, match=rf"reads no text: mha\.record\(model, {main}=…\) .* mha\.from_arrays\(outputs"
    ):
        mha.record(model, input_ids=IDS)


def test_layers_with_fewer_rows_refused():
    """Funnel pools the rows of some layers, which are no cross-attention."""
    config = t.FunnelConfig(vocab_size=60, d_model=32, block_sizes=[1, 1], n_head=4, d_head=8, d_inner=37)
    with pytest.raises(AttentionUnavailable, match="has different shapes"):
        mha.record(t.FunnelModel(config).eval(), input_ids=IDS)


def test_longer_axis_of_a_text_alone_refused():
    """BigBird fills up the blocks of a long text, and returns the weights of the filled text."""
    config = t.BigBirdConfig(**PLAIN | {"max_position_embeddings": 128}, block_size=8, num_random_blocks=1)
    config.attention_type = "block_sparse"
    ids = torch.arange(1, 94).remainder(59)[None] + 1  # 93 tokens, in blocks of 8
    with pytest.raises(InputError, match="93 tokens for an axis of 96 places"):
        mha.record(t.BigBirdModel(config).eval(), input_ids=ids)
