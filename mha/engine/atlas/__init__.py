"""A whole model over many texts, and how far silencing each head turns them: what can be asked, what is known by now.

`runs.py` has the jobs over texts; `bundled.py` is the file that comes with the program, which
``python -m studies.bundled`` writes for MiniLM and SmolLM2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from mha.analysis.summaries import flowing
from mha.engine.answers import FEW, in_steps
from mha.engine.atlas.bundled import bundled_atlas, of_program, threes_of
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, Silenced, SilencedRun, alone
from mha.engine.atlas.watching import MOST_WORDS, Watching, watching
from mha.engine.jobs import Finding, RunOf
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.stepwise import Steps

__all__ = [
    "MOST_WORDS",
    "TWIN_SEED",
    "Atlas",
    "AtlasRun",
    "Silenced",
    "SilencedRun",
    "Watching",
    "alone",
    "atlas_of",
    "atlas_of_text",
    "bundled_atlas",
    "flow_asked",
    "silenced_of",
    "threes_of",
    "watching",
]


def flow_asked(text: str, model: str) -> RunOf:
    """Return the question for the flow of a text over all layers."""
    return RunOf(_flow, (text, model))


def _flow(text: str, model: str) -> Finding:
    maps = record(Request(text, model)).maps.merged()
    return Finding(flowed, (maps,), maps.n_queries, cost=0.0)  # no pass at all


def flowed(maps: AttentionMaps) -> Iterator[tuple[int, int] | np.ndarray]:
    """Follow one word at the top after the other down all layers; then yield the flow as float64 [query, input]."""
    rows = []
    for row in flowing(maps):
        rows.append(row)
        yield len(rows), maps.n_queries
    yield np.array(rows)


def atlas_of(model: str) -> Atlas | None:
    """Return a model over the bundled corpus: as it comes with the program, or as far as it was measured; else None."""
    known = bundled_atlas(model)
    if known is not None:
        return known
    run = AtlasRun.of(model).answer()
    return run.so_far() if run and run.over.n_measured else None


def silenced_of(model: str) -> Silenced | None:
    """Return how far silencing turns the corpus, bundled or measured; else None."""
    known = of_program(model)
    if known is not None and known.silenced is not None:
        return known.silenced
    run = SilencedRun.of(model).answer()
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
    maps = record(Request(text, model)).maps.merged()
    if maps.n_queries > MOST_WORDS:
        raise InputError(f"Heads are compared over texts of up to {MOST_WORDS} words; this one has {maps.n_queries}.")
    twin = None
    if model_row(model).kind == "transformer":
        ((_, twin),) = chain.from_iterable(watching(model, TWIN_SEED)([text]))
    yield 1
    return (yield from alone(maps, twin))
