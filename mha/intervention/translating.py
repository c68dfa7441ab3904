"""A text translated by an encoder–decoder, with all heads or without some of them."""

from __future__ import annotations

import numpy as np

from mha.brief import with_arrays
from mha.intervention.ablation import HeadChanges, Heads, silencing
from mha.intervention.subject import subject
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files import translator
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import MOST, Generation, iter_written, writer
from mha.words import accept, words


@with_arrays
class Translation:
    """What a model writes for a text, greedily, with ``heads`` ablated by ``kind``.

    ``source`` is the text as it was read, ``text`` the translation, ``words`` its words. ``tokens`` are those of the
    translation, with the end sign if the model set it, and ``ids`` their numbers; ``probabilities`` is float64 [token],
    each one's own given those before it. ``generation`` has the recording of both stacks.
    """

    source: str
    text: str
    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    ids: tuple[int, ...]
    probabilities: np.ndarray
    heads: tuple[HeadId, ...]
    kind: str
    generation: Generation
    notes: tuple[str, ...] = ()

    @property
    def attention(self) -> AttentionMaps:
        """The cross-attention, float32 [layer, head, token, key]: from each written token to those of the source.

        Row t is that of the token t; one more row follows the last token.
        """
        return self.generation.recording.attention("cross")


def translate(
    text: str,
    ablated: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = translator.NAME,
    n_tokens: int = MOST,
) -> Translation:
    """Return the greedy translation of a text, at most 64 tokens, with some heads ablated together.

    Heads are ``E0H7`` (or ``L0H7``) of the encoder and ``C1H2`` of the cross-attention; ``kind`` as `mha.ablate`. The
    translator writes Portuguese. Mean ablation of the translator puts a head's mean output over 40 sample sentences
    and their greedy translations in its place.

    Raises:
        InputError: no word in the text, no such head or kind, or a number of tokens out of its range.
        AttentionUnavailable: the model does not write.
        ModelUnavailable: the translator is not installed.
    """
    loaded, accepted = writer(model), accept(text)
    experiment = subject(loaded)
    heads = experiment.chosen(ablated)
    changes = HeadChanges(experiment.stack, {0: silencing(experiment, heads, kind)}) if heads else None
    *_, generation = iter_written(loaded, accepted, n_tokens, intervention=changes)
    assert isinstance(generation, Generation)
    translation = generation.recording.target
    return Translation(
        source=accepted.text,
        text=translation,
        words=tuple(words(translation)),
        tokens=generation.written,
        ids=generation.ids[generation.n_read :],
        probabilities=generation.probabilities,
        heads=heads,
        kind=kind,
        generation=generation,
        notes=generation.notes,
    )
