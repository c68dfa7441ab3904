"""Ablate heads with TransformerLens' bridge, one forward pass a head: the peer of `bench_estimate`.

It runs in an environment of its own (benchmarks/requirements-peers.txt) and imports nothing of `mha`. The argument is
an NPZ with ``folder`` (a snapshot), ``ids`` [token], ``means`` [layer, head, d_head] and ``heads`` [head, 2]. It prints
JSON: versions, CPU seconds of a bare forward pass and of the heads, and the log-probabilities of one token with each
head ablated, so that both programs are seen to do the same.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1", WANDB_MODE="disabled")

import numpy as np
import torch
from transformer_lens.model_bridge import TransformerBridge
from transformers import AutoModelForCausalLM, AutoTokenizer

TIMES = 3


def cpu(run: Callable[[], Any]) -> float:
    """Return the least CPU seconds of this thread over some runs."""
    seconds = []
    for _ in range(TIMES):
        begin = time.thread_time()
        run()
        seconds.append(time.thread_time() - begin)
    return min(seconds)


def main(file: str) -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    asked = np.load(file)
    folder = str(asked["folder"])
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    eager = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    bridge = TransformerBridge.boot_transformers(folder, hf_model=eager, tokenizer=tokenizer, device="cpu")
    ids, means = torch.tensor(asked["ids"])[None], torch.tensor(asked["means"], dtype=torch.float32)

    def ablated(layer: int, head: int) -> torch.Tensor:
        def replace(outputs: torch.Tensor, hook: Any) -> torch.Tensor:
            heads = outputs.reshape(*outputs.shape[:2], means.shape[1], -1).clone()
            heads[:, :, head] = means[layer, head]
            return heads.reshape(outputs.shape)

        return bridge.run_with_hooks(ids, fwd_hooks=[(f"blocks.{layer}.attn.hook_z", replace)])[0, -1]

    with torch.inference_mode():
        heads = [(int(layer), int(head)) for layer, head in asked["heads"]]
        plain(ids), bridge(ids)
        unit = cpu(lambda: plain(ids))
        own = cpu(lambda: bridge(ids))
        seconds = cpu(lambda: [ablated(*head) for head in heads])
        word = int(plain(ids).logits[0, -1].argmax())
        values = [float(ablated(*head).double().log_softmax(-1)[word]) for head in heads]
    versions = {name: version(name) for name in ("transformer-lens", "torch", "transformers")}
    print(json.dumps({"versions": versions, "bare": unit, "bridge": own, "heads": seconds, "log_probability": values}))


if __name__ == "__main__":
    main(sys.argv[1])
