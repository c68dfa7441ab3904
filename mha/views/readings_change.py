"""Two readings, second tab: how far one changed word moves the score, and which heads carry the change.

A change counts only beyond the control limit of its kind: the upper end of the interval of what 90 of 100 control swaps
stay under. Heads are named only if control swaps name some rarely (`may_name`).
"""

import math
from typing import Any

import numpy as np

from mha.analysis.ambiguity_kinds import HE_SHE
from mha.analysis.floor import Floor, NamingRates
from mha.analysis.readings import check_change_is_read, word_position
from mha.errors import NotComparable
from mha.export.provenance import provenance_by
from mha.export.tables import Table, carried_table
from mha.figures.charts import control_histogram
from mha.formats import in_words, markdown, number, percent, signed
from mha.intervention.calibrated import KindCalibration, calibration
from mha.intervention.outcomes import NAMED_FROM, Patch, ScoreChange
from mha.maps import AttentionMaps, HeadId
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.pairs import OTHER
from mha.views.compare import SMALLEST_ARC, versions_picture
from mha.views.head_grid import CellState, head_grid
from mha.views.readings import Refusal
from mha.views.readings_words import AmbiguousText
from mha.words import split, words

TITLE, UNIT = "What each head carries", "heads"
HIGHEST_NAMING_RATE = 0.2  # of control swaps in which some head is named
FEWEST_SWAPS = 20  # beyond the control limit, for a rate
PAIRS = "Test pairs and control swaps were written for this app and not checked with readers."


@array_dataclass
class ChangeCase:
    """A text and its changed version: their scores, and the part of the change that each head carries.

    ``known`` is what test pairs of the kind show, None without any, for the reason ``no_control``. ``maps`` are those
    of both versions by words if heads are pinned. ``result`` is None before the scores are known.
    """

    model: ModelRow
    ambiguous: AmbiguousText
    known: KindCalibration | None = None
    no_control: str = ""
    pins: tuple[HeadId, ...] = ()
    maps: tuple[AttentionMaps, AttentionMaps] | None = None
    result: ScoreChange | None = None

    @property
    def floor(self) -> Floor | None:
        """The control limit of the kind, None if it is not known."""
        return self.known.floor if self.known else None

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


def change_case(
    model: ModelRow,
    ambiguous: AmbiguousText,
    pins: tuple[HeadId, ...] = (),
    maps: tuple[AttentionMaps, AttentionMaps] | None = None,
) -> ChangeCase:
    """Return the case of a changed version, before anything is measured."""
    kinds = calibration(model.name)
    known = kinds.of_kind(ambiguous.kind) if kinds and ambiguous.changes_in_place and ambiguous.kind != OTHER else None
    no_control = "" if known else f"Control swaps are not measured for {model.short}."
    if len(ambiguous.changed_words) > 1:
        no_control = "More than one word differs, so there are no control swaps. Replace one word only."
    elif ambiguous.kind == OTHER:
        no_control = "There are no control swaps for this type of ambiguity."
    elif not ambiguous.changes_in_place:
        no_control = "Control swaps of this type change another word of the sentence."
    both = (maps[0].merged(), maps[1].merged()) if maps and pins else None
    return ChangeCase(model, ambiguous, known, no_control, pins, both)


def arguments(case: ChangeCase) -> tuple[Any, ...]:
    """Return the arguments of `mha.engine.experiments.iter_score_change`: the versions, the readings, the limit."""
    ambiguous = case.ambiguous
    return (
        ambiguous.text,
        ambiguous.changed_version,
        ambiguous.second_texts,
        ambiguous.readings,
        case.limit,
        case.model.name,
    )


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
    """Return how far the score moves, compared with control swaps, and whether a head is named."""
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
        return f"{beyond}, but no head is named."
    return f"{beyond}. `{heads[0]}` carries {percent(float(case.patch.carried[heads[0]]))} of the change."


def explanation(case: ChangeCase) -> list[str]:
    """Return what the score is, its value in each version, why there is no control or no share, and the rates."""
    ambiguous, (first, second) = case.ambiguous, case.ambiguous.candidate_names
    score = (
        f"Score: how much closer {ambiguous.name(ambiguous.number)} is to {first} than to {second} in "
        f"{case.model.short}."
    )
    if case.result is not None:
        first_score, second_score = (f"{signed(value)} with" for value in case.result.scores)
        score += f" It is {first_score} {ambiguous.changed_names[0]} and {second_score} {ambiguous.changed_names[1]}."
    reason = f"{case.no_control} Without a control limit no share of a head is shown." if case.no_control else ""
    no_shares = markdown(case.result.no_shares) if case.result else ""
    return list(filter(None, (score, reason, no_shares, rates_text(case) if case.n_measured else "")))


def second_words_text(case: ChangeCase) -> str:
    """Return the scores with the second words, and whether both words for each reading agree."""
    if case.result is None:
        return ""
    ambiguous, (name_a, name_b) = case.ambiguous, case.ambiguous.candidate_names
    scores = dict(zip("AB", case.result.second_scores, strict=True))
    second = {side: word for side, word in zip("AB", ambiguous.second_words, strict=True) if word}
    sentence = " ".join(f"With *{markdown(word)}*: {signed(scores[side])}." for side, word in second.items())
    if len(second) < 2 or not ambiguous.forces:
        return sentence
    version_scores = case.result.scores if ambiguous.forces == "B" else case.result.scores[::-1]
    agree = f"Both words for {name_a} score above both words for {name_b}."
    if min(version_scores[0], scores["A"]) <= max(version_scores[1], scores["B"]):
        agree = f"Not both words for {name_a} score above both words for {name_b}."
    rates = case.known.two_words if case.known else None
    if rates is None:
        return f"{sentence} {agree}"
    return (
        f"{sentence} {agree} Among {rates.n} test pairs both score above in {percent(rates.right)} and both below in "
        f"{percent(rates.wrong)}; by chance {percent(1 / 6)} each."
    )


def second_fields(ambiguous: AmbiguousText) -> list[tuple[str, str, str]]:
    """Return parameter, label and placeholder of the fields for a second word for each reading, if meaningful."""
    if ambiguous.kind in (OTHER, HE_SHE) or not ambiguous.changes_in_place or not ambiguous.forces:
        return []
    return [
        (
            f"readings_word_{side.lower()}",
            f"Another word for {ambiguous.name(*ambiguous.sides[side]).replace('*', '')}",
            word or "none",
        )
        for side, word in zip("AB", ambiguous.second_words, strict=True)
    ]


def may_name(rates: NamingRates | None) -> bool:
    """Return whether heads are named: control swaps name one rarely, test pairs more often, over enough of both."""
    if rates is None or rates.n_swaps < FEWEST_SWAPS or rates.n_pairs < FEWEST_SWAPS:
        return False
    false_rate = rates.swaps / rates.n_swaps
    return false_rate <= HIGHEST_NAMING_RATE and rates.pairs / rates.n_pairs > 2 * false_rate


def named_heads(case: ChangeCase) -> tuple[HeadId, ...]:
    """Return the heads that are named, the largest share first; none while some are not measured."""
    if case.patch is None or not case.is_complete or case.known is None or case.floor is None:
        return ()
    return case.patch.named_beyond(case.floor) if may_name(case.known.naming) else ()


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
        kept = ", *he* for *she* between nouns that fit both" if case.ambiguous.kind == HE_SHE else ""
        lines += [
            f"**Control limit**: {case.floor.n_swaps} control swaps replace a word in the same place and keep the "
            f"reading{kept}. 90 of 100 change the score by less than {number(case.floor.phi, 3)} (95 % interval "
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
    """Return both versions with equal words above each other, and the arcs of the last pinned head in each."""
    texts, query = (case.ambiguous.text, case.ambiguous.changed_version), case.ambiguous.number
    columns = [(first, second, first == second) for first, second in zip(*map(words, texts), strict=True)]
    data = versions_picture(texts, columns) | {"query": query}
    if case.maps is None:
        return data
    head, rows = case.pins[-1], []
    for maps in case.maps:
        shares = zip(maps.tokens, maps.weights[head][word_position(maps, query)], strict=True)
        arcs = [(token.word, round(float(share), 4)) for token, share in shares if token.word not in (None, query)]
        rows.append([arc for arc in arcs if arc[1] >= SMALLEST_ARC])
    strongest, _ = max(rows[0] or rows[1] or [(query, 0.0)], key=lambda arc: arc[1])
    return data | {"head": str(head), "key": strongest, "rows": rows}


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
        group=case.model.n_shared, special=named_heads(case), special_text="named", pinned=case.pins,
        label="Share of the score change that each head carries, in per cent",
    )  # fmt: skip


def chart(case: ChangeCase, theme: str) -> tuple[Any, str] | None:
    """Return the score changes of control swaps next to the one of the text, with a text alternative, or None."""
    if case.result is None or case.floor is None:
        return None
    name = f"this change: {number(case.size)}"
    figure = control_histogram(case.floor.sizes, case.size, name, "score change of control swaps", theme)
    n_smaller = int((case.floor.sizes < case.size).sum())
    return figure, f"{n_smaller} of {case.floor.n_swaps} control swaps change the score by less."


def table(case: ChangeCase, link: str = "") -> Table:
    """Return what each head carries: one row a head."""
    assert case.patch is not None
    texts = (case.ambiguous.text, case.ambiguous.changed_version)
    about = f"control limit of the score {case.limit:.4f}"
    return carried_table(case.patch, provenance_by(case.model, texts, about, link))
