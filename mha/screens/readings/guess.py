"""Guess first, then show: the questions that stand in the place of the tabs while ``reveal=0``. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from mha.screens.blocks import Block, said, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import words


def guess_blocks(found: Ambiguity, tabs: Sequence[str]) -> list[Block]:
    """Return the muted tabs and the first question; no number of any head is in them."""
    assert found.pivot is not None
    return [
        {"kind": "muted_tabs", "names": list(tabs)},
        said("verdict", "Guess first: where will heads look from {pivot}?", pivot=word(found.words[found.pivot])),
        said("sub", "Leans and findings are hidden until you show them."),
    ]


def guess_more_blocks(found: Ambiguity) -> list[Block]:
    """Return the second question, about the contrast sentence."""
    assert found.contrast is not None
    number = found.contrast.changed[0]
    return [
        said(
            "text",
            "And if {before} becomes {after}: which of them changes?",
            before=word(found.words[number]),
            after=word(words(found.contrast.text)[number]),
        )
    ]


def guess_choices(found: Ambiguity) -> tuple[list[str], list[str]]:
    """Return what can be guessed: words, escaped for a widget's label, and what changes (nothing without a contrast).

    >>> from mha.screens.readings.ambiguity import Choices, resolved
    >>> guess_choices(resolved("A dog ate the food because it was hungry.", Choices()))[0]
    ['dog', 'food', 'hungry', 'it depends on the head']
    """
    numbers = [*found.a[:1], *found.b[:1]]
    own = found.cue is None or found.cue == found.pivot
    if not own and found.cue is not None:
        numbers.append(found.cue)
    labels = list(dict.fromkeys(_plain(found.words[number]) for number in numbers))
    if found.contrast is None:
        return [*labels, "it depends on the head"], []
    first = "the heads that look to the pivot" if own else "the heads that look to the cue"
    return [*labels, "it depends on the head"], [first, "the heads that look to a noun", "none"]


def _plain(text: str) -> str:
    """Return a word with every character escaped that a widget's label would take for markup."""
    return "".join(f"\\{character}" if character in r"\`*_{}[]()<>#+-.!|$:~" else character for character in text)
