"""The tab "Does it matter?": the score and its gate, the sweep with progress and Stop, sets of heads, the slider."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha.analysis.readings import Leans, leans
from mha.engine import experiments
from mha.engine.scores import LINK, Score
from mha.engine.sweeping import Asked, SweepRun
from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId
from mha.screens import blocks
from mha.screens.blocks import heading
from mha.screens.readings.matter import Scored, gate_blocks, score_blocks
from mha.screens.readings.options import ALL_OF_LAYER, FURTHEST, ONLY, PINNED, SILENCED, STEERED, STRONGEST, layer_label
from mha.screens.readings.picture import Picture
from mha.screens.readings.scores import (
    MOST_TEXT,
    SCORE_ROWS,
    ScoreRow,
    asked_score,
    missing_text,
    not_offered,
    suggested,
)
from mha.screens.readings.sweep import Turned, kept_block, set_block, steer_blocks, stopped_block, sweep_blocks
from mha.ui.components.blocks import draw as draw_blocks
from mha.ui.readings import calibrating as readings_calibrating
from mha.ui.readings.carry import carrying_heads
from mha.words import words

AT_ONCE = 0.6  # seconds to wait before progress is shown
POLL = 0.5
CLICKED = "readings_head_clicked"
LONG = 40  # words; in longer sentences one head is turned without the others of its layer


def draw(picture: Picture) -> None:
    """Draw the tab."""
    found, model = picture.ambiguity, picture.view.model
    if not experiments.has_twin(model):
        raise AttentionUnavailable(
            f"The heads of {picture.row.title} cannot be silenced here. Choose MiniLM to see whether they matter."
        )
    top, believed = st.container(), st.container()
    with believed:
        row, score = _asked(picture)
    missing = missing_text(row, score)
    if missing:
        with top:
            draw_blocks([blocks.said("text", missing)], "matter_score")
        return
    with st.spinner("Reading the score of this sentence …", show_time=True):
        pair = found.readings
        margin = experiments.scores(found.text, pair, model=model, score=score)[0]
        other = experiments.scores(found.contrast.text, pair, model=model, score=score)[0] if found.contrast else None
    this = Scored(found, margin, other, row, score, experiments.calibration_of_kind(found.kind, model))
    with top:
        draw_blocks([*score_blocks(this), *gate_blocks(this)], "matter_score")
        if this.gate is None and score.name == LINK:
            readings_calibrating.offer(found.kind, picture.row)
    looks = leans(picture.maps, pair)
    if _sweep(picture, looks, score) == "running":
        return  # the rest waits for the same worker; the page comes again when the sweep is over
    _sets(picture, looks, score)
    _steer(picture, score)


def _asked(picture: Picture) -> tuple[ScoreRow, Score]:
    """Draw which score is read, and where or between which texts; return it."""
    found = picture.ambiguity
    boxes = st.columns([2, 2, 2, 3], vertical_alignment="bottom")
    label = boxes[0].selectbox("Score", list(SCORE_ROWS), key="readings_score", bind="query-params")
    row = SCORE_ROWS[label]
    if row.name != LINK and row.name not in experiments.scores_of(picture.view.model):
        draw_blocks([blocks.said("note", not_offered(row, picture.row.short))], "matter_score_not_offered")
        row = next(iter(SCORE_ROWS.values()))
    layers = [layer_label(layer) for layer in range(picture.row.n_layers)]
    if row.name == LINK:
        read = boxes[1].selectbox("Read", layers, index=max(0, len(layers) - 2), key="readings_at", bind="query-params")
        return row, asked_score(row, ("", ""), found, layers.index(read) + 1)
    typed = [
        box.text_input(
            row.box.format(letter=letter),
            value="",
            key=f"readings_say_{letter.lower()}",
            max_chars=MOST_TEXT,
            placeholder=own or "not written yet",
            bind="query-params",
        )
        for box, letter, own in zip(boxes[1:3], "AB", suggested(row, found), strict=True)
    ]
    return row, asked_score(row, (typed[0], typed[1]), found, len(layers))


def _sweep(picture: Picture, looks: Leans, score: Score) -> str:
    """Draw the sweep, begun now if it was not; return its state."""
    title, box = st.columns([7, 2], vertical_alignment="bottom")
    with title:
        draw_blocks([heading("Silence each head once")], "matter_sweep_title")
    kind = box.selectbox("Its output becomes", list(SILENCED), key="readings_silenced", bind="query-params")
    asked = Asked(picture.ambiguity.text, picture.ambiguity.readings, SILENCED[kind], picture.view.model, score)
    run: SweepRun | None = st.session_state.get("readings_sweep")
    if run is None or run.asked != asked:
        if run is not None:
            run.stop()
        run = st.session_state["readings_sweep"] = SweepRun(asked)
    if run.state == "running":
        run.wait(AT_ONCE)
    state = run.state
    _follow(run, looks, state == "running")
    return state


def _follow(run: SweepRun, looks: Leans, running: bool) -> None:
    """Draw the sweep; while it runs, a fragment draws it again and again until it is over."""

    @st.fragment(run_every=POLL if running else None)
    def follow() -> None:
        run.wait(0)
        if (run.state == "running") != running:
            st.rerun()  # the whole page: only that can begin or end asking again and again
        if st.session_state.pop(CLICKED, False):
            st.rerun()  # a click inside a fragment runs the fragment alone, and what it chose stands below it
        if run.state == "running":
            _progress(run)
            st.button("Stop", key="readings_stop", on_click=run.stop)
            asked = run.asked
            if run.preparing is None:
                preview = experiments.foretold(asked.text, asked.readings, asked.kind, asked.model, asked.score)
                draw_blocks(sweep_blocks(preview, looks, "preview"), "matter_sweep")
            return
        if run.state == "stopped":
            layers = [layer for layer in range(run.reach) if np.isfinite(run.effect[layer]).all()]
            draw_blocks([stopped_block(run.measured, run.whole, layers)], "matter_stopped")
            st.button("Measure the rest", on_click=run.go_on)
        heads = [str(head) for head in _every(run.reach, run.n_heads)]
        draw_blocks(sweep_blocks(run.result(), looks, run.state), "matter_sweep", heads, _silence)

    follow()


def _silence(head: str) -> None:
    st.session_state["readings_set"] = ONLY.format(head)
    st.session_state[CLICKED] = True


def _progress(run: SweepRun) -> None:
    if run.preparing is not None:
        done, whole = run.preparing
        st.progress(done / whole, text=f"Averaging what each head does over {whole} sentences, once: {done}")
        return
    st.progress(run.measured / run.whole, text=f"Silencing heads, low layers first: {run.measured} of {run.whole}")


def _sets(picture: Picture, looks: Leans, score: Score) -> None:
    """Draw what several heads do together: the pinned, those that lean furthest to A, or a layer."""
    found, model = picture.ambiguity, picture.view.model
    draw_blocks([heading("Silence several together")], "matter_sets_title")
    kind_of = st.session_state["readings_silenced"]
    _kept(picture, SILENCED[kind_of], score)
    box = st.columns([3, 5])[0]
    order = np.argsort(-looks.lean, axis=None)[:5]
    n_heads = looks.lean.shape[1]
    sets: dict[str, list[HeadId]] = {
        FURTHEST: [HeadId(int(i) // n_heads, int(i) % n_heads) for i in order],
        PINNED: list(picture.view.pins or ()),
    }
    reach = score.reach(picture.row.n_layers)
    sets |= {ALL_OF_LAYER.format(layer): [HeadId(layer, head) for head in range(n_heads)] for layer in range(reach)}
    sets |= {ONLY.format(head): [head] for head in _every(reach, n_heads)}
    chosen = box.selectbox("Heads", list(sets), key="readings_set", bind="query-params")
    heads = tuple(sets[chosen])
    if not heads:
        draw_blocks(
            [blocks.said("sub", "No head is pinned. Pin some on the page Heads, or choose others.")],
            "matter_set",
        )
        return
    before, after = experiments.scores(found.text, found.readings, ((), heads), SILENCED[kind_of], model, score)
    draw_blocks([set_block(list(heads), kind_of, before, after)], "matter_set")


def _kept(picture: Picture, kind: str, score: Score) -> None:
    """Say what is left of the difference with the heads that carry it silenced, here and over the forced pairs."""
    found, model = picture.ambiguity, picture.view.model
    if found.contrast is None:
        return
    try:
        heads = carrying_heads(picture)
    except InputError:
        return  # patching is not possible between these versions; the tab "What carries it" says why
    if not heads:
        return
    left, control = experiments.kept(found.text, found.contrast.text, found.readings, heads, kind, model, score)
    draw_blocks([kept_block(heads, left, control)], "matter_kept")


def _every(reach: int, n_heads: int) -> list[HeadId]:
    return [HeadId(layer, head) for layer in range(reach) for head in range(n_heads)]


def _steer(picture: Picture, score: Score) -> None:
    found, model = picture.ambiguity, picture.view.model
    draw_blocks([heading("Turn one head up or down")], "matter_steer_title")
    names = [str(head) for head in _every(score.reach(picture.row.n_layers), picture.row.n_heads)]
    start = STEERED if STEERED in names else names[0]
    left, right = st.columns([5, 4], gap="large")
    with right:
        head = HeadId.parse(
            st.selectbox("Head", names, index=names.index(start), key="readings_steered", bind="query-params")
        )
        now = st.slider("Strength", 0.0, STRONGEST, 2.0, 0.1, key="readings_strength", bind="query-params")
    texts = [found.text, *([found.contrast.text] if found.contrast else [])]
    beside = range(picture.row.n_heads) if len(found.words) <= LONG else ()
    others = tuple(HeadId(head.layer, number) for number in beside if number != head.head)
    with st.spinner(f"Turning {head} up and down …", show_time=True):
        lines = [experiments.steered(text, found.readings, (head,), model, score)[0] for text in texts]
        few = experiments.FEW_STRENGTHS
        thin = (
            [experiments.steered(text, found.readings, others, model, score, few) for text in texts] if others else []
        )
    number = found.contrast.changed[0] if found.contrast else (found.cue if found.cue is not None else found.pivot)
    assert number is not None
    turned = Turned(head, experiments.STRENGTHS, tuple(lines), experiments.FEW_STRENGTHS, tuple(thin))
    blocks = steer_blocks(turned, [words(text)[number] for text in texts], now)
    with left:
        draw_blocks(blocks[:1], "matter_steer")
    with right:
        draw_blocks(blocks[1:], "matter_steer_words")
