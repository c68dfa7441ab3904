"""Download: a dialog with the numbers of a page, each with its source, its figures for print, its pictures, and a file
of the page if it has one.

Files are made when they are asked for. The browser makes the pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from mha.app import errors
from mha.app.components import component
from mha.export.tables import FORMATS, Format, Table

PRINT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
PAGE_FILE = "One file for a lesson: it opens offline and on phones, and prints on A4."


@dataclass(frozen=True)
class FileDownload:
    """A file: the text of its button, its name and type, and the function that makes it."""

    title: str
    file: str
    mime: str
    make: Callable[[], bytes | str]


def table_files(name: str, make: Callable[[], Table]) -> tuple[FileDownload, ...]:
    """Return a table in every format."""
    file = f"parallax-{name.lower().replace(' ', '-')}"
    return tuple(
        FileDownload(row.title, f"{file}.{row.ending}", row.mime, partial(_write, row, make)) for row in FORMATS
    )


def print_files(name: str, make: Callable[[str], bytes]) -> tuple[FileDownload, ...]:
    """Return a figure for print in every format; ``make`` returns its bytes for an ending."""
    file = f"parallax-{name.split(' ')[0].lower()}"
    return tuple(
        FileDownload(ending.upper(), f"{file}.{ending}", mime, partial(make, ending))
        for ending, mime in PRINT_TYPES.items()
    )


def of_case(make_case: Callable[[], Any], function: Callable[[Any], Any], *path: Any) -> Callable[..., Any]:
    """Return a function that makes a file of a page's case, which it computes again: an open page keeps no maps.

    ``path`` leads from the result of ``function`` to the file or to its own function.
    """
    return partial(_of_case, make_case, function, path)


def _of_case(make_case: Callable[[], Any], function: Callable[[Any], Any], path: Sequence[Any], *arguments: Any) -> Any:
    value = function(make_case())
    for step in path:
        value = value[step]
    return value(*arguments) if callable(value) else value


def button(
    title: str,
    source: str,
    tables: Mapping[str, Callable[[], Table]],
    files: Mapping[str, Sequence[FileDownload]] | None = None,
    prints: Mapping[str, Sequence[FileDownload]] | None = None,
    page: FileDownload | None = None,
) -> None:
    """Draw the button.

    ``source`` is printed below each picture. ``tables`` makes the tables by their titles; ``files`` has further numbers
    and ``prints`` figures for print, each as files in several formats. ``page`` is the page as one file.
    """
    numbers = {name: table_files(name, make) for name, make in tables.items()} | dict(files or {})
    with st.container(key="bar_download"):
        if st.button("Download", key="take_away"):
            dialog(title, source, numbers, dict(prints or {}), page)


@st.dialog("Download", width="medium")
@errors.error_boundary()
def dialog(
    title: str,
    source: str,
    numbers: Mapping[str, Sequence[FileDownload]],
    prints: Mapping[str, Sequence[FileDownload]],
    page: FileDownload | None,
) -> None:
    """Draw the dialog with its files; the list of pictures is last, since it arrives a moment later."""
    if page is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(PAGE_FILE)
            _file_button(page)
    if prints:
        st.caption("Figures for print (vector, in millimetres)")
        _draw_files(prints)
    st.caption("Data (with source)")
    _draw_files(numbers)
    if not numbers:
        st.text("No data on this page yet.")
    st.caption("Pictures (as shown now)")
    component("export", "export/export.js", "export")(
        key="pictures", data={"title": title, "source": f"{source} Made with Parallax."}
    )


def _draw_files(groups: Mapping[str, Sequence[FileDownload]]) -> None:
    for name, files in groups.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(name)
            for file in files:
                _file_button(file)


def _file_button(file: FileDownload) -> None:
    st.download_button(
        file.title, file.make, file_name=file.file, mime=file.mime, on_click="ignore", type="tertiary",
        key=f"download_{file.file}",
    )  # fmt: skip


def _write(table_format: Format, make: Callable[[], Table]) -> bytes:
    return table_format.write(make())
