"""What does a survey of a long text cost? Against the same model's bare forward pass with SDPA, by number of tokens.

A random Llama of 12 layers × 12 heads (d_head 64, float32), one row and one column, one head kept whole. Time: they
take turns in one process, so that a busy moment falls on all; of a machine with other work, read the CPU seconds.
Memory: each in a process of its own, the highest resident memory above that with the model loaded and a text of 64
tokens behind it. `record` keeps all maps, where that is less than 1 GB. Run as
``python -m benchmarks.bench_long [TOKENS …]``; a quick look is at two layers.
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
from transformers import LlamaConfig, LlamaModel  # noqa: E402

from benchmarks.command import NothingDrawn, answer, parser  # noqa: E402
from benchmarks.machine import memory_rise  # noqa: E402
from mha.models.watch.recording import record  # noqa: E402
from mha.models.watch.survey import survey  # noqa: E402

SIZES = (256, 512, 1024, 2048, 4096)  # tokens
ROUNDS = {256: 15, 512: 9, 1024: 5, 2048: 3, 4096: 2}
N_LAYERS, N_HEADS, D_HEAD = 12, 12, 64
FEW = 2  # layers of a quick look
WHOLE_UP_TO = 1024  # tokens of which all maps are kept, 0.6 GB
AIM = {"survey_to_sdpa_min_s": 2.5, "peak_mb": 600}  # of 4,096 tokens


def ways(n_tokens: int, n_layers: int = N_LAYERS) -> dict[str, Callable[[], Any]]:
    """Return the forward passes; their model is the same object, which runs SDPA unless it is recorded."""
    torch.manual_seed(0)
    d_model = N_HEADS * D_HEAD
    config = LlamaConfig(
        hidden_size=d_model,
        num_hidden_layers=n_layers,
        num_attention_heads=N_HEADS,
        num_key_value_heads=N_HEADS,
        intermediate_size=4 * d_model,
        vocab_size=997,
        max_position_embeddings=max(SIZES),
        initializer_range=0.06,
        attn_implementation="sdpa",
    )
    model = LlamaModel(config).eval()
    ids = torch.randint(0, 997, (1, n_tokens))

    def sdpa() -> Any:
        with torch.inference_mode():
            return model(input_ids=ids, use_cache=False)

    found: dict[str, Callable[[], Any]] = {
        "sdpa": sdpa,
        "survey": lambda: survey(model, input_ids=ids, words=(17,), heads=((n_layers // 4, 1),)),
    }
    if n_tokens <= WHOLE_UP_TO:
        found["record"] = lambda: record(model, input_ids=ids)
    return found


def timed(n_tokens: int, rounds: int, n_layers: int) -> dict[str, Any]:
    """Return the seconds of each way, the least and the median, and survey ÷ the others."""
    passes = ways(n_tokens, n_layers)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in passes}
    if n_tokens <= WHOLE_UP_TO:
        for run in passes.values():
            run()
    for _ in range(rounds):
        for name, run in passes.items():
            begin, used = time.perf_counter(), time.process_time()
            result = run()
            times[name].append((time.perf_counter() - begin, time.process_time() - used))
            if name == "survey" and (len(result.maps) != 1 or len(result.rows) != 1):
                raise NothingDrawn("the survey lacks the head, or the row, that it was asked for")
            del result
    found: dict[str, Any] = {}
    for name, own in times.items():
        seconds, cpu = zip(*own, strict=True)
        found[name] = {"min_s": min(seconds), "median_s": statistics.median(seconds), "min_cpu_s": min(cpu)}
    for other in [name for name in ("sdpa", "record") if name in found]:
        for key in ("min_s", "min_cpu_s"):
            found[f"survey_to_{other}_{key}"] = found["survey"][key] / found[other][key]
    return found


def peak(way: str, n_tokens: int) -> float:
    """Return by how many MB the highest resident memory of a fresh process rises, when this way runs."""
    command = [sys.executable, "-m", "benchmarks.bench_long", "--peak", way, str(n_tokens)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_peak(way: str, n_tokens: int, n_layers: int = N_LAYERS) -> float:
    """Return the rise of this process's memory in MB, while one way runs once."""
    for small in ways(64, n_layers).values():
        small()
    run = ways(n_tokens, n_layers)[way]
    return memory_rise(run)


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("tokens", nargs="*", type=int, metavar="TOKENS", help=" ".join(map(str, SIZES)))
    found.add_argument("--peak", nargs=2, metavar=("WAY", "TOKENS"), help="print how far this way's memory rises")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each number of tokens."""
    results = []
    for n_tokens in chosen.tokens or SIZES[: 1 if chosen.quick else None]:
        size = (1, FEW) if chosen.quick else (ROUNDS.get(n_tokens, 2), N_LAYERS)
        result: dict[str, Any] = {"tokens": n_tokens, **timed(n_tokens, *size)}
        if sys.platform == "linux" and chosen.quick:
            result["survey"]["peak_mb"] = measure_peak("survey", n_tokens, FEW)
        elif sys.platform == "linux":
            for way in [one for one in ("survey", "sdpa", "record") if one in result]:
                result[way]["peak_mb"] = peak(way, n_tokens)
        results.append(result)
    return {"aim": AIM, "results": results}


if __name__ == "__main__":
    alone = arguments().parse_args().peak
    if alone:
        print(measure_peak(alone[0], int(alone[1])))
    else:
        answer("long", arguments(), run)
