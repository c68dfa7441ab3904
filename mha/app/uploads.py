"""A field for one file, with the largest size that it accepts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.app import errors
from mha.streamlit_facts import DeletedFile, UploadedFile

MEGABYTE = 1024 * 1024
LARGE = "This file is too large: this field accepts up to {} MB."
GONE = "Your file is no longer here: the connection to the server was lost meanwhile. Please choose it again."


def field_file(key: str) -> UploadedFile | None:
    """Return the file of a field that may follow later on the page, or None if it has none."""
    file = st.session_state.get(key)
    return file if isinstance(file, UploadedFile) else None


def field(label: str, key: str, megabytes: int, endings: Sequence[str]) -> bytes | None:
    """Draw a field for one file of at most so many megabytes; return its content, or None if it has none.

    The browser checks the size of the field; the server accepts the largest size of all fields on its route, so a file
    that another client sends is checked again here.
    """
    st.file_uploader(label, type=list(endings), key=key, max_upload_size=megabytes)
    if isinstance(st.session_state.get(key), DeletedFile):
        errors.say(GONE)
    file = field_file(key)
    if file is not None and file.size > megabytes * MEGABYTE:
        errors.say(LARGE.format(megabytes))
        return None
    return None if file is None else file.getvalue()
