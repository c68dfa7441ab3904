"""Which runs there are: one a model over the corpus, some over readers' own texts; and what is known by now."""

from __future__ import annotations

from mha.engine.answers import FEW, in_steps
from mha.engine.atlas.bundled import bundled, bundled_atlas
from mha.engine.atlas.flow import FlowRun
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, alone
from mha.engine.atlas.silencing import Silenced, SilencedRun
from mha.engine.atlas.watching import MOST_WORDS, watching
from mha.engine.jobs import KeptRuns, PerModel
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.stepwise import Steps

KEPT_RUNS = 8  # over readers' own texts

_atlases = PerModel(AtlasRun)
atlas_run, measure_atlas = _atlases.get, _atlases.go_on
_silenced = PerModel(SilencedRun)
silenced_run, measure_silenced = _silenced.get, _silenced.go_on
_own: KeptRuns[AtlasRun] = KeptRuns(KEPT_RUNS)
_flows: KeptRuns[FlowRun] = KeptRuns(KEPT_RUNS)


def flow_run(text: str, model: str) -> FlowRun | None:
    """Return the flow of a text, under way or over; None where nobody has begun it."""
    return _flows.get((text, model))


def measure_flow(text: str, model: str, maps: AttentionMaps, visitor: str | None = None) -> FlowRun:
    """Return the flow of a text as `KeptRuns.go_on` does."""
    return _flows.go_on((text, model), lambda: FlowRun(maps), visitor)


def own_run(model: str, texts: tuple[str, ...]) -> AtlasRun | None:
    """Return the run of a model over somebody's own texts, None where it was not begun or is forgotten."""
    return _own.get((model, texts))


def measure_own(model: str, texts: tuple[str, ...], visitor: str | None = None) -> AtlasRun:
    """Return the run over own texts as `KeptRuns.go_on` does."""
    return _own.go_on((model, texts), lambda: AtlasRun(model, texts), visitor)


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


@in_steps(lambda _: FEW)
def atlas_of_text(text: str, model: str) -> Steps[Atlas]:
    """Find `alone` of a text, beside its looks in the model's scrambled twin, if it has one.

    Raises:
        InputError: the text has more than 128 words and marks, or none that can be looked at.
    """
    from mha.engine.recordings import Request, record

    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = watching(model, TWIN_SEED)([text])[0] if model_row(model).kind == "transformer" else None
    yield 1
    return (yield from alone(maps, twin))
