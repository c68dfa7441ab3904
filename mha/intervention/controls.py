"""The controls of a lean, computed in batches: the words of a text in other orders, and scrambled twins."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence

import numpy as np

from mha.analysis.readings import leans
from mha.analysis.shuffles import COUNT, SEED, ShuffleSummary, moved, orders, reordered
from mha.intervention.bank import Progress
from mha.intervention.batches import leans_of
from mha.intervention.places import Readings, placed
from mha.intervention.subject import Subject, subject
from mha.maps import AttentionMaps
from mha.models.catalog import DEFAULT
from mha.models.loading import LoadedModel
from mha.models.twins import twin_of
from mha.words import words

TWIN_SEEDS = (0, 1, 2, 3, 4)
MOST_TWINS = len(TWIN_SEEDS)  # kept in memory, of one model at a time


def shuffled(
    text: str,
    readings: Readings,
    measure: str = "default",
    model: str | LoadedModel = DEFAULT,
    count: int = COUNT,
    seed: int = SEED,
    maps: AttentionMaps | None = None,
) -> ShuffleSummary:
    """Return the leans of a text beside those of its words in ``count`` seeded orders, pivot and partners followed.

    ``maps`` are those of the text where they are there already. Raises as `mha.analysis.readings.lean`.
    """
    experiment = subject(model)
    place = placed(experiment, text, readings)
    found = orders(len(words(place.text)), count, seed)
    texts = [reordered(place.text, order) for order in found]
    a, b = place.readings
    theirs = [(moved(a, place.text, order), moved(b, place.text, order)) for order in found]
    own = [] if maps is not None else [place.text]
    values = leans_of(experiment, [*own, *texts], [*([place.readings] if own else []), *theirs], measure)
    lean = values[0] if maps is None else leans(maps, readings, measure).lean
    return ShuffleSummary(lean, values[len(own) :])


def twin_leans(
    text: str,
    readings: Readings,
    measure: str = "default",
    model: str | LoadedModel = DEFAULT,
    seeds: Sequence[int] = TWIN_SEEDS,
) -> np.ndarray:
    """Return the leans of scrambled twins of the model on the same text, as float64 [twin, layer, head]."""
    experiment = subject(model)
    place = placed(experiment, text, readings)
    return np.concatenate(
        [leans_of(twin, [place.text], [place.readings], measure) for twin in twins(experiment, seeds)]
    )


_twins: weakref.WeakKeyDictionary[LoadedModel, dict[int, Subject]] = weakref.WeakKeyDictionary()
_making = threading.Lock()


def twins(
    experiment: Subject, seeds: Sequence[int] = TWIN_SEEDS, progress: Progress | None = None
) -> tuple[Subject, ...]:
    """Return scrambled twins, made once and kept for the model that was asked about last.

    Making one takes about as long as writing all weights anew; ``progress`` is told after each.
    """
    with _making:
        for other in [loaded for loaded in _twins if loaded is not experiment.loaded]:
            del _twins[other]
        known = _twins.setdefault(experiment.loaded, {})
        for done, seed in enumerate(seeds, start=1):
            if seed not in known:
                while len(known) >= MOST_TWINS:
                    known.pop(next(iter(known)))
                known[seed] = subject(twin_of(experiment.loaded, "scrambled", seed))
            if progress is not None:
                progress(done, len(seeds))
        return tuple(known[seed] for seed in seeds)
