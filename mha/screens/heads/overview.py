"""The sentence with the arcs of its pinned heads, and all heads as thumbnails: one component.

`overview_spec` decides what is said and shown; `assets/js/heads/overview.js` draws it, and answers pointing at a
thumbnail without the server.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence

import numpy as np

from mha.analysis.looks import strongest_looks
from mha.errors import InputError, ShapeError
from mha.figures.thumbnails import block_size, encode_roots, thumbnails
from mha.formats import labels, whole_percent
from mha.link.view import MAX_PINS
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.drawing import Drawing
from mha.screens.heads import findings
from mha.screens.pieces import sentence_pieces

SCALES = {
    "all": "All {n} heads, on one scale",
    "head": "All {n} heads, each on its own scale",
    "row": "All {n} heads, each row on its own scale",
}
LINKS = 24  # looks at one word that travel for each head when the thumbnails are pooled

_drawn: weakref.WeakKeyDictionary[AttentionMaps, np.ndarray] = weakref.WeakKeyDictionary()


def overview_spec(
    shown: AttentionMaps,
    share: np.ndarray,
    *,
    pins: Sequence[HeadId] = (),
    chosen: bool = False,
    off: Collection[HeadId] = (),
    lock: int | None = None,
    scale: str = "all",
    aside: bool = True,
    sinks: Sequence[Token] = (),
    large: bool = False,
) -> Drawing:
    """Return what the overview draws.

    ``shown`` are the maps as drawn (words or tokens, sinks already set aside or not); ``share`` float [layer, head] is
    each head's share on ``sinks`` (the pieces of `SetAside.sinks`); ``aside`` says whether they were set aside;
    ``chosen`` that the app chose the pins; ``lock`` is a position on the shown key axis.

    Raises:
        ShapeError: ``share`` does not fit the maps.
        InputError: a pin, the lock or the scale is not one there is; more than four pins.
    """
    check_heads(shown, pins, lock, scale)
    if np.shape(share) != (shown.n_layers, shown.n_heads):
        expected = (shown.n_layers, shown.n_heads)
        raise ShapeError(f"The share set aside must be [layer, head] {expected}; it is {np.shape(share)}.")
    names, n_heads = labels(shown.key_tokens), shown.n_layers * shown.n_heads
    looks = strongest_looks(shown, lock)
    sink_text = findings.sink_names(sinks)
    header = {
        "model": shown.model,
        "layers": shown.n_layers,
        "heads": shown.n_heads,
        "size": [shown.n_queries, shown.n_keys],
        "causal": shown.causal and shown.kind == "self",
        "links": shown.kind == "self",
        "pieces": sentence_pieces(shown),
        "queries": labels(shown.tokens),
        "keys": names,
        "pins": [str(head) for head in pins],
        "chosen": chosen,
        "off": sorted(str(head) for head in off),
        "lock": lock,
        "scale": scale,
        "large": large,
        "share": [whole_percent(value) for value in np.asarray(share).ravel()],
        "looks": [None if look is None else [look.query, look.key, whole_percent(look.weight)] for look in looks],
        "title": _title(scale, n_heads, len(set(off))),
        "finding": findings.pins_finding(shown, pins, lock, aside),
        "note": findings.overview_note(len(pins), n_heads, float(np.mean(share)), sinks, aside),
        "say": {
            "look": findings.look_template(shown.units, aside),
            "nothing": findings.nothing_template(shown.units, None if lock is None else names[lock]),
            "share": ("{percent} set aside" if aside else "{percent} on " + sink_text) if sinks else "",
            "share_legend": ("share set aside" if aside else "share on " + sink_text) if sinks else "",
            "share_aria": "{percent} to " + sink_text if sinks else "nothing on special tokens",
        },
    }
    arrays = {"maps": _thumbnails(shown)}
    if max(block_size(shown.n_queries), block_size(shown.n_keys)) > 1:
        focus = [lock if lock is not None else (look.key if look else 0) for look in looks]
        arrays |= _links(shown, focus)
    return Drawing(header, arrays)


def _title(scale: str, n_heads: int, n_off: int) -> str:
    if n_off:
        return f"{n_heads - n_off} of {n_heads} heads shown, {SCALES[scale].partition(', ')[2]}"
    if n_heads == 1:
        return "One head"
    return SCALES[scale].format(n=n_heads).replace("All 2 heads", "Both heads")


def _thumbnails(shown: AttentionMaps) -> np.ndarray:
    """Return the thumbnails, made once for the same maps: a click only changes what stands around them."""
    if shown not in _drawn:
        _drawn[shown] = thumbnails(shown.weights)
    return _drawn[shown]


def _links(shown: AttentionMaps, focus: Sequence[int]) -> dict[str, np.ndarray]:
    """Return for each head the strongest looks at its word in focus: queries, roots and that word."""
    columns = np.stack(
        [shown[head][:, key] for head, key in zip(shown.heads, focus, strict=True)]
    )  # [all heads, query]
    strongest = np.argsort(-columns, axis=1)[:, :LINKS]
    return {
        "link_queries": strongest.astype(np.uint16),
        "link_roots": encode_roots(np.take_along_axis(columns, strongest, axis=1)),
        "link_keys": np.array(focus, dtype=np.uint16),
    }


def check_heads(shown: AttentionMaps, pins: Sequence[HeadId], lock: int | None, scale: str) -> None:
    """Raise InputError unless the pins, the lock and the scale are among those there are, and the pins at most four."""
    if len(pins) > MAX_PINS:
        raise InputError(f"At most {MAX_PINS} heads are pinned; {len(pins)} were asked for.")
    for head in pins:
        shown[head]  # raises InputError with the heads there are
    if lock is not None and not 0 <= lock < shown.n_keys:
        raise InputError(f"The locked word must be one of {shown.n_keys}, counted from 0; it is {lock}.")
    if scale not in SCALES:
        raise InputError(f"A scale is one of {', '.join(SCALES)}; this is {scale!r}.")
