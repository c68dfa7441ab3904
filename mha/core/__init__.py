"""Attention in numpy, to be read: pure functions, float64, the shape of every array at its line.

Start with `attention`, then `multihead`; `tracing` keeps every array on the way, `by_hand` explains a single weight.
"""

from mha.core.attention import (
    CellByHand,
    Width,
    causal_mask,
    cell,
    default_scale,
    random_scores,
    scaled_dot_product_attention,
    softmax,
    width_effect,
)
from mha.core.multihead import (
    PRESETS,
    SPLITS,
    MultiHead,
    Preset,
    attend,
    attend_by_loop,
    head_width,
    merge,
    random_reads,
    separate,
    sinusoidal_positions,
    word_vectors,
)
from mha.core.tracing import STEPS, Trace, TracedStep, average_weights, shuffle, trace

__all__ = [
    "PRESETS",
    "SPLITS",
    "STEPS",
    "CellByHand",
    "MultiHead",
    "Preset",
    "Trace",
    "TracedStep",
    "Width",
    "attend",
    "attend_by_loop",
    "average_weights",
    "causal_mask",
    "cell",
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
