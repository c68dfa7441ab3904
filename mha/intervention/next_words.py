"""The likeliest next words of a text, with all heads and with some heads ablated together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mha.cuts import Cuts
from mha.intervention.ablation import Heads
from mha.intervention.outcomes import NextWords, WordSweep
from mha.intervention.predicting import iter_word_sweep, predict
from mha.intervention.typed import ids_of_words
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import writer
from mha.words import accept


def next_words(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Collection[str] = (),
    ablated: Heads = (),
    kind: str = "mean",
    target: str = "",
    positions: str = "all",
    cut: Cuts = (),
) -> NextWords:
    """Return the five likeliest next words and the given ``words``, before and after some heads are ablated together.

    A masked model fills a typed ``[MASK]``; an encoder–decoder predicts the word after ``target``. A given word is one
    token. ``kind``, ``positions`` and ``cut`` as `mha.predict`.

    >>> found = next_words("moon fish table moon fish", "copier", words=["rope"], ablated=["L1H2"])
    >>> found.words[0], found.words[-1], f"{found.probability[0]:.0%} → {found.after[0]:.0%}"
    ('table', 'rope', '79% → 64%')
    >>> [round(value, 2) for value in found.log_ratio("table", "rope")]
    [5.49, 4.9]

    Raises:
        InputError: a given word is several tokens; or as `mha.predict`.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.predict`.
    """
    loaded = writer(model)
    sweep = first_words(text, loaded, words, target, kind, positions)
    if not ablated and not cut:
        return NextWords(sweep)
    ablated_prediction = predict(
        text, loaded, sweep.ids, ablated, kind=kind, target=target, positions=positions, cut=cut
    )
    return NextWords(
        sweep, ablated_prediction.heads, ablated_prediction.silenced, ablated_prediction.first, ablated_prediction.cut
    )


def first_words(
    text: str,
    model: str | LoadedModel,
    words: Collection[str] = (),
    target: str = "",
    kind: str = "mean",
    positions: str = "all",
) -> WordSweep:
    """Return the five likeliest next words and then the given ones, with no head measured yet; raises as `next_words`.

    A given word that is one of the five is not repeated.
    """
    loaded = writer(model)
    likeliest = next(iter_word_sweep(text, loaded, target=target, kind=kind, positions=positions))
    further, notes = ids_of_words([word for word in words if word], loaded, accept(text).text, target)
    ids = tuple(dict.fromkeys((*likeliest.ids, *further)))
    if ids != likeliest.ids:
        likeliest = next(iter_word_sweep(text, loaded, ids, target=target, kind=kind, positions=positions))
    return replace(likeliest, notes=likeliest.notes + notes)
