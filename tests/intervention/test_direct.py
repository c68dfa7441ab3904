"""Direct effects on the next word: they sum to the model's score, and equal the effect of editing the last state."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

import mha
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.bank import head_means
from mha.intervention.direct import direct
from mha.intervention.subject import subject
from mha.models.files.loading import load_snapshot
from mha.models.watch.layers import layers_of
from tests.models.snapshots import SNAPSHOTS
from tests.models.tiny import THROUGH_THE_INTERFACE

ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}
TEXT = "the man saw the"
ARCHITECTURES = ["LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "MistralForCausalLM", "SmolLM3ForCausalLM"]
ARCHITECTURES += ["GptOssForCausalLM"]  # experts, which return a tuple
LIST = "moon fish table star rope cup bread moon fish table star rope"


@pytest.fixture
def load_row(tmp_path):
    return lambda row: load_snapshot(row.save(tmp_path / row.architecture))


@pytest.mark.parametrize(
    "row", [SNAPSHOTS["tiny-causal"], *(ROWS[name] for name in ARCHITECTURES)], ids=lambda r: r.architecture
)
def test_direct_parts_sum_to_the_score(row, load_row):
    loaded = load_row(row)
    found = direct(TEXT, "man", "it", loaded)
    ids = torch.tensor([loaded.tokenizer(TEXT)["input_ids"]])
    if row.tokenizer == "metaspace":  # its end sign is not read on
        ids = ids[:, :-1]
    with torch.no_grad():
        logits = loaded.model(input_ids=ids).logits[0, -1].double()
    assert found.total == pytest.approx(float(logits[found.ids[0]] - logits[found.ids[1]]), abs=1e-3)
    assert found.heads.sum() + found.rest == pytest.approx(found.total, abs=1e-9)
    assert np.abs(found.heads).max() > 1e-4


def test_direct_ignores_other_threads(load_row, monkeypatch):
    loaded = load_row(SNAPSHOTS["tiny-causal"])
    alone = direct(TEXT, "man", "it", loaded)

    def beside(*given: Any) -> Any:
        found = layers_of(*given)
        with ThreadPoolExecutor(1) as other:
            other.submit(mha.attend, "it saw the man", loaded).result()
        return found

    monkeypatch.setattr("mha.intervention.direct.layers_of", beside)
    found = direct(TEXT, "man", "it", loaded)
    np.testing.assert_array_equal(found.heads, alone.heads)
    assert found.rest == alone.rest


@pytest.mark.parametrize("options", [{"baseline": "zero"}, {}], ids=["whole", "default"])
def test_direct_head_equals_its_part_of_the_state(options, load_row):
    """Take a head of the last layer out of the last state by hand, the norm's scale held.

    By default its mean stays, as in mean ablation.
    """
    loaded = load_row(SNAPSHOTS["tiny-causal"])
    model = loaded.model
    found = direct(TEXT, "man", "it", loaded, **options)
    mean = torch.as_tensor(head_means(subject(loaded))[-1, 2]) if not options else 0
    kept = {}
    block = model.transformer.h[-1]
    hook = block.attn.c_proj.register_forward_pre_hook(lambda _, given: kept.update(found=given[0][0, -1]))
    last = model.transformer.ln_f.register_forward_pre_hook(lambda _, given: kept.update(state=given[0][0, -1]))
    with torch.no_grad():
        model(input_ids=torch.tensor([loaded.tokenizer(TEXT)["input_ids"]]))
        hook.remove()
        last.remove()
        d_head = kept["found"].shape[0] // 5
        deviation = (kept["found"][2 * d_head : 3 * d_head] - mean).float()
        part = deviation @ block.attn.c_proj.weight[2 * d_head : 3 * d_head]
        state = kept["state"]
        scale = (state - state.mean()).square().mean().add(model.transformer.ln_f.eps).sqrt()
        normed = (part - part.mean()) / scale * model.transformer.ln_f.weight
        towards = model.lm_head.weight[found.ids[0]] - model.lm_head.weight[found.ids[1]]
    assert found.heads[-1, 2] == pytest.approx(float(normed @ towards), abs=1e-3)


def test_direct_of_induction_heads():
    found = mha.direct(LIST, "cup", "apple", model="copier")
    assert found.words == ("cup", "apple")
    assert found.heads[1].min() > 0
    assert found.heads[1].sum() > 0.3 * found.total
    assert found.heads[1].sum() > 2 * np.abs(found.heads[0]).sum()


@pytest.mark.parametrize("name", ["Gemma2ForCausalLM", "Olmo2ForCausalLM"])
def test_direct_refuses_norms_after_attention(name, load_row):
    with pytest.raises(AttentionUnavailable, match="direct effects are not available"):
        direct(TEXT, "man", "it", load_row(ROWS[name]))


def test_direct_refuses(load_row):
    loaded = load_row(SNAPSHOTS["tiny-causal"])
    with pytest.raises(InputError, match="begin with the same token"):
        direct(TEXT, "man", "man", loaded)
    with pytest.raises(InputError, match="cannot follow this text"):
        direct(TEXT, " ", "man", loaded)
    with pytest.raises(InputError, match="does not know 'dragon'"):
        direct("moon fish", "dragon", "fish", "copier")
    for model in ("minilm", "reverser"):
        with pytest.raises(AttentionUnavailable, match="not a decoder that predicts"):
            direct(TEXT, "man", "it", model)
