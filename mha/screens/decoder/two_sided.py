"""What Heads shows of a model with an encoder and a decoder: its target, cross-attention, three kinds of attention."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator

from mha.engine import writing as engine
from mha.engine.question import ADDRESS, Ask
from mha.export.provenance import MapsSource
from mha.export.tables import weights_json, weights_npz
from mha.link.acts import Lock
from mha.link.heads import CROSS, ENCODER, GENERATED, MOST_WRITTEN, HeadsWords
from mha.link.sent import SentNumber
from mha.maps import AttentionMaps, Recording
from mha.screens.blocks import Block, caption, heading
from mha.screens.decoder import crossing, looking_back
from mha.screens.decoder.written import HOW_MANY, UNTOLD
from mha.screens.heads import stacks
from mha.screens.heads.layouts import with_layout
from mha.screens.heads.overview import clicks_on_cells, clicks_on_heads, overview_of
from mha.screens.heads.picture import Picture
from mha.screens.inputs import Fixed
from mha.screens.places import ComponentPicture, Notice, PageTable, Place, Together, Wait
from mha.screens.takings import Download, Files, Numbers, OnRequest


def of_stack(picture: Picture, own: HeadsWords, ask: Ask) -> Generator[Block, None, Picture]:
    """Return the picture of the attention that was chosen; the encoder's where another cannot be had."""
    if not picture.row.two_sided:
        return picture
    yield Wait("Writing …")
    try:
        beside = _beside(picture, own, ask)
    except UNTOLD as error:
        yield Notice(str(error))
        return stacks.stack_picture(picture, picture.recording, own.stack) if own.stack == ENCODER else picture
    if _writes_target(picture, own):
        yield Place(HOW_MANY, (Fixed("Output text, written by the model", beside.target or "", "target_written"),))
    return stacks.stack_picture(picture, beside, own.stack)


def crosses(picture: Picture) -> bool:
    """Return whether a picture is of cross-attention."""
    return picture.shown.full.kind == "cross"


def of_the_text(picture: Picture, own: HeadsWords) -> bool:
    """Return whether a picture is of the attention that other pages and a cell's numbers are about, the first."""
    return not picture.row.two_sided or own.stack == ENCODER


def _writes_target(picture: Picture, own: HeadsWords) -> bool:
    """Return whether the target is written by the model, and stands above."""
    return bool(picture.row.predicts) and own.aim == GENERATED


def _beside(picture: Picture, own: HeadsWords, ask: Ask) -> Recording:
    text, model = picture.recording.maps.text, picture.row.name
    if _writes_target(picture, own):
        return ask(engine.written.of(text, model, MOST_WRITTEN, None)).recording
    return ask(engine.beside.of(text, own.target.strip() or text, model))


def alignment(picture: Picture) -> ComponentPicture:
    """Return source and target with the lines of the first pinned head."""
    drawing = crossing.drawing(crossing.alignment_of(picture))
    locked = Lock(SentNumber("position", len(drawing.header["targets"]), none=True), "from")
    return ComponentPicture("crossing", drawing, "crossing", {"locked": (locked,)}, first=True)


def every_head(picture: Picture, ask: Ask) -> ComponentPicture:
    """Return all heads of cross-attention."""
    shown = dataclasses.replace(picture.shown, lock=None, look="at")  # what is locked stands in the alignment
    drawn = overview_of(shown, picture.scale, picture.view.large, asks=False, cells=True)
    drawn = looking_back.alone(drawn, crossing.grid_about(shown.maps))
    spec = with_layout(drawn, picture.recording, CROSS.lower())
    on = {**clicks_on_heads(shown, ask), **clicks_on_cells(shown)}
    return ComponentPicture("overview", spec, "overview", on, first=True)


def weights_files(maps: AttentionMaps, told: MapsSource) -> tuple[Download, Download]:
    """Return the files with all weights that say where they come from."""
    return (
        Download("JSON", "parallax-weights.json", "application/json", OnRequest(weights_json, (maps, told))),
        Download("NPZ", "parallax-weights.npz", "application/octet-stream", OnRequest(weights_npz, (maps, told))),
    )


BEFORE_ASIDE = "All weights, nothing excluded"


def numbers(picture: Picture, ask: Ask) -> Iterator[Block]:
    """Yield the numbers of every cross-attention head, and offer them and all weights as files."""
    shown = picture.shown
    told = MapsSource(shown.full, picture.row.sha256, link=ask(ADDRESS))
    yield heading(crossing.TITLE)
    formats = {label: how for label, _, how in crossing.COLUMNS.values()}
    about = {label: help_ for label, help_, _ in crossing.COLUMNS.values()}
    columns, alt = crossing.table_columns(shown), crossing.table_alternative(shown.maps)
    yield PageTable(columns, alt, "parallax-cross", sorts=True, formats=formats, help=about, high=False)
    yield caption(crossing.table_caption(shown))
    yield Numbers(crossing.TITLE, "parallax-cross", of=OnRequest(crossing.table_of, (shown, told)))
    yield Files(BEFORE_ASIDE, weights_files(shown.full, told))


def three_attentions(encoder: Picture, own: HeadsWords, ask: Ask) -> Iterator[Block]:
    """Yield the three attentions of a model with two sides, a head of each; ``encoder`` is the picture of the first."""
    if not encoder.row.two_sided:
        return
    try:
        beside = _beside(encoder, own, ask)
    except UNTOLD:  # said where the attention is chosen
        return
    yield Together(stacks.kinds_blocks(encoder, beside))
