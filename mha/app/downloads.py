"""Download: a dialog with the numbers of a page, each with its source, its figures for print, its pictures, and a file
of the page if it has one.

Files are made when they are asked for. The browser makes the pictures.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from mha.app import errors
from mha.app.components import component
from mha.export.tables import FORMATS, Format, Table
from mha.views import heads_text
from mha.views.heads import HeadsCase
from mha.views.heads_file import heads_file

PRINT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
PAGE_FILE = "One file for a lesson: it opens offline and on phones, and prints on A4."


@dataclass(frozen=True)
class FileDownload:
    """A file: the text of its button, its name and type, and the function that makes it."""

    title: str
    file: str
    mime: str
    make: Callable[[], bytes | str]


@dataclass(frozen=True)
class Files:
    """The files of a page: its numbers and its figures for print, in several formats each, and the page as one file."""

    numbers: Mapping[str, Sequence[FileDownload]]
    prints: Mapping[str, Sequence[FileDownload]] = field(default_factory=dict)
    page: FileDownload | None = None


def file_name(title: str) -> str:
    """Return a title as a name of a file: small letters and digits with hyphens, at most 48 characters."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower())[:48].strip("-")


def table_files(name: str, make: Callable[[], Table]) -> tuple[FileDownload, ...]:
    """Return a table in every format."""
    file = f"parallax-{file_name(name)}"
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


def heads_files(name: str, make_case: Callable[[], HeadsCase]) -> Files:
    """Return the files of a case of Heads; each computes the case again, so that an open dialog keeps no maps."""
    case = make_case()

    def make(function: Callable[[HeadsCase], Any], *path: Any) -> Callable[..., Any]:
        return partial(_of_case, make_case, function, path)

    tables = {"Every head in numbers": table_files("Every head in numbers", make(heads_text.statistics))}
    weights = [
        FileDownload(*row[:3], make(heads_text.weight_files, number, 3))
        for number, row in enumerate(heads_text.weight_files(case))
    ]
    return Files(
        {**(tables if case.recorded.kind == "self" else {}), "All weights, nothing excluded": weights},
        {title: print_files(title, make(heads_text.print_figures, title)) for title in heads_text.print_figures(case)},
        FileDownload("HTML", f"parallax-{name}.html", "text/html", make(heads_file)),
    )


def _of_case(
    make_case: Callable[[], HeadsCase], function: Callable[[HeadsCase], Any], path: Sequence[Any], *arguments: Any
) -> Any:
    """Return a file of a case; ``path`` leads from the result of ``function`` to the file or to its own function."""
    value = function(make_case())
    for step in path:
        value = value[step]
    return value(*arguments) if callable(value) else value


def button(
    title: str,
    source: str,
    tables: Mapping[str, Callable[[], Table]] | None = None,
    files: Callable[[], Files] | None = None,
) -> None:
    """Draw the button, whose dialog has a page's tables or other ``files``, made when it opens.

    ``source`` is printed below each picture. ``tables`` makes the tables by their titles.
    """
    if st.button("Download", key="download"):  # style sheets place it in the bar
        make_files = files or (lambda: Files({name: table_files(name, make) for name, make in (tables or {}).items()}))
        dialog(title, source, make_files)


@st.dialog("Download", width="medium")
@errors.error_boundary()
def dialog(title: str, source: str, make_files: Callable[[], Files]) -> None:
    """Draw the dialog with its files; the browser draws the list of pictures last, with its heading."""
    files = make_files()
    if files.page is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(PAGE_FILE)
            _file_button(files.page)
    if files.prints:
        st.caption("Figures for print (vector, in millimetres)")
        _draw_files(files.prints)
    if files.numbers:
        st.caption("Data (with source)")
        _draw_files(files.numbers)
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
