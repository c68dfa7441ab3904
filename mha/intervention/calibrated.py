"""Calibration of one model: kinds of readings, heads that separate them, heads that carry a change.

`python -m studies.calibrate MODEL` writes it; MiniLM's is bundled. This module needs no torch.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable
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
class Telling:
    """How well each head's lean separates the forced versions; arrays are float64 [layer, head].

    ``auc`` and ``pair`` (pair accuracy) with the bootstrap interval of the AUC; ``shuffled_auc`` and ``shuffled_pair``
    are means over 20 orders of the words, ``beyond_words_low`` and ``_high`` the interval of pair − shuffled pair.
    ``auc_threshold`` and ``pair_threshold`` are what the best of all heads reaches by chance in one of twenty cases;
    ``shuffled_best`` the mean best AUC over orders; ``twin_auc`` and ``twin_pair`` the best of each scrambled twin,
    ``twin_lean`` its largest lean, mean over sentences. ``telling`` (0 or 1) marks heads whose pair accuracy beats
    chance, every twin, the best head on shuffled words, and its own shuffled words.
    """

    auc: np.ndarray
    auc_low: np.ndarray
    auc_high: np.ndarray
    pair: np.ndarray
    shuffled_auc: np.ndarray
    shuffled_pair: np.ndarray
    beyond_words_low: np.ndarray
    beyond_words_high: np.ndarray
    telling: np.ndarray
    auc_threshold: float
    pair_threshold: float
    shuffled_best: float
    shuffled_best_pair: float
    twin_auc: np.ndarray
    twin_pair: np.ndarray
    twin_lean: np.ndarray
    largest_lean: float


@with_arrays
class Carrying:
    """Share of the difference between the versions that each head carries, over the pairs of equal length in tokens.

    ``share`` with its bootstrap interval is float64 [layer, head], NaN from layer ``at`` on.
    """

    n_pairs: int
    at: int
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


@with_arrays
class KindCalibration:
    """Everything that was found for one kind of readings.

    ``floor``, ``two_words`` and ``naming`` are None in calibrations made before they were measured.
    """

    kind: str
    n_pairs: int
    telling: Telling
    carrying: Carrying
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


def _as_heads(content: Any) -> np.ndarray:
    return np.array(content, dtype=np.float64)  # null becomes NaN


def restored(hint: Any, content: Any, array_of: Callable[[Any], np.ndarray] = _as_heads) -> Any:
    """Convert a JSON value to the expected type; an omitted field has its default.

    Null is NaN where a number is expected. ``array_of`` makes an array from nested lists.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is no such thing.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if content is None:
        return math.nan if hint is float else None
    if origin in (Union, types.UnionType):
        return restored(next(option for option in inner if option is not type(None)), content, array_of)
    if hint is np.ndarray:
        return array_of(content)
    if origin is dict:
        return {name: restored(inner[1], item, array_of) for name, item in content.items()}
    if origin is tuple:
        item_types = inner[:1] * len(content) if inner[-1] is ... else inner
        return tuple(restored(option, item, array_of) for option, item in zip(item_types, content, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        field_names = [field.name for field in fields(hint) if field.init]
        return hint(**{name: restored(hints[name], content[name], array_of) for name in field_names if name in content})
    if isinstance(hint, type) and issubclass(hint, tuple):  # a named one, such as HeadId
        return hint(*content)
    return content
