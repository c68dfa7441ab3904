"""Which two nouns a pronoun may stand for, where there are two; and whether *it* stands for nothing: it rains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from mha.analysis.proposals import closed
from mha.analysis.proposals.grammar import fits_it, fits_person, fits_they, gender, lemma
from mha.analysis.proposals.groups import NounGroup, Suggestion
from mha.analysis.proposals.tagging import Tagged
from mha.pairs import KINDS

PRONOUN, HE_SHE = KINDS[1], KINDS[2]
SALIENCE = {"subject": 3.0, "object": 2.6, "second": 1.6, "prep": 2.0, "possessor": 1.2}  # by hand
FAR = 0.6  # taken off for each clause between
SUBSTANCE = 1.2  # taken off an object without a word before it: water, from the bottle into the cup
WEAK = 0.35  # what fits less is no candidate


def pronouns(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield the pronouns that may stand for either of two nouns; of each the two that stand out most."""
    for own in groups:
        place = own.head if own.pronoun else own.start  # a possessive begins the group of what is had
        token = tokens[place]
        form, had = closed.PRONOUNS.get(token.low), token.tag == "D"
        begins = own.part == "subject" and own.clause > 0  # chased the zebra until its legs gave out
        if form is None or (had and (token.low not in closed.POSSESSIVES or (form in ("it", "they") and not begins))):
            continue
        if form == "it" and expletive(tokens, place):
            continue
        chosen = _chosen(form, _candidates(form, own, tokens, groups))
        if chosen is not None:
            kind, pair = chosen
            first, second = sorted(group.token.number for group in pair)
            yield Suggestion(
                kind, token.number, (first, second), 1.0 if had else 2.8 if token.low in closed.OBJECTS else 3.0
            )


def _candidates(
    form: str, own: NounGroup, tokens: tuple[Tagged, ...], groups: list[NounGroup]
) -> list[tuple[float, NounGroup]]:
    """Return the groups that a pronoun may stand for, each once, with how much it stands out."""
    fits: Callable[[NounGroup], float] = {"it": fits_it, "they": fits_they}.get(form, fits_person)
    before = [group for group in groups if group.end <= own.start]
    near = [group for group in before if own.sentence - group.sentence <= 1]
    if _begins(tokens, own) and not any(fits(group) > WEAK for group in near):  # because he was late, the …
        near = [group for group in groups if group.clause > own.clause and group.sentence == own.sentence]
    barred = _barred(own, tokens, before)
    found: dict[str, tuple[float, NounGroup]] = {}
    for group in near:
        named = lemma(group)
        if group.pronoun or group.part == "predicate" or named in barred or named in closed.PARTS or named in found:
            continue
        if fits(group) > WEAK:
            found[named] = _standing(group, own, tokens) + 3.0 * fits(group), group
    firms = [(SALIENCE.get(group.part, 1.5), group) for group in near if _firm(group)]
    few = form == "it" and len(found) < 2 <= len(firms)  # Google bought YouTube because it …
    return firms if few else list(found.values())


def _standing(group: NounGroup, own: NounGroup, tokens: tuple[Tagged, ...]) -> float:
    """Return how much a group stands out for a pronoun, by the part it plays and how far away that is."""
    score = SALIENCE.get(group.part, 1.5) - FAR * max(0, abs(own.clause - group.clause) - 1)
    if group.inside is not None and lemma(group.inside) not in closed.PARTS:
        score -= 1.5
    if group.joined or _within_relative(group, tokens):
        score -= 1.0
    if group.start == group.head and group.part == "object" and not group.name and not group.token.entry.plural:
        score -= SUBSTANCE
    return score - 0.3 * (group.part == "prep" and group.verb is None)


def _begins(tokens: tuple[Tagged, ...], own: NounGroup) -> bool:
    """Return whether a pronoun is the subject of a subordinate clause that begins a sentence."""
    marks = any(mark.tag in ".," and token.tag == "S" for mark, token in pairwise(tokens[: own.start]))
    return own.part == "subject" and own.pronoun and (tokens[0].tag == "S" or marks)


def _firm(group: NounGroup) -> bool:
    """Return whether a group may be the name of a firm: written with a capital, without determiner, no first name."""
    token = group.token
    bare = group.start == group.head and token.tag in "NM" and not token.entry.plural
    return bare and token.text[:1].isupper() and not token.entry.name and token.entry.kinds[:1] not in ("l", "s", "p")


def _barred(own: NounGroup, tokens: tuple[Tagged, ...], before: list[NounGroup]) -> set[str]:
    """Return the nouns that *him* does not stand for: those beside it with its verb, else whom a clause is about."""
    if own.token.low not in closed.OBJECTS and not (own.token.low == "it" and own.part in ("object", "second", "prep")):
        return set()
    beside = [group for group in before if group.clause == own.clause]
    beside = [group for group in beside if group.part == "subject" or group.verb == own.verb]
    heads = [group for group in before if group.clause == own.clause - 1 and _who(tokens, group)]
    return {lemma(group) for group in beside or heads}


def _who(tokens: tuple[Tagged, ...], group: NounGroup) -> bool:
    """Return whether a relative follows a group, after a comma or without."""
    after = "".join(token.tag for token in tokens[group.end : group.end + 2])
    return after.startswith("W") or after == ",W"


def _within_relative(group: NounGroup, tokens: tuple[Tagged, ...]) -> bool:
    """Return whether a group stands in a relative clause."""
    place = group.start
    while place > 0 and tokens[place - 1].tag not in "SW.":
        place -= 1
    return place > 1 and tokens[place - 1].tag == "W"


def _chosen(form: str, found: list[tuple[float, NounGroup]]) -> tuple[str, tuple[NounGroup, NounGroup]] | None:
    """Return the kind and the two that stand out most; None where fewer than two are left."""
    ordered = [group for _, group in sorted(found, key=lambda one: -one[0])]
    if form not in ("he", "she"):
        return (PRONOUN, (ordered[0], ordered[1])) if len(ordered) > 1 else None
    own, other = ("m", "f") if form == "he" else ("f", "m")
    fitting = [group for group in ordered if gender(group) != other]
    soft = [group for group in fitting if own == "f" and lemma(group) in closed.SOFT]
    if len(fitting) > 1 and not (soft and any(gender(group) == own for group in fitting)):
        return PRONOUN, (fitting[0], fitting[1])
    his = [group for group in ordered if gender(group) == own or (own == "m" and lemma(group) in closed.SOFT)]
    hers = [group for group in ordered if gender(group) == other or (own == "f" and lemma(group) in closed.SOFT)]
    return (HE_SHE, (his[0], hers[0])) if his and hers else None


def expletive(tokens: tuple[Tagged, ...], place: int) -> bool:
    """Return whether the *it* at a place stands for nothing, by what follows it."""
    rest = [token for token in tokens[place + 1 :] if token.tag != "R" or token.entry.adjective]
    auxiliaries = 0
    while auxiliaries < len(rest) and rest[auxiliaries].tag == "B":
        auxiliaries += 1
    be = tokens[place].tag == "K" or any(token.low in closed.BE for token in rest[:auxiliaries])
    rest = rest[auxiliaries:]
    if not rest:
        return False
    if _weather(rest[0]) or _seems(rest):
        return True
    too = any(token.low in ("too", "enough") for token in tokens[place + 1 : place + 5])
    return be and (_clear_that(rest, too) or _sunday(rest) or _maria_who(rest) or _early(rest))


def _weather(first: Tagged) -> bool:
    return (first.tag in "VJN" and first.entry.lemma in closed.WEATHER) or first.low in closed.SKIES


def _seems(rest: list[Tagged]) -> bool:
    """Return whether a clause or an infinitive follows: it seems that, it turned out that, it took us hours to."""
    if rest[0].tag != "V" or rest[0].entry.lemma not in closed.EXPLETIVE or len(rest) < 2:
        return False
    clause = rest[1].tag in "ST" or rest[1].low in ("like", "out", "that", "to", "as")
    return clause or (rest[0].entry.lemma == "take" and rest[1].tag in "ODJNM")


def _clear_that(rest: list[Tagged], too: bool) -> bool:
    """Return whether what is said of *it* comes behind: it is clear that; not: it is ready to, it is too big to."""
    if rest[0].tag not in "JVR" or too or rest[0].low in ("ready", "about", "able", "likely"):
        return False
    behind = next((token for token in rest[1:6] if token.tag in "ST.,CW" or token.low == "for"), None)
    return behind is not None and (behind.tag == "T" or behind.low in ("that", "whether", "to"))


def _sunday(rest: list[Tagged]) -> bool:
    noun = next((token for token in rest[:3] if token.tag in "NM"), None)
    timed = noun is not None and (noun.entry.kinds[:1] == "s" or noun.low in closed.TIMES)
    return timed and rest[0].tag in "NMDJ"


def _maria_who(rest: list[Tagged]) -> bool:
    return rest[0].tag in "MNDO" and any(token.tag == "W" or token.low in ("who", "that") for token in rest[1:5])


def _early(rest: list[Tagged]) -> bool:
    return len(rest) < 2 and rest[0].low in ("early", "dark", "time", "noon", "christmas")
