"""Attention in numpy, to be read: pure functions, float64, the shape of every array at its line.

Start with `attention`, then `multihead`; `tracing` keeps every array on the way, `by_hand` explains a single weight.
"""

from mha.core.attention import causal_mask, default_scale, scaled_dot_product_attention, softmax
from mha.core.by_hand import CellByHand, cell, random_scores
from mha.core.embeddings import sinusoidal_positions, word_vectors
from mha.core.experiments import Averaged, Shuffled, Width, average_weights, shuffle, width_effect
from mha.core.multihead import MultiHead, attend, attend_by_loop, merge, separate
from mha.core.presets import PRESETS, Preset
from mha.core.splits import SPLITS, Counts, count, head_width, random_reads
from mha.core.tracing import STEPS, Trace, TracedStep, trace
from mha.core.word_model import WordModel

__all__ = [
    "PRESETS",
    "SPLITS",
    "STEPS",
    "Averaged",
    "CellByHand",
    "Counts",
    "MultiHead",
    "Preset",
    "Shuffled",
    "Trace",
    "TracedStep",
    "Width",
    "WordModel",
    "attend",
    "attend_by_loop",
    "average_weights",
    "causal_mask",
    "cell",
    "count",
    "default_scale",
    "head_width",
    "merge",
    "random_reads",
    "random_scores",
    "scaled_dot_product_attention",
    "separate",
    "shuffle",
    "sinusoidal_positions",
    "softmax",
    "trace",
    "width_effect",
    "word_vectors",
]
