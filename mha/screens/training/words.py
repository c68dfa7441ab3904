"""What Watch heads learn says: sentences about runs, computed from their curves, and what stands around them. Pure.

Findings are spans for the component; captions may have terms of the glossary in double brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.brief import once_of_each
from mha.export.provenance import Provenance, without_maps
from mha.figures.training import DIVERSITY, LETTERS
from mha.formats import accuracy, counted, listed, many, whole_percent
from mha.screens.blocks import Span, say, word
from mha.training.curves import Curves
from mha.training.settings import Settings

LOOKS_AT_NOUNS = 0.8  # of its attention: a head blends the nouns when they get this much, none twice another's part
CARRIED, SPARED = 0.5, 0.05  # lost with a head: so much of one answer, and so little of the others

TASK = "Task: from {pivot}, name both nouns, {a} and {b}. New sentences use unseen pairs of nouns."
SHOWN = (
    "Within one layer, one head finds both nouns but mixes them up on new pairs. Two heads of the same total size "
    "do not "
    "(in these runs).",
)
NOT_SHOWN = (
    "That one head can never do it. It memorises the training pairs.",
    "That each reading needs its own head.",
    "That heads in large models represent meanings. Here the answer can only come through the heads; in "
    "a pretrained model it need not.",
)

# How a run is told from the usual one: never by the names of its options.
STARTED = {
    "identical": "identical start",
    "identical+noise": "identical start plus noise",
}
PRESSED = {
    "positions": "pushed to look at different words",
}


def title_of(settings: Settings) -> str:
    """Return what a run is called: its heads, and whatever is not as usual.

    >>> title_of(Settings(n_heads=2)), title_of(Settings(n_heads=4, start="identical"))
    ('Two heads', 'Four heads, identical start')
    """
    heads = counted(settings.n_heads, "head")
    if settings.d_head:
        heads = f"{settings.n_heads} head{'s' * (settings.n_heads > 1)} in a width of {settings.d_head} each"
    parts = [heads[0].upper() + heads[1:]]
    if settings.start in STARTED:
        parts.append(STARTED[settings.start])
    if settings.reads != "everything":
        each = "each reading" if settings.n_heads > 1 else "reading"
        which = "its own" if settings.reads == "slices" else "a random"
        parts.append(f"{each} {which} {settings.numbers_read} of {settings.d_model} numbers")
    if settings.pressure in PRESSED:
        parts.append(f"{PRESSED[settings.pressure]} (λ {settings.strength:g})")
    return ", ".join(parts)


@once_of_each
def moments_said(curves: Curves) -> dict[str, Any]:
    """Return the finding of a run at each of its moments, for a page that plays it.

    ``sentences`` are the different ones, with slots {joint} and {steps}; ``at`` [moment] is which of them, and the
    numbers for its slots.
    """
    every = [_sentence(curves, moment) for moment in range(len(curves))]
    sentences = list(dict.fromkeys(every))
    numbers = zip(map(accuracy, curves.joint.tolist()), (f"{step:,}" for step in curves.step), strict=True)
    return {
        "sentences": sentences,
        "at": [[sentences.index(said), *its] for said, its in zip(every, numbers, strict=True)],
    }


def _sentence(curves: Curves, moment: int) -> tuple[Span, ...]:
    """Return what a run comes to at a moment, with slots for its numbers."""
    settings = curves.settings
    name, does = title_of(settings), _does(curves, moment)
    comma = "," if does and ", " in name else ""
    when = "" if int(curves.step[moment]) == settings.n_steps else " after {steps} steps"
    right = f"both correct in {{joint}} of new sentences{when}."
    slots = {slot: ("plain", f"{{{slot}}}") for slot in ("joint", "steps")}
    return say(f"{name}{comma}{does}: {right}", **slots)


def _does(curves: Curves, moment: int) -> str:
    """Return the verb for what a run's heads (of its last layer) do with the nouns, or nothing."""
    held, n_nouns = curves.holds(moment), len(curves.nouns)
    looks = curves.looks[moment]
    if len(held) == n_nouns and set(held) == set(range(n_nouns)):
        return " take one noun each"
    blends = looks[0].sum() >= LOOKS_AT_NOUNS and looks[0].min() >= looks[0].max() / 2
    if len(held) == 1 and held[0] is None and blends:
        return f" mixes the {counted(n_nouns)} nouns"
    return ""


def switched_off(curves: Curves, moment: int = -1) -> str:
    """Return what switching heads off does to this run: who carries what, who is idle."""
    n_heads, n_readings = curves.silenced.shape[1:]
    if n_heads == 1:
        before, after = curves.readings[moment], curves.silenced[moment, 0]  # [reading]
        falls = [f"{LETTERS[r]} {_moves(before[r], after[r])}{' correct' * (not r)}" for r in range(n_readings)]
        return f"Without its head, {listed(falls)}."
    loss = curves.readings[moment] - curves.silenced[moment]  # [head, reading]
    alone = [(int(row.argmax()), np.delete(row, row.argmax())) for row in loss]
    if loss.max(axis=1).min() > CARRIED and max(others.max() for _, others in alone) <= SPARED:
        falls = [
            f"Without head {head}, {LETTERS[reading]} falls from {accuracy(curves.readings[moment, reading])} "
            f"to {accuracy(curves.silenced[moment, head, reading])}"
            for head, (reading, _) in enumerate(alone)
        ]
        most = max(float(others.max()) for _, others in alone)
        rest = f"{many(whole_percent(most), 'point')} at most" if most >= 0.005 else "nothing"
        return f"Each head carries one answer. {'. '.join(falls)}. The other answer loses {rest}."
    idle = curves.idle(moment)
    if idle:
        names = ", ".join(map(str, idle))
        one = len(idle) == 1
        return (
            f"{len(idle)} of {n_heads} heads {'is' if one else 'are'} idle ({names}): "
            f"without {'it' if one else 'any one of them'}, no answer loses more than 1 point."
        )
    lost = loss.max(axis=1)
    least, largest = whole_percent(float(lost.min())), whole_percent(float(lost.max()))
    fall = many(least, "point") if least == largest else f"{least} to {largest} points"
    return (
        f"No head is idle, and the answers are spread over several heads: without any one, some answer falls by {fall}."
    )


def _moves(before: float, after: float) -> str:
    """Return how a share of right answers moves, as it is written."""
    was, now = accuracy(before), accuracy(after)
    return f"stays at {was}" if was == now else f"{'falls' if after < before else 'changes'} from {was} to {now}"


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


def differ(runs: Sequence[Curves]) -> str:
    """Return how the heads of every run with several of them came apart, in one line."""
    several = [run for run in runs if run.looks.shape[1] > 1] or runs[:1]
    if len(several) == 1:
        return diversity(several[0])
    return " ".join(f"{title_of(run.settings)}: {_lower(diversity(run))}" for run in several)


def diversity_lines(runs: Sequence[Curves]) -> str:
    """Return which line is which run, as a caption."""
    lines = [title_of(run.settings) for run in runs if run.settings.n_heads > 1]
    drawn = f"Solid: {lines[0]}; dashed: {lines[1]}. " if len(lines) == 2 else ""
    return f"{drawn}More different is not better."


def task(curves: Curves) -> tuple[Span, ...]:
    """Return what the run was given to learn, under the finding."""
    pivot = word(curves.words[curves.pivot])
    return say(TASK, pivot=pivot, a=("a", "first (A)"), b=("b", "second (B)"))


def accuracy_said(curves: Curves, n_siblings: int) -> str:
    """Return the caption over a run's accuracy; ``n_siblings`` runs with other seeds are drawn thin."""
    seeds = f" Thin: {many(n_siblings, 'other seed')}." if n_siblings else ""
    return (
        f"New sentences with both nouns correct. Dotted: guesses which is which "
        f"({accuracy(curves.settings.guess)}).{seeds}"
    )


def table(curves: Curves) -> dict[str, np.ndarray]:
    """Return the curves of a run as columns."""
    found = {"step": curves.step, "unseen pairs": curves.joint.round(4), "training pairs": curves.joint_seen.round(4)}
    for head in range(curves.looks.shape[1]):
        for noun in range(curves.looks.shape[2]):
            letter = LETTERS[noun]
            found[f"head {head} to noun {letter}"] = curves.looks[:, head, noun].round(3)
            found[f"{letter} right without head {head}"] = curves.silenced[:, head, noun].round(3)
    return found | {DIVERSITY.lower(): curves.diverse_weights.round(3)}


def measured(settings: Settings) -> tuple[str, ...]:
    """Return how the numbers of the page were made, a paragraph each."""
    made = "These runs were made in advance; `mha.training` repeats them."
    return (
        f"[[Trained here|trained here]]. {made} Attention to nouns is an average over new sentences. Dotted line: a "
        f"guesser "
        "that knows the nouns, but not which is which.",
        f"Width {settings.d_model}, 40 nouns, {settings.n_steps:,} steps of {settings.batch} sentences, Adam, seed "
        f"{settings.seed}. Accuracy is measured on 800 sentences whose pair of nouns belongs to the quarter that "
        f"training "
        "never shows. The same link gives the same curves.",
        "How different heads are: averages over pairs of heads, at the [[ambiguous word]] of new sentences. “Kept "
        "apart” adds a disagreement of Li et al. 2018 to the loss, λ times.",
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def provenance(curves: Curves, link: str) -> Provenance:
    """Return where the numbers of a run come from."""
    settings = curves.settings
    about = title_of(settings), f"seed {settings.seed}, {settings.n_steps:,} steps", "trained here"
    return without_maps(("sentences of the grammar, 800 with unseen pairs",), about, "words are tokens", link=link)
