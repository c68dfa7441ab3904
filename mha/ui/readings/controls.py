"""The bound controls of the readings page, and what writes into them. The link's words are their keys.

The page opens with the hungry dog: the sentence of all pages is the telescope until the reader chose one, and that is
not the one with most to say here. So the frame calls `start_with_example` before the sentence is drawn. Once chosen
here, the telescope is no default any more: its link names its kind, and a link that says anything about readings is
taken as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mha.examples import EXAMPLES
from mha.link.readings import ALL_KINDS, Choices
from mha.link.view import DEFAULT_TEXT
from mha.link.word import NONE
from mha.screens.readings.ambiguity import Ambiguity, carried_over, resolved, with_word, word_labels
from mha.ui import bound

TITLE = "Two readings"
DOG = "the hungry dog"
FRONT = (DOG, "the telescope", "he or she", "who was late")  # one example of each kind that has forced pairs
OPENING = next(example.sentence for example in EXAMPLES if example.label == DOG)
ROLES = ("pivot", "a", "b", "cue", "contrast", "kind", "name_a", "name_b")  # what makes an ambiguity of a text
KIND = Choices.of("kind").name


def start_with_example() -> None:
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


def follow(text: str) -> tuple[str, ...]:
    """Make the choices fit this text before their widgets are drawn; return a sentence for each that does not.

    A link may name words that are not there; an edit keeps what stands where it stood.
    """
    state = st.session_state
    before: Ambiguity | None = state.get("readings_before")
    if before is None:
        asked, _ = Choices.read(bound.in_address(), bound.shape())
        state["readings_notes"] = resolved(text, replace(asked, contrast=NONE)).notes  # the widget takes any contrast
    elif before.text != text:
        choices, state["readings_notes"] = carried_over(before, now(), text)
        write(choices)
    if text == DEFAULT_TEXT and state.get(KIND) is None and KIND not in st.query_params:
        _put(KIND, "attachment")
    return tuple(state["readings_notes"])


def now() -> Choices:
    """Return what the bound widgets say."""
    return bound.now(Choices, bound.shape())


def write(choices: Choices) -> None:
    """Write what makes an ambiguity into the bound keys."""
    bound.write(choices, ROLES)


def draw(text: str) -> Choices:
    """Draw the popover in which every choice is a box, the way for keyboards and screen readers; return the choices."""
    labels, own = word_labels(text), resolved(text, Choices())

    def box(role: str, empty: str | None, **more: Any) -> None:
        bound.draw(Choices.of(role), placeholder=empty or "not chosen", on_change=forget_notes, **more)

    def label(number: int | None) -> str | None:
        return None if number is None else own.label(number)

    with st.popover("Change the readings", width="stretch"):
        box("pivot", label(own.pivot), options=labels)
        for role, partners, name in (("a", own.a, own.names[0]), ("b", own.b, own.names[1])):
            box(role, ", ".join(map(own.label, partners)), options=labels)
            box(f"name_{role}", name or "its words")
        box("cue", label(own.cue), options=[*labels, NONE])
        box("contrast", own.contrast.text if own.contrast else None)
        box("kind", own.kind)
        st.button("As the example has them", on_click=write, args=(Choices(),), disabled=own.pivot is None)
    return now()


def kind_picker(kind: str) -> None:
    """Draw the kind beside the contrast; it mirrors the bound box."""
    bound.mirror(st.selectbox, "Kind", ALL_KINDS, "readings_kind_shown", kind, bound.into(KIND))


def forget_notes() -> None:
    """What a link or an edit got wrong is old news once the reader has chosen something else."""
    st.session_state["readings_notes"] = ()
    bound.forget_link_notes()


def give_role(ambiguity: Ambiguity, role: str, number: int) -> None:
    """Give a word a role; the cue a second time takes it away."""
    label = ambiguity.label(number)
    again = role == "cue" and ambiguity.cue == number
    st.session_state[Choices.of(role).name] = [label] if role in ("a", "b") else NONE if again else label
    forget_notes()


def change_word(ambiguity: Ambiguity, number: int, other: str) -> None:
    """Make the contrast: the sentence with one word replaced."""
    st.session_state[Choices.of("contrast").name] = with_word(ambiguity.text, number, other)


def drop_contrast() -> None:
    """Compare without a contrast."""
    st.session_state[Choices.of("contrast").name] = NONE


def open_the_dog() -> None:
    """Take the sentence with most to say."""
    st.session_state["text"] = OPENING
