"""Two runs as they are drawn and followed: sentence with arcs, all their maps, how far they are, Stop and Train live.

The component is mounted twice and plays the training; drawing lives in `assets/js/training/training.js`, and playing
needs no server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mha.engine.trainings import Progress, Watched
from mha.link.acts import Begin, BeginAnew, Stop
from mha.screens.blocks import Block, Drawing, Span
from mha.screens.inputs import Press
from mha.screens.measuring import SHARED
from mha.screens.places import Notice, Plain, ProgressBar
from mha.screens.training import words
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


PACE = 0.7  # seconds between looks at a run under way


def under_way(every: Sequence[Progress]) -> bool:
    """Return whether a run is under way."""
    return any(progress.phase == "training" for progress in every)


def status(asked: Watched, every: Sequence[Progress]) -> Iterator[Block]:
    """Yield how far the runs are; Stop while one is under way for this visitor alone, Continue once it was stopped."""
    for settings, progress in zip(asked.settings, every, strict=True):
        step = int(progress.curves.step[-1]) if progress.curves is not None else 0
        if progress.phase == "training":
            yield ProgressBar(step / settings.n_steps, words.training(settings, step))
        elif progress.phase == "stopped":
            yield Notice(words.stopped(settings, step))
        elif progress.phase == "failed":
            yield Notice(f"{words.title_of(settings)}: {progress.message}")
    phases = {progress.phase for progress in every}
    if "training" in phases:
        alone = any(progress.phase == "training" and not progress.shared for progress in every)
        yield Press("Stop", (Stop(asked),), name="training_stop") if alone else Plain(SHARED)
    elif "stopped" in phases:
        yield Press("Continue", (Begin(asked),), name="training_carry_on")


def train_live(asked: Watched, every: Sequence[Progress], first: str = "Train live") -> Press:
    """Return the button that trains the runs again, here and now, before the reader's eyes."""
    label = first if all(progress.bundled for progress in every) else "Train again"
    return Press(label, (BeginAnew(asked),), off=under_way(every), name="training_live_button")
