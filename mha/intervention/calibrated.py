"""Calibration of one model by kind of readings, and the lean of a text."""

from __future__ import annotations

import json
import math
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mha import assets
from mha.analysis import readings as of_maps
from mha.analysis.floor import Floor, NamingRates
from mha.analysis.readings import Readings
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT, model_row

if TYPE_CHECKING:  # these load torch or one another
    from mha.models.files.loading import LoadedModel


@array_dataclass
class KindCalibration:
    """What pages read of one kind of readings; its file has more (`studies.parts.MeasuredKind`).

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
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        field_names = [field.name for field in fields(hint) if field.init and field.name in content]
        return hint(**{name: restored(hints[name], content[name]) for name in field_names})
    return content


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
