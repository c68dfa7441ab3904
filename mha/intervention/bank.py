"""The bank for mean silencing: each head's mean output over a model's usual texts and all their positions."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from mha import assets
from mha.assets import ASSETS
from mha.intervention.batches import of_equal_length
from mha.intervention.subject import Subject
from mha.models.files.catalog import SMALL, ModelRow
from mha.models.files.loading import LoadedModel
from mha.models.small.learning import own_texts
from mha.models.watch.recording import listening
from mha.pairs import corpus
from mha.stepwise import Progress

FOLDER = ASSETS

_means: weakref.WeakKeyDictionary[LoadedModel, np.ndarray] = weakref.WeakKeyDictionary()
_computing = threading.Lock()


def head_means(experiment: Subject, progress: Progress | None = None) -> np.ndarray:
    """Return each head's mean output before W_O, as float32 [layer, head, d_head]; bundled, or computed once."""
    with _computing:
        if experiment.loaded not in _means:
            ready_made = bundled_means(experiment.loaded)
            _means[experiment.loaded] = computed_means(experiment, progress) if ready_made is None else ready_made
        return _means[experiment.loaded]


def bundled_means(loaded: LoadedModel) -> np.ndarray | None:
    """Return the means that come with the program, if they are of exactly these weights."""
    stored = assets.optional(means_file(loaded.row.name), assets.arrays)
    known = stored is not None and loaded.row.revision and str(stored["revision"]) == loaded.row.revision
    return stored["means"] if stored is not None and known else None


def means_file(model: str) -> Path:
    """Return where the means of a model are kept, by its name in the catalog."""
    return FOLDER / f"head_means_{model.replace('/', '--')}.npz"


def computed_means(experiment: Subject, progress: Progress | None = None) -> np.ndarray:
    """Return the means over the usual texts, run now; ``progress`` is told how many sentences are done."""
    for found in averaging(experiment):
        if isinstance(found, np.ndarray):
            return found
        if progress is not None:
            progress(*found)
    raise AssertionError("the means come last")


def averaging(experiment: Subject) -> Iterator[tuple[int, int] | np.ndarray]:
    """Yield how many sentences are done, of how many, time and again, and then the means."""
    texts = [experiment.encoded(text) for text in usual_texts(experiment.loaded.row)]
    total: torch.Tensor | None = None
    n_tokens = done = 0
    for group in of_equal_length(texts):
        with torch.inference_mode(), listening(experiment.model, ("output",), batched=True) as call:
            experiment.body(**experiment.inputs([texts[number] for number in group]))
        output = call.stacked(experiment.stack, "output").double()  # [layer, text, head, token, d_head]
        total = output.sum(dim=(1, 3)) if total is None else total + output.sum(dim=(1, 3))
        n_tokens += output.shape[1] * output.shape[3]
        done += len(group)
        yield done, len(texts)
    assert total is not None, "the corpus is not empty"
    yield (total / n_tokens).float().numpy()


def usual_texts(row: ModelRow) -> tuple[str, ...]:
    """Return what a model's means are taken over: the corpus, or lists of its own for one that knows few words."""
    return own_texts(row.name) if row in SMALL else corpus()


def gathering(experiment: Subject) -> Iterator[tuple[int, int]]:
    """Make the means known if they are not, in steps; yield how many sentences are done, of how many."""
    if experiment.loaded in _means or bundled_means(experiment.loaded) is not None:
        return
    for found in averaging(experiment):
        if isinstance(found, np.ndarray):
            with _computing:
                _means[experiment.loaded] = found
        else:
            yield found
