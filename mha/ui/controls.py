"""The frame's controls: the sentence, the model, the examples, and the rest of its `View` behind a button."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.examples import ARITHMETIC, example_for, examples
from mha.link.compare import CompareWords
from mha.link.heads import HeadsWords
from mha.link.pages import page_row
from mha.link.readings import ReadingsWords
from mha.link.view import DEFAULT_MODEL, View
from mha.link.word import Word
from mha.models.files.catalog import model_row, opens_with
from mha.screens import wanted
from mha.screens.blocks import Definitions, as_data
from mha.screens.heads.tour import orientation
from mha.ui import bound, boundary, choices, page_run
from mha.ui.bound import models
from mha.ui.component import caption, component
from mha.ui.component import draw as draw_blocks

FRONT = ("the telescope", "the hungry dog")  # the pills beside the popover
NEXT = ("the trophy", "he or she", "old men and women", "who was late")  # those that stand first in it
LESSON = ("All is well", "money bank", "the telescope")  # and the pills where the arithmetic is the lesson
FINDINGS = {"1": "show now", "0": "guess first"}
VIEW, MORE = "view_open", "examples_open"  # whether the menus are open
OF_THE_PAGE = "view_of_the_page"  # where in the View menu the page puts what only it knows, None while it is closed
BY_NAME = "words_by_name"  # whether the words of the link are shown that only a link sets by name
OTHERS, OTHERS_TITLE = "other models", "Add a model …"
BESIDE_EXAMPLES = "beside_examples"  # where among the examples the page puts its own, None while they are closed
WORD = {word.name: word for word in View.table()}
TEXTS = (  # what models read, on whatever page
    WORD["text"],
    CompareWords.of("second"),
    ReadingsWords.of("contrast"),
    HeadsWords.of("target"),
    HeadsWords.of("pair"),
)


def open_with() -> None:
    """Open a bare address with the model that whoever runs the app has named, before any word of it is read."""
    name = opens_with()
    if name and "link_page" not in st.session_state and not bound.in_address():
        st.query_params["model"] = name


def draw(page: str, front: Sequence[str] = FRONT) -> None:
    """Draw the controls where a page uses them, and say what a link got wrong.

    ``front`` are the labels of the examples that stand outside the popover.
    """
    if page_row(page).controls:
        _controls(front)
    for note in st.session_state["link_notes"]:
        boundary.say(note)
    bound.tell()


def _controls(front: Sequence[str]) -> None:
    """Draw the sentence, the model picker, the view settings and the examples."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="of_the_view"):
        bound.draw(WORD["text"], on_change=choices.unlock)
        bound.mirror(
            st.selectbox, "Model", [*models(), OTHERS], "model_shown", st.session_state["model"], _take_model,
            format_func=lambda name: OTHERS_TITLE if name == OTHERS else model_row(name).title,
        )  # fmt: skip
        view = st.popover("View", width="stretch", key=VIEW, on_change="rerun")
    st.session_state[OF_THE_PAGE] = None
    if page_run.is_open(view):
        with view:
            _view_settings()
    if st.session_state.pop(OTHERS, False):
        _others()
    _example_pills(front)


def draw_bar(page: str, newcomers: bool) -> None:
    """Draw the mark and the name of the page in the bar, where there is one; above the controls the newcomers' line."""
    of = {"model": _said(WORD["model"])} | {word.name: _said(word) for word in TEXTS}
    with st.container(key="orientation" if newcomers else "bar_alone"):
        row = model_row(st.session_state.get("model", DEFAULT_MODEL))
        line = orientation(row, _said(HeadsWords.of("weights"))) if newcomers else ()
        # `of` is what this run is of: what stands below of another text is marked until it comes anew
        # (`assets/js/page/text_before.js`). Whether the line for newcomers was dismissed only their browser knows.
        large = _said(WORD["large"]).lower() == "true"
        said = {"page": page, "of": of, "line": as_data(tuple(line)), "large": large}
        component("bar", "frame/bar.js", "frame")(key="bar", data=said)


def cell_open() -> bool:
    """Return whether one cell stands in the place of all heads, which the line for newcomers is about."""
    return bool(_said(HeadsWords.of("cell")))


def _said(word: Word) -> str:
    """Return what was asked for of a word, before its own widget says so."""
    said = st.session_state.get(word.name)
    return str((bound.in_address().get(word.name) or [word.default])[-1] if said is None else said)


def _take_model(name: str) -> None:
    """Take the model that was picked; the last line of the picker tells of those that are not here."""
    if name == OTHERS:
        st.session_state[OTHERS] = True
    else:
        choices.take_model(name)


@st.dialog("Add models", width="large")
@boundary.shown()
def _others() -> None:
    """Tell of the models that people ask for first, each with the one command that brings it."""
    caption(wanted.ABOUT, key="wanted_about", style="body")
    draw_blocks([Definitions(wanted.entries())], "wanted", large=False)


def _view_settings() -> None:
    """Draw the settings of the pictures in people's words, and below them every other word as a link has it."""
    bound.draw(WORD["units"], on_change=choices.unlock)
    for name in ("sinks", "scale", "large"):
        bound.draw(WORD[name])
    bound.mirror(
        st.segmented_control, "Results", list(FINDINGS), "reveal_shown", st.session_state["reveal"],
        bound.into("reveal"), format_func=FINDINGS.__getitem__, required=True,
    )  # fmt: skip
    st.session_state[OF_THE_PAGE] = st.container()
    with st.expander("As a link has them", key=BY_NAME, on_change="rerun") as by_name:
        for word in bound.BY_NAME if by_name.open else ():
            of_model = {"options": list(models()), "on_change": choices.reset_heads} if word.name == "model" else {}
            bound.draw(word, shape=bound.shape(), **of_model)


def _example_pills(front: Sequence[str]) -> None:
    current = example_for(st.session_state["text"])
    kinds = {example.label: f"{example.label} · {example.kind}" for example in examples()}
    front = [label for label in front if label in kinds]
    lesson = ARITHMETIC in {example.kind for example in examples() if example.label in front}
    listed = [example.label for example in examples() if lesson or example.kind != ARITHMETIC]
    rest = [label for label in dict.fromkeys((*NEXT, *listed)) if label in kinds and label not in front]

    def pills(label: str, labels: Sequence[str], key: str, **given) -> None:
        shows = current.label if current and current.label in labels else None
        bound.mirror(
            st.pills, label, labels, key, shows, choices.take_example, wrap=True, label_visibility="collapsed", **given
        )

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
        if kinds:
            pills("Examples", front, "example_front")
            more = st.popover("More", key=MORE, on_change="rerun")
            st.session_state[BESIDE_EXAMPLES] = None
            if page_run.is_open(more):
                with more:
                    pills("More examples", rest, "example_rest", format_func=kinds.__getitem__)
                    st.session_state[BESIDE_EXAMPLES] = st.container(gap="small")
        else:
            st.session_state[BESIDE_EXAMPLES] = st.container(width="content", horizontal=True, gap="small")
