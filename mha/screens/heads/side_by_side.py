"""The pinned heads, large and side by side, and what above them says of what they are drawn."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.link.head_acts import ChooseForMe
from mha.link.heads import ALL, ATTENTION, BROUGHT, HeadsWords
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.maps import AttentionMaps
from mha.screens.blocks import Block, caption
from mha.screens.decoder.crossing import brought_of
from mha.screens.heads import clicks
from mha.screens.heads.marked import marked_of
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.heads.pinned import pinned_spec
from mha.screens.heads.pins import Pins, pins_of
from mha.screens.inputs import Choose, Press
from mha.screens.places import ComponentPicture, Place, Row, Title

NOTHING = "No head is pinned. Click a small map above, or let the app pick."


def side_by_side(picture: Picture, own: HeadsWords, opened: bool, steps: bool, ask: Ask) -> Iterator[Block]:
    """Yield the pinned heads on one scale; ``opened`` offers one cell, ``steps`` a head's arithmetic."""
    shown = picture.shown
    if not shown.pins:
        yield Title("Pinned heads")
        yield Place("no_pins", (caption(NOTHING, style="sub"),))
        yield Press("Pick for me", (ChooseForMe(),))
        return
    asks = opened and picture.row.kind != OWN  # of maps from a file nothing more can be asked
    drawn = yield from _drawn(picture, own, asks and steps, ask)
    spec = pinned_spec(
        drawn.maps,
        drawn.share,
        shown.pins,
        mass=drawn.mass,
        off=shown.off,
        lock=drawn.lock,
        look=shown.look,
        scale=picture.scale,
        sinks=drawn.sinks,
        view=picture.view.heads_pinned,
        large=picture.view.large,
        steps=asks and steps,
        cells=asks,
        brought=drawn.brought,
        sides=marked_of(shown).sides,
    )
    yield ComponentPicture("pinned", spec, "pinned", clicks.of_pinned(picture, drawn, asks, asks and steps, ask))


def _drawn(picture: Picture, own: HeadsWords, offered: bool, ask: Ask) -> Generator[Block, None, Pins]:
    """Yield the choices above the pinned maps and return what is drawn; ``offered`` where a model can be asked more.

    Of another stack of an encoder–decoder it can be asked what looks bring.
    """
    shown, maps = picture.shown, picture.recording.maps
    offered, two_texts = offered or bool(picture.stack), maps.pair is not None and not picture.stack
    weighed, between = ATTENTION, ALL
    whole = shown.full.measure == BROUGHT_MEASURE  # then the pinned maps are, too
    boxes: list[Block] = []
    if offered and not whole:
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
    found = pins_of(shown, picture.view, brought, between, all_can=not picture.stack)
    if why or found.note:
        yield caption(" ".join(filter(None, (why, found.note))))
    return found


def _brought(picture: Picture, ask: Ask) -> AttentionMaps:
    model, maps = picture.view.model, picture.recording.maps
    if not picture.stack:
        return ask(all_brought.of(maps.text, model, maps.pair)).as_maps()
    target = picture.recording.target
    return brought_of(picture, ask(all_brought.of(picture.source, model, None, picture.stack, target)))
