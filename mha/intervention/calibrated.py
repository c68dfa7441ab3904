"""Calibration of one model by kind of readings: control limits, and how often heads are named.

`python -m studies.calibrate MODEL` writes it; MiniLM's is bundled. This module needs no torch.
"""

from __future__ import annotations

import json
import math
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mha import assets
from mha.analysis.floor import Floor, NamingRates, TwoWordsRates
from mha.assets import ASSETS
from mha.brief import with_arrays
from mha.errors import InputError
from mha.models.files.catalog import DEFAULT, model_row

FOLDER = ASSETS


@with_arrays
class KindCalibration:
    """What pages read of one kind of readings; its file has more (`studies.parts.MeasuredKind`).

    ``floor``, ``two_words`` and ``naming`` are None in calibrations made before they were measured.
    """

    kind: str
    n_pairs: int
    floor: Floor | None = None
    two_words: TwoWordsRates | None = None
    naming: NamingRates | None = None


@with_arrays
class Calibration:
    """One model's calibration, by kind; the kind "other" has none."""

    model: str
    revision: str
    kinds: dict[str, KindCalibration]

    def of(self, kind: str) -> KindCalibration | None:
        """Return the results of a kind, or None without pairs of this kind."""
        return self.kinds.get(kind)


def calibration(model: str = DEFAULT) -> Calibration | None:
    """Return the bundled calibration of exactly these weights, or None.

    Raises:
        UnknownModel: the model is not on offer.
    """
    row = model_row(model)
    stored = assets.optional(calibration_file(row.name), lambda content: read(json.loads(content)))
    return stored if stored is not None and row.revision and stored.revision == row.revision else None


def calibration_file(model: str) -> Path:
    """Return where the calibration of a model is kept, by its name in the catalog."""
    return FOLDER / f"calibration_{model.replace('/', '--')}.json"


def read(content: dict[str, Any]) -> Calibration:
    """Return a calibration from its JSON content; raise InputError for other content."""
    try:
        result: Calibration = restored(Calibration, content)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError("This is not a calibration that this program has written.") from error
    return result


def restored(hint: Any, content: Any) -> Any:
    """Convert a JSON value to the expected type; an omitted field has its default, an unknown one is left out."""
    origin, inner = get_origin(hint), get_args(hint)
    if content is None:
        return math.nan if hint is float else None
    if origin in (Union, types.UnionType):
        return restored(next(option for option in inner if option is not type(None)), content)
    if hint is np.ndarray:
        return np.array(content, dtype=np.float64)
    if origin is dict:
        return {name: restored(inner[1], item) for name, item in content.items()}
    if origin is tuple:
        return tuple(restored(inner[0], item) for item in content)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        field_names = [field.name for field in fields(hint) if field.init and field.name in content]
        return hint(**{name: restored(hints[name], content[name]) for name in field_names})
    return content
