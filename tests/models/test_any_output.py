"""What people try first with a model of their own: what it returned, and models that read no text."""

import warnings

import numpy as np
import pytest
import torch
import transformers

import mha
from mha.errors import AttentionUnavailable, InputError, ShapeError

IDS = torch.tensor([[1, 2, 3, 4]])
NAMES = ["a", "b", "c", "d"]
SMALL = {"hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32}
IMAGE = {"image_size": 32, "patch_size": 8}
PIXELS = torch.rand((1, 3, 32, 32), generator=torch.Generator().manual_seed(1))


def bert(attention: str = "eager") -> transformers.BertModel:
    config = transformers.BertConfig(vocab_size=50, **SMALL)
    return transformers.BertModel._from_config(config, attn_implementation=attention).eval()


def gpt() -> transformers.GPT2LMHeadModel:
    config = transformers.GPT2Config(n_embd=32, n_head=2, n_layer=2, vocab_size=50, bos_token_id=0, eos_token_id=0)
    return transformers.GPT2LMHeadModel._from_config(config, attn_implementation="eager").eval()


def t5() -> transformers.T5Model:
    config = transformers.T5Config(
        d_model=32, d_kv=16, d_ff=32, num_heads=2, num_layers=2, vocab_size=50, decoder_start_token_id=0
    )
    return transformers.T5Model._from_config(config, attn_implementation="eager").eval()


def whisper() -> transformers.WhisperModel:
    layers = {f"{side}_{what}": 2 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    config = transformers.WhisperConfig(
        d_model=32, **layers, encoder_ffn_dim=32, decoder_ffn_dim=32, vocab_size=60, max_source_positions=50,
        num_mel_bins=16, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    )  # fmt: skip
    return transformers.WhisperModel(config).eval()


def vit() -> transformers.ViTModel:
    return transformers.ViTModel(transformers.ViTConfig(**SMALL, **IMAGE)).eval()


def written(model: transformers.GPT2LMHeadModel, ids: torch.Tensor = IDS, **options: object):
    asked = {"max_new_tokens": 3, "output_attentions": True, "return_dict_in_generate": True, "pad_token_id": 0}
    return model.generate(ids, do_sample=False, **(asked | options))


@pytest.fixture(scope="module")
def outputs():
    with torch.inference_mode():
        return bert()(IDS, output_attentions=True)


@pytest.mark.filterwarnings("ignore")  # transformers says on the way that SDPA returns none
def test_sdpa_is_named_where_there_are_no_weights():
    with torch.inference_mode():
        without = bert("sdpa")(IDS, output_attentions=True), bert()(IDS)
    for given in (*without, *(one.attentions for one in without), (None, None)):
        with pytest.raises(AttentionUnavailable, match=r'SDPA.*attn_implementation="eager".*mha.record\(model'):
            mha.from_arrays(given, NAMES)


def test_one_text_of_a_batch_is_chosen():
    with torch.inference_mode():
        several = bert()(torch.cat([IDS, IDS.flip(1)]), output_attentions=True)
    with pytest.raises(ShapeError, match=r"of one text.*item=0 to 1"):
        mha.from_arrays(several.attentions, NAMES)
    chosen = mha.from_arrays(several, NAMES, item=1)
    np.testing.assert_array_equal(chosen.weights, np.stack([layer[1].numpy() for layer in several.attentions]))
    with pytest.raises(ShapeError, match="pass item=0 to 1, not 2"):
        mha.from_arrays(several, NAMES, item=2)
    with pytest.raises(ShapeError, match="there are 1: pass item=0 to 0, not 1"):
        mha.from_arrays(chosen.weights, NAMES, item=1)


def test_what_generate_returned_is_told_its_call():
    found = written(gpt())
    for given in (found, found.attentions):
        with pytest.raises(InputError, match=r"mha\.from_generate\(outputs, tokens\)"):
            mha.from_arrays(given, NAMES)
    with pytest.raises(AttentionUnavailable, match="SDPA"):
        mha.from_generate(written(gpt(), output_attentions=False), NAMES)
    with pytest.raises(ShapeError, match="3 tokens for the rows"):
        mha.from_generate(found, list("abc"))


def test_an_encoder_and_decoder_has_three_kinds_to_choose_from():
    with torch.inference_mode():
        found = t5()(input_ids=IDS, decoder_input_ids=IDS[:, :3], output_attentions=True)
    with pytest.raises(InputError, match=r"one of outputs\.encoder_att.*, outputs\.decoder_att.*, outputs\.cross_att"):
        mha.from_arrays(found, NAMES)


def test_a_model_that_reads_no_text_says_what_it_reads():
    with pytest.raises(
        InputError, match=r"ViTModel reads no text: mha\.record\(model, pixel_values=…\) takes an image"
    ):
        mha.record(vit(), input_ids=IDS)
    with pytest.raises(InputError, match="WhisperModel reads no text.*input_features=…"):
        mha.record(whisper(), input_ids=IDS)
    with pytest.raises(InputError, match="give decoder_input_ids too"):
        mha.record(whisper(), input_features=torch.rand(1, 16, 100))
    with pytest.raises(InputError, match="One image at a time: pixel_values holds 2"):
        mha.record(vit(), pixel_values=PIXELS.repeat(2, 1, 1, 1))


def test_the_patches_of_an_image_are_tokens(tmp_path):
    model = vit()
    maps = mha.record(model, pixel_values=PIXELS).maps
    assert [token.text for token in maps.tokens[:6]] == ["0", "1", "2", "3", "4", "5"]
    with torch.inference_mode():
        model.set_attn_implementation("eager")
        eager = model(pixel_values=PIXELS, output_attentions=True).attentions
    np.testing.assert_allclose(maps.weights, np.stack([layer[0] for layer in eager]), atol=1e-6)
    maps.save(tmp_path / "maps.npz")
    assert mha.load_maps(tmp_path / "maps.npz").tokens == maps.tokens
    assert mha.head_statistics(maps)["entropy"].shape == (2, 2)
    assert mha.show(maps) is not None


def test_a_model_without_weights_is_loaded_first():
    with torch.device("meta"):
        empty = transformers.BertModel(transformers.BertConfig(vocab_size=50, **SMALL))
    with pytest.raises(InputError, match="on the meta device"):
        mha.record(empty, input_ids=IDS)


def test_bfloat16_and_int8_are_recorded():
    assert mha.record(bert().to(torch.bfloat16), input_ids=IDS).maps.half_precision
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.ao is on its way out, and people have such models
        small = torch.ao.quantization.quantize_dynamic(bert(), {torch.nn.Linear}, dtype=torch.qint8)
        assert mha.record(small, input_ids=IDS).maps.weights.shape == (2, 2, 4, 4)
