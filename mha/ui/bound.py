"""Where the link's words meet Streamlit's widgets: what the address says, what the visit's state holds, what is drawn.

A word of the link (`mha.link.word.Word`) stands in the visit's state under its name: read from the address when a page
opens (`check_link`), there in every run and every callback (`hold`), and told in the address at a run's end (`tell`).
`draw` shows it as the widget that its kind asks for, whose key is the name too: but for tabs, which hold what is read
on them. A widget costs as much of a run where nobody sees it, so what stands behind a button may be
drawn while that is open alone. What a page draws in a prettier place (the picker's titles, a layer's pills, an
example) has no state of its own: a `mirror` shows what the word says, and writes its key when it is chosen.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from mha.link.kinds import Choice, Number, Shape, Text
from mha.link.link import Link
from mha.link.pages import KNOWN, corrected
from mha.link.pages import words_of as own_words_of
from mha.link.readings import ReadingsWords
from mha.link.view import VERSION, View, shape_of
from mha.link.word import Query, Word
from mha.models.files.catalog import ModelRow, offered_on_pages
from mha.screens.pages import OF_TEXT_BEFORE
from mha.streamlit_facts import run
from mha.ui import again

ANY = Shape("", 0, 0)  # for words that do not depend on a model
READINGS = tuple(ReadingsWords.of(field) for field in ("pivot", "a", "b", "by"))  # which go along between two pages
ABSENT = object()  # what no word's value is


def models() -> dict[str, Shape]:
    """Return the shape of every model on pages, by its word in the link."""
    return _shapes(offered_on_pages())


@functools.lru_cache(maxsize=1)
def _shapes(rows: tuple[ModelRow, ...]) -> dict[str, Shape]:
    return {row.name: Shape(row.short, row.n_layers, row.n_heads, beside=row.beside) for row in rows}


def shape() -> Shape:
    """Return the shape of the model that is chosen now."""
    return models()[st.session_state["model"]]


def in_address() -> Query:
    """Return what the address says."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def words_of(page: str) -> tuple[Word, ...]:
    """Return the words that a page has in the address: the frame's and its own."""
    return *View.table(), *own_words_of(page).table()


def check_link(page: str) -> None:
    """Take what the address says of a page that opens, and keep the complaints until something is chosen.

    New words come with the first run, another page, or a step back in the browser's history; at any other time the
    address says what stands in the visit's state. What cannot be is never put there: Streamlit's widgets would drop
    most of it without a word, and die of the rest.
    """
    hold()
    state, asked = st.session_state, run()
    state["link_drawn_before"], state["link_drawn"] = state.get("link_drawn", set()), set()
    before_page = state["link_page_before"] = state.get("link_page")
    back = state["link_stepped_back"] = asked is not None and asked.by_history
    if before_page == page and not back:
        return
    if back:
        forget_text_before(page)
    here, before = in_address(), state.get("link_frame", {})
    cold = before_page is None
    if cold and not page and "v" in here and "text" in here:
        state["link_from_before"] = here["text"][-1]  # unless the page's words say otherwise
    said = {**({} if back else left_behind(before, here)), **here, **(_typed(page, here) if cold and not back else {})}
    changes, state["link_notes"] = corrected(said, page, models())
    said = {name: values for name, values in {**said, **changes}.items() if values}
    if said != here or back:  # an answer to a click before a step back may have come into the address meanwhile
        st.query_params.from_dict(said)
    state["link_page"], state["link_came"] = page, frozenset(said)
    _take(said, View.table(), back or cold or says_of_its_own(before, here), cold)
    _take(said, own_words_of(page).table(), back or cold, cold)
    if draws_readings(page) and state.get("link_readings_of") != state["text"]:  # they were of another sentence
        _take(said, READINGS, not cold, cold)
    hold()


def forget_text_before(page: str) -> None:
    """Keep nothing of the text that a page drew last: what is said of it now is of the text that comes with it.

    A page would take words of another text for old ones, and let go of them.
    """
    for name in OF_TEXT_BEFORE.get(page, ()):
        st.session_state.pop(name, None)


def _typed(page: str, here: Query) -> Query:
    """Return the texts that somebody has typed into a page which was open before this visit: its server began anew."""
    typed = st.session_state.get(again.TYPED, {})
    texts = {word.name: word.default for word in words_of(page) if isinstance(word.kind, Text) and typed.get(word.name)}
    new = {name: typed[name] for name, default in texts.items() if typed[name] != here.get(name, [default])[-1]}
    return {name: [text] for name, text in new.items()}


def _take(said: Query, words: Sequence[Word], anew: bool, cold: bool) -> None:
    """Take words from what was said; one of which nothing is said has its default, where all is said ``anew``.

    What was written before a visit's first run (``cold``) stands.
    """
    shape = shape_of(said, models())
    for word in words:
        if word.name in said:
            st.session_state[word.name] = held(word, word.read(said[word.name], shape)[0])
        elif anew and not (cold and word.name in st.session_state):
            st.session_state[word.name] = held(word, word.default)


def hold() -> None:
    """Let every word of the open page stand in the visit's state: Streamlit takes out what is not drawn."""
    state = st.session_state
    if "link_page" not in state:
        return
    kept = state.get("link_words", {})
    for word in words_of(state["link_page"]):
        now = state.get(word.name, ABSENT)
        if now is ABSENT:
            state[word.name] = kept.get(word.name, held(word, word.default))
        else:
            kept[word.name] = now
    state["link_words"] = kept


@contextmanager
def address_told() -> Iterator[None]:
    """Let the address say what a page has put into its words, however the page ends."""
    try:
        yield
    finally:
        _outlive_widgets()
        tell()


def _outlive_widgets() -> None:
    """Let words whose widgets were not drawn in this run keep what these held.

    Streamlit takes a widget's state out at the end of such a run, and what was written under its key before the widget
    was there would be seen again.
    """
    state = st.session_state
    state["link_ever_drawn"] = state.get("link_ever_drawn", frozenset()) | state["link_drawn"]
    gone = state["link_ever_drawn"] - state["link_drawn"]
    for word in words_of(state["link_page"]):
        if word.name in gone:
            state[word.name] = state[word.name]


def tell() -> None:
    """Let the address say the words as they stand now, in one message, where any is new.

    Defaults are left out, but for one of the page's own words that the address says already: a tab that is named.
    """
    state, here = st.session_state, in_address()
    page = state["link_page"]
    said = {name: values for name, values in here.items() if name not in KNOWN} | {"v": [VERSION]}
    untold = state.get("link_untold", {})
    for word in words_of(page):
        value = state[word.name]
        if value not in (None, _held_default(word), untold.get(word.name)):
            said[word.name] = _strings(value)
        elif word.name in here and word not in View.table():
            read, complaint = word.read(here[word.name], shape_of(here, models()))
            said |= {} if complaint or read != word.default else {word.name: here[word.name]}
    if said != here:
        st.query_params.from_dict(said)
    state["link_frame"] = {word.name: said[word.name] for word in View.table() if word.name in said}
    if draws_readings(page):
        state["link_readings_of"] = state["text"]


def came_with() -> frozenset[str]:
    """Return the words that the page's address said as it was opened, and those that it says now.

    Its version is among them only where the reader brought it, or a word that is wrong.
    """
    state = st.session_state
    words = state["link_came"] | frozenset(st.query_params)
    return words if "v" in state["link_came"] or state["link_notes"] else words - {"v"}


def stayed() -> bool:
    """Return whether the run before this one was on the same page."""
    return bool(st.session_state["link_page_before"] == st.session_state["link_page"])


def left_another() -> bool:
    """Return whether another page of this visit stood there until now."""
    return st.session_state["link_page_before"] not in (None, st.session_state["link_page"])


def came_from_another() -> bool:
    """Return whether the reader has just come here from another page, and not by a step back."""
    return left_another() and not st.session_state["link_stepped_back"]


def draws_readings(page: str) -> bool:
    """Return whether a page draws two readings of the text."""
    return own_words_of(page).has(READINGS[0].name)


def left_behind(before: Query, here: Query) -> dict[str, list[str]]:
    """Return the frame's words that another page has to get back: what the address said ``before`` and not ``here``.

    Nothing, where the way to the page says something of its own: then it says all.
    """
    if says_of_its_own(before, here):
        return {}
    return {name: list(values) for name, values in before.items() if name not in here}


def says_of_its_own(before: Query, here: Query) -> bool:
    """Return whether the way to a page says something of the frame's words that was not said ``before``."""
    frame = {word.name for word in View.table()}
    return any(before.get(name) != values for name, values in here.items() if name in frame)


def held(word: Word, value: Any) -> Any:
    """Return a value as the word's widget holds it."""
    if isinstance(word.kind, Number | Text) or word.kind.drawn == "toggle":
        return value
    written = [each for each in word.write(value) if each]
    return written if word.kind.many else next(iter(written), None)


@functools.cache
def _held_default(word: Word) -> Any:
    return held(word, word.default)


def forget_link_notes() -> None:
    """Say no more what the link got wrong: it is old news once the reader has chosen something else."""
    st.session_state["link_notes"] = ()


def draw(word: Word, shape: Shape = ANY, **more: Any) -> Any:
    """Draw a word as its widget; ``more`` is what only the page knows, and goes before what the word says."""
    kind = word.kind
    if kind.drawn == "tabs":
        return _tabs(word, kind, shape)
    given: dict[str, Any] = {"label": word.label, "key": word.name, "on_change": forget_link_notes}
    if word.help:
        given["help"] = word.help
    if word.placeholder:
        given["placeholder"] = word.placeholder
    if isinstance(kind, Text):
        given |= {"max_chars": kind.most}
        given |= {"height": "content"} if kind.drawn == "area" else {}
    elif isinstance(kind, Number):
        given |= {"min_value": kind.low, "max_value": kind.high, "value": word.default, "step": kind.step}
    elif kind.drawn != "toggle":
        given |= {"options": kind.options(shape), **more}
        given |= {"format_func": kind.named} if isinstance(kind, Choice) and kind.names else {}
        first = None if word.automatic else kind.write(word.default)[0]
        if kind.drawn == "select":
            given |= {"index": None if first is None else given["options"].index(first)}
        elif kind.drawn in ("segments", "pills"):
            given |= {"default": first, "required": True}
    _show(given["key"])
    return getattr(st, WIDGETS[kind.drawn])(**(given | more))


def _show(key: str) -> None:
    """Let a widget that comes to stand on the page show what its state holds.

    A browser shows a new widget's default but where the state was set in this very run; one that stood there in the run
    before knows better than the server what its reader has just done.
    """
    state = st.session_state
    if key not in state["link_drawn_before"]:
        state[key] = state[key]
    state["link_drawn"].add(key)


def _tabs(word: Word, kind: Any, shape: Shape) -> Any:
    """Draw a word as tabs, whose state is what is read on them."""
    state, key = st.session_state, f"{word.name}_by_label"
    shown = {kind.named(option): option for option in kind.options(shape)}
    state[key] = next((label for label, option in shown.items() if option == state[word.name]), next(iter(shown)))
    again.note(key)

    def chosen() -> None:
        state[word.name] = shown.get(state[key], state[word.name])
        forget_link_notes()

    return getattr(st, WIDGETS[kind.drawn])(list(shown), key=key, on_change=chosen)


WIDGETS = {  # how a kind is drawn: the function of Streamlit
    "text": "text_input",
    "area": "text_area",
    "toggle": "toggle",
    "number": "number_input",
    "slider": "slider",
    "select": "selectbox",
    "multi": "multiselect",
    "segments": "segmented_control",
    "pills": "pills",
    "tabs": "tabs",
}


def said(page: str) -> Query:
    """Return what the words of a page say now, as a link has it, and of those without a value what the address says."""
    found = {word.name: st.session_state.get(word.name, ABSENT) for word in words_of(page)}
    values = {
        name: st.query_params.get_all(name) if value is ABSENT else _strings(value) for name, value in found.items()
    }
    return {name: strings for name, strings in values.items() if strings}


def _strings(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def mirror(
    widget: Callable[..., Any], label: str, options: Sequence[Any], key: str, shows: Any, write: Callable[[Any], None],
    **more: Any,
) -> Any:  # fmt: skip
    """Draw a widget that shows what a word says, and hands what is chosen in it to ``write``.

    A browser sends a choice by its label. One that is not among the options was of others, and nobody has chosen it.
    """
    st.session_state[key] = shows
    again.note(key)

    def chosen() -> None:
        value = st.session_state[key]
        if all(each in options for each in (value if isinstance(value, list) else [value]) if each is not None):
            write(value)

    return widget(label, options, key=key, on_change=chosen, **more)


def put(word: Word, value: Any) -> None:
    """Write a word."""
    st.session_state[word.name] = held(word, value)
    _tell_or_not(word, True)


def let_stand(word: Word, option: str) -> None:
    """Let an option stand in a word that is automatic, as its widget shows it; the address leaves it out."""
    st.session_state[word.name] = option
    _tell_or_not(word, False)


def _tell_or_not(word: Word, told: bool) -> None:
    state = st.session_state
    state["link_untold"] = state.get("link_untold", {}) | {word.name: None if told else state[word.name]}


def into(key: str) -> Callable[[Any], None]:
    """Return what writes a word, for `mirror`."""
    return lambda value: st.session_state.__setitem__(key, value)


def write_link(before: Link, after: Link) -> None:
    """Write into their words what is said otherwise in a link than in the one before it."""
    of_page = [(before.own, after.own)] if before.page == after.page else []
    for old, new in ((before.view, after.view), *of_page):
        for word in new.table():
            value = getattr(new, word.field)
            if value != getattr(old, word.field):
                st.session_state[word.name] = held(word, value)
    forget_link_notes()
