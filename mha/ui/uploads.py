"""A field for a file: while it stands on a visitor's page they may send one, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st
from streamlit.runtime import Runtime

from mha.ui import visitors

MEGABYTE = 1024 * 1024

_open: Callable[[str, int], None] = lambda _visitor, _most: None  # noqa: E731
_shut: Callable[[str], bool] = lambda _visitor: False  # noqa: E731
_drawn: ContextVar[list[str] | None] = ContextVar("fields_drawn", default=None)


def serve(open_for: Callable[[str, int], None], shut_for: Callable[[str], bool]) -> None:
    """Take what opens the way for a visitor's files of at most so many bytes, and what shuts it: see `mha.guard`."""
    global _open, _shut
    _open, _shut = open_for, shut_for


def field(label: str, key: str, megabytes: int, endings: Sequence[str]) -> bytes | None:
    """Draw a field for one file of at most so many megabytes and return what is in it, None where there is none."""
    _open(visitors.here() or visitors.NOBODY, megabytes * MEGABYTE)
    drawn = _drawn.get()
    if drawn is not None:
        drawn.append(key)
    file = st.file_uploader(label, type=list(endings), key=key, max_upload_size=megabytes)
    return None if file is None else file.getvalue()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a whole page inside; where it has no field, nothing may be sent, and what had been is let go of."""
    drawn: list[str] = []
    before = _drawn.set(drawn)
    try:
        yield
    finally:
        _drawn.reset(before)
        visitor = visitors.here() or visitors.NOBODY
        if not drawn and _shut(visitor) and Runtime.exists():
            Runtime.instance().uploaded_file_mgr.remove_session_files(visitor)
