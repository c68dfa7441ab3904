"""The parts of a calibration, stored in a folder, so that an interrupted calibration resumes."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mha import assets
from mha.brief import with_arrays
from mha.errors import InputError
from mha.intervention.calibrated import Calibration, KindCalibration, read, restored
from mha.maps import HeadId
from mha.pairs import corpus, pairs, swaps
from mha.stepwise import Steps
from studies.forced import Seen

T = TypeVar("T")
Moved = tuple[np.ndarray, np.ndarray]
DECIMALS = 4  # of a calibration's numbers in its file
DAMAGED = (OSError, ValueError, TypeError, LookupError, InputError)


@with_arrays
class Parts:
    """Stored parts of one model's calibration; without a folder they are not stored.

    Parts of other weights or pairs are dropped, and an unreadable part is computed again.
    """

    folder: Path | None = None

    @classmethod
    def of(cls, folder: Path, revision: str) -> Parts:
        """Return the parts that are kept of these weights, over the pairs and swaps of this version."""
        over = hashlib.sha256(repr((pairs(), swaps(), corpus())).encode()).hexdigest()
        about, asked = folder / "about.json", json.dumps({"revision": revision, "over": over})
        if not about.is_file() or about.read_text(encoding="utf-8") != asked:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            about.write_text(asked, encoding="utf-8")
        return cls(folder)

    def seen(self, name: str, steps: Steps[Seen]) -> Steps[Seen]:
        """Compute the recordings of some texts, or read them."""
        return (yield from self._arrays(name, Seen, steps))

    def moved(self, name: str, steps: Steps[Moved]) -> Steps[Moved]:
        """Compute the shares of `studies.forced.patched`, or read them."""
        return (yield from self._arrays(name, Moved, steps))

    def kind(self, name: str, steps: Steps[KindCalibration]) -> Steps[KindCalibration]:
        """Compute the results of a kind, or read them."""
        return (yield from self._part(f"{name}.json", steps, _written, _read))

    def forget(self) -> None:
        """Remove the stored parts."""
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def _arrays(self, name: str, kind: Any, steps: Steps[T]) -> Steps[T]:
        return (yield from self._part(f"{name}.npz", steps, pack, partial(unpack, kind)))

    def _part(self, name: str, steps: Steps[T], keep: Callable[[T], bytes], known: Callable[[bytes], T]) -> Steps[T]:
        if self.folder is None:
            return (yield from _uncounted(steps))
        file = self.folder / name.replace(" ", "_").replace("/", "-")
        try:
            return known(file.read_bytes())
        except DAMAGED:
            found = yield from _uncounted(steps)
        half = file.with_name(f"half-{file.name}")
        half.write_bytes(keep(found))
        os.replace(half, file)  # so that a part is there as a whole or not at all
        return found


def _uncounted(steps: Steps[T]) -> Steps[T]:
    """Do the same work, as a part of something whose progress is counted otherwise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
        yield 0


def _written(found: KindCalibration) -> bytes:
    return write(Calibration("", "", {found.kind: found})).encode()


def _read(content: bytes) -> KindCalibration:
    [found] = read(json.loads(content)).kinds.values()
    return found


def write(found: Calibration) -> str:
    """Return a calibration as compact JSON."""
    return json.dumps(_packed(found), separators=(",", ":"), ensure_ascii=False)


def _packed(value: Any) -> Any:
    if isinstance(value, HeadId):
        return [value.layer, value.head]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _packed(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _packed(one) for name, one in value.items()}
    if isinstance(value, np.ndarray):
        return _packed(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_packed(one) for one in value]
    if isinstance(value, float):
        near = round(value, DECIMALS)
        return None if near != near else int(near) if near == int(near) else near
    return value


def pack(value: Any) -> bytes:
    """Return a dataclass or a tuple of arrays as an NPZ: its arrays, bit for bit, and all else as JSON."""
    arrays: dict[str, np.ndarray] = {}

    def plain(one: Any) -> Any:
        if isinstance(one, np.ndarray):
            name = f"array_{len(arrays)}"
            arrays[name] = one
            return name
        if dataclasses.is_dataclass(one):
            return {field.name: plain(getattr(one, field.name)) for field in dataclasses.fields(one)}
        return [plain(entry) for entry in one] if isinstance(one, list | tuple) else one

    about = np.frombuffer(json.dumps(plain(value)).encode("ascii"), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, about=about, **arrays)
    return file.getvalue()


def unpack(kind: Any, content: bytes) -> Any:
    """Return the value of this kind that `pack` was given."""
    arrays = assets.arrays(content)
    return restored(kind, json.loads(arrays["about"].tobytes()), arrays.__getitem__)
