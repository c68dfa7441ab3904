"""The sheet of one head: what does it do?"""

from __future__ import annotations

from collections.abc import Iterator

from mha.engine.asking import Here, SilencingOf
from mha.engine.atlas import threes_of
from mha.engine.jobs import calibration_of
from mha.engine.question import Ask
from mha.link.acts import Begin, Say
from mha.link.atlas import AtlasWords
from mha.maps import HeadId
from mha.screens.atlas import sheet as told
from mha.screens.atlas.brings import brings
from mha.screens.atlas.sheet import HeadSheet
from mha.screens.atlas.sheet_numbers import sheet_tables
from mha.screens.atlas.whole_model import WholeModel
from mha.screens.blocks import Block, caption
from mha.screens.measuring import PACE, far
from mha.screens.places import CopyLink, Following, Made, Numbers, Pick, Press, Row, Together

WIDTH = 160  # px of the choice of a head
OPEN = AtlasWords.of("head").name
FAILED = "Silencing could not be measured for this model."


def page(case: WholeModel, head: HeadId, ask: Ask) -> Iterator[Block]:
    """Yield the sheet of a head, the choice of another, and the way back."""
    heads = [HeadId(layer, at) for layer in range(case.row.n_layers) for at in range(case.row.n_heads)]
    names = tuple(map(str, heads))
    back = Press("← Whole model", (Say(OPEN, None),))
    yield Row((back, Pick(OPEN, "Head", names, str(head), width=WIDTH)), "sheet_bar", left=True, align="bottom")
    model = case.view.model
    shares = brings(told.looks_of(case, head), head, model)
    sheet = HeadSheet(case, head, calibration_of(model), threes_of(model), shares)
    yield Together(told.opening_blocks(sheet), name="sheet_opening")
    yield Together(told.habit_blocks(sheet))
    yield Together(told.looks_blocks(sheet))
    yield Together(told.middle_blocks(sheet), {name: (Say(OPEN, name),) for name in names})
    if case.silenced is None:
        yield from _silencing(model, ask)
    yield Together(told.not_blocks(sheet))
    yield caption(told.foot_said(sheet), style="wide")
    for title, (name, table) in sheet_tables(sheet, ask(Here())).items():
        yield Numbers(title, name, of=Made(table))
    yield CopyLink()


def _silencing(model: str, ask: Ask) -> Iterator[Block]:
    """Yield the offer to measure what silencing moves, or how far that is."""
    asked = SilencingOf(model)
    run = ask(asked)
    if run is None:
        yield Press("Measure what silencing moves, for all heads", (Begin(asked),))
    elif run.state != "done":
        parts = far(asked, run, f"Sentence {run.done} of {run.whole}", failed=FAILED)
        yield Following("silencing", asked, run.state == "running", parts, PACE)
