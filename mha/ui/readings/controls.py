"""The bound controls of the readings page, and what a click writes into them. The link's words are their keys.

The page opens with the hungry dog: the sentence of all pages is the telescope until the reader chose one, and that is
not the one with most to say here. So the frame calls `open_with_the_dog` before the sentence is drawn. Once chosen
here, the telescope is no default any more: its link names its kind, and a link that says anything about readings is
taken as it is.
"""

from __future__ import annotations

import streamlit as st

from mha.examples import EXAMPLES
from mha.link.view import DEFAULT_TEXT
from mha.models.files.catalog import ModelRow
from mha.screens.readings.ambiguity import (
    ALL_KINDS,
    NONE,
    Ambiguity,
    Choices,
    carried_over,
    resolved,
    with_word,
    word_labels,
)
from mha.screens.readings.link import link_notes
from mha.screens.readings.options import MOST_NAME

TITLE = "Two readings"
DOG = "the hungry dog"
FRONT = (DOG, "the telescope", "he or she", "who was late")  # one example of each kind that has forced pairs
OPENING = next(example.sentence for example in EXAMPLES if example.label == DOG)
KEYS = {name: f"readings_{name}" for name in ("pivot", "a", "b", "cue", "contrast", "kind", "name_a", "name_b")}


def open_with_the_dog() -> None:
    """Put the opening sentence in the place of the default one, once, unless the link or the reader chose something."""
    if "readings_opened" in st.session_state:
        return
    st.session_state["readings_opened"] = True
    said = st.session_state.get("text", DEFAULT_TEXT)
    if said == DEFAULT_TEXT and not any(name == "text" or name.startswith("readings_") for name in st.query_params):
        _put("text", OPENING)


def examples_as() -> dict[str, str]:
    """Return the examples that stand here in other words than elsewhere: the dog has its full stop, as it opens."""
    return {DOG: OPENING}


def _put(key: str, value: str) -> None:
    """Write a bound key before its widget is drawn; before its very first drawing the link has to be told as well."""
    if key not in st.session_state:
        st.query_params[key] = value
    st.session_state[key] = value


def follow(text: str, row: ModelRow) -> tuple[str, ...]:
    """Make the choices fit this text before their widgets are drawn; return a sentence for each that does not.

    A link may name words that are not there; an edit keeps what stands where it stood.
    """
    state = st.session_state
    before: Ambiguity | None = state.get("readings_before")
    if before is None:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        state["readings_notes"] = (
            *resolved(text, _in_link()).notes,
            *link_notes(query, row.n_layers, row.n_heads),
        )
    elif before.text != text:
        choices, state["readings_notes"] = carried_over(before, now(), text)
        write(choices)
    if text == DEFAULT_TEXT and state.get(KEYS["kind"]) is None and KEYS["kind"] not in st.query_params:
        _put(KEYS["kind"], "attachment")
    return tuple(state["readings_notes"])


def _in_link() -> Choices:
    params = st.query_params
    return Choices(
        params.get(KEYS["pivot"]) or None,
        tuple(params.get_all(KEYS["a"])),
        tuple(params.get_all(KEYS["b"])),
        params.get(KEYS["cue"]) or None,
        kind=params.get(KEYS["kind"]),
        contrast=NONE,  # its sentences come from the widget, which takes any text
    )


def now() -> Choices:
    """Return what the bound widgets say."""
    state = {name: st.session_state.get(key) for name, key in KEYS.items()}
    return Choices(
        state["pivot"],
        tuple(state["a"] or ()),
        tuple(state["b"] or ()),
        state["cue"],
        state["contrast"] or "",
        state["kind"],
        state["name_a"] or "",
        state["name_b"] or "",
    )


def write(choices: Choices) -> None:
    """Write choices into the bound keys."""
    values = {"a": list(choices.a), "b": list(choices.b)}
    for name, key in KEYS.items():
        st.session_state[key] = values.get(name, getattr(choices, name))


def draw(text: str) -> Choices:
    """Draw the popover in which every choice is a box, the way for keyboards and screen readers; return the choices."""
    labels, own = word_labels(text), resolved(text, Choices())
    with st.popover("Change the readings", width="stretch"):
        _word_box("Pivot: the word that can be taken in two ways", "pivot", labels, own)
        for letter in "AB":
            role = letter.lower()
            partners = ", ".join(own.label(number) for number in (own.a if role == "a" else own.b))
            st.multiselect(
                f"Reading {letter}: the pivot goes with",
                labels,
                key=KEYS[role],
                placeholder=partners or "not chosen",
                bind="query-params",
                on_change=forget_notes,
            )
            st.text_input(
                f"Name of reading {letter}",
                value="",
                key=KEYS[f"name_{role}"],
                max_chars=MOST_NAME,
                placeholder=own.names["AB".index(letter)] or "its words",
                bind="query-params",
            )
        _word_box("Cue: the word that decides", "cue", [*labels, NONE], own)
        st.text_input(
            "Contrast: the same sentence with another cue, or none",
            value="",
            key=KEYS["contrast"],
            max_chars=2000,
            placeholder=own.contrast.text if own.contrast else "not chosen",
            bind="query-params",
        )
        st.selectbox(
            "Kind of ambiguity", ALL_KINDS, index=None, key=KEYS["kind"], placeholder=own.kind, bind="query-params"
        )
        st.button("As the example has them", on_click=write, args=(Choices(),), disabled=own.pivot is None)
    return now()


def _word_box(label: str, role: str, options: list[str], own: Ambiguity) -> None:
    number = getattr(own, role)
    st.selectbox(
        label,
        options,
        index=None,
        key=KEYS[role],
        placeholder="not chosen" if number is None else own.label(number),
        bind="query-params",
        on_change=forget_notes,
    )


def kind_picker(kind: str) -> None:
    """Draw the kind beside the contrast; it mirrors the bound box."""
    st.session_state["readings_kind_shown"] = kind
    st.selectbox("Kind", ALL_KINDS, key="readings_kind_shown", on_change=_kind_chosen)


def _kind_chosen() -> None:
    st.session_state[KEYS["kind"]] = st.session_state["readings_kind_shown"]


def forget_notes() -> None:
    """What a link or an edit got wrong is old news once the reader has chosen something else."""
    st.session_state["readings_notes"] = ()


def role_clicked(ambiguity: Ambiguity, role: str, number: int) -> None:
    """Give a word a role; the cue a second time takes it away."""
    label = ambiguity.label(number)
    if role in ("a", "b"):
        st.session_state[KEYS[role]] = [label]
    else:
        st.session_state[KEYS[role]] = NONE if role == "cue" and ambiguity.cue == number else label
    forget_notes()


def word_changed(ambiguity: Ambiguity, number: int, other: str) -> None:
    """Make the contrast: the sentence with one word replaced."""
    st.session_state[KEYS["contrast"]] = with_word(ambiguity.text, number, other)


def contrast_dropped() -> None:
    """Compare without a contrast."""
    st.session_state[KEYS["contrast"]] = NONE


def open_the_dog() -> None:
    """Take the sentence with most to say."""
    st.session_state["text"] = OPENING
