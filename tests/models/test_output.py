"""What heads add through W_O: the parts are the whole, for every architecture; and by name where the name is known."""

import copy
import dataclasses

import numpy as np
import pytest

from mha.core import trace
from mha.errors import AttentionUnavailable, InputError
from mha.maps import HeadId
from mha.models import toy
from mha.models.watch import layers
from mha.models.watch.attending import record_text
from mha.models.watch.output import added_by_heads
from mha.words import split
from tests.models.tiny import THROUGH_THE_INTERFACE

TELESCOPE = "I saw the man with the telescope"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("row", THROUGH_THE_INTERFACE, ids=lambda row: row.architecture)
def test_the_parts_of_all_heads_and_the_bias_are_what_the_model_computed(row, tiny):
    loaded = tiny(row)
    for layer in range(2):
        made = added_by_heads(TELESCOPE, loaded, HeadId(layer, 3), 2)
        size = max(1.0, np.abs(made.total).max())
        np.testing.assert_allclose(made.heads.sum(axis=0) + made.bias, made.total, atol=2e-5 * size)
        np.testing.assert_allclose(made.found[3] @ made.w_output, made.heads[3], atol=2e-5 * size)
        assert np.abs(made.heads[3]).max() > 1e-3


def test_half_precision_is_found_too(minilm):
    half = dataclasses.replace(minilm, model=copy.deepcopy(minilm.model).bfloat16())
    made, whole = (added_by_heads(TELESCOPE, loaded, HeadId(0, 7), 5) for loaded in (half, minilm))
    np.testing.assert_allclose(made.heads, whole.heads, atol=0.05 * np.abs(whole.heads).max())


def test_w_o_of_minilm_is_the_matrix_of_that_name(minilm):
    dense = minilm.model.encoder.layer[4].attention.output.dense
    made = added_by_heads(TELESCOPE, "minilm", HeadId(4, 7), 5)
    rows = dense.weight.detach().numpy().T[7 * 32 : 8 * 32]  # [d_head, d_model]
    np.testing.assert_allclose(made.w_output, rows, atol=1e-6)
    np.testing.assert_allclose(made.bias, dense.bias.detach().numpy(), atol=1e-6)
    recording = record_text(TELESCOPE, keep=("value",))
    np.testing.assert_allclose(made.found[7], recording.maps[4, 7][5] @ recording.value[4, 7], atol=1e-5)


def test_nothing_stays_on_the_model(minilm):
    added_by_heads(TELESCOPE, "minilm", HeadId(0, 0), 1)
    assert not any(module._forward_hooks for module in minilm.model.modules())


def test_the_toys_add_what_their_trace_says():
    for name, layer, x in (
        ("toy", toy.heads(), toy.embeddings([piece.text for piece in split(TELESCOPE)], False)),
        ("trained", toy.trained_toy().heads, None),
    ):
        text = TELESCOPE if x is not None else "the tall man saw the dog with the telescope"
        steps = trace(layer, x) if x is not None else toy.trained_toy().trace(text.split())
        made = added_by_heads(text, name, HeadId(0, 1), 3)
        np.testing.assert_allclose(made.heads, steps["contributions"][:, 3], atol=1e-6)
        np.testing.assert_allclose(made.total, steps["output"][3], atol=1e-6)
        np.testing.assert_allclose(made.w_output, layer.of_head("w_output", 1))
        assert not made.bias.any()


@pytest.mark.parametrize(("head", "token"), [(HeadId(6, 0), 1), (HeadId(0, 12), 1), (HeadId(0, 0), 9)])
def test_what_is_not_there_is_said(head, token):
    with pytest.raises(InputError, match=f"L0H0 to L5H11 and this text 9 tokens.*{head} and token {token}"):
        added_by_heads(TELESCOPE, "minilm", head, token)


def test_a_model_that_changes_its_findings_on_the_way_is_refused(minilm, monkeypatch):
    near = layers._near
    monkeypatch.setattr(layers, "_near", lambda given, found, close: near(given, found * 1.1, close))
    with pytest.raises(AttentionUnavailable, match="adds a step before W_O"):
        added_by_heads(TELESCOPE, "minilm", HeadId(0, 0), 1)
