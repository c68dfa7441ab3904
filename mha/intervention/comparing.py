"""Compare two sentences in a model: `mha.analysis.comparison` defines the change and its controls."""

import itertools
from collections.abc import Collection

import numpy as np

from mha.analysis.changes import MOST_SWAPS
from mha.analysis.comparison import BEFORE, Comparison, Neutral, candidates, compared, nearest, of_class
from mha.intervention.ablation import Heads, ablate
from mha.intervention.subject import subject
from mha.maps import Recording
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.attending import record_text
from mha.models.watch.tokens import rows_of_words
from mha.pairs import corpus
from mha.words import words


def compare(
    text: str,
    changed_text: str,
    model: str | LoadedModel = DEFAULT,
    ablated: Heads = (),
    controls: Collection[str] = (),
) -> Comparison:
    """Return the change of every head between two sentences, with a control limit from control words.

    Words are paired by their longest common subsequence. The change of a head is the Jensen–Shannon divergence of a
    word's attention in both sentences, in bits, averaged over the words that stayed. If exactly one word changed, up to
    eight control words replace it: the largest change under them is the limit of each head. ``controls`` are your own,
    at least three; by default words of its part of speech are chosen that follow the same words in the sample
    sentences. Both sentences and all controls run without the ``ablated`` heads (mean ablation). Limits: one pair of
    sentences does not make a pattern, and a change of attention shows neither its cause nor its effect.

    >>> comparison = compare("The old man sat on the bench.", "The young man sat on the bench.")
    >>> comparison.changes.mean.shape, bool(comparison.limit.named_heads.any())
    ((6, 12), False)

    Raises:
        NotComparable: the model is causal, and no word that stayed comes after the change.
        InputError: no word in a text, or no such head.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.attend` and `mha.ablate`.
    """
    heads = subject(model).chosen(ablated) if ablated else ()

    def record(text: str) -> Recording:
        return ablate(text, heads, model=model) if heads else record_text(text, model)

    def find_neutral(text: str, number: int, but: str) -> Neutral:
        return neutral_words(text, number, model, but)

    return compared(text, changed_text, record, find_neutral, heads, controls)


def neutral_words(
    text: str, number: int, model: str | LoadedModel = DEFAULT, but: str = "", count: int = MOST_SWAPS
) -> Neutral:
    """Return neutral words of one token for one position of a text, the nearest to its word first.

    They have its part of speech and form and are not ``but``. There are fewer than ``count`` if the bundled sentences
    have no more, and a toy has none.

    Raises:
        InputError: the text lacks this word.
    """
    loaded, fits, best = transformer_of(model), of_class(text, number), Neutral()
    if loaded is None:
        return best
    for n_before in range(min(BEFORE, number), 0, -1):
        neutral = candidates(text, number, corpus(), n_before)
        vector, *vectors = (
            rows_of_words(loaded.tokenizer, loaded.model, w) for w in (words(text)[number], *neutral.words)
        )
        single = [place for place, rows in enumerate(vectors) if len(rows) == 1]
        if not single or not len(vector):
            continue
        order = nearest(vector.mean(axis=0), np.concatenate([vectors[place] for place in single]))
        near = (neutral.words[single[row]] for row in order if neutral.words[single[row]] != but.casefold())
        selection = tuple(itertools.islice(filter(fits, near), count))
        if len(selection) > len(best.words):
            best = Neutral(selection, neutral.follow)
        if len(selection) == count:
            break
    return best
