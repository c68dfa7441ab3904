"""Looks, adds, matters: where each head looks, what it adds to a word, and whether the word depends on it.

A head is named only if it passes its control: over sentences of the same form, ablating it moves the score further than
moving any other head of its layer as far from its output. Other texts have no such control, so none of their heads is
named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mha.analysis.head_effects import BundledHeadEffects, FormEffects, HeadEffects, bundled_head_effects
from mha.errors import InputError
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.formats import markdown, signed
from mha.maps import HeadId
from mha.models.files.rows import ModelRow
from mha.views import next_word
from mha.views.next_word import MEAN
from mha.views.shares import share

NEEDED = "Set two words of the text in Options, then ablate every head in turn."


def bundled_effects(text: str, words: tuple[str, str], row: ModelRow) -> BundledHeadEffects | None:
    """Return the bundled example if this is its text, with its words or none, or None."""
    try:
        stored = bundled_head_effects(row.name, row.revision)
    except InputError:
        return None
    return stored if text == stored.example.text and words in (stored.example.words, ("", "")) else None


def refusal(text: str, row: ModelRow) -> str:
    """Return why this model has no such numbers for this text, or "" if it has."""
    if row.predicts and row.predicts != "next":
        return f"{row.short} does not read a text from left to right. This page needs a model that does, as SmolLM2."
    return next_word.refusal(text, row)


def measure(text: str, model: str, first: str, second: str) -> Iterator[HeadEffects]:
    """Yield the effects on two words of a text, with more and more heads ablated. Raises as `mha.head_effects`."""
    from mha.intervention.head_effects import iter_head_effects

    yield from iter_head_effects(text, first, second, model)


def progress(n_heads: int, effects: HeadEffects | None) -> tuple[int, int]:
    """Return how many heads are ablated so far, and of how many."""
    return 0 if effects is None else int(np.isfinite(effects.change[..., 0]).sum()), n_heads


def hardest_and_strongest(effects: HeadEffects) -> tuple[HeadId, HeadId]:
    """Return the head that gives most attention to the first word, and the head that adds most to it."""
    n_heads = effects.direct.shape[1]
    largest = (int(values.argmax()) for values in (effects.attention[..., 0], effects.direct))
    hardest, strongest = (HeadId(*divmod(index, n_heads)) for index in largest)
    return hardest, strongest


def named_heads(effects: HeadEffects, form: FormEffects | None) -> tuple[HeadId, ...]:
    """Return `hardest_and_strongest` if they differ and both pass their control, else nothing."""
    heads = hardest_and_strongest(effects)
    passing = set() if form is None else {head for head, passes in zip(form.heads, form.passes, strict=True) if passes}
    return heads if heads[0] != heads[1] and passing >= set(heads) else ()


def question(effects: HeadEffects) -> str:
    """Return the question before the guess."""
    first = _word(effects, 0)
    probability = share(float(np.exp(effects.log_probability[0])))
    return f"The model predicts {first} ({probability}). Which head adds more to {first}?"


def finding(effects: HeadEffects, heads: tuple[HeadId, ...]) -> str:
    """Return what the two named heads do, or the score alone if no head is named."""
    first, second = _word(effects, 0), _word(effects, 1)
    if not heads:
        lead, other = (first, second) if effects.score >= 0 else (second, first)
        return f"{lead} leads {other} by {abs(effects.score):.1f} logits. No head is named: there is no control."
    hardest, strongest = heads
    way = "less" if effects.direct[hardest] < 0 else "more"
    target = second if effects.looks[strongest] < 0 else first
    hard = f"The head that looks hardest at {first} makes {first} {way} likely."
    return f"{hard} The head that adds most to {first} looks at {target}."


def head_rows(effects: HeadEffects, head: HeadId, is_guess: bool = False) -> str:
    """Return the three numbers of a head as a list, below its name."""
    first, second = _word(effects, 0), _word(effects, 1)
    to_first, to_second = (share(float(value)) for value in effects.attention[head])
    before, after = share(float(np.exp(effects.log_probability[0]))), share(float(effects.ablated_probability[head][0]))
    times = " (all occurrences)" if max(map(len, effects.positions)) > 1 else ""
    return "\n".join(
        (
            f"`{head}`{', your guess' if is_guess else ''}",
            f"- **looks** {to_first} at {first}, {to_second} at {second}{times}",
            f"- **adds** {signed(float(effects.direct[head]))} to {first} over {second}",
            f"- **matters** without it the score changes by {signed(float(effects.matters[head]))} "
            f"({first} {before} → {after})",
        )
    )


def control_text(stored: BundledHeadEffects, heads: tuple[HeadId, ...]) -> str:
    """Return how the numbers hold in other sentences of the form and in control texts."""
    effects, form, control = stored.example, stored.form, stored.control
    columns = [form.heads.index(head) for head in heads]
    adds, matters = (
        " and ".join(signed(float(values[:, column].mean())) for column in columns)
        for values in (form.head_adds, form.head_matters)
    )
    ranges = " and ".join(" to ".join(map(signed, form.matched_range[column])) for column in columns)
    counts = control.counts_above(form.limit)
    past = np.abs(effects.matters) > form.limit
    indirect = int((past & (np.abs(effects.direct) < form.limit)).sum())
    score = f"Score: logit of {_word(effects, 0)} minus logit of {_word(effects, 1)}, here {signed(effects.score, 1)}."
    means = (
        f"In {form.n_sentences} other sentences of this form these heads add {adds} on average; ablating them changes "
        f"the score by {matters} of {signed(float(form.score.mean()), 1)}. The other heads "
        f"of the layer, moved as far from their outputs, change it by {ranges} (lowest and highest means)."
    )
    return (
        f"{score} {means if heads else ''} {int(past.sum())} heads change the score by more than {form.limit:.2f}, the "
        f"limit that 99 of 100 ablations of random heads, not matched in size, stay within; {indirect} of them add "
        f"less than that themselves, so they act through later layers. In {len(control.texts)} control texts, in which "
        f"nothing decides between the words, {counts.min()} to {counts.max()} heads pass the limit. {MEAN}"
    )


def table(effects: HeadEffects) -> dict[str, list[object]]:
    """Return all heads with their three numbers, as columns."""
    names = [f"L{layer}H{head}" for layer, head in np.ndindex(effects.direct.shape)]
    columns = {"looks": effects.looks, "adds": effects.direct, "matters": effects.matters}
    return {"head": list(names), **{name: values.ravel().round(3).tolist() for name, values in columns.items()}}


def export(effects: HeadEffects, row: ModelRow, link: str = "") -> Table:
    """Return all heads with their three numbers and where these come from, for a download."""
    columns: dict[str, Any] = {
        name: values if name == "head" else np.array(values) for name, values in table(effects).items()
    }
    about = (row.short, row.revision, row.origin)
    return Table(columns, without_maps((effects.text,), about, MEAN, model_sha256=row.sha256, link=link))


def _word(effects: HeadEffects, position: int) -> str:
    return f"*{markdown(effects.words[position])}*"
