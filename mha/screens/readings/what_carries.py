"""The tab "What carries it": how the score moves between two versions, and which heads that difference comes with.

Without another version it is the doorway: one slot, words for it, and what will be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mha.engine import experiments
from mha.engine.asking import Here, Kept
from mha.engine.question import Ask
from mha.examples import example_for
from mha.export.experiments import carried_table
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.formats import few
from mha.intervention.outcomes import Patch
from mha.link.acts import Act, ChangeWord, Keep, Say, SayContrast, SecondWord
from mha.link.readings import MOST_NAME, ReadingsWords
from mha.link.sent import SentName, SentText
from mha.screens.blocks import Block, Button, Buttons, Said, Span, Way, Ways, heading, said, say, word
from mha.screens.pieces import text_pieces
from mha.screens.places import Together, Wait
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.carried import DOG, FORCES, OVER_PAIRS, OWN, carry_blocks
from mha.screens.readings.effect import brought
from mha.screens.readings.kinds import PRONOUNS, RELATIVES
from mha.screens.readings.pairs import pairs_blocks
from mha.screens.readings.recorded import RecordedReadings, provenance
from mha.screens.readings.section import TAKE_DOG, measuring
from mha.screens.readings.states import State, state_of
from mha.screens.readings.two_versions import calibration_of, moved, shared
from mha.screens.takings import Numbers

SHOWN = "readings_over_pairs"  # whether what is told over pairs is shown where nothing is told of the sentence
SECOND = {"second": (SecondWord(SentName("side", ("a", "b")), SentText("text", MOST_NAME, cut=True)),)}
ARTICLES = ("a", "an", "the")


@dataclass(frozen=True, eq=False)
class CarriedNumbers:
    """What each head carries, to be taken away."""

    patch: Patch
    source: MapsSource

    def table(self) -> Table:
        """Return it as a table."""
        return carried_table(self.patch, self.source.told())


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; where there is no other version, the way to one."""
    found = case.ambiguity
    if found.contrast is None:
        door = doorway(case, ask)
        words = {act: (ChangeWord(found.text, door.number, other),) for act, other in door.acts.items()}
        yield Together(door_blocks(door), words)
        return
    yield Wait("Reading the score of both versions …")
    move = moved(case, ask)
    assert move is not None
    yield Wait("Taking each head from the other version …")
    this = shared(case, move, ask)
    effect = None if this is None else brought(this, case.row.name, ask)
    patch = None if this is None else this.patch
    if patch is not None:
        source = provenance(case, "what three other heads of a layer carry stands on the page", ask(Here()))
        yield Numbers("What each head carries", "parallax-carried", of=CarriedNumbers(patch, source))
    known, state, over_pairs = calibration_of(case), state_of(move), bool(ask(Kept(SHOWN)))
    acts: dict[str, tuple[Act, ...]] = {
        OWN: (SayContrast(""),),
        OVER_PAIRS: (Keep(SHOWN, not over_pairs),),
        DOG: TAKE_DOG,
        **{act: (Say(ReadingsWords.of("forces").name, letter),) for act, letter in FORCES.items()},
    }
    yield Together(carry_blocks(found, move, this, known, over_pairs, effect), acts, on=SECOND)
    if state is State.NO_FLOOR:
        yield from measuring(found.kind, case.row, case.view.large, ask)
    if known is not None and (state.shares or over_pairs):
        yield Together(pairs_blocks(known))


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
