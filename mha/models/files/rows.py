"""What there is to say about a model before it is loaded, and how a config's own words say it; nothing here loads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_TOKENS = 512  # of a text that is looked at head by head
ORIGIN_NAMES = {"toy": "toy example", "scrambled twin": "scrambled copy", "untrained twin": "untrained copy"}
OF_ENCODER = "; attention of its encoder"  # at the end of the source of a model that has a decoder, too


@dataclass(frozen=True)
class ModelRow:
    """One model: what the picker, the captions and the recorder need to know of it.

    ``name`` is the word in links and calls, ``title`` the line of the model picker, ``short`` the name in sentences.
    ``kind`` says how it is recorded ("transformer", "toy" or "trained"), ``origin`` is one of `mha.maps.ORIGINS`,
    ``source`` where its numbers come from. ``n_layers`` and ``n_heads`` are those of the stack that is shown (of an
    encoder–decoder, the encoder's), 0 where a config does not say; ``beside`` are the layers and heads of an
    encoder–decoder's decoder. Where some layers of a stack have no attention, ``among`` has the numbers of those that
    do, and ``n_layers`` is how many these are. ``sha256`` is the hash that its weights must have ("" where none is
    known). ``example`` is a text that a model with a small vocabulary can take. ``own_code`` says that its config names
    code, which is not run. ``n_shared`` is how many heads share keys
    and values. ``folder`` is the snapshot of a model that the operator added, else None.
    """

    name: str
    title: str
    short: str
    kind: str
    architecture: str
    n_layers: int
    n_heads: int
    d_head: int
    licence: str
    revision: str
    origin: str
    source: str
    causal: bool = False
    sha256: str = ""
    max_tokens: int = MAX_TOKENS
    example: str = ""
    two_sided: bool = False
    beside: tuple[int, int] | None = None
    among: tuple[int, ...] = ()
    own_code: bool = False
    n_shared: int = 1
    folder: Path | None = None

    @property
    def named(self) -> dict[str, Any]:
        """What maps say of the model that they come from."""
        return {"model": self.short, "revision": self.revision, "origin": self.origin}

    @property
    def origin_said(self) -> str:
        """Where its numbers come from, as captions call it."""
        return ORIGIN_NAMES.get(self.origin, self.origin)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about its maps: code that is not run, and which layers L0 and so on are if some are left out."""
        code = f"{self.short} names code of its own, which is not run: transformers' own {self.architecture} reads it."
        names = "L0 is the model's layer" if len(self.among) == 1 else "L0 and so on are the model's layers"
        numbers = ", ".join(map(str, self.among))
        layers = f"Layers without attention are left out. {names} {numbers}."
        return (code,) * self.own_code + (layers,) * bool(self.among)

    @property
    def predicts(self) -> str:
        """What it predicts, by its architecture's name: "next" word, next word of a "target", "mask", or "" nothing."""
        if self.two_sided:
            return "target" if WRITES_BESIDE.search(self.architecture) else ""
        if self.causal:
            return "next" if WRITES_ON.search(self.architecture) else ""
        return "mask" if FILLS.search(self.architecture) else ""


# The words of the architectures for one thing; where a config has several, the first is the shown stack's.
LAYERS = ("encoder_layers", "num_encoder_layers", "num_hidden_layers", "n_layer", "n_layers", "num_layers")
HEADS = (
    "encoder_attention_heads",
    "num_encoder_attention_heads",
    "num_attention_heads",
    "attention_heads",
    "n_head",
    "n_heads",
    "num_heads",
)
LAYERS_BESIDE = ("decoder_layers", "num_decoder_layers")
HEADS_BESIDE = ("decoder_attention_heads", "num_decoder_attention_heads")
WIDTH = ("hidden_size", "d_model", "n_embd", "n_embed", "dim", "emb_dim")
D_HEAD = ("head_dim", "d_kv")
KINDS = ("layer_types", "layers_block_type", "block_types")  # of the layers one by one, or of some that are repeated
TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config", "text_encoder")  # nested configs
SIDES = (("encoder", "decoder"), ("encoder_config", "decoder_config"))  # of two models made one
POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")
WRITES_ON = re.compile(r"ForCausalLM|LMHead|ForConditionalGeneration")
WRITES_BESIDE = re.compile(r"ForConditionalGeneration|MTModel|^EncoderDecoderModel")
FILLS = re.compile(r"ForMaskedLM|ForPreTraining|WithLMHead")
AS_SAID = re.compile(  # encoders that look back only where their config says that they decode
    r"^(Bert|BertGeneration|BigBird|Camembert|Data2VecText|Electra|Ernie|MegatronBert|RemBert|Roberta"
    r"|RobertaPreLayerNorm|RoCBert|RoFormer|XLMRoberta|XLMRobertaXL|Xmod)(ForCausalLM|LMHeadModel|Decoder)$"
)
WITHOUT_ATTENTION = ("linear_attention", "mamba", "mamba2", "recurrent", "conv", "moe", "mlp")  # layers of hybrids
ONE_OF_TWO = re.compile(r"EncoderModel$|ForCausalLM$|^Funnel")  # may be saved with the config of both stacks
CAUSAL = re.compile(  # decoders, also where they were saved without the layer that predicts
    r"ForCausalLM$"
    r"|^(Afmoe|Apertus|Arcee|AriaText|AXK|Bailing|Bamba|Beam|BioGpt|BitNet|Bloom|Blt|CLIPText|CodeGen|Cohere|CpmAnt"
    r"|CTRL|Cwm|Dbrx|Deepseek|DiffLlama|Doge|Dots[13]|Ernie4|Exaone|Falcon|FlexOlmo|Flint|Gemma|Glm|GPT|GptOss"
    r"|Granite|Helium|HrmText|HunYuan|HyperCLOVAX|HYV|Inkling|Jais2|Jamba|JetMoe|KimiLinear|Kolibri|Laguna|Lfm"
    r"|Llama|LongcatFlash|Mellum|MiMo|MiniCPM|MiniMax|Ministral|Mistral|Mixtral|ModernBertDecoder|Mpt|NanoChat"
    r"|Nemotron|Olmo|OpenAIGPT|OPT|Persimmon|Phi|Qwen|RecurrentGemma|SeedOss|SmolLM|SolarOpen|StableLm|Starcoder"
    r"|VaultGemma|XGLM|Youtu|Zamba|Zaya)",
    re.IGNORECASE,
)


def described(
    config: Mapping[str, Any], name: str = "", short: str = "", source: str = "a local snapshot", revision: str = ""
) -> ModelRow:
    """Return the row of a snapshot, as its config has it: pretrained where it has a revision that others can look up.

    >>> config = {"architectures": ["GPT2LMHeadModel"], "n_layer": 12, "n_head": 12, "n_embd": 768}
    >>> described(config, "gpt2", revision="607a30d").title, described(config, "mine").title
    ('gpt2 · pretrained · 12 × 12', 'mine · unknown origin · 12 × 12')
    """
    origin = "pretrained" if revision else "unknown origin"
    architecture = _architecture(config)
    sides = next((names for names in SIDES if all(isinstance(config.get(name), dict) for name in names)), None)
    part = _text_part(config[sides[0]] if sides else config)
    both = bool(
        sides or config.get("is_encoder_decoder") or part.get("is_encoder_decoder", _first(part, LAYERS_BESIDE))
    )
    two_sided = both and ONE_OF_TWO.search(architecture) is None
    both_ways = part.get("use_bidirectional_attention") in (True, "all")  # Gemma's encoders
    names = architecture, str(part.get("model_type", "")).replace("_", "")  # of the class, and of the model inside it
    is_decoder = architecture.endswith("ForConditionalGeneration") or any(map(CAUSAL.search, names))
    looks_back = bool(config.get("is_decoder")) if AS_SAID.search(architecture) else is_decoder
    causal = not two_sided and not both_ways and looks_back
    layers, heads = ((*LAYERS_BESIDE, *LAYERS), (*HEADS_BESIDE, *HEADS)) if causal else (LAYERS, HEADS)
    n_layers, n_heads = _first(part, layers), _first(part, heads)  # of a decoder that stands alone, its own
    among = () if two_sided else _among(part, n_layers)
    n_layers = len(among) or n_layers
    short = short or name or architecture
    return ModelRow(
        name=name or str(config.get("model_type", "")),
        title=f"{short} · {origin} · {'encoder ' if two_sided else ''}{n_layers} × {n_heads}",
        short=short,
        kind="transformer",
        architecture=architecture,
        n_layers=n_layers,
        n_heads=n_heads,
        d_head=_d_head(part, n_heads),
        max_tokens=min(MAX_TOKENS, _first(part, POSITIONS) or MAX_TOKENS),
        licence="unknown",
        revision=revision,
        origin=origin,
        source=f"{source}{OF_ENCODER}" if two_sided else source,
        two_sided=two_sided,
        beside=_beside(_text_part(config[sides[1]]) if sides else part, n_layers, n_heads, sides is not None)
        if two_sided
        else None,
        causal=causal,
        among=among,
        own_code="auto_map" in config,
        n_shared=max(1, n_heads // (_first(part, ("num_key_value_heads",)) or n_heads or 1)),
    )


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the config of the stack that reads a text, with its default sizes where transformers leaves them out."""
    inside = next((config[name] for name in TEXT_PARTS if isinstance(config.get(name), dict)), None)
    if inside is not None:
        return _text_part(inside)
    whole = _first(config, LAYERS) and _first(config, HEADS) and (_first(config, D_HEAD) or _first(config, WIDTH))
    return config if whole else default_sizes(str(config.get("model_type", ""))) | dict(config)


def default_sizes(model_type: str) -> dict[str, int]:
    """Return the whole numbers of a model type's default config, which transformers leaves out of nested configs."""
    if not model_type:
        return {}
    from mha.models.imported import CONFIG_MAPPING

    defaults = CONFIG_MAPPING[model_type]().to_dict() if model_type in CONFIG_MAPPING else {}
    return {key: value for key, value in defaults.items() if type(value) is int}


def _among(config: Mapping[str, Any], n_layers: int) -> tuple[int, ...]:
    """Return the numbers of the layers that have attention, as a hybrid's config has them; () where all have it.

    >>> _among({"layer_types": ["linear_attention", "full_attention", "conv"]}, 3)
    (1,)
    """
    kinds: list[Any] = next((config[word] for word in KINDS if isinstance(config.get(word), list)), [])
    numbers, every = config.get("attn_layer_indices"), _first(config, ("attn_layer_period",))
    if kinds:
        found = [number for number in range(n_layers) if kinds[number % len(kinds)] not in WITHOUT_ATTENTION]
    elif isinstance(numbers, list):
        found = [number for number in range(n_layers) if number in numbers]
    elif every:
        found = [number for number in range(n_layers) if number % every == config.get("attn_layer_offset", every // 2)]
    else:
        found = []
    return tuple(found) if len(found) < n_layers else ()


def _d_head(config: Mapping[str, Any], n_heads: int) -> int:
    """Return how many numbers of a query belong to one head.

    Latent attention (DeepSeek) has numbers that are turned by their place beside others; ``head_dim`` are the turned.
    """
    others, turned = _first(config, ("qk_nope_head_dim",)), _first(config, ("qk_rope_head_dim",))
    if others:
        return others + turned
    return _first(config, D_HEAD) or (_first(config, WIDTH) // n_heads if n_heads else 0)


def _beside(config: Mapping[str, Any], n_layers: int, n_heads: int, alone: bool) -> tuple[int, int]:
    """Return layers and heads of the decoder next to an encoder: the encoder's if one config has one number for both.

    `alone` says that the config is the decoder's own.
    """
    layers, heads = (LAYERS, HEADS) if alone else ((), ())
    return _first(config, (*LAYERS_BESIDE, *layers)) or n_layers, _first(config, (*HEADS_BESIDE, *heads)) or n_heads


def _architecture(config: Mapping[str, Any]) -> str:
    named = config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else str(config.get("model_type", "unknown"))


def _first(config: Mapping[str, Any], words: Sequence[str]) -> int:
    """Return the first whole number above 0 that the config gives under one of these words, or 0."""
    given = (config.get(word) for word in words)
    return next((int(number) for number in given if type(number) is int and number > 0), 0)
