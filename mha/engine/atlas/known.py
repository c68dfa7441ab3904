"""Which runs there are: one a model over the corpus, some over readers' own texts; and what is known by now."""

from __future__ import annotations

from threading import Lock

from cachetools import LRUCache

from mha.engine.answers import answered
from mha.engine.atlas.bundled import bundled, bundled_atlas
from mha.engine.atlas.flow import FlowRun
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, alone
from mha.engine.atlas.silencing import Silenced, SilencedRun
from mha.engine.atlas.watching import MOST_WORDS, watching
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import PerModel
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row

KEPT_RUNS = 8  # over readers' own texts

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
    known = bundled(model)
    if known is not None and known.silenced is not None:
        return known.silenced
    run = silenced_run(model)
    if run is None:
        return None
    atlas = atlas_of(model)
    return run.found(atlas.alike if atlas else None)


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
