"""How far ablating a head turns the vector of a text, compared with ablating it alone."""

import numpy as np
import pytest

from mha.intervention.ablation import ablate
from mha.intervention.subject import subject
from mha.intervention.sweep import vector_changes
from mha.maps import HeadId

TEXT = "The stone hit the window."


def test_it_is_one_minus_the_cosine_with_each_head_ablated():
    found = vector_changes(subject("minilm"), TEXT)
    assert found.shape == (72,)
    assert (found >= 0).all()
    plain, other = (
        ablate(TEXT, heads, model="minilm", kind="mean", keep=("hidden",)).hidden[-1].astype(np.float64).mean(axis=0)
        for heads in ([], [HeadId(5, 11)])
    )
    cosine = plain @ other / np.linalg.norm(plain) / np.linalg.norm(other)
    assert found[5 * 12 + 11] == pytest.approx(1 - cosine, abs=1e-5)
