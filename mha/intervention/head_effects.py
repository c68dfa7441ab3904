"""Measure attention, direct effect and ablation of every head for two next words; see `mha.analysis.head_effects`.

The direct effect is `mha.direct`; ablation is mean ablation, every head in turn (`iter_word_sweep`). Both measure the
deviation of a head's output from its mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mha.analysis.head_effects import HeadEffects, most_attended_word
from mha.analysis.readings import FIRST_WORD
from mha.errors import InputError, NotComparable
from mha.intervention.direct import direct
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.typed import first_tokens
from mha.maps import AttentionMaps
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import attend
from mha.models.watch.generating import writer
from mha.models.watch.tokens import texts_of_ids
from mha.words import accept
from mha.words import words as words_of


class LookedAt(NamedTuple):
    """The words of a text whose attention is counted, the positions of their tokens, and a note."""

    words: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...] = ()


def head_effects(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Sequence[str | int] = (),
    look_at: int | str | None = None,
    rows: int | None = None,
    order: str = "layers",
) -> HeadEffects:
    """Return attention to a word of the text, and direct effect and ablation effect on two next words, of every head.

    The score of *adds* and *matters* is the logit of the first of two next ``words`` (or token ids) minus that of the
    second; without ``words`` they are the two likeliest. *Looks* is the attention of the last token: to the first word
    minus the second if both occur in the text (summed over all occurrences), else to one word of it, ``look_at``: a
    word, or its number, counted from 0. Without ``look_at`` it is the word with the largest mean share over all heads,
    other than the last word and attention sinks. ``looked_at`` of the result names what attention is counted to. The
    first word of a causal model is an attention sink: no attention to it is counted. ``rows`` and ``order`` as
    `mha.iter_word_sweep`.

    >>> effects = head_effects("moon fish table moon fish", "copier", words=("table", "moon"))
    >>> head = effects.direct.argmax()  # the head that adds most to "table"
    >>> [round(float(numbers.flat[head]), 2) for numbers in (effects.looks, effects.direct, effects.matters)]
    [0.63, 0.41, -0.55]

    Raises:
        InputError: neither two words nor none, or ``look_at`` is not in the text; or as `mha.direct`.
        NotComparable: ``look_at`` is the first word of the text and the model is causal.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.direct`.
    """
    *_, complete = iter_head_effects(text, model, words, look_at, rows, order)
    return complete


def iter_head_effects(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Sequence[str | int] = (),
    look_at: int | str | None = None,
    rows: int | None = None,
    order: str = "layers",
) -> Iterator[HeadEffects]:
    """Yield `head_effects` of a text, first without ablation, then with more and more heads ablated in turn.

    Closing the generator stops the work. Raises as `head_effects`.
    """
    loaded = writer(model)
    if isinstance(words, str) or len(words) not in (0, 2):
        raise InputError(f"Give two words to compare, or none for the two likeliest; these are {words!r}.")
    first, second = words or next(iter_word_sweep(text, loaded, words=2)).ids
    effect = direct(text, first, second, loaded)
    text = first_tokens(loaded, accept(text).text, (first, second)).text  # the text that `direct` reads
    texts, _, _ = texts_of_ids(loaded.tokenizer, effect.ids)
    pairs = zip((first, second), texts, strict=True)
    spelled = tuple((word if isinstance(word, str) else spelling).strip() for word, spelling in pairs)
    maps = attend(text, loaded)
    last = max(position for position, token in enumerate(maps.tokens) if not token.special)
    look = look_of(maps, spelled, look_at, last)
    attention = np.zeros((maps.n_layers, maps.n_heads, len(look.words)))
    for number, keys in enumerate(look.positions):
        attention[..., number] = maps.weights[:, :, last, list(keys)].sum(axis=-1, dtype=np.float64)
    for sweep in iter_word_sweep(text, loaded, words=effect.ids, rows=rows, order=order):
        yield HeadEffects(
            text=sweep.text,
            tokens=sweep.tokens,
            words=(effect.words[0].removeprefix("␣"), effect.words[1].removeprefix("␣")),
            ids=effect.ids,
            positions=look.positions,
            attention=attention,
            direct=effect.heads,
            log_probability=sweep.log_probability,
            change=sweep.change,
            kind=sweep.kind,
            model=sweep.model,
            revision=sweep.revision,
            looked_at=look.words,
            notes=look.notes,
        )


def look_of(maps: AttentionMaps, pair: Sequence[str], look_at: int | str | None, last: int) -> LookedAt:
    """Return what attention of the token ``last`` is counted to: ``look_at``, else both words, else the default."""
    names = words_of(maps.text)
    notes: tuple[str, ...] = ()
    if look_at is not None:
        keys = positions_of(maps, look_at)
        return LookedAt((names[maps.tokens[keys[0]].word or 0],), (keys,))
    if set(pair) <= set(names):
        try:
            return LookedAt(tuple(pair), tuple(positions_of(maps, word) for word in pair))
        except NotComparable as error:
            notes = (str(error),)
    number = most_attended_word(maps, last)
    if number is None:
        return LookedAt((), (), (*notes, "Outside attention sinks and the last word the text has no word to look at."))
    return LookedAt((names[number],), (positions_of(maps, number),), notes)


def positions_of(maps: AttentionMaps, word: int | str) -> tuple[int, ...]:
    """Return the positions of all tokens of a word, wherever it occurs but at the first position of a causal model.

    A word given by its number is counted in that place alone.

    Raises:
        InputError: the word does not occur; a head cannot attend to it.
        NotComparable: it occurs only at the first position of a causal model, which is an attention sink.
    """
    names = words_of(maps.text)
    key = word.strip() if isinstance(word, str) else word
    numbers = {number for number, token_name in enumerate(names) if key in (number, token_name)}
    first = {maps.tokens[0].word} if maps.causal else set()
    if numbers and numbers <= first:
        (name,) = {names[number] for number in numbers}
        raise NotComparable(FIRST_WORD.format(model=maps.model, word=f"“{name}”"))
    if not numbers:
        names_text = ", ".join(dict.fromkeys(names[:40]))
        raise InputError(f"{word!r} is not in the text, so no head attends to it. Words of the text: {names_text}.")
    return tuple(position for position, token in enumerate(maps.tokens) if token.word in numbers - first)
