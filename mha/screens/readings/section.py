"""The headings of the tabs' sections, with boxes beside them; and measuring a model that nothing is known of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from mha.engine import experiments
from mha.engine.habits import CalibrationOn
from mha.engine.question import Ask
from mha.examples import OPENS_TWO_READINGS
from mha.formats import about
from mha.link.acts import Act, Begin, Say
from mha.models.files.catalog import ModelRow
from mha.screens.blocks import Block
from mha.screens.inputs import Press
from mha.screens.measuring import far
from mha.screens.places import Following, More, Place, PlainTable, Side, Title, Together, Wait
from mha.screens.readings.pairs import can_be_measured, offer_blocks

TAKE_DOG = Say("text", OPENS_TWO_READINGS), Say("lock", None), Say("look", "at")
Acts = Mapping[str, tuple[Act, ...]]
NO_ACTS: Acts = MappingProxyType({})
PACE = 1.0  # seconds between looks at a measurement


def in_parts(blocks: Sequence[Block], acts: Acts, on: Acts = NO_ACTS) -> Iterator[Block]:
    """Yield sentences and pictures as components, and between them disclosures with theirs, and tables."""
    run: list[Block] = []
    for block in (*blocks, None):
        if block is not None and not isinstance(block, More | PlainTable):
            run.append(block)
            continue
        if run:
            yield Together(tuple(run), acts, on=on)
            run = []
        if isinstance(block, More):
            yield replace(block, blocks=tuple(in_parts(tuple(block.blocks), acts, on)))
        elif block is not None:
            yield block


def section(title: str, large: bool, *boxes: Block, shares: tuple[float, ...] = ()) -> Place:
    """Return a section's heading; with ``shares`` of a row, its own the first, boxes stand beside it."""
    name = f"section_readings_{title.split()[-1]}{'_large' if large else ''}"
    heading = Title(title)
    if not boxes:
        return Place(name, (heading,))
    return Place(name, (Side(((heading,), *((box,) for box in boxes)), shares, align="bottom"),))


def measuring(kind: str, row: ModelRow, large: bool, ask: Ask) -> Iterator[Block]:
    """Yield the offer to measure a model on the forced pairs, or how far that is; nothing where there are no pairs."""
    if not can_be_measured(kind, row):
        return
    yield section("Test pairs", large)
    yield Together(offer_blocks(row))
    asked = CalibrationOn(row.name)
    run = ask(asked)
    if run is None:
        yield Wait("Looking how fast this model is …")
        yield Press(f"Measure now ({about(ask(experiments.calibrating_seconds.of(row.name)))})", (Begin(asked),))
        return
    told = f"Measuring the test pairs: step {run.done} of {run.whole}"
    yield Following("calibrating", asked, run.state == "running", tuple(far(asked, run, told)), PACE)
