"""What does recording cost on models of each kind? All maps against the same model's eager attention, 64 tokens.

Random models of 6 layers × 8 heads (d_model 512) of architectures that differ: positions, grouped keys, windows, soft
caps, position biases, two stacks, and one that shows its weights only. Time: recording and eager take turns in one
process; of a machine with other work, read the CPU seconds. Memory, at 512 tokens: each in a process of its own, the
highest resident memory above that with the model loaded and a text of 64 tokens behind it. Run as
``python -m benchmarks.bench_models [NAME …]``.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import torch  # noqa: E402
import transformers  # noqa: E402

from benchmarks.command import NothingDrawn, answer, parser  # noqa: E402
from benchmarks.machine import memory_rise  # noqa: E402
from mha.models.watch.anatomy import anatomy  # noqa: E402
from mha.models.watch.recording import record  # noqa: E402

N_TOKENS = 64
PEAK_TOKENS = 512  # where memory is measured: maps of 64 tokens fit what an allocator keeps back anyway
ROUNDS = 25
AIM = 1.05  # recording ÷ eager
WIDE = {"hidden_size": 512, "num_hidden_layers": 6, "num_attention_heads": 8, "intermediate_size": 1024}
GROUPED = WIDE | {"num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SIDES = {"d_model": 512, "encoder_layers": 6, "decoder_layers": 6, "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024}
SIDES |= {"encoder_attention_heads": 8, "decoder_attention_heads": 8, "decoder_start_token_id": 1}
MODELS: dict[str, dict[str, Any]] = {
    "BertModel": WIDE,
    "DistilBertModel": {"dim": 512, "n_layers": 6, "n_heads": 8, "hidden_dim": 1024},
    "ModernBertModel": WIDE | {"pad_token_id": 0, "local_attention": 16},
    "GPT2Model": {"n_embd": 512, "n_layer": 6, "n_head": 8},
    "LlamaModel": GROUPED,
    "Gemma2Model": GROUPED | {"head_dim": 64, "sliding_window": 16},
    "T5Model": {"d_model": 512, "num_layers": 6, "num_heads": 8, "d_kv": 64, "d_ff": 1024, "decoder_start_token_id": 0},
    "BartModel": SIDES,
    "BloomModel": {"hidden_size": 512, "n_layer": 6, "n_head": 8},
}


def ways(name: str) -> dict[str, Callable[..., Any]]:
    """Return a recording and a bare eager pass of one architecture, of so many tokens; the models are equal."""
    torch.manual_seed(0)
    model_class = getattr(transformers, name)
    config = model_class.config_class(**{"vocab_size": 997} | MODELS[name])
    model = model_class._from_config(config).eval()
    twin = model_class._from_config(type(config).from_dict(config.to_dict()), attn_implementation="eager").eval()
    twin.load_state_dict(model.state_dict(), assign=True)

    def inputs(n_tokens: int) -> dict[str, Any]:
        ids = torch.randint(3, 997, (1, n_tokens))
        return {"input_ids": ids} | ({"decoder_input_ids": ids} if config.is_encoder_decoder else {})

    options = {"output_attentions": True} | ({"use_cache": False} if anatomy(twin).takes_cache else {})

    def eager(n_tokens: int = N_TOKENS) -> Any:
        with torch.inference_mode():
            return twin(**inputs(n_tokens), **options)

    return {"record": lambda n_tokens=N_TOKENS: record(model, **inputs(n_tokens)), "eager": eager}


def timed(name: str, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return milliseconds of both ways, wall and CPU, and recording ÷ eager."""
    passes = ways(name)
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in passes}
    for run in passes.values():
        for _ in range(3):
            run()
    for _ in range(rounds):
        for way, run in passes.items():
            begin, used = time.perf_counter(), time.process_time()
            result = run()
            times[way].append((1e3 * (time.perf_counter() - begin), 1e3 * (time.process_time() - used)))
            if way == "record" and (result.maps.n_layers, result.maps.n_heads) != (6, 8):
                raise NothingDrawn(f"not every head of {name} was recorded")
            del result
    found: dict[str, Any] = {}
    for way, own in times.items():
        wall, cpu = zip(*own, strict=True)
        found[way] = {"min_ms": min(wall), "median_ms": statistics.median(wall), "min_cpu_ms": min(cpu)}
    for key in ("min_ms", "median_ms", "min_cpu_ms"):
        found[f"record_to_eager_{key[:-3]}"] = found["record"][key] / found["eager"][key]
    return found


def peak(way: str, name: str) -> float:
    """Return by how many MB the highest resident memory of a fresh process rises, when this way runs."""
    command = [sys.executable, "-m", "benchmarks.bench_models", "--peak", way, name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_peak(way: str, name: str) -> float:
    """Return the rise of this process's memory in MB, while one way runs on a long text after a short one."""
    run = ways(name)[way]
    run()
    return memory_rise(lambda: run(PEAK_TOKENS))


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODELS))
    found.add_argument("--peak", nargs=2, metavar=("WAY", "NAME"), help="print how far this way's memory rises")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each architecture."""
    results = []
    for name in chosen.names or list(MODELS)[: 1 if chosen.quick else None]:
        result: dict[str, Any] = {"model": name, **timed(name, 1 if chosen.quick else ROUNDS)}
        if sys.platform == "linux":
            for way in ("record",) if chosen.quick else ("record", "eager"):
                result[way]["peak_mb"] = (measure_peak if chosen.quick else peak)(way, name)
        results.append(result)
    return {"aim": AIM, "results": results}


if __name__ == "__main__":
    alone = arguments().parse_args().peak
    if alone:
        print(measure_peak(*alone))
    else:
        answer("models", arguments(), run)
