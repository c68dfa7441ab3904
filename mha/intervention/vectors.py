"""How far the vector of a text turns when a head is silenced: what a head does, told without any reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from torch import Tensor
from torch.nn.functional import normalize

from mha.errors import MHAError
from mha.intervention.ablation import silencing
from mha.intervention.growing import variants_in_parts
from mha.intervention.subject import Subject
from mha.models.files.environment import one_thread


def turned(experiment: Subject, text: str) -> np.ndarray:
    """Return 1 − cosine between the vector of a text and the same with each head silenced, float64 [head of all].

    The vector is the mean over tokens of what the last layer gives, as sentence models take it; a silenced head gives
    its mean over the corpus instead.
    """
    changes = [(change,) for change in silencing(experiment, experiment.heads, "mean")]
    found = np.empty(len(changes))
    inputs = experiment.inputs(experiment.encoded(text))
    with one_thread():  # a short text gains nothing from more, and others need the cores
        for _, part, values in variants_in_parts(experiment, inputs, changes, _from_first):
            found[part] = values.numpy()
    return found


def turning(experiment: Subject, texts: Sequence[str]) -> Iterator[tuple[int, np.ndarray | None]]:
    """Yield the number of each text and `turned`, None where the model cannot read it."""
    for number, text in enumerate(texts):
        try:
            yield number, turned(experiment, text)
        except MHAError:
            yield number, None


def _from_first(outputs: Any) -> Tensor:
    """Return 1 − cosine of each row's vector with that of row 0, [row]."""
    vectors = normalize(outputs.last_hidden_state.double().mean(dim=1), dim=-1)  # [row, d_model]
    return (1 - vectors @ vectors[0]).clamp(min=0)
