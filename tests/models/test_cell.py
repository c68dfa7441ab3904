"""Every number of one cell: the steps give the recorded weight, and the parts what W_O made, on every architecture."""

import numpy as np
import pytest

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.models.files.environment import one_thread
from mha.models.watch import cell as cells
from mha.models.watch.any_cell import cell
from mha.models.watch.attending import record_text
from mha.models.watch.cell import Cell
from mha.models.watch.layers import layers_again
from tests.models.tiny import TEXT, THE_EAGER_WAY, THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in (*THROUGH_THE_INTERFACE, *THE_EAGER_WAY)}
TELESCOPE = "I saw the man with the telescope"


def check(found: Cell, recorded: np.ndarray) -> None:
    """The steps lead from q and k to the recorded row [key]."""
    score = found.capped + (found.position or 0)
    if found.hidden:
        assert found.scores[found.key] == -np.inf
        assert found.weight == 0
    else:
        assert found.scores[found.key] == pytest.approx(score, abs=1e-9)
    np.testing.assert_allclose(found.weights, recorded, atol=1e-5)
    assert found.weights.sum() <= 1 + 1e-9
    assert found.through is not None
    assert found.contribution is not None
    assert np.linalg.norm(found.contribution) == pytest.approx(found.weight * found.through[found.key])
    assert np.linalg.norm(found.value) == pytest.approx(found.lengths[found.key])
    assert found.added is not None
    assert found.along is not None
    assert found.along.sum() == pytest.approx(np.linalg.norm(found.added), rel=1e-9)
    assert np.linalg.norm(found.added) <= (found.weights * found.through).sum() + 1e-9


@pytest.mark.sampled(4)
@pytest.mark.parametrize("row", THROUGH_THE_INTERFACE, ids=lambda row: row.architecture)
def test_the_steps_give_the_recorded_weight(row, tiny):
    loaded = tiny(row)
    with one_thread():
        recording = record_text(TEXT, loaded)
        for stack in row.stacks:
            for head, query, key in (((0, 1), 4, 2), ((1, 3), 5, 5), ((1, 4), 2, 6)):
                found = cell(TEXT, head, query, key, loaded, stack=stack)
                check(found, recording.stacks[stack][head[0], head[1], query])
    rotary = row.architecture not in BY_PLACE
    assert found.rotated == rotary
    if found.unrotated is not None:  # lengths stay, and at the same place so does the product
        q, k = cell(TEXT, (0, 1), 3, 3, loaded).unrotated or (None, None)
        same = cell(TEXT, (0, 1), 3, 3, loaded)
        assert float(q @ k) == pytest.approx(same.dot, rel=1e-3, abs=1e-3)
    assert (found.unrotated is not None) == (rotary and row.architecture not in NOT_TOLD)


BY_PLACE = {"BertModel", "RobertaModel", "DistilBertModel", "AlbertModel", "ElectraModel", "GPT2Model", "OPTModel"} | {
    row.architecture for row in THROUGH_THE_INTERFACE if len(row.stacks) > 1
}
# One matrix makes q, k and v; the rotation of GPT-OSS (yarn) changes lengths; DeepSeek turns a part of q and k.
NOT_TOLD = {"GPTNeoXModel", "ModernBertModel", "Phi3ForCausalLM", "GptOssForCausalLM"} | {
    row.architecture for row in THROUGH_THE_INTERFACE if row.architecture.startswith("Deepseek")
}


def test_all_cells_of_a_row_and_the_bias_are_what_w_o_made(tiny):
    for architecture in ("BertModel", "GPT2Model", "LlamaForCausalLM", "GptOssForCausalLM"):
        loaded = tiny(ROWS[architecture])
        recording = record_text(TELESCOPE, loaded)
        row = [cell(TELESCOPE, (1, 2), 3, key, loaded) for key in range(recording.maps.n_queries)]
        contribution = sum(one.contribution for one in row)
        np.testing.assert_allclose(row[0].added, contribution, atol=1e-4 * max(1, np.abs(contribution).max()))
        parts = sum(cell(TELESCOPE, (1, head), 3, 0, loaded).added for head in range(recording.maps.n_heads))
        layer = layers_again(loaded, recording, "self")[1]
        bias = layer.matrix(layer.output[:, 3].flatten()[None] * 0)[0].detach().numpy()
        whole = layer.added[3].detach().numpy()
        np.testing.assert_allclose(parts + bias, whole, atol=1e-4 * max(1, np.abs(whole).max()))


def test_what_the_layer_got_and_which_heads_share_keys(tiny):
    loaded = tiny(ROWS["LlamaForCausalLM"])
    hidden = record_text(TELESCOPE, loaded, keep=["hidden"]).hidden
    found = cell(TELESCOPE, (1, 2), 3, 1, loaded)
    assert hidden is not None
    assert found.stream == pytest.approx(float(np.linalg.norm(hidden[1][3])), rel=1e-5)
    layout = record_text(TELESCOPE, loaded).layouts["self"]
    size = layout.n_heads // layout.n_groups  # heads that share keys
    assert found.group == tuple(head for head in range(layout.n_heads) if head // size == 2 // size)
    t5 = tiny(ROWS["T5ForConditionalGeneration"])
    assert cell(TEXT, (0, 0), 1, 1, t5, stack="cross").stream is None
    assert cell(TEXT, (0, 0), 1, 1, t5).stream is not None


def test_what_a_model_has_of_its_own_is_told(tiny):
    gemma = cell(TEXT, (0, 0), 3, 1, tiny(ROWS["Gemma2ForCausalLM"]))
    assert gemma.cap == 50
    t5 = cell(TEXT, (1, 0), 3, 1, tiny(ROWS["T5ForConditionalGeneration"]))
    assert t5.scale == 1
    assert t5.position is not None
    mistral = cell(TEXT, (1, 0), 6, 1, tiny(ROWS["MistralForCausalLM"]))
    assert (mistral.hidden, mistral.causal) == (True, True)
    oss = cell(TEXT, (0, 0), 3, 1, tiny(ROWS["GptOssForCausalLM"]))
    assert oss.sink is not None
    assert oss.weights.sum() < 1
    bert = cell(TEXT, (0, 0), 3, 1, tiny(ROWS["BertModel"]))
    assert (bert.cap, bert.position, bert.sink, bert.rotated, bert.hidden) == (None, None, None, False, False)
    gpt2 = cell(TEXT, (0, 0), 1, 3, tiny(ROWS["GPT2Model"]))
    assert gpt2.hidden


def test_minilm_and_the_toy():
    found = mha.cell(TELESCOPE, "L5H3", 7, 4)
    check(found, mha.attend(TELESCOPE)[5, 3][7])
    assert found.scale == pytest.approx(32**-0.5)
    assert found.tokens[7].text == "telescope"
    text = "the man saw the dog with the telescope"
    check(cell(text, (0, 1), 3, 2, "toy"), record_text(text, "toy").maps[0, 1][3])
    value = record_text(TELESCOPE, keep=["value"]).value
    assert value is not None
    np.testing.assert_allclose(found.lengths, np.linalg.norm(value[5, 3], axis=-1), atol=1e-4)


def test_steps_that_do_not_add_up_are_not_told(tiny, monkeypatch):
    monkeypatch.setattr(cells, "SLACK", -1.0)
    with pytest.raises(AttentionUnavailable, match="do not give the weights of .* not available one by one"):
        cell(TEXT, (0, 0), 1, 1, tiny(ROWS["BertModel"]))


def test_what_is_not_there_is_said():
    with pytest.raises(InputError, match="heads L0H0 to L5H11 here, 9 tokens .* you asked for L6H0, 1 and 1"):
        cell(TELESCOPE, (6, 0), 1, 1)
    with pytest.raises(InputError, match="you asked for L0H0, 1 and 9"):
        cell(TELESCOPE, (0, 0), 1, 9)
    with pytest.raises(InputError, match="there is no 'cross'"):
        cell(TELESCOPE, (0, 0), 1, 1, stack="cross")
