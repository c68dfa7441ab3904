"""Two readings, second tab: how far one changed word moves the score, and which heads carry the change.

A change counts only beyond the control limit of its kind: the upper end of the interval of what 90 of 100 control swaps
stay under. Heads are named only if control swaps name some rarely (`may_name`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from mha.analysis.ambiguity_kinds import HE_SHE, NEEDS
from mha.analysis.floor import Floor, NamingRates
from mha.analysis.readings import check_change_is_read
from mha.brief import with_arrays
from mha.errors import NotComparable
from mha.export.provenance import without_maps
from mha.export.tables import Table, carried_table
from mha.figures.charts import control_histogram
from mha.formats import counted, markdown, number, percent, signed
from mha.intervention.calibrated import KindCalibration, calibration
from mha.intervention.outcomes import Patch, ScoreChange
from mha.maps import AttentionMaps, HeadId
from mha.models.files.rows import ModelRow
from mha.pairs import OTHER
from mha.views.head_grid import CellState, head_grid
from mha.views.readings import Refusal
from mha.views.readings_second_words import scores_text, second_texts
from mha.views.readings_words import AmbiguousText
from mha.words import split

TITLE, UNIT = "What each head carries", "heads"
HIGHEST_NAMING_RATE = 0.2  # of control swaps in which some head is named
FEWEST_SWAPS = 20  # beyond the control limit, for a rate
PAIRS = "Test pairs and control swaps were written for this app and not checked with readers."


@with_arrays
class ChangeCase:
    """A text and its changed version: their scores, and the part of the change that each head carries.

    ``change`` is None before the scores are known. ``known`` is what test pairs of the kind show, None without any, for
    the reason ``no_control``. ``maps`` are those of both versions if heads are pinned.
    """

    model: ModelRow
    found: AmbiguousText
    change: ScoreChange | None = None
    known: KindCalibration | None = None
    no_control: str = ""
    pins: tuple[HeadId, ...] = ()
    maps: tuple[AttentionMaps, AttentionMaps] | None = None

    @property
    def floor(self) -> Floor | None:
        """The control limit of the kind, None if it is not known."""
        return self.known.floor if self.known else None

    @property
    def limit(self) -> float:
        """The score change that control swaps of the kind stay under, NaN if it is not known."""
        return self.floor.limit if self.floor else math.nan

    @property
    def size(self) -> float:
        """The size of the score change, NaN before it is known."""
        return abs(self.change.change) if self.change else math.nan

    @property
    def is_beyond(self) -> bool:
        """Whether the score change is beyond the control limit."""
        return self.size > self.limit

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
        if self.change is None:
            return False
        is_patched = self.patch is not None and self.n_measured == self.n_planned
        return is_patched or not self.is_beyond or bool(self.change.no_shares)

    @property
    def has_grid(self) -> bool:
        """Whether some head is measured."""
        return self.n_measured > 0

    @property
    def has_chart(self) -> bool:
        """Whether the change can be compared with control swaps."""
        return self.change is not None and self.floor is not None

    @property
    def has_table(self) -> bool:
        """Whether all heads are measured."""
        return self.is_complete and self.patch is not None

    @property
    def patch(self) -> Patch | None:
        """What each head carries, as far as it is measured."""
        return self.change.patch if self.change else None

    @property
    def head_limit(self) -> float:
        """The part of the change that the largest head stays under in 90 of 100 control swaps; NaN if not known."""
        return self.floor.head_bar / self.size if self.floor else math.nan

    @property
    def is_reversed(self) -> bool:
        """Whether the score moves away from the reading that the changed version leaves."""
        sign = {"A": -1, "B": 1}.get(self.found.forces, 0)
        return self.change is not None and self.is_beyond and sign * self.change.change < 0


def change_case(
    model: ModelRow,
    found: AmbiguousText,
    pins: tuple[HeadId, ...] = (),
    maps: tuple[AttentionMaps, AttentionMaps] | None = None,
) -> ChangeCase:
    """Return the case of a changed version, before anything is measured."""
    no_control, known = "", None
    if len(found.changed_words) > 1:
        no_control = "More than one word differs, so there are no control swaps. Replace one word only."
    elif found.kind == OTHER:
        no_control = "There are no control swaps for this type of ambiguity."
    elif not found.compared_kind:
        no_control = f"Control swaps of the type “{found.kind}” need {NEEDS[found.kind]} as the ambiguous word."
    elif not found.changes_in_place:
        no_control = "Control swaps of this type change another word of the sentence."
    else:
        kinds = calibration(model.name)
        known = kinds.of_kind(found.compared_kind) if kinds else None
        no_control = "" if known else f"Control swaps are not measured for {model.short}."
    both = (maps[0].merged(), maps[1].merged()) if maps and pins else None
    return ChangeCase(model, found, None, known, no_control, pins, both)


def with_result(case: ChangeCase, change: ScoreChange | None) -> ChangeCase:
    """Return the case with what is measured so far."""
    return replace(case, change=change)


def arguments(case: ChangeCase) -> tuple[Any, ...]:
    """Return the arguments of `mha.engine.experiments.iter_score_change`: the readings, the versions, the limit."""
    limit = case.limit if case.floor else math.inf
    return (
        case.found.text,
        case.found.changed_version,
        second_texts(case.found),
        case.found.readings,
        limit,
        case.model.name,
    )


def refusal(model: ModelRow, found: AmbiguousText) -> Refusal | None:
    """Return why the change of a score cannot be measured, or None."""
    if model.kind != "transformer":
        finding = f"{model.short} has no layers in which a head could carry a change."
        return Refusal(finding, "Choose another model.", "Use MiniLM", {"model": "minilm"})
    if not found.changed_version:
        return Refusal(f"Replace one word so that only {found.candidate_name('B')} can be meant.")
    compared = {found.number, *found.a, *found.b}
    try:
        if model.causal:
            check_change_is_read(split(found.text), split(found.changed_version), compared, model.short)
    except NotComparable as error:
        return Refusal(f"In {model.short}, this change cannot move the score.", str(error))
    return None


# ---- sentences


def finding(case: ChangeCase) -> str:
    """Return how far the score moves, compared with control swaps, and whether a head is named."""
    if case.change is None:
        return f"How far does {_changed(case)} move the score?"
    first, second = case.found.candidate_names
    moves = f"Changing {case.found.changed_names[0]} to {case.found.changed_names[1]} moves the score by"
    if case.size < 0.005:
        return f"{moves} less than 0.005."
    by = f"{moves} {number(case.size)}, from {first if case.change.change > 0 else second} towards "
    by += second if case.change.change > 0 else first
    if case.floor is None:
        return f"{by}. It is compared with nothing."
    if not case.is_beyond:
        return f"{moves} {number(case.size)}, within what control swaps do. There is nothing to share among heads."
    n_smaller = int((case.floor.sizes < case.size).sum())
    share = f"all {case.floor.n_swaps}" if n_smaller == case.floor.n_swaps else f"{n_smaller} of {case.floor.n_swaps}"
    beyond = f"{by}, more than {share} control swaps"
    if case.is_reversed:
        return f"{beyond}, but away from the reading that {case.found.changed_names[1]} leaves."
    named = named_heads(case)
    if named:
        assert case.patch is not None
        carried = percent(float(case.patch.carried[named[0]]))
        return f"{beyond}. `{named[0]}` carries {carried} of the change."
    return f"{beyond}, but no head is named."


def _changed(case: ChangeCase) -> str:
    return " instead of ".join(reversed(case.found.changed_names))


def explanation(case: ChangeCase) -> list[str]:
    """Return what the score is, its value in each version, why there is no control or no share, and the rates."""
    first, second = case.found.candidate_names
    lines = [
        f"Score: how much closer {case.found.ambiguous_name} is to {first} than to {second} in {case.model.short}."
    ]
    if case.change is not None:
        versions = (signed(score) for score in case.change.scores)
        values = " and ".join(
            f"{value} with {name}" for value, name in zip(versions, case.found.changed_names, strict=True)
        )
        lines[0] += f" It is {values}."
    if case.no_control:
        lines.append(f"{case.no_control} Without a control limit no share of a head is shown.")
    if case.change is not None and case.change.no_shares:
        lines.append(markdown(case.change.no_shares))
    if case.has_grid:
        lines.append(rates_text(case))
    return lines


def second_words_text(case: ChangeCase) -> str:
    """Return the scores with the second words, and whether both words for each reading agree."""
    rates = case.known.two_words if case.known else None
    return scores_text(case.found, case.change, rates) if case.change else ""


def may_name(rates: NamingRates | None) -> bool:
    """Return whether heads are named: control swaps name one rarely, test pairs more often, over enough of both."""
    if rates is None or rates.n_swaps < FEWEST_SWAPS or rates.n_pairs < FEWEST_SWAPS:
        return False
    false_rate = rates.swaps / rates.n_swaps
    return false_rate <= HIGHEST_NAMING_RATE and rates.pairs / rates.n_pairs > 2 * false_rate


def named_heads(case: ChangeCase) -> tuple[HeadId, ...]:
    """Return the heads that are named, the largest share first; none while some are not measured."""
    is_complete = case.patch is not None and case.patch.n_measured == case.patch.n_planned
    if not is_complete or case.floor is None or case.known is None or not may_name(case.known.naming):
        return ()
    assert case.patch is not None
    return case.patch.named_beyond(case.floor)


def rates_text(case: ChangeCase) -> str:
    """Return how often the rule finds a head in test pairs (hits) and in control swaps (false namings)."""
    rates = case.known.naming if case.known else None
    if rates is None or not rates.n_swaps:
        return "How often a control swap puts a head beyond its limit is not known, so no head is named."
    hits = f"{rates.pairs} of {rates.n_pairs} test pairs (hits)"
    sentence = (
        f"Some head passes its limit in {hits} and in {rates.swaps} of {rates.n_swaps} control swaps (false namings)"
    )
    if may_name(rates):
        return f"{sentence}."
    if min(rates.n_swaps, rates.n_pairs) < FEWEST_SWAPS:
        return f"{sentence}: too few to name a head."
    return f"{sentence}. These rates are too alike to name a head."


def grid_caption(case: ChangeCase) -> str:
    """Return what a number of the grid is."""
    return (
        "Number: share of the score change, in per cent, when the head’s output is copied from the other version. "
        "Click a head to pin it."
    )


def method(case: ChangeCase) -> str:
    """Return how the numbers are measured."""
    layer = max(0, case.model.n_layers - 2)
    lines = [
        "**Score**: cosine between the vectors of the ambiguous word and candidate A minus the one with candidate B, "
        f"after layer {layer}. Several candidates count by their average."
    ]
    if "sentence-transformers" in f"{case.model.name} {case.model.source}":
        lines[0] += (
            f" {case.model.short} was trained to compare whole sentences, so distances between its words are a side "
            "effect."
        )
    lines.append(
        "**Share** of a head: its output is copied from one version into the other (activation patching, Vig et al. "
        "2020; Heimersheim & Nanda 2024), in both directions; the mean of both. Shares can be negative or exceed "
        "100 %, and do not add up."
    )
    if case.floor is not None:
        kept = ", *he* for *she* between nouns that fit both" if case.found.kind == HE_SHE else ""
        lines.append(
            f"**Control limit**: {case.floor.n_swaps} control swaps replace a word in the same place and keep the "
            f"reading{kept}. 90 of 100 change the score by less than {number(case.floor.phi, 3)} (95 % interval "
            f"{number(case.floor.low, 3)} to {number(case.floor.high, 3)}, over sentences and authors); the limit is "
            f"the upper end. A head’s limit is what the largest head moves in 90 of 100 swaps. {PAIRS}"
        )
        lines.append(
            f"**Naming**: a head is named only if at most {percent(HIGHEST_NAMING_RATE)} of at least "
            f"{counted(FEWEST_SWAPS)} control swaps beyond the limit put a head beyond its own, and test pairs do so "
            "more than twice as often."
        )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def versions_data(case: ChangeCase) -> dict[str, Any]:
    """Return both versions with equal words above each other, and the arcs of the last pinned head in each."""
    found, texts = case.found, (case.found.text, case.found.changed_version)
    pieces = [split(text) for text in texts]
    same = len(pieces[0]) == len(pieces[1])
    runs = [piece if same else [run for run in piece if run.word is not None] for piece in pieces]
    columns = [(a.text, b.text, a.text == b.text) for a, b in zip(*runs, strict=True)]
    place = {run.word: column for column, run in enumerate(runs[0]) if run.word is not None}
    data: dict[str, Any] = {
        "columns": columns, "titles": ["original", "changed"], "rtl": False, "query": place[found.number],
        "label": f"Original: {texts[0]} Changed: {texts[1]}",
    }  # fmt: skip
    if not case.pins or case.maps is None:
        return data
    head, rows = case.pins[-1], []
    for maps in case.maps:
        numbers = [token.word for token in maps.tokens]
        row = maps.weights[head][numbers.index(found.number)]
        arcs = [(place[word], round(float(row[key]), 4)) for key, word in enumerate(numbers) if word in place]
        rows.append([(column, share) for column, share in arcs if column != place[found.number] and share >= 0.005])
    strongest = max(rows[0] or rows[1] or [(place[found.number], 0.0)], key=lambda arc: arc[1])[0]
    return data | {"head": str(head), "key": strongest, "rows": rows}


def grid_data(case: ChangeCase) -> dict[str, Any]:
    """Return the share of the score change that each head carries, as one cell a head."""
    assert case.patch is not None
    assert case.floor is not None
    patch, limit = case.patch, case.head_limit
    large = np.nan_to_num(patch.carried) > limit
    states = np.where(large & patch.both_ways, "changes", np.where(large, "outlined", "within")).astype("<U10")
    states[np.isnan(patch.carried)] = "unmeasured"
    states[patch.direct] = "scored"
    states[patch.score_layer :] = "cannot"
    within = f"within the control limit, ±{percent(limit)}"
    legend: dict[CellState, str] = {
        "changes": "past the limit", "outlined": "past it in one direction only",
        "within": "limit of a head not known" if math.isnan(limit) else within,
        "scored": "scored layer", "cannot": "cannot affect the score", "unmeasured": "not measured yet",
    }  # fmt: skip
    texts = [
        number(100 * float(value), 0) if state in ("changes", "outlined") else ""
        for value, state in zip(patch.carried.flat, states.flat, strict=True)
    ]
    details = [f"{percent(float(value))} of the change" if np.isfinite(value) else "" for value in patch.carried.flat]
    return head_grid(
        np.nan_to_num(patch.carried), states, legend, texts, details=details, group=case.model.n_shared,
        special=named_heads(case), special_text="named", pinned=case.pins,
        label="Share of the score change that each head carries, in per cent",
    )  # fmt: skip


def chart(case: ChangeCase, theme: str) -> tuple[Any, str]:
    """Return the score changes of control swaps next to the one of the text, with a text alternative."""
    assert case.floor is not None
    name = f"this change: {number(case.size)}"
    figure = control_histogram(case.floor.sizes, case.size, name, "score change of control swaps", theme)
    n_smaller = int((case.floor.sizes < case.size).sum())
    return figure, f"{n_smaller} of {case.floor.n_swaps} control swaps change the score by less."


def table(case: ChangeCase, link: str = "") -> Table:
    """Return what each head carries: one row a head."""
    assert case.patch is not None
    about = (case.model.short, case.model.revision, case.model.origin)
    texts = (case.found.text, case.found.changed_version)
    controls = f"control limit of the score {case.limit:.4f}"
    return carried_table(case.patch, without_maps(texts, about, controls, model_sha256=case.model.sha256, link=link))
