"""The shapes of an ambiguous sentence: a phrase after an object, a relative clause after two nouns, a pronoun."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from mha.analysis.proposals.groups import (
    NounGroup,
    Suggestion,
    fits_it,
    fits_person,
    fits_they,
    gender,
    is_time,
    person,
)
from mha.analysis.proposals.lexicon import LISTS, PRONOUNS, RELATIVES
from mha.analysis.proposals.tagging import Tagged
from mha.pairs import KINDS

ATTACHMENT, PRONOUN, HE_SHE, RELATIVE = KINDS
SALIENCE = {"subject": 3.0, "object": 2.6, "second": 1.6, "prep": 2.0, "possessor": 1.2}  # by hand
FAR = 0.6  # subtracted for each clause between
SUBSTANCE = 1.2  # subtracted for an object without a word before it: water, from the bottle into the cup
WEAK = 0.35  # a noun that fits less is not a candidate


def attachments(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each phrase that follows an object and may go with it or with its verb."""
    for number, phrase in enumerate(groups):
        if phrase.prep is None or phrase.pronoun or tokens[phrase.prep].low not in LISTS["either"]:
            continue
        thing = _object_before(tokens, groups[:number], phrase)
        if thing is None or thing.verb is None or _is_settled(tokens, phrase, thing):
            continue
        last = groups[number - 1]
        candidates = (
            last if last.inside is thing and thing.token.entry.lemma in LISTS["pictures"] else thing
        )  # a picture of the actress
        weight = 2.2 if tokens[phrase.prep].low == "with" else 1.8
        yield Suggestion(ATTACHMENT, phrase.token.number, (tokens[thing.verb].number, candidates.token.number), weight)


def _object_before(tokens: tuple[Tagged, ...], earlier_groups: list[NounGroup], phrase: NounGroup) -> NounGroup | None:
    """Return the object that a phrase follows at once, or after *of* phrases, or, with *with*, after another phrase."""
    end, is_after_phrase = phrase.prep, False
    for group in reversed([group for group in earlier_groups if group.part != "possessor"]):
        gap = tokens[group.end : end]
        if group.clause != phrase.clause or group.verb is None or any(token.tag != "R" for token in gap):
            return None
        if is_time(group) or group.pronoun or group.part in ("subject", "predicate"):
            return None
        verb = tokens[group.verb]
        if group.prep is None:
            return group if verb.tag == "V" else None
        if group.verb == group.prep - 1 and verb.entry.lemma in LISTS.get(f"asks {tokens[group.prep].low}", ()):
            return group  # look at the dog with one eye
        if group.inside is None:
            if is_after_phrase or tokens[phrase.prep or 0].low != "with":
                return None
            is_after_phrase = True
        end = group.prep
    return None


def _is_settled(tokens: tuple[Tagged, ...], phrase: NounGroup, thing: NounGroup) -> bool:
    """Return whether words alone decide where a phrase goes: put it on the table, read it on Monday, in silence."""
    preposition, verb = tokens[phrase.prep or 0].low, tokens[thing.verb or 0]
    if verb.entry.lemma in ("have", "be") or verb.low in LISTS["be"]:
        return True
    if verb.entry.lemma in LISTS["turning"] and preposition in ("with", "for"):
        return True
    is_bare = tokens[phrase.start].tag == "N" and not phrase.token.entry.plural
    if preposition == "with":
        return is_bare and phrase.token.entry.lemma in LISTS["manners"]
    is_substance = tokens[thing.start].tag == "N" and not thing.token.entry.plural  # ate breakfast in the kitchen
    if is_substance or is_time(phrase) or (verb.entry.lemma in LISTS["placing"] and preposition != "without"):
        return True
    if verb.entry.lemma in LISTS.get(f"settled {preposition}", ()):
        return True
    return is_bare and preposition != "on" and phrase.token.entry.kinds[:1] != "t"


def relatives(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each relative pronoun after two nouns joined by a preposition, if it may refer to either."""
    phrases = [group for group in groups if group.part == "prep" and group.start == group.head]
    prepositions = [group for group in phrases if group.token.entry.lemma in LISTS["parts"]]  # in front of, on top of
    nouns = [group for group in groups if group.part != "possessor" and group not in prepositions]
    for first, second in pairwise(nouns):
        token = tokens[second.end] if second.end < len(tokens) else None
        enclosing = second.inside
        prep = enclosing.prep if enclosing is not None and enclosing in prepositions else second.prep
        if token is None or token.low not in RELATIVES or prep != first.end or first.pronoun:
            continue
        is_placed = first.verb is not None and tokens[first.verb].entry.lemma in LISTS["placing"]  # put on the table
        if is_placed and second.inside is None:
            continue
        if _begins_clause(tokens, second.end, first) and _may(token.low, first) and _may(token.low, second):
            yield Suggestion(RELATIVE, token.number, (first.token.number, second.token.number), 4.0)


def _begins_clause(tokens: tuple[Tagged, ...], place: int, first: NounGroup) -> bool:
    """Return whether a relative clause begins here: a verb follows, or a subject and no verb of saying before."""
    next_tag = next((token.tag for token in tokens[place + 1 :] if token.tag != "R"), ".")
    is_said = first.verb is not None and tokens[first.verb].entry.lemma in LISTS["saying"]
    return next_tag in "VB" or (next_tag in "ODZM" and not is_said)


def _may(word: str, group: NounGroup) -> bool:
    """Return whether a relative may be about a group: who about persons (and animals), which about anything else."""
    if word == "who":
        return person(group) > 0 or group.token.entry.kinds[:1] in ("a", "g")
    return word == "that" or person(group) < 1


def pronouns(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield the pronouns that may refer to either of two nouns; of each the two most salient."""
    for group in groups:
        token = tokens[group.start]  # a possessive begins the group of the thing possessed
        form, is_possessive = PRONOUNS.get(token.low), token.tag == "D"
        begins = group.part == "subject" and group.clause > 0  # chased the zebra until its legs gave out
        if form is None or (is_possessive and form in ("it", "they") and not begins):
            continue
        if form == "it" and is_expletive(tokens, group.start):
            continue
        ordered = _candidates(form, group, tokens, groups)
        result = _of_gender(form, ordered) if form in ("he", "she") else (PRONOUN, ordered)
        if result is not None and len(result[1]) > 1:
            first, second = sorted(candidate.token.number for candidate in result[1][:2])
            yield Suggestion(result[0], token.number, (first, second), 1.0 if is_possessive else 3.0)


def _candidates(form: str, pronoun: NounGroup, tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> list[NounGroup]:
    """Return the groups that a pronoun may refer to, each noun once, the most salient first."""
    fits: Callable[[NounGroup], float] = {"it": fits_it, "they": fits_they}.get(form, fits_person)
    near = [group for group in groups if group.end <= pronoun.start and pronoun.sentence - group.sentence <= 1]
    barred = {
        group.token.entry.lemma
        for group in near
        if pronoun.pronoun and pronoun.part != "subject" and pronoun.clause == group.clause
        if group.part == "subject" or group.verb == pronoun.verb
    }
    if pronoun.part == "subject" and tokens[0].tag == "S" and not any(fits(group) > WEAK for group in near):
        near = [group for group in groups if group.clause > pronoun.clause]  # because he was late, the …
    salience: dict[str, tuple[float, NounGroup]] = {}
    for group in near:
        name = group.token.entry.lemma
        is_excluded = group.pronoun or group.part == "predicate" or name in barred or name in LISTS["parts"]
        if not is_excluded and fits(group) > WEAK:
            salience.setdefault(name, (_salience(group, pronoun) + 3.0 * fits(group), group))
    return [group for _, group in sorted(salience.values(), key=lambda entry: -entry[0])]


def _salience(group: NounGroup, pronoun: NounGroup) -> float:
    """Return how salient a group is for a pronoun, by the part it plays and how far away it is."""
    is_substance = group.start == group.head and group.part == "object" and not (group.name or group.token.entry.plural)
    is_inside = group.inside is not None and group.inside.token.entry.lemma not in LISTS["parts"]
    clauses = max(0, abs(pronoun.clause - group.clause) - 1)
    of_part = SALIENCE.get(group.part, 1.5) - 0.3 * (group.part == "prep" and group.verb is None)
    return of_part - FAR * clauses - 1.5 * is_inside - group.joined - SUBSTANCE * is_substance


def _of_gender(form: str, ordered: list[NounGroup]) -> tuple[str, list[NounGroup]] | None:
    """Return the kind and the candidates of *he* or *she*: two that it fits, else a man and a woman."""
    letter, opposite = ("m", "f") if form == "he" else ("f", "m")
    genders = [gender(group) for group in ordered]
    likely = [
        noun_gender or "m" * (group.token.entry.lemma in LISTS["soft"])
        for noun_gender, group in zip(genders, ordered, strict=True)
    ]
    fitting = [group for group, noun_gender in zip(ordered, genders, strict=True) if noun_gender != opposite]
    if letter in genders:  # a waiter may be a woman, unless there is a waitress
        fitting = [group for group, noun_gender in zip(ordered, likely, strict=True) if noun_gender != opposite]
    if len(fitting) > 1:
        return PRONOUN, fitting
    if letter in likely and opposite in likely:
        return HE_SHE, [ordered[likely.index(letter)], ordered[likely.index(opposite)]]
    return None


# The words after an *it* that refers to nothing, as "tag:lemma " each; H is the tag of a time.
_EXPLETIVE = re.compile(
    r"[VJN]:(?:rain|snow|hail|drizzle|thunder) |\w:(?:rainy|snowy|windy|foggy) "
    r"|V:(?:seem|appear|take|turn|happen|matter|depend) (?:[ST]:|\w:(?:like|out|that|to|as) )|V:take [ODJNMH]:"
)
_EXPLETIVE_OF_BE = re.compile(
    r"[JVR]:(?!(?:ready|about|able|likely) )\S+ (?:[^ST.,CW]:(?!for )\S+ ){0,4}(?:T:|\w:(?:that|whether|to) )"
    r"|(?:[DJ]:\S+ ){0,2}H:"  # it is Sunday
    r"|[MNDOH]:\S+ (?:\S+ ){0,3}(?:W:|\w:(?:who|that) )"  # it was Maria who
    r"|\w:(?:early|dark|time|noon|christmas) $"
)


def is_expletive(tokens: tuple[Tagged, ...], place: int) -> bool:
    """Return whether the *it* at a place refers to nothing, by the words that follow it."""
    following = [token for token in tokens[place + 1 :] if token.tag != "R" or token.entry.adjective]
    n_auxiliaries = next((number for number, token in enumerate(following) if token.tag != "B"), len(following))
    is_be = tokens[place].tag == "K" or any(token.low in LISTS["be"] for token in following[:n_auxiliaries])
    line = "".join(_tagged_lemma(token) for token in following[n_auxiliaries:])
    has_degree = any(token.low in ("too", "enough") for token in tokens[place + 1 : place + 5])  # it is too big to
    degree = has_degree and not re.match(r"[NMDOH]:", line)
    return bool(_EXPLETIVE.match(line) or (is_be and not degree and _EXPLETIVE_OF_BE.match(line)))


def _tagged_lemma(token: Tagged) -> str:
    is_of_time = token.tag in "NM" and (token.entry.kinds[:1] == "s" or token.low in LISTS["times"])
    return f"{'H' if is_of_time else token.tag}:{token.entry.lemma if token.tag in 'VN' else token.low} "
