"""What does a sweep of SmolLM2's next word cost, in bare passes, if its leading heads come first?

Costs are CPU time of one thread, divided by the CPU time of a bare forward pass of the same text in the same run, so
that a busy machine changes them little. `leading` is the cost until the 8 leading heads are measured exactly, `second`
until layers 0 and 1 and the 30 leading others are, `whole` until all 270 are, and `step` the longest step between two
values; `layers` is the whole sweep by layers, and `plain` one forward pass a head with plain hooks. `peer` is one pass
a head with TransformerLens' bridge, in bare passes of its own environment, with the largest `difference` of its results
in nats; ``--peer`` is the Python of that environment (benchmarks/requirements-peers.txt). Plain and peer are scaled
from a sample of the heads. `recall` (with
``--texts``) is the share of texts whose head with the largest exact change is among those measured first; half of the
texts are ordinary and half are shuffled words. Run as ``python -m benchmarks.bench_estimate``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.command import Missing, answer, parser  # noqa: E402
from mha.intervention.bank import head_means  # noqa: E402
from mha.intervention.predicting import iter_word_sweep  # noqa: E402
from mha.intervention.subject import Subject, subject  # noqa: E402
from mha.maps import HeadId  # noqa: E402
from mha.models.files.catalog import hindrance  # noqa: E402
from mha.models.files.environment import one_thread  # noqa: E402
from mha.models.files.smollm2 import convert  # noqa: E402
from mha.models.watch.recording import undisturbed  # noqa: E402
from mha.pairs import corpus  # noqa: E402

TIMED = (
    "The capital of France is",
    "My grandmother's name is Ruth. Everyone calls her",
    "The old baker opened his shop before the sun came up over the",
)
OWN = """The old baker opened his shop before the sun
My sister forgot her umbrella at the train
After the storm the fishermen repaired their
Nobody at the office could remember the
The violin on the wall belonged to my
She poured the milk into a small blue
We walked along the beach until it was
The teacher wrote the answer on the
Two boys were playing football in the
He closed the window because it was too
The recipe says to add a cup of
In winter the lake is covered with
A doctor works in a hospital, a teacher in a
The capital of Norway is
The opposite of small is
Seven plus one equals
Peter gave Anna a book, and Anna gave Peter a
The cat chased the mouse into the
Yesterday I bought apples, pears and
My brother Tom lives in Berlin. Last week I visited
On Monday comes Tuesday, on Friday comes
The key to the cabinets in the hall
Once upon a time there was a poor
He was born in 1950 and died in
Her name is Clara. Everyone in the village likes""".splitlines()
ROUNDS = 5
FIRST, SECOND = 8, 48  # heads
AIMS = {"leading": 8, "second": 18, "whole": 50, "plain_to_whole": 5, "peer_to_whole": 5, "recall_second": 0.93}
SCRIPT = Path(__file__).with_name("peer_sweep.py")


def cpu(run: Callable[[], Any]) -> float:
    """Return the CPU seconds of this thread."""
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def bare(experiment: Subject, text: str) -> None:
    """Run a text once, as the model itself does."""
    with torch.inference_mode(), undisturbed(experiment.model) as passes:
        passes(experiment.model, **experiment.inputs(experiment.encoded(text)))


def sweep_costs(experiment: Subject, text: str, order: str) -> dict[str, float]:
    """Return CPU seconds until some heads are measured, and of the longest step."""
    begin = before = time.thread_time()
    costs = {"step": 0.0}
    for sweep in iter_word_sweep(text, experiment.loaded, 1, order=order):
        now = time.thread_time()
        costs["step"], before = max(costs["step"], now - before), now
        for name, n_heads in (("leading", FIRST), ("second", SECOND)):
            if sweep.n_measured >= n_heads:
                costs.setdefault(name, now - begin)
    return costs | {"whole": time.thread_time() - begin}


def plain(experiment: Subject, text: str, n_heads: int) -> float:
    """Return the CPU seconds of one forward pass for each head with a plain hook, from a sample of the heads."""
    means = torch.as_tensor(head_means(experiment))  # [layer, head, d_head]
    d_head = means.shape[-1]

    def ablated(head: HeadId) -> None:
        columns = slice(head.head * d_head, (head.head + 1) * d_head)

        def hook(_module: Any, arguments: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            outputs = arguments[0].clone()
            outputs[..., columns] = means[head]
            return (outputs,)

        handle = experiment.model.model.layers[head.layer].self_attn.o_proj.register_forward_pre_hook(hook)
        bare(experiment, text)
        handle.remove()

    sample = experiment.heads[:: max(1, len(experiment.heads) // n_heads)]
    return cpu(lambda: [ablated(head) for head in sample]) * len(experiment.heads) / len(sample)


def in_passes(experiment: Subject, text: str, rounds: int) -> dict[str, Any]:
    """Return all costs of a text in bare passes: the median over rounds, each with its own bare pass."""
    ratios: dict[str, list[float]] = {}
    bare(experiment, text)
    for _ in range(rounds):
        unit = min(cpu(lambda: bare(experiment, text)) for _ in range(3))
        costs = sweep_costs(experiment, text, "estimate")
        costs["layers"] = sweep_costs(experiment, text, "layers")["whole"]
        costs["plain"] = plain(experiment, text, 9 if rounds == 1 else 54)
        unit = min(unit, *(cpu(lambda: bare(experiment, text)) for _ in range(3)))
        for name, cost in costs.items():
            ratios.setdefault(name, []).append(cost / unit)
        ratios.setdefault("plain_to_whole", []).append(costs["plain"] / costs["whole"])
    n_tokens = len(experiment.encoded(text).tokens)
    return {"tokens": n_tokens, **{name: round(float(np.median(values)), 2) for name, values in ratios.items()}}


def peer(experiment: Subject, text: str, python: str, n_heads: int) -> dict[str, Any]:
    """Return what one forward pass a head costs with TransformerLens' bridge, in bare passes, and its difference."""
    folder = convert(lambda *_: None)
    if not isinstance(folder, Path):
        raise Missing("SmolLM2 has no snapshot on disk that another program could read.")
    *_, sweep = iter_word_sweep(text, experiment.loaded, 1)
    sample = experiment.heads[:: max(1, len(experiment.heads) // n_heads)]
    ids = experiment.encoded(text).inputs["input_ids"][0]
    with tempfile.TemporaryDirectory() as place:
        file = f"{place}/asked.npz"
        np.savez(file, folder=str(folder), ids=ids, means=head_means(experiment), heads=np.array(sample))
        alone = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        done = subprocess.run([python, str(SCRIPT), file], capture_output=True, text=True, env=alone, check=False)
    if done.returncode:
        raise Missing(f"{python} cannot run TransformerLens: {(done.stderr.splitlines() or ['?'])[-1]}")
    found = json.loads(done.stdout.splitlines()[-1])
    passes = found["heads"] / found["bare"] / len(sample)
    ours = [float(sweep.log_probability[0] + sweep.change[head][0]) for head in sample]
    return {
        "versions": found["versions"],
        "pass": round(found["bridge"] / found["bare"], 2),
        **{str(count): round(passes * count, 1) for count in (FIRST, SECOND, len(experiment.heads))},
        "difference": float(np.abs(np.subtract(ours, found["log_probability"])).max()),
    }


def texts(count: int) -> list[tuple[str, str]]:
    """Return texts with their kind, half of them ordinary and half of them shuffled."""
    generator = random.Random(5)
    sentences = [text for text in corpus() if 5 <= len(text.split()) <= 10]
    generator.shuffle(sentences)
    half = max(1, count // 2)
    ordinary = [" ".join(text.split()[:-1]) for text in sentences[:25]] + OWN
    shuffled = []
    for text in [*sentences[25:50], *OWN]:
        words = text.split()
        generator.shuffle(words)
        shuffled.append(" ".join(words))
    chosen = [generator.sample(some, min(half, len(some))) for some in (ordinary, shuffled)]
    return [(text, kind) for some, kind in zip(chosen, ("ordinary", "shuffled"), strict=True) for text in some]


def recall(experiment: Subject, count: int) -> dict[str, Any]:
    """Return in how many texts the head with the largest exact change is among the first ones, with intervals."""
    hits: dict[str, dict[str, list[bool]]] = {}
    for text, kind in texts(count):
        parts = list(iter_word_sweep(text, experiment.loaded, 1, order="estimate"))
        largest = np.unravel_index(np.abs(parts[-1].change[..., 0]).argmax(), parts[-1].likeliest.shape)
        for name, n_heads in (("first", FIRST), ("second", SECOND)):
            measured = next(part for part in parts if part.n_measured >= n_heads)
            for group in (kind, "all"):
                hits.setdefault(name, {}).setdefault(group, []).append(bool(measured.likeliest[largest] >= 0))
    return {name: {group: wilson(sum(row), len(row)) for group, row in groups.items()} for name, groups in hits.items()}


def wilson(count: int, n: int) -> dict[str, float]:
    """Return a share with its 95 % interval (Wilson 1927)."""
    z, share = 1.96, count / n
    middle, scale = (share + z * z / (2 * n)), 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return {"of": n, "share": share, "low": (middle - half) / scale, "high": (middle + half) / scale}


def arguments() -> argparse.ArgumentParser:
    """Return the arguments."""
    asked = parser(__doc__)
    asked.add_argument("--peer", default="", help="the Python of an environment with TransformerLens")
    asked.add_argument("--texts", type=int, default=0, help="texts for the recall, up to 100; 0 leaves it out")
    return asked


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the costs of each text, and the recall on request.

    Raises:
        Missing: SmolLM2 is not installed.
    """
    if missing := hindrance("smollm2"):
        raise Missing(missing)
    experiment = subject("smollm2")
    with one_thread():
        some = TIMED[:1] if chosen.quick else TIMED
        results = [in_passes(experiment, text, 1 if chosen.quick else ROUNDS) for text in some]
        for text, row in zip(some, results if chosen.peer else (), strict=False):
            row["peer"] = peer(experiment, text, chosen.peer, 9 if chosen.quick else 54)
            row["peer_to_whole"] = round(row["peer"][str(len(experiment.heads))] / row["whole"], 2)
        found = recall(experiment, chosen.texts) if chosen.texts else {}
    return {"aims": AIMS, "results": results, "recall": found}


if __name__ == "__main__":
    answer("estimate", arguments(), run)
