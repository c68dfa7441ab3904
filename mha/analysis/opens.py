"""What a page opens with, asked of maps alone: an example brings its readings, in a notebook as on the page."""

from __future__ import annotations

from collections.abc import Sequence

from mha.analysis import opening as chosen
from mha.analysis.habit import Habit
from mha.analysis.opening import Opening
from mha.analysis.places import link_positions
from mha.errors import InputError
from mha.examples import example_for
from mha.maps import AttentionMaps, HeadId, Reading


def example_readings(maps: AttentionMaps) -> tuple[Reading, ...] | None:
    """Return the readings of the example that these maps are of; None for any other text, or without its words."""
    example = example_for(maps.text)
    if example is None or not example.readings or maps.kind != "self":
        return None
    try:
        for reading in example.readings:
            link_positions(maps.merged(), reading)
    except InputError:  # arrays that came with the text of an example and tokens of their own
        return None
    return example.readings


def opening(maps: AttentionMaps, readings: Sequence[Reading] | None = None, habit: Habit | None = None) -> Opening:
    """Return the heads that the page shows first of these maps, and the word that they are about, words as axes.

    As `mha.analysis.opening.opening`, with the readings of an example where the text is one and none are given.

    Raises:
        InputError: a reading names a word that is not in the text.
    """
    return chosen.opening(maps, example_readings(maps) if readings is None else readings, habit)


def opening_heads(
    maps: AttentionMaps, readings: Sequence[Reading] | None = None, habit: Habit | None = None
) -> tuple[HeadId, ...]:
    """Return the heads of `opening`."""
    return opening(maps, readings, habit).heads
