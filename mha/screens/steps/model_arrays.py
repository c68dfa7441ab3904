"""The arrays of each step of the walk with a model's numbers. Pure.

A head's numbers stand in lines of 16; of a token's whole row the first 16 are shown, and the title says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from mha.maps import HeadId
from mha.models.watch.output import Added
from mha.screens.arrays import MOST_ROWS, W_O, Array, Node, SayLine, Spans, array, column
from mha.screens.blocks import say
from mha.screens.cell.score import divisor
from mha.screens.steps.model import WalkedCell

WHOLE_ROW = 128  # tokens that stand in one table
LINE = 16  # dimensions that do
FEW = 8  # numbers of each head where all heads stand below each other


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
        rows=[*lines], columns=names, cell=(len(lines) - 1, c.key), shape=f"{len(names)} tokens",
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
    return column(*through, sums, each, SayLine(say(about), "caption"))


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
