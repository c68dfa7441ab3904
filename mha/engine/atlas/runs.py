"""One model over many texts, as a job: first every number of `mha.analysis.whole`, then how alike heads look.

What is known is shown all the while. How alike they look stands beside the model's scrambled twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.alike import distances, placing
from mha.analysis.alike_over import MOST_DRAWN, Alike, Different, Divergences, between_heads
from mha.analysis.beyond import N_LOOKS, BeyondHabit, Extreme
from mha.analysis.corpus import OverCorpus
from mha.analysis.habit import N_DISTANCES
from mha.analysis.whole import KEYS, one_text
from mha.brief import brief
from mha.engine.atlas.watching import Watching, watching
from mha.engine.jobs import Job
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.pairs import corpus
from mha.stepwise import Steps

MOST_COMPARED = 300  # texts over which heads are compared with each other
TWIN_SEED = 1
AT_ONCE = 64  # texts of which those of one length are measured together, in one step
COMPARED_AT_ONCE = 8


@dataclass(frozen=True, eq=False)
class Atlas:
    """What is known of a model over some texts.

    ``mean`` is float64 [layer, head] by key of `mha.analysis.whole.SHADES`; ``low`` and ``high`` its interval, empty
    below 30 texts. ``habit`` is the mean weight by distance, [layer, head, distance]. ``alike`` and ``looks`` (a tuple
    a head, in the order of heads) come last. ``n_texts`` were given, ``n_measured`` are measured, ``n_left_out`` could
    not be.
    """

    model: str
    revision: str
    n_texts: int
    n_measured: int
    n_left_out: int
    mean: dict[str, np.ndarray]
    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]
    habit: np.ndarray
    alike: Alike | None = None
    looks: tuple[tuple[Extreme, ...], ...] = ()

    __repr__ = brief

    @property
    def n_answered(self) -> int:
        """How many texts the numbers are over."""
        return self.n_measured - self.n_left_out

    @property
    def whole(self) -> bool:
        """Whether every text is measured."""
        return self.n_measured >= self.n_texts


class AtlasRun(Job):
    """One model over some texts; `so_far` is what is known."""

    def __init__(self, model: str, texts: Sequence[str] | None = None) -> None:
        row = model_row(model)
        self.model, self.texts = model, tuple(corpus() if texts is None else texts)
        self.revision = row.revision
        self.shape = row.n_layers, row.n_heads
        self.over = OverCorpus(len(self.texts), self.shape)
        self.left_out: set[int] = set()
        self.alike: Alike | None = None
        self.looks: tuple[tuple[Extreme, ...], ...] = ()
        self._far = np.zeros((*self.shape, N_DISTANCES))
        self._pairs = np.zeros(N_DISTANCES)
        self._known: tuple[int, Atlas] | None = None
        self.whole = len(self.texts) + min(len(self.texts), MOST_COMPARED)
        super().__init__()

    @property
    def comparing(self) -> bool:
        """Whether the texts are measured and heads are being compared."""
        return not self.over.missing

    def so_far(self) -> Atlas:
        """Return what is known now."""
        key = self.over.n_measured + (self.alike is not None)
        known = self._known
        if known is None or known[0] != key:
            self._known = known = key, self._atlas()
        return known[1]

    def _atlas(self) -> Atlas:
        keys = [name for name in KEYS if name in self.over.keys]
        ends = {name: self.over.interval(name) for name in keys}
        return Atlas(
            self.model,
            self.revision,
            len(self.texts),
            self.over.n_measured,
            len(self.left_out),
            {name: self.over.mean(name) for name in keys},
            {name: both[0] for name, both in ends.items() if both is not None},
            {name: both[1] for name, both in ends.items() if both is not None},
            self._far / np.maximum(self._pairs, 1),
            self.alike,
            self.looks,
        )

    def steps(self) -> Iterator[None]:
        """Measure the texts that are missing, some in each step; then compare heads."""
        maps_of = watching(self.model)
        missing = list(self.over.missing)
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            for together in maps_of.together([self.texts[number] for number in some]):
                for place, maps in together:
                    self._measure(some[place], maps)
                self.done = self.over.n_measured
                yield
        if self.alike is None:
            yield from self._compare(maps_of)
        self.done = self.whole

    def _measure(self, number: int, maps: AttentionMaps | None) -> None:
        if maps is None:
            self.left_out.add(number)
            self.over.add(number, dict.fromkeys(KEYS, np.full(self.shape, np.nan)))
            return
        found = one_text(maps)
        self._far += found.far
        self._pairs += found.pairs
        self.over.add(number, found.values)

    def _compare(self, maps_of: Watching) -> Iterator[None]:
        twin_of = watching(self.model, TWIN_SEED) if model_row(self.model).kind == "transformer" else None
        heads = self.shape[0] * self.shape[1]
        here, aside, twin = Divergences(heads), Divergences(heads), Divergences(heads)
        beyond = BeyondHabit(self._far / np.maximum(self._pairs, 1))
        numbers = [number for number in range(len(self.texts)) if number not in self.left_out][:MOST_COMPARED]
        for start in range(0, len(numbers), COMPARED_AT_ONCE):
            some = numbers[start : start + COMPARED_AT_ONCE]
            texts = [self.texts[number] for number in some]
            for together in maps_of.together(texts):
                for place, maps in together:
                    if maps is not None:
                        here.add(*between_heads(maps))
                        yield
                        aside.add(*between_heads(maps, aside=True))
                        beyond.add(some[place], maps)
                        yield
            for together in twin_of.together(texts) if twin_of else ():
                for _, maps in together:
                    if maps is not None:
                        twin.add(*between_heads(maps))
                        yield
            self.done = len(self.texts) + start
        if not numbers:
            return
        self.looks = tuple(beyond.strongest(head, N_LOOKS) for head in range(heads))
        own, left = (Different.of(one.mean, self.shape[1]) for one in (here, aside))
        beside = Different.of(twin.mean, self.shape[1]) if twin.n_rows else None
        self.alike = Alike.of(len(numbers), here.mean, own, left, beside)


def alone(maps: AttentionMaps, twin: AttentionMaps | None = None) -> Steps[Atlas]:
    """Find the numbers of one text, and how alike heads look in it, beside its maps in the model's twin."""
    one = one_text(maps)
    yield 1
    here = between_heads(maps)[0]
    yield 1
    aside = between_heads(maps, aside=True)[0]
    yield 1
    own, left = (Different.of(each, maps.n_heads) for each in (here, aside))
    beside = None if twin is None else Different.of(between_heads(twin)[0], twin.n_heads)
    yield 1
    plane = (yield from placing(distances(here))) if len(here) <= MOST_DRAWN else None
    return Atlas(
        maps.model, maps.revision, 1, 1, 0, one.values, {}, {}, one.far / np.maximum(one.pairs, 1),
        Alike.of(1, here, own, left, beside, plane),
    )  # fmt: skip
