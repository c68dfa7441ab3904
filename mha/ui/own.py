"""A file of maps of the reader's own on Heads: the field for it, and what is in it, read once by its bytes."""

from __future__ import annotations

import hashlib
import threading

import streamlit as st
from cachetools import LRUCache

from mha.app import uploads
from mha.engine.question import OwnFile
from mha.errors import InputError, MHAError
from mha.maps import AttentionMaps
from mha.screens.heads.own import MEGABYTES, own_maps
from mha.screens.heads.page import OWN_FIELD
from mha.streamlit_facts import UploadedFile
from mha.words import shown

KEPT = 192 * 2**20  # bytes of maps, for all visitors
MADE = 3  # times the maps: themselves, their words, and what is left beside sinks
REMEMBERED = 1024  # files, refused ones among them

_maps: LRUCache[str, AttentionMaps] = LRUCache(KEPT, getsizeof=lambda maps: MADE * maps.weights.nbytes)
_why_not: LRUCache[str, str] = LRUCache(REMEMBERED)
_hashes: LRUCache[str, str] = LRUCache(REMEMBERED)  # by the name that Streamlit gives to what is sent
_reading = threading.Lock()  # one file at a time: two that are sent twice are read once, and never two unpacked at once


def maps_in(file: UploadedFile) -> AttentionMaps:
    """Return the maps in a file; a rerun, and whoever sends the same bytes again, costs nothing.

    Raises:
        InputError: as `own_maps`, the first time and every other.
    """
    with _reading:
        name = _hash(file)
        if name in _why_not:
            raise InputError(_why_not[name])
        if name not in _maps:
            try:
                _maps[name] = own_maps(file.getvalue())
            except InputError as error:
                if not isinstance(error.__cause__, MemoryError):  # that passes
                    _why_not[name] = str(error)
                raise
        return _maps[name]


def forget() -> None:
    """Forget every file."""
    with _reading:
        for known in (_maps, _why_not, _hashes):
            known.clear()


def _hash(file: UploadedFile) -> str:
    if file.file_id not in _hashes:
        _hashes[file.file_id] = hashlib.sha256(file.getvalue()).hexdigest()
    return _hashes[file.file_id]


OPEN = "own_maps_open"
NAME = 60  # characters of a file's name


def size() -> tuple[int, int] | None:
    """Return layers and heads of the maps in the field; None without a file that can be drawn."""
    held = file()
    return None if held is None or held.maps is None else held.maps.weights.shape[:2]


def file() -> OwnFile | None:
    """Return the file in the field; None without one."""
    held = uploads.field_file(_key())
    if held is None:
        return None
    name = held.name[:NAME]
    try:
        return OwnFile(name, maps_in(held), lambda: maps_in(held))
    except MHAError as error:
        return OwnFile(name, None, refused=_refused(held, error))


def field() -> None:
    """Draw the field for a file, where it is looked at or holds one."""
    with st.expander("Open your own maps", key=OPEN, on_change="rerun") as place:
        if not place.open and st.session_state.get(_key()) is None:
            return
        st.caption(
            "Open an .npz file saved from a notebook (maps.save) or from Download. "
            "It is not stored and is gone when you leave."
        )
        uploads.field("A file of maps", _key(), MEGABYTES, ("npz",))
        held = file()
        if held is not None and held.refused:  # the top of the page, where it is said first, is out of sight from here
            st.text(held.refused)


def _refused(held: UploadedFile, error: MHAError) -> str:
    return f"{shown(held.name[:NAME])}: {error}"


def _key() -> str:
    return f"{OWN_FIELD}_{st.session_state.get(OWN_FIELD, 0)}"
