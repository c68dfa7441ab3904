"""Whether *it* stands for nothing: it rains, it is clear that, it seems, it is Sunday, it was Maria who."""

from __future__ import annotations

from mha.analysis.proposals import closed
from mha.analysis.proposals.tagging import Tagged


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
