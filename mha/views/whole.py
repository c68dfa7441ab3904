"""Whole model: measures of every head, over the sample sentences or in one sentence; sentences and component data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.profiles import Profiles, bundled_profiles, profiles_of_text
from mha.engine import Request
from mha.export.tables import Table
from mha.formats import capitalise_first, number, percent, whole_percent
from mha.maps import HeadId, heads_of, ranked
from mha.models.files.rows import ModelRow
from mha.views.component_data import head_grid
from mha.views.models import sourced_table

MOST_WORDS = 128  # of one sentence
N_PAIRS = 10  # most similar pairs that are listed
SHARE, BITS, WORDS, LENGTH, COSINE, NATS = "share", "bits", "words", "length", "1 − cosine", "nats"
DECIMALS = {BITS: 2, WORDS: 2, LENGTH: 2, COSINE: 5, NATS: 4}


@dataclass(frozen=True)
class Measure:
    """One number a head: its key in `Profiles.measures`, its name, its unit and its definition."""

    key: str
    title: str
    unit: str
    definition: str


MEASURES = (
    Measure("previous_word", "Previous word", SHARE, "share of attention to the word or mark before"),
    Measure("next_word", "Next word", SHARE, "share of attention to the word or mark after"),
    Measure("same_word", "Same word", SHARE, "share of attention to the word itself"),
    Measure("first_token", "First token", SHARE, "share of attention to the first token, from all later words"),
    Measure("induction", "Induction", SHARE, "share of attention to what followed an earlier copy of the word"),
    Measure("sink_share", "Attention sinks", SHARE,
            "share of attention to special tokens, final marks and, in causal models, the first word"),
    Measure("entropy", "Entropy", BITS, "how evenly a word’s attention is spread, in bits; 0: all on one word"),
    Measure("mean_distance", "Distance", WORDS, "how many words and marks away a word attends on average"),
    Measure("contribution", "Contribution of words", SHARE,
            "share of the head’s contribution (weight × value · W_O) that comes from words that are not sinks"),
    Measure("deviation", "Deviation", LENGTH, "mean length of the head’s output minus its mean output, after W_O"),
    Measure("effect", "Effect of ablation", "", ""),
)  # fmt: skip
EFFECT_ENCODER = Measure("effect", "Effect of ablation", COSINE,
                         "1 − cosine between the text’s vector with and without the head")  # fmt: skip
EFFECT_DECODER = Measure("effect", "Effect of ablation", NATS,
                         "mean change of the log-probability of the next token without the head")  # fmt: skip


@dataclass(frozen=True)
class WholeModel:
    """The heads of one model: over the sample sentences, or in ``text`` for a model without bundled numbers."""

    model: ModelRow
    profiles: Profiles
    text: str = ""

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures that this model has here, by key."""
        effect = EFFECT_DECODER if self.profiles.n_places else EFFECT_ENCODER
        measures = (measure if measure.key != "effect" else effect for measure in MEASURES)
        return {measure.key: measure for measure in measures if measure.key in self.profiles.measures}

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """All heads, layer by layer."""
        return heads_of(*self.profiles.shape)

    @property
    def place(self) -> str:
        """Where the numbers were measured, for sentences."""
        if not self.profiles.is_bundled:
            return "in this sentence"
        return f"over {self.profiles.n_words:,} words of {self.profiles.n_sentences} sample sentences"

    @property
    def basis(self) -> str:
        """Where and how the numbers were measured, as a sentence."""
        return f"Measured {self.place}, with all heads on."

    def values(self, key: str) -> np.ndarray:
        """Return a measure of all heads, float64 [layer, head]."""
        return self.profiles.measures[key]


def has_bundled_numbers(model: ModelRow) -> bool:
    """Return whether numbers over the sample sentences come with the program."""
    return bundled_profiles(model.name, model.revision) is not None


def measure(model: ModelRow, text: str = "") -> WholeModel:
    """Return the bundled numbers of a model, else those of one text.

    Raises:
        InputError, AttentionUnavailable, ModelUnavailable: as `mha.attend`.
    """
    bundled = bundled_profiles(model.name, model.revision)
    if bundled is not None:
        return WholeModel(model, bundled)
    maps = Request(text, model.name).answer().maps
    return WholeModel(model, profiles_of_text(maps), maps.text)


def refusal(text: str, n_words: int) -> str:
    """Return why one sentence is not measured, or "" if it is."""
    if n_words == 1 or n_words > MOST_WORDS:  # from one word a head can look at no other
        return f"This page measures texts of 2 to {MOST_WORDS} words; this one has {n_words}."
    return ""


def value_text(value: float, unit: str) -> str:
    """Return a value with its unit.

    >>> value_text(0.634, SHARE), value_text(1.52, BITS), value_text(-0.0123, NATS)
    ('63\\xa0%', '1.52\\xa0bits', '−0.0123\\xa0nats')
    """
    if not np.isfinite(value) or unit == SHARE:
        return percent(value)
    if unit in (LENGTH, COSINE):
        return number(value, DECIMALS[unit])
    return f"{number(value, DECIMALS[unit])}\u00a0{unit}"


# ---- sentences


def finding(case: WholeModel) -> str:
    """Return the main sentence: the effective number of heads, or the finding of one sentence."""
    n_heads = len(case.heads)
    if n_heads == 1:
        return "This model has one head."
    if not case.profiles.different:
        return f"{n_heads} heads of {case.model.short} in one sentence."
    effective = number(case.profiles.different[0], 1)
    return f"Counting similar heads as one, the {n_heads} heads of {case.model.short} look in {effective} ways."


def question(case: WholeModel, head: str | None) -> str:
    """Return the question for a class before it sees the results."""
    if head:
        return f"Where does head {head} of {case.model.short} look? Make a guess before you see the results."
    return f"Do all {len(case.heads)} heads of {case.model.short} look at the same places? Make a guess first."


def explanation(case: WholeModel) -> str:
    """Return the sentences after the finding: the control, the measurement, and the effect of a click."""
    sentence = "One sentence is not a pattern."
    if case.profiles.different:
        without_sinks, scrambled = (number(value, 1) for value in case.profiles.different[1:])
        sentence = f"Without attention sinks: {without_sinks}. In a scrambled copy of the model: {scrambled}."
    return f"{sentence} {case.basis} Click a head for its page."


def chart_caption(case: WholeModel, x: str, y: str) -> str:
    """Return the definitions of the two measures."""
    first, second = case.measures[x], case.measures[y]
    return " ".join(f"*{measure.title}*: {measure.definition}." for measure in dict.fromkeys((first, second)))


def chart_label(case: WholeModel, x: str, y: str) -> str:
    """Return the text alternative of the chart."""
    first, second = case.measures[x], case.measures[y]
    right, top = (ranked(np.nan_to_num(case.values(key), nan=-np.inf))[0] for key in (x, y))
    return (
        f"{first.title} and {second.title} of {len(case.heads)} heads. Furthest right: {right}, "
        f"{value_text(case.values(x)[right], first.unit)}; highest: {top}, "
        f"{value_text(case.values(y)[top], second.unit)}. The grid has the numbers of all heads."
    )


def grid_caption(case: WholeModel, key: str) -> str:
    """Return the definition of a number of the grid."""
    measure = case.measures[key]
    units = {SHARE: "per cent", COSINE: "hundred-thousandths", NATS: "thousandths of a nat", LENGTH: "tenths"}
    numbers = f"Numbers: {units.get(measure.unit, f'tenths of {measure.unit}')}."
    constant = " Shade: size of the number." if measure.unit == NATS else ""
    return f"{capitalise_first(measure.definition)}. {numbers}{constant}"


def similar_caption(case: WholeModel) -> str:
    """Return what similarity is, and the median of all pairs."""
    median = number(case.profiles.median_cosine)
    return (
        f"Cosine of all connections from word to word, sinks left out; median of all pairs {median}. "
        "Heads that look alike need not act alike."
    )


def method(case: WholeModel) -> str:
    """Return how the numbers are measured, for the disclosure at the end of the page."""
    lines = [f"**{measure.title}**: {measure.definition}." for measure in case.measures.values()]
    lines.append("Shares are shares of all attention, with words as rows and keys; nothing is rescaled.")
    if case.profiles.is_bundled:
        lines.append(
            "Means are over sentences, and over words that have such a word; a sentence without an earlier copy of a "
            "word has no induction."
        )
        next_tokens = f" ({case.profiles.n_places:,} next tokens)" if case.profiles.n_places else ""
        lines.append(
            f"**Ablation** replaces the head’s output by its mean over the sample sentences, at all positions, in "
            f"{case.profiles.n_ablated} sentences{next_tokens}."
        )
    if case.profiles.different:
        lines.append(
            "**Number of ways**: the effective number of heads, from the mean Jensen–Shannon divergence of every two "
            "heads, sinks included. The scrambled copy has the same weights in random order."
        )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def grid_data(case: WholeModel, key: str) -> dict[str, Any]:
    """Return one measure of every head, as one cell a head."""
    measure, values = case.measures[key], case.values(key)
    return head_grid(
        values, np.where(np.isfinite(values), "changes", "within"),
        {"changes": measure.title.lower(), "within": "not measurable"}, lambda value: cell_text(value, measure.unit),
        label=f"{measure.title} of every head", group=case.model.n_shared, pinned=(),
        details=[value_text(float(value), measure.unit) for value in values.flat],
    )  # fmt: skip


def cell_text(value: float, unit: str) -> str:
    """Return a value in a cell of the grid, without its unit.

    >>> cell_text(0.634, SHARE), cell_text(1.52, BITS), cell_text(-0.0123, NATS), cell_text(0.00213, COSINE)
    ('63', '15', '−12', '213')
    """
    if unit == SHARE:
        return str(whole_percent(value))
    return number(value * {COSINE: 1e5, NATS: 1e3}.get(unit, 10), 0)


def similar_pairs(case: WholeModel) -> list[tuple[HeadId, HeadId, float]]:
    """Return the most similar pairs of heads, the most similar first."""
    pairs = {
        tuple(sorted((head, similar.head))): similar.cosine
        for head, similar_heads in zip(case.heads, case.profiles.similar, strict=True)
        for similar in similar_heads
    }
    ordered = sorted(pairs.items(), key=lambda pair: -pair[1])
    return [(first, second, cosine) for (first, second), cosine in ordered[:N_PAIRS]]


def download_table(case: WholeModel, link: str = "") -> Table:
    """Return every measure of every head: one row a head."""
    columns: dict[str, Any] = {"head": [str(head) for head in case.heads]}
    columns |= {f"{key}_mean": values.ravel() for key, values in case.profiles.measures.items()}
    columns |= {f"contribution_of_{key}": values.ravel() for key, values in case.profiles.contributions.items()}
    scale = "means over sentences; rows and keys are words; nothing rescaled; effect: mean ablation at all positions"
    return sourced_table(columns, (case.text or case.place,), case.model, scale, link)
