"""All keys of one query in one table: score, weight, length of the value behind W_O, and weight × length."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mha.formats import number, percent
from mha.maps import sink_places
from mha.screens.arrays import MOST_BARS, W_O, Calculation, Flow, column, strip
from mha.screens.blocks import Block, Columns, Heading, Said, Span, as_text, heading, say
from mha.screens.cell.recorded import RecordedCell, decimals, share

ALL = 24  # keys that all stand in the table
FEW = 12  # of more, the largest weights
SHORT = 1 / 3  # of the middle length: a value that brings next to nothing
WORTH = 0.02  # of the attention, from which a short value is worth a sentence


Bar = tuple[float, str]  # how long it is, and what stands at it


@dataclass(frozen=True)
class KeyRow:
    """One key; its score, and the bars of its weight, its length and what it brings: parts of the largest of a column.

    What a mask hides has no score. ``style`` names what it is: "chosen", "special"; or the "rest", all other keys.
    """

    name: str
    style: str
    score: Bar | None
    weight: Bar
    length: Bar | None = None
    brought: Bar | None = None


class Keys(Block, kind="cell_keys"):
    """All keys of one query; ``reach`` is from the lowest score to the highest, ``told`` whether lengths are."""

    rows: tuple[KeyRow, ...]
    reach: tuple[float, float]
    told: bool
    label: str


def keys(case: RecordedCell) -> tuple[Heading | Said | Keys, ...]:
    """Return the table of keys with what is said above and under it."""
    told = case.cell.through is not None
    sink = "" if case.cell.sink is None else ", with a learned sink"
    title = f"3 · Share of 100\u00a0%{sink}" + (" · 4 · Contribution" if told else "")
    return heading(title), Said("sub", _line(case)), table(case)


def compared(case: RecordedCell) -> tuple[Said, ...]:
    """Return how the key stands beside the others, and what is worth a sentence of them."""
    return tuple(Said("cap", line) for line in (_lines(case), _below(case)) if line)


def _line(case: RecordedCell) -> tuple[Span, ...]:
    """Return the one line over the table."""
    if case.cut_off:
        return say("{key} is hidden and has no score.", key=case.key)
    if case.cell.through is None:
        more = "Contributions are not available: this model applies another step between heads and {wo}."
        return say(more, wo=W_O)
    more = "Attention is not the whole contribution: it is multiplied by the size of the value (after {wo})."
    return say(more, wo=W_O)


def _lines(case: RecordedCell) -> tuple[Span, ...]:
    found, other = case.cell, case.other
    line = say("Each visible token has its own score. ")
    if case.cut_off:
        line = say("{key} is hidden and has no score. ", key=case.key)
    elif other is None:
        line = say("This is the only visible token. ")
    elif not found.hidden:
        gap = float(found.scores[other] - found.scores[found.key])
        digits = max(1, decimals(found.scores))
        size = number(abs(gap), digits)
        far = "the same score" if float(size) == 0 else f"{size} {'higher' if gap > 0 else 'lower'}"
        line += say(
            f"For comparison: {{other}} has a score of {number(float(found.scores[other]), digits)} ({far}) and gets "
            f"{share(float(found.weights[other]))} of the attention. ",
            other=case.name(other),
        )
    return line


def rows_of(case: RecordedCell) -> list[int]:
    """Return the keys that stand in the table by themselves: all, or of a long text those that count."""
    n = len(case.cell.scores)
    if n <= ALL:
        return list(range(n))
    largest = np.argsort(-case.cell.weights, kind="stable")[:FEW]
    of_itself = case.maps.kind == "self"
    sinks = np.flatnonzero(sink_places(case.cell.key_tokens, first=case.maps.causal and of_itself))
    always = {case.cell.key, *(int(place) for place in sinks[:2])}
    if of_itself:
        always.add(case.cell.query)
    return sorted({*(int(key) for key in largest), *always})


def table(case: RecordedCell) -> Keys:
    """Return the table."""
    found, kept = case.cell, rows_of(case)
    brought, through = case.brought, found.through
    digits = max(1, decimals(found.scores))
    longest = 1.0 if through is None else max(1e-9, float(through.max()))
    most = 1.0 if brought is None else max(1e-9, float(brought.max()))
    small = 2 if brought is None else max(2, decimals(brought))
    rows = []
    for key in kept:
        score, weight = float(found.scores[key]), float(found.weights[key])
        seen = math.isfinite(score)
        styles = {"chosen": key == found.key, "special": found.key_tokens[key].special}
        length, bar = None, None
        if through is not None:
            length = float(through[key]) / longest, number(float(through[key]), max(1, decimals(through)))
        if brought is not None and seen:
            bar = float(brought[key]) / most, number(float(brought[key]), small)
        rows.append(
            KeyRow(
                case.names[key],
                " ".join(name for name, there in styles.items() if there),
                (score, number(score, digits)) if seen else None,
                (weight, _short(weight) if seen else ""),
                length,
                bar,
            )
        )
    if rest := sorted(set(range(len(found.scores))) - set(kept)):
        weight, bar = float(found.weights[rest].sum()), None
        if brought is not None:
            together = float(brought[rest].sum())
            bar = min(1.0, together / most), number(together, small)
        rows.append(KeyRow(f"{len(rest):,} others, together", "rest", None, (weight, _short(weight)), brought=bar))
    largest = int(np.argmax(found.weights))
    most_attention = f"{case.names[largest]}, {share(float(found.weights[largest]))}"
    label = f"{len(found.scores):,} keys; most attention: {most_attention}"
    scores = found.scores[case.seen]
    reach = float(scores.min(initial=0)), float(scores.max(initial=0))
    return Keys(tuple(rows), reach, through is not None, label)


def _short(weight: float) -> str:
    return "<1\u00a0%" if 0 < weight < 0.005 else percent(weight)


def _below(case: RecordedCell) -> tuple[Span, ...]:
    """Return the lesson of a key that takes attention and brings next to nothing, and what was put together."""
    found, kept = case.cell, rows_of(case)
    line: tuple[Span, ...] = ()
    if found.through is not None and len(case.seen) > 2:
        lengths = found.through[case.seen]
        middle = float(np.median(lengths))
        short = [int(key) for key in case.seen if found.weights[key] >= WORTH and found.through[key] < SHORT * middle]
        if short:
            key = max(short, key=lambda one: float(found.weights[one]))
            digits = max(1, decimals(found.through))
            line += say(
                f"{{key}} gets {percent(float(found.weights[key]))} of the attention and contributes "
                f"{number(float(found.weights[key] * found.through[key]))}: its value has size "
                f"{number(float(found.through[key]), digits)} after {{wo}} (median of all tokens: "
                f"{number(middle, digits)}). ",
                key=case.name(key),
                wo=W_O,
            )
    if len(kept) < len(found.scores):
        line += say(f"The {FEW} largest are listed; the last row adds up the others.")
    return line


def reaches(case: RecordedCell) -> tuple[Heading | Flow | Said, ...]:
    """Return how long is what the layer got of the token that looks, what this head adds, and what of it is whose."""
    found = case.cell
    title = Heading(say("What {query} receives", query=case.query))
    if found.added is None or found.along is None or found.through is None:
        line = say("The contribution is not available: this model has no matrix directly after its heads.")
        return title, Said("sub", line)
    whole = float(np.linalg.norm(found.added))
    bars = [(say("added by {head}", head=found.head), whole, "whole")]
    if found.stream is not None:
        bars.insert(0, (say("{query} before this layer", query=case.query), found.stream, "aside"))
    for key in (found.key, case.other):
        if key is not None:
            bars.append((say("of that, from {key}", key=case.name(key)), float(found.along[key]), "part"))
    lines = tuple((what, number(value), "") for what, value, _ in bars)
    label = "; ".join(f"{as_text(what)}: {text}" for what, text, _ in lines)
    drawn = Calculation(lines, "lengths", tuple((value, tone) for _, value, tone in bars))
    return title, Flow(drawn, label), Said("cap", _reach_caption(case, whole))


def _reach_caption(case: RecordedCell, whole: float) -> tuple[Span, ...]:
    found = case.cell
    assert found.along is not None
    assert found.through is not None
    line = say("Sizes after {wo}, before normalisation. ", wo=W_O)
    if whole > 0:
        part = float(found.along[found.key]) / whole
        line += say(
            f"{{key}} accounts for {percent(part)} of what this head adds to {{query}}, biases excluded.",
            query=case.query,
            key=case.key,
        )
    other = case.other
    if other is not None and whole > 0:
        size = float(found.weights[other] * found.through[other])
        if size >= 0.005 * whole and abs(float(found.along[other])) < 0.5 * size:
            line += say(
                f" {{other}} contributes {number(size)}, but mostly in another direction.",
                other=case.name(other),
            )
    return line


def carries(case: RecordedCell) -> tuple[Heading | Flow | Said, ...]:
    """Return the value of the key, and what the weight and W_O make of it, number by number."""
    found, title = case.cell, heading("What is passed on")
    own = strip(found.value, say("[[value]] of {key}:", key=case.key))
    if found.brought is None:
        line = say("The result after {wo} is not available for this model.", wo=W_O)
        return title, Flow(own, "the value"), Said("cap", line)
    after = strip(found.brought, say(f"after × {share(found.weight)} and {{wo}}:", wo=W_O))
    each = -(-len(found.brought) // MOST_BARS)
    bars = "one bar for each number" if each == 1 else f"one bar for each {each} numbers"
    line = say(f"Each strip has its own scale. The lower strip is added to {{query}}, {bars}.", query=case.query)
    return title, Flow(column(own, after), f"{own.shape}; after W_O {after.shape}"), Said("cap", line)


def arrives(case: RecordedCell) -> Columns:
    """Return what reaches the word beside what the value carries."""
    return Columns((reaches(case), carries(case)))
