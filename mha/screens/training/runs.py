"""Two recorded runs as they are drawn: sentence with arcs, all their maps.

The component is mounted twice and plays the training; drawing lives in `assets/js/training/training.js`, and playing
needs no server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.screens.blocks import Drawing, Span
from mha.screens.training.words import moments_said, title_of
from mha.training.curves import Curves

SIDES = ("left", "right")  # the arrays of the first and of the second run


def training_spec(
    part: str,
    runs: Sequence[Curves],
    moments: Sequence[int],
    note: Sequence[Span] = (),
    large: bool = False,
) -> Drawing:
    """Return what one part of the component draws: at most two runs that share a sentence, each at a moment.

    The arrays are uint8 [moment, head of any layer, query, key], 255 for a weight of 1; the full stop is left out of
    the picture, not of the numbers.
    """
    first, words = runs[0], shown_words(runs[0])
    header = {
        "part": part,
        "words": words,
        "pivot": first.pivot,
        "runs": [_run(curves, moment) for curves, moment in zip(runs, moments, strict=True)],
        "note": list(note),
    }
    if part == "hero":
        header |= {"told": [moments_said(curves) for curves in runs], "large": large}
    arrays = {side: _weights(curves, len(words)) for side, curves in zip(SIDES, runs, strict=False)}
    return Drawing(header, arrays)


def shown_words(curves: Curves) -> list[str]:
    """Return the words of the sentence as they are drawn, without its full stop."""
    words = list(curves.words)
    return words[:-1] if words[-1] == "." else words


def _run(curves: Curves, moment: int) -> dict[str, Any]:
    n_layers, n_heads = curves.settings.n_layers, curves.settings.n_heads
    names = [
        f"layer {layer} head {head}" if n_layers > 1 else f"head {head}"
        for layer in range(n_layers)
        for head in range(n_heads)
    ]
    return {
        "title": title_of(curves.settings),
        "heads": names,
        "last": list(range((n_layers - 1) * n_heads, n_layers * n_heads)),  # the layer that the readers read
        "steps": curves.step.tolist(),
        "moment": moment,
        "holds": [list(curves.holds(each)) for each in range(len(curves))],
    }


def _weights(curves: Curves, shown: int) -> np.ndarray:
    every = curves.weights.reshape(len(curves), -1, *curves.weights.shape[-2:])  # [moment, head, query, key]
    return np.rint(every[:, :, :shown, :shown] * 255).astype(np.uint8)
