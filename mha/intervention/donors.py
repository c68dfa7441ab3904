"""Donors: other sentences of the same length, whose head outputs take the place of a head's own.

Both versions of a pair get the same donors, since their length decides, and sentences that are a text but for a word
or so are left out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch import Tensor

from mha.errors import InputError
from mha.intervention.subject import Subject
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded
from mha.pairs import OTHER, corpus, pairs
from mha.words import words

DONORS = 10  # for each text
ALIKE = 2  # sentences that differ from the text in at most so many words are no donors


def donors(experiment: Subject, text: str, like: str = OTHER, count: int = DONORS, seed: int = 0) -> tuple[str, ...]:
    """Return up to ``count`` other sentences that have as many tokens as the text, in a seeded order.

    They are taken from the forced pairs of the kind of ambiguity ``like``; for "other", or where there are none, from
    all pairs and the corpus.

    Raises:
        InputError: there is none of this length.
    """
    length, said = len(experiment.encoded(text).tokens), words(text)
    bank = [text for pair in pairs() if pair.kind == like for text in (pair.a, pair.b)]
    for some in (bank, [*(text for pair in pairs() for text in (pair.a, pair.b)), *corpus()]):
        mixed = list(dict.fromkeys(some))
        random.Random(seed).shuffle(mixed)
        found: list[str] = []
        for one in mixed:
            if len(found) < count and not _alike(said, words(one)) and len(experiment.encoded(one).tokens) == length:
                found.append(one)
        if found:
            return tuple(found)
    raise InputError(
        f"No bundled sentence has {length} tokens like this one, so that none can lend it its outputs. "
        f"Silence by the mean instead, or choose a shorter text."
    )


def outputs_of(experiment: Subject, encoded: Encoded) -> Tensor:
    """Return every head's output before W_O in one text, [layer, head, token, d_head]."""
    with torch.inference_mode(), listening(experiment.model, ("output",)) as call:
        experiment.body(**experiment.inputs(encoded))
    return call.stacked(experiment.stack, "output").to(experiment.model.device, experiment.model.dtype)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= ALIKE
