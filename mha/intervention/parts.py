"""The parts of a calibration, kept in a folder as they are found: one that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mha.brief import with_arrays
from mha.errors import InputError
from mha.intervention.calibrated import Calibration, KindCalibration, read, write
from mha.intervention.forced import Seen
from mha.pairs import corpus, pairs, swaps
from mha.stepwise import Steps, uncounted

T = TypeVar("T")
Arrays = tuple[np.ndarray, ...]
DAMAGED = (OSError, ValueError, KeyError, InputError, zipfile.BadZipFile)


@with_arrays
class Parts:
    """What is found so far of one model's calibration; without a folder nothing is kept.

    Parts of other weights or of other pairs are forgotten, and one that cannot be read is found again.
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
        """Find what is seen of some texts, or read it."""

        def arrays() -> Steps[Arrays]:
            found = yield from steps
            return found.leans, found.margins, *(() if found.looks is None else found.looks)

        leans, margins, *looks = yield from self._part(f"{name}.npz", arrays(), _write_arrays, _read_arrays)
        return Seen(leans, margins, np.stack(looks) if looks else None)

    def moved(self, name: str, steps: Steps[Any]) -> Steps[tuple[np.ndarray, np.ndarray]]:
        """Find what each head carries, as `mha.intervention.forced.patched`, or read it."""
        whole, each = yield from self._part(f"{name}.npz", steps, _write_arrays, _read_arrays)
        return whole, each

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


def _write_arrays(file: Path, found: Arrays) -> None:
    np.savez(file, *found)


def _read_arrays(file: Path) -> Arrays:
    with np.load(file) as kept:
        return tuple(kept.values())


def _write_kind(file: Path, found: KindCalibration) -> None:
    file.write_text(write(Calibration("", "", {found.kind: found})), encoding="utf-8")


def _read_kind(file: Path) -> KindCalibration:
    [found] = read(json.loads(file.read_text(encoding="utf-8"))).kinds.values()
    return found
