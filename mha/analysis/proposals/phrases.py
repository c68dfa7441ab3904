"""Phrases that may go either way: with the verb or the noun, with one of two nouns, with the first or with both.

A prepositional phrase behind an object, a relative clause (the nephew of the lawyers who …), an adjective before two
coordinated nouns (old men and women).
"""

from __future__ import annotations

from collections.abc import Iterator

from mha.analysis.proposals import closed
from mha.analysis.proposals.grammar import lemma, person
from mha.analysis.proposals.groups import NounGroup, Suggestion
from mha.analysis.proposals.tagging import Tagged
from mha.pairs import KINDS

ATTACHMENT = KINDS[0]


def attachments(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each phrase that follows an object and may go with it or with its verb."""
    for number, phrase in enumerate(groups):
        if phrase.part != "prep" or phrase.prep is None or phrase.inside is not None or phrase.pronoun:
            continue
        preposition = tokens[phrase.prep].low
        if preposition not in closed.EITHER:
            continue
        thing = _object(tokens, groups, number)
        if thing is None or thing.verb is None or one_way(tokens, preposition, phrase, thing):
            continue
        partners = tokens[thing.verb].number, _shown(groups[:number], thing).token.number
        yield Suggestion(ATTACHMENT, phrase.token.number, partners, 2.2 if preposition == "with" else 1.8)


def _shown(before: list[NounGroup], thing: NounGroup) -> NounGroup:
    """Return what the last picture is of, or the thing itself: a picture of the actress on the balcony."""
    last = before[-1]
    return last if last.inside is thing and lemma(thing) in closed.PICTURES else thing


def _object(tokens: tuple[Tagged, ...], groups: list[NounGroup], number: int) -> NounGroup | None:
    """Return the object that a phrase follows at once, or after *of* phrases, or, with *with*, after another phrase."""
    phrase = groups[number]
    chained = False
    end = phrase.prep
    for group in reversed(groups[:number]):
        if group.part == "possessor":
            continue
        if group.clause != phrase.clause or end is None:
            return None
        gap = tokens[group.end : end]
        if any(token.tag not in "R" for token in gap):
            return None
        if group.token.entry.kinds[:1] == "s" or lemma(group) in closed.TIMES:
            return None
        if group.part == "object" or (group.part == "second" and not chained):
            if group.verb is not None and tokens[group.verb].tag == "V" and not group.pronoun:
                return group
            return None
        if group.part != "prep" or group.prep is None:
            return None
        before = tokens[group.prep].low
        governed = group.verb is not None and group.verb == group.prep - 1
        if governed and tokens[group.verb or 0].entry.lemma in closed.COMPLEMENTS.get(before, ()):
            return group  # look at the dog with one eye
        if group.inside is None and (chained or tokens[phrase.prep or 0].low != "with"):
            return None
        chained = chained or group.inside is None
        end = group.prep
    return None


def one_way(tokens: tuple[Tagged, ...], preposition: str, phrase: NounGroup, thing: NounGroup) -> bool:
    """Return whether words alone decide where a phrase goes: put it on the table, read it on Monday, in silence."""
    verb = tokens[thing.verb or 0].entry.lemma
    kinds, low = phrase.token.entry.kinds, phrase.token.low
    bare = tokens[phrase.start].tag == "N" and not phrase.token.entry.plural
    if verb in ("have", "be") or tokens[thing.verb or 0].low in closed.BE:
        return True
    if verb in closed.TURNING and preposition in ("with", "for"):
        return True
    if preposition != "with" and (kinds[:1] == "s" or lemma(phrase) in closed.TIMES or low[:1].isdigit()):
        return True
    plain = tokens[thing.start].tag == "N" and not thing.token.entry.plural
    if plain and preposition != "with":  # ate breakfast in the kitchen
        return True
    if verb in closed.PLACING and preposition not in ("with", "without"):
        return True
    if preposition == "from" and verb in closed.TAKING:
        return True
    if preposition == "for" and (bare or verb in ("ask", "thank", "blame", "pay", "wait", "look", "search")):
        return True
    if bare and preposition == "with":
        return lemma(phrase) in closed.MANNERS
    return bare and preposition != "on" and kinds[:1] != "t"


RELATIVE = KINDS[3]


def relatives(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each who, which or that which follows two nouns that a preposition joins, and may be about either."""
    named = [group for group in groups if group.part != "possessor" and not _within_preposition(group)]
    for place, token in enumerate(tokens):
        if token.low not in ("who", "which", "that") or token.tag not in "WSO" or place + 1 >= len(tokens):
            continue
        number = next((n for n, group in enumerate(named) if group.end == place), 0)
        if number < 1:
            continue
        first, second = named[number - 1], named[number]
        if second.part != "prep" or second.prep is None or _preposition(second) != first.end:
            continue
        if first.pronoun or second.pronoun or tokens[second.prep].low not in closed.WHOLE or first.name:
            continue
        if not _relative(tokens, place, first) or not (_may(token.low, first) and _may(token.low, second)):
            continue
        if tokens[second.prep].low != "of" and _governed(tokens, first):
            continue
        yield Suggestion(RELATIVE, token.number, (first.token.number, second.token.number), 4.0)


def _within_preposition(group: NounGroup) -> bool:
    """Return whether a group is part of a preposition: in front of, on top of."""
    return group.part == "prep" and group.start == group.head and lemma(group) in closed.PARTS


def _preposition(group: NounGroup) -> int | None:
    """Return the place where a group's preposition begins, of several words or one."""
    inside = group.inside
    return inside.prep if inside is not None and _within_preposition(inside) else group.prep


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
