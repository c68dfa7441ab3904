"""One model over many texts, as a job: every number of `mha.analysis.whole`, and the similarity of heads.

The page shows the numbers so far. The similarity of heads is compared with that in the model's scrambled copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mha.analysis.alike import Alike, Divergences, between_heads
from mha.analysis.corpus import OverCorpus
from mha.analysis.roles import FEWEST_WORDS as FEWEST_HERE
from mha.analysis.usual import FEWEST_WORDS, N_DISTANCES, SHARES
from mha.analysis.whole import KEYS, N_LOOKS, BeyondHabit, Extreme, OneText, one_text
from mha.brief import with_arrays
from mha.engine.atlas.watching import watching
from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.pairs import corpus
from mha.stepwise import Steps, uncounted

MOST_COMPARED = 300  # texts over which heads are compared with each other
TWIN_SEED = 1
AT_ONCE = 64  # texts of which those of one length are measured together, in one step
COMPARED_AT_ONCE = 8


@with_arrays
class Atlas:
    """What is known of a model over some texts.

    ``mean`` is float64 [layer, head] by key of `mha.analysis.whole.SHADES`; ``low`` and ``high`` its interval, empty
    below 30 texts. ``habit`` is the mean weight by distance, [layer, head, distance]. ``shares`` are those that
    patterns are read off, as `mha.analysis.usual.looking` has them, over texts of six words or more; empty where there
    are none. ``alike`` and ``looks`` (a tuple a head, in the order of heads) come last. ``n_texts`` were given,
    ``n_measured`` are measured, ``n_left_out`` could not be.
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
    shares: dict[str, np.ndarray]
    alike: Alike | None = None
    looks: tuple[tuple[Extreme, ...], ...] = ()

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
        self._shares = {name: (np.zeros(self.shape), np.zeros(self.shape)) for name in SHARES}  # sums, and of how many
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
            self._mean_shares(),
            self.alike,
            self.looks,
        )

    def _mean_shares(self) -> dict[str, np.ndarray]:
        if not any(count.any() for _, count in self._shares.values()):
            return {}
        return {
            name: np.divide(total, count, out=np.full(self.shape, np.nan), where=count > 0)
            for name, (total, count) in self._shares.items()
        }

    def steps(self) -> Iterator[None]:
        """Measure the texts that are missing, some in each step; then compare heads."""
        if self.over.missing:
            yield from self.taking(self.rest)
        if self.alike is None:
            yield from self.taking(self._comparison)
        self.done = self.whole

    def rest(self) -> InPieces:
        """Return the texts that are missing."""
        return InPieces(
            measured, (self.model, [(number, self.texts[number]) for number in self.over.missing]), model=self.model
        )

    def _comparison(self) -> InPieces:
        known = [number for number in range(len(self.texts)) if number not in self.left_out][:MOST_COMPARED]
        habit = self._far / np.maximum(self._pairs, 1)
        return InPieces(
            compared, (self.model, [(number, self.texts[number]) for number in known], habit), model=self.model
        )

    def take(self, piece: list[tuple[int, OneText | None]] | Compared) -> None:
        """Take the numbers of some texts, or what comparing heads found."""
        if isinstance(piece, Compared):
            self.done = len(self.texts) + piece.done
            self.alike, self.looks = piece.alike, piece.looks
            return
        for number, found in piece:
            if found is None:
                self.left_out.add(number)
                self.over.add(number, dict.fromkeys(KEYS, np.full(self.shape, np.nan)))
            else:
                self._far += found.far
                self._pairs += found.pairs
                for name, share in found.shares.items() if found.n_words >= FEWEST_WORDS else ():
                    total, count = self._shares[name]
                    total += np.nan_to_num(share)
                    count += np.isfinite(share)
                self.over.add(number, found.values)
        self.done = self.over.n_measured


def measured(model: str, texts: list[tuple[int, str]]) -> Iterator[list[tuple[int, OneText | None]]]:
    """Yield the numbers of texts and what is measured of them, as many as one step takes; None of what is left out."""
    maps_of = watching(model)
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        for together in maps_of([text for _, text in some]):
            yield [(some[place][0], None if maps is None else one_text(maps)) for place, maps in together]


class Compared(NamedTuple):
    """How many texts heads were compared over; and what was found, at the end."""

    done: int
    alike: Alike | None = None
    looks: tuple[tuple[Extreme, ...], ...] = ()


def compared(model: str, texts: list[tuple[int, str]], habit: np.ndarray) -> Iterator[int | Compared]:
    """Compare heads with each other over texts, beside the model's scrambled twin; ``habit`` as `Atlas` has it."""
    if not texts:
        return
    row = model_row(model)
    maps_of, twin_of = watching(model), watching(model, TWIN_SEED) if row.kind == "transformer" else None
    heads = row.n_layers * row.n_heads
    here, aside, twin = Divergences(heads), Divergences(heads), Divergences(heads)
    beyond = BeyondHabit(habit)
    for start in range(0, len(texts), COMPARED_AT_ONCE):
        some = texts[start : start + COMPARED_AT_ONCE]
        for together in maps_of([text for _, text in some]):
            for place, maps in together:
                if maps is not None:
                    here.add(*(yield from uncounted(between_heads(maps))))
                    aside.add(*(yield from uncounted(between_heads(maps, aside=True))))
                    beyond.add(some[place][0], maps)
                    yield 0
        for together in twin_of([text for _, text in some]) if twin_of else ():
            for _, maps in together:
                if maps is not None:
                    twin.add(*(yield from uncounted(between_heads(maps))))
                    yield 0
        yield Compared(start)
    looks = tuple(beyond.strongest(head, N_LOOKS) for head in range(heads))
    beside = twin.mean if twin.n_rows else None
    yield Compared(len(texts), Alike.of(len(texts), row.n_heads, here.mean, aside.mean, beside), looks)


def alone(maps: AttentionMaps, twin: AttentionMaps | None = None) -> Steps[Atlas]:
    """Find the numbers of one text, and how alike heads look in it, beside its maps in the model's twin."""
    one = one_text(maps)
    yield 1
    here = (yield from between_heads(maps))[0]
    aside = (yield from between_heads(maps, aside=True))[0]
    beside = None if twin is None else (yield from between_heads(twin))[0]
    return Atlas(
        maps.model, maps.revision, 1, 1, 0, one.values, {}, {}, one.far / np.maximum(one.pairs, 1),
        one.shares if one.n_words >= FEWEST_HERE else {},
        Alike.of(1, maps.n_heads, here, aside, beside),
    )  # fmt: skip


@with_arrays
class Silenced:
    """How far silencing each head turns a text, 1 − cosine, mean over ``n_texts``, float64 [layer, head].

    ``goes_with_looking`` is `looking_and_doing`, NaN where it is not known.
    """

    n_texts: int
    moved: np.ndarray
    goes_with_looking: float
