"""The sections of Whole model, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial

import streamlit as st

from mha import engine
from mha.engine import atlas as runs
from mha.engine.atlas import Atlas, AtlasRun, atlas_of_text
from mha.errors import InputError
from mha.link.atlas import CORPUS, HERE, OWN, Choices
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.pairs import corpus
from mha.screens.atlas import said
from mha.screens.atlas import summaries as told
from mha.screens.atlas.case import Case
from mha.screens.atlas.numbers import distances_table, heads_table
from mha.screens.blocks import as_text
from mha.ui import bound, boundary, visitors
from mha.ui.apart import apart
from mha.ui.atlas import controls, own
from mha.ui.atlas.running import PACE, progress
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link
from mha.ui.jobs import follow

MOST_PILLS = 12  # layers that have a button each


def case_of(view: View, chosen: Choices) -> Case | None:
    """Return what is known over the chosen texts, drawing what is measured meanwhile; None where nothing is yet."""
    row = model_row(view.model)
    here, maps = _typed(view)
    if chosen.over == CORPUS and row.kind != "transformer":
        boundary.say(
            f"{row.short} knows a few words only, so that the bundled sentences say nothing of it. Shown: this "
            "sentence alone."
        )
        chosen = replace(chosen, over=HERE)
    if chosen.over == HERE:
        if here is None:
            _question(HERE)
            return None
        return _case(view, chosen, here, here, maps)
    if chosen.over == OWN:
        texts = own.texts(view.model)
        run = runs.own_run(view.model, texts) if texts else None
        known, begin = None, partial(own.measure, view.model, texts)
    else:
        known, begin = runs.bundled_atlas(view.model), partial(_measure, view.model)
        run = runs.atlas_run(view.model)
        if known is None and run is None:
            _offer(view.model)
    if known is not None:
        return _case(view, chosen, known, here, maps)
    if run is None:
        return None

    def so_far() -> Case | None:
        found = run.so_far() if run.over.n_measured else None
        return None if found is None or not found.n_answered else _case(view, chosen, found, here, maps)

    if run.state != "done" and follow(
        lambda: run.state == "running", lambda: _streamed(chosen.over, run, begin, so_far), PACE, job=run
    ):  # fmt: skip
        return None  # what is known is drawn with the progress, again and again
    found = so_far()
    if found is None and run.state == "done":
        _question(chosen.over)
        boundary.say(said.nothing_said(len(run.texts)))
    return found


def _question(over: str) -> None:
    """Draw what the page asks, where there is no finding to open with."""
    blocks.draw(said.question_blocks(over), "whole_question")


def _streamed(over: str, run: AtlasRun, go_on: Callable[[], None], so_far: Callable[[], Case | None]) -> None:
    """Draw how far a run is, and while it runs what is known so far."""
    case = so_far()
    if case is None:
        _question(over)
    progress(run, go_on)
    if case is not None and run.running:
        opening(case)
        every_head(case)
        one_layer(case, layers=False)


def _case(view: View, chosen: Choices, atlas: Atlas, here: Atlas | None, maps: AttentionMaps | None) -> Case:
    return Case(view, chosen, model_row(view.model), atlas, here, maps, runs.silenced_of(view.model))


def _typed(view: View) -> tuple[Atlas | None, AttentionMaps | None]:
    """Return what the typed text alone shows, and its maps; say so where that cannot be."""
    try:
        request = engine.Request(view.text, view.model)
        maps = engine.record(request).maps.merged()
        return atlas_of_text(request.text, view.model), maps
    except InputError as error:
        boundary.say(str(error))
        return None, None


def _offer(model: str) -> None:
    """Offer to measure a model over the bundled sentences."""
    row = model_row(model)
    _question(CORPUS)
    caption(
        f"What the heads of {row.short} do over many sentences is not known yet. It is measured once, over "
        f"{len(corpus())} bundled sentences, for everyone who looks at this model here.",
        key="whole_offer", style="sub",
    )  # fmt: skip
    st.button("Measure the whole model", on_click=_measure, args=(model,))


def _measure(model: str) -> None:
    runs.measure_atlas(model, visitors.here())


def over_texts(case: Case, name: str) -> AbstractContextManager[object]:
    """Return where goes what is told of the chosen texts: apart from the typed one, unless that is all of them."""
    return nullcontext() if case.alone else apart(name)


def opening(case: Case) -> None:
    """Draw the sentence that opens the page."""
    blocks.draw(said.opening_blocks(case), "whole_opening")


def every_head(case: Case) -> None:
    """Draw every head as a cell; a click goes to Heads."""
    blocks.draw(said.map_blocks(case), "whole_map", _names(case), lambda name: controls.to_heads(HeadId.parse(name)))


def one_layer(case: Case, layers: bool = True) -> None:
    """Draw one layer with intervals, and buttons for the others."""
    blocks.draw(said.row_blocks(case), "whole_row")
    if layers and 1 < case.row.n_layers <= MOST_PILLS:
        bound.mirror(
            st.segmented_control, "Layer", [str(layer) for layer in range(case.row.n_layers)], "whole_layer_shown",
            str(case.layer), bound.into("atlas_layer"), format_func=lambda layer: f"Layer {layer}", required=True,
            label_visibility="collapsed",
        )  # fmt: skip


def alike(case: Case) -> None:
    """Draw which heads look alike; a click on one shows its likes."""
    names = _names(case)

    def chosen(name: str) -> None:
        controls.like(HeadId.parse(name))

    with over_texts(case, "alike"):
        blocks.draw(said.alike_blocks(case), "whole_alike", names, chosen)
    like = said.like_blocks(case)
    if like:
        blocks.draw(like, "whole_like", names, chosen)
    if case.choices.over == CORPUS:
        st.button(
            as_text(said.sheet_said(case.focus)), type="tertiary", key="whole_open_sheet",
            on_click=controls.open_sheet, args=(str(case.focus),),
        )  # fmt: skip


def summaries(case: Case) -> None:
    """Draw, folded away and each with its caution first, what puts all layers into one picture."""
    maps = case.maps
    if maps is None or maps.kind != "self":
        return
    if told.fits(maps):
        _all_layers(case, maps)
    else:
        caption(told.too_long_said(maps), key="whole_too_long")
    with st.expander("Five classes"):
        blocks.draw(told.class_blocks(maps), "whole_classes")


def _all_layers(case: Case, maps: AttentionMaps) -> None:
    with st.expander("Mean over heads, rollout"):
        blocks.draw(told.mean_blocks(maps, min(case.layer, maps.n_layers - 1)), "whole_mean")
    with st.expander("Flow"):
        run = runs.flow_run(maps.text, case.view.model)
        blocks.draw(told.flow_blocks(maps, run.found if run else None), "whole_flow")
        begin = partial(_flow, case)
        if run is None:
            st.button("Work out the flow", on_click=begin)
        elif run.state != "done":
            follow(lambda: run.state == "running", partial(_flowing, run, begin), PACE, job=run)


def _flow(case: Case) -> None:
    if case.maps is not None:
        runs.measure_flow(case.maps.text, case.view.model, case.maps, visitors.here())


def _flowing(run: runs.FlowRun, go_on: partial[None]) -> None:
    st.progress(run.done / max(run.whole, 1), text=f"Word {run.done} of {run.whole}")
    if run.running:
        st.button("Stop", key="whole_flow_stop", on_click=run.stop)
    elif run.state != "done":
        st.button("Work out the rest", key="whole_flow_on", on_click=go_on)


def _names(case: Case) -> list[str]:
    return [str(HeadId(layer, head)) for layer in range(case.row.n_layers) for head in range(case.row.n_heads)]


def foot(case: Case) -> None:
    """Say where the numbers come from; offer them to be taken along, and the link."""
    caption(*said.foot_said(case), key="whole_foot", style="wide")
    base = (st.context.url or "").partition("?")[0]
    gathered.table("Every number of every head", "parallax-whole-model", lambda: heads_table(case, base))
    distances = distances_table(case, base)
    if distances is not None:
        gathered.table("The distance of every two heads", "parallax-distances", lambda: distances)
    copy_link("whole_copy")
