"""Patching: what of the difference between two versions of a sentence each head carries.

A head's output, at every position, is taken from the other version; how far the link margin moves towards the other
version's, as a part of the difference between the two, is what it carries. Mean of both directions. The parts need not
add up to 1, since later heads pass on what earlier ones bring. Source: Vig et al. 2020; Wang et al. 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from torch import Tensor

from mha.analysis.floor import Floor
from mha.analysis.readings import Readings, check_change_is_read
from mha.errors import InputError
from mha.intervention.ablation import Change
from mha.intervention.bank import outputs_of
from mha.intervention.growing import gathering_parts, variants_in_parts
from mha.intervention.outcomes import SMALLEST, Patch
from mha.intervention.readout import LinkMargin
from mha.intervention.subject import PlacedText, Subject, placed, subject, tokens_of
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.stepwise import Progress, Steps, finished
from mha.words import accept, words

DRAWS, TOGETHER, SEED = 15, 3, 0  # controls: draws, heads in each


def patch(
    text: str,
    contrast: str,
    readings: Readings,
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
    controls: bool = True,
    floor: Floor | None = None,
) -> Patch:
    """Return what each head carries of the difference between a text and its contrast sentence.

    The readings' word numbers are the same in both. ``at`` as in `mha.intervention.sweep.preference`;
    ``progress(done, all)`` may raise to cancel. With a ``floor`` the controls are drawn from all heads that are not
    told beyond it.

    Raises:
        InputError: the contrast is the text, has another number of tokens, or lacks a word of the readings.
        NotComparable: the model is causal, and the versions differ only after the words of the readings.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    versions = Versions.of(subject(model), text, contrast, readings, at)
    whole = 2 * versions.at * (versions.experiment.n_heads + (DRAWS if controls else 0))
    return finished(patching(versions, floor, controls), progress, whole)


def patching(versions: Versions, floor: Floor | None = None, controls: bool = True) -> Steps[Patch]:
    """Find what `patch` returns, some heads in each step."""
    heads = tuple(head for head in versions.experiment.heads if head.layer < versions.at)
    margins, ways = yield from versions.ways([(head,) for head in heads])
    shape = versions.experiment.n_layers, versions.experiment.n_heads
    into = np.full((2, *shape), np.nan)
    into[:, : versions.at] = ways.reshape(2, versions.at, -1)
    direct = np.zeros(shape, dtype=bool)
    direct[versions.at - 1] = True
    row = versions.experiment.loaded.row
    found = Patch(
        text=versions.first.text,
        contrast=versions.second.text,
        at=versions.at,
        margins=margins,
        carried=into.mean(axis=0),
        control=np.full((shape[0], DRAWS), np.nan),
        direct=direct,
        changed=differing(versions.first.text, versions.second.text),
        into_text=into[0],
        into_contrast=into[1],
        model=row.short,
        revision=row.revision,
        origin=row.origin,
    )
    told = found.named if floor is None else found.named_beyond(floor)
    drawn = others(versions.at, shape[1], told) if controls else {}
    sets = [[HeadId(layer, head) for head in draw] for layer, draws in drawn.items() for draw in draws]
    if sets:
        _, shares = yield from versions.ways(sets)
        found.control[list(drawn)] = shares.mean(axis=0).reshape(len(drawn), DRAWS)
    return replace(found, left_out=told)


def others(n_layers: int, n_heads: int, named: Sequence[HeadId]) -> dict[int, np.ndarray]:
    """Return by layer draws of three heads that are not named, as int [draw, 3]; layers with too few are left out."""
    generator = np.random.default_rng(SEED)
    rest = {layer: [head for head in range(n_heads) if (layer, head) not in named] for layer in range(n_layers)}
    return {
        layer: np.array([generator.choice(some, TOGETHER, replace=False) for _ in range(DRAWS)])
        for layer, some in rest.items()
        if len(some) >= TOGETHER
    }


def differing(text: str, contrast: str) -> tuple[int, ...]:
    """Return the numbers of the words in which two texts differ or that only one has; case is no difference."""
    both = zip_longest(*(words(accept(one).text) for one in (text, contrast)), fillvalue="")
    return tuple(number for number, (a, b) in enumerate(both) if a.casefold() != b.casefold())


@dataclass(frozen=True, eq=False)
class Versions:
    """Two versions of a sentence that patching can exchange parts of."""

    experiment: Subject
    first: PlacedText
    second: PlacedText
    at: int

    @classmethod
    def of(cls, experiment: Subject, text: str, contrast: str, readings: Readings, at: int | None) -> Versions:
        """Return both versions, checked; errors as `patch`."""
        first = placed(experiment, text, readings)
        check_contrast(experiment, first, accept(contrast).text)
        second = placed(experiment, contrast, first.readings)
        if experiment.causal:
            compared = {word for pair in (*first.a, *first.b) for word in pair}
            check_change_is_read(words(first.text), words(second.text), compared, experiment.name)
        return cls(experiment, first, second, experiment.block_output(at))

    def ways(self, sets: Sequence[Sequence[HeadId]]) -> Steps[tuple[tuple[float, float], np.ndarray]]:
        """Find both untouched margins, and the part carried into the text and into the contrast, [direction, set]."""
        (first, second), moves = yield from self.moves(sets)
        separation = first - second
        return (first, second), moves / separation if abs(separation) >= SMALLEST else np.full(moves.shape, np.nan)

    def moves(self, sets: Sequence[Sequence[HeadId]]) -> Steps[tuple[tuple[float, float], np.ndarray]]:
        """Find both untouched margins, and how far each set moves one towards the other, float64 [direction, set].

        Direction 0 is into the text, with outputs from the contrast; 1 the other way.
        """
        one, other = self.outputs(self.first), self.outputs(self.second)
        yield 0
        first, moved = yield from self._moved(self.first, other, sets)
        second, back = yield from self._moved(self.second, one, sets)
        return (first, second), np.stack([first - moved, back - second])

    def outputs(self, place: PlacedText) -> Tensor:
        """Return every head's output before W_O, [layer, head, token, d_head]."""
        return outputs_of(self.experiment, place.encoded)

    def _moved(
        self, place: PlacedText, instead: Tensor, sets: Sequence[Sequence[HeadId]]
    ) -> Steps[tuple[float, np.ndarray]]:
        """Find the margin of one version, and with each set of heads taken from the other, float64 [set]."""
        (one,) = LinkMargin().passes(self.experiment, place, self.at)
        variants = [tuple(Change(head, 0.0, instead[head.layer, head.head]) for head in heads) for heads in sets]
        parts = variants_in_parts(self.experiment, one, variants)
        untouched, values = yield from gathering_parts(parts, len(variants))
        return untouched, values.numpy()


def check_contrast(experiment: Subject, place: PlacedText, contrast: str) -> None:
    """Raise InputError unless a contrast sentence can be patched with the text."""
    if contrast == place.text:
        raise InputError("The changed version is the text itself. Change one word.")
    here, there = place.encoded.tokens, experiment.encoded(contrast).tokens
    if len(here) == len(there):
        return
    said, other = words(place.text), words(contrast)
    unequal = [
        f"“{a}” is {_count(len(tokens_of(here, n)))} for this model, "
        f"“{b}” {_count(len(tokens_of(there, n)), short=True)}"
        for n, (a, b) in enumerate(zip(said, other, strict=False))
        if len(said) == len(other) and len(tokens_of(here, n)) != len(tokens_of(there, n))
    ]
    why = f"{'; '.join(unequal)}." if unequal else f"The text has {len(here)}, the changed version {len(there)}."
    raise InputError(f"Patching needs versions of equal length in tokens. {why} Choose another word; the rest works.")


def _count(tokens: int, short: bool = False) -> str:
    number = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}.get(tokens, str(tokens))
    return number if short else f"{number} token{'' if tokens == 1 else 's'}"


def control_sets(heads: Sequence[HeadId], n_heads: int) -> list[list[HeadId]]:
    """Return draws of as many other heads in the same layers as these."""
    generator = np.random.default_rng(SEED)
    per_layer = {layer: [head.head for head in heads if head.layer == layer] for layer in {h.layer for h in heads}}
    found = []
    for _ in range(DRAWS):
        draw = []
        for layer, taken in sorted(per_layer.items()):
            rest = [head for head in range(n_heads) if head not in taken]
            picked = generator.choice(rest, min(len(taken), len(rest)), replace=False)
            draw += [HeadId(layer, int(head)) for head in picked]
        found.append(draw)
    return found
