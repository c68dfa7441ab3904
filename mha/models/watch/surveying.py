"""Running a model for a survey: held against its own eager attention once, on a short text, and then in blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId, Recording, Token
from mha.models.files.catalog import model_row
from mha.models.files.environment import used_again
from mha.models.files.hub import is_hub_id
from mha.models.files.loading import LoadedModel, load
from mha.models.watch.anatomy import Anatomy, anatomy
from mha.models.watch.attending import record_text
from mha.models.watch.attention import NAME, current
from mha.models.watch.blocks import BLOCK_BYTES, InBlocks, Watcher
from mha.models.watch.inputs import prepared
from mha.models.watch.recording import compare, names_of, run
from mha.models.watch.survey import Progress, Survey
from mha.models.watch.switching import attention_named
from mha.models.watch.tally import Keeps, Tally
from mha.models.watch.tokens import encode
from mha.words import accept

CELLS = 48  # a side of the overview, at most
MAX_CHARACTERS = 200_000
MAX_TOKENS = 8_192  # of a text; ids that someone holds may be more
MAP_BYTES = 2**29  # of the maps that are kept whole, and of all maps of a model that shows them only whole
PROBE = 64  # tokens of the text on which the blocks are held against eager attention
PROBE_ROWS = 5  # queries of a block there


@dataclass(frozen=True)
class SurveyRequest:
    """What is asked of a survey: see `mha.models.watch.survey.survey`."""

    places: tuple[int, ...]
    heads: tuple[HeadId, ...]
    stack: str
    progress: Progress | None


def of_text(text: str, pair: str | None, model: str | LoadedModel, asked: SurveyRequest) -> Survey:
    """Return the survey of a text by a model on offer, a loaded one, or one of the hub."""
    first = accept(text, MAX_CHARACTERS)
    second = None if pair is None else accept(pair, MAX_CHARACTERS)
    other = None if second is None else second.text
    if isinstance(model, str):
        if not is_hub_id(model) and model_row(model).kind != "transformer":
            return _of_recording(record_text(first, model, second), asked)
        model = load(model)
    room = anatomy(model.model).room
    most = min(MAX_TOKENS, room or MAX_TOKENS, model.tokenizer.model_max_length)
    encoded = encode(model.tokenizer, first.text, other, most)
    notes = first.notes + (second.notes if second else ()) + encoded.notes
    told = _about(model) | {"text": first.text, "pair": other, "notes": notes}
    return _surveyed(model.model, dict(encoded.inputs), encoded.tokens, model.tokenizer, asked, told)


def of_inputs(
    model: Any, inputs: dict[str, Any], tokens: Sequence[Token] | None, tokenizer: Any, asked: SurveyRequest
) -> Survey:
    """Return the survey of inputs by a transformers model that someone holds."""
    if isinstance(model, LoadedModel):
        told = _about(model)
        return _surveyed(model.model, inputs, tokens, tokenizer or model.tokenizer, asked, told)
    return _surveyed(model, inputs, tokens, tokenizer, asked, {"model": type(model).__name__})


def _about(loaded: LoadedModel) -> dict[str, Any]:
    return {"model": loaded.row.short, "revision": loaded.row.revision, "origin": loaded.row.origin}


def _surveyed(
    model: Any,
    inputs: dict[str, Any],
    tokens: Sequence[Token] | None,
    tokenizer: Any,
    asked: SurveyRequest,
    told: dict[str, Any],
) -> Survey:
    ready = prepared(model, inputs)
    known = _checked(model, ready)
    stack = _chosen(asked.stack, tuple(known.shapes), told["model"])
    source = names_of(ready, tokenizer) if tokens is None else tuple(tokens)
    target = source if stack in ("self", "encoder") else names_of(ready, tokenizer, side="decoder_")
    keys = source if stack == "cross" else target
    tally = _tally(asked, target, keys, stack, told["model"], known.shapes[stack], _half(model))
    if known.way == NAME:
        with used_again(BLOCK_BYTES):
            _run_in_blocks(model, ready, {stack: tally}, align=tally.keeps.cell)
    else:
        _check_whole(told["model"], known.shapes, len(source))
        _show(tally, run(model, ready)[0][stack])
    return _survey(tally, stack, told)


def _of_recording(recording: Recording, asked: SurveyRequest) -> Survey:
    maps = recording.maps
    stack = _chosen(asked.stack, tuple(recording.stacks), maps.model)
    size = (maps.n_layers, maps.n_heads)
    tally = _tally(asked, maps.tokens, maps.key_tokens, stack, maps.model, size)
    _show(tally, torch.tensor(recording.stacks[stack]))
    told = {name: getattr(maps, name) for name in ("text", "pair", "model", "revision", "origin")}
    return _survey(tally, stack, told | {"notes": recording.notes})


def _chosen(wanted: str, there: tuple[str, ...], name: str) -> str:
    if wanted and wanted not in there:
        raise InputError(f"{name} has {', '.join(there)}; there is no {wanted!r}.")
    return wanted or next(stack for stack in ("self", "encoder", "decoder", "cross") if stack in there)


def _tally(
    asked: SurveyRequest,
    tokens: tuple[Token, ...],
    keys: tuple[Token, ...],
    stack: str,
    name: str,
    size: tuple[int, int],
    half: bool = False,
) -> Tally:
    """Return an empty tally, if what was asked for is there and not too much."""
    n_layers, n_heads = size
    longest = max(len(tokens), len(keys))
    for place in asked.places:
        if not 0 <= place < longest:
            raise InputError(f"This text has tokens 0 to {longest - 1}; you asked for {place}.")
    for head in asked.heads:
        if not (0 <= head.layer < n_layers and 0 <= head.head < n_heads):
            raise InputError(f"{name} has heads L0H0 to {HeadId(n_layers - 1, n_heads - 1)}; you asked for {head}.")
    room = 4 * len(tokens) * len(keys) * len(set(asked.heads))
    if room > MAP_BYTES:
        raise InputError(
            f"{len(set(asked.heads))} whole maps of {len(tokens):,} × {len(keys):,} tokens take "
            f"{room / 2**20:,.0f} MB; at most {MAP_BYTES // 2**20} MB are kept. Ask for fewer heads."
        )
    keeps = Keeps(tokens, keys, -(-longest // CELLS), asked.places, asked.heads, stack == "cross", half)
    return Tally(keeps, _each(asked.progress, n_layers))


def _each(progress: Progress | None, n_layers: int) -> Callable[[int, np.ndarray], None] | None:
    return None if progress is None else lambda layer, overview: progress(layer + 1, n_layers, overview)


def _survey(tally: Tally, stack: str, told: dict[str, Any]) -> Survey:
    keeps = tally.keeps
    return Survey(
        overview=np.stack(tally.overview),
        cell=keeps.cell,
        statistics=tally.statistics(),
        aside=np.stack(tally.per_row["aside"]),
        rows={place: np.stack(layers) for place, layers in tally.rows.items()},
        columns={place: np.stack(layers) for place, layers in tally.columns.items()},
        maps=dict(tally.maps),
        tokens=keeps.tokens,
        key_tokens=keeps.key_tokens,
        stack=stack,
        causal=tally.causal,
        **told,
    )


def _half(model: Any) -> bool:
    return model.dtype in (torch.float16, torch.bfloat16)


def _run_in_blocks(
    model: Any, ready: dict[str, Any], watchers: dict[str, Watcher], align: int = 1, rows: int | None = None
) -> None:
    """Run the part of the model that the watched stacks stand in; what predicts words from it is left out."""
    known = anatomy(model)
    body, inputs = model.base_model, ready
    if set(watchers) == {"encoder"}:
        body = model.get_encoder()
        inputs = {
            name: value for name, value in ready.items() if name in ("input_ids", "inputs_embeds", "attention_mask")
        }
    elif "labels" in ready:
        body = model
    call = InBlocks(known.stack_of, watchers, align, rows)
    with torch.inference_mode(), current(call), attention_named(known.configs, NAME):
        body(**inputs)


def _show(tally: Tally, stack: torch.Tensor) -> None:
    """Show a tally the whole maps [layer, head, query, key] of a stack, in blocks."""
    n_layers, n_heads, n_queries, n_keys = stack.shape
    rows = max(1, BLOCK_BYTES // (4 * n_heads * n_keys))
    for layer in range(n_layers):
        for first in range(0, n_queries, rows):
            tally.block(layer, first, 0, stack[layer, :, first : first + rows])
        tally.done(layer)


def _checked(model: Any, ready: dict[str, Any]) -> Anatomy:
    """Return what is known of the model; the first time, its blocks are held against eager on a few tokens."""
    known = anatomy(model)
    if not known.shapes:
        short = {name: _short(value) for name, value in ready.items()}
        recorded, _, _ = run(model, short)
        if known.way == NAME:
            whole = {stack: _Whole(weights) for stack, weights in recorded.items()}
            _run_in_blocks(model, short, dict(whole), rows=PROBE_ROWS)
            compare(model, {stack: watcher.weights for stack, watcher in whole.items()}, recorded)
        known.shapes = {stack: (weights.shape[0], weights.shape[1]) for stack, weights in recorded.items()}
    return known


class _Whole:
    """A watcher that keeps everything: for short texts."""

    def __init__(self, like: torch.Tensor) -> None:
        self.weights = torch.zeros_like(like)

    def block(self, layer: int, first: int, begin: int, weights: torch.Tensor) -> None:
        """Keep the block."""
        self.weights[layer, :, first : first + weights.shape[1], begin : begin + weights.shape[2]] = weights

    def done(self, layer: int) -> None:
        """Go on."""


def _short(value: Any) -> Any:
    """Return the first tokens of an input [1, token, …], or of a mask [1, 1 or head, query, key]."""
    if not isinstance(value, torch.Tensor):
        return value
    return value[..., :PROBE, :PROBE] if value.ndim == 4 else value[:, :PROBE]


def _check_whole(name: str, shapes: dict[str, tuple[int, int]], n_tokens: int) -> None:
    """Raise AttentionUnavailable if the maps of a model that shows them only whole would be too large."""
    room = sum(4 * n_layers * n_heads * n_tokens**2 for n_layers, n_heads in shapes.values())
    if room > MAP_BYTES:
        raise AttentionUnavailable(
            f"{name} shows its maps only all at once: of {n_tokens:,} tokens they take {room / 2**20:,.0f} MB, and at "
            f"most {MAP_BYTES // 2**20} MB are kept. Survey a shorter text."
        )
