"""The language code of a target, for tiny models whose tokenizers are those of NLLB, mBART, M2M100 and Marian."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from mha.errors import InputError
from mha.models.files.loading import LoadedModel, load_snapshot
from mha.models.watch.attending import attend, record_text
from mha.models.watch.generating import generate
from tests.models.tiny import SIDES, THROUGH_THE_INTERFACE, TOKENIZERS, Tiny

TEXT, TARGET = "Life is like a box", "La vie est comme une boite"
WORDS = ["La", "vie", "est", "comme", "une", "boite"]
KINDS: dict[str, tuple[str, str, list[str]]] = {  # architecture, template, codes
    "nllb": ("M2M100ForConditionalGeneration", "{0} $A </s>", ["eng_Latn", "fra_Latn"]),
    "mbart50": ("MBartForConditionalGeneration", "{0} $A </s>", ["en_XX", "fr_XX"]),
    "m2m100": ("M2M100ForConditionalGeneration", "{0} $A </s>", ["__en__", "__fr__"]),
    "mbart25": ("MBartForConditionalGeneration", "$A </s> {0}", ["en_XX", "fr_XX"]),
    "marian": ("MarianMTModel", "$A </s>", [">>deu<<", ">>fra<<"]),
}


def save(kind: str, parent: Path) -> Path:
    """Write a model of one kind whose tokenizer reads English."""
    architecture, template, codes = KINDS[kind]
    signs = ["<s>", "<pad>", "</s>", "<unk>", *codes]
    pieces = [f"▁{word}" for word in (*TEXT.split(), *WORDS, "a")] + ["▁"]
    entries = [(sign, 0.0) for sign in signs] + [(piece, -1.0) for piece in dict.fromkeys(pieces)]
    tokenizer = Tokenizer(models.Unigram(entries, unk_id=3))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template.format(codes[0]), special_tokens=[(codes[0], 4), ("</s>", 2)]
    )
    TOKENIZERS[kind] = lambda: PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=codes, model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
    sizes = {
        "vocab_size": len(entries), "decoder_start_token_id": 2, "pad_token_id": 1, "bos_token_id": 0,
        "max_position_embeddings": 64,
    }  # fmt: skip
    return Tiny(architecture, SIDES | sizes, kind).save(parent / kind)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    parent, loaded = tmp_path_factory.mktemp("languages"), {}

    def load(kind: str) -> LoadedModel:
        if kind not in loaded:
            loaded[kind] = load_snapshot(save(kind, parent))
        return loaded[kind]

    return load


def raws(tokens: Any) -> list[str]:
    return [token.raw.removeprefix("▁") for token in tokens]


READ = {  # what the decoder reads of the target, and what it is to write
    "nllb": (["</s>", "fra_Latn", *WORDS], ["fra_Latn", *WORDS, "</s>"]),
    "mbart50": (["</s>", "fr_XX", *WORDS], ["fr_XX", *WORDS, "</s>"]),
    "m2m100": (["</s>", "__fr__", *WORDS], ["__fr__", *WORDS, "</s>"]),
    "mbart25": (["fr_XX", *WORDS, "</s>"], [*WORDS, "</s>", "fr_XX"]),
    "marian": (["</s>", *WORDS], [*WORDS, "</s>"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_target_language_typed(kind, kinds):
    code = KINDS[kind][2][1]
    target = f"{code} {TARGET}"
    recording = record_text(TEXT, kinds(kind), target=target)
    assert (raws(recording.read), raws(recording.written)) == READ[kind]
    source = raws(recording.maps.tokens)
    assert source == (
        [code, *TEXT.split(), "</s>"] if kind == "marian" else raws(record_text(TEXT, kinds(kind)).maps.tokens)
    )
    assert kind == "marian" or recording.notes == (f"The target is read behind the language code {code}.",)
    cross = attend(TEXT, kinds(kind), target=target, stack="cross")
    np.testing.assert_array_equal(cross.weights, recording.stacks["cross"])


@pytest.mark.parametrize("kind", ["nllb", "mbart50", "m2m100", "mbart25"])
def test_target_language_changes_maps(kind, kinds):
    first, second = KINDS[kind][2]
    named, unnamed = (record_text(TEXT, kinds(kind), target=target) for target in (f"{second} {TARGET}", TARGET))
    assert not np.array_equal(named.stacks["cross"], unnamed.stacks["cross"])
    assert unnamed.notes == (f"The target is read behind the language code {first}.",)


@pytest.mark.parametrize("kind", ["nllb", "mbart50", "m2m100"])
def test_generate_language_like_transformers(kind, kinds, monkeypatch):
    """Greedy tokens equal those of transformers' own generate with the forced first token of the config."""
    import torch

    loaded = kinds(kind)
    monkeypatch.setattr(loaded.model.generation_config, "forced_bos_token_id", 5)
    written = generate(TEXT, loaded, n_tokens=4)
    ids = torch.tensor([loaded.tokenizer(TEXT)["input_ids"]])
    theirs = loaded.model.generate(ids, max_length=len(written.ids), do_sample=False, num_beams=1)
    assert list(written.ids) == theirs[0].tolist()


def test_target_without_decoder_refused(minilm):
    with pytest.raises(InputError, match="no decoder"):
        attend(TEXT, minilm, target=TARGET)


def test_target_language_unknown_is_text(tmp_path):
    bart = next(row for row in THROUGH_THE_INTERFACE if row.architecture == "BartModel")
    loaded = load_snapshot(bart.save(tmp_path / "bart"))
    assert record_text("I saw", loaded, target="I was").notes == ()
    assert json.loads((tmp_path / "bart" / "config.json").read_text())["model_type"] == "bart"
