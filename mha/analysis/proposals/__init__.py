"""The ambiguity of a typed sentence, proposed without a model: a lexicon, parts of speech, and three shapes.

A proposal is a question to the visitor, not an answer: no model runs, and the rules lack knowledge of the world.
docs/proposals.md has the rate of right proposals.
"""

import functools
from dataclasses import dataclass

from mha.analysis.proposals.groups import Suggestion, read
from mha.analysis.proposals.lexicon import Lexicon, bundled
from mha.analysis.proposals.shapes import ATTACHMENT, attachments, pronouns, relatives
from mha.analysis.proposals.tagging import KEPT, english, foreign, tagged
from mha.errors import InputError
from mha.maps import Reading
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
    return () if lexicon is None else _proposals(text, lexicon)


@functools.lru_cache(maxsize=KEPT)
def _proposals(text: str, lexicon: Lexicon) -> tuple[Proposal, ...]:
    text_words = words(text)
    tokens = tagged(text, lexicon) if FEWEST_WORDS <= len(text_words) <= MOST_WORDS else ()
    if not english(tokens):
        return ()
    groups = read(tokens)
    suggestions = [suggestion for shape in SHAPES for suggestion in shape(tokens, groups)]
    return tuple(_proposal(suggestion, text_words) for suggestion in sorted(suggestions, key=lambda one: -one.weight))


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
    if lexicon is None or not FEWEST_WORDS <= len(words(text)) <= MOST_WORDS or _proposals(text, lexicon):
        return ""
    return ENGLISH_ONLY if foreign(tagged(text, lexicon)) else ""


def _proposal(suggestion: Suggestion, text_words: tuple[str, ...]) -> Proposal:
    """Return a suggestion with its readings, which are named by their words."""
    kind, pivot, (first, second), _ = suggestion
    relation = "the phrase goes with" if kind == ATTACHMENT else f"{text_words[pivot]} refers to"
    readings = [Reading(f"{relation} {text_words[partner]}", ((pivot, partner),)) for partner in (first, second)]
    return Proposal(kind, pivot, (first, second), (readings[0], readings[1]))
