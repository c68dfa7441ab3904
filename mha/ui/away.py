"""Download on the pages that are not plain: files of the page as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from mha.app import downloads, share
from mha.readers.files import files_of, prints_of
from mha.screens.takings import Download
from mha.ui import reader


def button(title: str, page: str) -> None:
    """Draw the button that opens the dialog on a page, as it is said now."""
    if st.button("Download", key="take_away"):
        found = reader.read(page)
        source = share.of_page(title).citation.text.removesuffix(".") + "."
        downloads.dialog(title, source, _files(files_of(found)), _files(prints_of(found)), None)


def _files(groups: Mapping[str, Sequence[Download]]) -> dict[str, Sequence[downloads.FileDownload]]:
    return {
        name: [downloads.FileDownload(file.title, file.file, file.mime, file.of.made) for file in files]
        for name, files in groups.items()
    }
