"""Donors: other sentences of the same length, whose head outputs take the place of a head's own.

Both versions of a pair get the same donors, since their length decides, and sentences that are a text but for a word
or so are left out.
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Sequence
from itertools import islice

import torch
from torch import Tensor

from mha.errors import InputError
from mha.intervention.subject import Subject
from mha.models.files.loading import LoadedModel
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded
from mha.pairs import OTHER, corpus, pairs, pairs_of
from mha.words import words

DONORS = 10  # for each text
ALIKE = 2  # sentences that differ from the text in at most so many words are no donors

_lengths: weakref.WeakKeyDictionary[LoadedModel, dict[str, int]] = weakref.WeakKeyDictionary()  # in tokens


def donors(experiment: Subject, text: str, like: str = OTHER, count: int = DONORS, seed: int = 0) -> tuple[str, ...]:
    """Return up to ``count`` other sentences that have as many tokens as the text, in a seeded order.

    They are taken from the forced pairs of the kind of ambiguity ``like``; for "other", or where there are none, from
    all pairs and the corpus.

    Raises:
        InputError: there is none of this length.
    """
    for kind in dict.fromkeys((like, OTHER)):
        if found := lent(experiment, text, kind, count, seed):
            return found
    raise InputError(
        f"No bundled sentence has {len(experiment.encoded(text).tokens)} tokens like this one, so that none can lend "
        f"it its outputs. Silence by the mean instead, or choose a shorter text."
    )


def lent(experiment: Subject, text: str, like: str, count: int = DONORS, seed: int = 0) -> tuple[str, ...]:
    """Return the donors of one kind of ambiguity, or of every sentence there is for "other"; none where none fits."""
    if like == OTHER:
        bank = [*(one for pair in pairs() for one in (pair.a, pair.b)), *corpus()]
    else:
        bank = [one for pair in pairs_of(like) for one in (pair.a, pair.b)]
    bank = list(dict.fromkeys(bank))
    random.Random(seed).shuffle(bank)
    length, said = len(experiment.encoded(text).tokens), words(text)
    known = _lengths.setdefault(experiment.loaded, {})
    for one in bank:
        if one not in known:
            known[one] = len(experiment.encoded(one).tokens)
    fitting = (one for one in bank if known[one] == length and not _alike(said, words(one)))
    return tuple(islice(fitting, count))


def outputs_of(experiment: Subject, encoded: Encoded) -> Tensor:
    """Return every head's output before W_O in one text, [layer, head, token, d_head]."""
    with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
        experiment.body(**experiment.inputs(encoded))
    return call.stacked(experiment.stack, "output").to(experiment.model.device, experiment.model.dtype)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= ALIKE
