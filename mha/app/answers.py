"""Answers of the engine, for pages: a page names this module and no part of the engine."""

from mha.engine.experiments import compared as compare
from mha.engine.word_sweeps import WordSweepRequest, head_positions, word_ranks
from mha.engine.writing import attention, effects, next_words

__all__ = ["WordSweepRequest", "attention", "compare", "effects", "head_positions", "next_words", "word_ranks"]
