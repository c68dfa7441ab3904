"""Watch heads learn: sentences about recorded training runs, and the data of their picture. Pure.

A run is a `mha.training.settings.Curves`: the accuracy, the attention and the ablations of a tiny transformer while it
learns. A sentence about a run is computed from its numbers at one moment of the training.
"""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.engine.bundled import bundled_runs, siblings
from mha.export.provenance import without_maps
from mha.export.tables import Table, curves_table
from mha.figures.training import LETTERS
from mha.formats import accuracy, capitalise_first, in_figures, in_words, join_list
from mha.memo import memoise
from mha.training.settings import EXPERIMENTS, Curves, Settings

LOOKS_AT_NOUNS = 0.8  # share of a head that blends the nouns; no noun then gets twice as much as another

TASK = (
    "Task: from *{pivot}*, name both nouns, the first (A) and the second (B). New sentences use unseen pairs of nouns."
)
MISSING = "The recorded runs are not available."
GUESS = "Will one head name both nouns as often as two heads? Make a guess before you see the runs."
PROGRESS = 100  # per cent of the training at its last step
CONCLUSIONS = (
    "One head finds both nouns but mixes them up on new pairs; two heads of the same total size do not (in four "
    "runs of each). Heads differ because they start with different random numbers. Not shown: that one head can never "
    "do it, or that heads of large models represent meanings."
)

# The words for settings that differ from the usual ones.
STARTED = {
    "identical": "identical start",
    "identical+noise": "identical start plus noise",
}


def title_of(settings: Settings) -> str:
    """Return the title of a run: its heads, and each unusual setting.

    >>> title_of(Settings(n_heads=2)), title_of(Settings(n_heads=4, start="identical"))
    ('Two heads', 'Four heads, identical start')
    """
    heads = in_words(settings.n_heads, "head")
    parts = [capitalise_first(heads), STARTED.get(settings.start, "")]
    if settings.d_head:
        parts.append(f"{settings.d_head} numbers wide")
    if settings.reads == "random":
        parts.append(f"each reading a random {settings.numbers_read} of {settings.d_model} numbers")
    if settings.pressure == "positions":
        parts.append(f"pushed to look at different words (λ {settings.strength:g})")
    return ", ".join(filter(None, parts))


def runs_of(experiment: str) -> tuple[Curves, ...]:
    """Return the two recorded runs of an experiment, or none if the bundled file lacks one."""
    runs = tuple(run for settings in EXPERIMENTS[experiment] if (run := bundled_runs().get(settings)))
    return runs if len(runs) == 2 else ()


def head_numbers(run: Curves) -> tuple[str, ...]:
    """Return the numbers of the heads of a run's last layer, as the switch names them."""
    return tuple(map(str, range(run.settings.n_heads)))


# ---- the picture


def runs_data(runs: Sequence[Curves], moments: Sequence[int], is_large: bool = False) -> dict[str, Any]:
    """Return the data of `mha.app.components.runs`: two runs on one sentence, each at a moment of its training."""
    words = shown_words(runs[0])
    return {
        "words": words,
        "pivot": runs[0].pivot,
        "large": is_large,
        "runs": [_run_data(run, moment, len(words)) for run, moment in zip(runs, moments, strict=True)],
    }


def shown_words(run: Curves) -> list[str]:
    """Return the words of the sentence without its full stop."""
    words = list(run.words)
    return words[:-1] if words[-1] == "." else words


def _run_data(run: Curves, moment: int, n_words: int) -> dict[str, Any]:
    """Return a run: uint8 weights [moment, head of any layer, query, key] in base64, 255 for a weight of 1."""
    n_layers, n_heads = run.settings.n_layers, run.settings.n_heads
    weights = run.weights.reshape(len(run), n_layers * n_heads, *run.weights.shape[-2:])[..., :n_words, :n_words]
    names = [f"head {head}" for head in range(n_heads)]
    return {
        "title": title_of(run.settings),
        "heads": names,
        "last": list(range((n_layers - 1) * n_heads, n_layers * n_heads)),
        "steps": run.step.tolist(),
        "moment": moment,
        "holds": [list(run.holds(moment_number)) for moment_number in range(len(run))],
        "findings": list(findings(run)),
        "shape": list(weights.shape),
        "weights": base64.b64encode(np.rint(weights * 255).astype(np.uint8).tobytes()).decode("ascii"),
    }


@memoise
def findings(run: Curves) -> tuple[str, ...]:
    """Return the finding of a run at each of its moments."""
    return tuple(_sentence(run, moment) for moment in range(len(run)))


def _sentence(run: Curves, moment: int) -> str:
    """Return the attention of a run's heads at a moment, and its accuracy on new sentences."""
    step = int(run.step[moment])
    when = "" if step == run.settings.n_steps else f" after {step:,} steps"
    subject = f"{title_of(run.settings)}{_attention(run, moment)}"
    return f"{subject}: both correct in {accuracy(run.joint[moment])} of new sentences{when}."


def _attention(curves: Curves, moment: int) -> str:
    """Return how the last layer's heads attend to the nouns, with its comma, or "" if neither pattern applies."""
    held_nouns, n_nouns = curves.holds(moment), len(curves.nouns)
    looks = curves.looks[moment]
    if len(held_nouns) == n_nouns and set(held_nouns) == set(range(n_nouns)):
        return ", one noun each"
    blends = looks[0].sum() >= LOOKS_AT_NOUNS and looks[0].min() >= looks[0].max() / 2
    if len(held_nouns) == 1 and held_nouns[0] is None and blends:
        return f", mixing the {in_words(n_nouns)} nouns"
    return ""


def diversity(curves: Curves) -> str:
    """Return how the heads of a run came apart, or that they did not."""
    start, end, separation = curves.diverse_weights[0], curves.diverse_weights[-1], curves.parted()
    if curves.diverse_weights.max() < 0.005:
        return f"identical to the end ({end:.2f} bits apart), since equal heads get equal gradients."
    when = "never clearly separate" if separation is None else f"separate by step {separation:,}"
    return f"{start:.2f} bits apart at the start, {end:.2f} at the end; they {when}."


def difference(runs: Sequence[Curves]) -> str:
    """Return how the heads of every run with several of them came apart, as a list with the lines of the chart."""
    lines = [
        f"- {title_of(run.settings)} ({line}): {diversity(run)}"
        for run, line in zip(runs, ("solid", "dashed"), strict=True)
        if run.settings.n_heads > 1
    ]
    return "\n".join(lines)


def task(run: Curves) -> str:
    """Return the task of a run."""
    return TASK.format(pivot=run.words[run.pivot])


def accuracy_key(run: Curves) -> str:
    """Return the key of the lines of `mha.figures.training.accuracy_curves`."""
    other_seeds = siblings(run.settings)
    seeds = f" Thin: {in_figures(len(other_seeds), 'other seed')}." if other_seeds else ""
    guess = f"guesses which is which ({accuracy(run.settings.guess)})"
    return f"New sentences with both nouns correct. Dotted: {guess}.{seeds}"


def ablation(run: Curves, head: int, moment: int = -1) -> str:
    """Return the accuracy of each answer of a run with one head of its last layer ablated, and with all heads on."""
    changes = [
        f"{letter} {accuracy(share)} correct ({accuracy(full_share)} with all heads)"
        for letter, full_share, share in zip(LETTERS, run.readings[moment], run.ablated[moment, head], strict=False)
    ]
    return f"{title_of(run.settings)}, without head {head}: {join_list(changes)}."


def method(run: Curves) -> str:
    """Return how the numbers of the page were measured, in Markdown."""
    settings = run.settings
    return (
        "Trained here, in advance; `mha.training` repeats the runs. Attention to nouns is an average over new "
        "sentences. Dotted line: a guesser that knows the nouns, but not which is which.\n\n"
        f"Width {settings.d_model}, 40 nouns, {settings.n_steps:,} steps of {settings.batch} sentences, Adam, seed "
        f"{settings.seed}. Accuracy is measured on 800 sentences whose pair of nouns belongs to the quarter that "
        "training never shows. The same link gives the same curves.\n\n"
        "How different heads are: the Jensen–Shannon divergence of their attention at the ambiguous word of new "
        "sentences, mean over pairs of heads. “Kept apart” adds a disagreement of Li et al. 2018 to the loss, λ times."
    )


ORIGIN = "Numbers: tiny transformers, trained here and recorded."


def table(run: Curves) -> Table:
    """Return the curves of a run with their source."""
    settings = run.settings
    model_facts = title_of(settings), f"seed {settings.seed}, {settings.n_steps:,} steps", "trained here"
    return curves_table(
        run, without_maps(("sentences of the grammar, 800 with unseen pairs",), model_facts, "words are tokens")
    )
