"""The pictures of Heads as component data: the sentence with arcs, the answer about a word, all heads, large maps.

Python rounds every share once, so that an arc is as thick as the number next to it.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.analysis.looks import AskedConnection, HeadLooks, Look, strongest_look, strongest_looks
from mha.analysis.shuffles import ShuffleControl
from mha.analysis.usual import column
from mha.assets import glossary
from mha.figures.thumbnails import SIDE, block_size, pool_largest, thumbnails
from mha.formats import in_figures, labels, percent, whole_percent, whole_percents
from mha.maps import HeadId
from mha.memo import array_dataclass
from mha.views import heads_sentences as sentences
from mha.views.component_data import PictureData
from mha.views.heads import HeadsCase, shown_word
from mha.views.heads_sentences import Spans, sentence_pieces, spans
from mha.words import right_to_left

LINKS = 24  # connections of a head that are sent, of a selected word
FREE_LINKS = 9  # further ones without a selected word
ON_A_LINE = 48  # words that may fit one line, on which arcs between any two are drawn
FAINTEST = 0.02  # of all attention: smaller shares have no tint and no arc
MAX_ROWS = 120  # of an answer that are sent; their number is always said


@array_dataclass
class Connections:
    """The connections of all heads, layer by layer.

    ``named`` has the one that sentences name, ``usual`` float64 [head] the usual share at its distance, NaN if unknown.
    ``queries``, ``keys`` and ``percents`` [head, link] are drawn, 0 % if there is none.
    """

    named: HeadLooks
    usual: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    percents: np.ndarray


def connections(case: HeadsCase) -> Connections:
    """Return the connections of all heads: at the selected word or from it, else each head's strongest."""
    maps = case.maps
    selected = {} if case.word is None else {"key" if case.look == "at" else "query": case.word}
    looks = strongest_looks(maps, **selected)
    turned = []  # heads picked for a connection in the other direction
    for head, (query, key) in case.picked.items():
        number = head.layer * maps.n_heads + head.head
        looks.query[number], looks.key[number] = query, key
        looks.weight[number], looks.found[number] = maps[head][query, key], True
        if case.look != "at" and query != case.word:
            turned.append(number)
    usual = np.full(len(looks.found), np.nan)
    if case.usual_shares is not None and maps.units == "words" and maps.kind == "self":
        words = np.array([token.word is not None for token in maps.tokens], dtype=bool)
        numbers, heads = np.cumsum(words), np.flatnonzero(looks.found)
        heads = heads[words[looks.query[heads]] & words[looks.key[heads]]]
        distance = numbers[looks.key[heads]] - numbers[looks.query[heads]]
        usual[heads] = case.usual_shares.weights.reshape(len(usual), -1)[heads, column(distance)]
    return Connections(looks, usual, *_links(case, looks, turned))


def _links(case: HeadsCase, named: HeadLooks, turned: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return queries, keys and whole per cents of each head's drawn connections, each [head, link]."""
    maps, selected = case.maps, case.word
    if maps.kind != "self":
        none = np.zeros((len(maps.heads), 1), dtype=np.uint8)
        return none, none, none
    weights = maps.weights.reshape(-1, maps.n_queries, maps.n_keys)  # [head, query, key]
    heads = np.arange(len(weights))[:, None]
    if selected is not None and case.look != "at":
        key = _largest(weights[:, selected], LINKS)
        query = np.full_like(key, selected)
        query[list(turned)] = _largest(weights[list(turned), :, selected], LINKS)
        key[list(turned)] = selected
    else:
        focus = np.where(named.found, named.key, 0) if selected is None else np.full(len(weights), selected)
        query = _largest(np.take_along_axis(weights, focus[:, None, None], axis=-1)[..., 0], LINKS)
        key = np.broadcast_to(focus[:, None], query.shape)
        if selected is None and maps.n_queries <= ON_A_LINE:
            visible_weights = np.where(maps.visible & ~np.eye(maps.n_queries, dtype=bool), weights, 0)
            other, more = np.divmod(_largest(visible_weights.reshape(len(weights), -1), FREE_LINKS), maps.n_keys)
            is_known = more == focus[:, None]
            query, key = np.hstack([query, np.where(is_known, more, other)]), np.hstack([key, more])
    shares = np.where(query == key, 0, weights[heads, query, key]).astype(np.float64)
    percents = np.where(shares >= FAINTEST, whole_percents(shares), 0)
    used = max(1, int(np.flatnonzero(percents.any(axis=0)).max(initial=0)) + 1)
    kind = np.uint8 if maps.n_queries <= 256 else np.uint16
    return query[:, :used].astype(kind), key[:, :used].astype(kind), percents[:, :used]


def _largest(weights: np.ndarray, count: int) -> np.ndarray:
    """Return the positions of the largest weights of each row, largest first, [row, at most count]."""
    return np.argsort(-weights, axis=-1, kind="stable")[:, :count]


# ---- the sentence and all heads


def overview(
    case: HeadsCase,
    *,
    large: bool = False,
    asks: bool = True,
    control: ShuffleControl | None = None,
    layout: Mapping[str, Any] | None = None,
) -> PictureData:
    """Return the sentence with the arcs of two heads, the finding, the answer about a word, and the grid of all heads.

    ``asks`` is whether words can be selected, ``control`` that of the opening connection, ``layout`` the `head_layout`.
    """
    maps, links = case.maps, connections(case)
    steps = [block_size(maps.n_queries, SIDE), block_size(maps.n_keys, SIDE)]
    leading = _leading_row(case) if case.answers else None
    if leading is None:
        pinned_looks = [links.named.of(head.layer * maps.n_heads + head.head) for head in case.pins[:2]]
        finding = sentences.finding(case, pinned_looks)
    else:
        finding = (_leading_sentence(case),)
    is_overall = case.word is None or case.look != "from"  # heads of an answer draw several rows
    rests = case.sink_share  # or the share that is excluded from the row of each head's connection
    if case.word is not None and not is_overall:
        rows = np.where(links.named.found, links.named.query, case.word).reshape(rests.shape)
        rests = np.take_along_axis(case.excluded, rows[..., None], axis=-1)[..., 0]
    sinks = sentences.sink_names(case.sinks, maps.text)
    lead = "Each small map is one head. A stronger colour means more attention."
    if max(steps) > 1:
        lead += f" Each cell shows the largest of {steps[0]}\u00a0×\u00a0{steps[1]}."
    header: dict[str, Any] = {
        "model": maps.model,
        "layers": maps.n_layers,
        "heads": maps.n_heads,
        "size": [maps.n_queries, maps.n_keys],
        "steps": steps,
        "causal": maps.causal and maps.kind == "self",
        "links": maps.kind == "self",
        "pieces": sentence_pieces(maps),
        "rtl": right_to_left(maps.text),
        "queries": labels(maps.tokens),
        "keys": labels(maps.key_tokens),
        "pins": [str(head) for head in case.pins],
        "ablated": [str(head) for head in case.choice.ablated],
        "chosen": case.is_automatic,
        "lock": case.word,
        "look": case.look,
        "large": large,
        "share": whole_percents(case.sink_share).ravel().tolist(),
        "rests": whole_percents(rests).ravel().tolist(),
        "looks": _looks(links),
        "leading": leading,
        "title": {1: "One head", 2: "Both heads"}.get(len(maps.heads), f"All {len(maps.heads)} heads"),
        "lead": lead,
        "finding": (*sentences.first_word_note(case), *finding),
        "note": sentences.note(case, control),
        "readings": marked(case),
        "asks": asks and maps.kind == "self",
        "asked": answer(case) if case.look == "ask" and case.word is not None else None,
        "say": {
            "look": spans(sentences.TO_WORD_TEMPLATE if is_overall else sentences.FROM_WORD_TEMPLATE),
            "at": spans(sentences.TO_WORD_TEMPLATE),
            "from": spans(sentences.FROM_WORD_TEMPLATE),
            "nothing": sentences.nothing_template(case),
            "preview": sentences.PIN_HINT,
            "release": sentences.UNPIN_HINT,
            "share": ("{percent} excluded" if case.excludes else f"{{percent}} to {sinks}") if sinks else "",
            "rests": f"{{percent}} {'overall ' if is_overall else ''}to {sinks}" if sinks else "",
            "share_legend": f"to {sinks}" if sinks else "",
            "sink": f"Attention sink: {glossary()['attention sink']}" if sinks else None,
            "share_aria": f"{{percent}} to {sinks}" if sinks else "0\u00a0% to special tokens",
        },
        **(layout or {}),
    }
    arrays = {"link_queries": links.queries, "link_keys": links.keys, "link_percents": links.percents}
    return PictureData(header, {"maps": thumbnails(maps), **arrays})


def _leading_row(case: HeadsCase) -> list[int | None] | None:
    """Return the connection that leads an answer: head, query, key, whole per cents, usual ones; None without one."""
    connection = case.leading
    row = None if connection is None else _answer_row(case, connection)
    if row is None or case.word is None:
        return None
    head, target, share, usual = row
    ends = [target, case.word] if case.direction == "at" else [case.word, target]
    return [head, *ends, share, usual]


def _leading_sentence(case: HeadsCase) -> Spans:
    """Return the sentence about the connection that leads an answer."""
    connection, names = case.leading, labels(case.maps.key_tokens)
    assert connection is not None
    assert case.word is not None
    selected, target = ("word", names[case.word]), ("word", names[shown_word(case, connection.other) or 0])
    ends = (target, selected) if case.direction == "at" else (selected, target)
    template = sentences.TO_WORD_TEMPLATE if case.direction == "at" else sentences.FROM_WORD_TEMPLATE
    return spans(template, head=connection.head, query=ends[0], key=ends[1], percent=percent(connection.weight))


def _looks(links: Connections) -> list[list[int | None] | None]:
    """Return the named connections as they are sent: query, key, whole per cents, usual whole per cents or None."""
    named, is_known = links.named, ~np.isnan(links.usual)
    percents = whole_percents(named.weight), whole_percents(np.where(is_known, links.usual, 0))
    rows = np.stack([named.query, named.key, *percents], axis=-1).tolist()  # [head, number]
    return [
        [*row[:3], row[3] if usual else None] if is_found else None
        for row, usual, is_found in zip(rows, is_known, named.found, strict=True)
    ]


def marked(case: HeadsCase) -> dict[str, Any] | None:
    """Return the positions of the ambiguous word and of its candidates, and the candidate of each picked head."""
    a, b, ambiguous = sentences.candidates(case)
    if not ambiguous:
        return None

    def places(numbers: set[int]) -> list[int]:
        return [place for place, token in enumerate(case.maps.key_tokens) if token.word in numbers]

    picked = zip(case.opening.heads, case.opening.sides, strict=bool(case.opening.sides))
    sides = {str(head): side for head, side in picked if head in case.picked and case.answers is None}
    return {"pivot": places(ambiguous), "a": places(a), "b": places(b), "sides": sides}


def answer(case: HeadsCase) -> dict[str, Any]:
    """Return both lists about the word that is asked about: the heads that look at it, and where it looks."""
    name = ("word", labels(case.maps.key_tokens)[case.word or 0])
    lists = []
    for title, way, rows in zip(
        ("Which heads look at {word}", "Where {word} looks"), ("at", "from"), case.answers or (), strict=False
    ):
        drawn_rows = [row for row in (_answer_row(case, row) for row in rows[:MAX_ROWS]) if row is not None]
        line = sentences.answer_line(case, rows, looks_at=way == "at")
        lists.append(
            {"title": spans(title, word=name), "way": way, "line": line, "count": len(rows), "rows": drawn_rows}
        )
    return {"title": spans("About {word}", word=name), "about": sentences.answer_about(case), "answers": lists}


def _answer_row(case: HeadsCase, row: AskedConnection) -> list[int | None] | None:
    """Return a connection as it is sent: head, other word, whole per cents, usual ones; None for an excluded word."""
    target = shown_word(case, row.other)
    if target is None:
        return None
    usual = None if row.usual is None else whole_percent(row.usual)
    return [row.head.layer * case.maps.n_heads + row.head.head, target, whole_percent(row.weight), usual]


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
        "lock": None if case.word is None else case.word // steps[1 if case.direction == "at" else 0],
        "look": case.direction,
        "large": large,
        "cells": cells,
        "ablates": ablates,
        "say": {"share": f"{{share}} of its attention{' at most' if max(steps) > 1 else ''}"},
        "heads": [_map_texts(case, head, sides.get(str(head), "")) for head in heads],
    }
    arrays = {"weights": np.rint(pool_largest(weights, MAP_SIDE) * FULL).astype(np.uint16)}
    if case.excludes:
        rows = np.stack([case.excluded[head] for head in heads])[:, :, None]  # [pin, query, 1]
        arrays["mass"] = np.rint(pool_largest(rows, MAP_SIDE)[:, :, 0] * FULL).astype(np.uint16)
    return PictureData(header, arrays)


def map_steps(case: HeadsCase) -> tuple[int, int]:
    """Return how many rows and columns of the maps share a cell of a large map; an event names the first of them."""
    return block_size(case.maps.n_queries, MAP_SIDE), block_size(case.maps.n_keys, MAP_SIDE)


def _map_texts(case: HeadsCase, head: HeadId, side: str) -> dict[str, Any]:
    """Return the words at a large map, the reading ``side`` that its head was picked for, and whether it is ablated.

    The caption is about the connection that the head was picked for, else about its strongest one.
    """
    maps, badge = case.maps, ""
    if case.sinks:
        sinks = "excluded" if case.excludes else f"to {sentences.sink_names(case.sinks, maps.text)}"
        badge = f"{percent(float(case.sink_share[head]))} {sinks}"
    if head in case.picked:
        query, key = case.picked[head]
        look: Look | None = Look(query, key, float(maps[head][query, key]))
    else:
        selected = {} if case.word is None else {"key" if case.direction == "at" else "query": case.word}
        look = strongest_look(maps, head, **selected)
    if look is None:
        caption = sentences.nothing_template(case, head)
    else:
        ends = ("word", labels(maps.tokens)[look.query]), ("word", labels(maps.key_tokens)[look.key])
        template = "{query} → {key}: {percent} of its attention."
        caption = spans(template, query=ends[0], key=ends[1], percent=percent(look.weight))
    size = f"{in_figures(maps.n_queries, 'row')} by {in_figures(maps.n_keys, 'column')}"
    text = "".join(text for _, text in caption)
    alternative = f"Attention map of {head}, {size}. {text} Arrow keys read its cells."
    return {
        "name": str(head), "side": side, "ablated": head in case.choice.ablated,
        "badge": badge, "caption": caption, "label": alternative,
    }  # fmt: skip


def _about_maps(case: HeadsCase, step: int) -> Spans:
    """Return the line below the heading of the large maps."""
    parts = ["Each number is a share of all attention of its row, in per cent."]
    if case.excludes:
        parts.append("{sinks} {are} excluded; the bar shows their share.")
    if step > 1:
        parts.append(f"Each cell shows the largest of {step}\u00a0×\u00a0{step} {case.maps.units}.")
    if case.word is not None:
        parts.append(f"Framed: the {'column' if case.direction == 'at' else 'row'} of {{word}}.")
    names = sentences.sink_names(case.sinks, case.maps.text)
    are = "is" if len(set(case.sinks)) == 1 else "are"
    selected = "" if case.word is None else labels(case.maps.key_tokens)[case.word]
    return spans(" ".join(parts), sinks=names[:1].upper() + names[1:], are=are, word=("word", selected))


@functools.lru_cache(maxsize=8)
def _block_labels(names: tuple[str, ...], step: int) -> list[str]:
    """Return one label for each block of neighbours: its first and last word."""
    blocks = [names[start : start + step] for start in range(0, len(names), step)]
    return [block[0] if len(block) == 1 else f"{block[0]} … {block[-1]}" for block in blocks]
