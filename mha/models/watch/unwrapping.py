"""The transformers model inside an object that a caller holds: a wrapper, a pipeline, a module of their own."""

from __future__ import annotations

from typing import Any

from torch import nn

from mha.errors import InputError
from mha.models.files.snapshot import reads_text
from mha.models.imported import PreTrainedModel

ACCEPTED = (
    "Pass a transformers model, a module that contains one, or the result of mha.load_model(); weights of other "
    "layers go to mha.from_arrays(weights, tokens)."
)


def unwrap_model(model: Any) -> tuple[PreTrainedModel, Any]:
    """Return the one transformers model of an object, and the object's tokenizer or None.

    A `LoadedModel`, a pipeline and a trainer have it as ``model``; any other module is searched, such as DataParallel,
    a SentenceTransformer or a classifier of the caller's own.

    Raises:
        InputError: the object has no transformers model, has several, or compares the outputs of two.
    """
    name, tokenizer = type(model).__name__, getattr(model, "tokenizer", None)
    if not isinstance(model, nn.Module):
        model = getattr(model, "model", model)
    if not isinstance(model, nn.Module):
        raise InputError(f"A {name} is not a model in memory. {ACCEPTED}")
    models = _outermost("model", model)
    if not models:
        raise InputError(f"{name} contains no transformers model. {ACCEPTED}")
    if len(models) > 1:
        raise InputError(f"{name} contains {len(models)} transformers models. Pass one of them: {_names_of(models)}.")
    (only,) = models.values()
    stacks = {path: part for path, part in _children("model", only).items() if isinstance(part, PreTrainedModel)}
    takes_text = only.main_input_name == "input_ids"  # a model of images has another sentence
    if len(stacks) > 1 and takes_text and not reads_text(type(only)):
        raise InputError(
            f"{type(only).__name__} compares the outputs of several models. Pass one of them: {_names_of(stacks)}."
        )
    return only, tokenizer


def _outermost(path: str, module: nn.Module) -> dict[str, PreTrainedModel]:
    """Return the transformers models in a module that are in no other one, by their paths."""
    if isinstance(module, PreTrainedModel):
        return {path: module}
    parts = [_outermost(name, part) for name, part in _children(path, module).items()]
    return {name: model for part in parts for name, model in part.items()}


def _children(path: str, module: nn.Module) -> dict[str, nn.Module]:
    return {f"{path}[{name}]" if name.isdigit() else f"{path}.{name}": part for name, part in module.named_children()}


def _names_of(models: dict[str, Any]) -> str:
    return ", ".join(f"{path} ({type(model).__name__})" for path, model in models.items())
