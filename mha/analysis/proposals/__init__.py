"""The ambiguity of a typed sentence, proposed without a model: a lexicon, parts of speech, and three shapes.

A proposal is a question to the visitor, not an answer: no model runs, and the rules lack knowledge of the world.
docs/proposals.md has the rate of right proposals. A kind of ambiguity decides the test pairs of a score.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from mha import assets
from mha.analysis.proposals.groups import Suggestion, read
from mha.analysis.proposals.lexicon import RELATIVES, Lexicon, bundled
from mha.analysis.proposals.shapes import ATTACHMENT, HE_SHE, PRONOUN, RELATIVE, attachments, pronouns, relatives
from mha.analysis.proposals.tagging import KEPT, languages, tagged
from mha.assets import ASSETS
from mha.errors import InputError
from mha.maps import Reading
from mha.pairs import OTHER
from mha.words import words

SHAPES = (relatives, pronouns, attachments)
FEWEST_WORDS, MOST_WORDS = 3, 80  # of other texts nothing is proposed
ENGLISH_ONLY = "Suggestions work for English."


@dataclass(frozen=True)
class Proposal:
    """An ambiguity that a sentence may have: ``pivot``, a word that may go with either of two, ``partners``.

    ``kind`` is attachment, pronoun, he/she or relative clause; words are numbered as in `mha.words.words`. The pivot is
    a phrase's noun and the partners are the verb and its object, or it is a pronoun or a relative and they are two
    nouns. The first of ``readings`` joins the pivot with the first partner, the second with the second.
    """

    kind: str
    pivot: int
    partners: tuple[int, int]
    readings: tuple[Reading, Reading]


def propose(text: str) -> tuple[Proposal, ...]:
    """Return the ambiguities that the shape of a sentence suggests, best first; () where no shape fits.

    Only English texts have suggestions.

    >>> [(one.kind, one.pivot, one.partners) for one in propose("I saw the man with the telescope")]
    [('attachment', 6, (1, 3))]
    >>> propose("It rained in the valley.")
    ()
    """
    lexicon = bundled()
    return () if lexicon is None else _proposals(text, lexicon)[0]


@functools.lru_cache(maxsize=KEPT)
def _proposals(text: str, lexicon: Lexicon) -> tuple[tuple[Proposal, ...], bool]:
    """Return the proposals of a text, and whether it has none because it is in another language."""
    text_words = words(text)
    if not FEWEST_WORDS <= len(text_words) <= MOST_WORDS:
        return (), False
    tokens = tagged(text, lexicon)
    is_english, is_foreign = languages(tokens)
    groups = read(tokens) if is_english else []
    suggestions = [suggestion for shape in SHAPES for suggestion in shape(tokens, groups)]
    suggestions.sort(key=lambda suggestion: -suggestion.weight)
    return tuple(_proposal(suggestion, text_words) for suggestion in suggestions), is_foreign and not suggestions


def suggested(text: str) -> tuple[Reading, Reading]:
    """Return the two readings of the best proposal.

    Raises:
        InputError: nothing is proposed.
    """
    proposals = propose(text)
    if not proposals:
        raise InputError(f"Nothing is suggested for this text: give its two readings. {only_english(text)}".strip())
    return proposals[0].readings


def only_english(text: str) -> str:
    """Return the sentence for a text that gets no proposal because it is not in English, or "" for any other text.

    >>> only_english("Ik zag de man met de verrekijker"), only_english("I saw the man")
    ('Suggestions work for English.', '')
    """
    lexicon = bundled()
    return ENGLISH_ONLY if lexicon and _proposals(text, lexicon)[1] else ""


def _proposal(suggestion: Suggestion, text_words: tuple[str, ...]) -> Proposal:
    """Return a suggestion with its readings, which are named by their words."""
    kind, pivot, (first, second), _ = suggestion
    relation = "the phrase goes with" if kind == ATTACHMENT else f"{text_words[pivot]} refers to"
    readings = [Reading(f"{relation} {text_words[partner]}", ((pivot, partner),)) for partner in (first, second)]
    return Proposal(kind, pivot, (first, second), (readings[0], readings[1]))


PRONOUNS = ("it", "he", "she", "they")
HE_OR_SHE = ("he", "she")
PREPOSITIONS = frozenset(
    words(
        """
        about above across after against along among around at before behind below beneath beside between by down
        during for from in inside into near of off on onto over past through to toward towards under until up upon via
        with within without
        """
    )
)
DETERMINERS = frozenset(words("a an the this that these those my your his her its our their some any no each every"))
PHRASE = 4  # an ambiguous word is at most so many words after its preposition: with the very long telescope


def preposition_number(words: Sequence[str], number: int) -> int | None:
    """Return the number of the preposition of the phrase that a word ends, or None.

    >>> preposition_number("I saw the man with the telescope".split(), 6)
    4
    """
    low = [word.casefold() for word in words]
    for place in range(number - 1, max(-1, number - 1 - PHRASE), -1):
        if low[place] in PREPOSITIONS:
            between = low[place + 1 : number]
            return place if len(between) < 2 or between[0] in DETERMINERS else None
        if low[place] in DETERMINERS and place < number - 1 and low[place + 1] in DETERMINERS:
            return None
    return None


def fits_kind(
    kind: str, words: Sequence[str], number: int, candidates: Sequence[int], changed: Sequence[str] = ()
) -> bool:
    """Return whether an ambiguous word could occur in the test pairs of a kind; any could in those of "other".

    ``candidates`` are those of both readings, ``changed`` the words of the changed version.
    """
    low = words[number].casefold()
    if kind == PRONOUN:
        return low in PRONOUNS
    if kind == RELATIVE:
        return low in RELATIVES
    if kind == HE_SHE:
        return low in HE_OR_SHE and (not changed or {low, changed[number].casefold()} == set(HE_OR_SHE))
    if kind == ATTACHMENT:
        preposition = preposition_number(words, number)
        return preposition is not None and all(candidate < preposition for candidate in candidates)
    return True


def guess_kind(words: Sequence[str], number: int, candidates: Sequence[int], changed: Sequence[str] = ()) -> str:
    """Return the first kind that an ambiguous word fits, or "other".

    *He* and *she* are of kind he/she only if the changed version exchanges them.
    """
    kinds = (*([HE_SHE] if changed else []), PRONOUN, RELATIVE, ATTACHMENT)
    return next((kind for kind in kinds if fits_kind(kind, words, number, candidates, changed)), OTHER)


FILE = ASSETS / "own_answers.json"
KINDS = (PRONOUN, HE_SHE, RELATIVE)
END_MARKS = (".", "!", "?")


@dataclass(frozen=True)
class AnswerRate:
    """In how many of ``n`` test pairs the answer is nearer to A in version A than in version B."""

    n: int
    n_ordered: int


def answer_prompt(text: str, word: str, mask: str = "") -> str:
    """Return the text whose next word, or whose ``mask``, is the answer.

    >>> answer_prompt("The dog ate because it was hungry", "it")
    'The dog ate because it was hungry. The word it refers to the'
    """
    start = text.strip()
    start = start if start.endswith(END_MARKS) else f"{start}."
    return f"{start} The word {word} refers to the{f' {mask}.' if mask else ''}"


def answer_rate(model: str, revision: str, kind: str) -> AnswerRate | None:
    """Return the rate of a kind for a model, or None if it was not measured with these weights."""
    stored = assets.optional(FILE, json.loads) or {}
    if (stored.get("model"), stored.get("revision")) != (model, revision) or kind not in stored["kinds"]:
        return None
    return AnswerRate(**stored["kinds"][kind])
