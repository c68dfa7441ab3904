"""A model over many texts: the bundled results of the sample sentences, and jobs over a visitor's own texts.

`runs.py` has the job; `bundled.py` reads the file that comes with the program, which ``python -m studies.bundled``
writes.
"""

from __future__ import annotations

from itertools import chain

from mha.engine.answers import FEW, in_steps
from mha.engine.atlas.bundled import bundled_atlas, silenced_of, threes_of
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, Silenced, alone
from mha.engine.atlas.watching import MOST_WORDS, Watching, watching
from mha.engine.recordings import Request, record
from mha.errors import InputError
from mha.models.files.catalog import model_row
from mha.stepwise import Steps

__all__ = [
    "MOST_WORDS",
    "TWIN_SEED",
    "Atlas",
    "AtlasRun",
    "Silenced",
    "Watching",
    "alone",
    "atlas_of_text",
    "bundled_atlas",
    "silenced_of",
    "threes_of",
    "watching",
]


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
