"""The same two shapes in German, Spanish and French, by closed classes alone: a phrase after an object, a pronoun.

There is no lexicon of these: a noun is what follows a determiner (in German with a capital letter), the verb what
stands before the object. What language a text is in is counted by its commonest small words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from mha.analysis.proposals.closed import listed
from mha.analysis.proposals.groups import Suggestion
from mha.pairs import KINDS
from mha.words import TextRun, split

ATTACHMENT, PRONOUN = KINDS[0], KINDS[1]


@dataclass(frozen=True, eq=False)
class Language:
    """The closed classes of one language; determiners and pronouns with their genders: m, f, n, p(lural)."""

    name: str
    determiners: dict[str, str]
    pronouns: dict[str, str]
    prepositions: frozenset[str]
    auxiliaries: frozenset[str]
    others: frozenset[str]
    empty: frozenset[str]
    capitals: bool = False

    @cached_property
    def small(self) -> frozenset[str]:
        """All small words of the language that we know."""
        return frozenset((*self.determiners, *self.pronouns, *self.prepositions, *self.auxiliaries, *self.others))


def _genders(text: str) -> dict[str, str]:
    """Return {word: genders} of "m: el un; f: la una"; a word may stand in several."""
    found: dict[str, str] = {}
    for row in text.split(";"):
        gender, words = row.split(":")
        for word in words.split():
            found[word] = found.get(word, "") + gender.strip()
    return found


LANGUAGES = (
    Language(
        "German",
        _genders(
            "m: der den dem ein einen einem mein meinen sein seinen ihr ihren unser unseren dieser diesen;"
            "f: die der eine einer meine seine ihre unsere diese dieser; n: das dem ein einem mein sein ihr dieses;"
            "p: die den meine seine ihre unsere diese zwei drei viele"
        ),
        _genders("m: er ihn ihm; f: sie ihr; n: es; p: sie"),
        listed("mit in im auf aus an am bei beim hinter neben unter ohne"),
        listed("habe hast hat haben habt hatte hatten wird werden wurde will kann muss"),
        listed(
            "und oder aber weil nachdem bevor als während obwohl dass wenn da denn nicht sich ich du wir zu zum "
            "zur von vom für nach über vor durch ist war waren sind sehr gestern heute wer wie was"
        ),
        listed("regnet regnete schneit schneite gibt gab scheint schien geht"),
        capitals=True,
    ),
    Language(
        "Spanish",
        _genders("m: el un al mi su este; f: la una mi su esta; p: los las unos unas mis sus dos tres muchos muchas"),
        _genders("m: él; f: ella; p: ellos ellas"),
        listed("con en desde sin bajo sobre"),
        listed("ha han he hemos había habían está estaba va"),
        listed(
            "y o pero porque cuando aunque que mientras antes después de del a no se me te lo le les nos es era "
            "fue muy por para como quién ayer hoy si yo tú"
        ),
        frozenset(),
    ),
    Language(
        "French",
        _genders("m: le un mon son ce notre l'; f: la une ma sa son cette notre l'; p: les des mes ses ces deux trois"),
        _genders("m: il; f: elle; p: ils elles"),
        listed("avec dans sur sous derrière sans depuis chez"),
        listed("a ai as ont avons avait avaient va est"),
        listed(
            "et ou mais parce quand lorsque puisque que qui alors pendant avant après de du au aux à ne pas se me "
            "te je tu nous vous on est était sont très pour par comme hier j' d' qu' n' s' c'"
        ),
        listed("pleut pleuvait neige neigeait faut fallait fait faisait y semble semblait"),
    ),
)
_ELIDED = re.compile(r"^(l|d|j|qu|n|s|c|lorsqu|puisqu)['’](?=\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Noun:
    """A noun with its determiner: the places of both among the pieces, and the genders it may have."""

    start: int
    place: int
    number: int
    genders: str


def language(text: str) -> Language | None:
    """Return the language of a text if it is one of these; None for English and for any other.

    >>> language("Ich sah den Mann mit dem Fernrohr").name
    'German'
    """
    bare = [_bare(piece) for piece in split(text) if piece.word is not None]
    counted = {one: sum(word in one.small for word in bare) for one in LANGUAGES}
    best = max(counted, key=lambda one: counted[one])
    enough = counted[best] >= max(2, len(bare) / 4) and counted[best] > sum(word in ENGLISH for word in bare)
    return best if enough else None


ENGLISH = listed(
    "the a an and of to in is was were it he she they i you we with on at for from that this who because my your his "
    "her by not be are had has have but when what how do did"
)


def _bare(piece: TextRun) -> str:
    """Return a word in small letters without what is elided before it: l'homme is homme."""
    return _ELIDED.sub("", piece.text).casefold()


def found_in(text: str, language: Language) -> Iterator[Suggestion]:
    """Yield a pronoun with two nouns that it may stand for, and a phrase that may go with a verb or its object."""
    pieces = split(text)
    nouns = list(_nouns(pieces, language))
    yield from _pronouns(pieces, nouns, language)
    yield from _attachments(pieces, nouns, language)


def _nouns(pieces: tuple[TextRun, ...], language: Language) -> Iterator[Noun]:
    """Yield what follows a determiner, adjectives left out; in German the first word with a capital letter."""
    for place, piece in enumerate(pieces):
        elided = _ELIDED.match(piece.text)
        if elided and elided.group(1).casefold() == "l" and _bare(piece) not in language.small:
            yield Noun(place, place, piece.word or 0, "mf")
            continue
        genders = language.determiners.get(piece.text.casefold())
        if piece.word is None or genders is None:
            continue
        for at in range(place + 1, min(place + 4, len(pieces))):
            number = pieces[at].word
            if number is None or _bare(pieces[at]) in language.small:
                break
            if not language.capitals or pieces[at].text[:1].isupper():
                yield Noun(place, at, number, genders)
                break


def _attachments(pieces: tuple[TextRun, ...], nouns: list[Noun], language: Language) -> Iterator[Suggestion]:
    for thing, phrase in pairwise(nouns):
        between = pieces[thing.place + 1 : phrase.start]
        if len(between) != 1 or between[0].text.casefold() not in language.prepositions:
            continue
        verb = _verb(pieces, thing, phrase, language)
        if verb is not None:
            yield Suggestion(ATTACHMENT, phrase.number, (verb, thing.number), 2.0)


def _verb(pieces: tuple[TextRun, ...], thing: Noun, phrase: Noun, language: Language) -> int | None:
    """Return the verb before an object; in German with an auxiliary the participle behind it; else None."""
    place = thing.start - 1
    while place >= 0 and pieces[place].text.casefold() in ("a", "ich", "er", "sie", "wir", "nicht", *language.pronouns):
        place -= 1
    if place < 0 or pieces[place].word is None:
        return None
    word = pieces[place].text.casefold()
    if word in language.auxiliaries and language.capitals:
        after = [piece for piece in pieces[phrase.place + 1 :] if piece.word is not None]
        last = after[0] if len(after) == 1 else None
        return last.word if last is not None and last.text.casefold().endswith(("t", "en")) else None
    if word in language.small or (language.capitals and pieces[place].text[:1].isupper() and place > 0):
        return None
    return pieces[place].word


def _pronouns(pieces: tuple[TextRun, ...], nouns: list[Noun], language: Language) -> Iterator[Suggestion]:
    for place, piece in enumerate(pieces):
        genders = language.pronouns.get(_bare(piece))
        if piece.word is None or genders is None:
            continue
        after = next((_bare(one) for one in pieces[place + 1 :] if one.word is not None), "")
        names = [
            Noun(at, at, one.word or 0, "mf")
            for at, one in enumerate(pieces[:place])
            if one.word is not None and one.text[:1].isupper() and _bare(one) not in language.small
        ]
        taken = {noun.place for noun in nouns}
        before = [noun for noun in nouns if noun.place < place]
        before += [
            name for name in names if name.place not in taken and not (language.capitals and _second(pieces, name))
        ]
        fitting = sorted((one for one in before if set(one.genders) & set(genders)), key=lambda one: one.place)
        if len(fitting) > 1 and after not in language.empty:
            yield Suggestion(PRONOUN, piece.word, (fitting[0].number, fitting[1].number), 3.0)
            return


def _second(pieces: tuple[TextRun, ...], name: Noun) -> bool:
    """Return whether a German word with a capital follows a small word, so that it is a noun rather than a name."""
    return name.place > 0 and pieces[name.place - 1].text[:1].islower() and name.place + 1 == len(pieces)
