"""Two readings, third tab: does the score depend on a head? Every head is ablated in turn, chosen heads together.

The score is the model's own answer where it predicts words and the ambiguous word refers to a candidate; else it is the
closeness of the ambiguous word to its candidates.
"""

from typing import Any

import numpy as np

from mha.analysis.proposals import KINDS, answer_prompt, answer_rate
from mha.export.provenance import provenance_by
from mha.export.tables import Table, sweep_table
from mha.formats import join_list, number, percent, plain, signed
from mha.intervention.calibrated import calibration
from mha.intervention.outcomes import NextWords, Sweep, WordSweep
from mha.maps import HeadId
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.views.component_data import CellState, head_grid, signed_states
from mha.views.next_word import MASK, MEAN, MEAN_ABLATION, SMALLEST_NATS, largest_change
from mha.views.readings import AmbiguousText
from mha.words import words

TITLE, UNIT = "Each head ablated alone", "heads"
NO_CONTROL = "This score has no control limit: some head’s change is the largest in any text."
UNKNOWN = "Its reliability is unknown: it was not measured for this kind of ambiguity and {model}."
SMALLEST_CLOSENESS = 0.0005  # a smaller change has no number


@array_dataclass
class MatterCase:
    """The score of a text, and its change without each head.

    ``prediction`` is the model's own answer with the words A and B at ``indices``; None if the score is the closeness.
    ``scores`` are that with all heads, if it is known, and that with all of ``ablated`` ablated together. ``result`` is
    None before the first head.
    """

    model: ModelRow
    ambiguous: AmbiguousText
    prediction: NextWords | None = None
    indices: tuple[int, int] = (0, 1)
    ablated: tuple[HeadId, ...] = ()
    scores: tuple[float, ...] = ()
    result: WordSweep | Sweep | None = None

    @property
    def sweep(self) -> Sweep:
        """The score, and its change without each head that is measured; none of the scored layer may be named."""
        if isinstance(self.result, Sweep):
            return self.result
        shape, score = (self.model.n_layers, self.model.n_heads), next(iter(self.scores), float("nan"))
        effect, direct = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        if self.prediction is not None:
            words_sweep = self.result or self.prediction.sweep
            effect = words_sweep.change_of(*self.indices)
            return Sweep(words_sweep.text, "mean", shape[0], shape[0], score, effect, direct)
        reach = max(1, shape[0] - 1)
        direct[reach - 1] = True
        return Sweep(self.ambiguous.text, "mean", reach, reach, score, effect, direct)

    @property
    def n_planned(self) -> int:
        """The number of heads that can act on the score."""
        return self.sweep.n_planned

    @property
    def n_measured(self) -> int:
        """The number of heads that are measured."""
        return self.sweep.n_measured

    @property
    def is_complete(self) -> bool:
        """Whether every head that can act is measured."""
        return not self.sweep.waiting.any()

    @property
    def smallest(self) -> float:
        """The size below which a change has no number."""
        return SMALLEST_NATS if self.prediction else SMALLEST_CLOSENESS

    @property
    def largest(self) -> HeadId | None:
        """The head with the largest change, None before all are measured or if no change has a number."""
        if not self.is_complete:
            return None
        return largest_change(np.where(self.sweep.acting, self.sweep.effect, np.nan), self.smallest)


def prompt_of(model: ModelRow, ambiguous: AmbiguousText) -> str:
    """Return the text whose next word is the model's own answer, "" if it gives none for this kind of ambiguity.

    The question names the ambiguous word, which must occur once, and the candidates must be two words.
    """
    word, names = words(ambiguous.text)[ambiguous.number], [word.casefold() for word in words(ambiguous.text)]
    is_one = names.count(word.casefold()) == len(ambiguous.a) == len(ambiguous.b) == 1
    is_asked = model.predicts in ("next", "mask") and ambiguous.kind in KINDS and is_one
    if not is_asked or names[ambiguous.a[0]] == names[ambiguous.b[0]]:
        return ""
    return answer_prompt(ambiguous.text, word, MASK if model.predicts == "mask" else "")


def candidate_words(ambiguous: AmbiguousText) -> tuple[str, str]:
    """Return the words that the model's own answer compares."""
    first, second = (words(ambiguous.text)[side[0]] for side in (ambiguous.a, ambiguous.b))
    return first, second


def answer_case(model: ModelRow, ambiguous: AmbiguousText, prediction: NextWords) -> MatterCase:
    """Return the case of a model's own answer to `prompt_of`."""
    a, b = (prediction.sweep.index_of(word) or 0 for word in candidate_words(ambiguous))
    rows = [prediction.probability, *([] if prediction.after is None else [prediction.after])]
    scores = tuple(float(np.log(row[a]) - np.log(row[b])) for row in rows)
    return MatterCase(model, ambiguous, prediction, (a, b), prediction.ablated, scores)


# ---- sentences


def finding(case: MatterCase) -> str:
    """Return the effect of the ablated heads, else the largest effect of all heads, else the question of the score."""
    if case.ablated and len(case.scores) > 1:
        heads = join_list([f"`{head}`" for head in case.ablated])
        if all(head.layer >= case.sweep.n_acting_layers for head in case.ablated):
            return f"{heads} cannot affect the score, which is read after layer {case.sweep.n_acting_layers - 1}."
        return f"Without {heads}, {_moves(case, case.scores[1])}."
    if not case.is_complete:
        return _score_text(case)
    count, head = int(case.sweep.acting.sum()), case.largest
    if not count:
        return "All heads are of the scored layer, which mixes the compared words itself: none is named."
    if head is None:
        smallest = f"{case.smallest} nats" if case.prediction else f"{case.smallest}"
        return f"None of {count} heads changes the score by {smallest} when it is ablated alone."
    moves = _moves(case, case.sweep.score + float(case.sweep.effect[head]))
    return f"Without `{head}`, {moves}, the largest change of {count} heads."


def _score_text(case: MatterCase) -> str:
    name, (first, second) = case.ambiguous.name(case.ambiguous.number), case.ambiguous.candidate_names
    if case.prediction is None:
        return f"Which heads does the closeness of {name} to {first} and {second} depend on?"
    more, less = (first, second) if case.sweep.score > 0 else (second, first)
    return f"Asked what {name} refers to, {case.model.short} finds {more} likelier than {less}."


def _moves(case: MatterCase, score: float) -> str:
    """Return how the score changes, towards which candidate."""
    full = case.sweep.score
    if abs(score - full) < case.smallest:
        return f"the score stays at {_value(case, full)}"
    side = case.ambiguous.candidate_names[score < full]
    return f"the score moves from {_value(case, full)} to {_value(case, score)}, towards {side}"


def _value(case: MatterCase, value: float) -> str:
    return signed(value, 1) + "\u00a0nats" if case.prediction else signed(value, 3)


def explanation(case: MatterCase) -> list[str]:
    """Return what the score is, how far it can be trusted, and what a change does not show."""
    first, second = case.ambiguous.candidate_names
    word = case.ambiguous.name(case.ambiguous.number)
    if case.prediction is None:
        layer = case.sweep.n_acting_layers - 1
        closer = f"how much closer {word} is to {first} than to {second} after layer {layer} (a cosine difference)"
        kinds = calibration(case.model.name)
        is_measured = kinds is not None and kinds.of_kind(case.ambiguous.kind) is not None
        unknown = "" if is_measured else UNKNOWN.format(model=case.model.short)
        return [" ".join(filter(None, (f"Score: {closer}.", unknown, NO_CONTROL)))]
    score = (
        f"Score: {case.model.short}’s own answer to “The word {word} refers to the …”, ln(P({first}) / P({second})), "
        f"{_value(case, case.sweep.score)}."
    )
    rate = answer_rate(case.model.name, case.model.revision, case.ambiguous.kind)
    if rate is None:
        return [f"{score} {UNKNOWN.format(model=case.model.short)} {NO_CONTROL}"]
    order = f"It puts both versions of {rate.n} test pairs of this type in the right order in"
    return [f"{score} {order} {percent(rate.n_ordered / rate.n)} (by chance 50\u00a0%). {NO_CONTROL}"]


def grid_caption(case: MatterCase) -> str:
    """Return what a number of the grid is, its unit, and the kind of ablation."""
    unit = "nats" if case.prediction else "thousandths"
    return f"Number: change of the score, in {unit}. Click a head to ablate it. {MEAN}"


def method(case: MatterCase) -> str:
    """Return how the numbers are measured."""
    order = (
        "**Order**: gradients estimate the effect of each head; the 8 heads with the largest estimates are measured "
        "first. The estimate only sets the order: every number is measured."
    )
    lines = (
        f"**Ablation**: {MEAN_ABLATION} The model runs again; later layers receive the changed values (Michel et al. "
        "2019). A head is ablated at all positions. Effects of single heads do not add up.",
        *([order] if case.prediction else []),
        "**Score**: above 0, candidate A is closer or likelier than candidate B. An answer is read from one form of "
        "question; no person has checked the test pairs. Heads of the scored layer mix both compared words.",
    )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def grid_data(case: MatterCase) -> dict[str, Any]:
    """Return the change of the score without each head, as one cell a head."""
    sweep, (first, second) = case.sweep, map(plain, case.ambiguous.candidate_names)
    states = signed_states(sweep.effect, case.smallest, "to_b", "to_a")
    states[sweep.direct] = "scored"
    states[sweep.n_acting_layers :] = "cannot"
    legend: dict[CellState, str] = {
        "to_a": f"+ towards A, {first}, without it", "to_b": f"− towards B, {second}, without it",
        "within": f"less than {f'{case.smallest} nats' if case.prediction else 'half a thousandth'}",
        "scored": "scored layer", "cannot": "cannot affect the score", "unmeasured": "not measured yet",
    }  # fmt: skip
    factor, digits = (1, 1) if case.prediction else (1000, 0)
    return head_grid(
        np.nan_to_num(sweep.effect), states, legend, lambda value: signed(factor * value, digits),
        details=[number(float(value), 3) if np.isfinite(value) else "" for value in sweep.effect.flat],
        group=case.model.n_shared, shown=case.largest, ablated=case.ablated,
        label="Change of the score without each head",
    )  # fmt: skip


def table(case: MatterCase, link: str = "") -> Table:
    """Return the change of the score without each head: one row a head."""
    return sweep_table(case.sweep, provenance_by(case.model, (case.sweep.text,), MEAN, link))
