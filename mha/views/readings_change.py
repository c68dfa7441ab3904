"""Two readings, second tab: how far one changed word moves the score, and which heads carry the change.

A change counts only beyond the control limit of its kind: the upper end of the interval of what 90 of 100 control swaps
stay under. Heads are named only if control swaps name some rarely (`may_name`).
"""

import math
from typing import Any

import numpy as np

from mha.analysis.readings import check_change_is_read
from mha.errors import NotComparable
from mha.export.provenance import provenance_by
from mha.export.tables import Table, carried_table
from mha.formats import in_words, markdown, number, percent, signed
from mha.intervention.calibrated import Floor, KindCalibration, NamingRates, calibration
from mha.intervention.outcomes import NAMED_FROM, Patch, ScoreChange
from mha.maps import HeadId
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.pairs import OTHER
from mha.views.compare import versions_picture
from mha.views.component_data import CellState, head_grid
from mha.views.readings import AmbiguousText, Refusal
from mha.words import split, words

TITLE, UNIT = "What each head carries", "heads"
HIGHEST_NAMING_RATE = 0.2  # of control swaps in which some head is named
FEWEST_SWAPS = 20  # beyond the control limit, for a rate
NO_CONTROL = "There are no control swaps for this change in this model, so no share of a head is shown."
PAIRS = "Test pairs and control swaps were written for this app and not checked with readers."


@array_dataclass
class ChangeCase:
    """A text and its changed version: their scores, and the part of the change that each head carries.

    ``calibration`` is what test pairs and control swaps of the kind show, None without any. ``result`` is None before
    the scores are known.
    """

    model: ModelRow
    ambiguous: AmbiguousText
    calibration: KindCalibration | None = None
    result: ScoreChange | None = None

    @property
    def floor(self) -> Floor | None:
        """The control limit of the kind, None if it is not known."""
        return self.calibration.floor if self.calibration else None

    @property
    def limit(self) -> float:
        """The score change that control swaps of the kind stay under, infinite if it is not known."""
        return self.floor.limit if self.floor else math.inf

    @property
    def size(self) -> float:
        """The size of the score change, NaN before it is known."""
        return abs(self.result.change) if self.result else math.nan

    @property
    def head_limit(self) -> float:
        """The share that the largest head of a control swap stays under, at least a tenth; NaN if unknown."""
        return float(np.maximum(NAMED_FROM, self.floor.head_bar / self.size)) if self.floor else math.nan

    @property
    def patch(self) -> Patch | None:
        """What each head carries, as far as it is measured."""
        return self.result.patch if self.result else None

    @property
    def n_measured(self) -> int:
        """The number of heads that are measured."""
        return self.patch.n_measured if self.patch else 0

    @property
    def n_planned(self) -> int:
        """The number of heads that can carry something, 0 before it is known."""
        return self.patch.n_planned if self.patch else 0

    @property
    def is_complete(self) -> bool:
        """Whether the scores and, of a change beyond the control limit, the shares of all heads are measured."""
        if self.patch is not None:
            return self.n_measured == self.n_planned
        return self.result is not None and (not self.size > self.limit or bool(self.result.no_shares))


def calibration_of(model: ModelRow, ambiguous: AmbiguousText) -> KindCalibration | None:
    """Return what test pairs and control swaps of the kind show for a model, None if there are none for this change."""
    kinds = calibration(model.name)
    has_swaps = ambiguous.changes_in_place and ambiguous.kind != OTHER
    return kinds.of_kind(ambiguous.kind) if kinds and has_swaps else None


def refusal(model: ModelRow, ambiguous: AmbiguousText) -> Refusal | None:
    """Return why the change of a score cannot be measured, or None."""
    if not ambiguous.changed_version:
        return Refusal(f"Replace one word so that only {ambiguous.name(*ambiguous.b)} can be meant.")
    compared = {ambiguous.number, *ambiguous.a, *ambiguous.b}
    try:
        if model.causal:
            check_change_is_read(split(ambiguous.text), split(ambiguous.changed_version), compared, model.short)
    except NotComparable as error:
        return Refusal(f"In {model.short}, this change cannot move the score.", str(error))
    return None


# ---- sentences


def finding(case: ChangeCase) -> str:
    """Return how far the score moves, compared with control swaps, and whether a head is named if all are measured."""
    word, replacement = case.ambiguous.changed_names
    if case.result is None:
        return f"How far does changing {word} to {replacement} move the score?"
    moves = f"Changing {word} to {replacement} moves the score by"
    if case.size < 0.005:
        return f"{moves} less than 0.005."
    move = f"{moves} {number(case.size)} towards {case.ambiguous.candidate_names[case.result.change > 0]}"
    if case.floor is None:
        return f"{move}. It is compared with nothing."
    if not case.size > case.limit:
        return f"{moves} {number(case.size)}, within what control swaps do. There is nothing to share among heads."
    n_smaller = int((case.floor.sizes < case.size).sum())
    share = f"all {case.floor.n_swaps}" if n_smaller == case.floor.n_swaps else f"{n_smaller} of {case.floor.n_swaps}"
    beyond = f"{move}, more than {share} control swaps"
    if case.ambiguous.forces == ("A" if case.result.change > 0 else "B"):
        return f"{beyond}, but away from the reading that {replacement} leaves."
    heads = named_heads(case)
    if not heads or case.patch is None:
        return f"{beyond}, but no head is named." if case.is_complete else f"{beyond}."
    return f"{beyond}. `{heads[0]}` carries {percent(float(case.patch.carried[heads[0]]))} of the change."


def explanation(case: ChangeCase) -> list[str]:
    """Return what the score is, its value in each version, why there is no control or no share, and the rates."""
    ambiguous, (first, second) = case.ambiguous, case.ambiguous.candidate_names
    score = (
        f"Score: how much closer {ambiguous.name(ambiguous.number)} is to {first} than to {second} in "
        f"{case.model.short}."
    )
    if case.result is None:
        return [score]
    first_score, second_score = (f"{signed(value)} with" for value in case.result.scores)
    score += f" It is {first_score} {ambiguous.changed_names[0]} and {second_score} {ambiguous.changed_names[1]}."
    sentences = [score, markdown(case.result.no_shares)]
    if case.calibration is None:
        sentences.append(NO_CONTROL)
    return [*filter(None, sentences), *([rates_text(case)] if case.n_measured else [])]


def second_words_text(case: ChangeCase) -> str:
    """Return the scores with the second words, and whether both words for each reading agree."""
    first, second = case.ambiguous.second_words
    if case.result is None or not first or not second:
        return ""
    name_a, name_b = case.ambiguous.candidate_names
    second_a, second_b = case.result.second_scores
    sentence = f"With *{markdown(first)}*: {signed(second_a)}. With *{markdown(second)}*: {signed(second_b)}."
    scores = case.result.scores[::-1] if case.ambiguous.forces == "A" else case.result.scores
    if min(scores[0], second_a) <= max(scores[1], second_b):
        return f"{sentence} Not both words for {name_a} score above both words for {name_b}."
    return f"{sentence} Both words for {name_a} score above both words for {name_b}; by chance one text in six does so."


def may_name(rates: NamingRates | None) -> bool:
    """Return whether heads are named: control swaps name one rarely, test pairs more often, over enough of both."""
    if rates is None or rates.n_swaps < FEWEST_SWAPS or rates.n_pairs < FEWEST_SWAPS:
        return False
    false_rate = rates.swaps / rates.n_swaps
    return false_rate <= HIGHEST_NAMING_RATE and rates.pairs / rates.n_pairs > 2 * false_rate


def named_heads(case: ChangeCase) -> tuple[HeadId, ...]:
    """Return the heads that are named, the largest share first; none while some are not measured."""
    if case.patch is None or not case.is_complete or case.calibration is None or case.floor is None:
        return ()
    return case.patch.named_beyond(case.floor) if may_name(case.calibration.naming) else ()


def rates_text(case: ChangeCase) -> str:
    """Return how often the rule finds a head in test pairs (hits) and in control swaps (false namings)."""
    rates = case.calibration.naming if case.calibration else None
    if rates is None or not rates.n_swaps:
        return "How often a control swap puts a head beyond its limit is not known, so no head is named."
    sentence = (
        f"Some head passes its limit in {rates.pairs} of {rates.n_pairs} test pairs (hits) and in {rates.swaps} of "
        f"{rates.n_swaps} control swaps (false namings)"
    )
    return f"{sentence}." if may_name(rates) else f"{sentence}. These rates allow no head to be named."


def grid_caption(case: ChangeCase) -> str:
    """Return what a number of the grid is."""
    return (
        "Number: share of the score change, in per cent, when the head’s output is copied from the other version. "
        "Click a head to pin it: its arcs are on the tab *Where heads look*."
    )


def method(case: ChangeCase) -> str:
    """Return how the numbers are measured."""
    lines = [
        "**Score**: cosine between the vectors of the ambiguous word and candidate A minus the one with candidate B, "
        f"after layer {max(0, case.model.n_layers - 2)}. Several candidates count by their average.",
        "**Share** of a head: its output is copied from one version into the other (activation patching, Vig et al. "
        "2020; Heimersheim & Nanda 2024), in both directions; the mean of both. Shares can be negative or exceed "
        "100 %, and do not add up.",
    ]
    if case.floor is not None:
        lines += [
            f"**Control limit**: {case.floor.n_swaps} control swaps replace a word in the same place and keep the "
            f"reading. 90 of 100 change the score by less than {number(case.floor.phi, 3)} (95 % interval "
            f"{number(case.floor.low, 3)} to {number(case.floor.high, 3)}, over sentences and authors); the limit is "
            "the upper end. A head’s limit is what the largest head moves in 90 of 100 swaps, at least "
            f"{percent(NAMED_FROM)} of the change. {PAIRS}",
            f"**Naming**: a head is named only if at most {percent(HIGHEST_NAMING_RATE)} of at least "
            f"{in_words(FEWEST_SWAPS)} control swaps beyond the limit put a head beyond its own, and test pairs do so "
            "more than twice as often.",
        ]
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def versions_data(case: ChangeCase) -> dict[str, Any]:
    """Return both versions with equal words above each other."""
    texts = case.ambiguous.text, case.ambiguous.changed_version
    columns = [(first, second, first == second) for first, second in zip(*map(words, texts), strict=True)]
    return versions_picture(texts, columns) | {"query": case.ambiguous.number}


def grid_data(case: ChangeCase) -> dict[str, Any] | None:
    """Return the share of the score change that each head carries, as one cell a head; None before the first head."""
    patch, limit = case.patch, case.head_limit
    if patch is None or not case.n_measured:
        return None
    is_large = np.abs(np.nan_to_num(patch.carried)) > limit
    states = np.where(is_large, np.where(patch.both_ways, "changes", "outlined"), "within").astype("<U10")
    states[np.isnan(patch.carried)] = "unmeasured"
    states[patch.direct] = "scored"
    states[patch.score_layer :] = "cannot"
    legend: dict[CellState, str] = {
        "changes": "past the limit", "outlined": "past it in one direction only",
        "within": "limit of a head not known" if math.isnan(limit) else f"within the control limit, ±{percent(limit)}",
        "scored": "scored layer", "cannot": "cannot affect the score", "unmeasured": "not measured yet",
    }  # fmt: skip
    details = [f"{percent(float(value))} of the change" if np.isfinite(value) else "" for value in patch.carried.flat]
    return head_grid(
        np.nan_to_num(patch.carried), states, legend, lambda share: number(100 * share, 0), details=details,
        group=case.model.n_shared, special=named_heads(case), special_text="named",
        label="Share of the score change that each head carries, in per cent",
    )  # fmt: skip


def table(case: ChangeCase, link: str = "") -> Table:
    """Return what each head carries: one row a head."""
    assert case.patch is not None
    texts = (case.ambiguous.text, case.ambiguous.changed_version)
    limit = f"control limit of the score {case.limit:.4f}"
    return carried_table(case.patch, provenance_by(case.model, texts, limit, link))
