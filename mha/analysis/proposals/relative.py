"""Which of two nouns a relative clause is about: the nephew of the lawyers who …"""

from __future__ import annotations

from collections.abc import Iterator

from mha.analysis.proposals import closed
from mha.analysis.proposals.found import Suggestion
from mha.analysis.proposals.groups import NounGroup
from mha.analysis.proposals.tagging import Tagged
from mha.analysis.proposals.things import lemma, person
from mha.pairs import KINDS

RELATIVE = KINDS[3]


def relatives(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each who, which or that which follows two nouns that a preposition joins, and may be about either."""
    named = [group for group in groups if group.part != "possessor"]
    for place, token in enumerate(tokens):
        if token.low not in ("who", "which", "that") or token.tag not in "WSO" or place + 1 >= len(tokens):
            continue
        number = next((n for n, group in enumerate(named) if group.end == place), 0)
        if number < 1:
            continue
        first, second = named[number - 1], named[number]
        if second.part != "prep" or second.prep is None or second.prep != first.end:
            continue
        if first.pronoun or second.pronoun or tokens[second.prep].low not in closed.WHOLE or first.name:
            continue
        if not _relative(tokens, place, first) or not (_may(token.low, first) and _may(token.low, second)):
            continue
        if tokens[second.prep].low != "of" and _governed(tokens, first):
            continue
        yield Suggestion(RELATIVE, token.number, (first.token.number, second.token.number), 4.0)


def _relative(tokens: tuple[Tagged, ...], place: int, first: NounGroup) -> bool:
    """Return whether a relative clause begins here: a verb follows, or a subject and no verb of saying before."""
    after = next((token for token in tokens[place + 1 :] if token.tag != "R"), None)
    if after is None:
        return False
    if after.tag in "VB":
        return True
    said = first.verb is not None and tokens[first.verb].entry.lemma in closed.SAYING
    return after.tag in "ODZM" and not said and lemma(first) not in ("fact", "idea", "claim", "news", "belief", "hope")


def _may(word: str, group: NounGroup) -> bool:
    """Return whether a relative may be about a group: who about persons (and animals), which about anything else."""
    if word == "who":
        return person(group) > 0 or group.token.entry.kinds[:1] in ("a", "g")
    return word == "that" or person(group) < 1


def _governed(tokens: tuple[Tagged, ...], first: NounGroup) -> bool:
    """Return whether the second noun belongs to the verb: put the cup on the table that …"""
    return first.verb is not None and tokens[first.verb].entry.lemma in closed.PLACING
