"""The sections of the Heads page, in the order of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from mha import engine
from mha.errors import InputError
from mha.examples import example_for
from mha.figures.heatmaps import describe_layer, layer_heatmaps
from mha.link.view import DEFAULT_TEXT, SCALES, View
from mha.maps import HeadId, Recording
from mha.models.files.catalog import ModelRow, model_row
from mha.models.toy import by_hand
from mha.screens.heads.findings import sink_names
from mha.screens.heads.overview import overview_spec
from mha.screens.heads.pinned import pinned_spec
from mha.screens.shown import GRID_TOKENS, Shown, shown_for
from mha.screens.spans import Span
from mha.ui import boundary, choices
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.overview import overview
from mha.ui.components.pinned import pinned
from mha.ui.steps.way_in import ask_for_steps
from mha.words import accept

SCALE_OF = dict(zip(SCALES, ("all", "head", "row"), strict=True))  # the link's word: the pictures' name
SCALE_WORDS = {
    "all heads": "[[one scale|scale]] for all heads, 0 to 100 %",
    "each head": "[[scaled|scale]] to each head's largest weight",
    "each row": "[[scaled|scale]] to each row's largest weight",
}
NOTHING_DRAWN = "The telescope sentence stays until then."


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything the sections draw from: the view, the recording of its text, and what is shown of it."""

    view: View
    recording: Recording
    shown: Shown
    row: ModelRow

    @property
    def random(self) -> bool:
        """Whether the toy's numbers are random ones for these words."""
        return self.row.kind == "toy" and not by_hand(self.recording.maps.text)


def record(view: View) -> Picture:
    """Return the picture of a view; where its text cannot be used, say why and show the telescope sentence."""
    try:
        accepted = accept(view.text)
        text, notes = accepted.text, accepted.notes
    except InputError as error:
        text, notes = DEFAULT_TEXT, (f"{error} {NOTHING_DRAWN}",)
    waiting = "Looking …" if engine.state().ready else "The model is waking up; this takes a few seconds once."
    with st.spinner(waiting, show_time=True):
        recording = _record_or_example(text, view.model)
    for note in (*notes, *(note for note in recording.notes if note not in notes)):
        boundary.say(note)
    if recording.maps.text != text and view.lock is None:
        view = replace(view, lock=-1)  # each head's strongest look, whatever the word
    example = example_for(recording.maps.text)
    shown = shown_for(view, recording.maps, example.readings if example else None)
    return Picture(view, recording, shown, model_row(view.model))


def _record_or_example(text: str, model: str) -> Recording:
    """Return the recording of a text; a model that does not know its words gets a sentence of its own instead."""
    try:
        return engine.record(engine.Request(text, model))
    except InputError as error:
        own = model_row(model).example
        if not own:
            raise
        boundary.say(f"{error} Drawn instead: “{own}”.")
        st.button("Take that sentence", on_click=choices.take_unlocked, args=(own,))
        return engine.record(engine.Request(own, model))


def sentence_and_overview(picture: Picture) -> bool:
    """Draw the sentence with the pinned heads' arcs, the finding, and every head; return if the screen is narrow."""
    shown = picture.shown
    spec = overview_spec(
        shown.maps,
        shown.share,
        pins=shown.pins,
        chosen=shown.chosen_pins,
        off=shown.off,
        lock=shown.lock,
        scale=SCALE_OF[picture.view.scale],
        aside=shown.aside,
        sinks=shown.sinks,
        large=picture.view.large,
    )
    return overview(
        spec,
        "overview",
        on_picked=lambda head: choices.pick(shown.pins, head),
        on_only=lambda head: choices.only(shown.full.heads, shown.pins, head),
        on_all_back=choices.all_back,
        on_lock=lambda position: choices.lock(shown, position),
    )


def pinned_side_by_side(picture: Picture) -> None:
    """Draw the pinned heads large, on one scale."""
    shown = picture.shown
    if not shown.pins:
        st.header("Pinned, side by side", anchor=False)
        caption(
            "No head is pinned. Click a thumbnail above to pin it, or let the app choose.", key="no_pins", style="sub"
        )
        st.button("Choose for me", on_click=choices.choose_for_me)
        return
    spec = pinned_spec(
        shown.maps,
        shown.share,
        shown.pins,
        mass=shown.mass if shown.aside and shown.sinks else None,
        off=shown.off,
        lock=shown.lock,
        scale=SCALE_OF[picture.view.scale],
        sinks=shown.sinks,
        view=picture.view.heads_pinned,
        large=picture.view.large,
        steps=True,
    )
    pinned(
        spec,
        "pinned",
        on_unpin=lambda head: choices.pick(shown.pins, head),
        on_only=lambda head: choices.only(shown.full.heads, shown.pins, head),
        on_all_back=choices.all_back,
        on_view=choices.pinned_view,
        on_lock=lambda position: choices.lock(shown, position),
        on_steps=lambda head: ask_for_steps(picture.recording, shown, head),
    )
    caption(
        "Words used above: [[head]], [[layer]], [[weight]], [[row attends to column]], [[pinned]], [[chosen for you]], "
        "[[locked word]], [[sink]], [[set aside]], [[empty row]]. Choose one for its line of the glossary.",
        key="pinned_terms",
    )


def one_layer(picture: Picture, narrow: bool = False) -> None:
    """Draw a heatmap for each head of the chosen layer, with the pills that switch heads."""
    shown, n_heads = picture.shown, picture.shown.full.n_heads
    title, control = st.columns([2, 3], vertical_alignment="bottom")
    title.header("One layer, head by head", anchor=False)
    st.session_state["layer_shown"] = str(shown.layer)
    layers = [str(layer) for layer in range(shown.full.n_layers)]
    with control.container(horizontal=True, horizontal_alignment="right"):
        st.segmented_control(
            "Layer",
            layers,
            key="layer_shown",
            on_change=choices.layer_shown_changed,
            format_func=lambda layer: f"Layer {layer}",
            label_visibility="collapsed",
            wrap=True,
        )
    on = [head for head in range(n_heads) if HeadId(shown.layer, head) not in shown.off]
    _head_pills(shown, on)
    if not on:
        caption(
            f"Every head of layer {shown.layer} is switched off. Choose one above, or press All.",
            key="layer_off",
            style="sub",
        )
        return
    if max(shown.maps.n_queries, shown.maps.n_keys) > GRID_TOKENS:
        caption(
            f"Head by head needs {GRID_TOKENS} {shown.maps.units} or fewer; this text has {shown.maps.n_keys}. "
            "The overview above shows all of them.",
            key="layer_long",
            style="sub",
        )
        return
    heads = [HeadId(shown.layer, head) for head in on]
    st.plotly_chart(
        layer_heatmaps(
            shown.maps,
            heads,
            scale=SCALE_OF[picture.view.scale],
            theme=_theme(),
            columns=2 if narrow else 6,
            width=358 if narrow else 1120,
            empty=shown.empty,
            pins=shown.pins,
        ),
        theme=None,
        key="layer_figure",
        config={"displayModeBar": False},
        alt=describe_layer(shown.maps, heads, empty=shown.empty),
    )
    off = f"{n_heads - len(on)} switched off and left out" if len(on) < n_heads else "all switched on"
    because = " This layer was chosen for you, after the first pinned head." if shown.chosen_layer else ""
    caption(
        f"Layer {shown.layer}, {len(on)} of {n_heads} heads, {off}. Rows look at columns, [[queries|query]] at "
        f"[[keys|key]]; {SCALE_WORDS[picture.view.scale]}; ",
        *_aside_words(shown),
        because,
        key="layer_caption",
    )


def _head_pills(shown: Shown, on: list[int]) -> None:
    layer, n_heads = shown.layer, shown.full.n_heads
    st.session_state["layer_heads"] = [f"H{head}" for head in on]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head_pills"):
        st.button("All", on_click=choices.switch_layer, args=(layer, n_heads, True))
        st.button("None", on_click=choices.switch_layer, args=(layer, n_heads, False))
        st.pills(
            "Heads switched on",
            [f"H{head}" for head in range(n_heads)],
            selection_mode="multi",
            key="layer_heads",
            on_change=choices.layer_heads_changed,
            args=(layer, n_heads),
            label_visibility="collapsed",
            wrap=True,
        )


def foot(picture: Picture) -> None:
    """Say where the numbers come from and how they were treated; offer the link."""
    row, shown = picture.row, picture.shown
    units = (
        "Words: attention to a word is the sum over its [[tokens|token]], from a word the mean."
        if picture.view.units == "words"
        else "[[Tokens|token]], as the model sees them."
    )
    long = len(picture.recording.maps.tokens) > row.d_head and row.kind != "toy"
    unique = (
        f" The text has more tokens than a head has numbers ({row.d_head}), so other weights could give the same "
        "output (Brunner et al. 2020)."
    )
    random = " Random numbers for these words: the shape is real, the meaning is not." if picture.random else ""
    caption(
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} {'layer' if row.n_layers == 1 else 'layers'} × "
        f"{row.n_heads} [[heads|head]].{random} {units} Colour: {SCALE_WORDS[picture.view.scale]}; ",
        *_aside_words(shown),
        unique if long else "",
        key="foot",
        style="wide",
    )
    copy_link()


def _aside_words(shown: Shown) -> tuple[str | list[Span], ...]:
    """Return what happened to the sinks, their names as spans: final punctuation is the reader's own text."""
    if not shown.sinks:
        return ("nothing had to be [[set aside]].",)
    names: list[Span] = [("plain", sink_names(shown.sinks))]
    return names, " [[set aside]]." if shown.aside else " shown, nothing [[set aside]]."


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"
