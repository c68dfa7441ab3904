"""The layer: parity with PyTorch, loop against stacked, the three splits, what it refuses."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha.core import MultiHead, attend, attend_by_loop, causal_mask
from mha.errors import InputError

seeds = st.integers(0, 2**32 - 1)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def torch_twin(heads: MultiHead) -> torch.nn.MultiheadAttention:
    twin = torch.nn.MultiheadAttention(heads.d_model, heads.n_heads, bias=False, batch_first=True, dtype=torch.float64)
    stacked = np.concatenate([heads.w_query.T, heads.w_key.T, heads.w_value.T])  # torch keeps [out, in]
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.from_numpy(stacked))
        twin.out_proj.weight.copy_(torch.from_numpy(heads.w_output.T.copy()))
    return twin


@pytest.mark.parametrize("masked", ["open", "causal", "random"])
@pytest.mark.parametrize(("n_heads", "d_head"), [(1, 5), (3, 5), (7, 2)])
def test_equals_pytorch(n_heads, d_head, masked):
    heads = MultiHead.random(n_heads * d_head, n_heads, seed=2)
    x = random(11, heads.d_model)
    mask = {"open": None, "causal": causal_mask(11), "random": (random(11, 11) > 0) | np.eye(11, dtype=bool)}[masked]
    output, weights = heads(x, mask)
    inputs = torch.from_numpy(x)[None]
    hidden = None if mask is None else torch.from_numpy(~mask)  # torch's True hides
    with torch.no_grad():
        expected, looks = torch_twin(heads)(inputs, inputs, inputs, attn_mask=hidden, average_attn_weights=False)
    np.testing.assert_allclose(output, expected[0].numpy(), atol=1e-12)
    np.testing.assert_allclose(weights, looks[0].numpy(), atol=1e-12)


@given(seeds, st.sampled_from([("full", 3), ("slices", 2), ("overlap", 3)]), st.booleans())
def test_one_head_after_the_other_gives_the_same(seed, way, causal):
    split, n_heads = way
    d_model = 10 if split == "slices" else 11
    heads, x = MultiHead.random(d_model, n_heads, split, seed), random(7, d_model, seed=seed)
    mask = causal_mask(7) if causal else None
    for stacked, looped in zip(attend(heads, x, mask), attend_by_loop(heads, x, mask), strict=True):
        np.testing.assert_allclose(stacked, looped, atol=1e-12)


def test_an_overlap_head_sees_only_what_it_reads():
    heads = MultiHead.random(11, 3, "overlap", n_reads=5)
    assert heads.reads is not None
    assert (heads.reads.sum(axis=1) == 5).all()
    x = random(7, 11)
    _, before = heads(x)
    x[:, ~heads.reads[1]] += 10
    _, after = heads(x)
    np.testing.assert_array_equal(after[1], before[1])
    assert np.abs(after[0] - before[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w_key": np.zeros((5, 6))}, r"w_key must be \(6, 6\) beside this w_output; it is \(5, 6\)"),
        ({"n_heads": 5}, "6 rows, which 5 heads cannot share evenly"),
        ({"w_output": np.zeros(6)}, "w_output has two axes"),
        ({"split": "full"}, "Full heads are as wide as a word, 6 numbers; these are 2 wide"),
        ({"split": "overlap"}, "`reads`"),
        ({"split": "halves"}, "A split is one of full, slices, overlap"),
        ({"split": "overlap", "reads": np.ones((2, 6))}, r"\(3, 6\); it is \(2, 6\)"),
        ({"split": "overlap", "reads": np.eye(3, 6)}, "that it does not read"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_in_words(change, message):
    with pytest.raises(InputError, match=message):
        dataclasses.replace(MultiHead.random(6, 3), **change)


def test_slices_that_do_not_divide_say_what_does():
    with pytest.raises(InputError, match="4 numbers cannot be cut into 3 equal slices; choose 1, 2 or 4 heads"):
        MultiHead.random(4, 3)
    assert MultiHead.random(4, 3, "overlap").d_head == 2


@pytest.mark.parametrize("n_reads", [0, 12])
def test_a_head_reads_at_least_one_and_at_most_all_numbers(n_reads):
    with pytest.raises(InputError, match="reads 1 to 11 of 11 numbers"):
        MultiHead.random(11, 3, "overlap", n_reads=n_reads)
