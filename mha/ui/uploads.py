"""A field for a file: while it stands on a visitor's page they may send one, and only then.

Streamlit's session keeps its own objects of a file for longer than its page is open, and with them its bytes: where the
guard has a file removed they are closed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from mha.streamlit_facts import DeletedFile, UploadedFile, forget_file
from mha.ui import boundary, visitors

MEGABYTE = 1024 * 1024
PAGE = "uploads_page"  # which page was drawn last
GONE = "Your file is no longer here: the connection to the server was lost meanwhile. Please choose it again."

_open: Callable[[str, int], None] = lambda _visitor, _most: None  # noqa: E731
_tell: Callable[[str, Collection[str], bool], None] = lambda _visitor, _held, _fields: None  # noqa: E731
_objects: dict[str, list[weakref.ref[UploadedFile]]] = {}  # by visitor: what a session keeps of files
_drawn: ContextVar[list[str] | None] = ContextVar("fields_drawn", default=None)


def serve(open_for: Callable[[str, int], None], tell: Callable[[str, Collection[str], bool], None]) -> None:
    """Take what opens the way for a visitor's files of at most so many bytes, and what hears which ones are held.

    The second hears, once a page is drawn whole, the names of the files in its fields and whether it has a field at
    all: see `mha.guard.uploads`.
    """
    global _open, _tell
    _open, _tell = open_for, tell


def forget(visitor: str, file: str) -> None:
    """Remove the bytes of a visitor's file, by its name."""
    forget_file(visitor, file)
    for known in _objects.pop(visitor, []):
        if (found := known()) is not None and found.file_id == file:
            found.close()
        elif found is not None:
            _objects.setdefault(visitor, []).append(known)


def held(key: str) -> UploadedFile | None:
    """Return the file in a field that may not be drawn yet, None where there is none or it is no longer here."""
    file = st.session_state.get(key)
    if not isinstance(file, UploadedFile) or file.closed:
        return None
    visitor = visitors.name()
    known = [other for other in _objects.get(visitor, []) if other() is not None and other() is not file]
    _objects[visitor] = [*known, weakref.ref(file)]
    return file


def field(label: str, key: str, megabytes: int, endings: Sequence[str]) -> bytes | None:
    """Draw a field for one file of at most so many megabytes and return what is in it, None where there is none."""
    _open(visitors.name(), megabytes * MEGABYTE)
    drawn = _drawn.get()
    if drawn is not None:
        drawn.append(key)
    st.file_uploader(label, type=list(endings), key=key, max_upload_size=megabytes)
    there = st.session_state.get(key)
    if isinstance(there, DeletedFile) or (isinstance(there, UploadedFile) and there.closed):
        boundary.say(GONE)
    file = held(key)
    return None if file is None else file.getvalue()


@contextmanager
def turn(page: str) -> Iterator[None]:
    """Draw a whole page inside; where it has no field, nothing may be sent, and what no field holds is let go of.

    A run that breaks off has not drawn all its fields and says nothing of them; but that another page was left is
    certain from the first.
    """
    visitor = visitors.name()
    if st.session_state.get(PAGE, page) != page:
        _tell(visitor, (), False)
    st.session_state[PAGE] = page
    drawn: list[str] = []
    before = _drawn.set(drawn)
    try:
        yield
        _tell(visitor, {file.file_id for key in drawn if (file := held(key)) is not None}, bool(drawn))
    finally:
        _drawn.reset(before)
