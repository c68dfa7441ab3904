"""The pinned heads, large and side by side: what they are drawn of, what stands above them, what can be clicked.

They are drawn of attention or of what it brings, of one text, or of two by who looks at whom.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.link.acts import Act, Lock, OpenCell, Pin, Say
from mha.link.heads import ALL, ATTENTION, BETWEEN, BROUGHT, HeadsWords
from mha.link.sent import SentName, SentNumber
from mha.link.view import View
from mha.maps import AttentionMaps
from mha.screens.blocks import Block, caption, heading
from mha.screens.heads.arcs import marked_of
from mha.screens.heads.one_cell import has_steps
from mha.screens.heads.overview import On, cell_sent
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.heads.pinned import SIDE, Pins, pinned_spec
from mha.screens.heads.stacks import brought_of
from mha.screens.inputs import Choose, Press
from mha.screens.places import ComponentPicture, Place, Row
from mha.screens.shown import Shown, shown_for

UNITS_DIFFER = (
    "Contribution: the size of the vector that arrives (‖weight · value · W_O‖), as a share of the row. Do not compare "
    "sizes across rows or heads. (Kobayashi et al. 2020) The other pictures still show attention."
)
PART = (
    "Shown: attention from the {first} text to the {second}. Percentages are shares of all {of}; the rest goes to "
    "markers and within the other text."
)
NOT_THERE = "None of the second text fits into the model, so the whole map is shown."
CHOOSE_FOR_ME = Say("pins", None), Say("lock", None), Say("look", "at")
NOTHING = "No head is pinned. Click a small map above, or let the app pick."


def pins_of(shown: Shown, view: View, brought: AttentionMaps | None = None, between: str = ALL) -> Pins:
    """Return what is drawn of the pinned heads; ``brought`` are the maps of what every look brings."""
    drawn, note = shown, ""
    if brought is not None:
        drawn = shown_for(replace(view, pins=shown.pins, lock=-1), brought)
        note = UNITS_DIFFER
    whole = Pins(
        maps=drawn.maps,
        heads=shown.pins,
        share=drawn.share,
        mass=drawn.mass if drawn.aside and drawn.sinks else None,
        sinks=drawn.sinks,
        lock=shown.lock,
        look=shown.look,
        rows=tuple(range(drawn.maps.n_queries)),
        columns=tuple(range(drawn.maps.n_keys)),
        note=note,
    )
    part = BETWEEN[between]
    if part is None or shown.full.kind != "self":
        return whole
    return _between(whole, drawn.raw, part) or replace(whole, note=f"{note} {NOT_THERE}".lstrip())


def _between(whole: Pins, raw: AttentionMaps, part: tuple[int, int]) -> Pins | None:
    """Return the part of the maps whose rows are of one text and whose columns are of one; None where it is empty."""
    rows, columns = (
        tuple(place for place, token in enumerate(tokens) if token.segment == segment and not token.special)
        for tokens, segment in zip((raw.tokens, raw.key_tokens), part, strict=True)
    )
    if not (rows and columns):
        return None
    maps = replace(
        raw,
        weights=raw.weights[:, :, list(rows)][..., list(columns)],
        tokens=tuple(raw.tokens[place] for place in rows),
        key_tokens=tuple(raw.key_tokens[place] for place in columns),
        kind="self" if part[0] == part[1] else "cross",
    )
    first, second = (("first", "second")[segment] for segment in part)
    said = PART.format(first=first, second=second, of="contributions" if whole.brought else "attention")
    own = columns if whole.look == "at" else rows
    return replace(
        whole,
        maps=maps,
        share=np.zeros(maps.weights.shape[:2]),
        mass=None,
        sinks=(),
        lock=own.index(whole.lock) if whole.lock in own else None,
        rows=rows,
        columns=columns,
        note=f"{said} {whole.note}".rstrip(),
    )


def side_by_side(picture: Picture, own: HeadsWords, of_the_text: bool, ask: Ask) -> Generator[Block, None, Pins | None]:
    """Yield the pinned heads on one scale and return what is drawn, None where none is pinned.

    ``of_the_text`` says whether they are of the sentence by the model itself.
    """
    shown = picture.shown
    if not shown.pins:
        yield heading("Pinned heads")
        yield Place("no_pins", (caption(NOTHING, style="sub"),))
        yield Press("Pick for me", CHOOSE_FOR_ME)
        return None
    asks = picture.row.kind != OWN  # of maps from a file nothing more can be asked
    drawn = yield from _drawn(picture, own, asks and of_the_text, ask)
    spec = pinned_spec(
        drawn,
        scale=picture.scale,
        large=picture.view.large,
        cells=has_steps(picture),
        sides=marked_of(shown)[0]["sides"],
    )
    yield ComponentPicture("pinned", spec, "pinned", of_pinned(picture, drawn))
    return drawn


def _drawn(picture: Picture, own: HeadsWords, offered: bool, ask: Ask) -> Generator[Block, None, Pins]:
    """Yield the choices above the pinned maps and return what is drawn; ``offered`` where a model can be asked more.

    Of another stack of an encoder–decoder it can be asked what looks bring.
    """
    shown, maps = picture.shown, picture.recording.maps
    offered, two_texts = offered or bool(picture.stack), maps.pair is not None and not picture.stack
    weighed, between = ATTENTION, ALL
    boxes: list[Block] = []
    if offered:
        weighed = own.weighed
        boxes.append(Choose(HeadsWords.of("weighed").name, bare=True))
    if offered and two_texts:
        between = own.between
        boxes.append(Choose(HeadsWords.of("between").name, bare=True, wrap=True))
    if boxes and two_texts:
        yield Row(boxes, "pinned_of", left=True, align="center")
    else:
        yield from boxes
    brought, why = None, ""
    if weighed == BROUGHT:
        try:
            brought = _brought(picture, ask)
        except MHAError as error:
            why = f"{error} Showing attention instead."
    found = pins_of(shown, picture.view, brought, between)
    found = replace(found, note=" ".join(filter(None, (why, found.note))))
    if found.note:
        yield caption(found.note)
    return found


def _brought(picture: Picture, ask: Ask) -> AttentionMaps:
    model, maps = picture.view.model, picture.recording.maps
    if not picture.stack:
        return ask(all_brought.of(maps.text, model, maps.pair)).as_maps()
    target = picture.recording.target
    return brought_of(picture, ask(all_brought.of(picture.source, model, None, picture.stack, target)))


def of_pinned(picture: Picture, drawn: Pins) -> On:
    """Return what the pinned heads have: release, lock a word, another view, the arithmetic of a number."""
    shown, maps = picture.shown, drawn.maps
    head = SentName("head", shown.pins)
    columns = tuple(shown.kept[at] for at in drawn.columns)
    own_rows = shown.full.kind == "self"  # rows of another text than the columns have places of their own
    rows = tuple(shown.kept[at] for at in drawn.rows) if own_rows else drawn.rows
    lock = SentNumber("position", maps.n_keys, none=True)
    row = SentNumber("position", maps.n_queries, none=True)
    on: dict[str, tuple[Act, ...]] = {
        "unpin": (Pin(head, shown.pins),),
        "lock": (Lock(lock, "at", columns),),
        "row": (Lock(row, "from", rows),),
    }
    if has_steps(picture):
        query, key = cell_sent(maps, SIDE)
        on["cell"] = (OpenCell(head, query, key, SIDE, drawn.rows, drawn.columns),)
        on["one_cell"] = (OpenCell(head),)
    return on
