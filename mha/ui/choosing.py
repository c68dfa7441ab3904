"""What can be chosen, written and done on a page that Streamlit draws: its widgets, bound or mirrors of bound ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import streamlit as st

from mha.link.kinds import Choice, LayerNumber, Shape
from mha.link.sent import filled
from mha.screens import inputs
from mha.ui import acting, bound, choices, given, matrices, own, own_lesson
from mha.ui.page_run import HEAD, ROW, Draw, PageRun
from mha.ui.pages import page_link

TICKED = 9  # rows in sight of a table with ticks


def given_texts(drawing: PageRun, block: inputs.GivenTexts, place: str) -> None:
    given.draw(block)


def lesson_field(drawing: PageRun, block: inputs.LessonField, place: str) -> None:
    own_lesson.field()


def own_field(drawing: PageRun, block: inputs.OwnField, place: str) -> None:
    own.field()


def switches(drawing: PageRun, block: inputs.Switches, place: str) -> None:
    page, acts = drawing.link.page, block.acts
    bound.mirror(
        st.pills, block.label, list(block.options), block.name, list(block.shows),
        lambda kept: acting.done(page, filled(acts, {"kept": kept})),
        selection_mode="multi", label_visibility="collapsed", wrap=True,
    )  # fmt: skip


def ticked(drawing: PageRun, block: inputs.Ticked, place: str) -> None:
    choices.mirror_pins(block.pins, block.heads)
    of = {
        name: st.column_config.NumberColumn(None if label == name else label, help=about, format=how)
        for name, (label, about, how) in block.told.items()
    }
    st.dataframe(
        pa.table(dict(block.columns)), key=choices.TABLE, hide_index=True, column_config=of, alt=block.alt,
        height=ROW * min(len(block.heads), TICKED) + HEAD, selection_mode=["multi-row", "single-cell"],
        on_select=partial(acting.row_pinned, drawing.link.page, block.pins, block.heads),
    )  # fmt: skip


def put(drawing: PageRun, block: inputs.Put, place: str) -> None:
    bound.put(drawing.word(block.word), block.value, block.told)


def remember(drawing: PageRun, block: inputs.Remember, place: str) -> None:
    st.session_state[block.name] = block.value


def pick(drawing: PageRun, block: inputs.Pick, place: str) -> None:
    named = dict(zip(block.options, block.names, strict=True)) if block.names else {}
    given: dict[str, Any] = {} if block.width is None else {"width": block.width}
    given |= {"label_visibility": "collapsed"} if block.beside else {}
    given |= {"wrap": True} if block.wrap else {"required": True} if block.beside else {}
    widget: Any = st.segmented_control if block.beside else st.selectbox
    bound.mirror(
        widget, block.label, list(block.options),
        f"{block.word}_shown", block.shows,
        _into(drawing, block), format_func=lambda one: named.get(one, one),
        **given,
    )  # fmt: skip


def _into(drawing: PageRun, block: inputs.Pick) -> Callable[[Any], None]:
    if not block.acts:
        return bound.into(block.word)
    page, acts = drawing.link.page, block.acts
    return lambda value: acting.done(page, acts.get(value, ()))


def door(drawing: PageRun, block: inputs.PageDoor, place: str) -> None:
    page_link(*block.pages, step=block.step, label=block.text, arrow=block.arrow)


def offer(drawing: PageRun, block: inputs.Offer, place: str) -> None:
    page, acts = drawing.link.page, block.acts
    bound.mirror(
        st.pills, block.label, list(acts), block.name, block.shows,
        lambda name: acting.done(page, acts[name]) if name in acts else None, label_visibility="collapsed",
        **({"wrap": True} if block.wrap else {}),
    )  # fmt: skip


def out(drawing: PageRun, block: inputs.Out, place: str) -> None:
    st.link_button(block.text, block.address, type="tertiary" if block.faint else "secondary")


def settle(drawing: PageRun, block: inputs.Choose) -> None:
    """Let a word say what can be chosen of it: a head or a layer of another model cannot, and its first option may."""
    word, shape = drawing.word(block.word), _shape()
    value = st.session_state.get(word.name)
    offered = block.options or word.kind.options(shape)
    if isinstance(word.kind, Choice | LayerNumber) and value not in (None, *offered):
        st.session_state[word.name] = None if word.automatic else word.default
    if block.first is not None and st.session_state.get(word.name) is None:
        bound.let_stand(word, offered[block.first])


def _shape() -> Shape:
    return bound.shape()._replace(models=tuple(bound.models()))


def choose(drawing: PageRun, block: inputs.Choose, place: str) -> None:
    settle(drawing, block)
    given: dict[str, Any] = {"label_visibility": "collapsed"} if block.bare else {}
    given |= {"wrap": True} if block.wrap else {}
    given |= {"disabled": True} if block.off else {}
    given |= {"placeholder": block.hint} if block.hint else {}
    given |= {"format": block.format} if block.format else {}
    given |= {"width": block.width} if block.width else {}
    given |= {"options": block.options} if block.options else {}
    given |= {"label": block.label} if block.label else {}
    given |= {"on_change": partial(acting.chosen, drawing.link.page, block.then)} if block.then else {}
    bound.draw(drawing.word(block.word), shape=_shape(), **given)


def press(drawing: PageRun, block: inputs.Press, place: str) -> None:
    st.button(
        block.text, key=block.name or drawing.key(place, block.kind), disabled=block.off,
        on_click=acting.done, args=(drawing.link.page, block.acts), shortcut=block.shortcut or None,
        type="tertiary" if block.faint else "secondary", width="stretch" if block.wide else "content",
    )  # fmt: skip


def kept_field(drawing: PageRun, block: inputs.KeptField, place: str) -> None:
    changed: dict[str, Any] = {"on_change": acting.done, "args": (drawing.link.page, block.then)}
    if block.number:
        st.number_input(block.label, 0, block.most, 0, key=block.name, **changed)
    else:
        st.text_input(block.label, key=block.name, max_chars=block.most, **changed)


def fixed(drawing: PageRun, block: inputs.Fixed, place: str) -> None:
    st.text_input(block.label, block.text, disabled=True, key=block.name)


def edited_matrices(drawing: PageRun, block: inputs.Matrices, place: str) -> None:
    matrices.draw(block)


def guess(drawing: PageRun, block: inputs.Guess, place: str) -> None:
    if block.required:
        st.session_state.setdefault(block.name, block.options[0])
        st.segmented_control(block.label, block.options, key=block.name, required=True, label_visibility="collapsed")
    elif block.of_text:
        kept = st.session_state.get(inputs.guess_kept(block.name)) or {}
        shows = kept.get("word") if kept.get("text") == st.session_state["text"] else None
        bound.mirror(
            st.pills, block.label, list(block.options), block.name, shows if shows in block.options else None,
            partial(_keep, block.name), label_visibility="collapsed", wrap=True,
        )  # fmt: skip
    elif block.beside:
        st.pills(block.label, block.options, key=block.name, label_visibility="collapsed", wrap=True)
    else:
        st.radio(block.label, block.options, index=None, key=block.name, label_visibility="collapsed")


def _keep(name: str, word: str | None) -> None:
    """Keep a guess with its sentence for as long as the visit lasts: its widget goes when findings are shown."""
    st.session_state[inputs.guess_kept(name)] = {"text": st.session_state["text"], "word": word or ""}


CHOOSING: Mapping[type, Draw] = {
    inputs.GivenTexts: given_texts,
    inputs.Put: put,
    inputs.Remember: remember,
    inputs.Pick: pick,
    inputs.PageDoor: door,
    inputs.Offer: offer,
    inputs.Out: out,
    inputs.Choose: choose,
    inputs.Press: press,
    inputs.Fixed: fixed,
    inputs.OwnField: own_field,
    inputs.LessonField: lesson_field,
    inputs.KeptField: kept_field,
    inputs.Switches: switches,
    inputs.Ticked: ticked,
    inputs.Matrices: edited_matrices,
    inputs.Guess: guess,
}
