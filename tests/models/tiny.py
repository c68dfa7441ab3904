"""Tiny random models, saved as real snapshots: one row an architecture, sizes prime where that can be."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

VOCABULARY = 307
D_HEAD, N_HEADS, N_LAYERS = 14, 5, 2
D_MODEL = D_HEAD * N_HEADS
TEXT = "I saw the man with the telescope, didn't I?"

PLAIN = {"hidden_size": D_MODEL, "num_hidden_layers": N_LAYERS, "num_attention_heads": N_HEADS, "intermediate_size": 23}
GROUPED = PLAIN | {"num_attention_heads": 6, "num_key_value_heads": 3, "hidden_size": 6 * D_HEAD, "head_dim": D_HEAD}
GPT = {"n_embd": D_MODEL, "n_layer": N_LAYERS, "n_head": N_HEADS}
SIDES = {
    "d_model": D_MODEL, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": N_HEADS,
    "decoder_attention_heads": N_HEADS, "encoder_ffn_dim": 23, "decoder_ffn_dim": 23, "decoder_start_token_id": 1,
    "forced_eos_token_id": None, "pad_token_id": 0, "eos_token_id": 2, "bos_token_id": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Tiny:
    """An architecture by the name of its class, what its config needs, and the kind of tokenizer it comes with."""

    architecture: str
    settings: dict[str, Any]
    tokenizer: str = "pieces"
    causal: bool = False
    n_heads: int = N_HEADS
    stacks: tuple[str, ...] = ("self",)
    seeds: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> Any:
        """The config, with a vocabulary that fits the tokenizer."""
        config_class = getattr(transformers, self.architecture).config_class
        return config_class(**{"vocab_size": VOCABULARY} | self.settings)

    def save(self, folder: Path) -> Path:
        """Write the model and its tokenizer as a snapshot."""
        torch.manual_seed(7)
        model = getattr(transformers, self.architecture)(self.config)
        with torch.no_grad():
            for parameter in model.parameters():  # far enough from even attention
                parameter.add_(torch.randn_like(parameter) * 0.3)
        model.save_pretrained(folder)
        TOKENIZERS[self.tokenizer]().save_pretrained(folder)
        return folder


BOTH = ("encoder", "decoder", "cross")
LLAMA = GROUPED | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
LATENT = PLAIN | {  # queries and keys of 10 numbers and 4 that are turned, values of 12
    "hidden_size": 96, "num_attention_heads": 6, "num_key_value_heads": 6, "kv_lora_rank": 16, "q_lora_rank": None,
    "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12, "first_k_dense_replace": 1, "n_routed_experts": 3,
    "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_group": 1, "topk_group": 1, "pad_token_id": 0,
}  # fmt: skip

THROUGH_THE_INTERFACE = (
    Tiny("BertModel", PLAIN),
    Tiny("RobertaModel", PLAIN | {"max_position_embeddings": 67, "pad_token_id": 0}, "bytes"),
    Tiny("DistilBertModel", {"dim": D_MODEL, "n_layers": N_LAYERS, "n_heads": N_HEADS, "hidden_dim": 23}),
    Tiny("AlbertModel", PLAIN | {"embedding_size": 11}, "metaspace"),
    Tiny("ElectraModel", PLAIN | {"embedding_size": 11}),
    Tiny(
        "ModernBertModel", PLAIN | {"pad_token_id": 0, "local_attention": 4, "global_attn_every_n_layers": 2}, "bytes"
    ),
    Tiny("GPT2Model", GPT | {"n_inner": 23}, "bytes", causal=True),
    Tiny("GPTNeoXModel", PLAIN, "bytes", causal=True),
    Tiny(
        "OPTModel",
        {k: v for k, v in PLAIN.items() if k != "intermediate_size"} | {"ffn_dim": 23, "word_embed_proj_dim": D_MODEL},
        "bytes",
        causal=True,
    ),
    Tiny("LlamaForCausalLM", LLAMA, "metaspace", causal=True, n_heads=6),
    Tiny("Qwen2ForCausalLM", LLAMA, "bytes", causal=True, n_heads=6),
    Tiny("Qwen3ForCausalLM", LLAMA, "bytes", causal=True, n_heads=6),
    Tiny("MistralForCausalLM", LLAMA | {"sliding_window": 3}, "metaspace", causal=True, n_heads=6),
    Tiny("Gemma2ForCausalLM", LLAMA | {"sliding_window": 3}, "metaspace", causal=True, n_heads=6),
    Tiny("Gemma3ForCausalLM", LLAMA | {"sliding_window": 3}, "metaspace", causal=True, n_heads=6),
    Tiny("Phi3ForCausalLM", {k: v for k, v in LLAMA.items() if k != "head_dim"}, "metaspace", causal=True, n_heads=6),
    Tiny("Olmo2ForCausalLM", LLAMA, "bytes", causal=True, n_heads=6),
    Tiny("SmolLM3ForCausalLM", LLAMA, "bytes", causal=True, n_heads=6),
    Tiny(  # takes use_cache as one of its keyword arguments
        "GraniteMoeForCausalLM",
        {key: value for key, value in LLAMA.items() if key != "head_dim"}
        | {"hidden_size": 96, "intermediate_size": 32, "num_local_experts": 3, "num_experts_per_tok": 2},
        "bytes",
        causal=True,
        n_heads=6,
    ),
    Tiny("DogeForCausalLM", LLAMA | {"num_experts": 3}, "bytes", causal=True, n_heads=6),  # hands over its mask by name
    Tiny("DeepseekV2ForCausalLM", LATENT, "bytes", causal=True, n_heads=6),
    Tiny("DeepseekV3ForCausalLM", LATENT | {"q_lora_rank": 10}, "bytes", causal=True, n_heads=6),
    Tiny(
        "T5ForConditionalGeneration",
        {
            "d_model": D_MODEL, "d_kv": D_HEAD, "d_ff": 23, "num_layers": 2, "num_decoder_layers": 3,
            "num_heads": N_HEADS, "decoder_start_token_id": 0,
        },
        "metaspace",
        stacks=BOTH,
    ),
    Tiny("BartModel", SIDES, "bytes", stacks=BOTH),
    Tiny("MarianModel", SIDES, "metaspace", stacks=BOTH),
    Tiny(
        "GptOssForCausalLM",
        LLAMA
        | {
            "hidden_size": 96, "head_dim": 16, "intermediate_size": 32, "sliding_window": 3, "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
        "bytes",
        causal=True,
        n_heads=6,
    ),
)  # fmt: skip

THE_EAGER_WAY = (
    Tiny("MPNetModel", PLAIN | {"pad_token_id": 1}),
    Tiny(
        "DebertaV2Model",
        PLAIN | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "pad_token_id": 0},
        "metaspace",
    ),
    Tiny("XLNetModel", {"d_model": D_MODEL, "n_layer": N_LAYERS, "n_head": N_HEADS, "d_inner": 23}, "metaspace"),
    Tiny(
        "GPTNeoModel",
        {
            "hidden_size": D_MODEL, "num_layers": 2, "num_heads": N_HEADS,
            "attention_types": [[["global", "local"], 1]], "window_size": 3, "intermediate_size": 23,
        },
        "bytes",
        causal=True,
    ),
    Tiny("OpenAIGPTLMHeadModel", GPT, "bytes", causal=True),
    Tiny("BloomModel", GPT | {"hidden_size": D_MODEL}, "bytes", causal=True),
    Tiny(
        "FalconModel",
        {"hidden_size": D_MODEL, "num_hidden_layers": 2, "num_attention_heads": N_HEADS, "alibi": False},
        "bytes",
        causal=True,
    ),
)  # fmt: skip

IN_BLOCKS = Tiny("BigBirdModel", PLAIN | {"pad_token_id": 0, "block_size": 4, "num_random_blocks": 1})
# It scales the sum of weighted values by its sink, which its weights do not show.
SINK_BEHIND_WEIGHTS = Tiny("GraniteSWAForCausalLM", LLAMA | {"sliding_window": 3}, "bytes", causal=True, n_heads=6)
NO_MAPS = (  # what these return as their weights
    Tiny("LongformerModel", PLAIN | {"pad_token_id": 0, "attention_window": 4}),  # a window around each query
    Tiny("YosoModel", PLAIN | {"pad_token_id": 0}),  # what it makes of values
    Tiny(  # numbers before the softmax
        "ProphetNetModel",
        {
            "hidden_size": D_MODEL,
            **{f"num_{side}_layers": 2 for side in ("encoder", "decoder")},
            **{f"num_{side}_attention_heads": N_HEADS for side in ("encoder", "decoder")},
            **{f"{side}_ffn_dim": 23 for side in ("encoder", "decoder")},
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
        },
    ),
)

MAMBA = Tiny("MambaModel", {"hidden_size": 14, "num_hidden_layers": 2, "state_size": 3, "pad_token_id": 0}, "bytes")

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
WORDS = ["i", "saw", "the", "man", "with", "tele", "did", "don", "it", "dog", "well", "known", "a", "was"]


def pieces_tokenizer() -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer (##) that adds [CLS] and [SEP], as BERT's does."""
    letters = [chr(code) for code in range(33, 127)]
    entries = list(dict.fromkeys([*SPECIAL, *WORDS, "##scope", *letters, *(f"##{letter}" for letter in letters)]))
    tokenizer = Tokenizer(models.WordPiece({entry: n for n, entry in enumerate(entries)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]",
        mask_token="[MASK]", model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


def bytes_tokenizer() -> PreTrainedTokenizerFast:
    """Return a byte-level tokenizer (Ġ) with a few merges and an end-of-text token that is never added."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("m", "a"), ("ma", "n"), ("Ġ", "man"), ("t", "e"), ("l", "e")]
    entries = ["<|endoftext|>", *letters, *(a + b for a, b in merges)]
    vocabulary = {entry: n for n, entry in enumerate(dict.fromkeys(entries))}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", model_input_names=["input_ids", "attention_mask"]
    )


def metaspace_tokenizer() -> PreTrainedTokenizerFast:
    """Return a SentencePiece-like tokenizer (▁) that adds <s> and </s>."""
    pieces = ["▁", "▁the", "▁man", "▁saw", "▁it", "▁tele", "scope", "did", "n't", *map(chr, range(33, 127))]
    scored = [
        ("<pad>", 0.0),
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((piece, -len(pieces) + 9.0 * len(piece)) for piece in dict.fromkeys(pieces)),
    ]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


TOKENIZERS: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "pieces": pieces_tokenizer,
    "bytes": bytes_tokenizer,
    "metaspace": metaspace_tokenizer,
}
