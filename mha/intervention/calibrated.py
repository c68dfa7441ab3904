"""Calibration of one model by kind of readings: control limits of a score change, and naming rates; leans of a text.

A *same-reading swap* exchanges one word of a sentence and keeps its reading; s = score(text) − score(other). The
*floor* φ of a kind of ambiguity is the 90th percentile of |s| over its swaps at the place that decides its pairs. φ
does not hold from one author's sentences to another's, so authors are redrawn as well as items, and a difference has to
pass the *upper end* of the interval; a smaller one may come from changing any word. Measured by this project; only
their authors judged the swaps.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mha import assets
from mha.analysis import readings as of_maps
from mha.analysis.readings import Readings
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT, model_row

if TYPE_CHECKING:  # these load torch or one another
    from mha.models.files.loading import LoadedModel


import functools
from dataclasses import dataclass

POINT = 0.90  # the percentile of the swaps that is the floor
AGREE_WITHIN = 2.0  # both directions of a patch agree up to this factor


@array_dataclass
class Floor:
    """Changes of a score over the same-reading swaps of one kind.

    ``sizes`` are |s| of every swap, ascending, float64 [swap]; ``low`` and ``high`` the 95 % interval of `phi`, authors
    and whole items redrawn. ``heads`` is the largest |part of s| that one head carries, ascending, in units of the
    score, of the swaps of equal length in tokens, direct heads left out. ``full_stop`` is the share of test pairs whose
    change stays on its side of the limit if a final full stop is added or removed; NaN if it was not measured.
    """

    sizes: np.ndarray
    low: float
    high: float
    heads: np.ndarray
    full_stop: float = float("nan")

    @functools.cached_property
    def phi(self) -> float:
        """The floor: the 90th percentile of |s|."""
        return float(np.quantile(self.sizes, POINT))

    @property
    def limit(self) -> float:
        """The control limit, which a difference has to pass: the upper end of the interval of `phi`."""
        return self.high

    @functools.cached_property
    def head_bar(self) -> float:
        """Largest share of a head in nine of ten swaps, in units of the score; NaN if no swap was patched."""
        return float(np.quantile(self.heads, POINT)) if len(self.heads) else float("nan")

    @property
    def n_swaps(self) -> int:
        """How many swaps there are."""
        return len(self.sizes)

    def passes(self, separation: float) -> bool:
        """Return whether the size of a difference exceeds the control limit."""
        return bool(abs(separation) > self.limit)


def agree(into_text: np.ndarray, into_changed: np.ndarray) -> np.ndarray:
    """Return where two directions have the same sign and lie within a factor of two, as bool; NaN never agrees."""
    into_text, into_changed = np.asarray(into_text, dtype=np.float64), np.asarray(into_changed, dtype=np.float64)
    larger, smaller = (
        np.fmax(np.abs(into_text), np.abs(into_changed)),
        np.fmin(np.abs(into_text), np.abs(into_changed)),
    )
    with np.errstate(invalid="ignore"):
        return np.asarray((into_text * into_changed > 0) & (larger <= AGREE_WITHIN * smaller))


@dataclass(frozen=True)
class NamingRates:
    """In how many changes beyond the control limit any head passes its own, among control swaps and among pairs."""

    n_swaps: int
    swaps: int
    n_pairs: int
    pairs: int


@array_dataclass
class KindCalibration:
    """What pages read of one kind of readings; its file has more (`studies.calibrate`).

    ``floor`` and ``naming`` are None in calibrations made before they were measured.
    """

    kind: str
    n_pairs: int
    floor: Floor | None = None
    naming: NamingRates | None = None


@array_dataclass
class Calibration:
    """One model's calibration, by kind; the kind "other" has none."""

    model: str
    revision: str
    kinds: dict[str, KindCalibration]

    def of_kind(self, kind: str) -> KindCalibration | None:
        """Return the results of a kind, or None if there are no pairs of this kind."""
        return self.kinds.get(kind)


def calibration(model: str = DEFAULT) -> Calibration | None:
    """Return the bundled calibration of exactly these weights, or None.

    Raises:
        UnknownModel: the model is not on offer.
    """
    row = model_row(model)
    stored = assets.optional(
        assets.model_file("calibration", row.name, "json"), lambda content: read(json.loads(content))
    )
    return stored if stored is not None and row.revision and stored.revision == row.revision else None


def read(content: dict[str, Any]) -> Calibration:
    """Return a calibration from its JSON content; raise InputError for other content."""
    try:
        kinds = {name: _read_kind(kind) for name, kind in content["kinds"].items()}
        return Calibration(content["model"], content["revision"], kinds)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError("This is not a calibration that this program has written.") from error


def _read_kind(content: dict[str, Any]) -> KindCalibration:
    floor, naming = content.get("floor"), content.get("naming")
    return KindCalibration(
        content["kind"],
        content["n_pairs"],
        None if floor is None else _read_floor(floor),
        None if naming is None else NamingRates(**naming),
    )


def _read_floor(content: dict[str, Any]) -> Floor:
    """Return a floor from its JSON content, in which null stands for NaN."""
    numbers = {name: np.array(value, dtype=np.float64) for name, value in content.items()}
    scalars = {name: float(numbers[name]) for name in ("low", "high", "full_stop") if name in numbers}
    return Floor(sizes=numbers["sizes"], heads=numbers["heads"], **scalars)


def lean(
    text: str | AttentionMaps,
    readings: Readings | None = None,
    measure: str = "default",
    model: str | Path | LoadedModel = DEFAULT,
) -> np.ndarray:
    """Return each head's lean between two readings, positive towards the first, as float64 [layer, head].

    A text is read by ``model`` as `mha.attend` reads it, by words; maps are taken as they are. By default ``readings``
    are those of the first suggestion, with their names: ``mha.propose(text)[0].readings``.

    Raises:
        InputError: there are not two readings, they are the same, a word is not in the text, nothing is suggested for
            it, or no such measure.
        UnknownModel: no such model is on offer.
        ModelUnavailable: it cannot be loaded here and now.
    """
    if isinstance(text, AttentionMaps):
        return of_maps.lean(text, readings, measure)
    from mha.models.watch.attending import attend  # torch, which maps do not need

    return of_maps.lean(attend(text, model).merged(), readings, measure)
