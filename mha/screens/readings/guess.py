"""Guess first, then show: the questions that stand in the place of the tabs while ``reveal=0``. Pure."""

from __future__ import annotations

from mha.screens.blocks import Asked, Block, say, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import words

NOT_STORED = "Your guess is not stored."


def guess_said(found: Ambiguity) -> Asked:
    """Return the first question."""
    assert found.pivot is not None
    pivot = word(found.called[found.pivot])
    return Asked("verdict", say("Guess first: where do heads look from {pivot}?", pivot=pivot))


def guess_more_blocks(found: Ambiguity) -> list[Block]:
    """Return the second question, about the contrast sentence."""
    assert found.contrast is not None
    number = found.contrast.changed[0]
    before, after = word(found.words[number]), word(words(found.contrast.text)[number])
    return [Asked("text", say("If {before} becomes {after}, which heads change?", before=before, after=after))]


def guess_choices(found: Ambiguity) -> tuple[list[str], list[str]]:
    """Return what can be guessed: words, escaped for a widget's label, and what changes (nothing without a contrast).

    >>> from mha.link.readings import ReadingsWords
    >>> from mha.screens.readings.ambiguity import resolved
    >>> guess_choices(resolved("A dog ate the food because it was hungry.", ReadingsWords()))[0]
    ['dog', 'food', 'hungry', 'it depends on the head']
    """
    own = found.cue is None or found.cue == found.pivot
    numbers = [*found.a[:1], *found.b[:1], *([] if own or found.cue is None else [found.cue])]
    looks = [*dict.fromkeys(_plain(found.called[number]) for number in numbers), "it depends on the head"]
    if found.contrast is None:
        return looks, []
    first = "heads that look at the ambiguous word" if own else "heads that look at the deciding word"
    return looks, [first, "heads that look at a noun", "none"]


def _plain(text: str) -> str:
    """Return a word with every character escaped that a widget's label would take for markup."""
    return "".join(f"\\{character}" if character in r"\`*_{}[]()<>#+-.!|$:~" else character for character in text)
