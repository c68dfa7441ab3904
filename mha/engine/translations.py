"""What Translation asks: translations with and without heads, and the change of one written word by every head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha.engine.answers import of_passes
from mha.intervention.outcomes import Prediction, WordSweep
from mha.maps import HeadId

if TYPE_CHECKING:  # it loads with the first model
    from mha.intervention.translating import Translation


@of_passes(lambda _: 4)
def translated(text: str, model: str, heads: tuple[HeadId, ...] = ()) -> Translation:
    """Return `mha.translate` with some heads ablated together, by their means."""
    from mha.intervention.translating import translate

    return translate(text, heads, model=model)


@of_passes(lambda _: 16)
def word_changes(
    text: str, model: str, target: str, words: tuple[str | int, ...], heads: tuple[HeadId, ...]
) -> tuple[WordSweep, Prediction]:
    """Return two words that can follow a begun translation: with each head ablated alone, and with ``heads`` together.

    The first of ``words`` is compared with the second, or with the likeliest other one. Raises as `mha.predict`.
    """
    from mha.intervention.predicting import iter_word_sweep, predict

    first, *later_words = words
    if not later_words:
        likeliest = predict(text, model, 2, target=target).ids
        later_words = [next(number for number in likeliest if number != first)]
    *_, sweep = iter_word_sweep(text, model, (first, *later_words), target=target)
    return sweep, predict(text, model, sweep.ids, heads, target=target)
