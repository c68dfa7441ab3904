"""Mean outputs of heads over a model's usual texts and all positions, and the outputs of all heads in one text."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from mha import assets
from mha.assets import ASSETS
from mha.intervention.batches import of_equal_length
from mha.intervention.subject import Subject
from mha.models.files.catalog import SMALL, ModelRow
from mha.models.files.loading import LoadedModel
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded
from mha.pairs import corpus

FOLDER = ASSETS
_means: weakref.WeakKeyDictionary[LoadedModel, np.ndarray] = weakref.WeakKeyDictionary()
_computing = threading.Lock()


def head_means(experiment: Subject) -> np.ndarray:
    """Return each head's mean output before W_O, as float32 [layer, head, d_head]; bundled, or computed once."""
    with _computing:
        if experiment.loaded not in _means:
            ready_made = bundled_means(experiment.loaded)
            _means[experiment.loaded] = computed_means(experiment) if ready_made is None else ready_made
        return _means[experiment.loaded]


def bundled_means(loaded: LoadedModel) -> np.ndarray | None:
    """Return the means that come with the program, if they are of exactly these weights."""
    stored = assets.optional(means_file(loaded.row.name), assets.arrays)
    is_current = stored is not None and loaded.row.revision and str(stored["revision"]) == loaded.row.revision
    return stored["means"] if stored is not None and is_current else None


def means_file(model: str) -> Path:
    """Return where the means of a model are kept, by its name in the catalog."""
    return FOLDER / f"head_means_{model.replace('/', '--')}.npz"


def computed_means(experiment: Subject) -> np.ndarray:
    """Return the means over the usual texts, run now."""
    *_, means = averaging(experiment)
    assert isinstance(means, np.ndarray)
    return means


def averaging(experiment: Subject) -> Iterator[tuple[int, int] | np.ndarray]:
    """Yield how many sentences are done, of how many, time and again, and then the means."""
    texts = [experiment.encoded(text) for text in usual_texts(experiment.loaded.row)]
    total: torch.Tensor | None = None
    n_tokens = n_done = 0
    for group in of_equal_length(texts):
        with torch.inference_mode(), listening(experiment.model, ("output",), batched=True) as call:
            experiment.body(**experiment.inputs([texts[number] for number in group]))
        output = call.stacked(experiment.stack, "output").double()  # [layer, text, head, token, d_head]
        total = output.sum(dim=(1, 3)) if total is None else total + output.sum(dim=(1, 3))
        n_tokens += output.shape[1] * output.shape[3]
        n_done += len(group)
        yield n_done, len(texts)
    assert total is not None, "the corpus is not empty"
    yield (total / n_tokens).float().numpy()


def usual_texts(row: ModelRow) -> tuple[str, ...]:
    """Return the texts for a model's means: the corpus, or lists for a model with a small vocabulary."""
    if row not in SMALL:
        return corpus()
    return assets.read(ASSETS / row.name / "texts.txt", lambda content: tuple(content.decode().splitlines()))


def gathering_means(experiment: Subject) -> Iterator[tuple[int, int]]:
    """Make the means known if they are not, in steps; yield how many sentences are done, of how many."""
    if experiment.loaded in _means or bundled_means(experiment.loaded) is not None:
        return
    for means in averaging(experiment):
        if isinstance(means, np.ndarray):
            with _computing:
                _means[experiment.loaded] = means
        else:
            yield means


def outputs_of(experiment: Subject, encoded: Encoded) -> Tensor:
    """Return every head's output before W_O in one text, [layer, head, token, d_head]."""
    with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
        experiment.body(**experiment.inputs(encoded))
    return call.stacked(experiment.stack, "output").to(experiment.model.device, experiment.model.dtype)
