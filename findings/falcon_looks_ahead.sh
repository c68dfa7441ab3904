#!/usr/bin/env bash
# transformers 5.23.0: Falcon with SDPA (the default) and output_attentions=True attends to later tokens.
#
# Expected: output_attentions returns the weights of the pass and changes nothing else; a causal model gives later
#   tokens the weight 0 (https://huggingface.co/docs/transformers/main_classes/output: "attentions weights after the
#   attention softmax, used to compute the weighted average").
# Seen: the boolean causal mask is added to the scores (True adds 1), so that later tokens have weight, and the logits
#   differ from those without output_attentions. A model loaded with attn_implementation="eager" is as expected.
#
# Needs Python 3.11 to 3.13 and a package index; uses a temporary folder and a random model of a few kilobytes.
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
from transformers import FalconConfig, FalconForCausalLM

print("transformers", transformers.__version__, "torch", torch.__version__)
ids = torch.tensor([[5, 6, 7, 8, 9, 11]])


def measured(attention):
    torch.manual_seed(7)
    config = FalconConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, alibi=False)
    config._attn_implementation = attention
    model = FalconForCausalLM(config).eval()
    with torch.no_grad():
        plain, shown = model(ids).logits, model(ids, output_attentions=True)
    ahead = max(float(layer.triu(1).max()) for layer in shown.attentions)
    return float((plain - shown.logits).abs().max()), ahead


found = {attention: measured(attention) for attention in ("sdpa", "eager")}
print("expected: 0 and 0 for both")
for attention, (difference, ahead) in found.items():
    print(f"seen, {attention}: logits differ by {difference:.2g}, largest weight on a later token {ahead:.2g}")
is_as_found = found["sdpa"][0] > 1e-4 and found["sdpa"][1] > 0.01 and max(found["eager"]) < 1e-5
print("as found" if is_as_found else "the behaviour has changed")
sys.exit(not is_as_found)
PYTHON
