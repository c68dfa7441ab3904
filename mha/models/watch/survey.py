"""Survey of a text of any length: attention of every head of a stack, in memory that does not grow with n².

Nothing here is an estimate: each block of queries goes through the module's own eager attention (`blocks`), and the
caller requests the kept numbers beforehand. A model is compared with its own eager attention once, on a short text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch

from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId, Recording, Token
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT
from mha.models.files.environment import every_thread, used_again
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.anatomy import Anatomy, anatomy, unwrap_model
from mha.models.watch.attending import record_text
from mha.models.watch.attention import NAME, attention_named, check_attention_functions
from mha.models.watch.inputs import as_tensors, hidden_places, prepared
from mha.models.watch.recording import SIDES, compare, names_of, run, text_of
from mha.models.watch.tally import BLOCK_BYTES, InBlocks, Keeps, Tally, Watcher
from mha.models.watch.tokens import encode
from mha.old_names import takes_old_names
from mha.tokens import axes, place_of
from mha.words import accept

MOST_CHARACTERS = 200_000
MAX_TOKENS = 8_192  # of a text; ids that someone holds may be more
CELLS = 48  # a side of the overview, at most
MAP_BYTES = 2**29  # of the maps that are kept whole, and of all maps of a model that shows them only whole
PROBE = 64  # tokens of the text on which the blocks are held against eager attention
PROBE_ROWS = 5  # queries of a block there

Progress = Callable[[int, int, np.ndarray], None]  # layers done, layers, the last one's overview; may raise to stop


@array_dataclass
class Survey:
    """The requested numbers of the attention of every head of one stack in a whole text.

    ``overview`` is float32 [layer, head, cell, cell]: the largest weight among ``cell`` × ``cell`` tokens (fewer at the
    end), at most 48 cells a side. ``rows[w]`` is float32 [layer, head, key]: the attention of token number w;
    ``columns[w]`` [layer, head, query]: the attention to it; ``maps[l, h]`` [query, key]: one head's whole map.
    ``notes`` has one sentence for each part that was cut.
    """

    overview: np.ndarray
    cell: int
    rows: Mapping[int, np.ndarray]
    columns: Mapping[int, np.ndarray]
    maps: Mapping[HeadId, np.ndarray]
    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    text: str = ""
    pair: str | None = None
    model: str = ""
    revision: str = ""
    origin: str = "unknown origin"
    stack: str = "self"
    notes: tuple[str, ...] = ()

    @property
    def n_layers(self) -> int:
        """Number of layers."""
        return self.overview.shape[0]

    @property
    def n_heads(self) -> int:
        """Number of heads in each layer."""
        return self.overview.shape[1]


@dataclass(frozen=True)
class SurveyRequest:
    """Request of a survey: positions whose rows and columns are kept, heads kept whole, and the rest."""

    places: tuple[int | str, ...]
    heads: tuple[HeadId, ...]
    stack: str
    progress: Progress | None


@takes_old_names
def survey(
    subject: Any,
    *,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    words: Sequence[int | str] = (),
    heads: Sequence[tuple[int, int] | str] = (),
    stack: str = "",
    tokenizer: Any = None,
    tokens: Sequence[str | Token] | None = None,
    progress: Progress | None = None,
    **inputs: Any,
) -> Survey:
    """Return a survey of a text by a ``model`` on offer, or of ``inputs`` by your own transformers model.

    ``words`` are positions on the token axis, from 0, or tokens that occur once; their rows and columns are kept;
    ``heads``, such as ``"L5H3"`` or ``(5, 3)``, are kept whole. ``tokens`` are as for `mha.from_arrays`. ``stack`` is
    "self", or "encoder", "decoder" or "cross" (by default the first that the model has). Padding is dropped as by
    `mha.record`. A text is cut at 8,192 tokens or where the model's positions end, with a note in ``notes``.
    ``progress`` is called after each layer with how many are done, how many there are, and the layer's overview; an
    error that it raises stops the survey.

    >>> import mha
    >>> mha.survey("I saw the man with the telescope", words=(7,)).rows[7].shape
    (6, 12, 9)

    Raises:
        InputError: no word in the text, no such token, head or stack, or more whole maps than 512 MB hold.
        AttentionUnavailable: the model has no softmax attention, or shows its maps only whole, and they are too large.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    request = SurveyRequest(tuple(words), tuple(map(HeadId.of, heads)), stack, progress)
    if isinstance(subject, str):
        if inputs:
            raise InputError(f"A text is surveyed as it is; {', '.join(inputs)} go with a model that you hold.")
        return _of_text(subject, pair, model, request)
    if isinstance(subject, LoadedModel):
        return _surveyed(subject.model, inputs, tokens, tokenizer or subject.tokenizer, request, subject.row.named)
    inner, its_tokenizer = unwrap_model(subject)
    return _surveyed(inner, inputs, tokens, tokenizer or its_tokenizer, request, {"model": type(inner).__name__})


def _of_text(text: str, pair: str | None, model: str | LoadedModel, request: SurveyRequest) -> Survey:
    """Return the survey of a text by a model on offer, a loaded one, or one of the hub."""
    first = accept(text, MOST_CHARACTERS)
    second = None if pair is None else accept(pair, MOST_CHARACTERS)
    loaded = transformer_of(model)
    if loaded is None:
        return _of_recording(record_text(first, model, second), request)
    fields = loaded.row.named | {"text": first.text, "pair": None if second is None else second.text}
    encoded = encode(loaded.tokenizer, fields["text"], fields["pair"], loaded.room(MAX_TOKENS))
    fields["notes"] = first.notes + (second.notes if second else ()) + loaded.row.notes + encoded.notes
    return _surveyed(loaded.model, dict(encoded.inputs), encoded.tokens, loaded.tokenizer, request, fields)


def _of_recording(recording: Recording, request: SurveyRequest) -> Survey:
    maps = recording.maps
    stack = _choose_stack(request.stack, tuple(recording.stacks), maps.model)
    fields = {name: getattr(maps, name) for name in ("text", "pair", "model", "revision", "origin")}
    tally = _tally(request, Keeps(maps.tokens, maps.key_tokens), maps.model, (maps.n_layers, maps.n_heads))
    _show(tally, torch.tensor(recording.stacks[stack]))
    return _survey(tally, stack, fields | {"notes": recording.notes})


def _surveyed(
    model: Any,
    inputs: dict[str, Any],
    tokens: Sequence[str | Token] | None,
    tokenizer: Any,
    request: SurveyRequest,
    fields: dict[str, Any],
) -> Survey:
    inputs = as_tensors(inputs, model.device)
    tokens = None if tokens is None else text_of(tokens, hidden_places(inputs))
    ready = prepared(model, inputs)
    model_anatomy, name = _checked(model, ready), fields["model"]
    stack = _choose_stack(request.stack, tuple(model_anatomy.shapes), name)
    names, text = names_of(ready, tokenizer)
    source = names
    if tokens is not None:
        source, _, text, _ = axes(tokens)
    if len(source) != len(names):
        raise InputError(f"The model reads {len(names)} tokens here, and {len(source)} were given.")
    is_source = stack in ("self", "encoder")
    target = source if is_source else names_of(ready, tokenizer, side="decoder_")[0]
    fields = {"text": text} | fields if is_source else fields
    keeps = Keeps(target, source if stack == "cross" else target)
    tally = _tally(request, keeps, name, model_anatomy.shapes[stack])
    rows, columns = (hidden_places(ready, side) for side in SIDES[stack])
    block = tally.block if rows is None and columns is None else partial(_text_block, tally, rows, columns)
    if model_anatomy.way == NAME:
        with used_again(BLOCK_BYTES), every_thread():
            _run_in_blocks(model, ready, {stack: block}, align=tally.keeps.cell)
    else:
        _check_whole(name, model_anatomy.shapes, len(source))
        weights = run(model, ready)[0][stack]
        for axis, hidden in ((2, rows), (3, columns)):
            if hidden is not None:
                weights = weights.index_select(axis, torch.from_numpy(np.flatnonzero(~hidden)))
        if weights.shape[2:] != (len(keeps.tokens), len(keeps.key_tokens)):  # BigBird fills up its blocks
            raise AttentionUnavailable(
                f"{name} returns weights of {weights.shape[2]} × {weights.shape[3]} places; these are {len(source)} "
                "tokens."
            )
        _show(tally, weights)
    return _survey(tally, stack, fields)


def _text_block(
    tally: Tally,
    rows: np.ndarray | None,
    columns: np.ndarray | None,
    layer: int,
    first: int,
    begin: int,
    weights: torch.Tensor,
) -> None:
    """Show a tally the block [head, query, key] without padding, at its place among the tokens of the text.

    ``rows`` and ``columns`` are bool [token], true for padding. Zeros in front fill the block up to a whole cell.
    """
    side = tally.keeps.cell
    for axis, start, hidden in ((1, first, rows), (2, begin, columns)):
        if hidden is not None:
            text = np.flatnonzero(~hidden[start : start + weights.shape[axis]])
            weights = weights.index_select(axis, torch.from_numpy(text).to(weights.device))
    first = first if rows is None else int((~rows[:first]).sum())
    begin = begin if columns is None else int((~columns[:begin]).sum())
    if weights.shape[1]:
        tally.block(layer, first, begin // side * side, torch.nn.functional.pad(weights, (begin % side, 0)))


def _choose_stack(requested: str, stacks: tuple[str, ...], name: str) -> str:
    if requested and requested not in stacks:
        raise InputError(f"{name} has {', '.join(stacks)}; there is no {requested!r}.")
    return requested or next(stack for stack in ("self", "encoder", "decoder", "cross") if stack in stacks)


def _tally(request: SurveyRequest, keeps: Keeps, name: str, size: tuple[int, int]) -> Tally:
    """Return an empty tally of a stack, if the requested positions and heads exist and fit the limit."""
    (n_layers, n_heads), n_queries, n_keys = size, len(keeps.tokens), len(keeps.key_tokens)
    longest = max(n_queries, n_keys)
    places = tuple(dict.fromkeys(place_of(keeps.tokens, word) for word in request.places))
    for place in places:
        if not 0 <= place < longest:
            raise InputError(f"This text has tokens 0 to {longest - 1}; you asked for {place}.")
    for head in request.heads:
        if not (0 <= head.layer < n_layers and 0 <= head.head < n_heads):
            raise InputError(f"{name} has heads L0H0 to {HeadId(n_layers - 1, n_heads - 1)}; you asked for {head}.")
    n_maps = len(set(request.heads))
    room = 4 * n_queries * n_keys * n_maps
    if room > MAP_BYTES:
        raise InputError(
            f"{n_maps} whole maps of {n_queries:,} × {n_keys:,} tokens take {room / 2**20:,.0f} MB; at most "
            f"{MAP_BYTES // 2**20} MB are kept. Ask for fewer heads."
        )
    keeps, tell = replace(keeps, cell=-(-longest // CELLS), places=places, heads=request.heads), request.progress
    return Tally(keeps, None if tell is None else lambda layer, overview: tell(layer + 1, n_layers, overview))


def _survey(tally: Tally, stack: str, fields: dict[str, Any]) -> Survey:
    keeps = tally.keeps
    return Survey(
        overview=np.stack(tally.overview),
        cell=keeps.cell,
        rows={place: np.stack(layers) for place, layers in tally.rows.items()},
        columns={place: np.stack(layers) for place, layers in tally.columns.items()},
        maps=dict(tally.maps),
        tokens=keeps.tokens,
        key_tokens=keeps.key_tokens,
        stack=stack,
        **fields,
    )


def _run_in_blocks(
    model: Any, ready: dict[str, Any], watchers: Mapping[str, Watcher], align: int = 1, rows: int | None = None
) -> None:
    """Run the part of the model that contains the watched stacks, without its prediction of words."""
    model_anatomy = anatomy(model)
    body, inputs = model.base_model, ready
    if set(watchers) == {"encoder"}:
        body = model.get_encoder()
        inputs = {
            name: value for name, value in ready.items() if name in ("input_ids", "inputs_embeds", "attention_mask")
        }
    elif "labels" in ready:
        body = model
    call = InBlocks(model_anatomy.stack_of, watchers, align, rows)
    with torch.inference_mode(), attention_named(model_anatomy.configs, call=call):
        body(**inputs)


def _show(tally: Tally, stack: torch.Tensor) -> None:
    """Show a tally the whole maps [layer, head, query, key] of a stack, in blocks."""
    n_layers, n_heads, n_queries, n_keys = stack.shape
    rows = max(1, BLOCK_BYTES // (4 * n_heads * n_keys))
    for layer in range(n_layers):
        for first in range(0, n_queries, rows):
            tally.block(layer, first, 0, stack[layer, :, first : first + rows])


def _checked(model: Any, ready: dict[str, Any]) -> Anatomy:
    """Return the anatomy of the model; the first call compares its blocks with eager attention on a few tokens."""
    model_anatomy = anatomy(model)
    check_attention_functions(model_anatomy.configs)
    if not model_anatomy.shapes:
        short = {name: _short(value) for name, value in ready.items()}
        stacks, _, _ = run(model, short)
        if model_anatomy.way == NAME:
            joined = {stack: torch.zeros_like(weights) for stack, weights in stacks.items()}
            keeping = {stack: partial(_keep, weights) for stack, weights in joined.items()}
            _run_in_blocks(model, short, keeping, rows=PROBE_ROWS)
            compare(model, joined, stacks)
        model_anatomy.shapes = {stack: (weights.shape[0], weights.shape[1]) for stack, weights in stacks.items()}
    return model_anatomy


def _keep(joined: torch.Tensor, layer: int, first: int, begin: int, weights: torch.Tensor) -> None:
    """Keep everything, in room for [layer, head, query, key]: for short texts."""
    joined[layer, :, first : first + weights.shape[1], begin : begin + weights.shape[2]] = weights


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
