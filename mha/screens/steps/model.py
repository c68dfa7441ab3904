"""The same walk with a model's numbers: which cell of it is followed, and what stands around the steps. Pure.

The numbers are those of *One cell*: everything on the way comes from `mha.models.watch.cell`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.analysis.looks import strongest_look
from mha.formats import labels
from mha.link.heads import CellPlace
from mha.link.steps import MODEL, STEPS, StepsWords
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.watch.output import Added
from mha.screens.arrays import Flow, SayLine, Sentence, column
from mha.screens.cell.recorded import RecordedCell, lead, share
from mha.screens.shown import Shown


@dataclass(frozen=True, eq=False)
class WalkedCell(RecordedCell):
    """One cell at step ``number``; ``w_o`` is what the heads of its layer add for the query, where it was asked."""

    number: int = 1
    w_o: Added | None = None

    @property
    def weight(self) -> float:
        """The weight that the model itself has."""
        return float(self.maps[self.cell.head][self.cell.query, self.cell.key])

    @property
    def d_model(self) -> int:
        """How many numbers the row of a token has, n_heads · d_head where neither rows nor W_O are known."""
        for rows in (self.cell.incoming, self.cell.brought):
            if rows is not None:
                return rows.shape[-1]
        return self.cell.findings.size


def followed(recording: Recording, shown: Shown, choices: StepsWords) -> tuple[CellPlace, tuple[str, ...]]:
    """Return the cell that the link names, or the strongest look of the first pinned head, and what cannot be."""
    maps, notes, layer = recording.maps, [], choices.in_layer
    automatic = shown.pins[0] if shown.pins else HeadId(0, 0)
    head = HeadId(automatic.layer if layer is None else layer, automatic.head if choices.head is None else choices.head)
    if not (0 <= head.layer < maps.n_layers and 0 <= head.head < maps.n_heads):
        last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
        notes.append(f"{maps.model} has heads L0H0 to {last}, not {head}. Showing {automatic}.")
        head = automatic
    first = token_of(shown, 0, maps)
    strongest = _strongest(shown, head, maps) or (first, first)
    query, key = (
        look if own is None else own for look, own in zip(strongest, (choices.query, choices.key), strict=True)
    )
    if not (0 <= query < maps.n_queries and 0 <= key < maps.n_keys):
        notes.append(f"This text has {maps.n_keys} tokens, counted from 0, so not {query} and {key}.")
        query, key = min(max(query, 0), maps.n_queries - 1), min(max(key, 0), maps.n_keys - 1)
    return CellPlace(head, query, key), tuple(notes)


def asked_of(recording: Recording, shown: Shown, head: HeadId) -> dict[str, str | int | None]:
    """Return the words of the link that walk to a head's strongest look, at the locked word where there is one."""
    query, key = _strongest(shown, head, recording.maps) or (None, None)
    words: dict[str, str | int | None] = {"steps_numbers": MODEL, "steps_step": STEPS[3], "steps_in_layer": head.layer}
    return words | {"steps_head": head.head, "steps_query": query, "steps_key": key}


def _strongest(shown: Shown, head: HeadId, maps: AttentionMaps) -> tuple[int, int] | None:
    """Return the tokens of a head's strongest look, at the locked word where there is one; None without any look."""
    look = strongest_look(shown.maps, head, **shown.locked) or strongest_look(shown.maps, head)
    return None if look is None else (token_of(shown, look.query, maps), token_of(shown, look.key, maps))


def token_of(shown: Shown, place: int, maps: AttentionMaps) -> int:
    """Return the first token in recorded maps of a piece at a place of the shown axis."""
    if not shown.maps.n_keys:
        return 0
    position = shown.position(place)
    piece = shown.full.key_tokens[position]
    same = [
        at
        for at, token in enumerate(maps.tokens)
        if (token.special, token.start, token.segment) == (piece.special, piece.start, piece.segment)
        and (not token.special or token.text == piece.text)
    ]
    return same[0] if same else position


def hero(recording: Recording, place: CellPlace) -> Flow:
    """Return the tokens, large, and what this cell is: all of it stands before the cell is opened."""
    maps, (head, query, key) = recording.maps, place
    layout = recording.layouts.get(next(iter(recording.stacks)))
    window = layout.windows[head.layer] if layout is not None and layout.windows else None
    hidden = (maps.causal and key > query) or (window is not None and abs(query - key) >= window)
    spans = lead(maps, place, hidden, "Ten steps", f" of {maps.model}")
    quiet = [place for place, token in enumerate(maps.tokens) if token.special]
    words = Sentence(labels(maps.tokens), query, key, quiet)
    return Flow(column(words, SayLine(spans, "finding lead")), "the tokens of the text")


def units(maps: AttentionMaps, place: CellPlace, shown: Shown) -> str:
    """Return what the tokens are, and why the maps of Heads have another share for the same look, as a caption."""
    tokens, (head, query, key) = maps.tokens, place
    words = [token.word for token in tokens if token.word is not None]
    whole = sum(words.count(word) == 1 for word in words)
    counted = (
        (whole, "whole word", "whole words"),
        (len(words) - whole, "piece of a word", "pieces of words"),
        (sum(token.punctuation for token in tokens), "punctuation mark", "punctuation marks"),
        (sum(token.special for token in tokens), "special token", "special tokens"),
    )
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    text = f"The model reads [[tokens|token]]. Its {len(tokens)} here are {listed}."
    places = {token_of(shown, at, maps): at for at in range(shown.maps.n_keys)}
    if query not in places or key not in places:
        return text
    on_heads = share(float(shown.maps[head][places[query], places[key]]))
    if on_heads == share(float(maps[head][query, key])):
        return text
    joined = shown.full.units == "words" != maps.units and whole < len(words)
    why = ["word pieces are joined"] if joined else []
    why += ["attention sinks are [[excluded]]"] if shown.aside else []
    reason = f", because there {' and '.join(why)}" if why else ""
    return f"{text} On Heads this number is {on_heads}{reason}."
