"""The same walk with a real model's numbers, for one cell: one head, one token that looks, one that is looked at. Pure.

From the recording come q, k and v; everything after is worked out here, and held against the recorded weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.looks import labels, percent, strongest_look
from mha.core import Cell, cell
from mha.errors import InputError
from mha.maps import HeadId, Recording
from mha.ui.shown import Shown
from mha.ui.steps_arrays import Node, Span, array, column, number, say, sentence, tree
from mha.ui.steps_lesson import Choices
from mha.ui.steps_model_words import MASK_SAID, SAID

WHOLE_ROW = 128  # tokens that stand in one table
LINE = 16  # dimensions that do
AGREES = 1e-3  # how far a weight worked out here may be from the recorded one
FRAMED = {3: ("vectors",), 4: ("vectors",), 5: ("row",), 6: ("row",), 7: ("row",), 8: ("value",)}


@dataclass(frozen=True, eq=False)
class ModelCell:
    """One cell of a recording: ``weight`` is the recorded one, ``by_hand`` the way to it from q and k."""

    recording: Recording
    head: HeadId
    query: int
    key: int
    by_hand: Cell
    weight: float
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens as they are named."""
        return labels(self.recording.maps.key_tokens)

    @property
    def d_head(self) -> int:
        """Width of a head."""
        return len(self.by_hand.query)

    @property
    def agrees(self) -> bool:
        """Whether the weight worked out here is the recorded one."""
        return abs(self.by_hand.weight - self.weight) <= AGREES

    @property
    def found(self) -> np.ndarray:
        """What this head gathers for the query from all values, float64 [d_head]."""
        layer, head = self.head
        return (
            self.recording.maps[self.head][self.query].astype(np.float64) @ _kept(self.recording, "value")[layer, head]
        )


def model_cell(recording: Recording, shown: Shown, choices: Choices, layer: int | None) -> ModelCell:
    """Return the cell that the link names, or the strongest look of the first pinned head of the Heads page.

    Raises:
        InputError: the recording was made without q, k and v.
    """
    maps, notes = recording.maps, []
    automatic = shown.pins[0] if shown.pins else HeadId(0, 0)
    head = HeadId(automatic.layer if layer is None else layer, automatic.head if choices.head is None else choices.head)
    if not (0 <= head.layer < maps.n_layers and 0 <= head.head < maps.n_heads):
        last = HeadId(maps.n_layers - 1, maps.n_heads - 1)
        notes.append(f"{maps.model} has heads L0H0 to {last}; the link asks for {head}. Shown instead: {automatic}.")
        head = automatic
    look = strongest_look(shown.maps, head, shown.lock) or strongest_look(shown.maps, head)
    query = choices.query if choices.query is not None else token_of(shown, look.query if look else 0, recording)
    key = choices.key if choices.key is not None else token_of(shown, look.key if look else 0, recording)
    if not (0 <= query < maps.n_queries and 0 <= key < maps.n_keys):
        notes.append(f"This text has {maps.n_keys} tokens, counted from 0; the link asks for {query} and {key}.")
        query, key = min(max(query, 0), maps.n_queries - 1), min(max(key, 0), maps.n_keys - 1)
    q, k = _kept(recording, "query")[head], _kept(recording, "key")[head]  # [token, d_head]
    by_hand = cell(q, k, (query, key), mask=maps.visible if maps.causal else None)
    return ModelCell(recording, head, query, key, by_hand, float(maps[head][query, key]), tuple(notes))


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


def hero(cell_: ModelCell) -> Node:
    """Return the tokens, large, and what this cell is."""
    names, maps = cell_.names, cell_.recording.maps
    spans: list[Span] = [
        ("plain", "In head "),
        ("head", str(cell_.head)),
        ("plain", f" of {maps.model}, "),
        ("word", names[cell_.query]),
        ("plain", " looks at "),
        ("word", names[cell_.key]),
        ("plain", f" with {percent(cell_.weight)} of all its attention. Here is how that number comes about."),
    ]
    quiet = [place for place, token in enumerate(maps.tokens) if token.special]
    return tree(column(sentence(names, cell_.query, cell_.key, quiet), say(*spans)), "the tokens of the text")


def vectors(cell_: ModelCell, step: int) -> Node:
    """Return q, k and their product in every dimension, the row over all keys, and what is gathered."""
    framed, names, c = FRAMED.get(step, ()), cell_.names, cell_.by_hand
    rows = (f"q of {names[cell_.query]}", f"k of {names[cell_.key]}", "q × k")
    products = _by_dimension(np.array([c.query, c.key, c.products]), "q, k and their product", "vectors", rows, framed)
    options: dict[str, Any] = {"columns": names, "most_columns": WHOLE_ROW}
    scaled = array(
        np.array([c.row / c.scale, c.row]), "score with every token", name="row", now="row" in framed, decimals=2,
        rows=("q · k", f"÷ √{cell_.d_head}"), cell=(1, cell_.key), shape=f"{len(names)} tokens", **options,
    )  # fmt: skip
    shares = array(
        c.weights[None], "softmax over all of them", name="weights", shares=True, now="row" in framed and step >= 7,
        rows=("weight",), cell=(0, cell_.key), shape="", decimals=2, **options,
    )  # fmt: skip
    value = _kept(cell_.recording, "value")[cell_.head][cell_.key]
    gathered = _by_dimension(
        np.array([value, cell_.found]), "values", "value", (f"v of {names[cell_.key]}", "weights × V"), framed
    )
    return tree(column(*products, scaled, shares, *gathered), f"how {cell_.head} comes to this weight")


def _by_dimension(
    values: np.ndarray, title: str, name: str, rows: tuple[str, ...], framed: tuple[str, ...]
) -> list[Node]:
    """Return rows of d_head numbers in lines of 16 that fit the page."""
    lines = []
    for start in range(0, values.shape[1], LINE):
        part = values[:, start : start + LINE]
        columns = [str(start + d) for d in range(part.shape[1])]
        shape = f"dimensions {columns[0]} to {columns[-1]} of {values.shape[1]}"
        lines.append(
            array(part, title, name=f"{name}_{start}", now=name in framed, decimals=2, rows=rows, columns=columns,
                  shape=shape, most_columns=LINE)
        )  # fmt: skip
    return lines


def by_hand(cell_: ModelCell) -> tuple[tuple[str, str, str], ...]:
    """Return the lines of the calculation."""
    c, d = cell_.by_hand, cell_.d_head
    powers = c.powers
    return (
        ("q · k", number(c.score), f"the sum of {d} products; the largest is {number(c.products.max())}"),
        (f"÷ √{d}", number(c.scaled), f"{number(c.score)} ÷ {np.sqrt(d):.2f}"),
        (
            "exp",
            number(powers[cell_.key], 4),
            f"exp({number(c.scaled)} − {number(c.peak)}), the row’s largest taken off",
        ),
        ("all tokens", number(powers.sum(), 4), f"the same, added up over {len(powers)} tokens"),
        ("share", percent(c.weight), f"{number(powers[cell_.key], 4)} ÷ {number(powers.sum(), 4)}"),
        ("recorded", percent(cell_.weight), "what the model itself had there"),
    )


def so(cell_: ModelCell) -> tuple[Span, ...]:
    """Return the sentence under the calculation: whether it agrees, and what follows."""
    maps = cell_.recording.maps
    width = maps.n_heads * cell_.d_head
    if not cell_.agrees:
        away = abs(cell_.by_hand.weight - cell_.weight)
        return (
            (
                "plain",
                f"The recorded weight is {100 * away:.1f} points away from this: the model adds something to its ",
            ),
            ("plain", "scores that q and k do not show, such as a bias for the distance."),
        )
    return (
        (
            "plain",
            f"{number(100 * cell_.by_hand.weight)} % by hand, {number(100 * cell_.weight)} % recorded. Then the ",
        ),
        (
            "plain",
            f"{maps.n_heads} heads’ findings stand side by side, {maps.n_heads} × {cell_.d_head} = {width} "
            "numbers, and W",
        ),
        ("sub", "O"),
        (
            "plain",
            f" ({width}\u00a0×\u00a0{width}) makes the layer’s output of them."
            if maps.origin == "pretrained"
            else " makes the layer’s output of them.",
        ),
    )


def said(cell_: ModelCell, step: int) -> tuple[str, str]:
    """Return the idea (a caption) and the formula (LaTeX) of a step with the model's sizes."""
    maps = cell_.recording.maps
    sizes = {
        "n": maps.n_keys,
        "d": cell_.d_head,
        "heads": maps.n_heads,
        "width": maps.n_heads * cell_.d_head,
        "head": str(cell_.head),
        "mask": MASK_SAID[maps.causal],
    }
    idea, formula = SAID[step - 1]
    return idea.format(**sizes), formula.format(**sizes)
