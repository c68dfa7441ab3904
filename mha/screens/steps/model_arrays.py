"""The arrays of each step of the walk with a model's numbers. Pure.

A head's numbers stand in lines of 16; of a token's whole row the first 16 are shown, and the title says so.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mha.maps import HeadId
from mha.models.watch.output import Added
from mha.screens.arrays import MOST_ROWS, W_O, Node, SayLine, Spans, array
from mha.screens.blocks import say
from mha.screens.steps.model import ModelCell

WHOLE_ROW = 128  # tokens that stand in one table
LINE = 16  # dimensions that do
FEW = 8  # numbers of each head where all heads stand below each other


def tokens(cell: ModelCell, step: int) -> list[Node]:
    """Return the first numbers of every token's row, or the weights where the rows are not known."""
    return _incoming(cell, range(len(cell.names)), step, FEW) or _weights(cell, step)


def followed(cell: ModelCell, step: int) -> list[Node]:
    """Return the rows of the two followed tokens."""
    return _incoming(cell, dict.fromkeys((cell.query, cell.key)), step, LINE) or _weights(cell, step)


def _incoming(cell: ModelCell, places: Iterable[int], step: int, most: int) -> list[Node]:
    if cell.incoming is None:
        return []
    at = list(places)
    rows = [cell.names[token] for token in at]
    title = f"X, what comes into layer {cell.head.layer}"
    return [array(cell.incoming[at], title, name="incoming", now=step == 2, decimals=2, rows=rows, most_columns=most)]


def projections(cell: ModelCell, step: int) -> list[Node]:
    """Return q of the query, k and v of the key."""
    c, names = cell.by_hand, cell.names
    rows = (f"q of {names[cell.query]}", f"k of {names[cell.key]}", f"v of {names[cell.key]}")
    return by_dimension(np.array([c.query, c.key, cell.values[cell.key]]), "q, k and v", "projections", rows, True)


def scores(cell: ModelCell, step: int) -> list[Node]:
    """Return q and k with their products, and the row of scores and weights."""
    c, names = cell.by_hand, cell.names
    rows = (f"q of {names[cell.query]}", f"k of {names[cell.key]}", "q × k")
    products = by_dimension(
        np.array([c.query, c.key, c.products]), "q, k and their product", "vectors", rows, step == 4
    )
    scaled = array(
        np.array([c.row / c.scale, c.row]), "score with every token", name="row", now=step in (5, 6), decimals=2,
        rows=("q · k", f"÷ √{cell.d_head}"), columns=names, cell=(1, cell.key), shape=f"{len(names)} tokens",
        most_columns=WHOLE_ROW,
    )  # fmt: skip
    return [*products, scaled, *_weights(cell, step)]


def _weights(cell: ModelCell, step: int) -> list[Node]:
    return [
        array(
            cell.by_hand.weights[None], "softmax over all of them", name="weights", shares=True, now=step == 7,
            rows=("weight",), columns=cell.names, cell=(0, cell.key), shape="", decimals=2, most_columns=WHOLE_ROW,
        )
    ]  # fmt: skip


def values(cell: ModelCell, step: int) -> list[Node]:
    """Return the value of the key beside what the head gathers."""
    rows = (f"v of {cell.names[cell.key]}", "weights × V")
    gathered = by_dimension(np.array([cell.values[cell.key], cell.found]), "values", "value", rows, True)
    return [*_weights(cell, step), *gathered]


def side_by_side(cell: ModelCell, step: int) -> list[Node]:
    """Return the first numbers of what the heads found: the first eight heads, the followed one among them."""
    heads = list(range(min(cell.recording.maps.n_heads, MOST_ROWS)))
    if cell.head.head not in heads:
        heads[-1] = cell.head.head
    found = cell.found_by_all
    n_heads, d_head = found.shape
    more = f", {len(heads)} of the heads" if len(heads) < n_heads else ""
    cut = f", the first {FEW} numbers of each" if d_head > FEW else ""
    title: Spans = (("plain", "what each head found for "), ("word", cell.names[cell.query]))
    return [
        array(
            found[heads, :FEW], title, name="found", now=True, decimals=2,
            rows=[str(HeadId(cell.head.layer, head)) for head in heads], shape=f"{n_heads} × {d_head}{more}{cut}",
        )
    ]  # fmt: skip


def mix(cell: ModelCell, step: int) -> list[Node]:
    """Return the way of this head's numbers through its rows of W_O, and what the other heads add beside it."""
    added = cell.added
    if added is None:
        return side_by_side(cell, step)
    name, head, found = str(cell.head), cell.head.head, added.found[cell.head.head]
    first = added.w_output[:, 0]
    width = len(added.total)
    rows = (f"found by {name}", "W_O, column 0", "product")
    title: Spans = (("plain", "the first number that this head adds: its numbers × one column of "), *W_O)
    through = by_dimension(np.array([found, first, found * first]), title, "through", rows, False, decimals=3)
    own = [("came in", cell.incoming[cell.query])] if cell.incoming is not None else []
    lines = [
        *own,
        (f"{name} adds", added.heads[head]),
        ("heads and bias" if added.bias.any() else "all heads add", added.total),
    ]
    sums = array(
        np.array([values[:LINE] for _, values in lines]), (("plain", "the row of "), ("word", cell.names[cell.query])),
        name="mixed", now=True, decimals=2, rows=[what for what, _ in lines], most_columns=LINE,
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
    return [*through, sums, each, SayLine(say(about), "caption")]


def lengths(added: Added) -> np.ndarray:
    """Return how long the row is that each head adds, float64 [head]."""
    return np.linalg.norm(added.heads, axis=1)


def by_dimension(
    values: np.ndarray, title: Spans | str, name: str, rows: tuple[str, ...], now: bool, decimals: int = 2
) -> list[Node]:
    """Return rows of d_head numbers in lines of 16 that fit the page."""
    lines: list[Node] = []
    for start in range(0, values.shape[1], LINE):
        part = values[:, start : start + LINE]
        columns = [str(start + d) for d in range(part.shape[1])]
        shape = f"dimensions {columns[0]} to {columns[-1]} of {values.shape[1]}"
        lines.append(
            array(part, title, name=f"{name}_{start}", now=now, decimals=decimals, rows=rows, columns=columns,
                  shape=shape, most_columns=LINE)
        )  # fmt: skip
    return lines
