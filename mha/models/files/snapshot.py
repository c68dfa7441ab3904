"""The library calls that load an inspected snapshot folder, without a network and without the folder's own code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoTokenizer, PreTrainedModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.utils import logging

from mha.errors import ModelUnavailable

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
SPARE = 1.1  # a model may tie weights that its file holds once, but may not be much larger than its file


def model_from(folder: Path, config: dict[str, Any], held: int) -> PreTrainedModel:
    """Return the model in evaluation mode; ``held`` is how many numbers its file holds.

    Raises:
        ModelUnavailable: the architecture is unknown, or model and weights do not fit each other.
    """
    if config.get("model_type") not in CONFIG_MAPPING:
        raise ModelUnavailable("The model's config names no architecture that the installed transformers knows.")
    try:
        model_class = _class_of(config)
        _check_size(model_class, folder, held)
        with _without_progress_bar():
            model, report = model_class.from_pretrained(folder, use_safetensors=True, output_loading_info=True, **LOCAL)
    except ModelUnavailable:
        raise
    except Exception as error:  # whatever the library makes of a bad config is the model's fault, not the reader's
        raise ModelUnavailable("The model's config and weights do not fit each other; it is not loaded.") from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelUnavailable("Some of the model's weights are missing from its file; it is not loaded.")
    return model.eval()


def tokenizer_from(folder: Path) -> Any:
    """Return the snapshot's fast tokenizer."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, **LOCAL)
    except Exception as error:
        raise ModelUnavailable("The model's tokenizer cannot be read.") from error
    if not tokenizer.is_fast:
        raise ModelUnavailable("The model's tokenizer does not give the characters of each token.")
    return tokenizer


@contextmanager
def _without_progress_bar() -> Iterator[None]:
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


def _check_size(model_class: Any, folder: Path, held: int) -> None:
    config = AutoConfig.from_pretrained(folder, **LOCAL)
    with torch.device("meta"):
        empty = AutoModel.from_config(config) if model_class is AutoModel else model_class(config)
    wanted = sum(parameter.numel() for parameter in empty.parameters())
    if wanted > SPARE * held:
        raise ModelUnavailable(f"The model's config asks for {wanted:,} numbers; its file holds {held:,}.")
