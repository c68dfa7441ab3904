"""Three tiny random models as folders, one of each kind, that know the words of the examples: for pages and browsers.

A server is started with them by ``PARALLAX_MODELS=<folder>,<folder>``. The weights are random but always the same; the
same goes for the numbers of words.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from mha.examples import examples
from mha.pairs import corpus, pairs
from tests.models.tiny import BOTH, TOKENIZERS, Tiny

SIGNS = ["[PAD]", "[START]", "[END]", "[UNK]", "[MASK]"]
MARKS = list(".,;:!?'\"()-")
D_HEAD, N_HEADS, N_LAYERS = 14, 5, 3


def _texts() -> Iterator[str]:
    for example in examples():
        yield from (example.text, example.contrast or "")
    for pair in pairs():
        yield from (pair.a, pair.b)
    yield from corpus()


def _vocabulary() -> list[str]:
    """Return the signs, the marks and every word of the texts, in lower case, in the order of the alphabet."""
    words = {word for text in _texts() for word in re.findall(r"[a-z]+", text.lower())}
    return [*SIGNS, *MARKS, *sorted(words)]


VOCABULARY = _vocabulary()


def _words_tokenizer(template: str | None) -> PreTrainedTokenizerFast:
    """Return a tokenizer of whole words in lower case, which puts the template's signs around a text."""
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if template is not None:
        signs = [(sign, SIGNS.index(sign)) for sign in ("[START]", "[END]")]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=template, pair=f"{template} $B:1 [END]:1", special_tokens=signs
        )
    named = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token", "mask_token"), SIGNS, strict=True))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **named, model_input_names=["input_ids", "attention_mask"]
    )


TOKENIZERS["words"] = lambda: _words_tokenizer(None)
TOKENIZERS["words between signs"] = lambda: _words_tokenizer("[START] $A [END]")
TOKENIZERS["words with an end"] = lambda: _words_tokenizer("$A [END]")

SIZE = {"vocab_size": len(VOCABULARY)}
NUMBERS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

SNAPSHOTS = {
    "tiny-causal": Tiny(
        "GPT2LMHeadModel",
        SIZE
        | NUMBERS
        | {"n_embd": D_HEAD * N_HEADS, "n_layer": N_LAYERS, "n_head": N_HEADS, "n_inner": 23, "n_positions": 128},
        "words",
        causal=True,
    ),
    "tiny-masked": Tiny(
        "BertForMaskedLM",
        SIZE
        | {
            "pad_token_id": 0, "hidden_size": D_HEAD * N_HEADS, "num_hidden_layers": N_LAYERS,
            "num_attention_heads": N_HEADS, "intermediate_size": 23,
        },
        "words between signs",
    ),
    "tiny-encoder-decoder": Tiny(
        "T5ForConditionalGeneration",
        SIZE
        | {
            "pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 0, "d_model": D_HEAD * N_HEADS,
            "d_kv": D_HEAD, "d_ff": 23, "num_layers": N_LAYERS, "num_decoder_layers": 2, "num_heads": N_HEADS,
        },
        "words with an end",
        stacks=BOTH,
    ),
}  # fmt: skip


def save(name: str, parent: Path) -> Path:
    """Write one of the `SNAPSHOTS` into a folder of its name, and return that folder."""
    return SNAPSHOTS[name].save(parent / name)


def save_all(parent: Path) -> dict[str, Path]:
    """Write all of the `SNAPSHOTS`, each into a folder of its name."""
    return {name: save(name, parent) for name in SNAPSHOTS}
