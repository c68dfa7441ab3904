"""A long text on Heads: taken in by a field or a file, surveyed layer by layer, and read through a window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from mha.engine.surveys import SurveyRun, SurveyWanted, begin, measured, run_of, tokens_read
from mha.errors import MHAError
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.lengths import Measure
from mha.models.watch.survey import Survey
from mha.screens.blocks import Heading, Said, heading, say
from mha.screens.heads.page import LONG_OPEN
from mha.screens.long import drawings, sentences
from mha.screens.long.surveyed import AT, SIDES, WINDOW, SurveyedText, first_token, found_in
from mha.ui import boundary, visitors
from mha.ui.components.blocks import caption, draw
from mha.ui.components.long import box, part
from mha.ui.jobs import follow

TEXT = "long_text"
CELLS = 48  # a side of the overview, as `mha.survey` has it
BEFORE = "long_before"  # the text whose overview is known, the overview, and whether the model looks back only
TOKEN, PIN, START, BEGIN, SIDE, SEARCH, HIT = (
    f"long_{name}" for name in ("token", "pin", "start", "begin", "side", "search", "hit")
)
PACE = 0.6  # seconds between looks at the run
State = st.session_state


def _close() -> None:
    State[LONG_OPEN] = False


def _take(text: str) -> None:
    State[TEXT] = text
    for name in (TOKEN, PIN, START, BEGIN, HIT):
        State.pop(name, None)
    State[SEARCH] = ""


def _another() -> None:
    State.pop(TEXT, None)


def view(view: View) -> None:
    """Draw the field for a long text, or the text that was given."""
    row = model_row(view.model)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="long_way"):
        st.button("← The sentence", on_click=_close)
        if TEXT in State:
            st.button("Another long text", on_click=_another)
    if row.kind != "transformer":
        boundary.say(f"{row.short} reads sentences only; choose another model for a longer text.")
        return
    if TEXT not in State:
        draw([Said("cell-lead lead", say("A longer text"))], "long_title", large=view.large, room="cell")
        note = f"Paste a text, or open a file of plain text. What {row.short} takes at once is said when it is there."
        box("long_box", f"{note} {sentences.NO_LINK}", _take)
        return
    try:
        _looked_at(view, measured(State[TEXT], view.model))
    except MHAError as error:
        boundary.say(str(error))


def _looked_at(view: View, measure: Measure) -> None:
    for note in measure.notes:
        boundary.say(note)
    first = _part_chosen(measure)
    text = measure.part(first)
    token, pin = _token(text, view.model), _pin()
    run = _run(SurveyWanted(text, view.model, token, (pin,) if pin else ()))
    head = pin
    caption(sentences.read(measure, first, min(measure.most, measure.n_tokens - first)), key="long_read", style="wide")
    again = None
    if run.found is not None and pin is None:  # the head is chosen by what was found: its map is a second look
        head = SurveyedText(run.found, token).head
        again = _run(SurveyWanted(text, view.model, token, (head,)))
    if run.found is not None:
        _read(view, run.found, token, again or run, head, pin)
        State[BEFORE] = text, run.found.overview, run.found.causal
    every_head = partial(_every_head, run, text, head, min(measure.most, measure.n_tokens - first))
    if run.found is None and run.running:  # heads come layer by layer, without the rest of the page
        _progress(run, False, text, every_head)
    else:
        _progress(again or run, run.found is not None, text)
        every_head()
    if run.found is not None:
        whole = head is not None and head in (again or run).maps
        caption(sentences.kept(SurveyedText(run.found, token), whole), key="long_kept")
        caption(sentences.NO_LINK, key="long_no_link")


def _part_chosen(measure: Measure) -> int:
    """Draw the choice of another part where the model does not take all; return its first token."""
    if measure.n_tokens <= measure.most:
        return 0
    last = measure.n_tokens - WINDOW
    field, _ = st.columns([1, 4])
    return int(field.number_input("Begin at token", 0, max(0, last), 0, key=BEGIN, on_change=_forget_place))


def _forget_place() -> None:
    for name in (TOKEN, START, HIT):
        State.pop(name, None)


def _token(text: str, model: str) -> int:
    """Return the locked token: the reader's, or one that is chosen by the text alone."""
    if State.get(TOKEN) is not None:
        return int(State[TOKEN])
    return first_token(tokens_read(text, model))


def _pin() -> HeadId | None:
    return HeadId.parse(State[PIN]) if State.get(PIN) else None


def _run(wanted: SurveyWanted) -> SurveyRun:
    """Return the survey, begun now unless it is there; one that was stopped stays so."""
    return run_of(wanted) or begin(wanted, visitors.here())


def _progress(run: SurveyRun, again: bool, text: str, below: Callable[[], None] = lambda: None) -> None:
    """Draw how far a survey is, with Stop, or the way to begin it again; ``below`` draws what comes with it."""
    if run.state == "done":
        return

    def now() -> None:
        if run.state == "failed":
            error = run.error if isinstance(run.error, MHAError) else None
            st.text(str(error) if error else "The survey failed by a fault of ours; it has been logged.")
            return
        if run.running:
            st.progress(run.done / run.whole, text=sentences.under_way(run.done, run.whole, run.seconds, again))
            st.button("Stop", key="long_stop", on_click=run.stop)
        else:
            st.text(sentences.stopped(run.done, run.whole, State.get(BEFORE, ("",))[0] == text))
            st.button("Begin again", key="long_again", on_click=_again, args=(run.wanted,))
        below()

    follow(lambda: run.state == "running", now, PACE, job=run)


def _again(wanted: SurveyWanted) -> None:
    begin(wanted, visitors.here())


def _read(view: View, survey: Survey, token: int, run: SurveyRun, head: HeadId | None, pin: HeadId | None) -> None:
    """Draw the finding, the search, the window with its strip, and the profiles."""
    shown = head or HeadId(0, 0)
    wanted = State.get(SEARCH, "")
    hits = found_in(survey.tokens, survey.text, wanted)
    side = State.get(SIDE) or AT
    start = State.get(START)
    start = max(0, token - WINDOW // 2) if start is None else int(start)
    long = SurveyedText(survey, token, side, shown, start, run.maps.get(shown), wanted, hits, chosen=pin is None)
    draw([sentences.finding(long)], "long_finding", large=view.large, room="cell")
    _search(long)
    part("long_reader", drawings.reader(long), on_window=_to, on_token=_lock)
    title, control = st.columns([3, 2], vertical_alignment="bottom")
    with title:
        draw([Heading(sentences.profiles_title(long), style="first")], "long_profiles_title", large=view.large)
    with control, st.container(horizontal=True, horizontal_alignment="right"):
        State.setdefault(SIDE, AT)
        st.segmented_control("Which looks", SIDES, key=SIDE, required=True, label_visibility="collapsed")
    caption(sentences.profiles_about(long), key="long_profiles_about")
    part("long_profiles", drawings.profiles(long), on_pin=_pin_head)


def _search(long: SurveyedText) -> None:
    """Draw the search and the way from hit to hit."""
    field, before, behind, told = st.columns([4, 1, 1, 4], vertical_alignment="bottom", gap="small")
    field.text_input("Search in the text", key=SEARCH, max_chars=80, on_change=_first_hit)
    hits = long.hits
    before.button("← Before", on_click=_step, args=(hits, -1), disabled=not hits, width="stretch")
    behind.button("Next →", on_click=_step, args=(hits, 1), disabled=not hits, width="stretch")
    if long.search:
        now = State.get(HIT)
        place = f"{hits.index(now) + 1} of {len(hits)}" if now in hits else f"{len(hits)} places"
        told.text(place if hits else "nowhere in what was read")


def _first_hit() -> None:
    State.pop(HIT, None)


def _step(hits: tuple[int, ...], by: int) -> None:
    now = State.get(HIT)
    place = (hits.index(now) + by) % len(hits) if now in hits else (0 if by > 0 else len(hits) - 1)
    State[HIT] = hits[place]
    State[START] = max(0, hits[place] - WINDOW // 2)


def _to(place: int | None) -> None:
    State[START] = place or 0


def _lock(place: int | None) -> None:
    if place is not None:
        State[TOKEN] = place


def _pin_head(head: HeadId) -> None:
    State[PIN] = str(head)


def _every_head(run: SurveyRun, text: str, head: HeadId | None, n_tokens: int) -> None:
    """Draw the overview of all heads, as far as it is there: one of this very text holds for every token of it."""
    before, overview, causal = State.get(BEFORE, ("", None, False))
    if before == text and overview is not None:
        layers = list(overview)
    else:
        layers = list(run.layers)
        causal = bool(layers) and not any(_ahead(layer) for layer in layers)
    if not layers:
        return
    side = layers[0].shape[-1]
    draw([heading(f"All {run.whole * len(layers[0]):,} heads, {side} × {side}")], "long_every", room="cell")
    spec = drawings.overview(layers, run.whole, -(-n_tokens // CELLS), head, causal)
    part("long_overview", spec, on_pin=_pin_head)
    if causal:
        caption(sentences.COMPARE, key="long_compare")


def _ahead(layer: Any) -> bool:
    return bool(np.triu(layer, 1).any())
