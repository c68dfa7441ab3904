"""The tab "Does it matter?": its boxes, the sweep with progress and Stop, and where the blocks stand."""

from __future__ import annotations

import streamlit as st

from mha.analysis.readings import Leans, leans
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.jobs import Asked, SweepRun
from mha.errors import InputError, ModelError
from mha.export.experiments import direct_table, sweep_table
from mha.link.readings import ONLY, SILENCED, STEERED, Choices, layer_label
from mha.maps import HeadId
from mha.screens.blocks import said
from mha.screens.readings import adds
from mha.screens.readings.case import Case, provenance
from mha.screens.readings.matter import Scored, check_silencing, score_blocks, scored
from mha.screens.readings.scores import (
    SCORE_ROWS,
    ScoreRow,
    asked_score,
    is_offered,
    missing_text,
    not_offered,
    suggested,
)
from mha.screens.readings.sweep import (
    head_sets,
    kept,
    silenced_block,
    steer_blocks,
    stopped_block,
    sweep_blocks,
    turned,
)
from mha.ui import bound, share
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.jobs import follow
from mha.ui.readings import calibrating
from mha.ui.readings.headings import section

AT_ONCE = 0.6  # seconds to wait before progress is shown
PACE = 0.5  # seconds between looks at the sweep
CLICKED = "readings_head_clicked"


def draw(case: Case) -> None:
    """Draw the tab."""
    check_silencing(case)
    top, believed = st.container(), st.container()
    with believed:
        row, score = _asked(case)
    missing = missing_text(row, score)
    if missing:
        with top:
            blocks.draw([said("text", "{missing}", missing=missing)], "matter_score")
        return
    with st.spinner("Reading the score of this sentence …", show_time=True):
        this = scored(case, row, score)
    with top:
        blocks.draw(score_blocks(this), "matter_score")
        if this.can_be_tried:
            calibrating.offer(this.ambiguity.kind, case.row)
    looks = leans(case.maps, case.ambiguity.readings)
    if _sweep(case, looks, score):
        return  # the rest waits for the same worker; the page comes again when the sweep is over
    _adds(case, this)
    _sets(case, looks, score)
    _steer(case, score)


def _asked(case: Case) -> tuple[ScoreRow, Score]:
    """Draw which score is read, and where or between which texts; return it."""
    found = case.ambiguity
    boxes = st.columns([2, 2, 2, 3], vertical_alignment="bottom")
    row = SCORE_ROWS[bound.draw(Choices.of("score"), boxes[0])]
    if not is_offered(row, case.row.name):
        blocks.draw([said("note", "{why}", why=not_offered(row, case.row.short))], "matter_score_not_offered")
        row = next(iter(SCORE_ROWS.values()))
    layers = [layer_label(layer) for layer in range(case.row.n_layers)]
    if row.name == LINK:
        read = bound.draw(Choices.of("at"), boxes[1], options=layers, index=max(0, len(layers) - 2))
        return row, asked_score(row, ("", ""), found, layers.index(read) + 1)
    first, second = (
        bound.draw(
            Choices.of(f"say_{letter.lower()}"),
            box,
            label=row.box.format(letter=letter),
            placeholder=own or "not written yet",
        )
        for box, letter, own in zip(boxes[1:3], "AB", suggested(row, found), strict=True)
    )
    return row, asked_score(row, (first, second), found, len(layers))


def _sweep(case: Case, looks: Leans, score: Score) -> bool:
    """Draw the sweep, begun now if it was not; return whether it runs."""
    (box,) = section("Silence each head once", 7, 2)
    kind = bound.draw(Choices.of("silenced"), box)
    asked = Asked(case.ambiguity.text, case.ambiguity.readings, SILENCED[kind], case.row.name, score)
    run: SweepRun | None = st.session_state.get("readings_sweep")
    if run is None or run.asked != asked:
        if run is not None:
            run.stop()
        run = st.session_state["readings_sweep"] = SweepRun(asked)
    if run.state == "running":
        run.wait(AT_ONCE)
    heads = [str(head) for head in case.heads(run.reach)]
    source = provenance(case, f"silenced by: {kind}", share.link())
    gathered.table("What silencing each head does", "parallax-silenced", lambda: sweep_table(run.result(), source))
    return follow(lambda: run.state == "running", lambda: _swept(run, looks, heads), PACE, job=run)


def _swept(run: SweepRun, looks: Leans, heads: list[str]) -> None:
    """Draw what is measured so far, foretold while it runs."""
    run.wait(0)
    if st.session_state.pop(CLICKED, False):
        st.rerun()  # a click inside a fragment runs the fragment alone, and what it chose stands below it
    if run.state == "running":
        _progress(run)
        st.button("Stop", key="readings_stop", on_click=run.stop)
        asked = run.asked
        if run.preparing is None:
            preview = experiments.foretold(asked.text, asked.readings, asked.kind, asked.model, asked.score)
            blocks.draw(sweep_blocks(preview, looks, "preview"), "matter_sweep")
        return
    if run.state == "stopped":
        blocks.draw([stopped_block(run.effect, run.reach)], "matter_stopped")
        st.button("Measure the rest", on_click=run.go_on)
    blocks.draw(sweep_blocks(run.result(), looks, run.state), "matter_sweep", heads, _silence_only)


def _silence_only(head: str) -> None:
    st.session_state["readings_set"] = ONLY.format(head)
    st.session_state[CLICKED] = True


def _progress(run: SweepRun) -> None:
    if run.preparing is not None:
        done, whole = run.preparing
        st.progress(done / whole, text=f"Averaging what each head does over {whole} sentences, once: {done}")
        return
    st.progress(run.done / run.whole, text=f"Silencing heads, low layers first: {run.done} of {run.whole}")


def _adds(case: Case, this: Scored) -> None:
    """Draw what each head gives a next word by itself, beside the sweep; or why that cannot be told here."""
    section(adds.TITLE)
    why = adds.why_not(case, this)
    if why is not None:
        blocks.draw([why], "matter_adds")
        return
    run: SweepRun = st.session_state["readings_sweep"]
    try:
        with st.spinner("Adding up what each head gives …", show_time=True):
            found = adds.gives(case, this)
    except (InputError, ModelError) as error:  # the rest of the tab stands without it
        blocks.draw([said("sub", "{why}", why=str(error))], "matter_adds")
        return
    kind = st.session_state[Choices.of("silenced").name]
    blocks.draw(adds.gives_blocks(case, this, found, run.result().effect, kind), "matter_adds")
    source = provenance(case, f"direct effects on the next word, {' over '.join(found.words)}", share.link())
    gathered.table(adds.TITLE, "parallax-direct", lambda: direct_table(found, source))


def _sets(case: Case, looks: Leans, score: Score) -> None:
    """Draw what several heads do together: the pinned, those that lean furthest to A, or a layer."""
    section("Silence several together")
    kind = st.session_state["readings_silenced"]
    left = kept(case, kind, score)
    if left:
        blocks.draw(left, "matter_kept")
    sets = head_sets(case, looks, score.reach(case.row.n_layers))
    chosen = bound.draw(Choices.of("set"), st.columns([3, 5])[0], options=list(sets))
    blocks.draw([silenced_block(case, sets[chosen], kind, score)], "matter_set")


def _steer(case: Case, score: Score) -> None:
    """Draw the score over the strength of one head."""
    section("Turn one head up or down")
    names = [str(head) for head in case.heads(score.reach(case.row.n_layers))]
    first = names.index(STEERED) if STEERED in names else 0
    left, right = st.columns([5, 4], gap="large")
    with right:
        head = bound.draw(Choices.of("steered"), options=names, index=first)
        now = bound.draw(Choices.of("strength"))
    with st.spinner(f"Turning {head} up and down …", show_time=True):
        line, beside = steer_blocks(turned(case, HeadId.parse(head), score), now)
    with left:
        blocks.draw([line], "matter_steer")
    with right:
        blocks.draw(beside, "matter_steer_words")
