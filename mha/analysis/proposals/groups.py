"""The noun groups of a tagged sentence: where each is, what part it plays, in which clause; and what a shape finds.

A group is a run of determiner, adjectives and nouns, known by its last noun; its part is read off what
stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mha.analysis.proposals.closed import LISTS
from mha.analysis.proposals.tagging import Tagged


class Suggestion(NamedTuple):
    """An ambiguity as a shape finds it; ``pivot`` and ``partners`` are word numbers; the best has most ``weight``."""

    kind: str
    pivot: int
    partners: tuple[int, int]
    weight: float


@dataclass
class NounGroup:
    """A noun group; ``start``, ``end`` (exclusive) and ``head`` are places among the tokens.

    ``part`` is subject, object, second (of two objects), predicate, prep or possessor; ``verb`` is the place of the
    verb before it, ``prep`` that of its preposition, None without; ``inside`` the group that it is a part of,
    ``together`` what *and* joins to it, which is ``joined``.
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

    @property
    def pronoun(self) -> bool:
        """Whether it is a pronoun."""
        return self.token.tag in "OK"

    @property
    def name(self) -> bool:
        """Whether it is somebody's name."""
        return self.token.tag == "M"


def read(tokens: tuple[Tagged, ...]) -> list[NounGroup]:
    """Return the groups of a text in order, with their parts and clauses."""
    groups: list[NounGroup] = []
    place = 0
    while place < len(tokens):
        end, head = _group(tokens, place)
        if head is None:
            place += 1
            continue
        groups.append(NounGroup(place, end, head, tokens[head], 0, 0))
        groups += [
            NounGroup(at, at + 1, at, tokens[at], 0, 0, part="possessor", inside=groups[-1])
            for at in range(place, end)
            if tokens[at].tag == "Z" and tokens[at].low not in ("whose",)
        ]
        place = end
    clauses = _clauses(tokens, groups)
    _parts(tokens, groups, clauses)
    return groups


def _group(tokens: tuple[Tagged, ...], start: int) -> tuple[int, int | None]:
    """Return where the group that begins here ends, and its head; None where none begins."""
    if tokens[start].tag in "OK" and tokens[start].low != "there":
        return start + 1, start
    place, head = start, None
    while place < len(tokens) and tokens[place].tag in "DZJRNM" and not _ends_before(tokens, start, place):
        head = place if tokens[place].tag in "NM" else head
        place += 1
    if head is None and place - start >= 2 and tokens[start].tag == "D" and tokens[place - 1].tag == "J":
        return place, place - 1  # the poor
    return (head + 1, head) if head is not None else (start + 1, None)


def _ends_before(tokens: tuple[Tagged, ...], start: int, place: int) -> bool:
    """Return whether a group that began at ``start`` ends before a word that could go on with it."""
    tag = tokens[place].tag
    if place == start:
        return tag == "R"
    before = tokens[place - 1]
    if tag == "D":
        return before.tag not in "DZR"
    if tag == "J":
        return before.tag in "NM"
    if tag == "R":
        return before.tag not in "DZ" or not (place + 1 < len(tokens) and tokens[place + 1].tag == "J")
    if tag == "M":
        return before.tag in "NM" and not _title(tokens, place, start)
    if tag == "N" and before.tag == "M":
        return bool(before.entry.name) and not tokens[place].text[:1].isupper()
    if tag == "N" and before.tag == "N" and before.entry.kinds[:1] == "p":  # gave the teacher flowers
        given = start > 0 and tokens[start - 1].entry.lemma in LISTS["giving"] and tokens[place].entry.kinds[:1] != "p"
        return before.entry.plural or given
    return False


def _title(tokens: tuple[Tagged, ...], place: int, start: int) -> bool:
    """Return whether a name goes on what stands before it: Mr. Chen, Inspector Hall, Anna Lee, my friend Lucy."""
    before, name = tokens[place - 1], tokens[place]
    after = tokens[place + 1].tag if place + 1 < len(tokens) else "."
    if before.tag == "N" and before.entry.kinds[:1] == "p" and tokens[start].tag in "DZ" and after not in "VB":
        return True
    return before.low in LISTS["titles"] or (before.text[:1].isupper() and name.text[:1].isupper())


def _clauses(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> list[int]:
    """Number the clause and the sentence of each group, and return the number of each token's clause."""
    starts = {group.start: group for group in groups if group.part != "possessor"}
    clause = sentence = first = 0
    verb = fresh = False
    numbers = []
    for place, token in enumerate(tokens):
        begins = False
        if token.tag == ".":
            sentence, first, begins = sentence + 1, min(place + 1, len(tokens) - 1), True
        elif token.tag in "SW":
            begins = place > 0
        elif verb and token.tag == "V" and tokens[place - 1].tag == "," and tokens[first].tag == "S":
            begins = True  # if it breaks, replace it
        elif verb and place in starts:
            group = starts[place]
            after = tokens[group.end].tag if group.end < len(tokens) else "."
            before = tokens[place - 1]
            finite = after in "VB" and (after == "B" or tokens[group.end].entry.form != "ing")
            if (
                group.token.tag == "K"
                or (group.token.low in LISTS["subjects"] and before.tag not in "BP")
                or (group.token.low == "it" and after in "VB" and before.tag in "NMCOV,R")
                or (finite and before.tag in "C,")
            ):
                begins = True
            elif finite and before.tag in "NMO" and (after == "B" or not group.pronoun):
                begins = after == "B" or tokens[group.end].entry.form != "ed" or place >= 2
        if begins and not fresh:
            clause, verb = clause + 1, False
        fresh = begins
        verb = verb or token.tag in "VB" or token.tag == "K"
        numbers.append((clause, sentence))
    for group in groups:
        group.clause, group.sentence = numbers[group.start]
    return [number for number, _ in numbers]


def _parts(tokens: tuple[Tagged, ...], groups: list[NounGroup], clauses: list[int]) -> None:
    """Say what part each group plays: by its preposition, else by whether its clause has had a verb."""
    before: NounGroup | None = None
    for group in groups:
        if group.part == "possessor":
            continue
        place = group.start - 1
        while place >= 0 and tokens[place].tag == "R" and tokens[place].entry.adverb:
            place -= 1
        last = tokens[place].tag if place >= 0 else "."
        verb = _verb(tokens, clauses, group.start)
        group.verb = verb
        if (
            last == "P"
            and place > 0
            and tokens[place].low in LISTS["particles"]
            and (tokens[place - 1].tag == "V" and tokens[place - 1].entry.lemma in LISTS["phrasal"])
        ):
            group.part = "object"  # woke up the neighbours
        elif last == "P":
            group.part, group.prep = "prep", place
            if before is not None and before.end == place and tokens[place].low == "of":
                group.inside = before
        elif last == "C" and before is not None and before.end == place and before.clause == group.clause:
            group.part, group.verb, group.prep = before.part, before.verb, before.prep
            before.together.append(group)
            group.joined = True
            group.inside = before.inside
        elif verb is None:
            group.part = "subject"
        elif tokens[place].tag == "B" and not _has_subject(groups, group):
            group.part = "subject"  # did the cop see
        elif (
            before is not None
            and before.end == group.start
            and before.part == "object"
            and before.clause == group.clause
        ):
            group.part = "second"
        elif tokens[verb].low in LISTS["be"] and all(token.low != "there" for token in tokens[:verb]):
            group.part = "predicate"  # my father is a teacher
        else:
            group.part = "object"
        before = group


def _has_subject(groups: list[NounGroup], group: NounGroup) -> bool:
    """Return whether a group's clause has a subject before it."""
    return any(other.clause == group.clause and other.part == "subject" for other in groups if other.end <= group.start)


def _verb(tokens: tuple[Tagged, ...], clauses: list[int], start: int) -> int | None:
    """Return the place of the last verb before a place, in its clause; be and auxiliaries where there is no other."""
    found = None
    for place in range(start):
        if clauses[place] == clauses[start] and (
            tokens[place].tag == "V" or (tokens[place].tag in "BK" and (found is None or tokens[found].tag in "BK"))
        ):
            found = place
    return found
