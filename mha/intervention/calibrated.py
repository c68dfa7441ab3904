"""What calibration found for one model: kinds of readings, heads that tell them apart, heads that carry, the readout.

`python -m studies.calibrate MODEL` writes it; MiniLM's is bundled. This module needs no torch.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable
from dataclasses import field, fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from mha import assets
from mha.analysis.calibration import Gate
from mha.analysis.floor import Floor, NamingRates, TwoWordsRates
from mha.analysis.placebo import KeptApart, Placebo
from mha.assets import ASSETS
from mha.brief import with_arrays
from mha.errors import InputError
from mha.intervention.outcomes import heads_where
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT, model_row

FOLDER = ASSETS


@with_arrays
class Telling:
    """How well each head's lean tells the forced versions apart; arrays are float64 [layer, head].

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

    @property
    def named(self) -> tuple[HeadId, ...]:
        """The telling heads, the best first."""
        return heads_where(self.telling > 0, self.pair)


@with_arrays
class SilencedTogether:
    """Heads silenced together (by the mean) on every pair: ``kept`` of the separation is left, with its interval.

    ``control`` is the same for draws of as many other heads of the same layers, float64 [draw].
    """

    heads: tuple[HeadId, ...]
    kept: float
    low: float
    high: float
    control: np.ndarray


@with_arrays
class Carrying:
    """What each head carries of the difference between the versions, over the pairs of equal length in tokens.

    ``share`` with its bootstrap interval is float64 [layer, head], NaN from layer ``at`` on. ``cue``, ``a`` and ``b``
    are the mean looks from the pivot in both versions, as shares of all attention; NaN where the pivot is its own cue.
    ``carrying`` are the heads that carry a tenth, interval above 0; ``bringing`` those that carry a tenth and look to
    the cue, by `studies.forced.bringing`; None where there are none.
    """

    n_pairs: int
    at: int
    separation: float
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cue: np.ndarray
    a: np.ndarray
    b: np.ndarray
    carrying: SilencedTogether | None = None
    bringing: SilencedTogether | None = None


@with_arrays
class Scores:
    """The link margin of every pair at each block output: ``a`` and ``b`` are float64 [block output, pair].

    ``shuffled`` is margin of A − margin of B with the words in one other order, [block output, pair]. ``gates`` has one
    `Gate` for each block output; block output 0 are the embeddings.
    """

    a: np.ndarray
    b: np.ndarray
    shuffled: np.ndarray
    gates: tuple[Gate, ...]


@with_arrays
class KeptPath:
    """The same path where the reading is kept, over matched swaps of equal length in tokens, beside the pairs.

    ``shift`` is the mean size of the receiver's change of lean over the swaps, ``of_pairs`` over the pairs. Shares are
    Σ moved / Σ difference with each difference taken as positive (a swap has no first version): ``share`` over the
    swaps as (share, low, high), ``share_of_pairs`` over the pairs by the same convention. ``carried_of_pairs`` float64
    [pair] and ``carried`` [swap] are what the path carries of each one's change of lean; empty in calibrations made
    before they were kept.
    """

    n_swaps: int
    shift: float
    of_pairs: float
    share: tuple[float, float, float]
    share_of_pairs: float
    carried_of_pairs: np.ndarray = field(default_factory=lambda: np.empty(0))
    carried: np.ndarray = field(default_factory=lambda: np.empty(0))


@with_arrays
class Followed:
    """How much of what one head changes between the versions comes from some senders, over the pairs of equal length.

    ``share`` is Σ moved / Σ difference with its interval, ``direct`` the same with everything in between held (NaN
    where that cannot be), each as (share, low, high). ``control`` is the share of other sets of as many heads of the
    same layers, float64 [set]. ``difference`` is the mean difference of the receiver's lean. ``kept`` is the path
    where the reading stays; None without swaps, or in a calibration made before it was measured.
    """

    senders: tuple[HeadId, ...]
    receiver: HeadId
    n_pairs: int
    difference: float
    share: tuple[float, float, float]
    direct: tuple[float, float, float]
    control: np.ndarray
    kept: KeptPath | None = None


@with_arrays
class KindCalibration:
    """Everything that was found for one kind of readings.

    ``floor``, ``two_words``, ``naming``, ``placebo`` and ``kept_apart`` are None, and ``paths`` empty, in calibrations
    made before they were measured.
    """

    kind: str
    n_pairs: int
    telling: Telling
    carrying: Carrying
    scores: Scores
    floor: Floor | None = None
    two_words: TwoWordsRates | None = None
    paths: tuple[Followed, ...] = ()
    naming: NamingRates | None = None
    placebo: Placebo | None = None
    kept_apart: KeptApart | None = None


@with_arrays
class Calibration:
    """One model's calibration, by kind; the kind "other" has none."""

    model: str
    revision: str
    kinds: dict[str, KindCalibration]

    def of(self, kind: str) -> KindCalibration | None:
        """Return what was found for a kind, or None where there are no pairs of it."""
        return self.kinds.get(kind)


def calibration(model: str = DEFAULT) -> Calibration | None:
    """Return the calibration that comes with the program, or None where there is none for exactly these weights.

    Raises:
        UnknownModel: no such model is on offer.
    """
    row = model_row(model)
    found = assets.optional(calibration_file(row.name), lambda content: read(json.loads(content)))
    return found if found is not None and row.revision and found.revision == row.revision else None


def calibration_file(model: str) -> Path:
    """Return where the calibration of a model is kept, by its name in the catalog."""
    return FOLDER / f"calibration_{model.replace('/', '--')}.json"


def read(content: dict[str, Any]) -> Calibration:
    """Return a calibration from its JSON content; raise InputError if it is none."""
    try:
        found: Calibration = restored(Calibration, content)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError("This is not a calibration that this program has written.") from error
    return found


def _listed(said: Any) -> np.ndarray:
    return np.array(said, dtype=np.float64)  # null becomes NaN


def restored(hint: Any, said: Any, array_of: Callable[[Any], np.ndarray] = _listed) -> Any:
    """Return what JSON says as the type that is expected in its place; a field that it leaves out has its default.

    Null is NaN where a number is expected. ``array_of`` makes an array of what stands for one: its numbers in lists.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is no such thing.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if said is None:
        return math.nan if hint is float else None
    if origin in (Union, types.UnionType):
        return restored(next(one for one in inner if one is not type(None)), said, array_of)
    if hint is np.ndarray:
        return array_of(said)
    if origin is dict:
        return {name: restored(inner[1], each, array_of) for name, each in said.items()}
    if origin is tuple:
        every = inner[:1] * len(said) if inner[-1] is ... else inner
        return tuple(restored(one, each, array_of) for one, each in zip(every, said, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        own = [field.name for field in fields(hint) if field.init]
        return hint(**{name: restored(hints[name], said[name], array_of) for name in own if name in said})
    if isinstance(hint, type) and issubclass(hint, tuple):  # a named one, such as HeadId
        return hint(*said)
    return said
