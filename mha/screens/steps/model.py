"""The same walk with a model's numbers: which cell is followed, what stands around the steps, and their arrays. Pure.

The numbers are those of *One cell*: everything on the way comes from `mha.models.watch.cell`. A head's numbers stand in
lines of 16; of a token's whole row the first 16 are shown, and the title says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.looks import strongest_look
from mha.formats import labels, many
from mha.link.heads import CellPlace
from mha.link.steps import MODEL, STEPS, StepsWords
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.watch.output import Added
from mha.screens.arrays import MOST_ROWS, W_O, Array, Flow, Node, Sentence, array, column
from mha.screens.blocks import Said, Spans, say
from mha.screens.cell.recorded import RecordedCell, lead, share
from mha.screens.cell.score import divisor
from mha.screens.shown import Shown
from mha.words import right_to_left

WHOLE_ROW = 128  # tokens that stand in one table
LINE = 16  # dimensions that do
FEW = 8  # numbers of each head where all heads stand below each other


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


def chosen_cell(recording: Recording, shown: Shown, choices: StepsWords) -> tuple[CellPlace, tuple[str, ...]]:
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
        notes.append(f"This text has {many(maps.n_keys, 'token')}, counted from 0, so not {query} and {key}.")
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
    words = Sentence(labels(maps.tokens), query, key, quiet, right_to_left(maps.text) or None)
    return Flow(column(words, Said("finding lead", spans)), "the tokens of the text")


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
    text = f"The model reads [[tokens|token]]. Its {len(tokens)} here {'is' if len(tokens) == 1 else 'are'} {listed}."
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


def tokens(case: WalkedCell) -> Node:
    """Return the first numbers of every token's row, or the weights where the rows are not known."""
    return _incoming(case, range(len(case.names)), FEW)


def followed(case: WalkedCell) -> Node:
    """Return the rows of the two followed tokens."""
    return _incoming(case, dict.fromkeys((case.cell.query, case.cell.key)), LINE)


def _incoming(case: WalkedCell, places: Iterable[int], most: int) -> Node:
    if case.cell.incoming is None:
        return column(_weights(case))
    at = list(places)
    rows = [case.names[token] for token in at]
    title, now = f"X, what comes into layer {case.cell.head.layer}", case.number == 2
    return column(
        array(case.cell.incoming[at], title, name="incoming", now=now, decimals=2, rows=rows, most_columns=most)
    )


def projections(case: WalkedCell) -> Node:
    """Return q of the query, k and v of the key."""
    c, query, key = case.cell, case.names[case.cell.query], case.names[case.cell.key]
    rows = (f"q of {query}", f"k of {key}", f"v of {key}")
    return column(*by_dimension((c.q, c.k, c.value), "q, k and v", "projections", rows, True))


def scores(case: WalkedCell) -> Node:
    """Return q and k with their products, and the row of scores and weights."""
    c, names = case.cell, case.names
    rows = (f"q of {names[c.query]}", f"k of {names[c.key]}", "q × k")
    products = by_dimension((c.q, c.k, c.products), "q, k and their product", "vectors", rows, case.number == 4)
    seen = np.where(np.isfinite(c.scores), c.dots, -np.inf)
    lines = {"q · k": seen, divisor(case): seen * c.scale}
    if not np.allclose(c.scores[case.seen], lines[divisor(case)][case.seen]):  # a soft cap, or places add to it
        lines["score"] = c.scores
    scaled = array(
        np.array([*lines.values()]), "score with every token", name="row", now=case.number in (5, 6), decimals=2,
        rows=[*lines], columns=names, cell=(len(lines) - 1, c.key), shape=many(len(names), "token"),
        most_columns=WHOLE_ROW,
    )  # fmt: skip
    return column(*products, scaled, _weights(case))


def _weights(case: WalkedCell) -> Array:
    return array(
        case.cell.weights[None], "softmax over all of them", name="weights", shares=True, now=case.number == 7,
        rows=("weight",), columns=case.names, cell=(0, case.cell.key), shape="", decimals=2, most_columns=WHOLE_ROW,
    )  # fmt: skip


def values(case: WalkedCell) -> Node:
    """Return the value of the key beside what the head gathers."""
    c = case.cell
    rows = (f"v of {case.names[c.key]}", "weights × V")
    gathered = by_dimension((c.value, c.findings[c.head.head]), "values", "value", rows, True)
    return column(_weights(case), *gathered)


def side_by_side(case: WalkedCell) -> Node:
    """Return the first numbers of what the heads found: the first eight heads, the followed one among them."""
    found, head = case.cell.findings, case.cell.head
    n_heads, d_head = found.shape
    heads = list(range(min(n_heads, MOST_ROWS)))
    if head.head not in heads:
        heads[-1] = head.head
    more = f", {len(heads)} of the heads" if len(heads) < n_heads else ""
    cut = f", the first {FEW} numbers of each" if d_head > FEW else ""
    title = say("what each head found for {query}", query=case.query)
    return column(
        array(
            found[heads, :FEW], title, name="found", now=True, decimals=2,
            rows=[str(HeadId(head.layer, at)) for at in heads], shape=f"{n_heads} × {d_head}{more}{cut}",
        )
    )  # fmt: skip


def mix(case: WalkedCell) -> Node:
    """Return the way of this head's numbers through its rows of W_O, and what the other heads add beside it."""
    added, cell = case.w_o, case.cell
    if added is None:
        return side_by_side(case)
    name, head, found = str(cell.head), cell.head.head, added.found[cell.head.head]
    first, width = added.w_output[:, 0], len(added.total)
    rows = (f"found by {name}", "W_O, column 0", "product")
    title: Spans = (("plain", "the first number that this head adds: its numbers × one column of "), *W_O)
    through = by_dimension((found, first, found * first), title, "through", rows, False, decimals=3)
    lines = {} if cell.incoming is None else {"came in": cell.incoming[cell.query]}
    lines |= {f"{name} adds": added.heads[head]}
    lines |= {"heads and bias" if added.bias.any() else "all heads add": added.total}
    sums = array(
        np.array([*lines.values()])[:, :LINE], say("the row of {query}", query=case.query),
        name="mixed", now=True, decimals=2, rows=[*lines], most_columns=LINE,
        columns=[str(place) for place in range(min(width, LINE))],
        shape=f"{width} numbers" + (f", the first {LINE}" if width > LINE else ""),
    )  # fmt: skip
    each = array(
        lengths(added)[None], "length of what each head adds", name="lengths", decimals=2, rows=("length",),
        columns=[str(HeadId(cell.head.layer, at)) for at in range(len(added.heads))], cell=(0, head), shape="",
        most_columns=WHOLE_ROW,
    )  # fmt: skip
    about = (
        f"Length: the square root of the sum of the squares of all {width} numbers. What one head adds another may "
        "cancel, so lengths do not add up."
    )
    return column(*through, sums, each, Said("caption", say(about)))


def lengths(added: Added) -> np.ndarray:
    """Return how long the row is that each head adds, float64 [head]."""
    return np.linalg.norm(added.heads, axis=1)


def by_dimension(
    vectors: Sequence[np.ndarray],
    title: Spans | str,
    name: str,
    rows: tuple[str, ...],
    now: bool,
    decimals: int = 2,
) -> list[Node]:
    """Return vectors of d_head numbers under each other, in lines of 16 that fit the page."""
    values, lines = np.array(vectors), list[Node]()
    for start in range(0, values.shape[1], LINE):
        part = values[:, start : start + LINE]
        columns = [str(start + d) for d in range(part.shape[1])]
        shape = f"dimensions {columns[0]} to {columns[-1]} of {values.shape[1]}"
        lines.append(
            array(part, title, name=f"{name}_{start}", now=now, decimals=decimals, rows=rows, columns=columns,
                  shape=shape, most_columns=LINE)
        )  # fmt: skip
    return lines
