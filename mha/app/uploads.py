"""A field for one file, with the largest size that it accepts, and the maps of a file."""

import hashlib
import threading
from collections.abc import Sequence
from typing import Any

import streamlit as st

from mha.app import errors
from mha.engine.cache import Cache
from mha.errors import InputError
from mha.foreign_file import FileMaps, read_file

MEGABYTE = 1024 * 1024
LARGE = "This file is too large: this field accepts up to {} MB."
GONE = "Your file is no longer here: the connection to the server was lost meanwhile. Please choose it again."
CACHED = 192 * MEGABYTE  # bytes of maps, for all visitors

_reading = threading.Lock()  # one file at a time: equal files are read once, and never two are unpacked at once
_files = Cache(CACHED)  # maps, and refusals


def field(label: str, key: str, megabytes: int, endings: Sequence[str]) -> Any | None:
    """Draw a field for one file of at most so many megabytes; return the file, or None if it has none.

    The browser checks the size of the field; the server accepts the largest size of all fields on its route, so a file
    that another client sends is checked again here.
    """
    file = st.file_uploader(label, type=list(endings), key=key, max_upload_size=megabytes)
    if file is None and st.session_state.get(key) is not None:
        errors.say(GONE)
    if file is not None and file.size > megabytes * MEGABYTE:
        errors.say(LARGE.format(megabytes))
        return None
    return file


def maps_of(content: bytes) -> tuple[str, FileMaps]:
    """Return the hash of a file and its maps; equal files are read once.

    Raises:
        InputError, ShapeError: as `read_file`, the first time and every other.
    """
    name = hashlib.sha256(content).hexdigest()
    with _reading:
        file = _files.get(name)
        if file is None:
            file = _maps_or_refusal(content)
            _files.put(name, file)
    if isinstance(file, InputError):
        raise InputError(str(file))
    return name, file


def _maps_or_refusal(content: bytes) -> FileMaps | InputError:
    try:
        return read_file(content)
    except InputError as error:
        if isinstance(error.__cause__, MemoryError):  # that passes
            raise
        return error.with_traceback(None)
