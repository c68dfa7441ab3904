"""The sentence with the arcs of its pinned heads, and all heads as thumbnails: one component.

`overview_of` decides what is said and shown; `assets/js/heads/overview.js` draws it (`finding.js` beside it the
finding), and answers pointing at a thumbnail without the server.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mha.analysis.looks import HeadLooks, Look
from mha.analysis.roles import mostly_near
from mha.analysis.usual import looking
from mha.brief import once_of_each
from mha.figures.thumbnails import SIDE, block_size, thumbnails
from mha.formats import labels, whole_percents
from mha.glossary import glossary
from mha.link.acts import Act, AskAbout, Lock, OpenCell, Pin
from mha.link.sent import SentName, SentNumber
from mha.maps import ATTENTION, BROUGHT, AttentionMaps, HeadId
from mha.screens.blocks import Drawing, Spans, say
from mha.screens.guessing import guessed_places
from mha.screens.heads import findings
from mha.screens.heads.arcs import Arcs, arcs, marked_of, named_looks
from mha.screens.heads.asked import asked
from mha.screens.pieces import sentence_pieces
from mha.screens.shown import Shown
from mha.words import right_to_left

SCALES = {
    "all": "All {n} heads",
    "head": "All {n} heads · colour per head",
    "row": "All {n} heads · colour per row",
}
YOUR_GUESS = " Dashed line: your guess."

On = Mapping[str, tuple[Act, ...]]  # what a click does, by what the browser calls it


def overview_of(
    shown: Shown,
    scale: str,
    large: bool = False,
    asks: bool = True,
    cells: bool = False,
    guess: str = "",
    control: Spans = (),
) -> Drawing:
    """Return what the overview draws of what a view shows; ``scale`` by the pictures' name.

    ``asks`` says whether words can be asked, ``cells`` whether one cell of a thumbnail can be opened, ``guess`` which
    word somebody guessed (`mha.screens.guessing`); ``control`` is the line on shuffled copies. Where something was set
    aside its arrays have ``left`` uint8 [layer, head, query], what is left of each row in whole per cents.
    """
    maps, raw, pins, lock, look, sinks = shown.maps, shown.raw, shown.pins, shown.lock, shown.look, shown.sinks
    measure, names, n_heads = maps.measure, labels(maps.key_tokens), maps.n_layers * maps.n_heads
    habit = shown.habit if measure == ATTENTION else None  # a habit is one of looking
    carried = arcs(raw, lock, look, named_looks(shown), habit)
    steps = block_size(maps.n_queries, SIDE), block_size(maps.n_keys, SIDE)
    (marked, lacking), instead = marked_of(shown), _instead(shown)
    finding = instead or findings.pins_finding(raw, pins, carried.looks, lock, look)
    numbers = [head.layer * maps.n_heads + head.head for head in pins[:2]]
    first = [(carried.looks.of(number), float(carried.usual[number])) for number in numbers]
    asks_next = asks and not instead  # which asks for a click itself
    usual = [] if instead else first
    note = findings.overview_note(usual, len(pins), asks_next, measure, control) if maps.n_keys > 1 else ()
    overall = lock is None or look == "at"  # no one word looks in what is drawn
    rests = shown.share if overall else _of_rows(shown.mass, carried.looks, lock or 0)
    guessed = guessed_places([token.text for token in maps.key_tokens], guess)
    sink_text, word = findings.sink_names(sinks, maps.text), None if lock is None else names[lock]
    header = {
        "model": maps.model,
        "layers": maps.n_layers,
        "heads": maps.n_heads,
        "size": [maps.n_queries, maps.n_keys],
        "causal": maps.causal and maps.kind == "self",
        "links": maps.kind == "self",
        "pieces": sentence_pieces(maps),
        "rtl": right_to_left(maps.text),
        "queries": labels(maps.tokens),
        "keys": names,
        "pins": [str(head) for head in pins],
        "chosen": shown.chosen_pins,
        "lock": lock,
        "look": look,
        "scale": scale,
        "large": large,
        "share": whole_percents(shown.share).ravel().tolist(),
        "rests": whole_percents(rests).ravel().tolist(),
        "looks": _looks(carried),
        "title": title_of(scale, n_heads),
        "finding": (*lacking, *finding),
        "readings": marked if marked["pivot"] else None,
        "note": (*note, *(say(YOUR_GUESS) if guessed else ())),
        **({"guessed": guessed} if guessed else {}),
        "asks": asks,
        "cells": cells,
        "steps": list(steps),
        "brought": measure == BROUGHT,
        "asked": asked(shown),
        "lead": _lead(measure, steps),
        "say": {
            "look": findings.look_template(look if lock is not None else "at", measure),
            "nothing": findings.nothing_template(maps.units, look, word, measure),
            "asked": findings.look_template("from"),
            "preview": findings.PREVIEW,
            "release": findings.RELEASE,
            "share": ("{percent} excluded" if shown.aside else "{percent} to " + sink_text) if sinks else "",
            "rests": f"{{percent}} {'overall ' if overall else ''}to {sink_text}" if sinks else "",
            "share_legend": f"to {sink_text}" if sinks else "",
            "sink": f"Attention sink: {glossary()['attention sink']}" if sinks and measure == ATTENTION else None,
            "share_aria": "{percent} to " + sink_text if sinks else "0\u00a0% to special tokens",
        },
    }
    arrays = {"maps": _thumbnails(maps), **carried.arrays()}
    if shown.aside and sinks:
        arrays["left"] = _left(shown.mass, block_size(maps.n_queries))
    return Drawing(header, arrays)


def _lead(measure: str, steps: tuple[int, int]) -> str:
    """Return what a small map is, and where cells stand for several numbers, which of them each shows."""
    means = "a larger contribution" if measure == BROUGHT else "more attention"
    lead = f"Each small map is one head. A stronger colour means {means}."
    return lead + (f" Each cell shows the largest of {steps[0]}\u00a0×\u00a0{steps[1]}." if max(steps) > 1 else "")


def _of_rows(mass: np.ndarray, looks: HeadLooks, lock: int) -> np.ndarray:
    """Return each head's part of ``mass`` [layer, head, query] in the row of its arc, else the locked one."""
    rows = np.where(looks.found, looks.query, lock).reshape(mass.shape[:2])
    return np.take_along_axis(mass, rows[..., None], axis=-1)[..., 0]


def _instead(shown: Shown) -> tuple[Spans, ...]:
    """Return what is said where the text has one word, or the app found none that two heads send to two others."""
    if shown.full.kind != "self" or not shown.pins:
        return ()
    words: dict[tuple[int, int], str] = {}  # whole words, whatever the units
    for token in shown.full.tokens:
        if token.word is not None:
            place = token.segment, token.word
            words[place] = words.get(place, "") + token.text
    if len(words) == 1:  # whose pieces may look at each other
        pieces = sum(token.word is not None for token in shown.full.tokens)
        return findings.stands_alone(shown.raw, shown.n_tokens) if pieces == 1 else ()
    of_attention = shown.full.measure == ATTENTION  # by it the opening was chosen
    if shown.lock is not None or not shown.chosen_lock or not shown.chosen_pins or not words or not of_attention:
        return ()
    mostly = bool(mostly_near(looking(shown.full))[tuple(np.array(shown.pins).T)].all())
    return findings.nothing_to_tell([*words.values()], mostly, shown.habit is not None, len(shown.full.heads))


def named_look(shown: Shown, head: HeadId) -> Look | None:
    """Return the look that the overview names of a head; None where it has none to name."""
    looks = arcs(shown.raw, shown.lock, shown.look, named_looks(shown)).looks
    return looks.of(head.layer * shown.raw.n_heads + head.head)


def _looks(carried: Arcs) -> list[list[int | None] | None]:
    """Return looks as they travel: from, at, whole per cents, and the habit there in whole per cents or None."""
    looks, known = carried.looks, ~np.isnan(carried.usual)
    percents = whole_percents(looks.weight), whole_percents(np.where(known, carried.usual, 0))
    rows = np.stack([looks.query, looks.key, *percents], axis=-1).tolist()  # [head, number]
    return [
        [*row[:3], row[3] if usual else None] if found else None
        for row, usual, found in zip(rows, known, looks.found, strict=True)
    ]


def _left(mass: np.ndarray, step: int) -> np.ndarray:
    """Return what is left of each row after setting aside, in whole per cents; of pooled rows, the most."""
    left = whole_percents(1 - mass)  # [layer, head, query]
    return left if step == 1 else np.maximum.reduceat(left, np.arange(0, left.shape[-1], step), axis=-1)


def title_of(scale: str, n_heads: int) -> str:
    """Return what stands above the small maps: how many there are, and on which scale."""
    if n_heads == 1:
        return "One head"
    return SCALES[scale].format(n=n_heads).replace("All 2 heads", "Both heads")


@once_of_each
def _thumbnails(shown: AttentionMaps) -> np.ndarray:
    """Return the thumbnails, made once for the same maps: a click only changes what stands around them."""
    return thumbnails(shown.weights)


def clicks_on_heads(shown: Shown) -> On:
    """Return the click on a small map, which pins or releases its head."""
    return {"picked": (Pin(SentName("head", shown.full.heads), shown.pins),)}


def clicks_on_words(shown: Shown) -> On:
    """Return the click on a word of the sentence: it is asked about, or locked where answers are not about looks."""
    position = SentNumber("position", shown.maps.n_keys, none=True)
    if shown.full.measure == ATTENTION:
        act: Act = AskAbout(position, shown.kept, shown.lock, shown.look == "ask")
    else:
        act = Lock(position, "from", shown.kept)
    return {"asked": (act,)}


def clicks_on_cells(shown: Shown) -> On:
    """Return the ways from a thumbnail to one cell: that cell, or any of its head."""
    head, maps = SentName("head", shown.full.heads), shown.maps
    query, key = cell_sent(maps, SIDE)
    return {"cell": (OpenCell(head, query, key, SIDE),), "one_cell": (OpenCell(head, named=True),)}


def cell_sent(maps: AttentionMaps, side: int) -> tuple[SentNumber, SentNumber]:
    """Return the row and the column of maps of which at most ``side`` travel, so that neighbours share one."""
    steps = [(name, n, block_size(n, side)) for name, n in (("query", maps.n_queries), ("key", maps.n_keys))]
    query, key = (SentNumber(name, -(-n // step), step) for name, n, step in steps)
    return query, key
