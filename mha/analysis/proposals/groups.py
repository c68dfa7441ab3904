"""The noun groups of a tagged sentence, and the nouns that a word may refer to.

A group is a run of determiner, adjectives and nouns, identified by its last noun; the tokens before it determine its
part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mha.analysis.proposals.lexicon import LISTS
from mha.analysis.proposals.tagging import Tagged

FOLLOWS = {"D": "DZR", "J": "DZJR", "R": "DZ", "Z": "DZJRNM", "N": "DZJRNM", "M": "DZJRNM"}  # within a group


class Suggestion(NamedTuple):
    """An ambiguity as a shape finds it; ``pivot`` and ``partners`` are word numbers; the best has most ``weight``."""

    kind: str
    pivot: int
    partners: tuple[int, int]
    weight: float


@dataclass(eq=False)
class NounGroup:
    """A noun group; ``start``, ``end`` (exclusive) and ``head`` are places among the tokens.

    ``part`` is subject, object, second (of two objects), predicate, prep or possessor; ``verb`` is the place of the
    verb before it, ``prep`` that of its preposition, or None; ``inside`` the enclosing group, ``together`` the group
    that *and* joins to it, which is ``joined``.
    """

    start: int
    end: int
    head: int
    token: Tagged
    clause: int
    sentence: int
    part: str = ""
    verb: int | None = None
    prep: int | None = None
    inside: NounGroup | None = None
    together: list[NounGroup] = field(default_factory=list)
    joined: bool = False
    pronoun: bool = False

    @property
    def name(self) -> bool:
        """Whether it is a person's name."""
        return self.token.tag == "M"


def read(tokens: tuple[Tagged, ...]) -> list[NounGroup]:
    """Return the groups of a text in order, with their parts and clauses."""
    groups: list[NounGroup] = []
    start = 0
    while start < len(tokens):
        is_pronoun = tokens[start].tag in "OK" and tokens[start].low != "there"
        end, head = start, start if is_pronoun else None
        while not is_pronoun and end < len(tokens) and _continues(tokens, start, end):
            head = end if tokens[end].tag in "NM" else head
            end += 1
        if head is None and end - start >= 2 and tokens[start].tag == "D" and tokens[end - 1].tag == "J":
            head = end - 1  # the poor
        end = start + 1 if head is None else head + 1
        if head is not None:
            groups.append(NounGroup(start, end, head, tokens[head], 0, 0, pronoun=is_pronoun))
            groups += [
                NounGroup(owner, owner + 1, owner, tokens[owner], 0, 0, part="possessor", inside=groups[-1])
                for owner in range(start, end)
                if tokens[owner].tag == "Z"
            ]
        start = end
    _set_parts(tokens, groups, _clauses(tokens, groups))
    return groups


def _continues(tokens: tuple[Tagged, ...], start: int, place: int) -> bool:
    """Return whether a word continues the group that began at ``start``."""
    token, previous = tokens[place], tokens[place - 1]
    if place == start or token.tag not in FOLLOWS:
        return token.tag in "DZJNM"
    if previous.tag not in FOLLOWS[token.tag]:
        return False
    if token.tag == "R":
        return place + 1 < len(tokens) and tokens[place + 1].tag == "J"
    if token.tag == "M" and previous.tag in "NM":  # Mr. Chen, Inspector Hall, Anna Lee
        return previous.low in LISTS["titles"] or previous.text[:1].isupper()
    if token.tag == "N" and previous.tag == "M":
        return not previous.entry.name or token.text[:1].isupper()
    if token.tag == "N" and previous.tag == "N" and previous.entry.kinds[:1] == "p":  # gave the teacher flowers
        is_giving = start > 0 and tokens[start - 1].entry.lemma in LISTS["giving"]
        return not previous.entry.plural and not (is_giving and token.entry.kinds[:1] != "p")
    return True


def _clauses(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> list[int]:
    """Set the clause and the sentence of each group, and return the number of each token's clause."""
    starts = {group.start: group for group in groups if group.part != "possessor"}
    numbers: list[tuple[int, int]] = []
    clause = sentence = first = 0
    has_verb = begun = False
    for place, token in enumerate(tokens):
        if token.tag == ".":
            sentence, first = sentence + 1, min(place + 1, len(tokens) - 1)
        begins = token.tag == "." or (place > 0 and token.tag in "SW")
        if has_verb and not begins and place in starts:
            begins = _begins_clause(tokens, starts[place])
        elif has_verb and token.tag == "V" and tokens[place - 1].tag == "," and tokens[first].tag == "S":
            begins = True  # if it breaks, replace it
        if begins and not begun:
            clause, has_verb = clause + 1, False
        begun = begins
        has_verb = has_verb or token.tag in "VBK"
        numbers.append((clause, sentence))
    for group in groups:
        group.clause, group.sentence = numbers[group.start]
    return [number for number, _ in numbers]


def _begins_clause(tokens: tuple[Tagged, ...], group: NounGroup) -> bool:
    """Return whether a group after a verb is the subject of another one."""
    previous_tag, word = tokens[group.start - 1].tag, group.token.low
    next_token = tokens[group.end] if group.end < len(tokens) else None
    if group.token.tag == "K" or (word in LISTS["subjects"] and previous_tag not in "BP"):
        return True
    if next_token is None or next_token.tag not in "VB" or (next_token.tag == "V" and next_token.entry.form == "ing"):
        return False
    if previous_tag in "C," or (word == "it" and previous_tag in "NMOVR"):
        return True
    return previous_tag in "NMO" and (next_token.tag == "B" or not group.pronoun)


def _set_parts(tokens: tuple[Tagged, ...], groups: list[NounGroup], clauses: list[int]) -> None:
    """Set the part of each group: by its preposition, else by whether its clause has had a verb."""
    previous: NounGroup | None = None
    for group in [group for group in groups if group.part != "possessor"]:
        place = group.start - 1
        while place >= 0 and tokens[place].tag == "R" and tokens[place].entry.adverb:
            place -= 1
        last = tokens[place].tag if place >= 0 else "."
        verbs = [n for n in range(group.start) if clauses[n] == clauses[group.start] and tokens[n].tag in "VBK"]
        verbs = [n for n in verbs if tokens[n].tag == "V"] or verbs  # else an auxiliary
        group.verb = verbs[-1] if verbs else None
        follows = previous if previous is not None and previous.clause == group.clause else None
        earlier_groups = [other for other in groups if other.end <= group.start and other.clause == group.clause]
        has_subject = any(earlier.part == "subject" for earlier in earlier_groups)
        is_phrasal = tokens[place - 1].entry.lemma in LISTS["phrasal"] and tokens[place].low in LISTS["particles"]
        if last == "P" and not is_phrasal:  # not: woke up the neighbours
            group.part, group.prep = "prep", place
            group.inside = previous if previous and previous.end == place and tokens[place].low == "of" else None
        elif last == "C" and follows is not None and follows.end == place:
            group.part, group.verb, group.prep, group.inside = follows.part, follows.verb, follows.prep, follows.inside
            follows.together.append(group)
            group.joined = True
        elif group.verb is None or (last == "B" and not has_subject):
            group.part = "subject"  # also: did the cop see
        elif follows is not None and follows.end == group.start and follows.part == "object":
            group.part = "second"
        elif tokens[group.verb].low in LISTS["be"] and all(token.low != "there" for token in tokens[: group.verb]):
            group.part = "predicate"  # my father is a teacher
        else:
            group.part = "object"
        previous = group


FEMININE = ("ess", "woman", "women", "girl", "lady", "mother", "daughter", "sister", "wife")
MASCULINE = ("man", "men", "boy", "father", "son", "brother", "husband")
FITS_IT = {"t": 1.0, "a": 1.0, "g": 0.9, "c": 0.8, "l": 0.8, "e": 0.6, "b": 0.5, "p": 0.3, "s": 0.0}  # by kind


def is_time(group: NounGroup) -> bool:
    """Return whether a group is a time: *Monday*, *the moment*."""
    return group.token.entry.kinds[:1] == "s" or group.token.entry.lemma in LISTS["times"]


def _is_name(group: NounGroup) -> bool:
    """Return whether a group is a name, or the possessor of something by name."""
    entry = group.token.entry
    return group.name or (group.token.tag == "Z" and bool(entry.name or not entry.kinds))


def person(group: NounGroup) -> float:
    """Return how far a group may be a person: 1 surely, 0.5 perhaps, 0 not."""
    entry = group.token.entry
    if _is_name(group):
        return 0.0 if entry.kinds[:1] in ("l", "s") and not entry.name else 1.0  # places, months
    if group.token.tag == "J":
        return 0.5
    if group.token.entry.lemma in LISTS["no persons"]:
        return 0.0
    if gender(group) or group.token.entry.lemma in LISTS["persons"] | LISTS["soft"] or entry.kinds[:1] == "p":
        return 1.0
    if entry.kinds:
        return 0.5 * ("p" in entry.kinds)
    return 0.5 if group.token.entry.lemma.endswith(("er", "or", "ist", "man", "ian")) else 0.3


def gender(group: NounGroup) -> str:
    """Return m or f if a name or noun has this gender, else "" ("soft" nouns, such as *actor*, may be either)."""
    entry, low = group.token.entry, group.token.entry.lemma
    if _is_name(group):
        return entry.name if entry.name in ("m", "f") else ""
    if low in LISTS["female"] or low in LISTS["male"]:
        return "f" if low in LISTS["female"] else "m"
    if low in LISTS["no gender"] or "p" not in entry.kinds:
        return ""
    return "f" if low.endswith(FEMININE) else "m" if low.endswith(MASCULINE) else ""


def plural(group: NounGroup) -> bool:
    """Return whether a group's noun is a plural."""
    low, entry = group.token.low, group.token.entry
    if low in LISTS["pairs"] or (not entry.noun and low.endswith(("men", "s")) and not group.name):
        return not low.endswith(("ss", "us", "is", "'s"))
    return entry.plural and not (group.name and entry.name)


def fits_it(group: NounGroup) -> float:
    """Return how well *it* may refer to a group, from 0 (not) to 1."""
    kinds, name = group.token.entry.kinds, group.token.entry.lemma
    if plural(group) or is_time(group) or _is_name(group) or group.token.tag in "JZ" or name in ("police", "people"):
        return 0.0
    if name in LISTS["it or person"] | LISTS["groups"] | LISTS["no persons"]:
        return 0.9
    if person(group) == 1.0:
        return 0.4 if set(kinds[1:]) & set("ta") and not gender(group) else 0.0
    return FITS_IT.get(kinds[:1], 0.5) if kinds else 0.8


def fits_they(group: NounGroup) -> float:
    """Return how well *they* may refer to a group, from 0 (not) to 1."""
    if group.token.entry.kinds[:1] == "s" or group.token.tag == "Z":
        return 0.0
    if not plural(group):
        return 0.8 if group.together or group.token.entry.lemma in LISTS["groups"] | LISTS["invariant"] else 0.0
    return 1.0 if person(group) > 0 or group.token.entry.kinds[:1] == "a" else 0.6


def fits_person(group: NounGroup) -> float:
    """Return how well *he* or *she* may refer to a group, gender aside, from 0 (not) to 1."""
    if plural(group) or group.token.entry.lemma in LISTS["groups"] or group.token.tag == "J":
        return 0.0
    is_animal = group.part == "subject" and group.token.entry.kinds[:1] == "a"
    return max(0.4 * is_animal, person(group))  # the lion ate the hunter because he was hungry
