"""For `bench_readings`: what each panel says about every bundled example, in numbers and short sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import leans
from mha.engine import experiments
from mha.errors import InputError
from mha.examples import EXAMPLES, Example
from mha.intervention.calibrated import calibration
from mha.intervention.patching import Patch, patch
from mha.intervention.story import Story, story
from mha.intervention.sweep import preference, sweep
from mha.maps import HeadId
from mha.models.watch.attending import attend

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
    """Return the furthest heads, the shuffles and the scrambled twin."""
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
        "reached in shuffles": list(leaning.reached),
        "outside their own shuffles": leaning.n_outside,
        "expected by chance": round(leaning.summary.expected_outside, 1),
        "largest lean of the twin": round(leaning.twin_reach, 2),
        "verdict": "some heads stand out" if leaning.separates else "No head separates these readings here",
    }


def what_carries_it(example: Example) -> dict[str, Any]:
    """Return the heads that carry a tenth, their control, and the story if there is one."""
    if example.contrast_sentence is None:
        return {"verdict": "no contrast sentence"}
    try:
        found, told = story_of(example)
    except InputError as error:
        return {"verdict": str(error)}
    said = [
        f"{head} carries {_percent(found.carried[head])} of the difference; three other heads of its layer, "
        f"{_percent(found.control[head.layer].mean())}"
        for head in found.named
    ]
    steps = None if told is None else {"to the cue": list(map(str, told.first)), "then": list(map(str, told.second))}
    return {
        "separation": round(found.separation, 4),
        "named": said,
        "story": steps,
        "verdict": _verdict(found),
    }


def does_it_matter(example: Example) -> dict[str, Any]:
    """Return the readout with its gate, and what the sweep shows."""
    known = calibration("minilm")
    ours = known.of(example.kind) if known else None
    here = preference(example.sentence, example.readings)
    found = sweep(example.sentence, example.readings)
    if ours is None:
        verdict = "no forced pairs of this kind; no verdict"
    elif not ours.scores.gates[found.at].tells:
        verdict = "This model's score cannot tell these readings apart; no verdict."
    else:
        towards = "A" if here > 0 else "B"
        words_only = not ours.scores.gates[found.at].from_order
        verdict = f"towards {towards}" + (
            ", from which words stand there, not from how they are put together" if words_only else ""
        )
    maps = attend(example.sentence)
    lean = np.where(found.acting, leans(maps, example.readings).lean, np.nan)
    rho, low, high = rank_correlation(lean, np.where(found.acting, -found.effect, np.nan))
    largest = np.unravel_index(np.nanargmax(np.abs(np.where(found.acting, found.effect, np.nan))), lean.shape)
    return {
        "link margin": round(here, 4),
        "verdict": verdict,
        "silencing moves it most": f"{HeadId(*map(int, largest))} by {found.effect[largest]:+.4f}",
        "typical effect": round(found.typical, 4),
        "lean against effect": f"{rho:+.2f} [{low:+.2f}, {high:+.2f}]",
    }


def story_of(example: Example) -> tuple[Patch, Story | None]:
    """Return what each head carries between an example and its contrast, and the story."""
    contrast = example.contrast_sentence
    assert contrast is not None
    found = patch(example.sentence, contrast, example.readings)
    return found, story(attend(example.sentence), attend(contrast), example.readings, found.named)


def _verdict(found: Patch) -> str:
    if found.too_close:
        return "The versions hardly differ in this score; parts of so small a difference say nothing"
    return "some heads carry it" if found.named else "No head carries the difference"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
