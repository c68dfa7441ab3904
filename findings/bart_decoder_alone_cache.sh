#!/usr/bin/env bash
# transformers 5.23.0: decoders of BART's family that are used alone fail if they have more layers than the encoder.
#
# Expected: BartForCausalLM(config)(ids) and its generate run for any encoder_layers: the model has no encoder.
# Seen: IndexError. The cache has as many layers as config.num_hidden_layers, which is another name of encoder_layers;
#   the decoder alone sets is_encoder_decoder to False, and the right number is read only if it is True (the repair of
#   https://github.com/huggingface/transformers/issues/40120). use_cache=False, or as many encoder_layers, avoid it.
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

print("transformers", transformers.__version__, "torch", torch.__version__)
ids = torch.tensor([[5, 6, 7, 8]])
SIZES = {"vocab_size": 60, "d_model": 32, "decoder_layers": 3, "decoder_attention_heads": 4, "decoder_ffn_dim": 16}
SIZES |= {"encoder_attention_heads": 4, "encoder_ffn_dim": 16, "max_position_embeddings": 32}
SIZES |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
FAMILY = ("Bart", "MBart", "Marian", "Pegasus", "Blenderbot", "BlenderbotSmall", "PLBart", "BigBirdPegasus")


def outcome(family, encoder_layers, generates=False, **options):
    """Return "runs", or the error of the decoder alone, in a forward pass or in generate."""
    torch.manual_seed(7)
    config_class = getattr(transformers, f"{family}Config")
    model = getattr(transformers, f"{family}ForCausalLM")(config_class(**SIZES, encoder_layers=encoder_layers)).eval()
    try:
        with torch.no_grad():
            model.generate(ids, max_new_tokens=2, **options) if generates else model(ids, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "runs"


print("expected: runs, for 3 decoder layers with the cache and any number of encoder layers")
is_as_found = True
for family in FAMILY:
    fails = [outcome(family, 2), outcome(family, 2, generates=True)]
    runs = [outcome(family, 3), outcome(family, 3, generates=True), outcome(family, 2, use_cache=False)]
    print(f"seen, {family}ForCausalLM, 2 encoder layers: {fails[0]} (generate: {fails[1]})")
    print(f"    3 encoder layers: {runs[0]} (generate: {runs[1]}); 2 without cache: {runs[2]}")
    is_as_found &= all(text.startswith("IndexError") for text in fails) and set(runs) == {"runs"}
print("as found" if is_as_found else "the behaviour has changed")
sys.exit(not is_as_found)
PYTHON
