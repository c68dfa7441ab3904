"""The doorway of the tab "What carries it": what a contrast sentence is for, and where to make one. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from mha.formats import few
from mha.screens.blocks import Block, Span, heading, said, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import split

USE = "use {}"  # what a button of the doorway sends back: the number of its word


def slot(found: Ambiguity) -> int:
    """Return the number of the word that is to be changed: the cue, or the pivot where there is none."""
    number = found.cue if found.cue is not None else found.pivot
    assert number is not None
    return number


def door_blocks(found: Ambiguity, others: Mapping[str, int], tokens: int) -> list[Block]:
    """Return the doorway for a sentence without contrast: one slot, words for it, and what will be shown.

    ``others`` are words that the example knows for the slot with their number of tokens; ``tokens`` is that of the
    word which stands there.
    """
    number = slot(found)
    spans: list[Span] = []
    for place, piece in enumerate(split(found.text)):
        if place and piece.start > split(found.text)[place - 1].end:
            spans.append(["plain", " "])
        spans.append(["slot" if piece.word == number else "plain", piece.text])
    partner = word(" and ".join(found.words[one] for one in found.b))
    return [
        said("verdict", "Change one word so that it must be {partner}.", partner=partner),
        said(
            "sub",
            "Two versions that differ in one word are what makes heads comparable: whatever moves between them was "
            "moved by that word. “Change one word” stands under the sentence above.",
        ),
        {"kind": "said", "style": "door", "spans": spans},
        *([_words_to_use(others, tokens)] if others else []),
        said(
            "cap",
            f"A word that is {_long(tokens)} long, like {{cue}}, allows every panel. With another length heads can be "
            "compared by where they look, but not by what they carry.",
            cue=word(found.words[number]),
        ),
        heading("What will be shown", "h3"),
        {"kind": "ways", "ways": _what_will_be_shown(word(found.words[found.pivot or 0]))},
    ]


def _words_to_use(others: Mapping[str, int], tokens: int) -> Block:
    buttons = [
        {"act": USE.format(number), "text": f"Use “{other}”" + ("" if count == tokens else f", {_long(count)}")}
        for number, (other, count) in enumerate(others.items())
    ]
    return {"kind": "buttons", "buttons": buttons}


def _long(tokens: int) -> str:
    return "one token" if tokens == 1 else f"{few(tokens).lower()} tokens"


def _what_will_be_shown(pivot: Span) -> list[Block]:
    looks = "From {pivot} to the changed word, and to each candidate, in both versions."
    carries = "One head at a time is taken from the other version; how much of the difference comes with it."
    beside = "Three other heads of the same layer, drawn 15 times."
    return [
        said("", looks, pivot=pivot) | {"title": "Where heads look"},
        said("", carries) | {"title": "What each head carries"},
        said("", beside) | {"title": "Beside its control"},
    ]
