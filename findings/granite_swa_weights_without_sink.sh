#!/usr/bin/env bash
# transformers 5.23.0: GraniteSWA and GraniteMoeSWA return attention weights without the sink that their layers apply.
#
# Expected: output_attentions returns the weights of the pass
#   (https://huggingface.co/docs/transformers/main_classes/output: "attentions weights after the attention softmax, used
#   to compute the weighted average"). A sink takes a part of each row, so rows sum to less than 1, as in GPT-OSS.
# Seen: rows sum to 1. The layer multiplies the weighted average by sigmoid(logsumexp(scores) - sink) after the weights
#   are computed, so weights @ values is not what W_O reads. GPT-OSS is as expected.
#
# Needs Python 3.11 to 3.13 and a package index; uses a temporary folder and random models of a few kilobytes.
# Exit 0: as seen here. Exit 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0 numpy==2.4.6
cd "$folder"
HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error venv/bin/python - <<'PYTHON'
import sys

import torch
import transformers
from transformers import (
    GptOssConfig,
    GptOssForCausalLM,
    GraniteMoeSWAConfig,
    GraniteMoeSWAForCausalLM,
    GraniteSWAConfig,
    GraniteSWAForCausalLM,
)

print("transformers", transformers.__version__, "torch", torch.__version__)
ids = torch.tensor([[5, 6, 7, 8, 9, 11]])
SIZES = {"vocab_size": 60, "hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 1}
SIZES |= {"num_attention_heads": 4, "num_key_value_heads": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}


def measured(model_class, config_class, settings):
    """Return the smallest row sum, and the largest difference of weights @ values from what W_O reads."""
    torch.manual_seed(7)
    config = config_class(**SIZES | settings)
    config._attn_implementation = "eager"
    model = model_class(config).eval()
    attention = model.model.layers[0].self_attn
    with torch.no_grad():
        attention.sinks.normal_()
    seen = {}
    attention.v_proj.register_forward_hook(lambda _module, _args, output: seen.update(values=output[0]))
    attention.o_proj.register_forward_pre_hook(lambda _module, args: seen.update(used=args[0][0]))
    with torch.no_grad():
        weights = model(ids, output_attentions=True).attentions[0][0]  # [head, query, key]
    values = seen["values"].unflatten(-1, (4, -1)).transpose(0, 1)  # [head, key, d_head]
    average = (weights @ values).transpose(0, 1).flatten(1)  # [query, head * d_head]
    return float(weights.sum(-1).min()), float((average - seen["used"]).abs().max() / seen["used"].abs().max())


found = {
    "GraniteSWA": measured(GraniteSWAForCausalLM, GraniteSWAConfig, {}),
    "GraniteMoeSWA": measured(GraniteMoeSWAForCausalLM, GraniteMoeSWAConfig, EXPERTS),
    "GptOss, for comparison": measured(GptOssForCausalLM, GptOssConfig, EXPERTS | {"head_dim": 16}),
}
print("expected: row sums below 1 (the sink has the rest) and difference 0")
for name, (row_sum, difference) in found.items():
    print(f"seen, {name}: smallest row sum {row_sum:.4f}, weights @ values differ from the layer's by {difference:.2g}")
granite = [found["GraniteSWA"], found["GraniteMoeSWA"]]
row_sum, difference = found["GptOss, for comparison"]
is_as_found = all(total > 0.999 and other > 0.1 for total, other in granite) and row_sum < 0.99 and difference < 1e-5
print("as found" if is_as_found else "the behaviour has changed")
sys.exit(not is_as_found)
PYTHON
