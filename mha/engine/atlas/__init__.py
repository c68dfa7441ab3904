"""A whole model over many texts, and how far silencing each head turns them: as jobs, and as they come bundled.

`runs.py` is the job over texts, `silencing.py` and `flow.py` two more; `known.py` has those there are and what is known
by now; `bundled.py` is the file that comes with the program, which ``python -m mha.engine.atlas`` writes for MiniLM.
"""

from mha.engine.atlas.bundled import bundled_atlas, threes_of, write
from mha.engine.atlas.flow import FlowRun
from mha.engine.atlas.known import (
    AtlasOfCorpus,
    AtlasOfText,
    AtlasOfTexts,
    FlowOf,
    SilencingOf,
    atlas_of,
    atlas_of_text,
    silenced_of,
)
from mha.engine.atlas.runs import TWIN_SEED, Atlas, AtlasRun, alone
from mha.engine.atlas.silencing import Silenced, SilencedRun
from mha.engine.atlas.watching import MOST_WORDS, Watching, watching

__all__ = [
    "MOST_WORDS",
    "TWIN_SEED",
    "Atlas",
    "AtlasOfCorpus",
    "AtlasOfText",
    "AtlasOfTexts",
    "AtlasRun",
    "FlowOf",
    "FlowRun",
    "Silenced",
    "SilencedRun",
    "SilencingOf",
    "Watching",
    "alone",
    "atlas_of",
    "atlas_of_text",
    "bundled_atlas",
    "silenced_of",
    "threes_of",
    "watching",
    "write",
]
