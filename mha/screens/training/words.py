"""What Watch heads learn says: sentences about runs, computed from their curves, and what stands around them. Pure.

Findings are spans for the component; captions may have terms of the glossary in double brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import numpy as np

from mha.export.provenance import Provenance, without_maps
from mha.figures.training import DIVERSITY, LETTERS
from mha.formats import accuracy, counted
from mha.models.files.catalog import model_row
from mha.screens.blocks import Span, say, word
from mha.training.curves import Curves
from mha.training.settings import Settings

BOTH = {2: "both", 3: "all three"}
LOOKS_AT_NOUNS = 0.8  # of its attention: a head blends the nouns when they get this much, none twice another's part
CARRIED, SPARED = 0.5, 0.05  # lost with a head: so much of one answer, and so little of the others

TASKS = {  # by the number of readings
    2: "One word, here {pivot}, must tell two things at once: {a}, and {b}.",
    3: "One word, here {pivot}, must tell three things at once: {a}, {b}, and C, the third.",
}
LOOKS = "The share of [[attention]] that goes from the [[pivot]] to each noun, mean over sentences with unseen pairs."
MAPS = (
    "Rows look at columns; one [[scale]], 0 to 100 %. The framed row is the [[pivot]]. Play the training, under the "
    "sentence, moves these maps too."
)
MAY_BE_SAID = (
    "Within one attention layer, one head finds the two candidates but did not, in these runs, keep apart which "
    "belongs to which reading on new word pairs; two heads of the same total size did."
)
MAY_NOT_BE_SAID = (
    "“Impossible for any one-head model”: it memorises the training pairs, and two layers of one head manage.",
    "“As many heads as readings are needed”: two heads come far on three readings.",
    "“A head of a large model is a meaning”: here looking is doing, since the readers have nothing but what heads "
    "bring to the pivot. In a pretrained model nothing says so.",
)
SAID = (f"May be said: {MAY_BE_SAID}", *(f"May not be said: {claim}" for claim in MAY_NOT_BE_SAID))

_told: WeakKeyDictionary[Curves, dict[bool, dict[str, Any]]] = WeakKeyDictionary()

# How a run is told from the usual one: never by the names of its options.
STARTED = {
    "small": "starting small",
    "large": "starting large",
    "orthogonal": "starting at right angles",
    "identical": "starting alike",
    "identical+noise": "starting alike but for a little noise",
    "identical, own output": "starting alike, each with rows of the output matrix of its own",
}
PRESSED = {
    "positions": "pressed to look at different words",
    "outputs": "pressed to gather different things",
    "subspaces": "pressed to hand over in different directions",
}


def title_of(settings: Settings) -> str:
    """Return what a run is called: its heads, and whatever is not as usual.

    >>> title_of(Settings(n_heads=2)), title_of(Settings(n_heads=4, start="identical"))
    ('Two heads', 'Four heads, starting alike')
    """
    heads = counted(settings.n_heads, "head")
    if settings.d_head:
        heads = f"{settings.n_heads} head{'s' * (settings.n_heads > 1)} in a width of {settings.d_head} each"
    name = heads if settings.n_layers == 1 else f"{counted(settings.n_layers)} layers of {heads}"
    parts = [name[0].upper() + name[1:]]
    if settings.start in STARTED:
        parts.append(STARTED[settings.start])
    if settings.reads != "everything":
        each = "each reading" if settings.n_heads > 1 else "reading"
        which = "its own" if settings.reads == "slices" else "a random"
        parts.append(f"{each} {which} {settings.numbers_read} of {settings.d_model} numbers")
    if settings.pressure in PRESSED:
        parts.append(f"{PRESSED[settings.pressure]} (λ {settings.strength:g})")
    return ", ".join(parts)


def finding(drawn: Mapping[str, Any]) -> list[tuple[Span, ...]]:
    """Return one sentence a run, as `told` has them, at the moments of the picture that is drawn."""
    found: list[tuple[Span, ...]] = []
    for run, sentences in zip(drawn["runs"], drawn["told"], strict=True):
        place, joint, steps = sentences["at"][run["moment"]]
        found.append(
            tuple(
                (kind, _filled(text, {"joint": joint, "steps": steps})) for kind, text in sentences["sentences"][place]
            )
        )
    return found


def told(curves: Curves, first: bool) -> dict[str, Any]:
    """Return the finding of a run at each of its moments, for a page that plays it.

    ``sentences`` are the different ones, with slots {joint} and {steps}; ``at`` [moment] is which of them, and the
    numbers for its slots.
    """
    known = _told.setdefault(curves, {})
    if first not in known:
        every = [_sentence(curves, moment, first) for moment in range(len(curves))]
        sentences = list(dict.fromkeys(every))
        numbers = [list(_numbers(curves, moment).values()) for moment in range(len(curves))]
        places = [sentences.index(sentence) for sentence in every]
        known[first] = {"sentences": sentences, "at": [[at, *said] for at, said in zip(places, numbers, strict=True)]}
    return known[first]


def _numbers(curves: Curves, moment: int) -> dict[str, str]:
    return {"joint": accuracy(float(curves.joint[moment])), "steps": f"{curves.step[moment]:,}"}


def _filled(text: str, numbers: dict[str, str]) -> str:
    for name, value in numbers.items():
        text = text.replace("{" + name + "}", value)
    return text


def _sentence(curves: Curves, moment: int, first: bool) -> tuple[Span, ...]:
    """Return what a run comes to at a moment, with slots for its numbers."""
    settings = curves.settings
    name, does = title_of(settings), _does(curves, moment)
    comma = "," if does and ", " in name else ""
    when = "" if int(curves.step[moment]) == settings.n_steps else " after {steps} steps"
    right = f"{BOTH[settings.n_readings]} named right in {{joint}} of new sentences{when}."
    slots = {slot: ("plain", f"{{{slot}}}") for slot in ("joint", "steps")}
    if not first:
        return say(f"{name}{comma}{does}: {right}", **slots)
    pivot = word(curves.words[curves.pivot])
    return say(f"From {{pivot}}, {_lower(name)}{comma}{does}: {right}", pivot=pivot, **slots)


def _does(curves: Curves, moment: int) -> str:
    """Return the verb for what a run's heads (of its last layer) do with the nouns, or nothing."""
    held, n_nouns = curves.holds(moment), len(curves.nouns)
    looks = curves.looks[moment]
    if len(held) == n_nouns and set(held) == set(range(n_nouns)):
        return " take one noun each"
    blends = looks[0].sum() >= LOOKS_AT_NOUNS and looks[0].min() >= looks[0].max() / 2
    if len(held) == 1 and held[0] is None and blends:
        return f" {'blends' if curves.settings.n_layers == 1 else 'blend'} the {counted(n_nouns)} nouns"
    return ""


def switched_off(curves: Curves, moment: int = -1) -> str:
    """Return what switching heads off does to this run: who carries what, who is idle."""
    n_heads, n_readings = curves.silenced.shape[1:]
    if n_heads == 1:
        falls = [
            f"{LETTERS[r]} goes from {accuracy(curves.readings[moment, r])} "
            f"to {accuracy(curves.silenced[moment, 0, r])}"
            for r in range(n_readings)
        ]
        last = " of the last layer" if curves.settings.n_layers > 1 else ""
        return f"With the head{last} off, {', '.join(falls)}."
    loss = curves.readings[moment] - curves.silenced[moment]  # [head, reading]
    alone = [(int(row.argmax()), np.delete(row, row.argmax())) for row in loss]
    if loss.max(axis=1).min() > CARRIED and max(others.max() for _, others in alone) <= SPARED:
        falls = [
            f"with head {head} off, {LETTERS[reading]} falls from {accuracy(curves.readings[moment, reading])} "
            f"to {accuracy(curves.silenced[moment, head, reading])}"
            for head, (reading, _) in enumerate(alone)
        ]
        most = max(float(others.max()) for _, others in alone)
        rest = f"{accuracy(most)} at most" if most >= 0.005 else "nothing"
        return f"Each head carries one answer: {'; '.join(falls)}. The other answers lose {rest}."
    idle = curves.idle(moment)
    if idle:
        names = ", ".join(map(str, idle))
        one = len(idle) == 1
        return (
            f"{len(idle)} of {n_heads} heads {'is' if one else 'are'} idle ({'head' if one else 'heads'} {names}): "
            f"{'switching it off' if one else 'switching any one of them off'} costs no reading more than 1 %."
        )
    lost = loss.max(axis=1)
    least, largest = accuracy(float(lost.min())), accuracy(float(lost.max()))
    fall = least if least == largest else f"{least} to {largest}"
    return f"No head is idle, and none has one answer to itself: with any one of them off, some answer falls by {fall}."


def diversity(curves: Curves) -> str:
    """Return how the heads of a run came apart, or that they did not."""
    if curves.looks.shape[1] == 1:
        return "One head has nobody to differ from."
    start, end, parted = curves.diverse_weights[0], curves.diverse_weights[-1], curves.parted()
    if curves.diverse_weights.max() < 0.005:
        return (
            f"The heads look alike from the first step to the last ({end:.2f} bits): equal heads get equal gradients, "
            "and stay equal."
        )
    if parted is None:
        return f"The heads start {start:.2f} bits apart and end {end:.2f} apart; they never clearly part."
    return f"The heads start {start:.2f} bits apart, have parted by step {parted:,}, and end {end:.2f} apart."


def differ(runs: Sequence[Curves]) -> str:
    """Return how the heads of every run came apart, in one line."""
    return " ".join(f"{title_of(run.settings)}: {_lower(diversity(run))}" for run in runs)


def diversity_lines(runs: Sequence[Curves]) -> str:
    """Return which line is which run, and what the three measures are, as a caption."""
    lines = [title_of(run.settings) for run in runs if run.settings.n_heads > 1]
    drawn = f"Solid: {lines[0]}; dashed: {lines[1]}" if len(lines) == 2 else f"The line: {lines[0]}"
    return (
        f"{drawn}. Means over pairs of heads, at the pivots of unseen sentences. The disagreements are those of Li et "
        "al. 2018; “kept apart” adds one of them to what is learned, λ times. More diverse is not more able: compare "
        "accuracy."
    )


def task(curves: Curves) -> tuple[Span, ...]:
    """Return what the run was given to learn, under the finding."""
    said = f"{TASKS[curves.settings.n_readings]} New sentences have pairs of nouns that training never shows together."
    pivot = word(curves.words[curves.pivot])
    return say(said, pivot=pivot, a=("a", "A, the first noun"), b=("b", "B, the second"))


def accuracy_said(curves: Curves, n_siblings: int) -> str:
    """Return the caption over a run's accuracy; ``n_siblings`` runs with other seeds are drawn thin."""
    seeds = f" Thin: the same with {n_siblings} other seeds." if n_siblings else ""
    return (
        f"{BOTH[curves.settings.n_readings].capitalize()} nouns right, in sentences. Dotted: a guesser that knows the "
        f"nouns but not which is which, {accuracy(curves.settings.guess)}.{seeds}"
    )


def training(settings: Settings, step: int) -> str:
    """Return how far a run under way is."""
    return f"Training. {title_of(settings)}: step {step:,} of {settings.n_steps:,}. The curves grow as it learns."


def stopped(settings: Settings, step: int) -> str:
    """Return where a run was stopped."""
    return (
        f"{title_of(settings)}: stopped at step {step:,}. What was learned so far is shown; nothing after it is drawn."
    )


def table(curves: Curves) -> dict[str, np.ndarray]:
    """Return the curves of a run as columns."""
    found = {"step": curves.step, "unseen pairs": curves.joint.round(4), "training pairs": curves.joint_seen.round(4)}
    for head in range(curves.looks.shape[1]):
        for noun in range(curves.looks.shape[2]):
            letter = LETTERS[noun]
            found[f"head {head} to noun {letter}"] = curves.looks[:, head, noun].round(3)
            found[f"{letter} right without head {head}"] = curves.silenced[:, head, noun].round(3)
    return found | {title.lower(): getattr(curves, field).round(3) for field, (title, _, _) in DIVERSITY.items()}


def source(settings: Settings, bundled: Sequence[bool]) -> str:
    """Return the caption that says where the numbers come from: beforehand or now, and how they were trained."""
    made = "Trained here, now, in this process"
    if all(bundled):
        made = "These runs came with the app, made beforehand by the same code; Train live repeats them here"
    elif any(bundled):
        made = "One of these runs came with the app; the other was trained here, now"
    return (
        f"[[Trained here|trained here]]: {made}. Width {settings.d_model}, 40 nouns, {settings.n_steps:,} steps of "
        f"{settings.batch} sentences, Adam, seed {settings.seed}. Accuracy is measured on 800 sentences whose pair of "
        "nouns is of the quarter that training never shows. The same link gives the same curves."
    )


def heads_link() -> str:
    """Return the link to two trained heads on Heads, with no word locked."""
    return f"./?{urlencode({'model': 'trained', 'text': model_row('trained').example, 'lock': -1})}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def provenance(curves: Curves, link: str) -> Provenance:
    """Return where the numbers of a run come from."""
    settings = curves.settings
    about = title_of(settings), f"seed {settings.seed}, {settings.n_steps:,} steps", "trained here"
    return without_maps(("sentences of the grammar, 800 with unseen pairs",), about, "words are tokens", link=link)
