"""What TransformerLens, nnsight and BertViz return, in an environment that has them: `make soak` makes it."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import mha
from tests.models.test_any_output import IDS, NAMES, bert
from tests.models.tiny import THROUGH_THE_INTERFACE

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SAVED = {  # the class that each is saved from: TransformerLens reads models with a head
    "GPT2LMHeadModel": "GPT2Model",
    "BertForMaskedLM": "BertModel",
    "T5ForConditionalGeneration": "T5ForConditionalGeneration",
}


def saved(architecture: str, folder: Path) -> Any:
    """Write a random model and return it, with its own eager attention."""
    row = next(row for row in THROUGH_THE_INTERFACE if row.architecture == SAVED[architecture])
    dataclasses.replace(row, architecture=architecture).save(folder)
    model_class = getattr(transformers, architecture)
    return model_class.from_pretrained(folder, attn_implementation="eager").eval()


def cache_of(folder: Path, **inputs: Any) -> Any:
    """Return the cache of TransformerLens for the model of a folder."""
    from transformer_lens.model_bridge import TransformerBridge

    return TransformerBridge.boot_transformers(str(folder)).run_with_cache(IDS, **inputs)[1]


@pytest.mark.parametrize("architecture", ["GPT2LMHeadModel", "BertForMaskedLM"])
def test_transformer_lens_cache_equal(architecture, tmp_path):
    recorded = mha.record(saved(architecture, tmp_path), input_ids=IDS).maps
    maps = mha.from_arrays(cache_of(tmp_path), NAMES)
    np.testing.assert_allclose(maps.weights, recorded.weights, atol=1e-5)
    assert maps.causal == recorded.causal


def test_transformer_lens_encoder_decoder_stacks(tmp_path):
    recording = mha.record(saved("T5ForConditionalGeneration", tmp_path), input_ids=IDS, decoder_input_ids=IDS[:, :3])
    cache = cache_of(tmp_path, decoder_input=IDS[:, :3])
    cross = mha.from_arrays(cache, NAMES[:3], NAMES)
    np.testing.assert_allclose(cross.weights, recording.stacks["cross"], atol=1e-5)
    with pytest.raises(mha.InputError, match=r"several stacks of layers: 'encoder_blocks\.\*.*'decoder_blocks\.\*"):
        mha.from_arrays(cache, NAMES)
    encoder = {name: cache[name] for name in cache if name.startswith("encoder_blocks.")}
    np.testing.assert_allclose(mha.from_arrays(encoder, NAMES).weights, recording.stacks["encoder"], atol=1e-5)


def test_nnsight_saved_attentions_equal():
    import nnsight

    model = bert()
    traced = nnsight.NNsight(model)
    with traced.trace(IDS, output_attentions=True):
        kept = traced.output.attentions.save()
    recorded = mha.record(model, input_ids=IDS).maps.weights
    np.testing.assert_allclose(mha.from_arrays(kept, NAMES).weights, recorded, atol=1e-6)


def test_bertviz_format_equal():
    from bertviz.util import format_attention

    with torch.inference_mode():
        outputs = bert()(IDS, output_attentions=True)
    drawn = format_attention(outputs.attentions)
    np.testing.assert_array_equal(mha.from_arrays(drawn, NAMES).weights, mha.from_arrays(outputs, NAMES).weights)
