"""An inspected snapshot, described and loaded by transformers: without a network and without code of its own."""

import inspect
import re
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from mha.errors import ModelUnavailable
from mha.models.files.inspection import refusing
from mha.models.files.rows import MAX_TOKENS, OF_ENCODER, ModelRow
from mha.models.imported import (
    CONFIG_MAPPING,
    MODEL_MAPPING,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    auto_names,
    logging,
    transformers,
)

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
NO_SETTINGS = ("auto_map", "quantization_config")
SPLITTING = (
    "normalizer",
    "pre_tokenizer",
    "model",
    "decoder",
    "post_processor",
)  # the parts of a tokenizer that decide on tokens
NO_SCALING = ("rope_scaling", None)  # transformers warns of it where the architecture has no rotations
NEEDS_MORE = re.compile(  # two encoders that are compared, a required input, or an error without one
    r"logits_per_|^        (?:pixel|input)_(?:values|features): [^=\n]*,$"
    r"|raise ValueError\([^)]*(?:(?:either|1 of|one of) (?:pixel_values|input_features)|visual_feats)",
    re.MULTILINE,
)
SPARE = 1.1  # a model may tie weights that its file holds once, but may not be much larger than its file

UNKNOWN = "The installed transformers does not know the model's architecture, or refuses its config."

STACK_ALONE = re.compile(r"EncoderModel$|ForCausalLM$|^Funnel")  # may be saved with the config of both stacks
WITHOUT_ATTENTION = ("linear_attention", "mamba", "mamba2", "recurrent", "conv", "moe", "mlp")  # layers of hybrids
DECODERS = {  # model types with causal attention
    *auto_names.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    *auto_names.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    "clip_text_model",
} - {  # architectures that are causal only as a decoder
    *auto_names.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    *auto_names.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "bert-generation",
    "xlnet",
}


@refusing(UNKNOWN)
def described(config: dict[str, Any], name: str = "", source: str = "a local snapshot", revision: str = "") -> ModelRow:
    """Return the row of a snapshot with this accepted config.

    Its origin is "pretrained" if it has a revision that others can look up. Errors as `resolve_architecture`.

    >>> config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}
    >>> described(config, "gpt2", revision="607a30d").title, described(config, "mine").title
    ('gpt2 · pretrained · 12 × 12', 'mine · unknown origin · 12 × 12')
    """
    settings, model_class = resolve_architecture(config)
    architecture = model_class.__name__
    two_sided = settings.is_encoder_decoder and not STACK_ALONE.search(architecture)
    encoder, decoder = _stack(settings, "encoder"), _stack(settings, "decoder")
    is_decoder = (
        getattr(encoder, "is_decoder", False)
        or architecture.endswith("ForConditionalGeneration")
        or (settings.is_encoder_decoder and architecture.endswith("ForCausalLM"))
        or not {settings.model_type, encoder.model_type.removesuffix("_text")}.isdisjoint(DECODERS)
    )
    looks_ahead = two_sided or getattr(encoder, "use_bidirectional_attention", None) in (
        True,
        "all",
    )  # as Gemma's encoders
    causal = is_decoder and not looks_ahead
    n_layers, n_heads = _layers_and_heads(encoder, "decoder" if causal else "encoder")
    code = f"The model names code of its own, which is not run: transformers' own {architecture} reads it."
    notes = [code] if "auto_map" in config else []
    kinds = getattr(encoder, "layers_block_type", None) or getattr(encoder, "layer_types", None) or ()
    attending = [number for number, kind in enumerate(kinds) if kind not in WITHOUT_ATTENTION]
    if 0 < len(attending) < n_layers:
        n_layers, numbers = len(attending), ", ".join(map(str, attending))
        names = "L0 is the model's layer" if n_layers == 1 else "L0 and so on are the model's layers"
        notes.append(f"Layers without attention are left out. {names} {numbers}.")
    predicts = "mask" if architecture.endswith(("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")) else ""
    if model_class.can_generate() and (two_sided or causal):
        predicts = "target" if two_sided else "next"
    short = name.split("@")[0].split("/")[-1] or architecture  # of org/name@commit
    origin = "pretrained" if revision else "unknown origin"
    return ModelRow(
        name=name or settings.model_type,
        title=f"{short} · {origin} · {'encoder ' if two_sided else ''}{n_layers} × {n_heads}",
        short=short,
        kind="transformer",
        architecture=architecture,
        n_layers=n_layers,
        n_heads=n_heads,
        d_head=_d_head(encoder, n_heads),
        max_tokens=min(MAX_TOKENS, _number(encoder, "max_position_embeddings") or MAX_TOKENS),
        licence="unknown",
        revision=revision,
        origin=origin,
        source=f"{source}{OF_ENCODER}" if two_sided else source,
        two_sided=two_sided,
        decoder_shape=_layers_and_heads(decoder, "decoder") if two_sided else None,
        causal=causal,
        predicts=predicts,
        n_shared=max(1, n_heads // (_number(encoder, "num_key_value_heads") or n_heads or 1)),
        notes=tuple(notes),
    )


def _stack(settings: PreTrainedConfig, side: str) -> PreTrainedConfig:
    """Return the config of the text model on one side, "encoder" or "decoder"; often both have the same config."""
    config = getattr(settings, side, settings).get_text_config()
    config.allow_global_per_layer_attribute_access = True  # sizes that differ between layers: the config's own
    return config


def _layers_and_heads(config: PreTrainedConfig, side: str) -> tuple[int, int]:
    return (
        _number(config, f"{side}_layers", f"num_{side}_layers", "num_hidden_layers"),
        _number(config, f"{side}_attention_heads", f"num_{side}_attention_heads", "num_attention_heads"),
    )


def _d_head(config: PreTrainedConfig, n_heads: int) -> int:
    """Return the width of a query; in latent attention (DeepSeek) ``head_dim`` is only the part that is rotated."""
    latent, rotated = _number(config, "qk_nope_head_dim"), _number(config, "qk_rope_head_dim")
    width = _number(config, "hidden_size") // max(n_heads, 1)
    return latent + rotated if latent else _number(config, "head_dim") or width


def _number(config: PreTrainedConfig, *names: str) -> int:
    """Return the first whole number above 0 under one of these names, or 0; transformers maps older names."""
    values = (getattr(config, name, None) for name in names)
    return next((value for value in values if isinstance(value, int) and value > 0), 0)


@refusing(UNKNOWN)
def resolve_architecture(config: dict[str, Any]) -> tuple[PreTrainedConfig, Any]:
    """Return transformers' own config with the accepted entries, and the model class that it names.

    The weights were saved from the named class, so that no head is missing. If transformers has no such class, it is
    the base class of the model type.

    Raises:
        ModelUnavailable: transformers does not know the architecture, or refuses the config.
    """
    settings = CONFIG_MAPPING[config["model_type"]].from_dict(
        {key: value for key, value in config.items() if key not in NO_SETTINGS and (key, value) != NO_SCALING}
    )
    architecture = getattr(transformers, (settings.architectures or [""])[0], None)
    if (
        isinstance(architecture, type)
        and issubclass(architecture, PreTrainedModel)
        and architecture.config_class is type(settings)
    ):
        return settings, architecture
    base = MODEL_MAPPING[type(settings)]
    return settings, base[0] if isinstance(base, tuple) else base


@refusing("The model's config and weights do not fit each other; it is not loaded.")
def model_from(folder: Path, config: dict[str, Any], n_stored: int) -> PreTrainedModel:
    """Return the model in evaluation mode; ``n_stored`` is the number of weights in its file.

    Raises:
        ModelUnavailable: the architecture is unknown, or model and weights do not fit each other.
    """
    settings, model_class = resolve_architecture(config)
    settings._attn_implementation = settings._experts_implementation = None  # transformers' defaults
    with torch.device("meta"):  # before memory is allocated
        n_numbers = sum(parameter.numel() for parameter in model_class(settings).parameters())
    if n_numbers > SPARE * n_stored:
        raise ValueError(f"the config asks for {n_numbers:,} numbers; the file holds {n_stored:,}")
    shows_progress = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        options: dict[str, Any] = {"use_safetensors": True, "output_loading_info": True} | LOCAL
        model, report = model_class.from_pretrained(folder, config=settings, **options)
    finally:
        if shows_progress:
            logging.enable_progress_bar()
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelUnavailable("Some of the model's weights are missing from its file; it is not loaded.")
    if "auto_map" in config and any(re.search(r"\.\d+\.", key) for key in report["unexpected_keys"]):
        raise ModelUnavailable("The model needs code of its own: transformers ignores some weights of its layers.")
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise ModelUnavailable("Some of the model's weights are infinite or not numbers (NaN); it is not loaded.")
    return model.eval()


@refusing("The model's tokenizer cannot be read.")
def tokenizer_from(folder: Path, config: Any = None) -> Any:
    """Return the snapshot's fast tokenizer; ``config`` is its model's, by default the folder's.

    For some types of models transformers 5 replaces how tokenizer.json splits a text. The model was trained with the
    file, so the file is followed.

    Raises:
        ModelUnavailable: it cannot be read, is not a fast one, or states no length.
    """
    tokenizer = AutoTokenizer.from_pretrained(folder, config=config, use_fast=True, **LOCAL)
    if tokenizer.is_fast and not hasattr(tokenizer, "src_lang"):  # those have methods for languages
        file_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        if any(
            repr(getattr(file_tokenizer, part)) != repr(getattr(tokenizer.backend_tokenizer, part))
            for part in SPLITTING
        ):
            tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, **LOCAL)
    if not (tokenizer.is_fast and tokenizer.model_max_length >= 1):
        raise ModelUnavailable("The model's tokenizer gives no positions of tokens in the text, or reads no tokens.")
    tokenizer.truncation_side = "right"  # a long text is read from its beginning, as the notes state
    return tokenizer


@refusing(UNKNOWN)
def reads_text(model_class: Any) -> bool:
    """Return whether a class of transformers, and each model inside it, runs on a text alone.

    Raises:
        ModelUnavailable: transformers cannot import the class here.
    """
    inner = re.findall(r"self\.[a-z0-9]+ = (\w+Model)\(config[,)]", inspect.getsource(model_class.__init__))
    module, inner_names = inspect.getmodule(model_class), {*inner} - {model_class.__name__}
    return (
        model_class.main_input_name == "input_ids"
        and "input_ids" in inspect.signature(model_class.forward).parameters
        and not NEEDS_MORE.search(inspect.getsource(model_class.forward))
        and all(reads_text(getattr(module, name)) for name in inner_names if hasattr(module, name))
    )
