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

from mha.examples import DOG, OPENS_TWO_READINGS, examples
from mha.link.kinds import NONE
from mha.link.readings import ALL_KINDS, MOST_NAME, TABS, Choices, opens_by_itself
from mha.link.view import DEFAULT_TEXT
from mha.screens.readings.ambiguity import Ambiguity, carried_over, resolved, word_labels
from mha.screens.readings.contrasts import with_word
from mha.ui import bound

TITLE = "Two readings"
FRONT = (DOG, "he or she", "the telescope", "who was late")  # one of each kind with forced pairs; those that pass first
ROLES = (
    "pivot",
    "a",
    "b",
    "cue",
    "contrast",
    "forces",
    "word_a",
    "word_b",
    "kind",
    "name_a",
    "name_b",
)  # what makes an ambiguity of a text
KIND, TAB = Choices.of("kind").name, Choices.of("tab").name


def start_with_example() -> None:
    """Put the opening sentence in the place of the default one, once, unless the link or the reader chose something.

    The page opens on where heads look; a link that says something of the page but names no tab means what its word's
    default says, as it always did.
    """
    if "readings_opened" in st.session_state:
        return
    st.session_state["readings_opened"] = True
    said = st.session_state.get("text", DEFAULT_TEXT)
    asked = any(name in ("text", TAB) or name.startswith("readings_") for name in st.query_params)
    asked = asked or any(note.startswith(f"In this link, {TAB}: ") for note in st.session_state.get("link_notes", ()))
    cold = "example_front" not in st.session_state  # nothing was drawn yet: whoever comes now comes by the address
    if said == DEFAULT_TEXT and opens_by_itself(bound.in_address()):
        _put("text", OPENS_TWO_READINGS)
    if not (cold and asked):
        _put(TAB, TABS[0])


def examples_as() -> dict[str, str]:
    """Return the examples as they stand here: with their full stop, as the forced pairs have theirs."""
    return {example.label: example.sentence for example in examples() if example.readings}


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
        box("forces", own.contrast.forces if own.contrast else None)
        for role, second in zip(("word_a", "word_b"), own.seconds, strict=True):
            box(role, second or None)
        box("kind", own.kind)
        st.button("As the example has them", on_click=write, args=(Choices(),), disabled=own.pivot is None)
    return now()


def kind_picker(found: Ambiguity) -> None:
    """Draw the kind beside the contrast, and whether it is a guess; it mirrors the bound box."""
    label = "Kind, guessed" if found.guessed else "Kind"
    bound.mirror(st.selectbox, label, ALL_KINDS, "readings_kind_shown", found.kind, bound.into(KIND))


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
    """Make the contrast: the sentence with one word replaced; what it forces, and second words, are asked for anew."""
    _put_contrast(with_word(ambiguity.text, number, other))


def drop_contrast() -> None:
    """Compare without a contrast."""
    _put_contrast(NONE)


def take_own_contrast() -> None:
    """Take the contrast that the example brings."""
    _put_contrast("")


def _put_contrast(text: str) -> None:
    state = st.session_state
    state[Choices.of("contrast").name] = text
    state[Choices.of("forces").name] = None
    for side in ("word_a", "word_b"):
        state[Choices.of(side).name] = ""


def say_what_it_forces(letter: str) -> None:
    """Keep what the reader says the other version forces, "A" or "B"."""
    st.session_state[Choices.of("forces").name] = letter
    forget_notes()


def give_second_word(side: str, second: str) -> None:
    """Keep a second word for reading "a" or "b"; nothing leaves it out."""
    st.session_state[Choices.of(f"word_{side}").name] = second.strip()[:MOST_NAME] or NONE
    forget_notes()


def take_opening_example() -> None:
    """Take the example that this page opens with, the one with most to say."""
    st.session_state["text"] = OPENS_TWO_READINGS
