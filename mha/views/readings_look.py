"""Two readings, first tab: where heads look between two candidates, compared with shuffled copies of the sentence.

A lean says where a head looks, never how a sentence is meant. No head is named for a reading.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from mha.analysis.readings import N_SHUFFLES, SEED, UNUSUAL_P, Leaning, Leans, given_to, leans, word_position
from mha.analysis.sinks import rescaled, sink_columns
from mha.analysis.usual import habit
from mha.export.provenance import provenance_of
from mha.export.tables import Table, leans_table
from mha.figures.charts import control_histogram
from mha.formats import in_figures, join_list, plain, share, signed, whole_percent
from mha.maps import AttentionMaps, HeadId, ranked
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.views.component_data import CellState, head_grid, signed_states
from mha.views.readings import AmbiguousText, sentence_data

TITLE, UNIT = "Lean of every head", "copies"
N_ARCS = 2  # heads for each candidate if none is pinned
SMALLEST = 0.005  # a smaller lean has no number
LITTLE_LEFT = 0.1  # a row with less left than this besides sinks is named with the lean that rests on it
MAX_REACHED = int(UNUSUAL_P * (N_SHUFFLES + 1)) - 1  # copies that may reach an unusual lean


@array_dataclass
class LookCase:
    """The attention of every head between the words of two readings.

    ``leans`` are those of the text, ``result`` has also those of the shuffled copies so far, None before the first.
    ``pins`` are the heads whose arcs are drawn, the strongest if there are none.
    """

    model: ModelRow
    ambiguous: AmbiguousText
    maps: AttentionMaps
    leans: Leans
    pins: tuple[HeadId, ...] = ()
    result: Leaning | None = None

    n_planned = N_SHUFFLES

    @property
    def n_measured(self) -> int:
        """The number of shuffled copies so far."""
        return len(self.result.shuffles) if self.result else 0

    @property
    def n_reached(self) -> int:
        """The number of copies in which some head leans as far."""
        return self.result.summary.n_reached if self.result else 0

    @property
    def largest(self) -> HeadId:
        """The head that leans furthest, to either side."""
        return ranked(np.abs(self.leans.lean))[0]

    @property
    def size(self) -> float:
        """How far that head leans."""
        return abs(float(self.leans.lean[self.largest]))

    @property
    def is_complete(self) -> bool:
        """Whether all copies are measured."""
        return self.n_measured == N_SHUFFLES

    @property
    def hidden_sides(self) -> list[str]:
        """The readings whose candidates come after the ambiguous word of a causal model: no head looks at them."""
        return [
            side
            for side, words in self.ambiguous.sides.items()
            if self.maps.causal and min(words) > self.ambiguous.number
        ]


def look_case(
    model: ModelRow, ambiguous: AmbiguousText, maps: AttentionMaps, pins: tuple[HeadId, ...] = ()
) -> LookCase:
    """Return the case of a recorded text.

    Raises:
        NotComparable: a candidate, or the ambiguous word, is the first word of a causal model.
        InputError: the model does not read a word of the readings.
    """
    return LookCase(model, ambiguous, maps.merged(), leans(maps, ambiguous.readings), pins)


# ---- sentences


def finding(case: LookCase) -> str:
    """Return the shuffled test: whether the largest lean is unusual for these words, never a reading."""
    if case.size < SMALLEST:
        first, second = case.ambiguous.candidate_names
        return f"No head leans by half a point towards {first} or {second}."
    if not case.is_complete:
        reached = (
            f"So far {case.n_reached} of {case.n_measured}" if case.n_measured else f"Next: how many of {N_SHUFFLES}"
        )
        return f"{lean_text(case)} {reached} shuffled copies lean as far."
    if case.n_reached > MAX_REACHED:
        return f"Nothing unusual: {case.n_reached} of {N_SHUFFLES} shuffled copies lean as far."
    return f"Unusual: {case.n_reached} of {N_SHUFFLES} shuffled copies lean as far as `{case.largest}`."


def lean_text(case: LookCase) -> str:
    """Return which head leans furthest, and towards which candidate."""
    candidate = case.ambiguous.candidate_names[bool(case.leans.lean[case.largest] <= 0)]
    return f"`{case.largest}` leans furthest, by {in_points(case.size)} towards {candidate}."


def in_points(size: float) -> str:
    """Return the size of a lean in whole points, as in the grid.

    >>> in_points(0.314), in_points(0.005)
    ('31 points', '1 point')
    """
    return in_figures(whole_percent(size), "point")


def left_text(case: LookCase) -> str:
    """Return how little is left besides sinks of a row on which the largest lean rests; "" from a tenth on.

    Rows count that give at least half as much as the one that gives most: the row of the ambiguous word gives to the
    candidate, or that of a word of the candidate gives to it.
    """
    ambiguous, head = case.ambiguous, case.largest
    numbers = (ambiguous.number, *ambiguous.sides["A" if case.leans.lean[head] > 0 else "B"])
    places = [word_position(case.maps, number) for number in numbers]
    rows = case.maps.weights[head][places]  # [word, piece]
    keeps = ~sink_columns(case.maps, keep={ambiguous.number, *ambiguous.a, *ambiguous.b})
    among = rescaled(rows, keeps)[:, places]  # [word, word]
    given = np.array([among[0, 1:].sum(), *among[1:, 0]])
    left = np.where(given < given.max() / 2, 1, rows[:, keeps].sum(axis=-1, dtype=np.float64))
    least = int(left.argmin())
    if case.size < SMALLEST or left[least] >= LITTLE_LEFT:
        return ""
    name = ambiguous.name(numbers[least])
    return f"{share(float(left[least]))} of the attention of {name} in `{head}` is left besides sinks."


def explanation(case: LookCase) -> list[str]:
    """Return what follows the finding: the largest lean, hidden candidates, what a lean does not show, the arcs."""
    ambiguous, name = case.ambiguous, case.ambiguous.name(case.ambiguous.number)
    sentences = [f"Here {lean_text(case)}"] if case.is_complete and case.size >= SMALLEST else []
    sentences += filter(None, [left_text(case)])
    if hidden := " or ".join(ambiguous.name(*ambiguous.sides[side]) for side in case.hidden_sides):
        sentences.append(f"No head looks ahead from {name} at {hidden}: {case.model.short} reads left to right.")
    deciding = ambiguous.deciding_word
    if case.maps.causal and deciding is not None and deciding > max(ambiguous.number, *ambiguous.a, *ambiguous.b):
        sentences.append(f"{ambiguous.name(deciding)} comes later still, so no attention shown here depends on it.")
    heads = "the pinned heads" if case.pins else "the heads that look most at each candidate"
    usual = ", usual share in the sample sentences" if habit(case.model.name) is not None else ""
    return [
        " ".join([*sentences, "This shows where heads look, not how the model understands the sentence."]),
        *(
            [f"Arcs from {name}: {heads}, in per cent of all their attention{usual}."]
            if len(case.hidden_sides) < 2
            else []
        ),
    ]


def grid_caption(case: LookCase) -> str:
    """Return what a number of the grid is."""
    first, second = case.ambiguous.candidate_names
    return (
        f"Number: lean in points, attention shared with {first} minus attention shared with {second}. "
        "Click a head to pin it."
    )


def method(case: LookCase) -> str:
    """Return how the numbers are measured."""
    lines = [
        "**Lean**: attention between the ambiguous word and candidate A minus that with candidate B, both directions "
        "averaged, in points of 100; in a model that reads left to right one of both is 0. Attention sinks are "
        "excluded, and rows rescaled to 1; a row with less than 1\u00a0% left is 0. A candidate of several words "
        "counts by their average. "
        f"Both get little if together they get less than an even spread, {share(case.leans.even)}.",
        "**Arcs**: shares of all attention, nothing rescaled. A candidate of several words has the sum of their "
        "shares; its arc ends at the word that gets most. Usual share: the average at the same distance.",
        f"**Shuffled copies**: {N_SHUFFLES} random orders of the same words (seed {SEED}). In each copy the largest "
        f"lean of any head counts, to either side. A lean is unusual if at most {MAX_REACHED} copies reach it "
        "(Westfall & Young 1993). Unusual does not mean that a reading was found.",
    ]
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def text_data(case: LookCase) -> dict[str, Any]:
    """Return the text with arcs from the ambiguous word: to candidate A above it, to candidate B below it."""
    ambiguous, usual = case.ambiguous, habit(case.model.name)
    arcs: list[dict[str, Any]] = []
    for side, candidates in ambiguous.sides.items():
        shares = np.stack([given_to(case.maps, ambiguous.number, (word,)) for word in candidates])
        total, key = shares.sum(axis=0), shares.argmax(axis=0)  # [layer, head] of shares [word, layer, head]
        for head in () if side in case.hidden_sides else case.pins or ranked(total)[:N_ARCS]:
            arc = {"head": str(head), "side": side.lower(), "key": candidates[key[head]]}
            arcs.append(arc | {"share": round(float(total[head]), 4)})
            if usual is not None:
                arcs[-1]["usual"] = round(sum(float(usual.at(word - ambiguous.number)[head]) for word in candidates), 4)
    names = {side.lower(): ambiguous.name(*numbers) for side, numbers in ambiguous.sides.items()}
    parts = [f"{arc['head']} gives {names[arc['side']]} {share(arc['share'])}" for arc in arcs]
    label = f"From {ambiguous.name(ambiguous.number)}: {join_list(parts) or 'no attention to either candidate'}."
    return sentence_data(ambiguous) | {"arcs": arcs, "from": ambiguous.number, "arcs_label": plain(label)}


def grid_data(case: LookCase) -> dict[str, Any]:
    """Return the lean of every head, as one cell a head."""
    lean, (first, second) = case.leans.lean, map(plain, case.ambiguous.candidate_names)
    states = signed_states(lean, SMALLEST, "to_b", "to_a")
    states[case.leans.is_below_even_share] = "within"
    legend: dict[CellState, str] = {
        "to_a": f"+ towards A, {first}", "to_b": f"− towards B, {second}",
        "within": "less than half a point, or little attention to either",
    }  # fmt: skip
    details = [
        f"{share(float(a))} with {first}, {share(float(b))} with {second}"
        for a, b in zip(case.leans.a.flat, case.leans.b.flat, strict=True)
    ]
    return head_grid(
        lean, states, legend, lambda value: signed(100 * value, 0), details=details, group=case.model.n_shared,
        pinned=case.pins, label=f"Lean of every head between {first} and {second}, in points",
    )  # fmt: skip


def chart(case: LookCase, theme: str) -> tuple[Any, str] | None:
    """Return the largest leans in the shuffled copies next to that of the text, with a text alternative.

    None while copies are missing.
    """
    if not (case.result and case.is_complete):
        return None
    name = f"this sentence: {in_points(case.size)}"
    furthest, _ = case.result.furthest_in_shuffles
    title = "largest lean of any head in a copy, in points"
    figure = control_histogram(100 * furthest, 100 * case.size, name, title, theme)
    return figure, f"{case.n_reached} of {case.n_measured} shuffled copies lean as far as this sentence."


def table(case: LookCase, link: str = "") -> Table:
    """Return the lean of every head: one row a head, next to the shuffled copies if there are some."""
    controls = f"{case.n_measured} shuffled copies" if case.result else "none"
    source = provenance_of(case.maps, scale="rows rescaled to 1 without sinks", controls=controls, link=link)
    return leans_table(case.leans, replace(source, sinks=source.sinks.replace("kept:", "excluded:")), case.result)
