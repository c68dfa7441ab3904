"""Measure attention, direct effect and ablation of every head for two words of a text; see `mha.analysis.head_effects`.

The direct effect is `mha.direct`; ablation is mean ablation, every head in turn (`iter_word_sweep`). Both measure the
deviation of a head's output from its mean.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mha.analysis.head_effects import HeadEffects
from mha.analysis.readings import FIRST_WORD
from mha.errors import InputError, NotComparable
from mha.intervention.direct import direct
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.typed import typed_words
from mha.maps import AttentionMaps
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import attend
from mha.models.watch.generating import writer
from mha.words import accept, words


def head_effects(text: str, a: str, b: str, model: str | LoadedModel = DEFAULT, rows: int | None = None) -> HeadEffects:
    """Return attention to two words of a text, and direct effect and ablation effect on their score, of every head.

    The score is the logit of ``a`` minus that of ``b`` as the next word. Both words occur in the text, perhaps several
    times; attention is summed over all their tokens. ``rows`` as `mha.intervention.predicting.iter_word_sweep`.

    >>> effects = head_effects("moon fish table moon fish", "table", "moon", model="copier")
    >>> head = effects.direct.argmax()  # the head that adds most to "table"
    >>> [round(float(numbers.flat[head]), 2) for numbers in (effects.looks, effects.direct, effects.matters)]
    [0.63, 0.41, -0.55]

    Raises:
        InputError: a word is not in the text; or as `mha.direct`.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.direct`.
    """
    *_, complete = iter_head_effects(text, a, b, model, rows)
    return complete


def iter_head_effects(
    text: str, a: str, b: str, model: str | LoadedModel = DEFAULT, rows: int | None = None
) -> Iterator[HeadEffects]:
    """Yield `head_effects` of a text, first without ablation, then with more and more heads ablated in turn.

    Closing the generator stops the work. Raises as `head_effects`.
    """
    loaded = writer(model)
    effect = direct(text, a, b, loaded)
    text = typed_words(loaded, accept(text).text, (a, b)).text  # the text that `direct` reads
    maps = attend(text, loaded)
    positions = positions_of(maps, a), positions_of(maps, b)
    last = max(position for position, token in enumerate(maps.tokens) if not token.special)
    attention = np.stack(
        [maps.weights[:, :, last, list(keys)].sum(axis=-1, dtype=np.float64) for keys in positions], axis=-1
    )  # [layer, head, word]
    for sweep in iter_word_sweep(text, loaded, words=effect.ids, rows=rows):
        yield HeadEffects(
            text=sweep.text,
            tokens=sweep.tokens,
            words=(effect.words[0].removeprefix("␣"), effect.words[1].removeprefix("␣")),
            ids=effect.ids,
            positions=positions,
            attention=attention,
            direct=effect.heads,
            log_probability=sweep.log_probability,
            change=sweep.change,
            kind=sweep.kind,
            model=sweep.model,
            revision=sweep.revision,
        )


def positions_of(maps: AttentionMaps, word: str) -> tuple[int, ...]:
    """Return the positions of all tokens of a word, wherever it occurs but at the first position of a causal model.

    Raises:
        InputError: the word does not occur; a head cannot attend to it.
        NotComparable: it occurs only at the first position of a causal model, which is an attention sink.
    """
    numbers = {number for number, other in enumerate(words(maps.text)) if other == word.strip()}
    first = {maps.tokens[0].word} if maps.causal else set()
    if numbers and numbers <= first:
        raise NotComparable(FIRST_WORD.format(model=maps.model, word=f"“{word.strip()}”"))
    if not numbers:
        listed = ", ".join(dict.fromkeys(words(maps.text)[:40]))
        raise InputError(f"{word!r} is not in the text, so no head attends to it. Words of the text: {listed}.")
    return tuple(position for position, token in enumerate(maps.tokens) if token.word in numbers - first)
