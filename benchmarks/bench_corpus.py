"""How many texts of a corpus are measured a second: by the command, by `mha.attend_many`, by bare forward passes?

The bundled sentences, each once more with a number before it, until there are ``TEXTS``. *Bare* is the same batches
through the model in one thread, and nothing else of them. Rates of this process are by the seconds of its processor,
of which other work on the machine takes none; shares of bare are medians of ``ROUNDS``, each beside its own bare.
Run as ``python -m benchmarks.bench_corpus [TEXTS]``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.command import NothingDrawn, answer, parser
from mha.models.watch.batching import attend_many
from mha.pairs import corpus
from studies.corpus import CHUNK, CorpusState, measure_corpus

TEXTS = 1200  # a rate needs no more, and the whole of it ends within four minutes
ROUNDS = 3
FEW = 3 * CHUNK  # texts of a quick look: a rate is from the first chunk that came to the last


def many(count: int) -> Iterator[str]:
    """Yield so many different texts."""
    for number in range(count):
        text = corpus()[number % len(corpus())]
        yield text if number < len(corpus()) else f"{number // len(corpus())} {text}"


def bare(texts: list[str]) -> float:
    """Return texts a second of the forward passes alone."""
    import torch

    from mha.engine.waiting import BATCH_SIZE
    from mha.models.files.environment import one_thread
    from mha.models.files.loading import load
    from mha.models.watch.batching import _padded_inputs
    from mha.models.watch.tokens import encode

    loaded = load("minilm")
    with torch.inference_mode(), one_thread():
        begin = time.process_time()
        for start in range(0, len(texts), CHUNK):
            chunk = sorted(texts[start : start + CHUNK], key=len)
            for at in range(0, len(chunk), BATCH_SIZE):
                read = [encode(loaded.tokenizer, text, None, loaded.max_tokens) for text in chunk[at : at + BATCH_SIZE]]
                loaded.model(**_padded_inputs(read, loaded))
        return len(texts) / (time.process_time() - begin)


def maps_of(texts: list[str]) -> float:
    """Return texts a second of `mha.attend_many`, whose maps are all kept."""
    begin = time.process_time()
    attend_many(texts)
    return len(texts) / (time.process_time() - begin)


def loop(file: Path, folder: Path) -> float:
    """Return texts a second of the plain loop."""
    came: list[tuple[float, int]] = []

    def note(state: CorpusState) -> None:
        came.append((time.process_time(), state.texts))

    measure_corpus(file, folder / "loop.parquet", progress=note)
    if came[-1][1] == came[0][1]:
        raise NothingDrawn("the plain loop measured no chunk after its first")
    return (came[-1][1] - came[0][1]) / (came[-1][0] - came[0][0])


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("texts", nargs="?", type=int, metavar="TEXTS", help=f"how many; {TEXTS} unless said")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return all rates, and what they are of the bare one."""
    texts = list(many(chosen.texts or (FEW if chosen.quick else TEXTS)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "texts.txt"
        file.write_text("\n".join(texts), encoding="utf-8")
        bare(texts[: CHUNK * 2])  # the model is loaded and warm
        rounds = [(bare(texts), loop(file, folder), maps_of(texts)) for _ in range(1 if chosen.quick else ROUNDS)]
        rows: dict[str, Any] = {"texts": len(texts)}
        rows |= {
            name: round(median(some), 1)
            for name, some in zip(("bare", "loop", "attend_many"), zip(*rounds, strict=True), strict=True)
        }
        rows["loop_of_bare"] = round(median(two / one for one, two, *_ in rounds), 2)
        rows["attend_many_of_bare"] = round(median(three / one for one, *_, three in rounds), 2)
    return rows


if __name__ == "__main__":
    answer("corpus", arguments(), run)
