"""What grammar settles between two candidates: the number of a verb, the gender of *he* and *she*.

No model is asked. It is the one case in which a reading is stated: *who was* agrees with *nephew* and not with
*lawyers*, whatever a model makes of it.
"""

from __future__ import annotations

from typing import NamedTuple

from mha.analysis.proposals import closed
from mha.analysis.proposals.groups import NounGroup, read
from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import Tagged, english, tagged
from mha.analysis.proposals.things import gender, lemma, plural

SINGULAR = {"was": "were", "is": "are", "has": "have", "does": "do", "wasn't": "weren't", "isn't": "aren't",
            "hasn't": "haven't", "doesn't": "don't"}  # fmt: skip
PLURAL = {many: one for one, many in SINGULAR.items()}
SEXES = {"he": "m", "she": "f"}
OTHER = {"he": "she", "she": "he"}
_SAME_IN_PAST = "put cut hit let set shut hurt cost read beat cast spread quit split bet burst rid"
SAME_IN_PAST = frozenset(_SAME_IN_PAST.split())
RELATIVES = ("who", "which", "that")


class WordAgreement(NamedTuple):
    """What the word ``number`` settles between two candidates, by their places in the pair, 0 and 1.

    ``fits`` is the only candidate that it fits, None where it fits both; ``other`` is the word in its place that
    leaves only the candidate ``leaves``, "" where grammar has none.
    """

    number: int
    fits: int | None
    other: str = ""
    leaves: int | None = None


def agreement(text: str, pivot: int, candidates: tuple[int, int]) -> WordAgreement | None:
    """Return what grammar settles between two candidates of an ambiguous word; None where it settles nothing.

    Words are numbered as `mha.words.words` does. English alone.

    >>> agreement("The nephew of the lawyers who was late paid the bill", 5, (1, 4))
    WordAgreement(number=6, fits=0, other='were', leaves=1)
    >>> agreement("The king thanked the guest because he waited", 6, (1, 4))
    WordAgreement(number=6, fits=None, other='she', leaves=1)
    >>> agreement("The clerk thanked the guest because he waited", 6, (1, 4))
    """
    lexicon = bundled()
    tokens = () if lexicon is None else tagged(text, lexicon)
    if not english(tokens):
        return None
    groups = {group.token.number: group for group in read(tokens) if not group.pronoun}
    place = next((place for place, token in enumerate(tokens) if token.number == pivot), None)
    if place is None or any(one not in groups for one in candidates):
        return None
    pair = groups[candidates[0]], groups[candidates[1]]
    if tokens[place].low in SEXES:
        return _of_gender(tokens[place], pair)
    return _of_number(tokens, place, pair) if tokens[place].low in RELATIVES else None


def _of_gender(pronoun: Tagged, pair: tuple[NounGroup, NounGroup]) -> WordAgreement | None:
    """Return what *he* or *she* settles; a noun of no gender may be anybody."""
    own = SEXES[pronoun.low]
    fitting = [place for place, group in enumerate(pair) if gender(group) in (own, "")]
    others = [place for place, group in enumerate(pair) if gender(group) != own]  # whom the other pronoun fits
    fits = fitting[0] if len(fitting) == 1 else None
    if len(others) == 1:
        return WordAgreement(pronoun.number, fits, _as_written(OTHER[pronoun.low], pronoun.text), others[0])
    return None if fits is None else WordAgreement(pronoun.number, fits)


def _of_number(tokens: tuple[Tagged, ...], place: int, pair: tuple[NounGroup, NounGroup]) -> WordAgreement | None:
    """Return what the verb behind a relative settles, where one candidate is one and the other several."""
    counts = [_count(group) for group in pair]
    verb = next((token for token in tokens[place + 1 :] if token.tag != "R"), None)
    if verb is None or sorted(counts) != ["many", "one"]:
        return None
    found = _verb(verb)
    if found is None:
        return None
    count, other = found
    return WordAgreement(verb.number, counts.index(count), _as_written(other, verb.text), 1 - counts.index(count))


def _count(group: NounGroup) -> str:
    """Return whether a group is "one" or "many"; "" of what may be either, as a team or sheep."""
    if lemma(group) in closed.GROUPS or lemma(group) in closed.INVARIANT:
        return ""
    return "many" if plural(group) or group.together else "one"


def _verb(token: Tagged) -> tuple[str, str] | None:
    """Return the number that a verb shows, and its form of the other number; None where it shows none."""
    if token.low in SINGULAR:
        return "one", SINGULAR[token.low]
    if token.low in PLURAL:
        return "many", PLURAL[token.low]
    if token.tag != "V" or not token.entry.verb:
        return None
    if token.entry.form == "s" and token.entry.lemma:
        return "one", token.entry.lemma
    if token.entry.form == "" and token.entry.lemma == token.low and token.low not in SAME_IN_PAST:
        return "many", _with_s(token.low)
    return None


def _with_s(verb: str) -> str:
    """Return the third person singular of a regular verb.

    >>> [_with_s(verb) for verb in ("live", "watch", "carry", "play")]
    ['lives', 'watches', 'carries', 'plays']
    """
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


def _as_written(word: str, before: str) -> str:
    """Return a word with a capital where the one before it had one."""
    return word.capitalize() if before[:1].isupper() else word
