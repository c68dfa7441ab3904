"""The grid of heads: one cell a head, with its state, its number and its colour."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from mha.maps import HeadId

CellState = Literal["less", "more", "changes", "to_a", "to_b", "outlined", "within", "scored", "cannot", "unmeasured"]
FILLED = ("less", "more", "changes", "to_a", "to_b")


def head_grid(
    values: np.ndarray,
    states: np.ndarray,
    legend: Mapping[CellState, str],
    texts: Sequence[str],
    *,
    label: str,
    group: int = 1,
    details: Sequence[str] = (),
    special: Collection[HeadId] = (),
    special_text: str = "",
    ablated: Collection[HeadId] = (),
    shown: HeadId | None = None,
    pinned: Collection[HeadId] | None = None,
    marked_layers: Sequence[int] = (),
    layer_names: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the data of the grid of heads.

    ``values`` is float64 [layer, head] and ``states`` a `CellState` for each; ``legend`` explains each state that
    occurs. ``texts`` has the number of each cell, "" for none, and ``details`` the words of its label. "less",
    "changes" (dark), "more" (blue), "to_a" and "to_b" (of a reading) are filled on one scale: the largest of their
    sizes. "scored" and "cannot" are heads of the layer whose output is scored, and of later ones. ``special``
    heads have a frame, explained by ``special_text``; ``group`` heads in a row share keys and values. With ``pinned``
    heads a click pins, else it ablates. The names of ``marked_layers`` are bold. ``layer_names`` begin those of
    heads, by default L0 and so on.
    """
    filled = np.isin(states, FILLED) & np.isfinite(values)
    top = float(np.abs(values[filled]).max(initial=0)) or 1.0
    shades = {int(index): round(abs(float(values.flat[index])) / top, 3) for index in np.flatnonzero(filled)}
    return {
        "layers": values.shape[0], "heads": values.shape[1], "group": group, "states": [str(s) for s in states.flat],
        "texts": list(texts), "shades": shades, "legend": dict(legend), "details": list(details), "label": label,
        "special": [*map(str, special)], "special_text": special_text, "shown": str(shown) if shown else None,
        "ablated": [*map(str, ablated)], "pinned": None if pinned is None else [*map(str, pinned)],
        "marked_layers": list(marked_layers), "layer_names": list(layer_names),
    }  # fmt: skip
