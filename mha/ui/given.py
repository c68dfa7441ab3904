"""Fields in which readers give texts of their own, pasted or as a file; what was given is kept for the visit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mha.analysis.own_texts import own_readings, own_texts, template
from mha.engine.atlas import AtlasOfTexts
from mha.engine.jobs import Long
from mha.engine.own_readings import LeansOfTexts
from mha.errors import MHAError
from mha.screens.inputs import GivenTexts
from mha.ui import boundary, uploads, visitors
from mha.ui.component import caption

MEGABYTES = 1


@dataclass(frozen=True)
class Fields:
    """What the fields say, and what becomes of what is given: what is kept, what is measured, what has to be said."""

    title: str
    said: str
    paste: str
    press: str
    endings: tuple[str, ...]
    read: Callable[[str | bytes, bool], tuple[Any, Callable[[str], Long], tuple[str, ...]]]
    template: bool = False


def _texts(content: str | bytes, is_csv: bool) -> tuple[Any, Callable[[str], Long], tuple[str, ...]]:
    found = own_texts(content, is_csv)
    return found.texts, lambda model: AtlasOfTexts(model, found.texts), found.notes


def _readings(content: str | bytes, is_csv: bool) -> tuple[Any, Callable[[str], Long], tuple[str, ...]]:
    found = own_readings(content)
    return found, lambda model: LeansOfTexts(model, found.rows), ()


FIELDS = {
    "whole_own_texts": Fields(
        "Your sentences",
        "One text per line, or a CSV with a column “text”. Your texts are not stored. Texts over 128 tokens are "
        "skipped.",
        "Paste one text per line",
        "Measure these texts",
        ("txt", "csv"),
        _texts,
    ),
    "whole_own_readings": Fields(
        "Your sentences, each with an ambiguous word and two candidates",
        "A CSV with the columns text, pivot (the ambiguous word), a and b (the candidates). Give each word as it is "
        "written, or by its number from 0 where it occurs twice. Up to 200 sentences; they are not stored. For more, "
        "use python -m mha.engine.corpus.",
        "Paste lines of a CSV",
        "Measure these sentences",
        ("csv",),
        _readings,
        template=True,
    ),
}


def draw(block: GivenTexts) -> None:
    """Draw the fields, and take what is in them where that is asked for."""
    fields, name = FIELDS[block.name], block.name
    with st.expander(fields.title, expanded=name not in st.session_state):
        caption(fields.said, key=f"{name}_caption")
        if fields.template:
            st.download_button(
                "Download the template as CSV", template, file_name="parallax-readings-template.csv", mime="text/csv",
                on_click="ignore", type="tertiary",
            )  # fmt: skip
        pasted = st.text_area(fields.paste, key=f"{name}_pasted", height=120, max_chars=200_000)
        sent = uploads.field("Or a file of up to 1 MB", f"{name}_file", MEGABYTES, fields.endings)
        if st.button(fields.press, disabled=not (pasted.strip() or sent)):
            file = uploads.held(f"{name}_file")
            is_csv = sent is not None and file is not None and file.name.lower().endswith(".csv")
            _take(fields, block, pasted if sent is None else sent, is_csv)


def _take(fields: Fields, block: GivenTexts, content: str | bytes, is_csv: bool) -> None:
    try:
        kept, question, notes = fields.read(content, is_csv)
        question(block.model).begin(visitors.here())
    except MHAError as error:
        boundary.say(str(error))
        return
    for note in notes:
        boundary.say(note)
    st.session_state[block.name] = kept
