"""The sheet of one head: what does it do? What its looks bring is told too: a share of attention is no effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mha.analysis.beyond import Extreme
from mha.engine.atlas import SilencingOf, threes_of
from mha.engine.experiments import all_brought
from mha.engine.habits import calibration_of
from mha.engine.question import Ask, Here
from mha.errors import MHAError
from mha.link.acts import Begin, Say
from mha.link.atlas import AtlasWords
from mha.maps import HeadId
from mha.pairs import corpus
from mha.screens.atlas import sheet as told
from mha.screens.atlas.sheet import HeadSheet
from mha.screens.atlas.tables import sheet_tables
from mha.screens.atlas.whole_model import WholeModel
from mha.screens.blocks import Block, caption
from mha.screens.inputs import CopyLink, Pick, Press
from mha.screens.measuring import PACE, far
from mha.screens.places import Following, More, Row, Together
from mha.screens.takings import Made, Numbers

WIDTH = 160  # px of the choice of a head
OPEN = AtlasWords.of("head").name
FAILED = "Ablation could not be measured for this model."


def page(case: WholeModel, head: HeadId, ask: Ask) -> Iterator[Block]:
    """Yield the sheet of a head, the choice of another, and the way back."""
    heads = [HeadId(layer, at) for layer in range(case.row.n_layers) for at in range(case.row.n_heads)]
    names = tuple(map(str, heads))
    back = Press("← Whole model", (Say(OPEN, None),))
    yield Row((back, Pick(OPEN, "Head", names, str(head), width=WIDTH)), "sheet_bar", left=True, align="bottom")
    model = case.view.model
    sheet = HeadSheet(case, head, calibration_of(model), threes_of(model))
    yield Together(told.opening_blocks(sheet), name="sheet_opening")
    yield Together(told.habit_blocks(sheet))
    sheet = replace(sheet, brings=brings(told.looks_of(case, head), head, model))
    yield Together(told.looks_blocks(sheet))
    yield Together(told.middle_blocks(sheet), {name: (Say(OPEN, name),) for name in names})
    if case.silenced is None:
        yield from _silencing(model, ask)
    yield Together(told.not_blocks(sheet))
    yield More("How is this measured?", tuple(caption(one) for one in told.measured(sheet)))
    yield caption(told.foot_said(sheet), style="wide")
    for title, (name, table) in sheet_tables(sheet, ask(Here())).items():
        yield Numbers(title, name, of=Made(table))
    yield CopyLink()


def _silencing(model: str, ask: Ask) -> Iterator[Block]:
    """Yield the offer to measure what silencing moves, or how far that is."""
    asked = SilencingOf(model)
    run = ask(asked)
    if run is None:
        yield Press("Measure ablation", (Begin(asked),))
    elif run.state != "done":
        parts = far(asked, run, f"Sentence {run.done} of {run.whole}", failed=FAILED)
        yield Following("silencing", asked, run.state == "running", parts, PACE)


def brings(looks: Sequence[Extreme], head: HeadId, model: str) -> tuple[float, ...] | str:
    """Return what each look on a bundled sentence brings, as a share of all that the head brings to the looking word.

    Where a model does not tell, the sentence that says why.
    """
    try:
        return tuple(_share(look, head, model) for look in looks)
    except MHAError as error:
        return str(error)


def _share(look: Extreme, head: HeadId, model: str) -> float:
    maps = all_brought(corpus()[look.text], model, None).as_maps().merged()
    place = {token.word: at for at, token in reversed(list(enumerate(maps.tokens))) if token.word is not None}
    return float(maps[head][place[look.query], place[look.key]])
