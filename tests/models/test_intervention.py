"""What a call may change on the way: weights and head outputs, each batch item by itself, with or without gradients."""

import numpy as np
import pytest
import torch

from mha.errors import AttentionUnavailable
from mha.models.watch import attention
from mha.models.watch.recording import listening, record
from tests.models.small import IDS, small_bert
from tests.models.tiny import D_HEAD, THE_EAGER_WAY, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}


class Silence:
    """Batch item n: head n of one layer gives nothing; and an even look for head 1 of another."""

    def weights(self, site: attention.Site, weights: torch.Tensor) -> torch.Tensor | None:
        if site.layer != 1:
            return None
        visible = site.visible(weights)
        even = visible / visible.sum(dim=-1, keepdim=True)
        return torch.cat([weights[:, :1], even[:, 1:2], weights[:, 2:]], dim=1)

    def output(self, site: attention.Site, output: torch.Tensor) -> torch.Tensor | None:
        if site.layer != 0:
            return None
        gates = 1 - torch.eye(len(output), output.shape[2])  # [batch, head]
        return output * gates[:, None, :, None]


@pytest.mark.parametrize("architecture", ["BertModel", "GPT2Model", "LlamaForCausalLM", "AlbertModel"])
def test_an_intervention_changes_each_batch_item_by_itself(architecture, tiny):
    row = ROWS[architecture]
    model = tiny(row).model
    batch = torch.tensor([[2, 3, 5, 7, 11, 13]] * row.n_heads)
    with torch.no_grad(), listening(model, ("weights", "output"), Silence(), batched=True) as call:
        model(input_ids=batch)
    weights, output = call.stacked("self"), call.stacked("self", "output")
    assert output.shape == (2, row.n_heads, row.n_heads, 6, D_HEAD)  # [layer, batch, head, token, d_head]
    for item in range(row.n_heads):
        assert (output[0, item, item] == 0).all()
        assert (output[0, item].abs().sum(dim=(-1, -2)) > 0).sum() == row.n_heads - 1
    last = weights[1, 0, 1, -1]
    np.testing.assert_allclose(last, 1 / 6, atol=1e-6)
    assert (weights[1, 0, 1, 0, 1:] == 0).all() == row.causal


def test_an_intervention_is_refused_where_heads_cannot_be_reached(tiny):
    with pytest.raises(AttentionUnavailable, match="heads cannot be reached"):
        record(tiny(ROWS["BloomModel"]).model, input_ids=IDS, intervention=Silence())


def test_a_recording_with_an_intervention_shows_what_it_did():
    model = small_bert()
    plain = record(model, input_ids=IDS).maps.weights
    changed = record(model, input_ids=IDS, intervention=Silence()).maps.weights
    np.testing.assert_allclose(changed[0], plain[0], atol=1e-6)
    np.testing.assert_allclose(changed[1, 1], 1 / 7, atol=1e-6)
    assert np.abs(changed[1, 0] - plain[1, 0]).max() > 1e-6  # head 0 of layer 0 was ablated, and layer 1 feels it
