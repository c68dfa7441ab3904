"""For `bench_readings`: what each panel says about every bundled example, in numbers and short sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import leans
from mha.engine import experiments
from mha.engine.question import here as ask
from mha.examples import EXAMPLES, Example
from mha.intervention.sweep import sweep
from mha.link.readings import ReadingsWords
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.watch.attending import attend
from mha.screens.readings.choices import resolved
from mha.screens.readings.recorded import RecordedReadings, moved, shared
from mha.screens.readings.states import verdict

DOG = next(example for example in EXAMPLES if example.label == "the hungry dog")


def panels() -> list[dict[str, Any]]:
    """Return what is said about every example that has readings."""
    return [
        {
            "example": example.label,
            "kind": example.kind,
            "text": example.sentence,
            "where they look": where_they_look(example),
            "what carries it": what_carries_it(example),
            "does it matter": does_it_matter(example),
        }
        for example in EXAMPLES
        if example.readings
    ]


def where_they_look(example: Example) -> dict[str, Any]:
    """Return the furthest heads beside other orders of the same words."""
    a, b = example.readings
    leaning = experiments.leaning(example.sentence, (a, b))
    heads = []
    for head in leaning.furthest:
        own = leaning.summary
        heads.append(
            f"{head}: {_percent(leaning.here.a[head])} with A, {_percent(leaning.here.b[head])} with B "
            f"(shuffled: lean {own.mean[head]:+.2f} ± {own.spread[head]:.2f})"
        )
    return {
        "furthest": heads,
        "orders that reach as far": f"{leaning.summary.reach} of {len(leaning.shuffles)}",
        "unusual for these words": leaning.unusual,
    }


def what_carries_it(example: Example) -> dict[str, Any]:
    """Return the state of the difference to its contrast, its verdict, and which heads are named."""
    maps = attend(example.sentence)
    case = RecordedReadings(
        View(text=example.sentence), resolved(example.sentence, ReadingsWords()), maps, model_row("minilm")
    )
    move = moved(case, ask)
    found = shared(case, move, ask)
    patch = found.patch if found else None
    verdicts = ["".join(span[1] for span in block.spans) for block in verdict(move)]
    return {
        "state": move.state.name,
        "separation": round(move.s, 4),
        "verdict": " ".join(verdicts),
        "named": [f"{head} {_percent(patch.carried[head])}" for head in found.named] if found and patch else [],
    }


def does_it_matter(example: Example) -> dict[str, Any]:
    """Return the readout, and what the sweep shows."""
    found = sweep(example.sentence, example.readings)
    maps = attend(example.sentence)
    lean = np.where(found.acting, leans(maps, example.readings).lean, np.nan)
    rho, low, high = rank_correlation(lean, np.where(found.acting, -found.effect, np.nan))
    acting = np.where(found.direct, np.nan, found.effect)  # direct heads mix the words that are compared
    largest = np.unravel_index(np.nanargmax(np.abs(acting)), lean.shape)
    return {
        "link margin": round(found.untouched, 4),
        "silencing moves it most": f"{HeadId(*map(int, largest))} by {found.effect[largest]:+.4f}",
        "typical effect": round(found.typical, 4),
        "lean against effect": f"{rho:+.2f} [{low:+.2f}, {high:+.2f}]",
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
