"""The nouns that a word may refer to: person, gender, number; and the reading that grammar settles between two nouns.

No model runs. Grammar is the one case in which a reading is stated: *who was* agrees with *nephew* and not with
*lawyers*, independent of any model.
"""

from typing import NamedTuple

from mha.analysis.proposals.closed import LISTS, RELATIVES
from mha.analysis.proposals.groups import NounGroup, read
from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import english, tagged

FEMININE = ("ess", "woman", "women", "girl", "lady", "mother", "daughter", "sister", "wife")
MASCULINE = ("man", "men", "boy", "father", "son", "brother", "husband")
FITS_IT = {"t": 1.0, "a": 1.0, "g": 0.9, "c": 0.8, "l": 0.8, "e": 0.6, "b": 0.5, "p": 0.3, "s": 0.0}  # by kind


def lemma(group: NounGroup) -> str:
    """Return the lemma of a group's noun, in small letters."""
    return group.token.entry.lemma or group.token.low


def is_time(group: NounGroup) -> bool:
    """Return whether a group is a time: *Monday*, *the moment*."""
    return group.token.entry.kinds[:1] == "s" or lemma(group) in LISTS["times"]


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
    if lemma(group) in LISTS["no persons"]:
        return 0.0
    if gender(group) or lemma(group) in LISTS["persons"] | LISTS["soft"] or entry.kinds[:1] == "p":
        return 1.0
    if entry.kinds:
        return 0.5 * ("p" in entry.kinds)
    return 0.5 if lemma(group).endswith(("er", "or", "ist", "man", "ian")) else 0.3


def gender(group: NounGroup) -> str:
    """Return m or f if a name or noun has this gender, else "" ("soft" nouns, such as *actor*, may be either)."""
    entry, low = group.token.entry, lemma(group)
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
    kinds, name = group.token.entry.kinds, lemma(group)
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
        return 0.8 if group.together or lemma(group) in LISTS["groups"] | LISTS["invariant"] else 0.0
    return 1.0 if person(group) > 0 or group.token.entry.kinds[:1] == "a" else 0.6


def fits_person(group: NounGroup) -> float:
    """Return how well *he* or *she* may refer to a group, gender aside, from 0 (not) to 1."""
    if plural(group) or lemma(group) in LISTS["groups"] or group.token.tag == "J":
        return 0.0
    is_animal = group.part == "subject" and group.token.entry.kinds[:1] == "a"
    return max(0.4 * is_animal, person(group))  # the lion ate the hunter because he was hungry


SINGULAR = frozenset(["was", "is", "has", "does", "wasn't", "isn't", "hasn't", "doesn't"])
PLURAL = frozenset(["were", "are", "have", "do", "weren't", "aren't", "haven't", "don't"])
GENDERS = {"he": "m", "she": "f"}


class WordAgreement(NamedTuple):
    """The word ``number`` agrees with one of two candidates alone: ``fits`` is its place in the pair, 0 or 1."""

    number: int
    fits: int


def agreement(text: str, pivot: int, candidates: tuple[int, int]) -> WordAgreement | None:
    """Return what *he*, *she*, or the *be*, *have* or *do* of a relative clause settles; None if it settles nothing.

    Words are numbered as in `mha.words.words`. English only.

    >>> agreement("The nephew of the lawyers who was late paid the bill", 5, (1, 4))
    WordAgreement(number=6, fits=0)
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
        if token.low not in SINGULAR | PLURAL or None in map(_is_plural, pair):
            return None
        fits = [_is_plural(group) == (token.low in PLURAL) for group in pair]
    elif token.low in GENDERS:
        fits = [gender(group) in (GENDERS[token.low], "") for group in pair]
    else:
        return None
    return WordAgreement(token.number, fits.index(True)) if sum(fits) == 1 else None


def _is_plural(group: NounGroup) -> bool | None:
    """Return whether a group takes a plural verb; None if it may take either, as a team or sheep."""
    if lemma(group) in LISTS["groups"] | LISTS["invariant"]:
        return None
    return plural(group) or bool(group.together)
