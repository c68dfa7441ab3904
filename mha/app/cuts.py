"""Cut links of a page: the parameter ``cut`` of the link, the callback of an arc, a button for each cut, downloads."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

import streamlit as st

from mha.app import answers, downloads, link
from mha.app.errors import say
from mha.app.params import PAGES
from mha.cuts import MOST_CUTS, Cut
from mha.errors import InputError
from mha.export.tables import Table
from mha.formats import markdown
from mha.intervention.outcomes import NextWords
from mha.models.files.rows import ModelRow
from mha.views import cuts, models

T = TypeVar("T")


def with_cuts(model_run: Callable[[tuple[Cut, ...]], T]) -> T:
    """Return the result of a model with the links of the address cut; impossible ones leave it with one sentence.

    Raises:
        InputError: the text is refused with no link cut, too.
    """
    cuts_of_link = tuple(map(Cut.of, st.session_state["cut"]))
    with suppress(InputError):
        return model_run(cuts_of_link)
    possible: tuple[Cut, ...] = ()
    result, reason = model_run(possible), ""
    for cut in cuts_of_link:
        try:
            result = model_run((*possible, cut))
            possible = (*possible, cut)
        except InputError as error:
            reason = str(error)
    link.restrict("cut", [str(cut) for cut in possible], markdown(reason))  # later runs show it above the page
    say(reason)
    return result


def cut_prediction(prediction: NextWords, model: ModelRow) -> NextWords:
    """Return next words with the links of the address cut; impossible ones leave it with one sentence."""
    if not st.session_state["cut"]:
        return prediction

    def cut_words(cut: tuple[Cut, ...]) -> NextWords:
        if cut and model.two_sided:
            raise InputError(f"Links of {model.short} cannot be cut here: the word is predicted in its decoder.")
        return answers.cut_words(prediction, st.session_state["text"], model.name, cut) if cut else prediction

    return with_cuts(cut_words)


def toggle(name: str) -> None:
    """Callback: cut a link or restore it, and show its head; the oldest of more than four is restored."""
    names = st.session_state["cut"]
    changed = [cut for cut in names if cut != name] if name in names else [*names, name][-MOST_CUTS:]
    link.set_value("cut", changed)
    if "head" in PAGES[st.session_state["link_page"]].model_fields:
        link.set_value("head", str(Cut.of(name).head))


def draw_buttons(result: cuts.WithCuts) -> None:
    """Draw a button for each cut, which restores the link."""
    if result.cut:
        with st.container(horizontal=True, gap="small", key="cuts"):
            for name, label in cuts.labels(result).items():
                st.button(f"{label} ×", key=f"cut_{name}", on_click=toggle, args=(name,))


def download_button(title: str, prediction: NextWords, model: ModelRow, tables: dict[str, Callable[[], Table]]) -> None:
    """Draw the button that downloads tables and pictures of a page, which name its ablated heads and its cuts."""
    if prediction.cut:
        tables = {**tables, "Next words with links cut": partial(cuts.table, prediction, model)}
    downloads.button(title, cuts.source_text(prediction, prediction.ablated) + models.origin(model), tables)
