"""The sections of the page What may I conclude?, in their order."""

from __future__ import annotations

import streamlit as st

from mha import engine
from mha.examples import example_for
from mha.link.view import DEFAULT_TEXT
from mha.screens.about import texts
from mha.screens.about.numbers import directed
from mha.screens.about.versions import citation
from mha.screens.questions.texts import sources
from mha.ui.away import gathered
from mha.ui.components.captions import caption, definitions
from mha.ui.pages import page_link


def opening() -> None:
    """Draw what may be concluded, in two paragraphs."""
    gathered.heading("What may I conclude?", 1)
    caption(texts.NOT_EXPLANATIONS, key="about_not", style="answer")
    caption(texts.SAYS, key="about_says", style="answer")


def lessons() -> None:
    """Draw what lessons say beside what is measured here."""
    gathered.heading("What lessons say, and what is measured here")
    example = example_for(DEFAULT_TEXT)
    look = directed(engine.record(engine.Request(DEFAULT_TEXT)).maps, example.readings if example else None)
    for number, lesson in enumerate(texts.lessons(look)):
        with st.container(key=f"lesson_{number}"):
            said, measured = st.columns([2, 5], gap="large")
            with said:
                gathered.heading(f"“{lesson.said}”", 3)  # somebody else’s words, which what stands beside them corrects
            with measured:
                caption(lesson.measured, key=f"lesson_said_{number}", style="body")
                page_link(*lesson.pages, step=lesson.step)


def numbers() -> None:
    """Draw what each number means, with its formula and source."""
    gathered.heading("What each number means")
    caption(texts.UNITS, key="about_units", style="sub")
    for number, (title, entries) in enumerate(texts.numbers_entries().items()):
        if title:
            gathered.heading(title, 3)
        definitions(entries, f"about_numbers_{number}")


def origins() -> None:
    """Draw what toy, trained here, pretrained and the twins are."""
    gathered.heading("Where numbers come from")
    definitions(texts.origin_entries(), "about_origins")


def limits() -> None:
    """Draw the limits."""
    gathered.heading("Limits")
    st.markdown("\n".join(f"- {sentence}" for sentence in texts.limits()))


def versions() -> None:
    """Draw versions and licences of this program, its models and its libraries, and how to cite it."""
    gathered.heading("Versions, licences, how to cite")
    definitions(texts.version_entries(), "about_models", compact=True)
    gathered.heading("Libraries, as installed here", 3)
    definitions(texts.library_entries(), "about_libraries", compact=True)
    gathered.heading("How to cite", 3)
    st.code(citation(), language=None, wrap_lines=True)
    caption("With a number, cite the paper that its measure comes from, and name the model.", key="about_cite")
    gathered.heading("Sources", 3)
    st.markdown("\n".join(f"- {source.line}" for source in sources().values()))
