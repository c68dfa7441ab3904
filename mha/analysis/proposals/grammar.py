"""What a noun group may stand for, and what grammar settles between two: number of a verb, gender of *he* and *she*.

No model is asked. It is the one case in which a reading is stated: *who was* agrees with *nephew* and not with
*lawyers*, whatever a model makes of it.
"""

from __future__ import annotations

from typing import NamedTuple

from mha.analysis.proposals import closed
from mha.analysis.proposals.closed import listed
from mha.analysis.proposals.groups import NounGroup, read
from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import Tagged, english, tagged

FEMININE = ("ess", "woman", "women", "girl", "lady", "mother", "daughter", "sister", "wife")
MASCULINE = ("man", "men", "boy", "father", "son", "brother", "husband")
NEITHER = listed(
    "human woman person witness business mattress fortress governess illness success reason lesson season poison "
    "prison son german roman specimen salesperson chairperson"
)  # fmt: skip


def lemma(group: NounGroup) -> str:
    """Return the lemma of a group's noun, in small letters."""
    return group.token.entry.lemma or group.token.low


def place_name(group: NounGroup) -> bool:
    """Return whether a name is that of a place and of nobody."""
    return group.name and group.token.entry.kinds[:1] == "l" and not group.token.entry.name


def person(group: NounGroup) -> float:
    """Return how far a group may be a person: 1 surely, 0.5 perhaps, 0 not."""
    token, kinds = group.token, group.token.entry.kinds
    if token.tag == "J":
        return 0.5
    if (token.tag in "MZ" and not kinds) or group.name:
        return 0.0 if place_name(group) or (kinds[:1] == "s" and not token.entry.name) else 1.0
    if token.tag == "Z" and token.entry.name:
        return 1.0
    if lemma(group) in closed.NO_PERSONS:
        return 0.0
    if lemma(group) in closed.PERSONS or gender(group) or lemma(group) in closed.SOFT:
        return 1.0
    if not kinds:
        return 0.5 if lemma(group).endswith(("er", "or", "ist", "man", "ian")) else 0.3
    return 1.0 if kinds[0] == "p" else 0.5 if "p" in kinds else 0.0


def gender(group: NounGroup) -> str:
    """Return m or f where a name or noun says so, else ""; `closed.SOFT` says it of what may be anybody."""
    token, low = group.token, lemma(group)
    if token.tag in "MZ" and token.entry.name in ("m", "f"):
        return token.entry.name
    if group.name:
        first = token.entry.name
        return first if first in ("m", "f") else ""
    if low in closed.FEMALE:
        return "f"
    if low in closed.MALE:
        return "m"
    if low in NEITHER or "p" not in token.entry.kinds:
        return ""
    if low.endswith(FEMININE):
        return "f"
    return "m" if low.endswith(MASCULINE) else ""


def plural(group: NounGroup) -> bool:
    """Return whether a group's noun is a plural."""
    low = group.token.low
    if low in closed.PAIRS or (not group.token.entry.noun and low.endswith(("men", "s")) and not group.name):
        return not low.endswith(("ss", "us", "is", "'s"))
    return group.token.entry.plural and not (group.name and group.token.entry.name)


def fits_it(group: NounGroup) -> float:
    """Return how well *it* may stand for a group, from 0 (not) to 1."""
    kinds = group.token.entry.kinds
    if plural(group) or group.token.tag == "J" or lemma(group) in closed.TIMES:
        return 0.0
    if lemma(group) in closed.EITHER_WAY:
        return 0.9
    if group.name or group.token.tag == "Z":
        return 0.0 if not place_name(group) else 0.3
    if lemma(group) in closed.GROUPS:
        return 0.8 if lemma(group) not in ("police", "people") else 0.0
    if lemma(group) in closed.NO_PERSONS:
        return 1.0
    if kinds[:1] == "s":
        return 0.0
    if person(group) == 1.0:
        return 0.4 if set(kinds[1:]) & set("ta") and not gender(group) else 0.0
    if not kinds:
        return 0.8
    return {"t": 1.0, "a": 1.0, "g": 0.9, "c": 0.8, "l": 0.8, "e": 0.6, "b": 0.5, "p": 0.3}.get(kinds[0], 0.5)


def fits_they(group: NounGroup) -> float:
    """Return how well *they* may stand for a group, from 0 (not) to 1."""
    if group.token.entry.kinds[:1] == "s" or group.token.tag == "Z":
        return 0.0
    if group.together and not plural(group):
        return 0.8
    if lemma(group) in closed.GROUPS or lemma(group) in closed.INVARIANT:
        return 0.9
    if group.token.tag == "J":
        return 0.5
    live = person(group) > 0 or group.token.entry.kinds[:1] == "a"
    return (1.0 if live else 0.6) if plural(group) else 0.0


def fits_person(group: NounGroup) -> float:
    """Return how well *he* or *she* may stand for a group, gender aside, from 0 (not) to 1."""
    if plural(group) or lemma(group) in closed.GROUPS or group.token.tag == "J":
        return 0.0
    if group.part == "subject" and group.token.entry.kinds[:1] == "a":
        return max(0.4, person(group))  # the lion ate the hunter because he was hungry
    return person(group)


SINGULAR = {"was": "were", "is": "are", "has": "have", "does": "do", "wasn't": "weren't", "isn't": "aren't",
            "hasn't": "haven't", "doesn't": "don't"}  # fmt: skip
PLURAL = {many: one for one, many in SINGULAR.items()}
SEXES = {"he": "m", "she": "f"}
OTHER = {"he": "she", "she": "he"}
OF_SEX = {"m": ("his", "him", "himself"), "f": ("her", "hers", "herself")}
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
        return _of_gender(tokens, place, pair)
    return _of_number(tokens, place, pair) if tokens[place].low in RELATIVES else None


def _of_gender(tokens: tuple[Tagged, ...], place: int, pair: tuple[NounGroup, NounGroup]) -> WordAgreement | None:
    """Return what *he* or *she* settles; a noun of no gender may be anybody, if no *her* is about it."""
    pronoun = tokens[place]
    own = SEXES[pronoun.low]
    fitting = [at for at, group in enumerate(pair) if gender(group) in (own, "")]
    others = [at for at, group in enumerate(pair) if gender(group) != own]  # whom the other pronoun fits
    fits = fitting[0] if len(fitting) == 1 else None
    if len(others) == 1 and not _named(tokens[pair[others[0]].end :], own, pronoun):
        return WordAgreement(pronoun.number, fits, _as_written(OTHER[pronoun.low], pronoun.text), others[0])
    return None if fits is None else WordAgreement(pronoun.number, fits)


def _named(after: tuple[Tagged, ...], sex: str, pronoun: Tagged) -> bool:
    """Return whether *her* or *his* stands among some words: it may be of the noun before them, and says its sex."""
    return any(token.low in OF_SEX[sex] for token in after if token is not pronoun)


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
