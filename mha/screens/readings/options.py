"""What the boxes of the readings page offer, by the words that stand in the link; these never change."""

from __future__ import annotations

TABS = ("Where they look", "What carries it", "Does it matter?")
OPENS_WITH = "What carries it"

MEASURES = {  # what a lean is measured on: the word of `mha.analysis.readings.lean`
    "both directions, sinks aside": "default",
    "both directions, sinks kept": "raw",
    "from the pivot, sinks aside": "one direction",
}
SILENCED = {"its mean": "mean", "zero": "zero", "even weights": "uniform"}  # the kind of silencing
FURTHEST, PINNED = "the five that lean furthest to A", "the pinned heads"
ALL_OF_LAYER = "all of layer {}"
ONLY = "only {}"
STRONGEST = 3.0  # a head's output is scaled from 0 to this
STEERED = "L2H8"  # the head that is turned first, where the model has it
MOST_NAME = 60  # characters of a reading's name


def layer_label(layer: int) -> str:
    """Return where a score is read, by the layer before that place.

    >>> layer_label(4)
    'after layer 4'
    """
    return f"after layer {layer}"
