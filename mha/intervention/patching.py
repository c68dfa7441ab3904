"""Patching: the share of the difference between two versions of a sentence that each head carries.

A head's output, at every position, is taken from the other version; how far the link margin moves towards the other
version's, as a part of the difference between the two, is its share. Mean of both directions. The shares need not add
up to 1, since later heads pass on the outputs of earlier ones. Source: Vig et al. 2020; Wang et al. 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from torch import Tensor

from mha.analysis.floor import Floor
from mha.analysis.readings import Readings, check_change_is_read
from mha.errors import InputError
from mha.intervention.ablation import Change
from mha.intervention.bank import outputs_of
from mha.intervention.growing import rows_at_once, variants_in_parts
from mha.intervention.outcomes import SMALLEST, Patch
from mha.intervention.readout import LinkMargin
from mha.intervention.subject import PlacedText, Subject, placed, subject, tokens_of
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.stepwise import Progress, Steps
from mha.words import accept, split, words

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
    """Return the shares of the difference between a text and its contrast: the last result of `iter_patch`.

    ``progress(measured, planned)`` is called with numbers of heads and draws and may raise to cancel. Raises as
    `iter_patch`.
    """
    for result in iter_patch(text, contrast, readings, at, model, controls, floor):
        if progress is not None:
            progress(result.n_measured, result.n_planned)
    return result


def iter_patch(
    text: str,
    contrast: str,
    readings: Readings,
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    controls: bool = True,
    floor: Floor | None = None,
    rows: int | None = None,
) -> Iterator[Patch]:
    """Yield the patch again and again while it fills, low layers first, then control draws; the last is complete.

    The readings' word numbers are the same in both texts. ``at`` as in `mha.intervention.sweep.preference`. Controls
    are drawn from the heads that are not named; with a ``floor`` (a control limit), from those not named beyond it.
    One pass patches ``rows`` heads or draws; if not given, as many as a visitor may wait for.
    Closing the generator stops the work. Errors are raised at the first value.

    Raises:
        InputError: the contrast is the text, has another number of tokens, or lacks a word of the readings.
        NotComparable: the model is causal, and the versions differ only after the words of the readings.
        AttentionUnavailable: the model's heads cannot be reached.

    >>> from mha import propose
    >>> hungry, fresh = (f"A dog ate the food because it was {word}." for word in ("hungry", "fresh"))
    >>> partial = next(iter_patch(hungry, fresh, propose(hungry)[0].readings))
    >>> partial.n_measured, partial.n_planned
    (0, 135)
    """
    versions = Versions.of(subject(model), text, contrast, readings, at)
    n_layers, n_heads = versions.experiment.n_layers, versions.experiment.n_heads
    direct = np.zeros((n_layers, n_heads), dtype=bool)
    direct[versions.at - 1] = True
    row = versions.experiment.loaded.row
    heads = [head for head in versions.experiment.heads if head.layer < versions.at]
    ways, control = np.full((2, n_layers, n_heads), np.nan), np.full((n_layers, DRAWS), np.nan)
    result = Patch(
        text=versions.first.text,
        contrast=versions.second.text,
        at=versions.at,
        margins=(np.nan, np.nan),
        carried=ways.mean(axis=0),
        control=control.copy(),
        direct=direct,
        changed=differing(versions.first.text, versions.second.text),
        into_text=ways[0].copy(),
        into_contrast=ways[1].copy(),
        model=row.short,
        revision=row.revision,
        origin=row.origin,
        n_planned=len(heads) + (versions.at * DRAWS if controls else 0),
    )
    yield result
    for margins, part, shares in versions.iter_shares([(head,) for head in heads], rows):
        ways[:, [heads[number].layer for number in part], [heads[number].head for number in part]] = shares
        result = replace(
            result,
            margins=margins,
            carried=ways.mean(axis=0),
            into_text=ways[0].copy(),
            into_contrast=ways[1].copy(),
            n_measured=result.n_measured + len(part),
        )
        yield result
    named = result.named if floor is None else result.named_beyond(floor)
    draws = others(versions.at, n_heads, named) if controls else {}
    sets = [[HeadId(layer, head) for head in draw] for layer, some in draws.items() for draw in some]
    result = replace(result, left_out=named, n_planned=len(heads) + len(sets))
    yield result
    layers, numbers = np.repeat(list(draws), DRAWS), np.tile(np.arange(DRAWS), len(draws))
    for _, part, shares in versions.iter_shares(sets, rows) if sets else ():
        control[layers[part], numbers[part]] = shares.mean(axis=0)
        result = replace(result, control=control.copy(), n_measured=result.n_measured + len(part))
        yield result


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
    """Return the indices of the words in which two texts differ or that only one has, without regard to case."""
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
            check_change_is_read(split(first.text), split(second.text), compared, experiment.name)
        return cls(experiment, first, second, experiment.block_output(at))

    def iter_shares(
        self, sets: Sequence[Sequence[HeadId]], rows: int | None = None
    ) -> Iterator[tuple[tuple[float, float], list[int], np.ndarray]]:
        """Yield both untouched margins, numbers of some sets, and their shares of the difference, [direction, set].

        Shares are NaN if the margins are equal.
        """
        for (first, second), part, moves in self.iter_moves(sets, rows):
            separation = first - second
            shares = moves / separation if abs(separation) >= SMALLEST else np.full(moves.shape, np.nan)
            yield (first, second), part, shares

    def moves(self, sets: Sequence[Sequence[HeadId]]) -> Steps[tuple[tuple[float, float], np.ndarray]]:
        """Find both untouched margins, and the changes of `iter_moves` for all sets, float64 [direction, set]."""
        changes = np.full((2, len(sets)), np.nan)
        for margins, part, moved in self.iter_moves(sets):  # noqa: B007
            changes[:, part] = moved
            yield 2 * len(part)
        return margins, changes

    def iter_moves(
        self, sets: Sequence[Sequence[HeadId]], rows: int | None = None
    ) -> Iterator[tuple[tuple[float, float], list[int], np.ndarray]]:
        """Yield both untouched margins, numbers of some sets, and how far each set moves one margin to the other.

        The last is float64 [direction, set]: direction 0 is into the text, with outputs from the contrast; 1 the other
        way.
        """
        into_text, into_contrast = (
            self._parts(place, instead, sets, rows)
            for place, instead in ((self.first, self.outputs(self.second)), (self.second, self.outputs(self.first)))
        )
        for (first, part, moved), (second, _, back) in zip(into_text, into_contrast, strict=True):
            yield (first, second), part, np.stack([first - moved.numpy(), back.numpy() - second])

    def outputs(self, place: PlacedText) -> Tensor:
        """Return every head's output before W_O, [layer, head, token, d_head]."""
        return outputs_of(self.experiment, place.encoded)

    def _parts(
        self, place: PlacedText, instead: Tensor, sets: Sequence[Sequence[HeadId]], rows: int | None
    ) -> Iterator[tuple[float, list[int], Tensor]]:
        """Yield the untouched margin of one version, and some margins with each set taken from the other version."""
        (one,) = LinkMargin().passes(self.experiment, place, self.at)
        variants = [tuple(Change(head, 0.0, instead[head.layer, head.head]) for head in heads) for heads in sets]
        # a step patches both directions, and the first one also runs both texts as they are
        rows = rows or max(1, 2 * rows_at_once(self.experiment, one.inputs) // 5)
        return variants_in_parts(self.experiment, one, variants, rows)


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
