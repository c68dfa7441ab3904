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
OTHER_NUMBER = SINGULAR | {plural: singular for singular, plural in SINGULAR.items()}
OTHER_GENDER = {"he": "she", "she": "he"}
OF_GENDER = {"he": ("his", "him", "himself"), "she": ("her", "hers", "herself")}
RELATIVES = ("who", "which", "that")


class WordAgreement(NamedTuple):
    """What the word ``number`` settles between two candidates, by their places in the pair, 0 and 1.

    ``fits`` is the only candidate that agrees with it, None if both do; ``other`` is its other form, which agrees with
    the candidate ``leaves`` alone, "" if there is no such form.
    """

    number: int
    fits: int | None
    other: str = ""
    leaves: int | None = None


def agreement(text: str, pivot: int, candidates: tuple[int, int]) -> WordAgreement | None:
    """Return what *he*, *she*, or the *be*, *have* or *do* of a relative clause settles; None if it settles nothing.

    Words are numbered as in `mha.words.words`. English only.

    >>> agreement("The nephew of the lawyers who was late paid the bill", 5, (1, 4))
    WordAgreement(number=6, fits=0, other='were', leaves=1)
    >>> agreement("The king thanked the guest because he waited", 6, (1, 4))
    WordAgreement(number=6, fits=None, other='she', leaves=1)
    >>> agreement("The clerk thanked the guest because he waited", 6, (1, 4))
    """
    lexicon = bundled()
    tokens = () if lexicon is None else tagged(text, lexicon)
    groups = {group.token.number: group for group in read(tokens) if not group.pronoun}
    place = next((place for place, token in enumerate(tokens) if token.number == pivot), None)
    if not english(tokens) or place is None or not groups.keys() >= set(candidates):
        return None
    pair = [groups[number] for number in candidates]
    token = tokens[place]
    if token.low in RELATIVES:
        token = next((later for later in tokens[place + 1 :] if later.tag != "R"), token)
        fits = [_is_plural(group) == (token.low not in SINGULAR) for group in pair]
        leaves, other = [not fit for fit in fits], OTHER_NUMBER.get(token.low, "")
        if not other or len(set(fits)) < 2 or None in map(_is_plural, pair):
            return None
    elif token.low in OTHER_GENDER:
        gender_of_other = {"he": "f", "she": "m"}[token.low]
        fits = [gender(group) != gender_of_other for group in pair]
        leaves, other = [gender(group) in (gender_of_other, "") for group in pair], OTHER_GENDER[token.low]
        if True in leaves and _is_named(tokens[pair[leaves.index(True)].end :], token):
            leaves = []  # "her mother" says that the noun before it is a woman
    else:
        return None
    fit = fits.index(True) if sum(fits) == 1 else None
    if sum(leaves) == 1:
        return WordAgreement(
            token.number, fit, other.capitalize() if token.text[0].isupper() else other, leaves.index(True)
        )
    return None if fit is None else WordAgreement(token.number, fit)


def _is_named(after: tuple[Tagged, ...], pronoun: Tagged) -> bool:
    """Return whether *her* or *his* follows a noun, which may be its noun and then has its gender."""
    return any(token.low in OF_GENDER[pronoun.low] for token in after if token is not pronoun)


def _is_plural(group: NounGroup) -> bool | None:
    """Return whether a group takes a plural verb; None if it may take either, as a team or sheep."""
    if lemma(group) in closed.GROUPS or lemma(group) in closed.INVARIANT:
        return None
    return plural(group) or bool(group.together)
