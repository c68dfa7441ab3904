"""A whole model over many texts, and how far silencing each head turns them: as jobs, and as they come bundled.

`runs.py` is the job over texts, `silencing.py` and `flow.py` two more; `known.py` has those there are and what is known
by now; `bundled.py` is the file that comes with the program, which ``python -m mha.engine.atlas`` writes for MiniLM.
"""

from mha.engine.atlas.bundled import bundled_atlas, threes_of, write
from mha.engine.atlas.flow import FlowRun
from mha.engine.atlas.known import (
    atlas_of,
    atlas_of_text,
    atlas_run,
    flow_run,
    measure_atlas,
    measure_flow,
    measure_own,
    measure_silenced,
    own_run,
    silenced_of,
    silenced_run,
)
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, alone
from mha.engine.atlas.silencing import Silenced, SilencedRun
from mha.engine.atlas.watching import MOST_WORDS, Watching, watching

__all__ = [
    "MOST_WORDS",
    "TWIN_SEED",
    "Atlas",
    "AtlasRun",
    "FlowRun",
    "Silenced",
    "SilencedRun",
    "Watching",
    "alone",
    "atlas_of",
    "atlas_of_text",
    "atlas_run",
    "bundled_atlas",
    "flow_run",
    "measure_atlas",
    "measure_flow",
    "measure_own",
    "measure_silenced",
    "own_run",
    "silenced_of",
    "silenced_run",
    "threes_of",
    "watching",
    "write",
]
