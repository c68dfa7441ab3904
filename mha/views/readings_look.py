"""Two readings, first tab: where heads look between two candidates, compared with shuffled copies of the sentence.

A lean says where a head looks, never how a sentence is meant. No head is named for a reading.
"""

import math
from collections import Counter
from typing import Any

import numpy as np

from mha.analysis.leaning import MANY, SAME, SEED, UNUSUAL_AT, Leaning
from mha.analysis.readings import Leans, given_to, leans
from mha.analysis.usual import habit
from mha.export.provenance import provenance_of
from mha.export.tables import Table, leans_table
from mha.figures.charts import control_histogram
from mha.formats import join_list, number, plain, signed
from mha.intervention.calibrated import rule_trial
from mha.maps import AttentionMaps, HeadId, ranked
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.views.head_grid import CellState, head_grid, signed_states
from mha.views.readings import sentence_data
from mha.views.readings_words import AmbiguousText
from mha.views.shares import share
from mha.words import words

TITLE, UNIT = "Lean of every head", "copies"
N_ARCS = 2  # heads for each candidate if none is pinned
FEWEST_ORDERS = 100  # of the words: with fewer, no lean can be unusual
SMALLEST = 0.005  # a smaller lean has no number
MAX_REACHED = int(UNUSUAL_AT * (MANY + 1)) - 1  # copies that may reach an unusual lean


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

    n_planned = MANY

    @property
    def n_measured(self) -> int:
        """The number of shuffled copies so far."""
        return len(self.result.shuffles) if self.result else 0

    @property
    def n_reached(self) -> int:
        """The number of copies in which some head leans as far."""
        return self.result.summary.reach if self.result else 0

    @property
    def largest(self) -> HeadId:
        """The head that leans furthest, to either side."""
        return ranked(np.abs(self.leans.lean))[0]

    @property
    def size(self) -> float:
        """How far that head leans."""
        return abs(float(self.leans.lean[self.largest]))

    @property
    def can_compare(self) -> bool:
        """Whether the words have enough orders for a lean to be unusual."""
        return n_orders(self.ambiguous.text, int(self.maps.causal)) >= FEWEST_ORDERS and self.size >= SMALLEST

    @property
    def is_complete(self) -> bool:
        """Whether all copies are measured, or none is compared."""
        return self.n_measured == MANY or not self.can_compare

    @property
    def hidden_sides(self) -> list[str]:
        """The readings whose candidates come after the ambiguous word of a causal model: no head looks at them."""
        is_hidden = {
            side: self.maps.causal and min(words) > self.ambiguous.number
            for side, words in self.ambiguous.sides.items()
        }
        return [side for side in is_hidden if is_hidden[side]]


def look_case(
    model: ModelRow, ambiguous: AmbiguousText, maps: AttentionMaps, pins: tuple[HeadId, ...] = ()
) -> LookCase:
    """Return the case of a recorded text.

    Raises:
        NotComparable: a candidate, or the ambiguous word, is the first word of a causal model.
        InputError: the model does not read a word of the readings.
    """
    return LookCase(model, ambiguous, maps.merged(), leans(maps, ambiguous.readings), pins)


def n_orders(text: str, n_fixed: int) -> int:
    """Return how many orders the words of a text have if the first ones stay in place.

    >>> n_orders("dogs chase dogs", 0), n_orders("we saw it", 1)
    (3, 2)
    """
    movable = [word.casefold() for word in words(text)[n_fixed:]]
    return math.factorial(len(movable)) // math.prod(map(math.factorial, Counter(movable).values()))


# ---- sentences


def finding(case: LookCase) -> str:
    """Return the shuffled test: whether the largest lean is unusual for these words, never a reading."""
    if case.size < SMALLEST:
        first, second = case.ambiguous.candidate_names
        return f"No head leans by half a point towards {first} or {second}."
    lean = lean_text(case)
    if not case.can_compare:
        return f"{lean} These words have too few orders for a test."
    if not case.is_complete:
        reached = f"So far {case.n_reached} of {case.n_measured}" if case.n_measured else f"Next: how many of {MANY}"
        return f"{lean} {reached} shuffled copies lean as far."
    assert case.result is not None
    if np.ptp(np.append(case.result.furthest_in_shuffles[0], case.size)) < SAME:
        return f"{lean} No order of the words changes that."
    if case.n_reached > MAX_REACHED:
        return f"Nothing unusual: {case.n_reached} of {MANY} shuffled copies lean as far."
    copies = f"only {case.n_reached}" if case.n_reached else "none"
    verb = "leans" if case.n_reached < 2 else "lean"
    return f"Unusual: {copies} of {MANY} shuffled copies {verb} as far as `{case.largest}`."


def lean_text(case: LookCase) -> str:
    """Return which head leans furthest, and towards which candidate."""
    candidate = case.ambiguous.candidate_names[bool(case.leans.lean[case.largest] <= 0)]
    return f"`{case.largest}` leans furthest, by {number(case.size)} towards {candidate}."


def explanation(case: LookCase) -> list[str]:
    """Return what follows the finding: the largest lean, hidden candidates, what a lean does not show, the arcs."""
    ambiguous, lean = case.ambiguous, lean_text(case)
    sentences = [] if lean in finding(case) or case.size < SMALLEST else [f"Here {lean}"]
    if hidden := " or ".join(ambiguous.name(*ambiguous.sides[side]) for side in case.hidden_sides):
        sentences.append(
            f"No head looks ahead from {ambiguous.name(ambiguous.number)} at {hidden}: "
            f"{case.model.short} reads left to right."
        )
    deciding = ambiguous.deciding_word
    if case.maps.causal and deciding is not None and deciding > max(ambiguous.number, *ambiguous.a, *ambiguous.b):
        sentences.append(f"{ambiguous.name(deciding)} comes later still, so no attention shown here depends on it.")
    sentences.append("This shows where heads look, not how the model understands the sentence.")
    return [" ".join(sentences), *arcs_text(case)]


def arcs_text(case: LookCase) -> list[str]:
    """Return which arcs the sentence has, nothing without any."""
    if len(case.hidden_sides) == 2:
        return []
    heads = "the pinned heads" if case.pins else "the heads that look most at each candidate"
    usual = ", usual share in the sample sentences" if habit(case.model.name) is not None else ""
    return [
        f"Arcs from {case.ambiguous.name(case.ambiguous.number)}: {heads}, in per cent of all their attention{usual}."
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
    both = "both directions averaged"
    if case.maps.causal:
        both = "of which only the later word looks at the earlier one, so each lean has half the size"
    lines = [
        f"**Lean**: attention between the ambiguous word and candidate A minus that with candidate B, {both}. "
        "Attention sinks are excluded, and rows rescaled to 1. A candidate of several words counts by their average. "
        f"Both get little if together they get less than an even spread, {share(case.leans.even)}.",
        "**Arcs**: shares of all attention, nothing rescaled. A candidate of several words has the sum of their "
        "shares; its arc ends at the word that gets most. Usual share: the average at the same distance.",
        f"**Shuffled copies**: {MANY} random orders of the same words (seed {SEED}). In each copy the largest lean of "
        f"any head counts, to either side. A lean is unusual if at most {MAX_REACHED} copies reach it (Westfall & "
        f"Young 1993). Unusual does not mean that a reading was found.{_trial_text(case.model.name)}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _trial_text(model: str) -> str:
    """Return how often the rule was right in sentences that allow one reading, "" if it was not tried."""
    trial = rule_trial(model)
    if trial is None or not trial.n:
        return ""
    expected = f"; in {trial.right} of them the head leans in the expected direction" if trial.found else ""
    return f" Among {trial.n} sentences that allow one reading, {len(trial.found)} had an unusual lean{expected}."


# ---- component data


def text_data(case: LookCase) -> dict[str, Any]:
    """Return the text with arcs from the ambiguous word: to candidate A above it, to candidate B below it."""
    ambiguous, usual = case.ambiguous, habit(case.model.name)
    arcs, parts = list[dict[str, Any]](), list[str]()
    for side, candidates in ambiguous.sides.items():
        shares = np.stack(
            [given_to(case.maps, ambiguous.number, (word,)) for word in candidates]
        )  # [word, layer, head]
        total, key = shares.sum(axis=0), shares.argmax(axis=0)
        for head in () if side in case.hidden_sides else case.pins or ranked(total)[:N_ARCS]:
            arc = {"head": str(head), "side": side.lower(), "key": candidates[key[head]]}
            arcs.append(arc | {"share": round(float(total[head]), 4)})
            parts.append(f"{head} gives {ambiguous.name(*ambiguous.sides[side])} {share(float(total[head]))}")
            if usual is not None:
                arcs[-1]["usual"] = round(sum(float(usual.at(word - ambiguous.number)[head]) for word in candidates), 4)
    label = f"From {ambiguous.name(ambiguous.number)}: {join_list(parts) or 'no attention to either candidate'}."
    return sentence_data(ambiguous) | {"arcs": arcs, "from": ambiguous.number, "arcs_label": plain(label)}


def grid_data(case: LookCase) -> dict[str, Any]:
    """Return the lean of every head, as one cell a head."""
    lean, (first, second) = case.leans.lean, map(plain, case.ambiguous.candidate_names)
    states = signed_states(lean, SMALLEST, "to_b", "to_a")
    states[case.leans.no_opinion] = "within"
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
    name = f"this sentence: {number(case.size)}"
    furthest, _ = case.result.furthest_in_shuffles
    figure = control_histogram(furthest, case.size, name, "largest lean of any head in a copy", theme)
    return figure, f"{case.n_reached} of {case.n_measured} shuffled copies lean as far as this sentence."


def table(case: LookCase, link: str = "") -> Table:
    """Return the lean of every head: one row a head, next to the shuffled copies if there are some."""
    controls = f"{case.n_measured} shuffled copies" if case.result else "none"
    return leans_table(case.leans, provenance_of(case.maps, controls=controls, link=link), case.result)
