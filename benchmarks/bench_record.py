"""What does recording cost? All maps of MiniLM, against the same model's bare forward passes, by length of the text.

`record` is `mha.record`, checks and all; `eager` the bare model with output_attentions=True; `sdpa` the bare model
without maps; all three share their weights. Time: they take turns in one process, in random order, so that a busy
moment falls on all. Memory: each in a process of its own, the highest resident memory above that before the first
call, with one result held at a time. Run as ``python -m benchmarks.bench_record``.
"""

from __future__ import annotations

import argparse
import copy
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import torch  # noqa: E402

from benchmarks.command import NothingDrawn, answer, parser  # noqa: E402
from benchmarks.machine import memory_rise  # noqa: E402
from mha.models.files.loading import load  # noqa: E402
from mha.models.watch.recording import record  # noqa: E402
from mha.models.watch.tokens import encode  # noqa: E402

SIZES = (9, 32, 128, 512)  # tokens
ROUNDS = {9: 200, 32: 150, 128: 60, 512: 20}
MEMORY_ROUNDS = 5
AIM = 1.05  # recording ÷ eager


def ways(n_tokens: int) -> dict[str, Callable[[], Any]]:
    """Return the three forward passes; the bare ones belong to models whose attention was set once and for all."""
    loaded = load("minilm")
    encoded = encode(loaded.tokenizer, "see " * n_tokens, max_tokens=n_tokens)
    tensors = {name: torch.tensor(values) for name, values in encoded.inputs.items()}

    def bare(attention: str) -> Any:
        model = type(loaded.model)._from_config(copy.deepcopy(loaded.model.config), attn_implementation=attention)
        model.load_state_dict(loaded.model.state_dict(), assign=True)  # the very same numbers in memory
        return model.eval()

    eager, sdpa = bare("eager"), bare("sdpa")

    def run(model: Any, **options: Any) -> Any:
        with torch.inference_mode():
            return model(**tensors, **options)

    return {
        "record": lambda: record(loaded.model, tokens=encoded.tokens, **tensors),
        "eager": lambda: run(eager, output_attentions=True),
        "sdpa": lambda: run(sdpa),
    }


def timed(n_tokens: int, rounds: int) -> dict[str, Any]:
    """Return milliseconds of each way, minimum and median, and recording ÷ eager."""
    passes = ways(n_tokens)
    times: dict[str, list[float]] = {name: [] for name in passes}
    for name in passes:
        for _ in range(3):
            passes[name]()
    order = list(passes)
    shuffle = random.Random(7).shuffle
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            begin = time.perf_counter()
            result = passes[name]()
            times[name].append(1e3 * (time.perf_counter() - begin))
            if name == "record" and result.maps.weights.shape != (6, 12, n_tokens, n_tokens):
                raise NothingDrawn(f"recorded were maps of {result.maps.weights.shape}, not of {n_tokens} tokens")
            del result
    result = {name: {"min_ms": min(own), "median_ms": statistics.median(own)} for name, own in times.items()}
    for key in ("min_ms", "median_ms"):
        result[f"record_to_eager_{key[:-3]}"] = result["record"][key] / result["eager"][key]
    return result


def peak(way: str, n_tokens: int) -> float:
    """Return by how many MB the highest resident memory of a fresh process rises, when this way runs."""
    command = [sys.executable, "-m", "benchmarks.bench_record", "--peak", way, str(n_tokens)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_peak(way: str, n_tokens: int) -> float:
    """Return the rise of this process's memory in MB, while one way runs a few times."""
    run = ways(n_tokens)[way]
    for small in ways(9).values():
        small()
    return memory_rise(run, MEMORY_ROUNDS)


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("--peak", nargs=2, metavar=("WAY", "TOKENS"), help="print how far this way's memory rises")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each number of tokens."""
    results = []
    for n_tokens in SIZES[: 1 if chosen.quick else None]:
        result: dict[str, Any] = {"tokens": n_tokens, **timed(n_tokens, 1 if chosen.quick else ROUNDS[n_tokens])}
        if sys.platform == "linux":
            for way in ("record",) if chosen.quick else ("record", "eager", "sdpa"):
                result[way]["peak_mb"] = (measure_peak if chosen.quick else peak)(way, n_tokens)
        results.append(result)
    return {"aim": AIM, "results": results}


if __name__ == "__main__":
    alone = arguments().parse_args().peak
    if alone:
        print(measure_peak(alone[0], int(alone[1])))
    else:
        answer("record", arguments(), run)
