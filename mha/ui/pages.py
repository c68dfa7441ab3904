"""Which page explores a question: the first one of its list that the navigation has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

HOME = "heads.py"  # every app has it

# file of a page: what its link says
LINKS: Mapping[str, str] = {
    "heads.py": "Look at every head of your sentence",
    "readings.py": "Compare two readings, with their controls",
    "compare.py": "Change a word and see which heads move",
    "steps.py": "Walk it step by step",
    "training.py": "Watch heads learn it",
    "questions.py": "Train one head and two, in the question on one head",
    "atlas.py": "See all heads of the model beside each other",
}


def destination(wanted: Sequence[str], registered: Collection[str]) -> str:
    """Return the first page of ``wanted`` that is registered, else the Heads page.

    >>> destination(["steps.py", "heads.py"], {"heads.py"})
    'heads.py'
    """
    return next((page for page in wanted if page in registered), HOME)


def registered() -> frozenset[str]:
    """Return the files of the pages that this run's navigation has, without their folder."""
    context = get_script_run_ctx()
    pages = context.pages_manager.get_pages().values() if context else ()
    return frozenset(Path(page["script_path"]).name for page in pages)


def page_link(*wanted: str, step: str = "") -> None:
    """Draw the link to the first of these pages that there is; the sentence and the model go along.

    ``step`` is where Step by step opens, with the toy's numbers.
    """
    there = registered()
    page = destination(wanted, there)
    if page in there:
        at = {"steps_step": step, "steps_numbers": "toy"} if step and page == "steps.py" else None
        st.page_link(page, label=LINKS[page], icon=":material/arrow_forward:", icon_position="right", query_params=at)
