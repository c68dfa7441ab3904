"""Which page explores a question: the first one of its list that the navigation has."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from mha.link.pages import PAGES, ROWS

HOME = PAGES[""].file  # every app has it

LINKS = {row.file: row.door for row in ROWS}


def page_link(*wanted: str, step: str = "", label: str = "", arrow: bool = True) -> None:
    """Draw the link to the first of these pages that the navigation has, else to Heads; nothing where there is none.

    The sentence and the model go along. ``step`` is where Step by step opens, with the toy's numbers; ``label`` stands
    in the place of what a link to that page says, without an ``arrow`` where there is to be none.
    """
    for page in (*wanted, HOME):
        at = {"steps_step": step, "steps_numbers": "toy"} if step and page == "steps.py" else None
        with suppress(StreamlitPageNotFoundError):
            icon: Any = {"icon": ":material/arrow_forward:", "icon_position": "right"} if arrow else {}
            st.page_link(page, label=label or LINKS[page], query_params=at, **icon)
            return
