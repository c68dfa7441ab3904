"""Whole model: where should I look, which heads are alike, and what does one head do?"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from mha.engine import Request
from mha.engine.atlas import (
    Atlas,
    atlas_of_text,
    bundled_atlas,
    silenced_of,
)
from mha.engine.question import ADDRESS, Ask
from mha.errors import InputError
from mha.link.acts import Say, ToHeads
from mha.link.atlas import CORPUS, HERE, AtlasWords
from mha.link.link import Link
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.screens.atlas import across_heads as told
from mha.screens.atlas import findings, one_head
from mha.screens.atlas.findings import question
from mha.screens.atlas.whole_model import WholeModel, distances_table, numbers_table
from mha.screens.blocks import Block, CopyLink, caption
from mha.screens.inputs import Choose, Pick, Press
from mha.screens.measuring import missing_measurement
from mha.screens.places import Blocks, Menu, More, Notice, Place, Side, Together
from mha.screens.takings import Numbers, OnRequest

MOST_PILLS = 12  # layers that have a button each
RARELY = ("order", "least", "most", "layer", "like", "head")


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield over which texts, the map of all heads, one layer, and which heads are alike; or the sheet of one head."""
    chosen = yield from _controls(link)
    case = yield from _case(link.view, chosen, ask)
    if case is None:
        return
    if chosen.head is not None and case.choices.over == CORPUS:
        yield Place("apart_sheet", one_head.page(case, HeadId.parse(chosen.head), ask))
        return
    if chosen.head is not None:
        yield Notice("Head profiles use the sample sentences. Choose these to open one.")
    yield from _over_texts(case, "map", _every_head(case))
    yield from _one_layer(case)
    yield from _alike(case)
    yield from _foot(case, ask)


def _controls(link: Link) -> Generator[Block, None, AtlasWords]:
    """Yield over which texts, by what it is coloured, and in the menu all else that the link carries."""
    own = link.own
    assert isinstance(own, AtlasWords)
    over = Choose(AtlasWords.of("over").name, wrap=True)
    rarely = Menu("More options", tuple(Choose(AtlasWords.of(field).name) for field in RARELY))
    yield Side(((over,), (Choose(AtlasWords.of("colour").name),), (rarely,)), (5, 3, 2), align="bottom")
    return own


def _case(view: View, chosen: AtlasWords, ask: Ask) -> Generator[Block, None, WholeModel | None]:
    """Return what is known over the chosen texts; yield what is measured meanwhile."""
    row = model_row(view.model)
    knows_few = chosen.over == CORPUS and row.kind != "transformer"
    here, maps = yield from _typed(view, ask)
    if knows_few:
        yield Notice(f"{row.short} knows only a few words, so sample sentences do not apply. Showing this sentence.")
        chosen = replace(chosen, over=HERE)

    def case_over(atlas: Atlas) -> WholeModel:
        return WholeModel(view, chosen, row, atlas, here, maps, silenced_of(view.model))

    if chosen.over == HERE:
        if here is None:
            yield question(HERE)
            return None
        return case_over(here)
    known = bundled_atlas(view.model)
    if known is None:
        yield question(CORPUS)
        command = f"python -m studies.bundled {row.name} atlas"
        yield caption(missing_measurement(row, "numbers over the sample sentences", command), style="sub")
    return None if known is None else case_over(known)


def _typed(view: View, ask: Ask) -> Generator[Block, None, tuple[Atlas | None, AttentionMaps | None]]:
    """Return the numbers of the typed text alone, and its maps; yield a notice if they cannot be had."""
    try:
        request = Request(view.text, view.model)
        maps = ask(request).maps.merged()
        return ask(atlas_of_text.of(request.text, view.model)), maps
    except InputError as error:
        yield Notice(str(error))
    return None, None


def _over_texts(case: WholeModel, name: str, blocks: Blocks) -> Iterator[Block]:
    """Yield what is told of the chosen texts: apart from the typed one, unless that is all of them."""
    if case.alone:
        yield from blocks
    else:
        yield Place(f"apart_{name}", blocks)


def _every_head(case: WholeModel) -> Iterator[Block]:
    """Yield the sentence that opens the page, and every head as a cell; a click goes to Heads."""
    yield Together(findings.opening_blocks(case), name="whole_opening")
    yield Together(findings.map_blocks(case), {str(head): (ToHeads(head),) for head in case.heads}, "whole_map")


def _one_layer(case: WholeModel) -> Iterator[Block]:
    """Yield one layer with intervals, and buttons for the others."""
    yield Together(findings.row_blocks(case), name="whole_row")
    if 1 < case.row.n_layers <= MOST_PILLS:
        numbers = tuple(str(layer) for layer in range(case.row.n_layers))
        names = tuple(f"Layer {number}" for number in numbers)
        yield Pick(AtlasWords.of("layer").name, "Layer", numbers, str(case.layer), names, look="segments")


def _alike(case: WholeModel) -> Iterator[Block]:
    """Yield which heads look alike; a click on one shows its likes."""
    acts = {str(head): (Say(AtlasWords.of("like").name, str(head)),) for head in case.heads}
    yield from _over_texts(case, "alike", (Together(told.alike_blocks(case)),))
    like = told.like_blocks(case)
    if like:
        yield Together(like, acts, "whole_like")
    if case.choices.over == CORPUS:
        open_sheet = Say(AtlasWords.of("head").name, str(case.focus))
        yield Press(f"Open profile of {case.focus}", (open_sheet,), faint=True)


def _foot(case: WholeModel, ask: Ask) -> Iterator[Block]:
    """Yield where the numbers come from; offer them to be taken along, and the link."""
    yield More("How is this measured?", tuple(caption(one) for one in findings.measured(case)))
    yield caption(findings.foot_said(case), style="wide")
    base = ask(ADDRESS).partition("?")[0]
    yield Numbers("Every number of every head", "parallax-whole-model", of=OnRequest(numbers_table, (case, base)))
    distances = distances_table(case, base)
    if distances is not None:
        yield Numbers("The distance of every two heads", "parallax-distances", of=distances)
    yield CopyLink()
