"""The library calls that load an inspected snapshot folder, without a network and without the folder's own code."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from mha.errors import ModelUnavailable
from mha.models.imported import (
    CONFIG_MAPPING,
    MODEL_MAPPING,
    AutoTokenizer,
    PreTrainedModel,
    logging,
    transformers,
)

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
NO_SETTINGS = ("auto_map", "quantization_config")
NO_SCALING = ("rope_scaling", None)  # transformers warns of it where the architecture has no rotations
OF_A_LAYER = re.compile(r"\.\d+\.")
NEEDS_MORE = re.compile(  # two encoders that are compared, a required input, or an error without one
    r"logits_per_|^        (?:pixel|input)_(?:values|features): [^=\n]*,$"
    r"|raise ValueError\([^)]*(?:(?:either|1 of|one of) (?:pixel_values|input_features)|visual_feats)",
    re.MULTILINE,
)
INNER = re.compile(r"self\.[a-z0-9]+ = (\w+Model)\(config[,)]")
SPARE = 1.1  # a model may tie weights that its file holds once, but may not be much larger than its file


def model_from(folder: Path, config: dict[str, Any], held: int) -> PreTrainedModel:
    """Return the model in evaluation mode; ``held`` is how many numbers its file holds.

    Raises:
        ModelUnavailable: the architecture is unknown, or model and weights do not fit each other.
    """
    model_class = class_of(config)
    if model_class is None:
        raise ModelUnavailable("The model's config names no architecture that the installed transformers knows.")
    try:
        settings = CONFIG_MAPPING[config["model_type"]].from_dict(
            {key: value for key, value in config.items() if key not in NO_SETTINGS and (key, value) != NO_SCALING}
        )
        settings._attn_implementation = settings._experts_implementation = None  # transformers' defaults
        with torch.device("meta"):
            n_numbers = sum(parameter.numel() for parameter in model_class(settings).parameters())
        if n_numbers > SPARE * held:  # before memory is allocated
            raise ValueError(f"the config asks for {n_numbers:,} numbers; the file holds {held:,}")
        with without_progress_bar():
            model, report = model_class.from_pretrained(
                folder, config=settings, use_safetensors=True, output_loading_info=True, **LOCAL
            )
    except Exception as error:  # any error of the library is due to the files
        raise ModelUnavailable("The model's config and weights do not fit each other; it is not loaded.") from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelUnavailable("Some of the model's weights are missing from its file; it is not loaded.")
    if "auto_map" in config and any(OF_A_LAYER.search(key) for key in report["unexpected_keys"]):
        raise ModelUnavailable("The model needs code of its own: transformers ignores some weights of its layers.")
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise ModelUnavailable("Some of the model's weights are infinite or not numbers (NaN); it is not loaded.")
    return model.eval()


def tokenizer_from(folder: Path, config: Any = None) -> Any:
    """Return the snapshot's fast tokenizer; `config` is that of its model, which is read from the folder otherwise."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, config=config, use_fast=True, **LOCAL)
    except Exception as error:
        raise ModelUnavailable("The model's tokenizer cannot be read.") from error
    if not tokenizer.is_fast:
        raise ModelUnavailable("The model's tokenizer does not give the characters of each token.")
    most = tokenizer.model_max_length
    if not isinstance(most, int | float) or not most >= 1:
        raise ModelUnavailable(f"The model's tokenizer reads at most {str(most)[:40]!r} tokens, which is not a number.")
    tokenizer.truncation_side = "right"  # what is too long is read from its beginning, as the notes say
    return tokenizer


@contextmanager
def without_progress_bar() -> Iterator[None]:
    """Let transformers print no progress bar inside the block."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def class_of(config: dict[str, Any]) -> Any:
    """Return the class of transformers that a config names, else the base class of its type; None if both are unknown.

    The weights were saved from the named class, so that no head is missing.
    """
    if str(config.get("model_type")) not in CONFIG_MAPPING:
        return None
    settings_class = CONFIG_MAPPING[str(config["model_type"])]
    named = getattr(transformers, str((config.get("architectures") or [""])[0]), None)
    if isinstance(named, type) and issubclass(named, PreTrainedModel) and named.config_class is settings_class:
        return named
    base = MODEL_MAPPING.get(settings_class, None)
    return base[0] if isinstance(base, tuple) else base


def reads_text(model_class: Any) -> bool:
    """Return whether a class of transformers, and each model inside it, runs on a text alone."""
    inner = INNER.findall(inspect.getsource(model_class.__init__))
    module, inner_names = sys.modules[model_class.__module__], {*inner} - {model_class.__name__}
    return (
        model_class.main_input_name == "input_ids"
        and "input_ids" in inspect.signature(model_class.forward).parameters
        and not NEEDS_MORE.search(inspect.getsource(model_class.forward))
        and all(reads_text(getattr(module, name)) for name in inner_names if hasattr(module, name))
    )
