"""The parts of a calibration, kept in a folder as they are found: one that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.intervention.calibrated import Calibration, KindCalibration, read, write
from mha.intervention.forced import CueLooks, Seen
from mha.pairs import corpus, pairs, swaps
from mha.stepwise import Steps, uncounted

T = TypeVar("T")
Moved = tuple[np.ndarray, np.ndarray]  # of `mha.intervention.forced.patched`
DAMAGED = (OSError, ValueError, KeyError, InputError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Parts:
    """What is found so far of one model's calibration; without a folder nothing is kept.

    Parts of other weights or of other pairs are forgotten, and one that cannot be read is found again.
    """

    folder: Path | None = None

    __repr__ = brief

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
        """Find what is seen of some texts, or read it."""
        return (yield from self._part(f"{name}.npz", steps, _write_seen, _read_seen))

    def moved(self, name: str, steps: Steps[Moved]) -> Steps[Moved]:
        """Find what each head carries, or read it."""
        return (yield from self._part(f"{name}.npz", steps, _write_moved, _read_moved))

    def kind(self, name: str, steps: Steps[KindCalibration]) -> Steps[KindCalibration]:
        """Find what is known of a kind, or read it."""
        return (yield from self._part(f"{name}.json", steps, _write_kind, _read_kind))

    def forget(self) -> None:
        """Remove what is kept."""
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def _part(
        self, name: str, steps: Steps[T], keep: Callable[[Path, T], None], known: Callable[[Path], T]
    ) -> Steps[T]:
        if self.folder is None:
            return (yield from uncounted(steps))
        file = self.folder / name.replace(" ", "_").replace("/", "-")
        try:
            return known(file)
        except DAMAGED:
            found = yield from uncounted(steps)
        half = file.with_name(f"half-{file.name}")
        keep(half, found)
        os.replace(half, file)  # so that a part is there as a whole or not at all
        return found


def _write_seen(file: Path, found: Seen) -> None:
    if found.looks is None:
        np.savez(file, leans=found.leans, margins=found.margins)
    else:
        np.savez(file, leans=found.leans, margins=found.margins, **vars(found.looks))


def _read_seen(file: Path) -> Seen:
    with np.load(file) as kept:
        looks = CueLooks(kept["cue"], kept["a"], kept["b"]) if "cue" in kept else None
        return Seen(kept["leans"], kept["margins"], looks)


def _write_moved(file: Path, found: Moved) -> None:
    np.savez(file, whole=found[0], each=found[1])


def _read_moved(file: Path) -> Moved:
    with np.load(file) as kept:
        return kept["whole"], kept["each"]


def _write_kind(file: Path, found: KindCalibration) -> None:
    file.write_text(write(Calibration("", "", {found.kind: found})), encoding="utf-8")


def _read_kind(file: Path) -> KindCalibration:
    [found] = read(json.loads(file.read_text(encoding="utf-8"))).kinds.values()
    return found
