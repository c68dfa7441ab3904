"""Controls that pages share: the text and the model, examples, guess first, tabs, and the end of a refused page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.app import components, errors, link
from mha.formats import markdown
from mha.models.files.catalog import hindrance, offered_on_pages
from mha.views import models
from mha.words import MAX_CHARACTERS

GUESS = "guess_first"  # the key of the text and the guess in the session state


def restrict_model() -> dict[str, str]:
    """Drop a model of a link that is not on offer, with one sentence; return the titles of those that are."""
    titles, model = {row.name: row.title for row in offered_on_pages()}, st.session_state["model"]
    if model not in titles:
        link.restrict("model", titles, hindrance(model))
    return titles


def text_and_model(
    *reset_on_text: str,
    reset_on_model: tuple[str, ...] = (),
    second: str = "",
    on_text: Callable[[], None] | None = None,
    has_text: bool = True,
    has_model: bool = True,
) -> None:
    """Draw the text and the model; parameters that belong to the old text or model go back to their defaults.

    ``second`` is the label of the field for a second text, if the page has one. ``on_text`` is called
    instead of resetting those of the text. A page with its own model, or with numbers of no text, lacks one of the two.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="of_the_view"):
        if has_text:
            st.text_area(
                "Your text", key="text", max_chars=MAX_CHARACTERS, height="content", on_change=on_text or link.reset,
                args=() if on_text else reset_on_text,
            )  # fmt: skip
        if second:
            st.text_area(second, key="second", max_chars=MAX_CHARACTERS, height="content")
        if has_model:
            titles = restrict_model()
            st.selectbox(
                "Model", titles, key="model", format_func=titles.__getitem__, on_change=link.reset,
                args=reset_on_model, width="stretch" if has_text else 340,
            )  # fmt: skip


def examples(values: Mapping[str, Mapping[str, Any]], *reset_on_text: str, n_first: int | None = None) -> None:
    """Draw a row of examples by their labels.

    A click sets the example's parameters and resets ``reset_on_text``. Examples after the first ``n_first`` are behind
    *More*.
    """
    state, labels = st.session_state, list(values)
    matches = (label for label, example in values.items() if all(state[name] == example[name] for name in example))
    current = next(matches, None)

    def pills(name: str, options: list[str], field: str) -> None:
        selected = current if current in options else None
        number = state.get(f"{field}_number", 0)
        if state.get(f"{field}_{number}") != selected:
            number += 1  # another key: a browser that has not heard of this run still sends the former example
        key = f"{field}_{number}"
        state[f"{field}_number"], state[key] = number, selected
        st.pills(
            name,
            options,
            key=key,
            label_visibility="collapsed",
            on_change=_open_example,
            args=(field, number, values, reset_on_text),
        )

    pills("Examples", labels[:n_first], "example")
    if n_first is not None:
        more = st.popover("More", key="more_examples", on_change="rerun")
        if more.open:
            with more:
                pills("More examples", labels[n_first:], "further_example")


def guess_first(question: str, guesses: Sequence[tuple[str, str]] = (), text: str = "") -> None:
    """Draw a question for the class and the button that shows the results, and end the page.

    ``guesses`` are labels and values of buttons that show the results, too; `guess_of` returns the value for ``text``.
    """
    components.finding(question)
    with st.container(horizontal=True, gap="small", key="guesses"):
        for label, value in guesses:
            st.button(markdown(label), key=f"guess_{value}", on_click=_guess, args=(text, value))
        st.button("Show results", type="primary", on_click=_guess, args=(text, ""))
    st.stop()


def guess_of(text: str) -> str:
    """Return the visitor's guess for a text, or ""."""
    guess_text, guess = st.session_state.get(GUESS, ("", ""))
    return str(guess) if guess_text == text else ""


def _guess(text: str, value: str) -> None:
    st.session_state[GUESS] = text, value
    link.set_value("reveal", "1")


def tabs(name: str, options: Mapping[str, str], choice: str) -> Any:
    """Draw tabs, values with their labels, and return the open one; only the visitor's choice goes to the link."""
    labels, key = list(options.values()), f"pick_{name}"
    st.session_state[key] = options[choice]
    containers = st.tabs(labels, key=key, on_change=_pick_tab, args=(name, key, tuple(options.items())))
    return containers[list(options).index(choice)]


def _pick_tab(name: str, key: str, options: tuple[tuple[str, str], ...]) -> None:
    link.set_value(name, next(value for value, label in options if label == st.session_state[key]))


def pick(label: str, name: str, options: Mapping[Any, str], choice: Any) -> None:
    """Draw a select box of values with their names that shows a choice; only the visitor's choice goes to the link."""
    key = f"pick_{name}"
    st.session_state[key] = choice
    st.selectbox(label, list(options), key=key, format_func=options.__getitem__, on_change=_pick, args=(name, key))


def _pick(name: str, key: str) -> None:
    link.set_value(name, st.session_state[key])


def end(reason: str, offers_smollm2: bool = False) -> None:
    """Draw why the page has no result, perhaps a button that takes SmolLM2, and damaged files, and end the page."""
    components.finding(reason)
    if offers_smollm2 and models.is_offered("smollm2"):
        st.button("Use SmolLM2", on_click=link.set_value, args=("model", "smollm2"))
    errors.say_kept()  # the frame draws nothing after `st.stop`
    st.stop()


def _open_example(
    field: str, number: int, values: Mapping[str, Mapping[str, Any]], reset_on_text: tuple[str, ...]
) -> None:
    is_current = number == st.session_state[f"{field}_number"]
    label = st.session_state[f"{field}_{number}"] if is_current else None
    if label is not None:
        link.reset(*reset_on_text)
        link.set_values(values[label])
