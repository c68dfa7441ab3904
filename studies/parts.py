"""The parts of a calibration, stored in a folder, so that an interrupted calibration resumes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from mha.intervention.calibrated import Floor, NamingRates
from mha.memo import array_dataclass
from mha.pairs import corpus, pairs, swaps

P = ParamSpec("P")
T = TypeVar("T")
DECIMALS = 4  # of a calibration's numbers in its file
DAMAGED = (OSError, ValueError, TypeError, LookupError, EOFError, AttributeError, pickle.UnpicklingError)


@array_dataclass
class MeasuredKind:
    """Everything that was found for one kind of readings.

    ``telling`` is how well each head's lean separates the forced versions, ``carrying`` the share of their difference
    that it carries.
    """

    kind: str
    n_pairs: int
    telling: dict[str, Any]
    carrying: dict[str, Any]
    floor: Floor | None = None
    naming: NamingRates | None = None


@array_dataclass
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

    def forget(self) -> None:
        """Remove the stored parts."""
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def part(self, name: str, measure: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function measures, or the stored part of this name."""
        if self.folder is None:
            return measure(*args, **kwargs)
        file = self.folder / f"{name.replace(' ', '_').replace('/', '-')}.pickle"
        try:
            stored: T = pickle.loads(file.read_bytes())  # this study wrote it
            return stored
        except DAMAGED:
            result = measure(*args, **kwargs)
            print(name, flush=True)
        half = file.with_name(f"half-{file.name}")
        half.write_bytes(pickle.dumps(result))
        os.replace(half, file)  # so that a part is there as a whole or not at all
        return result


def write(calibration: dict[str, Any]) -> str:
    """Return a calibration as compact JSON."""
    return json.dumps(_packed(calibration), separators=(",", ":"), ensure_ascii=False)


def _packed(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
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
