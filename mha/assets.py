"""Where the files are that travel with the package, and the one way in which they are read.

They lie beside the package in a checkout, and in `mha/beside` once it is installed: `setup.py` lays them out there as
they lie in a checkout, so that one path is right for both. What is read of `assets` is told by its hash, so that a
number which has changed on the way is never shown: `assets/sums.txt` has the hashes, as `sha256sum` writes them, and
``python -m tools.sums`` writes them anew after a file was changed on purpose.
"""

from __future__ import annotations

import functools
import hashlib
import io
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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
ON_PURPOSE = "If it was changed on purpose, python -m tools.sums says so."

log = logging.getLogger(__name__)
T = TypeVar("T")

LOOK = 1.0  # seconds between two looks whether a file has changed: a run of a page asks for some of them forty times

_kept: dict[Path, tuple[float, object, Any]] = {}  # when it was looked at, its stamp, what was read or why it was not
_lock = threading.RLock()
_hear: ContextVar[Callable[[str], None] | None] = ContextVar("hear", default=None)
_unheard: dict[str, None] = {}  # files that somebody does without of whom no page is drawn


@functools.lru_cache(maxsize=256)
def short(path: Path) -> str:
    """Return how a file is named to a reader: "assets/…", never where this machine has it."""
    return path.relative_to(BESIDE).as_posix() if path.is_relative_to(BESIDE) else path.name


def read(path: Path, parse: Callable[[bytes], T]) -> T:
    """Return what ``parse`` makes of a file that travels with the package; it is read again soon after it has changed.

    Raises:
        AssetError: it is missing, or damaged: not the file it was, or one that ``parse`` raises anything for.
    """
    with _lock:
        now, (looked, before, found) = time.monotonic(), _kept.get(path, (-math.inf, "unread", None))
        if now - looked >= LOOK:
            stamp = _stamp(path)
            found = found if stamp == before else _read(path, parse)
            _kept[path] = now, stamp, found
    if isinstance(found, AssetError):
        raise AssetError(str(found), found.name)
    return found


def optional(path: Path, parse: Callable[[bytes], T]) -> T | None:
    """Return the same of a file that can be done without, or None; of one that is damaged, `doing_without` hears."""
    if short(path) not in sums() and not path.exists():
        return None
    try:
        found = read(path, parse)
    except AssetError as error:
        hear = _hear.get()
        if hear is None:
            _unheard[error.name] = None
        else:
            hear(error.name)
        return None
    _unheard.pop(short(path), None)  # it is whole again
    return found


@contextmanager
def doing_without(hear: Callable[[str], None]) -> Iterator[None]:
    """Let ``hear`` have the name of each damaged file that is done without, whenever it is asked for in the block.

    It also hears of those that were done without where nobody listened: in threads that draw no page.
    """
    for name in tuple(_unheard):
        hear(name)
    token = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(token)


def whole(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        AssetError: it is missing, or not what its hash says.
    """
    name = short(path)
    try:
        content = _content(path)
    except FileNotFoundError as error:
        raise AssetError(f"{name} is missing. {AGAIN}", name) from error
    except OSError as error:
        raise AssetError(f"{name} cannot be read. {AGAIN}", name) from error
    if sums().get(name, "") not in ("", hashlib.sha256(content).hexdigest()):
        raise AssetError(f"{name} is damaged. {AGAIN}", name)
    return content


def _content(path: Path) -> bytes:
    return path.read_bytes()


def arrays(content: bytes) -> dict[str, np.ndarray]:
    """Return all arrays of an NPZ file by name; none of them may hold objects."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _read(path: Path, parse: Callable[[bytes], T]) -> T | AssetError:
    try:
        return parse(whole(path))
    except AssetError as error:
        found = error
    except Exception as error:  # whatever its bytes bring about: a parser and a constructor have many classes for it
        found = AssetError(f"{short(path)} is damaged. {AGAIN}", short(path))
        found.__cause__ = error.with_traceback(None)  # which would keep what was read
    log.error("%s %s", found, ON_PURPOSE)
    return found


def _stamp(path: Path) -> object:
    """Return what changes when a file does, None where there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


@functools.cache
def sums() -> dict[str, str]:
    """Return the hash of each file that is told by it, in hexadecimal digits, by its name."""
    try:
        rows = [line.split("  ", 1) for line in SUMS.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return {}
    return {row[1]: row[0] for row in rows if len(row) == 2}
