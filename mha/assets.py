"""Paths of the files that travel with the package, and functions that read them.

In a checkout they are next to the package; in an installation in `mha/beside`, where `setup.py` copies them with the
same names. Files of `assets` are checked against the hashes in `assets/sums.txt`, in the format of `sha256sum`, so that
no changed number is shown. After a change on purpose, ``python -m tools.sums`` writes the hashes again.
"""

import functools
import hashlib
import io
import logging
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mha.errors import AssetError

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "beside"

BESIDE: Path = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
ASSETS: Path = BESIDE / "assets"
SUMS = ASSETS / "sums.txt"
AGAIN = "Installing this program again brings it back."

log = logging.getLogger(__name__)
T = TypeVar("T")

damaged: dict[str, None] = {}  # names of files that `optional` could not read, in order
_cache: dict[Path, tuple[object, Any]] = {}  # state of the file, result of `parse` or an AssetError
_lock = threading.RLock()


@functools.lru_cache(maxsize=256)
def short(path: Path) -> str:
    """Return a file's name for users, such as "assets/pairs.json", without the folders of this machine."""
    return path.relative_to(BESIDE).as_posix() if path.is_relative_to(BESIDE) else path.name


def model_file(kind: str, model: str, ending: str = "npz") -> Path:
    """Return where results of a model are kept, by its name in the catalogue.

    >>> model_file("profiles", "org/name").name
    'profiles_org--name.npz'
    """
    return ASSETS / f"{kind}_{model.replace('/', '--')}.{ending}"


def read(path: Path, parse: Callable[[bytes], T]) -> T:
    """Return ``parse`` of the content of a file that travels with the package, from a cache until the file changes.

    Raises:
        AssetError: the file is missing or damaged: its hash differs, or ``parse`` raises an exception.
    """
    state = None  # another one after the file changed; None if it does not exist
    with suppress(OSError):
        found = os.stat(path)
        state = found.st_mtime_ns, found.st_size, found.st_ino
    with _lock:
        if path not in _cache or _cache[path][0] != state:
            try:
                _cache[path] = state, parse(read_bytes(path))
            except Exception as error:  # parsers and constructors raise many classes
                is_told = isinstance(error, AssetError)
                failure = AssetError(str(error) if is_told else f"{short(path)} is damaged. {AGAIN}")
                log.error("%s If it was changed on purpose, run python -m tools.sums.", failure)
                _cache[path] = state, failure
        result = _cache[path][1]
    if isinstance(result, AssetError):
        raise AssetError(str(result))  # another object: each gathers its own traceback
    return result


def optional(path: Path, parse: Callable[[bytes], T]) -> T | None:
    """Return the same as `read`, or None if the file is missing or damaged; `damaged` has its name in that case."""
    if short(path) not in sums() and not path.exists():
        return None
    try:
        result = read(path, parse)
    except AssetError:
        damaged[short(path)] = None
        return None
    damaged.pop(short(path), None)
    return result


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        AssetError: the file is missing, cannot be read, or has another hash.
    """
    name = short(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AssetError(f"{name} is missing or cannot be read. {AGAIN}") from error
    if name in sums() and sums()[name] != hashlib.sha256(content).hexdigest():
        raise AssetError(f"{name} is damaged. {AGAIN}")
    return content


def arrays(content: bytes) -> dict[str, np.ndarray]:
    """Return all arrays of an NPZ file by name; an array of objects is an error."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return dict(archive)


@functools.cache
def sums() -> dict[str, str]:
    """Return the SHA-256 of each checked file, in hexadecimal digits, by its name."""
    lines = SUMS.read_text(encoding="utf-8", errors="replace").splitlines() if SUMS.is_file() else []
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


GLOSSARY = BESIDE / "docs" / "glossary.md"
_LINE = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@functools.cache
def glossary() -> dict[str, str]:
    """Return every term with its sentence, in the order of the file: its lines are like ``- **term**: sentence``."""
    return dict(_LINE.findall(GLOSSARY.read_text(encoding="utf-8")))
