"""All keys of one query in one table: score, weight, length of the value behind W_O, and weight × length."""

from __future__ import annotations

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


@dataclass(frozen=True)
class KeyRow:
    """One key: bars are parts of the largest of their column, texts what stands at them; None where there is none."""

    name: str
    special: bool
    chosen: bool
    score: float | None
    score_text: str
    weight: float
    weight_text: str
    length: float | None = None
    length_text: str = ""
    brought: float | None = None
    brought_text: str = ""
    rest: bool = False


class Keys(Block, kind="cell_keys"):
    """All keys of one query; ``ticks`` are scores on the axis, with their texts; ``told`` whether lengths are."""

    rows: tuple[KeyRow, ...]
    score_title: str
    ticks: tuple[tuple[float, str], ...]
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
        seen = bool(np.isfinite(found.scores[key]))
        rows.append(
            KeyRow(
                name=case.names[key],
                special=found.key_tokens[key].special,
                chosen=key == found.key,
                score=float(found.scores[key]) if seen else None,
                score_text=number(float(found.scores[key]), digits) if seen else "hidden",
                weight=float(found.weights[key]),
                weight_text=_short(float(found.weights[key])) if seen else "",
                length=None if through is None else float(through[key]) / longest,
                length_text="" if through is None else number(float(through[key]), max(1, decimals(through))),
                brought=None if brought is None or not seen else float(brought[key]) / most,
                brought_text="" if brought is None or not seen else number(float(brought[key]), small),
            )
        )
    rest = sorted(set(range(len(found.scores))) - set(kept))
    if rest:
        together = None if brought is None else float(brought[rest].sum())
        rows.append(
            KeyRow(
                name=f"{len(rest):,} others, together",
                special=False,
                chosen=False,
                score=None,
                score_text="",
                weight=float(found.weights[rest].sum()),
                weight_text=_short(float(found.weights[rest].sum())),
                brought=None if together is None else min(1.0, together / most),
                brought_text="" if together is None else number(together, small),
                rest=True,
            )
        )
    largest = int(np.argmax(found.weights))
    most_attention = f"{case.names[largest]}, {share(float(found.weights[largest]))}"
    label = f"{len(found.scores):,} keys; most attention: {most_attention}"
    return Keys(tuple(rows), "score", _ticks(found.scores[case.seen]), through is not None, label)


def _short(weight: float) -> str:
    return "<1\u00a0%" if 0 < weight < 0.005 else percent(weight)


def _ticks(scores: np.ndarray) -> tuple[tuple[float, str], ...]:
    """Return about four round scores, zero among them, and how they are written."""
    low, high = min(0.0, float(scores.min(initial=0))), max(0.0, float(scores.max(initial=0)))
    reach = max(high - low, 1e-6)
    power = 10 ** np.floor(np.log10(reach / 4))
    step = next((each * power for each in (1, 2, 5, 10) if reach / (each * power) <= 4), 10 * power)
    digits = max(0, -int(np.floor(np.log10(step))))
    counted = range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    return tuple((float(each * step), number(float(each * step), digits)) for each in counted)


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
