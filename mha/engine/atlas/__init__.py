"""A whole model over many texts, and how far silencing each head turns them: as jobs, and as they come bundled.

``python -m mha.engine.atlas`` writes MiniLM's file. A run has two parts, and shows what is known all the while: first
every number of `mha.analysis.whole`, text by text, then how alike heads look, beside the model's twin.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from cachetools import LRUCache

from mha.analysis.alike import Placed
from mha.analysis.corpus import OverCorpus
from mha.analysis.habit import N_DISTANCES
from mha.analysis.summaries import flowing
from mha.analysis.whole import (
    KEYS,
    N_LOOKS,
    Alike,
    BeyondHabit,
    Different,
    Divergences,
    Extreme,
    between_heads,
    looking_and_doing,
    one_text,
)
from mha.assets import ASSETS
from mha.brief import brief
from mha.engine.answers import answered
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import Job, PerModel
from mha.errors import InputError, MHAError
from mha.intervention.threes import Threes, threes
from mha.maps import AttentionMaps
from mha.models.files.catalog import DEFAULT, model_row
from mha.pairs import corpus
from mha.words import accept

if TYPE_CHECKING:
    from mha.intervention.subject import Subject

MOST_WORDS = 128  # of a text; what is longer is left out
MOST_COMPARED = 300  # texts over which heads are compared with each other
TWIN_SEED = 1
AT_ONCE = 64  # texts measured in one step: as many as a fifth of a second takes, those of one length together
COMPARED_AT_ONCE = 8
KEPT_RUNS = 8  # over readers' own texts
LEFT_OUT = "left out"


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
            self._measure(missing[start : start + AT_ONCE], maps_of)
            self.done = self.over.n_measured
            yield
        if self.alike is None:
            yield from self._compare(maps_of)
        self.done = self.whole

    def _measure(self, numbers: list[int], maps_of: Watching) -> None:
        nothing = dict.fromkeys(KEYS, np.full(self.shape, np.nan))
        for number, maps in zip(numbers, maps_of([self.texts[number] for number in numbers]), strict=True):
            if maps is None:
                self.left_out.add(number)
                self.over.add(number, nothing)
                continue
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
            for number, maps in zip(some, maps_of(texts), strict=True):
                if maps is not None:
                    here.add(*between_heads(maps))
                    aside.add(*between_heads(maps, aside=True))
                    beyond.add(number, maps)
            for maps in twin_of(texts) if twin_of else ():
                if maps is not None:
                    twin.add(*between_heads(maps))
            self.done = len(self.texts) + start
            yield
        if not numbers:
            return
        self.looks = tuple(beyond.strongest(head, N_LOOKS) for head in range(heads))
        own, left = (Different.of(one.mean, self.shape[1]) for one in (here, aside))
        beside = Different.of(twin.mean, self.shape[1]) if twin.n_rows else None
        self.alike = Alike.of(len(numbers), here.mean, own, left, beside)


class Watching:
    """Records texts with one model in memory, or its scrambled twin: maps in the order of the texts, or None."""

    def __init__(self, experiment: Subject | None, model: str) -> None:
        self._experiment, self._model = experiment, model

    def __call__(self, texts: Sequence[str]) -> list[AttentionMaps | None]:
        """Return the maps of texts; None where there is nothing to look at, or the model cannot read it."""
        if self._experiment is None:
            return [self._alone(text) for text in texts]
        from mha.intervention.batches import looked
        from mha.models.watch.threads import one_thread

        found: list[AttentionMaps | None] = [None] * len(texts)
        readable, encoded, places = [], [], []
        for place, text in enumerate(texts):
            try:
                accepted = accept(text).text
                read = self._experiment.encoded(accepted)
            except MHAError:
                continue
            if len(read.tokens) <= MOST_WORDS:
                readable.append(accepted)
                encoded.append(read)
                places.append(place)
        with one_thread():  # short texts gain nothing from more, and others need the cores
            for one in looked(self._experiment, readable, encoded) if readable else ():
                found[places[one.number]] = _with_words(one.maps)
        return found

    def _alone(self, text: str) -> AttentionMaps | None:
        from mha.models.watch.attending import record_text

        try:
            maps = record_text(text, self._model).maps
        except MHAError:
            return None
        return _with_words(maps) if maps.n_queries <= MOST_WORDS else None


def _with_words(maps: AttentionMaps) -> AttentionMaps | None:
    return maps if any(token.word is not None for token in maps.tokens) else None


def watching(model: str, twin: int | None = None) -> Watching:
    """Return what records texts with a model, loading it if need be; with ``twin`` its scrambled twin of that seed.

    Models whose heads cannot be reached record one text after the other.
    """
    from mha.errors import AttentionUnavailable

    if model_row(model).kind != "transformer":
        return Watching(None, model)
    from mha.intervention.subject import subject
    from mha.models.watch.attending import loaded_model

    try:
        loaded = loaded_model(model) if twin is None else loaded_model(model, ("scrambled", twin))
        return Watching(subject(loaded), model)
    except AttentionUnavailable:
        if twin is not None:
            raise InputError("This model's twin cannot be looked at.") from None
        return Watching(None, model)


class SilencedRun(Job):
    """How far silencing each head of a model turns the corpus: ``moved`` is [text, head of all], NaN until measured."""

    def __init__(self, model: str) -> None:
        row = model_row(model)
        self.model = model
        self.shape = row.n_layers, row.n_heads
        self.moved = np.full((len(corpus()), row.n_layers * row.n_heads), np.nan)
        self.unread: set[int] = set()
        self.whole = len(corpus())
        super().__init__()

    def steps(self) -> Iterator[None]:
        """Average what takes a head's place, where that is not known; then one text a step."""
        from mha.intervention.bank import gathering
        from mha.intervention.subject import subject
        from mha.intervention.vectors import turning

        experiment = subject(self.model)
        for _ in gathering(experiment):
            yield
        numbers = [n for n in np.flatnonzero(np.isnan(self.moved[:, 0])) if int(n) not in self.unread]
        for place, found in turning(experiment, [corpus()[number] for number in numbers]):
            if found is None:
                self.unread.add(int(numbers[place]))
            else:
                self.moved[numbers[place]] = found
            self.done = len(self.unread) + int(np.isfinite(self.moved[:, 0]).sum())
            yield

    def found(self) -> Silenced | None:
        """Return the means, once every text is measured."""
        measured = np.isfinite(self.moved[:, 0])
        if self.state != "done" or not measured.any():
            return None
        atlas = atlas_of(self.model)
        alike = atlas.alike if atlas else None
        goes = float("nan") if alike is None else looking_and_doing(alike.distance, self.moved[measured])
        return Silenced(int(measured.sum()), self.moved[measured].mean(axis=0).reshape(self.shape), goes)


@dataclass(frozen=True, eq=False)
class Silenced:
    """How far silencing each head turns a text, 1 − cosine, mean over ``n_texts``, float64 [layer, head].

    ``goes_with_looking`` is `looking_and_doing`, NaN where it is not known.
    """

    n_texts: int
    moved: np.ndarray
    goes_with_looking: float

    __repr__ = brief


class FlowRun(Job):
    """The flow of one text through a model's layers, word by word; ``found`` is there at the end, [query, input]."""

    def __init__(self, maps: AttentionMaps) -> None:
        self.maps = maps
        self.found: np.ndarray | None = None
        self.whole = maps.n_queries
        super().__init__()

    def steps(self) -> Iterator[None]:
        """Follow one word at the top after the other down."""
        rows = []
        for row in flowing(self.maps):
            rows.append(row)
            self.done = len(rows)
            yield
        self.found = np.array(rows)


_atlases = PerModel(AtlasRun)
atlas_run, measure_atlas = _atlases.get, _atlases.go_on
_silenced = PerModel(SilencedRun)
silenced_run, measure_silenced = _silenced.get, _silenced.go_on
_own: LRUCache[tuple[str, tuple[str, ...]], AtlasRun] = LRUCache(KEPT_RUNS)
_own_lock = Lock()


_flows: LRUCache[tuple[str, str], FlowRun] = LRUCache(KEPT_RUNS)


def flow_run(text: str, model: str) -> FlowRun | None:
    """Return the flow of a text, under way or over; None where nobody has begun it."""
    return _flows.get((text, model))


def measure_flow(text: str, model: str, maps: AttentionMaps, visitor: str | None = None) -> FlowRun:
    """Return the flow of a text, begun now unless it is under way or over; a stopped one goes on.

    Raises:
        Busy: the visitor who asks follows as many long jobs as one may.
    """
    with _own_lock:
        known = _flows.get((text, model))
        if visitor is not None:
            FOLLOWERS.check_room(visitor, [known] if known else [])
        run = _flows[text, model] = known or FlowRun(maps)
    run.go_on()
    if visitor is not None:
        FOLLOWERS.follow(visitor, run)
    return run


def own_run(model: str, texts: tuple[str, ...]) -> AtlasRun | None:
    """Return the run of a model over somebody's own texts, None where it was not begun or is forgotten."""
    with _own_lock:
        return _own.get((model, texts))


def measure_own(model: str, texts: tuple[str, ...], visitor: str | None = None) -> AtlasRun:
    """Return the run over own texts, begun now unless it is under way or over; a stopped one goes on.

    Raises:
        Busy: the visitor who asks follows as many long jobs as one may.
    """
    with _own_lock:
        known = _own.get((model, texts))
        if visitor is not None:
            FOLLOWERS.check_room(visitor, [known] if known else [])
        run = _own[model, texts] = known or AtlasRun(model, texts)
    run.go_on()
    if visitor is not None:
        FOLLOWERS.follow(visitor, run)
    return run


def atlas_of(model: str) -> Atlas | None:
    """Return a model over the bundled corpus: as it comes with the program, or as far as it was measured; else None."""
    known = bundled_atlas(model)
    if known is not None:
        return known
    run = atlas_run(model)
    return run.so_far() if run and run.over.n_measured else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far silencing turns the corpus, bundled or measured; else None."""
    known = _bundled(model)
    if known is not None and known.silenced is not None:
        return known.silenced
    run = silenced_run(model)
    return run.found() if run else None


@answered
def atlas_of_text(text: str, model: str) -> Atlas:
    """Return `alone` of a text, beside its looks in the model's scrambled twin, if it has one.

    Raises:
        InputError: the text has more than 128 words and marks, or none that can be looked at.
    """
    from mha.engine.recordings import Request, record

    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = watching(model, TWIN_SEED)([text])[0] if model_row(model).kind == "transformer" else None
    return alone(maps, twin)


def alone(maps: AttentionMaps, twin: AttentionMaps | None = None) -> Atlas:
    """Return the numbers of one text, and how alike heads look in it, beside its maps in the model's twin."""
    one = one_text(maps)
    here, aside = (between_heads(maps, aside=way)[0] for way in (False, True))
    own, left = (Different.of(each, maps.n_heads) for each in (here, aside))
    beside = None if twin is None else Different.of(between_heads(twin)[0], twin.n_heads)
    return Atlas(
        maps.model, maps.revision, 1, 1, 0, one.values, {}, {}, one.far / np.maximum(one.pairs, 1),
        Alike.of(1, here, own, left, beside),
    )  # fmt: skip


def file_of(model: str) -> Path:
    """Return where a model's atlas is kept, by its name in the catalog."""
    return ASSETS / f"atlas_{model.replace('/', '--')}.npz"


def bundled_atlas(model: str) -> Atlas | None:
    """Return the atlas that comes with the program for exactly these weights, or None."""
    known = _bundled(model)
    return known.atlas if known else None


def threes_of(model: str) -> Threes | None:
    """Return what three heads of a layer carry together, where that comes with the program; else None."""
    known = _bundled(model)
    return known.threes if known else None


class Bundled(NamedTuple):
    """What comes with the program for one model."""

    atlas: Atlas
    silenced: Silenced | None
    threes: Threes | None


@functools.cache
def _bundled(model: str) -> Bundled | None:
    file, row = file_of(model), model_row(model)
    if not file.exists():
        return None
    with np.load(file, allow_pickle=False) as stored:
        if not row.revision or str(stored["revision"]) != row.revision:
            return None
        return _read({name: stored[name] for name in stored.files})


def write(file: Path, atlas: Atlas, silenced: Silenced | None, threes: Threes | None = None) -> None:
    """Write an atlas into an NPZ without object arrays."""
    alike = atlas.alike
    if alike is None or alike.twin is None or alike.plane is None or not atlas.low:
        raise InputError("Only a whole atlas is bundled, with its twin and its intervals.")
    heads = len(alike.divergence)
    upper = np.triu_indices(heads, 1)
    looks = [(head, *_row(look)) for head, some in enumerate(atlas.looks) for look in some]
    arrays = {
        "numbers": np.stack([[part[key] for key in KEYS] for part in (atlas.mean, atlas.low, atlas.high)]),
        "habit": atlas.habit,
        "divergence": alike.divergence[upper],
        "different": np.array([[one.whole, *one.layers] for one in (alike.here, alike.aside, alike.twin)]),
        "looks": np.array(looks),
        "points": alike.plane.points,
        "stress": np.array(alike.plane.stress),
    }
    if silenced is not None:
        arrays["silenced"] = silenced.moved
        arrays["silencing"] = np.array([silenced.n_texts, silenced.goes_with_looking])
    if threes is not None:
        arrays |= {"threes": threes.heads, "threes_share": threes.share}
    counts = np.array([atlas.n_texts, atlas.n_measured, atlas.n_left_out, alike.n_texts])
    np.savez_compressed(
        file, allow_pickle=False, model=np.array(atlas.model), revision=np.array(atlas.revision), counts=counts,
        keys=np.array(KEYS), **{name: values.astype(np.float32) for name, values in arrays.items()},
    )  # fmt: skip


def _row(look: Extreme) -> tuple[float, ...]:
    return look.text, look.query, look.key, look.weight, look.habit


def _read(stored: dict[str, np.ndarray]) -> Bundled:
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
        stored["habit"].astype(np.float64), Alike.of(n_compared, divergence + divergence.T, own, left, beside, plane),
        tuple(tuple(some) for some in looks),
    )  # fmt: skip
    silenced = threes = None
    if "silenced" in stored:
        n_silenced, goes = stored["silencing"]
        silenced = Silenced(int(n_silenced), stored["silenced"].astype(np.float64), float(goes))
    if "threes" in stored:
        threes = Threes(stored["threes"].astype(int), stored["threes_share"].astype(np.float64))
    return Bundled(atlas, silenced, threes)


def main() -> None:
    """Measure the model that is named over the bundled corpus, and write it where it is looked for."""
    parser = argparse.ArgumentParser(prog="python -m mha.engine.atlas", description=main.__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT)
    model = parser.parse_args().model
    run = measure_atlas(model)
    run.wait(3600)
    silent = measure_silenced(model)
    silent.wait(3600)
    atlas, measured = run.so_far(), np.isfinite(silent.moved[:, 0])
    if atlas.alike is None:
        raise SystemExit(f"It was not measured: {run.error or silent.error}")
    from mha.intervention.subject import subject

    goes = looking_and_doing(atlas.alike.distance, silent.moved[measured])
    moved = silent.moved[measured].mean(axis=0).reshape(silent.shape)
    *_, carried = threes(subject(model))
    write(file_of(model), atlas, Silenced(int(measured.sum()), moved, goes), carried)


if __name__ == "__main__":
    main()
