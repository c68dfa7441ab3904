"""Recorded maps between words, merged once as long as the recording is kept."""

from __future__ import annotations

from mha.brief import once_of_each
from mha.maps import AttentionMaps


def in_words(maps: AttentionMaps) -> AttentionMaps:
    """Return recorded maps with words as axes and sinks kept."""
    return maps if maps.units == "words" else _merged(maps)


@once_of_each
def _merged(maps: AttentionMaps) -> AttentionMaps:
    return maps.merged()
