"""The frame's controls: the sentence, the model, the examples, and the rest of its `View` behind a button.

What is chosen in them is written into bound keys, which the link is made of: ``pins`` as the link has them, an empty
list is automatic, ["none"] is a choice of no head.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.app import errors
from mha.app.components import component
from mha.examples import ARITHMETIC, DOG, OPENS_HEADS, example_for, examples
from mha.link.heads import HeadsWords
from mha.link.pages import IN_BAR, IN_MORE, OPENS_PREDICTING, ROWS, page_row
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT, View
from mha.link.word import Word
from mha.models.files.catalog import offered_on_pages
from mha.screens import wanted
from mha.screens.blocks import Definitions
from mha.ui import bound, page_run
from mha.ui.component import caption
from mha.ui.component import draw as draw_blocks

FRONT = ("the telescope", DOG)  # the pills beside the popover
NEXT = ("the trophy", "he or she", "old men and women", "who was late")  # those that stand first in it
FINDINGS = {"1": "show now", "0": "guess first"}
VIEW, MORE = "view_open", "examples_open"  # whether the menus are open
OF_THE_PAGE = "view_of_the_page"  # where in the View menu the page puts what only it knows, None while it is closed
OTHERS, OTHERS_TITLE = "other models", "Add a model …"
WORD = {word.name: word for word in View.table()}
TEXTS = (  # what models read, on whatever page
    WORD["text"],
    HeadsWords.of("pair"),
)


def pages() -> dict[str, list[Any]]:
    """Return the pages of the navigation by where it has them."""
    return {place: [copy(page) for page in there] for place, there in _pages().items()}  # a run marks what it opens


@functools.cache
def _pages() -> dict[str, list[Any]]:
    """Return the same, made once: `st.Page` looks for its file each time."""
    bar: dict[str, list[Any]] = {IN_BAR: [], IN_MORE: []}
    for row in ROWS:
        bar[row.stands].append(st.Page(row.file, title=row.title, default=row.path == ""))
    return bar


def open_with(page: str) -> None:
    """Open an address without parameters with the host's model (``--model``), if the page can serve it."""
    name = opens_with()
    if not name or "link_page" in st.session_state or bound.in_address():
        return
    if page not in OPENS_PREDICTING or model_row(name).predicts in ("next", "target"):
        st.query_params["model"] = name


def open_heads() -> None:
    """Open Heads, by an address without parameters, with its chosen sentence if the visit has chosen nothing."""
    is_default = st.session_state["text"] == DEFAULT_TEXT and st.session_state["model"] == DEFAULT_MODEL
    opens = not bound.stayed() or st.session_state["link_stepped_back"]
    if is_default and opens and not st.context.is_embedded:
        st.session_state["text"] = OPENS_HEADS


def draw(page: str) -> None:
    """Draw the controls where a page uses them, and say what a link got wrong."""
    if page_row(page).controls:
        _controls(FRONT)
    for note in st.session_state["link_notes"]:
        errors.say(note)
    bound.tell()


def _controls(front: Sequence[str]) -> None:
    """Draw the sentence, the model picker, the view settings and the examples."""
    titles = {row.name: row.title for row in offered_on_pages()} | {OTHERS: OTHERS_TITLE}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="of_the_view"):
        bound.draw(WORD["text"], on_change=unlock)
        bound.mirror(
            st.selectbox, "Model", list(titles), "model_shown", st.session_state["model"], _take_model,
            format_func=titles.__getitem__,
        )  # fmt: skip
        view = st.popover("View", width="stretch", key=VIEW, on_change="rerun")
    st.session_state[OF_THE_PAGE] = None
    if page_run.is_open(view):
        with view:
            _view_settings()
    if st.session_state.pop(OTHERS, False):
        _others()
    _example_pills(front)


def draw_bar(page: str) -> None:
    """Draw the mark and the name of the page in the bar, where there is one."""
    of = {"model": _said(WORD["model"])} | {word.name: _said(word) for word in TEXTS}
    of["second"] = str(st.session_state.get("second", ""))
    with st.container(key="bar_alone"):
        # `of` is what this run is of: what stands below of another text is marked until it comes anew
        # (`assets/js/page/text_before.js`).
        large = _said(WORD["large"]).lower() == "true"
        said = {"page": page, "of": of, "large": large}
        # What is done while the server is away is said again by a run that the bar asks for.
        component("bar", "frame/bar.js", "frame")(key="bar", data=said, on_returned_change=lambda: None)


def _said(word: Word) -> str:
    """Return what was asked for of a word, before its own widget says so."""
    said = st.session_state.get(word.name)
    return str((st.query_params.get_all(word.name) or [word.default])[-1] if said is None else said)


def _take_model(name: str) -> None:
    """Take the model that was picked; the last line of the picker tells of those that are not here."""
    if name == OTHERS:
        st.session_state[OTHERS] = True
    else:
        take_model(name)


@st.dialog("Add models", width="large")
@errors.shown()
def _others() -> None:
    """Show the commands that add a model."""
    caption(wanted.ABOUT, key="wanted_about", style="body")
    draw_blocks([Definitions(wanted.ENTRIES)], "wanted", large=False)


def _view_settings() -> None:
    """Draw the settings of the pictures."""
    bound.draw(WORD["units"], on_change=unlock)
    for name in ("sinks", "scale", "large"):
        bound.draw(WORD[name])
    bound.mirror(
        st.segmented_control, "Results", list(FINDINGS), "reveal_shown", st.session_state["reveal"],
        bound.into("reveal"), format_func=FINDINGS.__getitem__, required=True,
    )  # fmt: skip
    st.session_state[OF_THE_PAGE] = st.container()


def _example_pills(front: Sequence[str]) -> None:
    current = example_for(st.session_state["text"])
    kinds = {example.label: f"{example.label} · {example.kind}" for example in examples()}
    front = [label for label in front if label in kinds]
    listed = [example.label for example in examples() if example.kind != ARITHMETIC]
    rest = [label for label in dict.fromkeys((*NEXT, *listed)) if label in kinds and label not in front]

    def pills(label: str, labels: Sequence[str], key: str, **given) -> None:
        shows = current.label if current and current.label in labels else None
        bound.mirror(
            st.pills, label, labels, key, shows, take_example, wrap=True, label_visibility="collapsed", **given
        )

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
        if kinds:
            pills("Examples", front, "example_front")
            more = st.popover("More", key=MORE, on_change="rerun")
            if page_run.is_open(more):
                with more:
                    pills("More examples", rest, "example_rest", format_func=kinds.__getitem__)


def choose_for_me() -> None:
    """Give the choice of pins and locked word back to the app."""
    st.session_state["pins"] = []
    _lock(None, "at")


def unlock() -> None:
    """Give the locked word back to the app: in another text, or in other units, its place is another word's."""
    _lock(None, "at")
    bound.forget_link_notes()


def _lock(place: int | None, look: str) -> None:
    st.session_state["lock"], st.session_state["look"] = place, look


def take(text: str) -> None:
    """Put a text into the sentence's field, as if it had been typed."""
    st.session_state["text"] = text
    unlock()


def take_example(label: str | None) -> None:
    """Take an example by its label; None, a second click on it, changes nothing.

    On Two readings it has its full stop, as the forced pairs have theirs.
    """
    for example in examples():
        if example.label == label:
            take(example.text)


def take_model(name: str) -> None:
    """Take another model."""
    st.session_state["model"] = name
    reset_heads()


def reset_heads() -> None:
    """Give every choice of heads back to the app: another model has other heads."""
    choose_for_me()
    bound.forget_link_notes()
