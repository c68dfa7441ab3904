"""What the component "flow of arrays" draws: a tree of arrays, arrows, rows, columns and boxes. Pure.

Python decides what stands where and how a number is to be read (signed, or a share of 1); `assets/js/steps.js` draws.
A number that is not there (masked) is None and drawn hatched; words of the reader's text only ever become text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.formats import cut

Node = dict[str, Any]
Span = tuple[str, str]  # kinds: plain, sub, muted, word, head, strong

MOST_ROWS, MOST_COLUMNS = 8, 8  # of an array that is shown in full; of a larger one, its first
FULL_INK = 2.5  # the number that has full colour, unless a larger one stands beside it


def array(
    values: np.ndarray,
    title: Sequence[Span] | str,
    *,
    name: str,
    shares: bool = False,
    now: bool = False,
    decimals: int = 1,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    cell: tuple[int, int] | None = None,
    shape: str | None = None,
    sums: str = "",
    most_columns: int = MOST_COLUMNS,
) -> Node:
    """Return one array [row, column] as a table of numbers; ``name`` finds it again, ``now`` frames it.

    ``shares`` are drawn as whole per cents; ``rows`` and ``columns`` are words on the axes; ``cell`` is framed;
    ``sums`` heads a last column with the sum of each row.
    """
    values = np.asarray(values, dtype=np.float64)
    height, width = values.shape
    shown = values[:MOST_ROWS, :most_columns]
    cropped = shown.shape != values.shape
    marks: list[Span] = [("plain", title)] if isinstance(title, str) else list(title)
    size = shape if shape is not None else f"{height:,}\u00a0×\u00a0{width:,}"
    return {
        "kind": "array",
        "name": name,
        "title": marks,
        "shape": size + (f", first {shown.shape[0]}\u00a0×\u00a0{shown.shape[1]}" if cropped and size else ""),
        "values": [[None if not np.isfinite(value) else round(float(value), 6) for value in row] for row in shown],
        "shares": shares,
        "now": now,
        "decimals": decimals,
        "rows": [cut(row) for row in rows[:MOST_ROWS]],
        "columns": [cut(column) for column in columns[:most_columns]],
        "cell": list(cell) if cell is not None and cell[0] < MOST_ROWS and cell[1] < most_columns else None,
        "sums": sums,
        "total": [round(float(row[np.isfinite(row)].sum()), 6) for row in values[:MOST_ROWS]] if sums else [],
    }


def arrow(sign: str = "→") -> Node:
    """Return an arrow, or another sign between two arrays; a plain arrow points down on a phone."""
    return {"kind": "arrow", "sign": sign}


def row(*parts: Node, spread: bool = False) -> Node:
    """Return parts side by side, below each other where there is no room; ``spread`` over the whole width."""
    return {"kind": "row", "parts": list(parts), "spread": spread}


def column(*parts: Node) -> Node:
    """Return parts below each other."""
    return {"kind": "column", "parts": list(parts)}


def box(title: str, *parts: Node) -> Node:
    """Return a framed group, such as one head."""
    return {"kind": "box", "title": title, "parts": list(parts)}


def say(*spans: Span, style: str = "finding") -> Node:
    """Return a sentence; styles are finding, caption and sub."""
    return {"kind": "say", "style": style, "spans": [list(span) for span in spans]}


def sentence(words: Sequence[str], asking: int, asked: int, quiet: Sequence[int] = ()) -> Node:
    """Return the words, large; the one that looks is underlined, the one that is looked at has a thin line.

    ``quiet`` are the places of what is not a word of the text.
    """
    return {"kind": "sentence", "words": list(words), "asking": asking, "asked": asked, "quiet": list(quiet)}


def calculation(*lines: tuple[str, str, str], name: str = "by_hand") -> Node:
    """Return lines (what, number, how) of one number worked out by hand."""
    return {"kind": "calculation", "name": name, "lines": [list(line) for line in lines]}


def tree(root: Node, label: str) -> Node:
    """Return what the component takes: the root, one ink for all its signed arrays, a text alternative, tokens."""
    return {"root": root, "ink": _ink(root), "label": label}


def arrays(node: Node) -> dict[str, Node]:
    """Return all arrays below a node by their names."""
    found = {node["name"]: node} if node["kind"] == "array" else {}
    for part in node.get("parts", ()):
        found |= arrays(part)
    return found


def _ink(root: Node) -> float:
    signed = [abs(v) for a in arrays(root).values() if not a["shares"] for line in a["values"] for v in line if v]
    return max([FULL_INK, *signed])
