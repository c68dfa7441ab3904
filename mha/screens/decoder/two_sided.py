"""What Heads shows of a model with an encoder and a decoder: its target, cross-attention, three kinds of attention."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from mha.brief import brief
from mha.engine import writing as engine
from mha.engine.question import Ask, Call, Here
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.export.weights import weights_json, weights_npz
from mha.link.head_acts import Lock
from mha.link.heads import CROSS, ENCODER, GENERATED, MOST_WRITTEN, HeadsWords
from mha.link.sent import SentNumber
from mha.maps import AttentionMaps, Recording
from mha.screens.blocks import Block, caption
from mha.screens.decoder import cross_table, drawings, three_kinds
from mha.screens.decoder import crossing as screen
from mha.screens.decoder.written import HOW_MANY, UNTOLD, writes_target
from mha.screens.heads import clicks
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import Picture
from mha.screens.inputs import Fixed
from mha.screens.places import ComponentPicture, Notice, Place, SortableTable, Title, Together, Wait
from mha.screens.shown import Shown
from mha.screens.takings import AsFile, Files, Numbers


def of_stack(picture: Picture, own: HeadsWords, ask: Ask) -> Generator[Block, None, Picture]:
    """Return the picture of the attention that was chosen; the encoder's where another cannot be had."""
    if not picture.row.two_sided:
        return picture
    yield Wait("Writing …")
    try:
        beside = _beside(picture, own, ask)
    except UNTOLD as error:
        yield Notice(str(error))
        return screen.stack_picture(picture, picture.recording, own.stack) if own.stack == ENCODER else picture
    if writes_target(picture.row, own):
        yield Place(HOW_MANY, (Fixed("Output text, written by the model", beside.target or "", "target_written"),))
    return screen.stack_picture(picture, beside, own.stack)


def crosses(picture: Picture) -> bool:
    """Return whether a picture is of cross-attention."""
    return picture.shown.full.kind == "cross"


def of_the_text(picture: Picture, own: HeadsWords) -> bool:
    """Return whether a picture is of the attention that other pages and a cell's numbers are about, the first."""
    return not picture.row.two_sided or own.stack == ENCODER


def _beside(picture: Picture, own: HeadsWords, ask: Ask) -> Recording:
    text, model = picture.recording.maps.text, picture.row.name
    if own.aim == GENERATED and picture.row.predicts:
        return ask(Call(engine.written, (text, model, MOST_WRITTEN, None))).recording
    return ask(Call(engine.beside, (text, own.target.strip() or text, model)))


def alignment(picture: Picture) -> ComponentPicture:
    """Return source and target with the lines of the first pinned head."""
    drawing = screen.drawing(screen.alignment_of(picture))
    locked = Lock(SentNumber("position", len(drawing.header["targets"]), none=True), "from")
    return ComponentPicture("crossing", drawing, "crossing", {"locked": (locked,)}, first=True)


def every_head(picture: Picture, ask: Ask) -> ComponentPicture:
    """Return all heads of cross-attention."""
    shown = dataclasses.replace(picture.shown, lock=None, look="at")  # what is locked stands in the alignment
    drawn = overview_of(shown, picture.scale, picture.view.large, asks=False, cells=True)
    spec = drawings.bracketed(drawings.alone(drawn, screen.grid_about(shown.maps)), picture.recording, CROSS.lower())
    on = {**clicks.of_heads(shown, ask), **clicks.cells_of_overview(shown)}
    return ComponentPicture("overview", spec, "overview", on, first=True)


@dataclass(frozen=True, eq=False)
class CrossNumbers:
    """The numbers of every cross-attention head, to be taken away."""

    shown: Shown
    told: MapsSource

    __repr__ = brief

    def table(self) -> Table:
        """Return them as a table."""
        return cross_table.table_of(self.shown, self.told.told())


@dataclass(frozen=True, eq=False)
class AllWeights:
    """All weights of some maps, as JSON or as NPZ."""

    maps: AttentionMaps
    told: MapsSource
    npz: bool = False

    __repr__ = brief

    def text(self) -> bytes:
        """Return them as they are written."""
        told = self.told.told()
        return weights_npz(self.maps, told) if self.npz else weights_json(self.maps, told)


def weights_files(maps: AttentionMaps, told: MapsSource) -> tuple[AsFile, AsFile]:
    """Return the files with all weights that say where they come from."""
    return (
        AsFile("JSON", "parallax-weights.json", "application/json", AllWeights(maps, told)),
        AsFile("NPZ", "parallax-weights.npz", "application/octet-stream", AllWeights(maps, told, npz=True)),
    )


BEFORE_ASIDE = "All weights, nothing excluded"


def numbers(picture: Picture, ask: Ask) -> Iterator[Block]:
    """Yield the numbers of every cross-attention head, and offer them and all weights as files."""
    shown = picture.shown
    told = MapsSource(shown.full, picture.row.sha256, link=ask(Here()))
    yield Title(cross_table.TITLE)
    formats = {column.label: column.format for column in cross_table.COLUMNS}
    about = {column.label: column.help for column in cross_table.COLUMNS}
    columns, alt = cross_table.table_columns(shown), cross_table.alternative(shown.maps)
    yield SortableTable("", columns, formats, alt, "parallax-cross", help=about, high=False)
    yield caption(cross_table.caption(shown))
    yield Numbers(cross_table.TITLE, "parallax-cross", of=CrossNumbers(shown, told))
    yield Files(BEFORE_ASIDE, weights_files(shown.full, told))


def three_attentions(encoder: Picture, own: HeadsWords, ask: Ask) -> Iterator[Block]:
    """Yield the three attentions of a model with two sides, a head of each; ``encoder`` is the picture of the first."""
    if not encoder.row.two_sided:
        return
    try:
        beside = _beside(encoder, own, ask)
    except UNTOLD:  # said where the attention is chosen
        return
    yield Together(three_kinds.kinds_blocks(encoder, beside))
