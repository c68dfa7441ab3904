"""Where the link's words meet Streamlit's widgets: one widget a word, the check of a link, and mirrors of a word.

A word of the link (`mha.link.word.Word`) is drawn once, as the widget that its kind asks for, bound to the address.
Words that few readers set by name (`KEPT`) have a widget only while it is looked at: they stand in the visit's state
under their names, are read from the address when a page opens, and `tell` puts them there; a widget that nobody sees
costs as much of a run as one that stands on the page. What a page draws in a prettier place (the picker's titles, a
layer's pills, an example) has no state of its own: a `mirror` shows what the word says, and writes its key when it is
chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from mha.link.heads import HeadsWords
from mha.link.kinds import Choice, Heads, LayerNumber, Number, Shape, Text
from mha.link.link import Link
from mha.link.pages import corrected, page_row
from mha.link.view import VERSION, View, shape_of
from mha.link.word import Query, Word, Words
from mha.models.files.catalog import offered
from mha.streamlit_facts import asked_for, change_address, run
from mha.ui import again

ANY = Shape("", 0, 0)  # for words that do not depend on a model
KEPT = tuple(
    View.of(field)
    for field in (
        *("reveal", "model", "pins", "off", "on", "layer", "lock", "look", "heads_pinned", "heads_table"),
        *("lesson", "stop"),
    )
)  # in the order in which they are drawn
READINGS = tuple(HeadsWords.of(field).name for field in ("pivot", "a", "b", "by"))
Said = TypeVar("Said", bound=Words)


def models() -> dict[str, Shape]:
    """Return the shape of every model on offer, by its word in the link."""
    return {row.name: Shape(row.short, row.n_layers, row.n_heads, beside=row.beside) for row in offered()}


def shape() -> Shape:
    """Return the shape of the model that is chosen now."""
    return models()[st.session_state["model"]]


def in_address() -> Query:
    """Return what the address says."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def check_link(page: str) -> None:
    """Take out of a link what cannot be, before a widget sees it, and keep the complaints until something is chosen.

    Streamlit drops most of what a widget cannot take without a word, and dies of the rest. New words come with the
    first run, another page, or a step back in the browser's history; at any other time widgets have written them.
    """
    state, asked = st.session_state, run()
    state["link_page_before"] = state.get("link_page")
    back = state["link_stepped_back"] = asked is not None and asked.by_history
    if state.get("link_page") != page or back:
        here, before = in_address(), frame_for(page)
        if "link_page" not in state and not page and "v" in here and "text" in here:
            state["link_from_before"] = here["text"][-1]  # unless the page's words say otherwise
        change_address(_asked_again(page, here) if back else left_behind(before, here))
        anew = back or "link_page" not in state or says_of_its_own(before, here)
        state["link_page"] = page
        changes, state["link_notes"] = corrected(in_address(), page, models())
        change_address(changes)
        if anew:
            _take_kept()
    if "v" not in st.query_params:
        st.query_params["v"] = VERSION


def stayed() -> bool:
    """Return whether the run before this one was on the same page."""
    return bool(st.session_state["link_page_before"] == st.session_state["link_page"])


def left_another() -> bool:
    """Return whether another page of this visit stood there until now."""
    return st.session_state["link_page_before"] not in (None, st.session_state["link_page"])


def came_from_another() -> bool:
    """Return whether the reader has just come here from another page, and not by a step back."""
    return left_another() and not st.session_state["link_stepped_back"]


def draws_readings(page: str | None) -> bool:
    """Return whether a page draws two readings of the text."""
    return page is not None and page_row(page).words.has(READINGS[0])


def keep_frame() -> None:
    """Remember what the address says of the frame's words, for when the reader goes on to another page."""
    found, state = in_address(), st.session_state
    frame = {word.name: found[word.name] for word in View.table() if word.name in found}
    if not draws_readings(state.get("link_page")) and frame.get("text") != state.get("link_frame", {}).get("text"):
        state["link_readings"] = {}
    state["link_frame"] = frame


def keep_readings() -> None:
    """Remember what the address says of readings, once a page that draws them is drawn."""
    if draws_readings(st.session_state.get("link_page")):
        found = in_address()
        st.session_state["link_readings"] = {name: found[name] for name in READINGS if name in found}


def frame_for(page: str) -> Query:
    """Return what another page has to get back of the frame's words; one that draws readings gets theirs as well."""
    state = st.session_state
    return state.get("link_frame", {}) | (state.get("link_readings", {}) if draws_readings(page) else {})


def left_behind(before: Query, here: Query) -> dict[str, list[str]]:
    """Return the frame's words that another page has to get back: what the address said ``before`` and not ``here``.

    Streamlit takes along only words whose widgets stand in the browser, and those of a closed popover do not. Nothing,
    where the way to the page says something of its own: then it says all.
    """
    if says_of_its_own(before, here):
        return {}
    return {name: list(values) for name, values in before.items() if name not in here}


def says_of_its_own(before: Query, here: Query) -> bool:
    """Return whether the way to a page says something of the frame's words that was not said ``before``."""
    frame = {word.name for word in View.table()}
    return any(before.get(name) != values for name, values in here.items() if name in frame)


def _take_kept() -> None:
    """Take the kept words from the address; what it does not say is their default, or was written before the visit."""
    state, here = st.session_state, in_address()
    first = "link_kept" not in state
    shape = shape_of(here, models())
    for word in KEPT:
        if word.name in here or not first or word.name not in state:
            value = word.read(here[word.name], shape)[0] if word.name in here else word.default
            state[word.name] = held(word, value)
    state["link_kept"] = True


def held(word: Word, value: Any) -> Any:
    """Return a value as the word's widget holds it."""
    if isinstance(word.kind, Number | Text) or word.kind.drawn == "toggle":
        return value
    written = [each for each in word.write(value) if each]
    return written if word.kind.many else next(iter(written), None)


def tell() -> None:
    """Put the kept words into the address as they are now, their defaults left out."""
    state, here = st.session_state, in_address()
    now = {word.name: state[word.name] for word in KEPT}
    wanted = {
        word.name: _strings(now[word.name])
        for word in KEPT
        if now[word.name] is not None and now[word.name] != held(word, word.default)
    }
    change_address({name: wanted.get(name, []) for name in now if wanted.get(name, []) != here.get(name, [])})


def _asked_again(page: str, here: Query) -> dict[str, list[str]]:
    """Return what a step back in the history asks for and Streamlit has dropped, for the same reason."""
    names = [word.name for words in (View, page_row(page).words) for word in words.table()]
    return asked_for([name for name in names if name not in here])


def forget_link_notes() -> None:
    """Say no more what the link got wrong: it is old news once the reader has chosen something else."""
    st.session_state["link_notes"] = ()


def draw(word: Word, place: Any = st, shape: Shape = ANY, **more: Any) -> Any:
    """Draw a word as its bound widget; ``more`` is what only the page knows, and goes before what the word says."""
    kind = word.kind
    if isinstance(kind, Choice) and kind.names and kind.drawn == "tabs":
        return _labelled(word, kind, place, shape, **more)
    given: dict[str, Any] = {
        "label": word.label,
        "key": word.name,
        "bind": "query-params",
        "on_change": forget_link_notes,
    }
    named = isinstance(kind, Choice) and bool(kind.names)
    if named:
        given["format_func"] = kind.named  # type: ignore[attr-defined]
    if word in KEPT:
        given |= _shown(word, more.pop("on_change", forget_link_notes), shape)
    if word.help:
        given["help"] = word.help
    if word.placeholder:
        given["placeholder"] = word.placeholder
    if isinstance(kind, Text):
        given |= {"value": word.default, "max_chars": kind.most}
        given |= {"height": "content"} if kind.drawn == "area" else {}
    elif isinstance(kind, Number):
        given |= {"min_value": kind.low, "max_value": kind.high, "value": word.default, "step": kind.step}
    elif kind.drawn == "toggle":
        given |= {"value": word.default}
    else:
        given |= {"options": kind.options(shape), **more}
        first = None if word.automatic else kind.write(word.default)[0]
        if isinstance(kind, Heads):
            given |= {"max_selections": kind.most}
        elif kind.drawn == "select":
            given |= {"index": None if first is None else given["options"].index(first)}
        elif kind.drawn in ("segments", "pills"):
            given |= {"default": first, "required": True}
        elif kind.drawn == "tabs":
            given = {"tabs": given["options"], "default": first, "key": word.name, "bind": "query-params"}
    widget = getattr(place, WIDGETS[kind.drawn])
    again.note_in_popover(given["key"], widget)
    if named and word not in KEPT:
        return _draw_named(word, shape, widget, given | more)
    return widget(**(given | more))


def _draw_named(word: Word, shape: Shape, widget: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Draw a word whose options have other names on the page than in the link, and tell the address what it says.

    A bound widget would write the names that readers see into the link, whose words never change.
    """
    state, here = st.session_state, in_address()
    if word.name not in state:
        state[word.name] = held(word, word.read(here[word.name], shape)[0] if word.name in here else word.default)
    drawn = widget(**{name: value for name, value in given.items() if name not in ("bind", "default", "index")})
    value = state[word.name]
    told = [] if value is None or value == held(word, word.default) else _strings(value)
    if told != list(here.get(word.name, ())):
        change_address({word.name: told})
    return drawn


def _labelled(word: Word, kind: Choice, place: Any, shape: Shape, **more: Any) -> Any:
    """Draw a word whose options are read otherwise than the link says them; the address alone holds what it says.

    A widget that is bound would write its labels there. What an act has written stands in the visit's state until here.
    """
    state, key = st.session_state, f"{word.name}_by_label"
    if word.name in state:
        _say_in_address(word, state.pop(word.name))
    options = list(more.pop("options", None) or kind.options(shape))
    said = in_address().get(word.name, [])
    value = word.read(said, shape)[0] if said else word.default
    shown = {kind.named(option): option for option in options}
    state[key] = next((label for label, option in shown.items() if option == value), next(iter(shown)))
    again.note(key)

    def chosen() -> None:
        if state[key] in shown:
            _say_in_address(word, shown[state[key]])
        forget_link_notes()

    given = {"tabs" if kind.drawn == "tabs" else "options": list(shown), "key": key, "on_change": chosen}
    return getattr(place, WIDGETS[kind.drawn])(
        **({} if kind.drawn == "tabs" else {"label": word.label}), **given, **more
    )


def _say_in_address(word: Word, value: Any) -> None:
    """Let the address say a word; nothing for its default."""
    change_address({word.name: [] if value in (None, word.default) else word.write(value)})


def _shown(word: Word, then: Callable[[], Any], shape: Shape) -> dict[str, Any]:
    """Return what shows a kept word and writes it, and does ``then`` besides."""
    key = f"{word.name}_by_name"
    st.session_state[key] = _known(word, st.session_state[word.name], shape)

    def write() -> None:
        st.session_state[word.name] = _known(word, st.session_state[key], shape)
        then()

    return {"key": key, "bind": None, "on_change": write}


def _known(word: Word, value: Any, shape: Shape) -> Any:
    """Return what of a value its widget can show: maps from a file can have more heads and layers than the model."""
    if isinstance(word.kind, Heads):
        return [head for head in value if head in word.kind.options(shape)]
    return value if not isinstance(word.kind, LayerNumber) or value in word.kind.options(shape) else None


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


def said(page: type[Words]) -> Query:
    """Return what the bound widgets of a page say now, as the link has it; words that are not drawn say nothing."""
    found = {word.name: st.session_state.get(word.name) for word in page.table()}
    strings = {name: _strings(value) for name, value in found.items() if value is not None}
    return {name: values for name, values in strings.items() if values}


def now(page: type[Said], shape: Shape = ANY) -> Said:
    """Return what the bound widgets of a page say now, read as its link would be."""
    return page.read(said(page), shape)[0]


def _strings(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def mirror(
    widget: Callable[..., Any], label: str, options: Sequence[Any], key: str, shows: Any, write: Callable[[Any], None],
    **more: Any,
) -> Any:  # fmt: skip
    """Draw a widget that shows what a bound one says, and hands what is chosen in it to ``write``.

    A browser sends a choice by its label. One that is not among the options was of others, and nobody has chosen it.
    """
    st.session_state[key] = shows
    again.note(key)

    def chosen() -> None:
        value = st.session_state[key]
        if all(each in options for each in (value if isinstance(value, list) else [value]) if each is not None):
            write(value)

    return widget(label, options, key=key, on_change=chosen, **more)


def put(key: str, value: str) -> None:
    """Write a bound key before its widget is drawn; before its very first drawing the link has to be told as well."""
    if key not in st.session_state:
        st.query_params[key] = value
    st.session_state[key] = value


def into(key: str) -> Callable[[Any], None]:
    """Return what writes a bound key, for `mirror`."""
    return lambda value: st.session_state.__setitem__(key, value)


def write(choices: Words, fields: Sequence[str] = ()) -> None:
    """Write choices into their bound keys; of some fields only, if said."""
    for word in choices.table():
        if not fields or word.field in fields:
            value = getattr(choices, word.field)
            st.session_state[word.name] = list(value) if isinstance(value, tuple) else value
    forget_link_notes()


def write_link(before: Link, after: Link) -> None:
    """Write into the bound keys what is said otherwise in a link than in the one before it."""
    of_page = [(before.own, after.own)] if before.page == after.page else []
    for old, new in ((before.view, after.view), *of_page):
        for word in new.table():
            value = getattr(new, word.field)
            if value != getattr(old, word.field):
                st.session_state[word.name] = held(word, value)
    forget_link_notes()
