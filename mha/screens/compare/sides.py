"""What each side of a comparison looks like, and what swaps do that should not matter."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from mha.analysis.changes import MOST_SWAPS
from mha.analysis.swaps import Neutral, with_word
from mha.engine import Request, experiments
from mha.engine.question import Ask
from mha.errors import InputError
from mha.link.compare import CompareWords
from mha.maps import AttentionMaps
from mha.screens.blocks import Block
from mha.screens.compare.comparison import listed
from mha.screens.places import Notice
from mha.words import words


def recorded(text: str, model: str, ask: Ask) -> Generator[Block, None, AttentionMaps]:
    """Return the maps of a text, and yield what has to be said of it."""
    recording = ask(Request(text, model))
    yield from map(Notice, recording.notes)
    return recording.maps


def swapped(
    text: str, place: int | None, instead: str, model: str, chosen: CompareWords, ask: Ask
) -> tuple[Neutral, list[AttentionMaps]]:
    """Return the words that can stand neutrally in the changed place, and the maps with each; ``instead`` is there now.

    Of typed ones those are left out that are not one word there, or that the model does not know.
    """
    if place is None:
        return Neutral(), []
    typed = listed(chosen.swaps, MOST_SWAPS)
    found = Neutral(tuple(typed)) if typed else ask(experiments.neutral_words.of(text, place, model, instead))
    maps = {word: in_place(text, place, word, model, ask) for word in found.words}
    usable = {word: one for word, one in maps.items() if one is not None}
    return replace(found, words=tuple(usable)), list(usable.values())


def in_place(text: str, place: int, word: str, model: str, ask: Ask) -> AttentionMaps | None:
    """Return the maps of a text with another word in one place; None where it is not one word, or not known."""
    other = with_word(text, place, word)
    if len(words(other)) != len(words(text)):
        return None
    try:
        return ask(Request(other, model)).maps.merged()
    except InputError:
        return None
