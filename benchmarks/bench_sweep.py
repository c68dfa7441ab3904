"""What does ablating every head cost? MiniLM's 72 heads, read at the last block output, by length of the text.

`sweep` shares its prefix: one pass whose batch grows, a head's row joins where the head stands. `one by one` is a
forward pass for each head, `one batch` one pass of 72 whole rows. `bound` is what the
arithmetic needs at least: Σ over layers of one layer's time at the batch that must pass it (heads × layers up to it),
measured on the model's own layers in the same rounds. All take turns in one process, so that a busy moment falls on
all. `next words` ablates each of the 270 heads of SmolLM2 for its next words, compared with its bare pass; `longest
step` is the time until a stopped sweep ends. Run as ``python -m benchmarks.bench_sweep``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.command import NothingDrawn, answer, parser  # noqa: E402
from mha.engine.experiments import leaning  # noqa: E402
from mha.examples import NEXT_WORD_EXAMPLES  # noqa: E402
from mha.intervention.ablation import HeadChanges, Pass, ablation_changes, through  # noqa: E402
from mha.intervention.patching import patch  # noqa: E402
from mha.intervention.predicting import iter_word_sweep  # noqa: E402
from mha.intervention.readout import TextScore  # noqa: E402
from mha.intervention.subject import subject  # noqa: E402
from mha.intervention.sweep import sweep  # noqa: E402
from mha.maps import Reading  # noqa: E402
from mha.models.files.catalog import hindrance  # noqa: E402
from mha.models.files.environment import one_thread  # noqa: E402
from mha.models.watch.recording import listening, undisturbed  # noqa: E402
from mha.stepwise import finished  # noqa: E402

TEXTS = {
    10: "She saw the man with her telescope.",
    16: "She saw the man with her telescope and then he saw her too.",
    31: "She saw the man with the telescope, and then he saw her too, and they went home by the river "
    "where the old dog was asleep.",
}
READINGS = (Reading("A", ((6, 1),)), Reading("B", ((6, 3),)))
LAST = 6
ROUNDS = 15
AIMS = {"one_by_one_to_sweep": 8.0, "sweep_to_bound": 1.5, "bare_passes": 80, "longest_step_ms": 500}
NEXT_WORDS = [*list(NEXT_WORD_EXAMPLES.values())[:2], TEXTS[31].rpartition(" ")[0]]

DOG = "A dog ate the food because it was hungry."
DOG_READINGS = (Reading("A", ((6, 1),)), Reading("B", ((6, 4),)))


def ways(text: str) -> dict[str, Callable[[], Any]]:
    """Return everything that is timed, each ready to run."""
    experiment = subject("minilm")
    question = TextScore.from_text(text, READINGS, "link", LAST, "minilm")
    (one,) = question.readout.passes(experiment, question.place, LAST)
    changes = ablation_changes(experiment, experiment.heads, "zero")

    def one_by_one() -> torch.Tensor:
        return torch.cat([_run({0: [change]}, one.inputs) for change in changes])

    def one_batch() -> torch.Tensor:
        inputs = {
            name: value.expand(len(changes), -1) if torch.is_tensor(value) else value
            for name, value in one.inputs.items()
        }
        return _run({row: [change] for row, change in enumerate(changes)}, inputs)

    def _run(rows: Any, inputs: Any) -> torch.Tensor:
        with torch.inference_mode():
            return through(experiment, Pass(inputs, one.read), intervention=HeadChanges(experiment.stack, rows))

    return {
        "sweep": lambda: sweep(text, READINGS, "zero", score_layer=LAST),
        "one_by_one": one_by_one,
        "one_batch": one_batch,
        "bound": layers_alone(len(question.place.encoded.tokens)),
    }


def check(passes: dict[str, Callable[[], Any]]) -> None:
    """Check that all three ways to ablate every head find the same.

    Raises:
        NothingDrawn: they do not, so that they are no measure of each other.
    """
    swept = passes["sweep"]()
    expected = swept.score + swept.effect.ravel()
    for name in ("one_by_one", "one_batch"):
        found = passes[name]().numpy()
        if found.shape != expected.shape or not np.allclose(found, expected, atol=1e-4):
            raise NothingDrawn(f"{name} does not find what the sweep finds")


def layers_alone(n_tokens: int) -> Callable[[], None]:
    """Return a run of every layer by itself, with the rows that have to pass it: its own heads and those below."""
    experiment = subject("minilm")
    d_model = experiment.model.config.hidden_size
    rows = [
        torch.randn(experiment.n_heads * (layer + 1), n_tokens, d_model, generator=torch.Generator().manual_seed(layer))
        for layer in range(experiment.n_layers)
    ]

    def run() -> None:
        with torch.inference_mode(), listening(experiment.model, ()):
            for block, hidden in zip(experiment.blocks, rows, strict=True):
                block(hidden)

    return run


def timed(passes: dict[str, Callable[[], Any]], rounds: int) -> dict[str, Any]:
    """Return milliseconds of each way, minimum and median; each is run once before, but for a single round."""
    times: dict[str, list[float]] = {name: [] for name in passes}
    for run in passes.values() if rounds > 1 else ():
        run()
    order, generator = list(passes), random.Random(7)
    for _ in range(rounds):
        generator.shuffle(order)
        for name in order:
            begin = time.perf_counter()
            passes[name]()
            times[name].append(1e3 * (time.perf_counter() - begin))
    return {name: {"min_ms": min(own), "median_ms": statistics.median(own)} for name, own in times.items()}


def one_sentence(rounds: int) -> dict[str, Any]:
    """Return what all numbers of the page cost for a new sentence of nine words, the model being warm.

    "leans" are the recording and 199 orders of its words, as the page's engine measures them.
    """
    contrast = DOG.replace("hungry", "delicious")
    parts: dict[str, Callable[[], Any]] = {
        "leans": lambda: finished(
            leaning.__wrapped__(DOG, DOG_READINGS)
        ),  # the experiment itself, which nobody has kept
        "patch": lambda: patch(DOG, contrast, DOG_READINGS),
        "sweep": lambda: sweep(DOG, DOG_READINGS),
    }
    found = timed(parts, rounds)
    return found | {"all": {key: sum(part[key] for part in found.values()) for key in ("min_ms", "median_ms")}}


def next_words(rounds: int) -> list[dict[str, Any]]:
    """Return the time of a sweep of SmolLM2's next words in bare passes, for each length of text, by one thread."""
    experiment = subject("smollm2")
    results = []
    for text in NEXT_WORDS[:1] if rounds == 1 else NEXT_WORDS:
        inputs = experiment.inputs(experiment.encoded(text))
        steps: list[float] = []

        def bare(inputs: dict[str, Any] = inputs) -> None:
            with torch.inference_mode(), undisturbed(experiment.model) as passes:
                passes(experiment.model, **inputs)

        def every_head(text: str = text, steps: list[float] = steps) -> None:
            begin = time.perf_counter()
            for _ in iter_word_sweep(text, experiment.loaded):
                begin, before = time.perf_counter(), begin
                steps.append(begin - before)

        with one_thread():
            result: dict[str, Any] = timed({"bare": bare, "sweep": every_head}, min(rounds, 3))
        ratio = result["sweep"]["min_ms"] / result["bare"]["min_ms"]
        tokens = inputs["input_ids"].shape[1]
        results.append({"tokens": tokens, **result, "bare_passes": ratio, "longest_step_ms": 1e3 * max(steps)})
    return results


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    return parser(__doc__)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each text, and what all of a new sentence takes."""
    results, rounds = [], 1 if chosen.quick else ROUNDS
    for n_tokens, text in list(TEXTS.items())[: 1 if chosen.quick else None]:
        found = len(subject("minilm").encoded(text).tokens)
        assert found == n_tokens, f"{text!r} has {found} tokens, not {n_tokens}"
        passes = ways(text)
        check(passes)
        result: dict[str, Any] = {"tokens": n_tokens, **timed(passes, rounds)}
        for key in ("min_ms", "median_ms"):
            result[f"one_by_one_to_sweep_{key[:-3]}"] = result["one_by_one"][key] / result["sweep"][key]
            result[f"sweep_to_bound_{key[:-3]}"] = result["sweep"][key] / result["bound"][key]
        results.append(result)
    missing = hindrance("smollm2")
    return {
        "aims": AIMS,
        "results": results,
        "new sentence of nine words": one_sentence(rounds),
        "next words": {"skipped": missing} if missing else next_words(rounds),
    }


if __name__ == "__main__":
    answer("sweep", arguments(), run)
