"""The model under study with its stored measurements, and statistics that every experiment uses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from tqdm import tqdm

from mha.intervention.ablation import Change, Pass, first_layer, run_variants
from mha.intervention.bank import head_means
from mha.intervention.direct import first_token
from mha.intervention.induction import scrambled_copy
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.files.loading import LoadedModel
from mha.models.watch.inputs import prepared, without_end
from mha.models.watch.layers import layers_of
from studies.files import WORK, Arrays, WorkFolder
from studies.separation import Row, mean, rounded

ROWS = 48  # sets of heads ablated in one forward pass
N_DRAWS = 20
DRAW_LAYERS = range(15, 30)  # of random draws: the upper half, in which all heads of these experiments lie
SCRAMBLED_SEEDS = (0, 1, 2, 3, 4)

HeadSet = tuple[HeadId, ...]


class Moved(NamedTuple):
    """A head whose output moves ``times`` the way to its mean: 1 is mean ablation, more goes past the mean."""

    head: HeadId
    times: float


Variant = tuple[HeadId | Moved, ...]  # heads that are ablated or moved together
Item = TypeVar("Item")


@dataclass(frozen=True)
class Lab:
    """A model under study and the folder that keeps each measured text, so that a stopped run continues."""

    experiment: Subject
    work: WorkFolder

    @classmethod
    def for_model(cls, loaded: LoadedModel, folder: Path = WORK) -> Lab:
        """Return the lab of a loaded model."""
        experiment = subject(loaded)
        return cls(experiment, WorkFolder.for_model(experiment, folder))

    def scrambled(self, seed: int) -> Lab:
        """Return the lab of a scrambled copy; its heads cannot be ablated, since no means were taken of it."""
        copy = subject(scrambled_copy(self.experiment.loaded, seed))
        weights = f"{self.work.weights}, scrambled {seed}"  # sums of weights are the same
        return Lab(copy, replace(self.work, weights=weights))

    def measure_items(
        self, kind: str, items: Sequence[Item], measure: Callable[[Item], Arrays], title: str
    ) -> list[Arrays]:
        """Return the arrays of each item, stored or measured now; the key is `repr(item)`."""
        return [self.work.load_or_measure(kind, repr(item), partial(measure, item)) for item in tqdm(items, title)]

    def log_probabilities(
        self, questions: Sequence[tuple[str, Sequence[str]]], sets: Sequence[Variant] = (), title: str = "texts"
    ) -> np.ndarray:
        """Return log-probabilities of words after texts, float64 [text, 1 + set, word].

        A question is a text with its words, as many in each; the first token of a word counts. Row 0 has all heads on,
        the others one set of heads ablated or moved each.
        """
        items = [(text, tuple(words), tuple(sets)) for text, words in questions]
        return np.array([arrays["scores"] for arrays in self.measure_items("words", items, self._scores, title)])

    def deviation_lengths(self, texts: Sequence[str]) -> np.ndarray:
        """Return how far the last token's head outputs deviate from their means, float64 [text, layer, head].

        It is the Euclidean length of the deviation after W_O, in the residual stream.
        """
        experiment, means = self.experiment, torch.as_tensor(head_means(self.experiment))

        def measure(text: str) -> Arrays:
            inputs = prepared(experiment.model, dict(without_end(experiment.encoded(text)).inputs))
            layers, _ = layers_of(experiment.model, inputs, experiment.stack)
            deviations = [
                [
                    layer.through_output(layer.output[head, -1:] - means[number, head], head)[0]
                    for head in range(layer.n_heads)
                ]
                for number, layer in enumerate(layers)
            ]
            return {"lengths": np.array([[float(deviation.norm()) for deviation in row] for row in deviations])}

        return np.array([row["lengths"] for row in self.measure_items("lengths", texts, measure, "lengths")])

    def _changes(self, variant: Variant) -> tuple[Change, ...]:
        means = torch.as_tensor(head_means(self.experiment))[:, :, None]  # [layer, head, 1, d_head]
        moves = [item if isinstance(item, Moved) else Moved(item, 1.0) for item in variant]
        return tuple(Change(move.head, 1 - move.times, move.times * means[move.head]) for move in moves)

    def _scores(self, item: tuple[str, tuple[str, ...], tuple[Variant, ...]]) -> Arrays:
        text, words, sets = item
        experiment = self.experiment
        ids = [first_token(experiment.loaded, text, word) for word in words]
        inputs = experiment.inputs(without_end(experiment.encoded(text)))
        runs = partial(experiment.model, logits_to_keep=1)
        single_pass = Pass(
            inputs, lambda outputs: torch.log_softmax(outputs.logits[:, -1].double(), dim=-1)[:, ids], runs=runs
        )
        variants = [self._changes(variant) for variant in sets]
        order = sorted(range(len(sets)), key=lambda number: first_layer(variants[number]))
        scores = np.empty((1 + len(sets), len(ids)))
        for start in range(0, max(len(order), 1), ROWS):
            rows = order[start : start + ROWS]
            values = run_variants(experiment, single_pass, [variants[number] for number in rows]).cpu().numpy()
            scores[0], scores[[1 + number for number in rows]] = values[0], values[1:]
        return {"scores": scores}


def draw_sets(lab: Lab, size: int, left_out: Iterable[HeadId], layers: Iterable[int] = DRAW_LAYERS) -> list[HeadSet]:
    """Return `N_DRAWS` random sets of as many heads of some layers, without the heads left out."""
    generator, excluded = random.Random(size), set(left_out)
    heads = [head for head in lab.experiment.heads if head.layer in layers and head not in excluded]
    return [tuple(sorted(generator.sample(heads, size))) for _ in range(N_DRAWS)]


def size_matched(lab: Lab, head: HeadId, lengths: np.ndarray) -> list[Variant]:
    """Return the other heads of a head's layer, each moved as far as ablation moves that head.

    Another head mostly deviates less from its mean than a chosen one, so its ablation is a smaller change. ``lengths``
    is float64 [layer, head], as of `Lab.deviation_lengths`.
    """
    heads = (candidate for candidate in lab.experiment.heads if candidate.layer == head.layer and candidate != head)
    return [(Moved(candidate, float(lengths[head] / lengths[candidate])),) for candidate in heads]


def layer_matched_sets(lab: Lab, heads: HeadSet) -> list[HeadSet]:
    """Return `N_DRAWS` random sets with as many heads of each layer as in ``heads``, and none of these."""
    generator = random.Random(len(heads))
    sets = []
    for _ in range(N_DRAWS):
        drawn_heads: list[HeadId] = []
        for layer in sorted({head.layer for head in heads}):
            free = [head for head in lab.experiment.heads if head.layer == layer and head not in heads]
            drawn_heads += generator.sample(free, sum(head.layer == layer for head in heads))
        sets.append(tuple(drawn_heads))
    return sets


def estimate(values: Sequence[float] | np.ndarray, groups: Sequence[str] | None = None) -> Row:
    """Return the mean with its 95 % bootstrap interval; with ``groups``, over the means of groups, redrawn whole.

    >>> estimate([1.0, 1.0, 3.0], ["a", "a", "b"])["mean"]
    2.0
    """
    numbers = np.asarray(values, dtype=np.float64)
    if groups is not None:
        names = np.array(groups)
        numbers = np.array([numbers[names == name].mean() for name in dict.fromkeys(groups)])
    return mean(numbers, range(len(numbers)))


def spread(means: Sequence[float] | np.ndarray) -> Row:
    """Return the mean, the lowest and the highest of some draws."""
    numbers = np.asarray(means, dtype=np.float64)
    return {
        "mean": rounded(numbers.mean()), "lowest": rounded(numbers.min()), "highest": rounded(numbers.max()),
        "n_draws": len(numbers),
    }  # fmt: skip
