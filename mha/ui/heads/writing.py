"""The sections of Heads for a model that writes on behind the prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from mha.engine import writing as engine
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.link.heads import CHANCE, WRITE, Choices
from mha.maps import HeadId
from mha.screens.blocks import Definitions
from mha.screens.decoder import drawn, gaps, grid, next_word, said
from mha.screens.decoder.askable import askable_entries
from mha.screens.decoder.writing import Writing, writing_of
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import Picture, picture_of
from mha.ui import bound, boundary, choices
from mha.ui.components import blocks
from mha.ui.components.captions import caption
from mha.ui.components.overview import overview
from mha.ui.components.writing import writing
from mha.ui.heads import asking

AT_ONCE = 32  # heads of a model whose heads are silenced one by one without being asked for
ALONE = "writing_alone"  # whether the reader has asked for it


def written(picture: Picture, chosen: Choices) -> Writing | None:
    """Return what the model writes behind the text of a picture; None where it is not to, or cannot: it says why."""
    if chosen.prompt != WRITE:
        return None
    text, model = picture.recording.maps.text, picture.row.name
    try:
        with st.spinner("Writing …", show_time=True):
            found = engine.written(text, model, chosen.most, seed_of(chosen))
    except (AttentionUnavailable, Busy, InputError) as error:
        boundary.say(str(error))
        return None
    for note in found.notes:
        boundary.say(note)
    made = writing_of(picture.view, chosen, found, picture.row)
    with st.session_state[asking.HOW_MANY]:
        st.caption(said.above(made))
    return made


def seed_of(chosen: Choices) -> int | None:
    """Return the seed that tokens are drawn with; None for the likeliest each time."""
    return chosen.seed if chosen.how == CHANCE else None


def looking_back(made: Writing) -> str:
    """Draw the text, the slider, all heads at one step and one head at all steps; return the screen."""
    return writing(drawn.drawing(made), "writing", on_picked=asking.pin, on_step=asking.go)


def whole(picture: Picture, made: Writing) -> Picture:
    """Return the picture of all that was read and written, for the sections that show whole maps."""
    view = replace(picture.view, pins=picture.view.pins or (made.head,), lock=-1)
    return picture_of(view, made.found.recording, made.found.recording.maps.text)


def every_head(picture: Picture, made: Writing) -> None:
    """Draw all heads' maps, with the role of each on this text."""
    spec = grid.with_roles(overview_of(picture.shown, picture.scale, picture.view.large, asks=False), made)
    shown = picture.shown
    overview(
        grid.bracketed(spec, made.found.recording),
        "overview",
        on_picked=partial(choices.pick, shown.pins),
        on_only=partial(choices.only, shown.full.heads),
        on_all_back=choices.all_back,
        on_asked=lambda _position: None,
    )


def with_gaps(picture: Picture) -> Picture:
    """Return the picture of a text in which a typed mask is the model's own; say it where the model has none."""
    text = picture.recording.maps.text
    instead = gaps.not_filled(text, picture.row)
    if instead:
        boundary.say(instead)
    if not gaps.n_gaps(text, picture.row) or picture.recording.maps.pair is not None:
        return picture
    try:
        with st.spinner("Looking …", show_time=True):
            recording = engine.masked(text, picture.row.name)
    except (AttentionUnavailable, Busy, InputError) as error:
        boundary.say(str(error))
        return picture
    return picture_of(picture.view, recording, text, picture.shown.habit)


def next_words(picture: Picture, chosen: Choices, made: Writing | None) -> None:
    """Draw the likeliest next words, or those for a gap, with and without heads, and what each head alone does."""
    text = picture.recording.maps.text
    count = 0 if picture.recording.maps.pair is not None else gaps.n_gaps(text, picture.row)
    if picture.row.predicts == "mask" and not count:
        caption(gaps.invitation(picture.row), key="gap_invitation")
        return
    if picture.row.predicts != "next" and not count:
        return
    if count > 1:
        _several_gaps(text, picture.row.name, count)
        return
    heads = picture.recording.maps.heads
    pinned = made.head if made is not None else next(iter(picture.shown.pins), heads[-1])
    layer = pinned.layer
    own = tuple(head for head in heads if head.layer == layer)
    ask = _question(picture, chosen, made)
    by_head = None
    try:
        if len(heads) <= AT_ONCE or st.session_state.get(ALONE):
            with st.spinner("Silencing every head alone …", show_time=True):
                by_head = ask(silenced=own, each=heads)
        silenced = _silenced(heads, by_head)
        with st.spinner("Asking for the next word …", show_time=True):
            found = ask(silenced=silenced, each=())
    except (AttentionUnavailable, Busy, InputError) as error:
        boundary.say(str(error))
        return
    left = next_word.likely_blocks(found, gaps.title(0, 1)) if count else next_word.likely_blocks(found)
    if by_head is None:
        blocks.draw(left, "next_words")
        st.button("Silence every head alone", on_click=_alone)
        return
    blocks.draw(next_word.side_by_side(left, next_word.head_by_head_blocks(by_head, layer)), "next_words")


def _several_gaps(text: str, model: str, count: int) -> None:
    """Draw the likeliest words for each of the first gaps, side by side."""
    told = range(min(count, gaps.MOST))
    try:
        with st.spinner("Asking for the words …", show_time=True):
            found = [engine.predicted(text, model, mask=number) for number in told]
    except (AttentionUnavailable, Busy, InputError) as error:
        boundary.say(str(error))
        return
    columns = [next_word.likely_blocks(one, gaps.title(number, count)) for number, one in enumerate(found)]
    blocks.draw(next_word.side_by_side(*columns), "next_words")
    if gaps.left_out(count):
        caption(gaps.left_out(count), key="gaps_left_out")


def _question(picture: Picture, chosen: Choices, made: Writing | None) -> Callable[..., engine.Prediction]:
    text, model = picture.recording.maps.text, picture.row.name
    if made is None:
        return partial(engine.predicted, text, model)
    return partial(engine.predicted_step, text, model, chosen.most, seed_of(chosen), made.step)


def _silenced(heads: tuple[HeadId, ...], by_head: engine.Prediction | None) -> tuple[HeadId, ...]:
    """Draw the choice of what is silenced together: nothing, the head that moves the word furthest, or any."""
    now = bound.now(Choices, bound.shape()).silenced
    furthest = None if by_head is None else next_word.furthest(by_head)
    options = {"nothing silenced": (), **({} if furthest is None else {f"{furthest} silenced": (furthest,)})}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="silenced"):
        shows = next((label for label, value in options.items() if value == now), None)
        bound.mirror(
            st.pills, "Silenced", list(options), "silenced_shown", shows,
            lambda label: asking.silence(options.get(label, ())), label_visibility="collapsed",
        )  # fmt: skip
        with st.popover("choose heads"):
            bound.draw(Choices.of("silenced"), shape=bound.shape())
    return tuple(head for head in bound.now(Choices, bound.shape()).silenced if head in heads)


def _alone() -> None:
    st.session_state[ALONE] = True


def askable(picture: Picture) -> list[Definitions]:
    """Return what this model can be asked, under its heading, which is drawn."""
    if picture.row.kind != "transformer":
        return []
    st.subheader("What this model can be asked", anchor=False)
    return [Definitions(askable_entries(picture.row), compact=True)]
