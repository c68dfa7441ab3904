"""Models of peft: a learnt prompt is refused, other adapters are recorded. `make soak` has an environment with peft."""

from typing import Any

import numpy as np
import pytest
import torch

import mha
from tests.models.test_generated import made

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
IDS = torch.tensor([[5, 6, 7, 8, 9]])


def adapted(kind: str, **settings: Any) -> Any:
    import peft

    config = getattr(peft, kind)(task_type="CAUSAL_LM", **settings)
    model = peft.get_peft_model(made("LlamaForCausalLM"), config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.requires_grad and "prompt" not in name:
                parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.mark.parametrize("kind", ["PrefixTuningConfig", "PromptTuningConfig", "PromptEncoderConfig"])
def test_learnt_prompt_refused(kind):
    model = adapted(kind, num_virtual_tokens=3)
    for wrapped in (model, torch.nn.Sequential(model)):
        with pytest.raises(mha.InputError, match="has learnt prompt tokens"):
            mha.record(wrapped, input_ids=IDS)


@pytest.mark.parametrize("kind", ["LoraConfig", "IA3Config"])
def test_other_adapters_are_recorded(kind):
    model = adapted(kind)
    found = mha.record(model, input_ids=IDS)
    with torch.no_grad():
        expected = torch.cat(model(input_ids=IDS, output_attentions=True).attentions).numpy()
    np.testing.assert_allclose(found.maps.weights, expected, atol=1e-5)
    assert found.notes == ()
    with model.disable_adapter():
        plain = mha.record(model, input_ids=IDS).maps.weights
    assert np.abs(plain - expected).max() > 1e-3
