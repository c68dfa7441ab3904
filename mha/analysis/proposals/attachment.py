"""Whether a prepositional phrase goes with the verb or with the noun before it."""

from __future__ import annotations

from collections.abc import Iterator

from mha.analysis.proposals import closed
from mha.analysis.proposals.found import Suggestion
from mha.analysis.proposals.groups import NounGroup
from mha.analysis.proposals.tagging import Tagged
from mha.analysis.proposals.things import lemma
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
        partners = tokens[thing.verb].number, thing.token.number
        yield Suggestion(ATTACHMENT, phrase.token.number, partners, 2.2 if preposition == "with" else 1.8)


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
