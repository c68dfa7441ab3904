"""Two readings, third tab: does the score depend on a head? Every head is ablated in turn, chosen heads together.

The score is the model's own answer where it predicts words and the ambiguous word refers to a candidate; else it is the
closeness of the ambiguous word to its candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mha.analysis.ambiguity_kinds import KINDS, answer_prompt, answer_rate
from mha.brief import with_arrays
from mha.export.provenance import without_maps
from mha.export.tables import Table, sweep_table
from mha.formats import listed, markdown, number, percent, signed
from mha.intervention.outcomes import NextWords, Sweep, WordSweep
from mha.maps import HeadId, ranked
from mha.models.files.rows import ModelRow
from mha.views.head_grid import CellState, head_grid
from mha.views.next_word import MASK, MEAN
from mha.views.readings import Refusal, sentence_data
from mha.views.readings_words import AmbiguousText
from mha.words import words

TITLE, UNIT = "Each head ablated alone", "heads"
N_LEADING = 8  # heads that are measured before one is named
NO_CONTROL = "This score has no control limit: some head’s change is the largest in any text."
SMALLEST_NATS, SMALLEST_CLOSENESS = 0.05, 0.0005  # smaller changes have no number


@with_arrays
class MatterCase:
    """The score of a text, and its change without each head.

    ``prediction`` is the model's own answer with the words A and B at ``indices``; None if the score is the closeness,
    whose ``sweep`` is None before its first head. ``after`` is the score with all of ``ablated`` ablated together.
    ``reason`` is why the model's own answer is not used, in plain text.
    """

    model: ModelRow
    found: AmbiguousText
    prediction: NextWords | None = None
    indices: tuple[int, int] = (0, 1)
    sweep: Sweep | None = None
    ablated: tuple[HeadId, ...] = ()
    score: float = float("nan")
    after: float | None = None
    reason: str = ""

    has_grid, has_chart = True, False

    @property
    def has_table(self) -> bool:
        """Whether all heads are measured."""
        return self.is_complete

    @property
    def effect(self) -> np.ndarray:
        """The change of the score without each head, float64 [layer, head]; NaN if it is not measured."""
        if self.prediction is not None:
            return self.prediction.sweep.change_of(*self.indices)
        if self.sweep is not None:
            return np.asarray(self.sweep.effect)
        return np.full((self.model.n_layers, self.model.n_heads), np.nan)

    @property
    def n_layers_acting(self) -> int:
        """The number of layers that can act on the score."""
        return self.model.n_layers if self.prediction else max(1, self.model.n_layers - 1)

    @property
    def n_planned(self) -> int:
        """The number of heads that can act on the score."""
        return self.n_layers_acting * self.model.n_heads

    @property
    def n_measured(self) -> int:
        """The number of heads that are measured."""
        return int(np.isfinite(self.effect).sum())

    @property
    def is_complete(self) -> bool:
        """Whether every head that can act is measured."""
        return self.n_measured >= self.n_planned

    @property
    def smallest(self) -> float:
        """The size below which a change has no number."""
        return SMALLEST_NATS if self.prediction else SMALLEST_CLOSENESS

    @property
    def named(self) -> np.ndarray:
        """The sizes of the changes of heads that may be named, float64 [layer, head], −1 for others.

        Heads of the layer whose output is scored mix the compared words by construction.
        """
        sizes = np.nan_to_num(np.abs(self.effect), nan=-1.0)
        if self.prediction is None:
            sizes[self.n_layers_acting - 1] = -1.0
        return sizes

    @property
    def largest(self) -> HeadId | None:
        """The head with the largest change so far, None before eight are measured or if no change has a number."""
        head = ranked(self.named)[0]
        is_early = self.n_measured < min(N_LEADING, self.n_planned)
        return None if is_early or self.named[head] < self.smallest else head


def prompt_of(model: ModelRow, found: AmbiguousText) -> str:
    """Return the text whose next word is the model's own answer, "" if it gives none for this kind of ambiguity."""
    is_asked = model.predicts in ("next", "mask") and found.kind in KINDS and len(found.a) == len(found.b) == 1
    if not is_asked:
        return ""
    word = words(found.text)[found.number]
    return answer_prompt(found.text, word, MASK if model.predicts == "mask" else "")


def candidate_words(found: AmbiguousText) -> tuple[str, str]:
    """Return the words that the model's own answer compares."""
    first, second = (words(found.text)[side[0]] for side in (found.a, found.b))
    return first, second


def answer_case(model: ModelRow, found: AmbiguousText, prediction: NextWords) -> MatterCase:
    """Return the case of a model's own answer to `prompt_of`."""
    a, b = (prediction.sweep.index_of(word) or 0 for word in candidate_words(found))
    log_probability = prediction.sweep.log_probability
    score = float(log_probability[a] - log_probability[b])
    after = None
    if prediction.after is not None:
        after = float(np.log(prediction.after[a]) - np.log(prediction.after[b]))
    return MatterCase(model, found, prediction, (a, b), None, prediction.ablated, score, after)


def closeness_case(
    model: ModelRow, found: AmbiguousText, ablated: tuple[HeadId, ...], scores: Sequence[float], reason: str = ""
) -> MatterCase:
    """Return the case of the closeness; ``scores`` are those with all heads and with the ablated ones, if any."""
    score, after = (scores[0], scores[1]) if scores else (float("nan"), None)
    return MatterCase(model, found, ablated=ablated, score=score, after=after, reason=reason)


def refusal(model: ModelRow, found: AmbiguousText) -> Refusal | None:
    """Return why no head can be ablated, or None."""
    if model.kind == "transformer":
        return None
    finding = f"{model.short} has no layers in which an ablated head could be felt."
    return Refusal(finding, "Choose another model.", "Use MiniLM", {"model": "minilm"})


def with_result(case: MatterCase, result: WordSweep | Sweep | None) -> MatterCase:
    """Return the case with the heads that are measured so far."""
    if isinstance(result, WordSweep):
        assert case.prediction is not None
        return replace(case, prediction=replace(case.prediction, sweep=result))
    if isinstance(result, Sweep):
        return replace(case, sweep=result, score=result.score)
    return case


# ---- sentences


def finding(case: MatterCase) -> str:
    """Return the effect of the ablated heads, else the largest effect so far, else the score."""
    if case.after is not None and case.ablated:
        heads = listed([f"`{head}`" for head in case.ablated])
        if all(head.layer >= case.n_layers_acting for head in case.ablated):
            return f"{heads} cannot affect the score, which is read after layer {case.n_layers_acting - 1}."
        return f"Without {heads}, {_moves(case, case.after)}."
    n_named = int((case.named >= 0).sum())
    if case.largest is None:
        if case.n_measured < min(N_LEADING, case.n_planned):
            return _score_text(case)
        if not n_named:
            return "All measured heads are of the scored layer, which mixes the compared words itself: none is named."
        some = f"{n_named} heads" if case.is_complete else f"the {n_named} heads measured so far"
        least = f"{case.smallest} nats" if case.prediction else f"{case.smallest}"
        return f"None of {some} changes the score by {least} when it is ablated alone."
    head = case.largest
    moves = _moves(case, case.score + float(case.effect[head]))
    if not case.is_complete:
        return f"Of the {n_named} heads measured so far, `{head}` matters most: without it, {moves}."
    return f"Without `{head}`, {moves}, the largest change of {n_named} heads."


def _score_text(case: MatterCase) -> str:
    if case.prediction is None:
        first, second = case.found.candidate_names
        return f"Which heads does the closeness of {case.found.ambiguous_name} to {first} and {second} depend on?"
    first, second = case.found.candidate_names
    more, less = (first, second) if case.score > 0 else (second, first)
    return f"Asked what {case.found.ambiguous_name} refers to, {case.model.short} finds {more} likelier than {less}."


def _moves(case: MatterCase, after: float) -> str:
    """Return how the score changes, towards which candidate."""
    first, second = case.found.candidate_names
    if abs(after - case.score) < case.smallest:
        return f"the score stays at {_value(case, case.score)}"
    side = first if after > case.score else second
    return f"the score moves from {_value(case, case.score)} to {_value(case, after)}, towards {side}"


def _value(case: MatterCase, value: float) -> str:
    return signed(value, 1) + "\u00a0nats" if case.prediction else signed(value, 3)


def explanation(case: MatterCase) -> list[str]:
    """Return what the score is, how far it can be trusted, and what a change does not show."""
    first, second = case.found.candidate_names
    if case.prediction is None:
        closer = f"how much closer {case.found.ambiguous_name} is to {first} than to {second} (a cosine difference)"
        start = f"{markdown(case.reason)} " if case.reason else ""
        return [f"{start}Score: {closer}. {NO_CONTROL}"]
    asked = f"“The word {markdown(words(case.found.text)[case.found.number])} refers to the …”"
    lines = [
        f"Score: {case.model.short}’s own answer to {asked}, ln(P({first}) / P({second})), {_value(case, case.score)}."
    ]
    rate = answer_rate(case.model.name, case.model.revision, case.found.kind)
    if rate is None:
        lines.append(f"How often this answer is right on test pairs is not measured for {case.model.short}.")
    else:
        share = percent(rate.n_ordered / rate.n)
        lines.append(
            f"It puts both versions of {rate.n} test pairs of this type in the right order in {share} (by chance "
            "50\u00a0%)."
        )
    return [" ".join((*lines, NO_CONTROL))]


def grid_caption(case: MatterCase) -> str:
    """Return what a number of the grid is, its unit, and the kind of ablation."""
    unit = "nats" if case.prediction else "thousandths"
    return f"Number: change of the score, in {unit}. Click a head to ablate it. {MEAN}"


def method(case: MatterCase) -> str:
    """Return how the numbers are measured."""
    lines = [
        f"**Ablation**: {MEAN[9:]} The model runs again; later layers receive the changed values (Michel et al. 2019). "
        "A head is ablated at all positions. Effects of single heads do not add up.",
        "**Order**: gradients estimate the effect of each head; the 8 heads with the largest estimates are measured "
        "first. The estimate only sets the order: every number is measured.",
    ]
    if case.prediction is None:
        layer = max(0, case.model.n_layers - 2)
        lines.append(
            f"**Score**: cosine of the ambiguous word with candidate A minus that with candidate B, after layer "
            f"{layer}. Heads of that layer mix the compared words by construction, so none of them is named."
        )
    else:
        lines.append(
            "**Score**: the logarithm of the ratio of both probabilities, in nats; above 0 the model prefers candidate "
            "A. The answer is read from one form of question; no person has checked the test pairs."
        )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def text_data(case: MatterCase) -> dict[str, Any]:
    """Return the text with the roles of its words."""
    return sentence_data(case.found)


def grid_data(case: MatterCase) -> dict[str, Any]:
    """Return the change of the score without each head, as one cell a head."""
    effect, (first, second) = case.effect, candidate_words(case.found)
    states = np.where(effect > 0, "to_a", "to_b").astype("<U10")
    states[np.abs(effect) < case.smallest] = "within"
    states[np.isnan(effect)] = "unmeasured"
    if case.prediction is None:
        states[case.n_layers_acting - 1] = "scored"
        states[case.n_layers_acting :] = "cannot"
    least = f"{case.smallest} nats" if case.prediction else "half a thousandth"
    legend: dict[CellState, str] = {
        "to_a": f"+ towards A, {first}, without it", "to_b": f"− towards B, {second}, without it",
        "within": f"less than {least}", "scored": "scored layer", "cannot": "cannot affect the score",
        "unmeasured": "not measured yet",
    }  # fmt: skip
    factor, digits = (1, 1) if case.prediction else (1000, 0)
    texts = [
        signed(factor * float(value), digits) if state in ("to_a", "to_b") else ""
        for value, state in zip(effect.flat, states.flat, strict=True)
    ]
    return head_grid(
        np.nan_to_num(effect), states, legend, texts,
        details=[number(float(value), 3) if np.isfinite(value) else "" for value in effect.flat],
        group=case.model.n_shared, shown=case.largest, ablated=case.ablated,
        label="Change of the score without each head",
    )  # fmt: skip


def table(case: MatterCase, link: str = "") -> Table:
    """Return the change of the score without each head: one row a head."""
    direct = np.zeros(case.effect.shape, dtype=bool)
    direct[case.n_layers_acting - 1] = case.prediction is None
    text = case.found.text if case.prediction is None else case.prediction.sweep.text
    sweep = Sweep(text, "mean", case.n_layers_acting, case.n_layers_acting, case.score, case.effect, direct)
    about = (case.model.short, case.model.revision, case.model.origin)
    return sweep_table(sweep, without_maps((text,), about, MEAN, model_sha256=case.model.sha256, link=link))
