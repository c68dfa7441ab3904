"""Checking what is handed to a model before the model sees it."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from mha.errors import InputError
from mha.models.watch.anatomy import anatomy
from mha.models.watch.patches import READS, reads

ONE_TEXT = ("input_ids", "inputs_embeds", "decoder_input_ids", "decoder_inputs_embeds")


def prepared(model: PreTrainedModel, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs as tensors on the model's device, with what recording needs.

    Encoder–decoder models that get no target read the source text again, shifted by one, as in training.

    Raises:
        InputError: nothing the model reads, more than one text, image or sound, ids outside the vocabulary, a cache of
            earlier tokens, or a model without weights.
    """
    main = reads(model)
    if main and inputs.get(main) is None:
        raise InputError(f"{type(model).__name__} reads no text: mha.record(model, {main}=…) takes {READS[main]}.")
    if not main and inputs.get("input_ids") is None and inputs.get("inputs_embeds") is None:
        raise InputError("A recording needs input_ids (or inputs_embeds); neither was given.")
    if model.device.type == "meta":
        raise InputError(
            "The model is on the meta device, where it has no weights; load them first, from_pretrained does."
        )
    if inputs.get("past_key_values") is not None:
        raise InputError("A recording sees a whole text at once; leave out past_key_values.")
    ready = {name: _tensor(value, model) for name, value in inputs.items()}
    for name in (*ONE_TEXT, *READS):
        if ready.get(name) is not None:
            _check_one(name, ready[name])
    _check_vocabulary(model, ready)
    _check_room(model, ready)
    if getattr(model.config, "is_encoder_decoder", False):
        _add_target(model, ready)
    if anatomy(model).takes_cache:
        ready["use_cache"] = False
    return ready


def _tensor(value: Any, model: PreTrainedModel) -> Any:
    if isinstance(value, (list, tuple)) or type(value).__module__ == "numpy":
        value = torch.as_tensor(value)
    if isinstance(value, torch.Tensor):
        value = value[None] if value.ndim == 1 else value
        return value.to(model.device)
    return value


def _check_one(name: str, tensor: torch.Tensor) -> None:
    if tensor.shape[0] != 1:
        what = {"pixel_values": "image"}.get(name, "sound" if name in READS else "text")
        raise InputError(f"One {what} at a time: {name} holds {tensor.shape[0]}. Record them one after the other.")
    if tensor.shape[1] == 0:
        raise InputError(f"There is nothing to look at: {name} holds no tokens.")


def _check_vocabulary(model: PreTrainedModel, ready: dict[str, Any]) -> None:
    ids = ready.get("input_ids")
    if ids is None:
        return
    embeddings = model.get_input_embeddings()
    known = getattr(embeddings, "num_embeddings", None)
    if known is None:
        return
    if ids.dtype not in (torch.int32, torch.int64):
        raise InputError(f"input_ids are whole numbers; these are {str(ids.dtype).removeprefix('torch.')}.")
    if ids.min() < 0 or ids.max() >= known:
        raise InputError(f"The model knows tokens 0 to {known - 1}; the ids reach from {ids.min()} to {ids.max()}.")


def _check_room(model: PreTrainedModel, ready: dict[str, Any]) -> None:
    most = anatomy(model).room
    for name in ONE_TEXT:
        if most is not None and ready.get(name) is not None and ready[name].shape[1] > most:
            raise InputError(f"The model reads at most {most} tokens at once; these are {ready[name].shape[1]}.")


def _add_target(model: PreTrainedModel, ready: dict[str, Any]) -> None:
    if any(ready.get(name) is not None for name in ("decoder_input_ids", "decoder_inputs_embeds", "labels")):
        return
    if "input_ids" not in ready:
        raise InputError("This model has an encoder and a decoder; give decoder_input_ids too.")
    ids, config = ready["input_ids"], model.config
    candidates = (getattr(config, "decoder_start_token_id", None), getattr(config, "bos_token_id", None), 0)
    start = next(candidate for candidate in candidates if candidate is not None)
    ready["decoder_input_ids"] = torch.cat([torch.full_like(ids[:, :1], start), ids[:, :-1]], dim=1)
