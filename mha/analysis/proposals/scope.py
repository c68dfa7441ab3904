"""Whether an adjective describes the first of two coordinated nouns, or both: old men and women."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mha.analysis.proposals import closed
from mha.analysis.proposals.found import Suggestion
from mha.analysis.proposals.groups import NounGroup
from mha.analysis.proposals.tagging import Tagged

SCOPE = "scope"


def scopes(tokens: tuple[Tagged, ...], groups: list[NounGroup]) -> Iterator[Suggestion]:
    """Yield each adjective before two coordinated nouns; the second has nothing of its own before it."""
    for group, other in pairwise(groups):
        if other.start != group.end + 1 or tokens[group.end].low not in ("and", "or") or group.head - group.start < 1:
            continue
        before, second = tokens[group.head - 1], tokens[other.start]
        if before.tag != "J" or before.low in closed.QUANTITIES or before.low[:1].isdigit():
            continue
        if second.tag != "N" or other.head != other.start or tokens[group.head].tag != "N":
            continue
        after = tokens[other.end].tag if other.end < len(tokens) else "."
        if group.verb is not None and after in "VB":
            continue  # she likes old cars and women like her
        plain = group.token.entry.plural == other.token.entry.plural or tokens[group.start].tag == "J"
        if plain:
            yield Suggestion(SCOPE, before.number, (group.token.number, other.token.number), 2.0)
