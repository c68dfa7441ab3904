"""The pinned heads, large and side by side on one scale: the second component.

`pinned_spec` decides what is said and shown; `assets/js/pinned.js` draws it. Hovering, which lights one word in all
maps, and the choice of view stay in the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from mha.errors import InputError, ShapeError
from mha.figures.thumbnails import block_size, pool_largest
from mha.formats import labels
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.drawing import Drawing
from mha.screens.heads.overview import MOST_PINS, SCALES
from mha.screens.heads.pinned_words import PinnedWords, pooled_labels

SIDE = 128  # rows and columns that travel in full; longer maps are pooled by their largest weight
VIEWS = ("heatmaps", "lines", "numbers")


def pinned_spec(
    shown: AttentionMaps,
    share: np.ndarray,
    pins: Sequence[HeadId],
    *,
    mass: np.ndarray | None = None,
    off: Collection[HeadId] = (),
    lock: int | None = None,
    scale: str = "all",
    sinks: Sequence[Token] = (),
    view: str = "heatmaps",
    large: bool = False,
    steps: bool = False,
) -> Drawing:
    """Return what the pinned heads draw; ``steps`` offers the way from a head to its arithmetic.

    ``shown`` are the maps as drawn; ``share`` float [layer, head] and ``mass`` float [layer, head, query] are what was
    set aside of each head and of each row (``mass`` is None when sinks are shown); ``lock`` is a position on the shown
    key axis.

    Raises:
        ShapeError: ``mass`` does not fit the maps.
        InputError: no pin or more than four, or a pin, the lock, the scale or the view is not one there is.
    """
    _check(shown, pins, mass, lock, scale, view)
    words = PinnedWords(shown, pins, lock, mass, sinks)
    weights = np.stack([shown[head] for head in pins])  # [pin, query, key]
    step_q, step_k = block_size(shown.n_queries, SIDE), block_size(shown.n_keys, SIDE)
    whole_rows = mass is not None or bool((weights.sum(axis=-1) > 0.99).all())
    only_one_on = len(set(off)) == shown.n_layers * shown.n_heads - 1
    header = {
        "title": "Pinned, side by side" if len(pins) > 1 else "Pinned",
        "about": {
            "heatmaps": words.about_heatmaps(scale, max(step_q, step_k)),
            "lines": words.about_lines(),
            "numbers": words.about_numbers(),
        },
        "axis": "a row looks at the columns" + ("; each row adds up to 100" if whole_rows else ""),
        "aside_label": "set aside",
        "queries": pooled_labels(labels(shown.tokens), step_q),
        "keys": pooled_labels(labels(shown.key_tokens), step_k),
        "same_words": shown.kind == "self",
        "steps": [step_q, step_k],
        "causal": shown.causal and shown.kind == "self",
        "lock": None if lock is None else lock // step_k,
        "scale": scale,
        "view": view,
        "large": large,
        "show_steps": steps,
        "heads": [
            {
                "name": str(head),
                "badge": words.badge(float(share[head])),
                "only": only_one_on and head not in off,
                "caption": words.caption(head),
                "label": words.alternative(head),
            }
            for head in pins
        ],
    }
    arrays = {"weights": np.rint(pool_largest(weights, SIDE) * 65535).astype(np.uint16)}
    if mass is not None:
        aside = np.stack([mass[head] for head in pins])[:, :, None]  # [pin, query, 1]
        arrays["mass"] = np.rint(pool_largest(aside, SIDE)[:, :, 0] * 255).astype(np.uint8)
    return Drawing(header, arrays)


def _check(
    shown: AttentionMaps, pins: Sequence[HeadId], mass: np.ndarray | None, lock: int | None, scale: str, view: str
) -> None:
    if not 1 <= len(pins) <= MOST_PINS:
        raise InputError(f"One to {MOST_PINS} heads can stand side by side; {len(pins)} were asked for.")
    for head in pins:
        shown[head]  # raises InputError with the heads there are
    expected = shown.weights.shape[:3]
    if mass is not None and np.shape(mass) != expected:
        raise ShapeError(f"The mass set aside must be [layer, head, query] {expected}; it is {np.shape(mass)}.")
    if lock is not None and not 0 <= lock < shown.n_keys:
        raise InputError(f"The locked word must be one of {shown.n_keys}, counted from 0; it is {lock}.")
    if scale not in SCALES:
        raise InputError(f"A scale is one of {', '.join(SCALES)}; this is {scale!r}.")
    if view not in VIEWS:
        raise InputError(f"A view is one of {', '.join(VIEWS)}; this is {view!r}.")
