"""The pinned heads of Heads as component data: large maps, in the shares of all attention that arcs have, too."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import Look, strongest_look
from mha.figures.thumbnails import block_size, pool_largest
from mha.formats import in_figures, labels, percent
from mha.maps import HeadId
from mha.views import heads_sentences as sentences
from mha.views.envelope import PictureData
from mha.views.heads import HeadsCase
from mha.views.heads_pictures import marked
from mha.views.spans import Spans, spans, word

MAP_SIDE = 128  # rows and columns of a large map; of more, neighbours share a cell
FULL = np.iinfo(np.uint16).max  # a weight of 1 in the arrays of a large map


def pinned(
    case: HeadsCase, *, large: bool = False, cells: bool = False, ablates: bool = False, heads: Sequence[HeadId] = ()
) -> PictureData:
    """Return large maps of the pinned heads, or of other ``heads``.

    ``cells`` is whether a click on a number opens its arithmetic, ``ablates`` whether heads can be ablated here.
    """
    maps, heads = case.maps, heads or case.pins
    weights = np.stack([maps[head] for head in heads])  # [pin, query, key]
    steps = map_steps(case)
    sides = (marked(case) or {"sides": {}})["sides"]
    header: dict[str, Any] = {
        "title": "Pinned heads" if len(heads) > 1 else "Pinned head",
        "about": _about_maps(case, max(steps)),
        "aside_label": "excluded",
        "queries": _block_labels(labels(maps.tokens), steps[0]),
        "keys": _block_labels(labels(maps.key_tokens), steps[1]),
        "same_words": maps.kind == "self",
        "steps": list(steps),
        "causal": maps.causal and maps.kind == "self",
        "lock": None if case.word is None else case.word // steps[1 if case.frames_column else 0],
        "look": "at" if case.frames_column else "from",
        "large": large,
        "cells": cells,
        "ablates": ablates,
        "say": {"share": f"{{share}} of its attention{' at most' if max(steps) > 1 else ''}"},
        "heads": [
            {
                "name": str(head),
                "side": sides.get(str(head), ""),
                "ablated": head in case.choice.ablated,
                "badge": _badge(case, head),
                "caption": _caption(case, head),
                "label": _alternative(case, head),
            }
            for head in heads
        ],
    }
    arrays = {"weights": np.rint(pool_largest(weights, MAP_SIDE) * FULL).astype(np.uint16)}
    if case.excludes:
        rows = np.stack([case.excluded[head] for head in heads])[:, :, None]  # [pin, query, 1]
        arrays["mass"] = np.rint(pool_largest(rows, MAP_SIDE)[:, :, 0] * FULL).astype(np.uint16)
    return PictureData(header, arrays)


def map_steps(case: HeadsCase) -> tuple[int, int]:
    """Return how many rows and columns of the maps share a cell of a large map; an event names the first of them."""
    return block_size(case.maps.n_queries, MAP_SIDE), block_size(case.maps.n_keys, MAP_SIDE)


def _map_look(case: HeadsCase, head: HeadId) -> Look | None:
    """Return the connection below a map: the one that the head was picked for, else its strongest one."""
    if head in case.picked:
        query, key = case.picked[head]
        return Look(query, key, float(case.maps[head][query, key]))
    selected = {} if case.word is None else {"key" if case.frames_column else "query": case.word}
    return strongest_look(case.maps, head, **selected)


def _badge(case: HeadsCase, head: HeadId) -> str:
    if not case.sinks:
        return ""
    share = percent(float(case.sink_share[head]))
    return f"{share} excluded" if case.excludes else f"{share} to {sentences.sink_names(case.sinks, case.maps.text)}"


def _caption(case: HeadsCase, head: HeadId) -> Spans:
    look = _map_look(case, head)
    if look is None:
        return sentences.nothing_template(case, head)
    query, key = labels(case.maps.tokens)[look.query], labels(case.maps.key_tokens)[look.key]
    return spans(
        "{query} → {key}: {percent} of its attention.", query=word(query), key=word(key), percent=percent(look.weight)
    )


def _alternative(case: HeadsCase, head: HeadId) -> str:
    """Return the text alternative of a large map."""
    look, maps = _map_look(case, head), case.maps
    strongest = "no connection of 1\u00a0% or more"
    if look is not None:
        query, key = labels(maps.tokens)[look.query], labels(maps.key_tokens)[look.key]
        strongest = f"{query} to {key}, {percent(look.weight)}"
    size = f"{in_figures(maps.n_queries, 'row')} by {in_figures(maps.n_keys, 'column')}"
    return f"Attention map of {head}, {size}. Named: {strongest}. Arrow keys read its cells."


def _about_maps(case: HeadsCase, step: int) -> Spans:
    """Return the line below the heading of the large maps."""
    parts = ["Each number is a share of all attention of its row, in per cent."]
    if case.excludes:
        parts.append("{sinks} {are} excluded; the bar shows their share.")
    if step > 1:
        parts.append(f"Each cell shows the largest of {step}\u00a0×\u00a0{step} {case.maps.units}.")
    if case.word is not None:
        parts.append(f"Framed: the {'column' if case.frames_column else 'row'} of {{word}}.")
    names = sentences.sink_names(case.sinks, case.maps.text)
    are = "is" if len(set(case.sinks)) == 1 else "are"
    selected = "" if case.word is None else labels(case.maps.key_tokens)[case.word]
    return spans(" ".join(parts), sinks=names[:1].upper() + names[1:], are=are, word=word(selected))


@functools.lru_cache(maxsize=8)
def _block_labels(names: tuple[str, ...], step: int) -> list[str]:
    """Return one label for each block of neighbours: its first and last word."""
    blocks = [names[start : start + step] for start in range(0, len(names), step)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]
