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
from mha.formats import accuracy, in_figures, in_words, join_list, whole_percent
from mha.memo import memoise
from mha.training.settings import EXPERIMENTS, Curves, Settings

LOOKS_AT_NOUNS = 0.8  # share of a head that blends the nouns; no noun then gets twice as much as another
CARRIED, SPARED = 0.5, 0.05  # accuracy lost without a head: at least by its answer, at most by any other

TASK = (
    "Task: from *{pivot}*, name both nouns, the first (A) and the second (B). New sentences use unseen pairs of nouns."
)
MISSING = "The recorded runs are not available."
GUESS = "Will one head name both nouns as often as two heads? Make a guess before you see the runs."
PROGRESS = 100  # per cent of the training at its last step
CONCLUSIONS = (
    "Within one layer, one head finds both nouns but mixes them up on new pairs. Two heads of the same total size do "
    "not (in these runs)."
)
SEEDS = (
    "Heads differ because they start with different random numbers. Heads with identical numbers get identical "
    "gradients (*identical start*)."
)
LIMITS = (
    "Not shown: that one head can never do it (it memorises the training pairs); that each reading needs its own head; "
    "that heads in large models represent meanings. Here the answer can only come through the heads; in a pretrained "
    "model it need not."
)

# The words for settings that differ from the usual ones.
STARTED = {
    "identical": "identical start",
    "identical+noise": "identical start plus noise",
}
PRESSED = {
    "positions": "pushed to look at different words",
}


def title_of(settings: Settings) -> str:
    """Return the title of a run: its heads, and each unusual setting.

    >>> title_of(Settings(n_heads=2)), title_of(Settings(n_heads=4, start="identical"))
    ('Two heads', 'Four heads, identical start')
    """
    heads = in_words(settings.n_heads, "head")
    if settings.d_head:
        heads = f"{settings.n_heads} head{'s' * (settings.n_heads > 1)} in a width of {settings.d_head} each"
    parts = [heads[0].upper() + heads[1:]]
    if settings.start in STARTED:
        parts.append(STARTED[settings.start])
    if settings.reads != "everything":
        each_reading = "each reading" if settings.n_heads > 1 else "reading"
        which = "its own" if settings.reads == "slices" else "a random"
        parts.append(f"{each_reading} {which} {settings.numbers_read} of {settings.d_model} numbers")
    if settings.pressure in PRESSED:
        parts.append(f"{PRESSED[settings.pressure]} (λ {settings.strength:g})")
    return ", ".join(parts)


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
    if n_layers > 1:
        names = [f"layer {layer} {name}" for layer in range(n_layers) for name in names]
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
    name, does = title_of(run.settings), _does(run, moment)
    comma = "," if does and ", " in name else ""
    step = int(run.step[moment])
    when = "" if step == run.settings.n_steps else f" after {step:,} steps"
    return f"{name}{comma}{does}: both correct in {accuracy(run.joint[moment])} of new sentences{when}."


def _does(curves: Curves, moment: int) -> str:
    """Return the verb for the attention of the last layer's heads to the nouns, or "" if none applies."""
    held_nouns, n_nouns = curves.holds(moment), len(curves.nouns)
    looks = curves.looks[moment]
    if len(held_nouns) == n_nouns and set(held_nouns) == set(range(n_nouns)):
        return " take one noun each"
    blends = looks[0].sum() >= LOOKS_AT_NOUNS and looks[0].min() >= looks[0].max() / 2
    if len(held_nouns) == 1 and held_nouns[0] is None and blends:
        return f" mixes the {in_words(n_nouns)} nouns"
    return ""


def every_ablation(curves: Curves, moment: int = -1) -> str:
    """Return the effect of ablating each head of a run alone: which answer falls, which heads are idle."""
    n_heads, n_readings = curves.ablated.shape[1:]
    if n_heads == 1:
        full_shares, ablated_shares = curves.readings[moment], curves.ablated[moment, 0]  # [reading]
        falls = [
            f"{LETTERS[r]} {_moves(full_shares[r], ablated_shares[r])}{' correct' * (not r)}" for r in range(n_readings)
        ]
        return f"Without its head, {join_list(falls)}."
    loss = curves.readings[moment] - curves.ablated[moment]  # [head, reading]
    main_losses = [(int(row.argmax()), np.delete(row, row.argmax())) for row in loss]
    if loss.max(axis=1).min() > CARRIED and max(other_losses.max() for _, other_losses in main_losses) <= SPARED:
        falls = [
            f"Without head {head}, {LETTERS[reading]} falls from {accuracy(curves.readings[moment, reading])} "
            f"to {accuracy(curves.ablated[moment, head, reading])}"
            for head, (reading, _) in enumerate(main_losses)
        ]
        largest_other = max(float(other_losses.max()) for _, other_losses in main_losses)
        other_loss = (
            f"{in_figures(whole_percent(largest_other), 'point')} at most" if largest_other >= 0.005 else "nothing"
        )
        return f"Each head carries one answer. {'. '.join(falls)}. The other answer loses {other_loss}."
    idle = curves.idle(moment)
    if idle:
        names = ", ".join(map(str, idle))
        is_single = len(idle) == 1
        return (
            f"{len(idle)} of {n_heads} heads {'is' if is_single else 'are'} idle ({names}): "
            f"without {'it' if is_single else 'any one of them'}, no answer loses more than 1 point."
        )
    lost = loss.max(axis=1)
    smallest, largest = whole_percent(float(lost.min())), whole_percent(float(lost.max()))
    fall = in_figures(smallest, "point") if smallest == largest else f"{smallest} to {largest} points"
    return (
        f"No head is idle, and the answers are spread over several heads: without any one, some answer falls by {fall}."
    )


def _moves(first_share: float, second_share: float) -> str:
    """Return how a share of right answers moves, as it is written."""
    first_text, second_text = accuracy(first_share), accuracy(second_share)
    return (
        f"stays at {first_text}"
        if first_text == second_text
        else f"{'falls' if second_share < first_share else 'changes'} from {first_text} to {second_text}"
    )


def diversity(curves: Curves) -> str:
    """Return how the heads of a run came apart, or that they did not."""
    if curves.looks.shape[1] == 1:
        return "With one head there is nothing to compare."
    start, end, parted = curves.diverse_weights[0], curves.diverse_weights[-1], curves.parted()
    if curves.diverse_weights.max() < 0.005:
        return f"The heads stay identical ({end:.2f} bits apart), since equal heads get equal gradients."
    if parted is None:
        return f"The heads start {start:.2f} bits apart and end {end:.2f} bits apart. They never clearly separate."
    return f"The heads start {start:.2f} bits apart, separate by step {parted:,} and end {end:.2f} bits apart."


def difference(runs: Sequence[Curves]) -> str:
    """Return how the heads of every run with several of them came apart, in one line."""
    several = [run for run in runs if run.looks.shape[1] > 1] or runs[:1]
    if len(several) == 1:
        return diversity(several[0])
    return " ".join(f"{title_of(run.settings)}: {_lower(diversity(run))}" for run in several)


def diversity_key(runs: Sequence[Curves]) -> str:
    """Return the key of the lines of `mha.figures.training.diversity_curves`."""
    lines = [title_of(run.settings) for run in runs if run.settings.n_heads > 1]
    legend = f"Solid: {lines[0]}; dashed: {lines[1]}. " if len(lines) == 2 else ""
    return f"{legend}More different is not better."


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
    """Return the accuracy of each answer of a run with all heads on, and with one head of its last layer ablated."""
    full_shares, ablated_shares = run.readings[moment], run.ablated[moment, head]
    falls = [f"{letter} {_moves(*pair)}" for letter, *pair in zip(LETTERS, full_shares, ablated_shares, strict=False)]
    return f"{title_of(run.settings)}, without head {head}: {join_list(falls)}."


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


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
