"""Files of maps that visitors sent, each read once: its maps, or why it was refused, are known by its bytes."""

from __future__ import annotations

import hashlib
import threading

from cachetools import LRUCache

from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.screens.heads.own import own_maps
from mha.streamlit_facts import UploadedFile

KEPT = 192 * 2**20  # bytes of maps, for all visitors
MADE = 3  # times the maps: themselves, their words, and what is left beside sinks
REMEMBERED = 1024  # files, refused ones among them

_maps: LRUCache[str, AttentionMaps] = LRUCache(KEPT, getsizeof=lambda maps: MADE * maps.weights.nbytes)
_refused: LRUCache[str, str] = LRUCache(REMEMBERED)
_hashes: LRUCache[str, str] = LRUCache(REMEMBERED)  # by the name that Streamlit gives to what is sent
_reading = threading.Lock()  # one file at a time: two that are sent twice are read once, and never two unpacked at once


def maps_in(file: UploadedFile) -> AttentionMaps:
    """Return the maps in a file; a rerun, and whoever sends the same bytes again, costs nothing.

    Raises:
        InputError: as `own_maps`, the first time and every other.
    """
    with _reading:
        name = _hash(file)
        if name in _refused:
            raise InputError(_refused[name])
        if name not in _maps:
            try:
                _maps[name] = own_maps(file.getvalue())
            except InputError as error:
                if not isinstance(error.__cause__, MemoryError):  # that passes
                    _refused[name] = str(error)
                raise
        return _maps[name]


def forget() -> None:
    """Forget every file."""
    with _reading:
        for known in (_maps, _refused, _hashes):
            known.clear()


def _hash(file: UploadedFile) -> str:
    if file.file_id not in _hashes:
        _hashes[file.file_id] = hashlib.sha256(file.getvalue()).hexdigest()
    return _hashes[file.file_id]
