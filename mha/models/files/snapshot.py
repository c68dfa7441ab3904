"""The library calls that load an inspected snapshot folder, without a network and without the folder's own code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from mha.errors import ModelUnavailable
from mha.models.imported import (
    CONFIG_MAPPING,
    AutoModel,
    AutoTokenizer,
    PreTrainedModel,
    logging,
    transformers,
)

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
NO_SETTINGS = ("auto_map", "quantization_config")
NO_SCALING = ("rope_scaling", None)  # transformers warns of it where the architecture has no rotations
OF_A_LAYER = re.compile(r"\.\d+\.")
SPARE = 1.1  # a model may tie weights that its file holds once, but may not be much larger than its file


def model_from(folder: Path, config: dict[str, Any], held: int) -> PreTrainedModel:
    """Return the model in evaluation mode; ``held`` is how many numbers its file holds.

    Raises:
        ModelUnavailable: the architecture is unknown, or model and weights do not fit each other.
    """
    named = config.get("model_type")
    if not isinstance(named, str) or named not in CONFIG_MAPPING:
        raise ModelUnavailable("The model's config names no architecture that the installed transformers knows.")
    own_code = "auto_map" in config
    try:
        settings = CONFIG_MAPPING[named].from_dict(
            {key: value for key, value in config.items() if key not in NO_SETTINGS and (key, value) != NO_SCALING}
        )
        settings._attn_implementation = settings._experts_implementation = None  # transformers' defaults
        model_class = _class_of(config)
        _check_size(model_class, settings, held)
        with without_progress_bar():
            model, report = model_class.from_pretrained(
                folder, config=settings, use_safetensors=True, output_loading_info=True, **LOCAL
            )
    except ModelUnavailable:
        raise
    except Exception as error:  # whatever the library makes of a bad config is the model's fault, not the reader's
        raise ModelUnavailable("The model's config and weights do not fit each other; it is not loaded.") from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelUnavailable("Some of the model's weights are missing from its file; it is not loaded.")
    if own_code and any(OF_A_LAYER.search(key) for key in report["unexpected_keys"]):
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


def _class_of(config: dict[str, Any]) -> Any:
    """Return the class that the weights were saved from, if transformers has it, so that no head is missing."""
    named = config.get("architectures") or [""]
    found = getattr(transformers, str(named[0]), None)
    right = isinstance(found, type) and issubclass(found, PreTrainedModel)
    if right and getattr(found, "config_class", None) is CONFIG_MAPPING[config["model_type"]]:
        return found
    return AutoModel


def _check_size(model_class: Any, settings: Any, held: int) -> None:
    with torch.device("meta"):
        empty = AutoModel.from_config(settings) if model_class is AutoModel else model_class(settings)
    wanted = sum(parameter.numel() for parameter in empty.parameters())
    if wanted > SPARE * held:
        raise ModelUnavailable(f"The model's config asks for {wanted:,} numbers; its file holds {held:,}.")
