"""The doorway of the tab "What carries it": what a contrast sentence is for, and words that would make one."""

from __future__ import annotations

from dataclasses import dataclass

from mha.engine import experiments
from mha.engine.question import Ask
from mha.examples import example_for
from mha.formats import few
from mha.screens.blocks import Block, Button, Buttons, Said, Span, Way, Ways, heading, said, say, word
from mha.screens.pieces import text_pieces
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.kinds import PRONOUNS, RELATIVES
from mha.screens.readings.recorded import RecordedReadings

ARTICLES = ("a", "an", "the")


@dataclass(frozen=True)
class Doorway:
    """The word ``number`` of the ambiguity is to be changed: its cue, or the last word, as the slot above has it.

    ``others`` are words that the example knows for its place, with their number of tokens; ``tokens`` is its own.
    """

    ambiguity: Ambiguity
    number: int
    others: dict[str, int]
    tokens: int = 1

    @property
    def acts(self) -> dict[str, str]:
        """What each button sends back, with the word that it puts in the place."""
        return {f"use {place}": other for place, other in enumerate(self.others)}


def doorway(case: RecordedReadings, ask: Ask) -> Doorway:
    """Return the doorway of a sentence without contrast; the model's tokens are counted."""
    found = case.ambiguity
    number = len(found.words) - 1 if found.cue is None else found.cue
    example = example_for(found.text)
    others = example.others if example and example.cue == number else ()
    if not experiments.has_twin(case.row.name):  # a toy takes whole words
        return Doorway(found, number, dict.fromkeys(others, 1))
    tokens, *theirs = ask(experiments.token_counts.of((found.words[number], *others), case.row.name))
    return Doorway(found, number, dict(zip(others, theirs, strict=True)), tokens)


def door_blocks(door: Doorway) -> list[Block]:
    """Return one slot, words for it, and what will be shown."""
    found = door.ambiguity
    return [
        Said("verdict", _asks(found)),
        said(
            "sub",
            "Two versions that differ in one word are what makes heads comparable: whatever moves between them was "
            "moved by that word. “Change one word” stands under the sentence above.",
        ),
        Said("door", _slot(found.text, door.number)),
        *([_words_to_use(door)] if door.others else []),
        said(
            "cap",
            f"A word that is {_long(door.tokens)} long, like {{cue}}, allows every panel. With another length heads "
            "can be compared by where they look, but not by what they carry.",
            cue=word(found.words[door.number]),
        ),
        heading("What will be shown", "h3"),
        Ways(_what_will_be_shown(word(found.called[found.pivot or 0]))),
    ]


def _asks(found: Ambiguity) -> tuple[Span, ...]:
    """Return what is asked for, as it fits the pivot: what is meant, who it is said of, or what it goes with."""
    assert found.pivot is not None
    pivot = found.words[found.pivot]
    first = found.b[0] - 1
    article = f"{found.words[first]} " if first >= 0 and found.words[first].casefold() in ARTICLES else ""
    partner = word(article.lower() + found.partner("b"))
    if pivot.casefold() in PRONOUNS:
        return say("Change one word so that only {partner} can be meant.", partner=partner)
    what = "say something of" if pivot.casefold() in RELATIVES else "go with"
    named = word(found.called[found.pivot])
    return say(f"Change one word so that {{pivot}} can only {what} {{partner}}.", pivot=named, partner=partner)


def _slot(text: str, number: int) -> tuple[Span, ...]:
    spans: list[Span] = []
    for piece in text_pieces(text):
        if piece["space"]:
            spans.append(("plain", " "))
        spans.append(("slot" if piece["at"] == number else "plain", piece["text"]))
    return tuple(spans)


def _words_to_use(door: Doorway) -> Buttons:
    longer = {other: "" if count == door.tokens else f", {_long(count)}" for other, count in door.others.items()}
    return Buttons(tuple(Button(act, f"Use “{other}”{longer[other]}") for act, other in door.acts.items()))


def _long(tokens: int) -> str:
    return "one token" if tokens == 1 else f"{few(tokens).lower()} tokens"


def _what_will_be_shown(pivot: Span) -> tuple[Way, ...]:
    looks = "From {pivot} to the changed word, and to each candidate, in both versions."
    carries = "One head at a time is taken from the other version; how much of the difference comes with it."
    return (
        Way("Where heads look", say(looks, pivot=pivot)),
        Way("What each head carries", say(carries)),
        Way("Beside its control", say("Three other heads of the same layer, drawn 15 times.")),
    )
