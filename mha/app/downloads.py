"""Download: a dialog with the tables of a page, each with its source, and its pictures, which the browser makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from mha.app import errors
from mha.app.components import component
from mha.export.tables import FORMATS, Format, Table


def button(title: str, source: str, tables: Mapping[str, Callable[[], Table]]) -> None:
    """Draw the button; ``source`` is printed below each picture, ``tables`` makes the tables by their titles."""
    with st.container(key="bar_download"):
        if st.button("Download", key="take_away"):
            _dialog(title, source, dict(tables))


def _write(how: Format, make: Callable[[], Table]) -> bytes:
    return how.write(make())


@st.dialog("Download", width="medium")
@errors.shown()
def _dialog(title: str, source: str, tables: dict[str, Callable[[], Table]]) -> None:
    st.caption("Data (with source)")
    for name, make in tables.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(name)
            for how in FORMATS:
                st.download_button(
                    how.title, partial(_write, how, make), on_click="ignore", type="tertiary",
                    file_name=f"parallax-{name.lower().replace(' ', '-')}.{how.ending}", mime=how.mime,
                    key=f"download_{name}_{how.ending}",
                )  # fmt: skip
    st.caption("Pictures (as shown now)")
    component("away", "away/away.js", "away")(
        key="pictures",
        data={"title": title, "source": f"{source} Made with Parallax.", "offersPage": ""},
        on_page_change=lambda: None,
    )
