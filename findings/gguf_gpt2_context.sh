#!/usr/bin/env bash
# transformers 5.23.0: the context length of a GPT-2 GGUF file becomes config.n_ctx, and n_positions stays 1024.
#
# Expected: gpt2.context_length is the number of positions (llama.cpp's converter writes n_ctx or n_positions there), so
#   config.n_positions equals it, as max_position_embeddings does for llama files.
# Seen: config.n_positions is 1024 whatever the file says; the table of positions of a file with another context does
#   not fit the model.
#
# Needs Python 3.11 to 3.13 and a package index; uses a temporary folder and a GGUF header of a few hundred bytes.
# Exit 0: as seen here. Exit 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 transformers==5.23.0 gguf==0.19.0 numpy==2.4.6
cd "$folder"
HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error venv/bin/python - <<'PYTHON'
import sys

import gguf
import numpy as np
import transformers
from transformers import AutoConfig

print("transformers", transformers.__version__)


def positions(architecture):
    writer = gguf.GGUFWriter(f"{architecture}.gguf", architecture)
    writer.add_block_count(2)
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_head_count(4)
    writer.add_tensor("token_embd.weight", np.zeros((8, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    config = AutoConfig.from_pretrained(".", gguf_file=f"{architecture}.gguf")
    return config.max_position_embeddings, getattr(config, "n_ctx", None)  # GPT-2's is an alias of n_positions


found = {architecture: positions(architecture) for architecture in ("llama", "gpt2")}
print("expected: 64 positions for both")
for architecture, (count, n_ctx) in found.items():
    print(f"seen, {architecture}: {count} positions, n_ctx {n_ctx}")
is_as_found = found == {"llama": (64, None), "gpt2": (1024, 64)}
print("as found" if is_as_found else "the behaviour has changed")
sys.exit(not is_as_found)
PYTHON
