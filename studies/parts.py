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
    def for_revision(cls, folder: Path, revision: str) -> Parts:
        """Return the parts that are kept of these weights, over the pairs and swaps of this version."""
        inputs_hash = hashlib.sha256(repr((pairs(), swaps(), corpus())).encode()).hexdigest()
        facts_file, facts = folder / "about.json", json.dumps({"revision": revision, "over": inputs_hash})
        if not facts_file.is_file() or facts_file.read_text(encoding="utf-8") != facts:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            facts_file.write_text(facts, encoding="utf-8")
        return cls(folder)

    def seen(self, name: str, steps: Steps[Seen]) -> Steps[Seen]:
        """Compute the recordings of some texts, or read them."""
        return (yield from self._arrays(name, Seen, steps))

    def moved(self, name: str, steps: Steps[Moved]) -> Steps[Moved]:
        """Compute the shares of `studies.forced.patched`, or read them."""
        return (yield from self._arrays(name, Moved, steps))

    def kind(self, name: str, steps: Steps[KindCalibration]) -> Steps[KindCalibration]:
        """Compute the results of a kind, or read them."""
        return (yield from self._part(f"{name}.json", steps, _calibration_data, _read))

    def forget(self) -> None:
        """Remove the stored parts."""
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def _arrays(self, name: str, kind: Any, steps: Steps[T]) -> Steps[T]:
        return (yield from self._part(f"{name}.npz", steps, pack, partial(unpack, kind)))

    def _part(self, name: str, steps: Steps[T], keep: Callable[[T], bytes], load: Callable[[bytes], T]) -> Steps[T]:
        if self.folder is None:
            return (yield from _uncounted(steps))
        file = self.folder / name.replace(" ", "_").replace("/", "-")
        try:
            return load(file.read_bytes())
        except DAMAGED:
            result = yield from _uncounted(steps)
        half = file.with_name(f"half-{file.name}")
        half.write_bytes(keep(result))
        os.replace(half, file)  # so that a part is there as a whole or not at all
        return result


def _uncounted(steps: Steps[T]) -> Steps[T]:
    """Do the same work, as a part of something whose progress is counted otherwise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        yield 0


def _calibration_data(calibration: KindCalibration) -> bytes:
    return write(Calibration("", "", {calibration.kind: calibration})).encode()


def _read(content: bytes) -> KindCalibration:
    [calibration] = read(json.loads(content)).kinds.values()
    return calibration


def write(calibration: Calibration) -> str:
    """Return a calibration as compact JSON."""
    return json.dumps(_packed(calibration), separators=(",", ":"), ensure_ascii=False)


def _packed(value: Any) -> Any:
    if isinstance(value, HeadId):
        return [value.layer, value.head]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _packed(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _packed(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return _packed(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_packed(item) for item in value]
    if isinstance(value, float):
        near = round(value, DECIMALS)
        return None if near != near else int(near) if near == int(near) else near
    return value


def pack(value: Any) -> bytes:
    """Return a dataclass or a tuple of arrays as an NPZ: its arrays, bit for bit, and all else as JSON."""
    arrays: dict[str, np.ndarray] = {}

    def plain(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            name = f"array_{len(arrays)}"
            arrays[name] = item
            return name
        if dataclasses.is_dataclass(item):
            return {field.name: plain(getattr(item, field.name)) for field in dataclasses.fields(item)}
        return [plain(entry) for entry in item] if isinstance(item, list | tuple) else item

    facts = np.frombuffer(json.dumps(plain(value)).encode("ascii"), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, about=facts, **arrays)
    return file.getvalue()


def unpack(kind: Any, content: bytes) -> Any:
    """Return the value of this kind that `pack` was given."""
    arrays = assets.arrays(content)
    return restored(kind, json.loads(arrays["about"].tobytes()), arrays.__getitem__)
