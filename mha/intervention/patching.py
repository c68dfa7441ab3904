"""Patching: the share of the difference between two versions of a sentence that each head carries.

A head's output, at every position, is taken from the other version; how far the score moves towards the other
version's, as a part of the difference between the two, is its share. Mean of both directions. The shares need not add
up to 1, since later heads pass on the outputs of earlier ones. Source: Vig et al. 2020; Wang et al. 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.analysis.readings import Readings, check_change_is_read
from mha.errors import InputError
from mha.formats import in_words
from mha.intervention.ablation import Change, Pass, rows_at_once, variants_in_parts
from mha.intervention.calibrated import Floor
from mha.intervention.outcomes import SMALLEST, Patch
from mha.intervention.readout import LinkMargin, Targets, TextScore, added_parts
from mha.intervention.subject import PlacedText, Subject, place_readings, subject, tokens_of
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.recording import listening
from mha.old_names import takes_old_names
from mha.stepwise import Progress
from mha.words import accept, split, words

DRAWS, TOGETHER, SEED = 15, 3, 0  # controls: draws, heads in each


@takes_old_names
def patch(
    text: str,
    changed_version: str,
    readings: Readings | None = None,
    score_layer: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
    controls: bool = True,
    floor: Floor | None = None,
    score: Targets | None = None,
) -> Patch:
    """Return the shares of the difference between a text and its changed version: the last result of `iter_patch`.

    ``progress(measured, planned)`` is called with numbers of heads and draws and may raise to cancel. Raises as
    `iter_patch`.
    """
    for result in iter_patch(text, changed_version, readings, score_layer, model, controls, floor, score=score):
        if progress is not None:
            progress(result.n_measured, result.n_planned)
    return result


@takes_old_names
def iter_patch(
    text: str,
    changed_version: str,
    readings: Readings | None = None,
    score_layer: int | None = None,
    model: str | LoadedModel = DEFAULT,
    controls: bool = True,
    floor: Floor | None = None,
    rows: int | None = None,
    score: Targets | None = None,
) -> Iterator[Patch]:
    """Yield the patch again and again while it fills, low layers first, then control draws; the last is complete.

    The readings' word numbers are the same in both texts. ``score_layer`` as in `mha.intervention.sweep.preference`.
    Controls are drawn from the heads that are not named; with a ``floor`` (a control limit), from those not named
    beyond it. One pass patches ``rows`` heads or draws; if not given, as many as a visitor may wait for. Closing the
    generator stops the work. Errors are raised at the first value. The score is the link margin of the readings, or of
    an encoder–decoder the log-probability of one target less that of another, ``Targets(a, b)``: then no readings are
    needed, heads of the cross-attention are patched, too, each with its output for the same target, and no head is
    direct.

    Raises:
        InputError: the changed version is the text, has another number of tokens, or lacks a word of the readings; or
            there are neither readings nor targets.
        NotComparable: the model is causal, and the versions differ only after the words of the readings.
        AttentionUnavailable: the model's heads cannot be reached.

    >>> from mha import propose
    >>> hungry, fresh = (f"A dog ate the food because it was {word}." for word in ("hungry", "fresh"))
    >>> partial = next(iter_patch(hungry, fresh, propose(hungry)[0].readings))
    >>> partial.n_measured, partial.n_planned
    (0, 135)
    """
    versions = Versions.from_texts(subject(model), text, changed_version, readings, score_layer, score)
    experiment, row = versions.experiment, versions.experiment.loaded.row
    text_score = versions.text_score(versions.first)
    n_layers, n_heads, heads = experiment.n_layers, experiment.n_heads, text_score.acting
    direct = np.zeros((n_layers, n_heads), dtype=bool)
    direct[versions.score_layer - 1] = score is None
    all_heads = (*experiment.heads, *experiment.cross_heads)
    ways, control = np.full((2, len(all_heads)), np.nan), np.full((n_layers, DRAWS), np.nan)

    def measured_parts() -> dict[str, Any]:
        """Return the parts measured so far, by the fields of `Patch`."""
        carried, cross = experiment.grids(ways.mean(axis=0))
        into_text, into_changed_version = (experiment.grids(way.copy())[0] for way in ways)
        fields = {"carried": carried, "into_text": into_text, "into_changed_version": into_changed_version}
        if score is not None:
            fields["cross"] = cross
        return fields

    result = Patch(
        text=versions.first.text,
        changed_version=versions.second.text,
        score_layer=versions.score_layer,
        scores=(np.nan, np.nan),
        control=control.copy(),
        direct=direct,
        changed_words=differing(versions.first.text, versions.second.text),
        model=row.short,
        revision=row.revision,
        origin=row.origin,
        n_planned=len(heads) + (text_score.n_acting_layers * DRAWS if controls else 0),
        **measured_parts(),
    )
    yield result
    for scores, part, shares in versions.iter_shares([(head,) for head in heads], rows):
        ways[:, [all_heads.index(heads[number]) for number in part]] = shares
        result = replace(result, scores=scores, n_measured=result.n_measured + len(part), **measured_parts())
        yield result
    named_heads = result.named_heads if floor is None else result.named_beyond(floor)
    draws = draw_controls(text_score.n_acting_layers, n_heads, named_heads) if controls else {}
    sets = [[HeadId(layer, head) for head in draw] for layer, layer_draws in draws.items() for draw in layer_draws]
    result = replace(result, left_out=named_heads, n_planned=len(heads) + len(sets))
    yield result
    layers, numbers = np.repeat(list(draws), DRAWS), np.tile(np.arange(DRAWS), len(draws))
    for _, part, shares in versions.iter_shares(sets, rows) if sets else ():
        control[layers[part], numbers[part]] = shares.mean(axis=0)
        result = replace(result, control=control.copy(), n_measured=result.n_measured + len(part))
        yield result


def draw_controls(n_layers: int, n_heads: int, named_heads: Sequence[HeadId]) -> dict[int, np.ndarray]:
    """Return by layer draws of three heads that are not named, as int [draw, 3]; layers with too few are left out."""
    generator = np.random.default_rng(SEED)
    candidates = {
        layer: [head for head in range(n_heads) if (layer, head) not in named_heads] for layer in range(n_layers)
    }
    return {
        layer: np.array([generator.choice(numbers, TOGETHER, replace=False) for _ in range(DRAWS)])
        for layer, numbers in candidates.items()
        if len(numbers) >= TOGETHER
    }


def differing(text: str, changed_version: str) -> tuple[int, ...]:
    """Return the indices of the words in which two texts differ or that only one has, without regard to case."""
    both = zip_longest(*(words(accept(version).text) for version in (text, changed_version)), fillvalue="")
    return tuple(number for number, (a, b) in enumerate(both) if a.casefold() != b.casefold())


@dataclass(frozen=True, eq=False)
class Versions:
    """Two versions of a sentence that patching can exchange parts of."""

    experiment: Subject
    first: PlacedText
    second: PlacedText
    score_layer: int
    score: LinkMargin | Targets = field(default_factory=LinkMargin)

    @classmethod
    def from_texts(
        cls,
        experiment: Subject,
        text: str,
        changed_version: str,
        readings: Readings | None,
        score_layer: int | None,
        score: Targets | None = None,
    ) -> Versions:
        """Return both versions, checked; errors as `patch`."""
        if not isinstance(score, Targets) and (readings is None or score is not None):
            raise InputError("Patching needs two readings, or the score Targets(a, b) of an encoder–decoder.")
        first = place_readings(experiment, text, readings)
        check_changed_version(experiment, first, accept(changed_version).text)
        second = place_readings(experiment, changed_version, None if readings is None else first.readings)
        if experiment.causal:
            compared = {word for pair in (*first.a, *first.b) for word in pair}
            check_change_is_read(split(first.text), split(second.text), compared, experiment.name)
        return cls(
            experiment, first, second, experiment.block_output(score_layer), LinkMargin() if score is None else score
        )

    def text_score(self, place: PlacedText) -> TextScore:
        """Return the score of one version."""
        return TextScore(self.experiment, place, self.score, self.score_layer)

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

    def moves(self, sets: Sequence[Sequence[HeadId]]) -> tuple[tuple[float, float], np.ndarray]:
        """Return both untouched margins, and the changes of `iter_moves` for all sets, float64 [direction, set]."""
        changes = np.full((2, len(sets)), np.nan)
        for margins, part, moves in self.iter_moves(sets):  # noqa: B007
            changes[:, part] = moves
        return margins, changes

    def iter_moves(
        self, sets: Sequence[Sequence[HeadId]], rows: int | None = None
    ) -> Iterator[tuple[tuple[float, float], list[int], np.ndarray]]:
        """Yield both untouched margins, numbers of some sets, and how far each set moves one margin to the other.

        The last is float64 [direction, set]: direction 0 is into the text, with outputs from the changed version; 1 the
        other way.
        """
        into_text, into_changed = (
            self._parts(place, donor, sets, rows)
            for place, donor in ((self.first, self.second), (self.second, self.first))
        )
        for (first, part, scores), (second, _, second_scores) in zip(into_text, into_changed, strict=True):
            yield (first, second), part, np.stack([first - scores.numpy(), second_scores.numpy() - second])

    def _parts(
        self, place: PlacedText, donor_place: PlacedText, sets: Sequence[Sequence[HeadId]], rows: int | None
    ) -> Iterator[tuple[float, list[int], Tensor]]:
        """Yield the untouched score of one version, and some scores with each set taken from the other version."""
        experiment, several = self.experiment, []
        passes, donors = (self.score.passes(experiment, version, self.score_layer) for version in (place, donor_place))
        for single_pass, donor in zip(passes, donors, strict=True):
            outputs = outputs_in(experiment, donor)
            variants = [
                tuple(
                    Change(head, 0.0, outputs[head.stack or experiment.stack][head.layer, head.head]) for head in heads
                )
                for heads in sets
            ]
            # a step patches both directions, and the first one also runs both texts as they are
            size = rows or max(1, 2 * rows_at_once(experiment, single_pass.inputs) // 5)
            several.append(variants_in_parts(experiment, single_pass, variants, size))
        return added_parts(several)


def outputs_in(experiment: Subject, single_pass: Pass) -> dict[str, Tensor]:
    """Return every head's output before W_O in one pass, by stack, each [layer, head, token, d_head].

    A pass that stops is run to its end; a pass that reads targets runs the decoder, too.
    """
    with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
        outputs = (experiment.body if single_pass.runs is None else single_pass.runs)(**single_pass.inputs)
        if single_pass.stop is None:
            single_pass.read(outputs)
    model = experiment.model
    return {stack: call.stacked(stack, "output").to(model.device, model.dtype) for stack in call.n_layers_run}


def check_changed_version(experiment: Subject, place: PlacedText, changed_version: str) -> None:
    """Raise InputError unless a changed version can be patched with the text."""
    if changed_version == place.text:
        raise InputError("The changed version is the text itself. Change one word.")
    tokens, changed_tokens = place.encoded.tokens, experiment.encoded(changed_version).tokens
    if len(tokens) == len(changed_tokens):
        return
    text_words, changed_words = words(place.text), words(changed_version)
    unequal = [
        f"“{a}” is {in_words(len(tokens_of(tokens, n)), 'token')} for this model, "
        f"“{b}” {in_words(len(tokens_of(changed_tokens, n)))}"
        for n, (a, b) in enumerate(zip(text_words, changed_words, strict=False))
        if len(text_words) == len(changed_words) and len(tokens_of(tokens, n)) != len(tokens_of(changed_tokens, n))
    ]
    reason = (
        f"{'; '.join(unequal)}."
        if unequal
        else f"The text has {len(tokens)}, the changed version {len(changed_tokens)}."
    )
    raise InputError(
        f"Patching needs versions of equal length in tokens. {reason} Choose another word; the rest works."
    )
