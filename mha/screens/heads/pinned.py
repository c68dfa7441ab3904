"""The pinned heads, large and side by side on one scale: the second component.

`pinned_spec` is pure: it decides what is said and shown. `pinned` mounts the component, whose drawing lives in
`assets/js/pinned.js`; hovering, which lights one word in all maps, and the choice of view stay in the browser.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import labels
from mha.errors import InputError, ShapeError
from mha.figures.thumbnails import block_size, pool_largest
from mha.maps import AttentionMaps, HeadId, Token
from mha.ui.events import choice_event, head_event, lock_event
from mha.ui.modules import component_tokens, joined_modules, stylesheet
from mha.ui.overview import MOST_PINS, SCALES, OverviewSpec
from mha.ui.pinned_words import PinnedWords, pooled_labels

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
) -> OverviewSpec:
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
        "tokens": component_tokens(),
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
    return OverviewSpec(header, arrays)


def pinned(
    spec: OverviewSpec,
    key: str,
    *,
    on_unpin: Callable[[HeadId], None],
    on_only: Callable[[HeadId], None],
    on_all_back: Callable[[], None],
    on_lock: Callable[[int | None], None],
    on_view: Callable[[str], None] | None = None,
    on_steps: Callable[[HeadId], None] | None = None,
) -> None:
    """Draw the pinned heads; its buttons and words call back before the next run.

    ``on_lock`` gets a position on the shown key axis, or None when the locked word was clicked again; ``on_view`` gets
    the name of the view that was chosen (the browser has already drawn it); ``on_steps`` gets the head whose arithmetic
    was asked for, where the spec offers it. Events that name something this spec does not have are dropped.
    """
    names = {head["name"] for head in spec.header["heads"]}
    _component()(
        key=key,
        data=spec.envelope(),
        on_unpin_change=head_event(key, "unpin", names, on_unpin),
        on_only_change=head_event(key, "only", names, on_only),
        on_steps_change=head_event(key, "steps", names, on_steps or (lambda _head: None)),
        on_all_back_change=lambda: on_all_back(),
        on_lock_change=lock_event(key, len(spec.header["keys"]) * spec.header["steps"][1], on_lock),
        on_view_change=choice_event(key, "view", VIEWS, on_view or (lambda _view: None)),
    )


@functools.cache
def _component() -> Callable[..., Any]:
    import streamlit as st

    return st.components.v2.component(
        "parallax_pinned", css=stylesheet("common.css", "pinned.css"), js=joined_modules("pinned.js")
    )


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
