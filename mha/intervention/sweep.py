"""The readout while heads are silenced: one set, every head in one sweep, one head at growing strength."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mha.errors import InputError
from mha.intervention.ablation import Change, Heads, given, scaled, silencing
from mha.intervention.growing import MOST_ROWS, Variant, gathering, rows_at_once, variants_in_parts
from mha.intervention.outcomes import Sweep
from mha.intervention.places import PlacedText, Readings, placed
from mha.intervention.readout import Readout, readout_row
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.pairs import OTHER
from mha.stepwise import Progress, Steps, finished


def preference(
    text: str,
    readings: Readings,
    readout: str | Readout = "link",
    at: int | None = None,
    silenced: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    like: str = OTHER,
) -> float:
    """Return the readout of a text between two readings, positive towards the first, with some heads silenced.

    ``at`` is the block output that the link margin reads: 0 = embeddings … n_layers = last; n_layers − 1 if not said.
    Under "resample" it is the mean over up to ten other sentences, taken from the pairs of the kind of ambiguity
    ``like`` (see `mha.intervention.donors`).

    Raises:
        InputError: a reading does not fit the text, or no such block output, head, kind or readout; under "resample",
            no other sentence has the length of the text, or the readout reads more than the text.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    return float(preferences(text, readings, [silenced], readout, at, kind, model, like=like)[0])


def preferences(
    text: str,
    readings: Readings,
    sets: Sequence[Heads],
    readout: str | Readout = "link",
    at: int | None = None,
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    like: str = OTHER,
) -> np.ndarray:
    """Return the readout for each set of silenced heads (an empty set: untouched), float64 [set]; errors as above."""
    return finished(preferring(text, readings, sets, readout, at, kind, model, like))


def preferring(
    text: str,
    readings: Readings,
    sets: Sequence[Heads],
    readout: str | Readout = "link",
    at: int | None = None,
    kind: str = "mean",
    model: str | LoadedModel = DEFAULT,
    like: str = OTHER,
) -> Steps[np.ndarray]:
    """Find what `preferences` returns, some sets in each step."""
    question = AskedReadout.asked(text, readings, readout, at, model)
    donors = question.given(kind, like)
    variants = [
        silencing(question.experiment, heads, kind, donor) if len(heads) else () for donor in donors for heads in sets
    ]
    _, values = yield from question.answering(variants)
    return values.reshape(len(donors), len(sets)).mean(axis=0)


def sweep(
    text: str,
    readings: Readings,
    kind: str = "mean",
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    progress: Progress | None = None,
    like: str = OTHER,
) -> Sweep:
    """Return what silencing each head by itself does to the readout; exact, in passes that share what is shared.

    ``progress(done, all)`` is called now and then and may raise to cancel. Raises as `preference`.
    """
    found = None
    for found in sweeping(text, readings, kind, readout, at, model, like=like):
        if progress is not None:
            progress(int(np.isfinite(found.effect).sum()), int((np.isfinite(found.effect) | found.waiting).sum()))
    assert found is not None
    return found


def sweeping(
    text: str,
    readings: Readings,
    kind: str = "mean",
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
    rows: int | None = None,
    heads: Heads | None = None,
    like: str = OTHER,
) -> Iterator[Sweep]:
    """Yield the sweep again and again while it fills up, the last one whole; whoever stops listening cancels it.

    Low layers come first. ``rows`` heads are silenced in one pass, or as many as memory allows; ``heads`` are those
    to be silenced, all that can act if not said. Raises as `preference`.
    """
    question = AskedReadout.asked(text, readings, readout, at, model)
    acting = question.acting
    wanted = acting if heads is None else [head for head in question.experiment.chosen(heads) if head in acting]
    donors = question.given(kind, like)
    changes = [change for donor in donors for change in silencing(question.experiment, wanted, kind, donor)]
    effects = np.full((len(donors), len(acting)), np.nan)
    places = np.array([acting.index(head) for head in wanted] * len(donors), dtype=int)
    whose = np.repeat(np.arange(len(donors)), len(wanted))
    yield question.swept(kind, float("nan"), effects.mean(axis=0))
    for untouched, part, values in question.in_parts([(change,) for change in changes], rows):
        effects[whose[part], places[part]] = values.numpy() - untouched
        yield question.swept(kind, untouched, effects.mean(axis=0))  # NaN until every donor has had its turn


def steer(
    text: str,
    readings: Readings,
    heads: Heads,
    strengths: Sequence[float],
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
) -> np.ndarray:
    """Return the readout with each head, one at a time, at each strength from 0 to 3, as float64 [head, strength]."""
    return finished(steering(text, readings, heads, strengths, readout, at, model))


def steering(
    text: str,
    readings: Readings,
    heads: Heads,
    strengths: Sequence[float],
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
) -> Steps[np.ndarray]:
    """Find what `steer` returns, some strengths in each step."""
    question = AskedReadout.asked(text, readings, readout, at, model)
    chosen = question.experiment.chosen(heads)
    variants = [(scaled(head, strength),) for head in chosen for strength in strengths]
    _, values = yield from question.answering(variants)
    return values.reshape(len(chosen), len(strengths))


def cut(
    text: str,
    readings: Readings,
    head: HeadId | tuple[int, int] | str,
    links: Sequence[tuple[int, int]],
    readout: str | Readout = "link",
    at: int | None = None,
    model: str | LoadedModel = DEFAULT,
) -> float:
    """Return the readout with some looks of one head cut: weight from word to word 0, the rest of the row rescaled.

    ``links`` are pairs (looking word, looked-at word) of word numbers. Raises as `preference`.
    """
    question = AskedReadout.asked(text, readings, readout, at, model)
    (chosen,) = question.experiment.chosen([head])
    tokens = question.place.tokens_of
    pairs = tuple((q, k) for query, key in links for q in tokens(query) for k in tokens(key))
    return float(finished(question.answering([(Change(chosen, cut=pairs),)]))[1][0])


@dataclass(frozen=True, eq=False)
class AskedReadout:
    """A readout asked of one text: what every experiment here is made of."""

    experiment: Subject
    place: PlacedText
    readout: Readout
    at: int

    @classmethod
    def asked(
        cls, text: str, readings: Readings, readout: str | Readout, at: int | None, model: str | LoadedModel
    ) -> AskedReadout:
        """Return the question with everything about it checked."""
        experiment = subject(model)
        return cls(experiment, placed(experiment, text, readings), readout_row(readout), experiment.block_output(at))

    @property
    def reach(self) -> int:
        """How many layers can act on the readout."""
        return self.readout.reach(self.experiment, self.at)

    @property
    def acting(self) -> tuple[HeadId, ...]:
        """The heads that can act on the readout."""
        return tuple(head for head in self.experiment.heads if head.layer < self.reach)

    def given(self, kind: str, like: str = OTHER) -> list[Tensor | None]:
        """Return what a kind of silencing puts in place, once for each donor; errors as `preference`."""
        found = given(self.experiment, self.place.text, kind, like)
        if found[0] is not None:
            read = [one.inputs["input_ids"] for one in self.readout.passes(self.experiment, self.place, self.at)]
            here = self.experiment.inputs(self.place.encoded)["input_ids"]
            if any(not torch.equal(one, here) for one in read):
                raise InputError(
                    'Another sentence can stand in for the text alone. Use readout="link" with "resample".'
                )
        return found

    def answering(self, variants: Sequence[Variant]) -> Steps[tuple[float, np.ndarray]]:
        """Find the readout of the untouched text, and of each variant as float64 [variant]."""
        untouched, values = yield from gathering(self.in_parts(variants), len(variants))
        return untouched, values.numpy()

    def in_parts(
        self, variants: Sequence[Variant], rows: int | None = None
    ) -> Iterator[tuple[float, list[int], Tensor]]:
        """Yield the readout of the untouched text, and that of some variants after the other, float64 [variant].

        A readout of several passes goes through them side by side, in equal parts.
        """
        passes = self.readout.passes(self.experiment, self.place, self.at)
        rows = min(rows or MOST_ROWS, *(rows_at_once(self.experiment, one.inputs) for one in passes))
        several = [
            variants_in_parts(self.experiment, one.inputs, variants, one.read, stop=one.stop, runs=one.runs, rows=rows)
            for one in passes
        ]
        for parts in zip(*several, strict=True):
            yield sum(part[0] for part in parts), parts[0][1], torch.stack([part[2] for part in parts]).sum(dim=0)

    def swept(self, kind: str, untouched: float, effects: np.ndarray) -> Sweep:
        """Return one effect for each acting head as a sweep."""
        effect = np.full((self.experiment.n_layers, self.experiment.n_heads), np.nan)
        effect[: self.reach] = effects.reshape(self.reach, -1)
        return Sweep(self.place.text, kind, self.at, self.reach, untouched, effect, self.direct())

    def direct(self) -> np.ndarray:
        """Return which heads belong to the block whose output is compared, as bool [layer, head]."""
        found = np.zeros((self.experiment.n_layers, self.experiment.n_heads), dtype=bool)
        if self.readout == readout_row("link"):
            found[self.at - 1] = True
        return found
