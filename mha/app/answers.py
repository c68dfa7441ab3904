"""Answers of the engine, for pages: a page names this module and no part of the engine."""

from mha.engine import Request, record
from mha.engine.experiments import compared as compare
from mha.engine.experiments import one_cell
from mha.engine.word_sweeps import WordSweepRequest, head_positions, word_ranks
from mha.engine.writing import attention, effects, next_words
from mha.maps import Recording

__all__ = [
    "WordSweepRequest",
    "attention",
    "compare",
    "effects",
    "head_positions",
    "next_words",
    "one_cell",
    "recording",
    "word_ranks",
]


def recording(text: str, model: str) -> Recording:
    """Return the recording of a text, bundled or kept if there is one; errors as `mha.engine.record`."""
    return record(Request(text, model))
