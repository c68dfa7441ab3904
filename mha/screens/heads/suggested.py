"""The line above the sentence: which word may be ambiguous, whose idea that was, and what can be done about it.

What is drawn stands in the link, so that it opens with the same words whatever is suggested one day.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mha.analysis.proposals import Proposal, only_english, propose
from mha.engine.question import CAME, Ask, Kept
from mha.examples import example_for
from mha.link.acts import Say
from mha.link.heads import HeadsWords
from mha.link.readings import DISMISSED, OPEN, SUGGESTED, ReadingsWords
from mha.maps import Reading
from mha.screens.blocks import Block, caption
from mha.screens.inputs import Choose, PageDoor, Press, Put, Remember
from mha.screens.places import Menu, Row
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.choices import resolved, word_labels
from mha.screens.readings.sentence import suggestion

OF = "heads_readings_of"  # of which text the readings in the link are
BY_EXAMPLE, BY_READER, FROM_BEFORE, NOBODY = "example", "reader", "before", "nobody"
FIELDS = ("pivot", "a", "b", "by")
NAME = {field: HeadsWords.of(field).name for field in FIELDS}
NOT_AMBIGUOUS = "Marked as not ambiguous."
MARK = "Which word is ambiguous, and which two words could it go with?"


@dataclass(frozen=True)
class ReadingsShown:
    """The readings that Heads draws of a text: ``found`` has their words, ``by`` says whose idea they were."""

    by: str = NOBODY
    found: Ambiguity | None = None
    proposal: Proposal | None = None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Both readings, or none."""
        return () if self.found is None else self.found.readings


def readings_shown(own: HeadsWords, text: str) -> ReadingsShown:
    """Return what a link of a text draws: what it says, else the example's, else what the shape of the text suggests.

    A link from before there were suggestions is left as it opened then.
    """
    example = example_for(text)
    curated = bool(example and example.readings)
    proposal = None if curated else next(iter(propose(text)), None)
    if own.by in (DISMISSED, OPEN):
        return ReadingsShown(own.by, None, proposal)
    if own.pivot or own.a or own.b or curated:
        found = resolved(text, ReadingsWords(pivot=own.pivot, a=own.a, b=own.b))
        if found.missing:
            return ReadingsShown(OPEN, None, proposal)
        said = own.pivot or own.a or own.b
        return ReadingsShown((own.by or BY_READER) if said else BY_EXAMPLE, found, proposal)
    if own.from_before or proposal is None:
        return ReadingsShown(NOBODY if proposal is None else FROM_BEFORE, None, proposal)
    return ReadingsShown(SUGGESTED, resolved(text, ReadingsWords(**_words(text, proposal))), proposal)


def asked_word(shown: ReadingsShown) -> int | None:
    """Return the number of the word that may be ambiguous, also where a link from before draws no readings."""
    if shown.found is not None:
        return shown.found.at
    return shown.proposal.pivot if shown.proposal and shown.by == FROM_BEFORE else None


def followed(own: HeadsWords, text: str, ask: Ask) -> Generator[Block, None, ReadingsShown]:
    """Return the readings that are drawn of this text; yield what makes the words of the link fit it, and say them.

    What a reader chose stays while its words stay in place; with another text a suggestion is made anew.
    """
    before, came = ask(Kept(OF)), ask(CAME)
    said = any(getattr(own, field) for field in FIELDS)
    labels = word_labels(text)
    chosen = {own.pivot, *own.a, *own.b} - {None}
    edited = before is not None and before != text and not came.from_another
    if said and ((edited and own.by) or not chosen <= set(labels)):
        own = replace(own, pivot=None, a=(), b=(), by=None)
        yield from (Put(NAME[field], getattr(own, field)) for field in FIELDS)
    yield Remember(OF, text)
    shown = readings_shown(own, text)
    if shown.proposal and shown.by == SUGGESTED and own.by is None:
        yield from (Put(NAME[field], value) for field, value in _words(text, shown.proposal).items())
    return shown


def silent(shown: ReadingsShown, text: str) -> str:
    """Return why no readings are drawn or offered where that is the language of the text; "" otherwise."""
    return only_english(text) if shown.by == NOBODY else ""


def line(shown: ReadingsShown, text: str) -> Iterator[Block]:
    """Yield the question, and what can be done about it."""
    blocks = tuple(_line(shown, text))
    if blocks:
        yield Row(blocks, "heads_suggested", left=True, align="center")


def _line(shown: ReadingsShown, text: str) -> Iterator[Block]:
    change = Menu("Change words", tuple(_boxes(text)), narrow=True)
    clear = (Say(NAME["pivot"], None), Say(NAME["a"], ()), Say(NAME["b"], ()))
    if shown.found is not None:
        yield caption(suggestion(shown.found, badge=shown.by == SUGGESTED), style="body")
        if shown.by != BY_EXAMPLE:
            yield change
            yield Press(
                "Not ambiguous" if shown.by == SUGGESTED else "Remove",
                (*clear, Say(NAME["by"], DISMISSED)),
                faint=True,
                name="heads_not_ambiguous",
            )
        yield PageDoor(("readings.py",), text="Compare the readings", arrow=False)
    elif shown.by == DISMISSED:
        yield caption(NOT_AMBIGUOUS, style="body")
        yield Press("Undo", (*clear, Say(NAME["by"], None)), faint=True, name="heads_not_ambiguous")
    elif shown.by == OPEN:
        yield caption(MARK, style="body")
        yield Menu("Choose words", tuple(_boxes(text)), narrow=True)
        yield Press("Cancel", (*clear, Say(NAME["by"], None)), faint=True, name="heads_not_ambiguous")
    elif shown.proposal and shown.by == FROM_BEFORE:
        yield Press("Suggest readings", _take(text, shown.proposal), faint=True, name="heads_suggest")


def _words(text: str, one: Proposal) -> dict[str, Any]:
    """Return the words of the link for a proposal."""
    labels = word_labels(text)
    a, b = (tuple(labels[int(partner)] for _, partner in reading.links) for reading in one.readings)
    return {"pivot": labels[one.pivot], "a": a, "b": b, "by": SUGGESTED}


def _take(text: str, one: Proposal) -> tuple[Say, ...]:
    return tuple(Say(NAME[field], value) for field, value in _words(text, one).items())


def _boxes(text: str) -> Iterator[Block]:
    """Yield the ambiguous word and its candidates, as boxes."""
    labels: Sequence[str] = word_labels(text)
    mine = (Say(NAME["by"], None),)
    for field, hint in (("pivot", "not chosen"), ("a", "not chosen"), ("b", "not chosen")):
        yield Choose(NAME[field], hint=hint, then=mine, options=tuple(labels))
