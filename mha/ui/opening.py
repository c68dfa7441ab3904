"""What Two readings opens with: the hungry dog, and its own examples.

The sentence of all pages is the telescope until the reader chose one, and that is not the one with most to say here.
So the frame calls `start_with_example` before the sentence is drawn. Once chosen here, the telescope is no default any
more: its link names its kind, and a link that says anything about readings is taken as it is.
"""

from __future__ import annotations

import streamlit as st

from mha.examples import DOG, OPENS_TWO_READINGS, examples
from mha.link.readings import TABS, ReadingsWords, opens_by_itself
from mha.link.view import DEFAULT_TEXT
from mha.ui import bound

PAGE = "readings"
FRONT = (DOG, "he or she", "the telescope", "who was late")  # one of each kind with forced pairs; those that pass first
TAB = ReadingsWords.of("tab").name


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
    asked = asked or any(
        note.startswith(f"Problem in this link: {TAB} ") for note in st.session_state.get("link_notes", ())
    )
    cold = "example_front" not in st.session_state  # nothing was drawn yet: whoever comes now comes by the address
    if said == DEFAULT_TEXT and opens_by_itself(bound.in_address()):
        st.session_state["text"] = OPENS_TWO_READINGS
    if not (cold and asked):
        st.session_state[TAB] = TABS[0]


def examples_as() -> dict[str, str]:
    """Return the examples as they stand here: with their full stop, as the forced pairs have theirs."""
    return {example.label: example.sentence for example in examples() if example.readings}
