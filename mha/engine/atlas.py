"""A model over many texts: bundled numbers of the sample sentences, and jobs over a visitor's texts.

Every number of `mha.analysis.whole`, and the similarity of heads, which is compared with that in the model's scrambled
copy. ``python -m studies.bundled`` writes the files of the sample sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mha import assets
from mha.analysis.alike import Alike, Different, Divergences, Placed, between_heads
from mha.analysis.corpus import OverCorpus
from mha.analysis.roles import FEWEST_WORDS as FEWEST_HERE
from mha.analysis.usual import FEWEST_WORDS, N_DISTANCES, SHARES, habit
from mha.analysis.whole import KEYS, N_LOOKS, BeyondHabit, Extreme, OneText, one_text
from mha.assets import ASSETS
from mha.brief import with_arrays
from mha.engine.answers import FEW, in_steps
from mha.engine.jobs import Job
from mha.engine.question import InPieces
from mha.engine.recordings import Request, record
from mha.engine.text_maps import MOST_WORDS, watching
from mha.errors import InputError
from mha.intervention.outcomes import Threes
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


@in_steps(lambda _: FEW)
def atlas_of_text(text: str, model: str) -> Steps[Atlas]:
    """Find `alone` of a text, beside its looks in the model's scrambled twin, if it has one.

    Raises:
        InputError: the text has more than 128 words and marks, or none that can be looked at.
    """
    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = None
    if model_row(model).kind == "transformer":
        ((_, twin),) = chain.from_iterable(watching(model, TWIN_SEED)([text]))
    yield 1
    return (yield from alone(maps, twin))


def file_of(model: str) -> Path:
    """Return where a model's atlas is kept, by its name in the catalog."""
    return ASSETS / f"atlas_{model.replace('/', '--')}.npz"


def bundled_atlas(model: str) -> Atlas | None:
    """Return the atlas that comes with the program for exactly these weights, or None."""
    known = of_program(model)
    return known.atlas if known else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far ablating each head turns the sample sentences, if that comes with the program; else None."""
    known = of_program(model)
    return known.silenced if known else None


def threes_of(model: str) -> Threes | None:
    """Return what three heads of a layer carry together, where that comes with the program; else None."""
    known = of_program(model)
    return known.threes if known else None


class Bundled(NamedTuple):
    """What comes with the program for one model."""

    atlas: Atlas
    silenced: Silenced | None
    threes: Threes | None


def of_program(model: str) -> Bundled | None:
    row, known = model_row(model), assets.optional(file_of(model), lambda content: read(assets.arrays(content)))
    usual = habit(model)  # patterns are read off what Heads reads them off
    if known is None or not row.revision or known.atlas.revision != row.revision:
        return None
    return known if usual is None else known._replace(atlas=replace(known.atlas, shares=usual.shares))


def read(stored: dict[str, np.ndarray]) -> Bundled:
    numbers, keys = stored["numbers"].astype(np.float64), [str(key) for key in stored["keys"]]
    mean, low, high = ({key: part[place] for place, key in enumerate(keys)} for part in numbers)
    n_layers, n_heads = numbers.shape[2:]
    divergence = np.zeros((n_layers * n_heads,) * 2)
    divergence[np.triu_indices(len(divergence), 1)] = stored["divergence"]
    own, left, beside = (Different(float(row[0]), tuple(float(one) for one in row[1:])) for row in stored["different"])
    plane = Placed(stored["points"].astype(np.float64), float(stored["stress"]))
    n_texts, n_measured, n_left_out, n_compared = (int(one) for one in stored["counts"])
    looks: list[list[Extreme]] = [[] for _ in range(len(divergence))]
    for head, text, query, key, weight, usual in stored["looks"]:
        looks[int(head)].append(Extreme(int(text), int(query), int(key), float(weight), float(usual)))
    atlas = Atlas(
        str(stored["model"]), str(stored["revision"]), n_texts, n_measured, n_left_out, mean, low, high,
        stored["habit"].astype(np.float64), {},
        Alike(n_compared, divergence + divergence.T, own, left, beside, plane),
        tuple(tuple(some) for some in looks),
    )  # fmt: skip
    silenced = threes = None
    if "silenced" in stored:
        n_silenced, goes = stored["silencing"]
        silenced = Silenced(int(n_silenced), stored["silenced"].astype(np.float64), float(goes))
    if "threes" in stored:
        threes = Threes(stored["threes"].astype(int), stored["threes_share"].astype(np.float64))
    return Bundled(atlas, silenced, threes)
