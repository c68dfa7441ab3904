"""The same walk with a real model's numbers, for one cell: one head, one token that looks, one that is looked at. Pure.

From the recording come q, k and v; everything after is worked out here, and held against the recorded weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.looks import strongest_look
from mha.core import CellByHand, cell
from mha.errors import InputError
from mha.formats import labels, percent
from mha.link.steps import MODEL, STEPS, StepsWords
from mha.maps import HeadId, Recording
from mha.models.watch.output import Added
from mha.screens.arrays import Flow, SayLine, Sentence, column
from mha.screens.blocks import say, word
from mha.screens.shown import Shown

AGREES = 1e-3  # how far a weight worked out here may be from the recorded one


@dataclass(frozen=True, eq=False)
class ModelCell:
    """One cell of a recording: ``weight`` is the recorded one, ``by_hand`` the way to it from q and k.

    ``on_heads`` is the weight that the Heads page shows for the same look, None where it has no such cell; ``aside``
    and ``joined`` say whether something is set aside there, and whether pieces of words are joined. ``added`` is what
    the heads of this layer add for the query, where it is known.
    """

    recording: Recording
    head: HeadId
    query: int
    key: int
    by_hand: CellByHand
    weight: float
    notes: tuple[str, ...]
    on_heads: float | None = None
    aside: bool = False
    joined: bool = False
    added: Added | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens as they are named."""
        return labels(self.recording.maps.key_tokens)

    @property
    def d_head(self) -> int:
        """Width of a head."""
        return len(self.by_hand.query)

    @property
    def d_model(self) -> int:
        """How many numbers the row of a token has, n_heads · d_head where the rows are not known."""
        hidden = self.recording.hidden
        return self.recording.maps.n_heads * self.d_head if hidden is None else hidden.shape[-1]

    @property
    def agrees(self) -> bool:
        """Whether the weight worked out here is the recorded one."""
        return abs(self.by_hand.weight - self.weight) <= AGREES

    @property
    def found(self) -> np.ndarray:
        """What this head gathers for the query from all values, float64 [d_head]."""
        return self.found_by_all[self.head.head]

    @property
    def found_by_all(self) -> np.ndarray:
        """What each head of the layer gathers for the query, float64 [head, d_head]."""
        weights = self.recording.maps.weights[self.head.layer][:, self.query].astype(np.float64)  # [head, key]
        return np.einsum("hk,hkd->hd", weights, _kept(self.recording, "value")[self.head.layer])

    @property
    def values(self) -> np.ndarray:
        """What this head would hand over of every token, float64 [key, d_head]."""
        return _kept(self.recording, "value")[self.head]

    @property
    def incoming(self) -> np.ndarray | None:
        """The row of every token that comes into this layer, float64 [token, d_model]; None where it is not known."""
        hidden = self.recording.hidden
        if hidden is None or len(hidden) != self.recording.maps.n_layers + 1:
            return None
        return hidden[self.head.layer].astype(np.float64)


def model_cell(recording: Recording, shown: Shown, choices: StepsWords) -> ModelCell:
    """Return the cell that the link names, or the strongest look of the first pinned head of the Heads page.

    Raises:
        InputError: the recording was made without q, k and v.
    """
    maps, notes, layer = recording.maps, [], choices.in_layer
    automatic = shown.pins[0] if shown.pins else HeadId(0, 0)
    head = HeadId(automatic.layer if layer is None else layer, automatic.head if choices.head is None else choices.head)
    if not (0 <= head.layer < maps.n_layers and 0 <= head.head < maps.n_heads):
        last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
        notes.append(f"{maps.model} has heads L0H0 to {last}, not {head}. Showing {automatic}.")
        head = automatic
    look = strongest_look(shown.maps, head, **shown.locked) or strongest_look(shown.maps, head)
    query = choices.query if choices.query is not None else token_of(shown, look.query if look else 0, recording)
    key = choices.key if choices.key is not None else token_of(shown, look.key if look else 0, recording)
    if not (0 <= query < maps.n_queries and 0 <= key < maps.n_keys):
        notes.append(f"This text has {maps.n_keys} tokens, counted from 0, so not {query} and {key}.")
        query, key = min(max(query, 0), maps.n_queries - 1), min(max(key, 0), maps.n_keys - 1)
    q, k = _kept(recording, "query")[head], _kept(recording, "key")[head]  # [token, d_head]
    by_hand = cell(q, k, (query, key), mask=maps.visible if maps.causal else None)
    on_heads = _on_heads(shown, recording, head, query, key)
    joined = shown.full.units == "words" != maps.units
    weight = float(maps[head][query, key])
    return ModelCell(recording, head, query, key, by_hand, weight, tuple(notes), on_heads, shown.aside, joined)


def asked_of(recording: Recording, shown: Shown, head: HeadId) -> dict[str, str | int | None]:
    """Return the words of the link that walk to a head's strongest look, at the locked word where there is one."""
    look = strongest_look(shown.maps, head, **shown.locked) or strongest_look(shown.maps, head)
    return {
        "steps_numbers": MODEL,
        "steps_step": STEPS[3],
        "steps_in_layer": head.layer,
        "steps_head": head.head,
        "steps_query": token_of(shown, look.query, recording) if look else None,
        "steps_key": token_of(shown, look.key, recording) if look else None,
    }


def _on_heads(shown: Shown, recording: Recording, head: HeadId, query: int, key: int) -> float | None:
    """Return the weight that Heads draws for the pieces that begin with these two tokens, or None."""
    places = {token_of(shown, place, recording): place for place in range(shown.maps.n_keys)}
    if query not in places or key not in places:
        return None
    return float(shown.maps[head][places[query], places[key]])


def token_of(shown: Shown, place: int, recording: Recording) -> int:
    """Return the recording's first token of a piece at a place of the shown axis."""
    if not shown.maps.n_keys:
        return 0
    position = shown.position(place)
    piece = shown.full.key_tokens[position]
    same = [
        at
        for at, token in enumerate(recording.maps.tokens)
        if (token.special, token.start, token.segment) == (piece.special, piece.start, piece.segment)
        and (not token.special or token.text == piece.text)
    ]
    return same[0] if same else position


def _kept(recording: Recording, name: str) -> np.ndarray:
    array = getattr(recording, name)
    if array is None:
        raise InputError(f"This recording was made without {name}; ask for it with keep=({name!r},).")
    return array.astype(np.float64)  # [layer, head, token, d_head]


def hero(cell_: ModelCell) -> Flow:
    """Return the tokens, large, and what this cell is."""
    names, maps = cell_.names, cell_.recording.maps
    spans = say(
        f"In head {{head}} of {maps.model}, {{query}} gives {percent(cell_.weight)} of its attention to {{key}}. "
        "Ten steps produce that number.",
        head=cell_.head,
        query=word(names[cell_.query]),
        key=word(names[cell_.key]),
    )
    quiet = [place for place, token in enumerate(maps.tokens) if token.special]
    return Flow(
        column(Sentence(names, cell_.query, cell_.key, quiet), SayLine(spans, "finding lead")), "the tokens of the text"
    )


def arrays(cell: ModelCell) -> dict[str, np.ndarray]:
    """Return what the cell's layer computes, each [head, row, column], and the rows that come in, where known."""
    layer, recording = cell.head.layer, cell.recording
    found = {name: _kept(recording, name)[layer] for name in ("query", "key", "value")}
    found["weights"] = recording.maps.weights[layer]
    return found if cell.incoming is None else {"input": cell.incoming} | found
