"""One layer, head by head: which layer, which of its heads, and their maps; and the table of all heads' numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha.brief import brief
from mha.export.long import weights_csv
from mha.link.head_acts import KeepOn
from mha.link.sent import SentNames
from mha.link.view import AS_DRAWN, BOTH, TABLE_SINKS
from mha.screens.blocks import Block, caption, say
from mha.screens.heads import clicks, layer, table
from mha.screens.heads.again import Again, again
from mha.screens.heads.doing import doing
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.places import ComponentPicture, Download, Pick, Press, Row, Switches, Ticked, Titled

SINKS = {AS_DRAWN: "As in the pictures", BOTH: "Sinks aside and kept"}


@dataclass(frozen=True, eq=False)
class TableFile:
    """The table of heads as CSV, sinks aside or kept as it says."""

    picture: Again
    aside: tuple[bool, ...]

    __repr__ = brief

    def text(self) -> bytes:
        """Return it as it is written."""
        return table.table_file(self.picture().recording.maps, self.aside)


@dataclass(frozen=True, eq=False)
class WeightsFile:
    """All weights of a picture as CSV."""

    picture: Again

    __repr__ = brief

    def text(self) -> bytes:
        """Return them as they are written."""
        return weights_csv(self.picture().shown.full)


def one_layer(picture: Picture, opened: bool) -> Iterator[Block]:
    """Yield the heads of the chosen layer side by side, with what switches heads; ``opened`` offers one cell."""
    shown = picture.shown
    full, heads = shown.full, layer.heads_on(shown)
    numbers = tuple(str(number) for number in range(full.n_layers))
    names = tuple(f"Layer {number}" for number in numbers)
    yield Titled(
        "One layer, head by head",
        (Pick("layer", "Layer", numbers, str(shown.layer), names, beside=True, wrap=True),),
    )
    options = tuple(f"H{head}" for head in range(full.n_heads))
    here = shown.layer, full.n_layers, full.n_heads
    on = tuple(f"H{head.head}" for head in heads)
    acts = (KeepOn(SentNames("kept", options), *here),)
    pills = Switches("layer_heads", "Heads switched on", options, on, acts)
    every, none = Press("All", (KeepOn(options, *here),)), Press("None", (KeepOn((), *here),))
    yield Row((every, none, pills), "head_pills", left=True, align="center")
    instead = layer.why_not(shown)
    if instead:
        yield caption(instead, style="sub")
        return
    cells = opened and picture.row.kind != OWN  # of maps from a file nothing more can be asked
    on_cell = clicks.cells_of_layer(picture, heads) if cells else {}
    yield ComponentPicture("layer", layer.layer_drawing(picture, cells), "layer_maps", on_cell)


def in_numbers(picture: Picture) -> Iterator[Block]:
    """Yield the table of the per-head statistics, whose ticks are the pins, and two files to take away."""
    shown, maps = picture.shown, picture.recording.maps
    heads, aside = table.table_heads(shown), table.settings(shown, picture.view.heads_table)
    names = tuple(SINKS[one] for one in TABLE_SINKS)
    sinks = Pick("heads_table", "Sinks in the table", TABLE_SINKS, picture.view.heads_table, names, beside=True)
    yield Titled("The same, in numbers", (sinks,) if shown.sinks else ())
    if not heads:
        yield caption(table.ALL_OFF, style="sub")
        return
    told = {column.name: (column.label, column.help, column.format) for column in table.columns(aside)}
    columns = table.table_columns(maps, heads, aside, doing(shown))
    yield Ticked(columns, told, tuple(heads), shown.pins, table.table_alternative(heads), "parallax-table")
    yield caption(say(table.table_caption(shown, heads, aside), sinks=table.named_sinks(shown)))
    source, instead = again(picture), table.why_no_weights(shown)
    files = [Download("Download this table as CSV", "parallax-heads.csv", "text/csv", TableFile(source, aside))]
    if not instead:
        files.append(Download("Download all weights as CSV", "parallax-weights.csv", "text/csv", WeightsFile(source)))
    yield Row(files, left=True, gap="medium")
    if instead:
        yield caption(instead)
