"""Several texts in one forward pass of an encoder, the shorter ones filled up: each comes out as if it ran alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch

from mha.errors import MHAError
from mha.maps import AttentionMaps, Recording
from mha.models.files.loading import LoadedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attending import record_text
from mha.models.watch.attention import NAME
from mha.models.watch.capturing import capturing
from mha.models.watch.recording import listening
from mha.models.watch.threads import one_thread
from mha.models.watch.tokens import Encoded, encode
from mha.words import Accepted

ALONE_UP_TO = 256  # tokens of a batch that one thread runs


def record_together(texts: Sequence[str], loaded: LoadedModel, keep: Sequence[str] = ()) -> list[Recording | MHAError]:
    """Return what each accepted text shows, or the error that it alone raises, in one forward pass where that is exact.

    Weights to what was filled up are exactly 0 and are cut away. Models whose positions may depend on the filling, and
    those that were not yet held against their eager attention, record one text after the other.
    """
    read = [_encoded(text, loaded) for text in texts]
    whole = [one for one in read if isinstance(one, Encoded)]
    if len(whole) < 2 or not _exact(loaded):
        return [
            one if isinstance(one, MHAError) else _alone(text, loaded, keep)
            for text, one in zip(texts, read, strict=True)
        ]
    good = [text for text, one in zip(texts, read, strict=True) if isinstance(one, Encoded)]
    together = iter(_together(good, whole, loaded, keep))
    return [one if isinstance(one, MHAError) else next(together) for one in read]


def _encoded(text: str, loaded: LoadedModel) -> Encoded | MHAError:
    try:
        return encode(loaded.tokenizer, text, None, loaded.max_tokens)
    except MHAError as error:
        return error


def _alone(text: str, loaded: LoadedModel, keep: Sequence[str]) -> Recording | MHAError:
    try:
        return record_text(Accepted(text), loaded, keep=keep)
    except MHAError as error:
        return error


def _exact(loaded: LoadedModel) -> bool:
    """Return whether filling up on the right changes nothing: learned absolute positions, counted from the left."""
    known = anatomy(loaded.model)
    by_place = loaded.model.config.model_type == "bert" and set(known.n_layers) == {"self"}
    return known.checked and known.way == NAME and by_place


def _together(texts: list[str], encoded: list[Encoded], loaded: LoadedModel, keep: Sequence[str]) -> list[Recording]:
    model, known = loaded.model, anatomy(loaded.model)
    wanted = tuple(what for what in keep if what != "hidden")
    hidden = {"output_hidden_states": True} if "hidden" in keep else {}
    n_tokens = len(encoded) * max(len(one.tokens) for one in encoded)
    with torch.inference_mode(), one_thread() if n_tokens <= ALONE_UP_TO else nullcontext(), capturing(model):
        with listening(model, ("weights", *wanted), batched=True, n_layers=known.n_layers) as call:
            outputs = model(**_filled(encoded, loaded), **hidden)
        kept = {what: call.stacked("self", what).numpy() for what in ("weights", *wanted)}
        if hidden:
            kept["hidden"] = torch.stack([state.float().cpu() for state in outputs.hidden_states]).numpy()
    return [
        _cut({what: array[:, place] for what, array in kept.items()}, text, one, loaded)
        for place, (text, one) in enumerate(zip(texts, encoded, strict=True))
    ]


def _filled(encoded: Sequence[Encoded], loaded: LoadedModel) -> dict[str, torch.Tensor]:
    """Return the inputs of all texts, [text, token], filled up on the right with what the attention mask hides."""
    longest = max(len(one.tokens) for one in encoded)
    fill = {"input_ids": loaded.tokenizer.pad_token_id or 0}
    filled: dict[str, Any] = {}
    for name in encoded[0].inputs:
        rows = [list(one.inputs[name][0]) for one in encoded]
        filled[name] = torch.tensor([row + [fill.get(name, 0)] * (longest - len(row)) for row in rows])
    shown = [[1] * len(one.tokens) + [0] * (longest - len(one.tokens)) for one in encoded]
    return {**filled, "attention_mask": torch.tensor(shown)}


def _cut(kept: dict[str, np.ndarray], text: str, encoded: Encoded, loaded: LoadedModel) -> Recording:
    """Return one text's recording, copied out of the batch, so that nothing keeps the batch in memory."""
    n = len(encoded.tokens)
    weights = kept.pop("weights")[:, :, :n, :n].copy()  # [layer, head, query, key]
    row = loaded.row
    maps = AttentionMaps(
        weights=weights,
        tokens=encoded.tokens,
        text=text,
        model=row.short,
        revision=row.revision,
        origin=row.origin,
        causal=False,
        half_precision=loaded.model.dtype in (torch.float16, torch.bfloat16),
    )
    rest: dict[str, Any] = {what: array[..., :n, :].copy() for what, array in kept.items()}
    return dataclasses.replace(Recording(maps=maps, stacks={"self": weights}, **rest), notes=encoded.notes)
