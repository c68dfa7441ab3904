"""What each side of a comparison looks like, what its looks bring, and what swaps do that should not matter."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from mha.analysis.changes import MOST_SWAPS, paired_rows
from mha.analysis.readings import word_position
from mha.analysis.swaps import Neutral, with_word
from mha.engine import Request, experiments
from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import InputError, MHAError
from mha.formats import percent
from mha.link.compare import CompareWords
from mha.link.heads import BROUGHT
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, Span, say, word
from mha.screens.compare.comparison import Comparison, listed
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


OF_A_COPY = "Contributions are not available for a scrambled copy."
Both = tuple[AttentionMaps, AttentionMaps]


def brings(case: Comparison, ask: Ask) -> Both | str | None:
    """Return what every look brings in both sentences, as shares between words; None beside a twin, which is no model.

    Where the model does not tell, the sentence that says why.
    """
    if case.twin:
        return None
    try:
        first, second = (ask(all_brought.of(text, case.row.name)).as_maps().merged() for text in case.texts)
    except MHAError as error:
        return str(error)
    return first, second


def weighed(found: Both | str | None, chosen: str) -> tuple[Both | None, str]:
    """Return what maps are drawn of in the place of attention, None for attention, and why where it was not asked for.

    ``found`` is what `brings` returns, ``chosen`` the word of the link.
    """
    if chosen != BROUGHT:
        return None, ""
    if found is None or isinstance(found, str):
        return None, f"{found or OF_A_COPY} Showing attention instead."
    return found, ""


def rows_of(found: Both, case: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """Return what is brought on both sides as `Changes` has looks, each [layer, head, pair, pair + 1]."""
    first, second = (
        paired_rows(maps, [pair[side] for pair in case.alignment.pairs]) for side, maps in enumerate(found)
    )
    return first, second


def about(found: Both | str | None) -> str:
    """Return what is said of it above the pinned heads."""
    return f" No contributions available: {found}" if isinstance(found, str) else ""


def told(
    found: Both | str | None, case: Comparison, head: HeadId, cell: tuple[int, int], query: str
) -> tuple[Span, ...]:
    """Return what one look brings on both sides; ``cell`` are the pairs of the words that look and are looked at."""
    if found is None or isinstance(found, str):
        return ()
    shares = [_share(maps, head, *(case.alignment.pairs[place][side] for place in cell)) for side, maps in
              enumerate(found)]  # fmt: skip
    return say(
        " Contribution: {before} before, {after} after, of what {query} receives.",
        query=word(query), before=percent(shares[0]), after=percent(shares[1]),
    )  # fmt: skip


def _share(maps: AttentionMaps, head: HeadId, query: int, key: int) -> float:
    return float(maps[head][word_position(maps, query), word_position(maps, key)])
