"""Next word: one case of the page, the head that it shows, and the data of its pictures.

Changes are ranked in the unit of the grid: points of probability of the selected word, nats for a difference of two.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from mha.analysis.ablation_control import AblationControl, ablation_control
from mha.engine.word_sweeps import N_ANSWER, WordSweepJob
from mha.errors import InputError
from mha.examples import CUT_EXAMPLES, NEXT_WORD_EXAMPLES
from mha.export.tables import Table
from mha.formats import SMALLEST_SHARE, from_to, markdown, nats, points, share, short_share
from mha.intervention.outcomes import NextWords, PositionEffects, WordRanks, WordSweep
from mha.maps import AttentionMaps, HeadId, heads_of, ranked
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.views import cuts
from mha.views.component_data import CellState, head_grid, signed_states
from mha.views.models import sourced_table
from mha.words import accept, next_word_text

TEXT_PARAMS = {label: {"text": text} for label, text in NEXT_WORD_EXAMPLES.items()}
EXAMPLE_PARAMS = {**dict(list(TEXT_PARAMS.items())[:3]), **CUT_EXAMPLES, **TEXT_PARAMS}
MASK = "[MASK]"
MEAN_ABLATION = "the head’s output is replaced by its mean over the sample sentences."
MEAN = f"Ablated: {MEAN_ABLATION}"
SAME_WORD = "Both words are the same, so the second one is left out."
SMALLEST_NATS = 0.05  # a smaller change of a difference has no number
N_LIKELIEST = 5  # words that every text has; typed ones follow
HALF = 0.5  # of the whole effect: with less at the last position, a head acts at other words
SHORT_TEXT = 44  # characters that fit next to the next words
PART = re.compile(r"␣?(<[0-9A-F]{2,6}>)+")  # a token of single bytes, or of a character without a glyph in any font
TENFOLD = 10.0  # a larger drop of the rank in one layer is marked


@array_dataclass
class NextWordCase:
    """What the page shows: the next words of a text, the selected word, and what is known of the heads.

    ``versus_index`` is the word that is subtracted, or None. ``control`` is None if the changes have none, for the
    reason ``no_control``, or before a head is measured. ``ranks`` are those of the selected word, or None for the
    reason ``no_ranks``, which is "" while they are computed; ``changed_ranks`` are those with the links cut. ``chosen``
    is the head that the visitor chose. ``maps`` and ``positions`` are the attention in the changed model and the
    effects by position of `head`; the maps of a masked model and of an encoder–decoder are those with all heads on.
    ``uncut`` is the attention with no link cut. ``same_cut`` has the cut link cut in
    another head instead.
    """

    model: ModelRow
    prediction: NextWords
    word_index: int = 0
    versus_index: int | None = None
    control: AblationControl | None = None
    no_control: str = ""
    ranks: WordRanks | None = None
    changed_ranks: WordRanks | None = None
    no_ranks: str = ""
    chosen: HeadId | None = None
    maps: AttentionMaps | None = None
    uncut: AttentionMaps | None = None
    positions: PositionEffects | None = None
    same_cut: NextWords | None = None

    @property
    def sweep(self) -> WordSweep:
        """The words, and their change without each head that is measured."""
        return self.prediction.sweep

    @property
    def n_heads(self) -> int:
        """The number of heads of the model."""
        return int(self.sweep.likeliest.size)

    @property
    def is_complete(self) -> bool:
        """Whether every head is measured."""
        return self.sweep.n_measured == self.n_heads

    @property
    def is_early(self) -> bool:
        """Whether no head is named yet."""
        return self.sweep.n_measured < min(N_ANSWER, self.n_heads)

    @property
    def change(self) -> np.ndarray:
        """The change of the selected word without each head, float64 [layer, head]: probability; nats with versus."""
        return self.sweep.change_of(self.word_index, self.versus_index)

    @property
    def smallest(self) -> float:
        """The size below which a change has no number, in the unit of `change`."""
        return SMALLEST_SHARE if self.versus_index is None else SMALLEST_NATS

    def change_text(self, change: float) -> str:
        """Return a change in the unit of the grid, "" if it is too small for a number."""
        return points(change) if self.versus_index is None else nats(change)

    @property
    def naming_word(self) -> int:
        """The index of the word for which a head is named: the likeliest one for each of the likeliest."""
        return 0 if self.versus_index is None and self.word_index < N_LIKELIEST else self.word_index

    @cached_property
    def head(self) -> HeadId | None:
        """The head whose attention is shown: the chosen one, the last one with a cut link, the last ablated one, or the
        one that is named.

        Selecting another of the likeliest words keeps the head that is named for the first one.
        """
        changed = (*self.prediction.ablated, *(cut.head for cut in self.prediction.cut))
        if self.chosen or changed:
            return self.chosen or changed[-1]
        if self.is_early:
            return None
        return largest_change(self.sweep.change_of(self.naming_word, self.versus_index), self.smallest)

    @cached_property
    def special(self) -> tuple[HeadId, ...]:
        """The heads that are special to this text, the largest change first; none if the control may not name heads."""
        if self.control is None or not self.control.may_name:
            return ()
        places = np.argwhere(self.control.mainly_here(self.sweep.change[..., self.word_index]))
        return tuple(sorted((HeadId(*map(int, place)) for place in places), key=lambda head: -abs(self.change[head])))

    @property
    def shows_effect(self) -> bool:
        """Whether the finding is about the shown head alone; another one is shown for its attention."""
        ablated, cut = self.prediction.ablated, self.prediction.cut
        is_alone = len(ablated) < 2 and not cut
        return self.head is not None and is_alone and (self.chosen is None or self.chosen in ablated)

    @property
    def acts_elsewhere(self) -> bool:
        """Whether ablation at the predicting position alone brings less than half of the effect of the shown head."""
        if self.positions is None or not self.shows_effect:
            return False
        everywhere, changes = self.position_effects
        return abs(everywhere) >= self.smallest and everywhere * float(changes[0]) < HALF * everywhere**2

    @property
    def position_effects(self) -> tuple[float, np.ndarray]:
        """The effect of the shown head at all positions, and at each measured one, in the unit of `change`."""
        assert self.positions is not None
        return self.positions.effects(self.position_word, self.versus_index)

    @property
    def position_word(self) -> int:
        """The index of the word whose change decides where the shown head acts: that for which it is named."""
        return self.word_index if self.chosen or self.prediction.ablated else self.naming_word


def case_of(
    model: ModelRow, prediction: NextWords, word: str = "", versus: str = "", chosen: str | None = None
) -> NextWordCase:
    """Return the case of a prediction, for a selected word or the difference of two; unknown words are left out."""
    word_index = prediction.sweep.index_of(word) or 0
    versus_index = prediction.sweep.index_of(versus) if versus else None
    if versus_index == word_index:
        versus_index = None
    head = HeadId.parse(chosen) if chosen else None
    return with_sweep(NextWordCase(model, prediction, word_index, versus_index, chosen=head), prediction.sweep)


def with_run(case: NextWordCase, run: WordSweepJob | None) -> NextWordCase:
    """Return the case with the rank of its word and the heads that a run has found so far."""
    if run is None:
        return case
    word_id = case.sweep.ids[case.word_index]
    ranks = next((ranks for ranks in run.ranks if ranks.id == word_id), case.ranks)
    return with_sweep(replace(case, ranks=ranks, no_ranks=run.no_ranks), run.result)


def with_sweep(case: NextWordCase, sweep: WordSweep | None) -> NextWordCase:
    """Return the case with the heads that a sweep has measured so far, and their control if it had none."""
    if sweep is None:
        return case
    sweep = replace(sweep, notes=case.sweep.notes)  # also those on typed words
    case = replace(case, prediction=replace(case.prediction, sweep=sweep))
    has_change = sweep.n_measured or case.prediction.after is not None
    if not has_change or case.control is not None or case.no_control:
        return case
    if case.versus_index is not None:
        return replace(case, no_control="The control limit is for one word, so a difference of two words has none.")
    if case.word_index:
        reason = f"The control limit holds for the likeliest word, {word_name(sweep, 0)}, alone."
        return replace(case, no_control=reason)
    try:
        return replace(case, control=ablation_control(case.model.name, sweep.revision, len(sweep.tokens)))
    except InputError as error:
        return replace(case, no_control=markdown(str(error)))


def largest_change(change: np.ndarray, smallest: float) -> HeadId | None:
    """Return the head with the largest change, [layer, head], up or down; None if all are smaller or NaN."""
    sizes = np.nan_to_num(np.abs(change), nan=-1.0)
    head = ranked(sizes)[0]
    return None if sizes[head] < smallest else head


def is_word(sweep: WordSweep, index: int) -> bool:
    """Return whether a next token begins a word: marks, white space, bytes, rests of words, special ones do not."""
    if sweep.ids[index] in sweep.special:
        return False
    text, before = sweep.texts[sweep.ids[index]], sweep.tokens[sweep.place].text
    raws = (*sweep.raws.values(), *(token.raw for token in sweep.tokens))
    continues = before[-1:].isalnum() and any(raw[:1] in ("Ġ", "▁") for raw in raws)  # no space, as before words
    has_letter = any(letter.isalnum() for letter in text) and not PART.fullmatch(sweep.words[index])
    return has_letter and not (continues and text[0].isalnum()) and text[:2] != "##"


def word_name(sweep: WordSweep, index: int) -> str:
    """Return a next word as sentences name it, in Markdown: "the token *…*" if it is not a word."""
    return f"{'' if is_word(sweep, index) else 'the token '}*{markdown(sweep.words[index])}*"


def refusal(text: str, model: ModelRow) -> str:
    """Return why this model cannot predict a word for this text, or "" if it can."""
    if not model.predicts:
        return f"{model.short} predicts no words: it has no layer for that."
    if not text.strip():
        return "Type a text to see its next word."
    try:
        accept(text)
    except InputError as error:  # punctuation alone
        return markdown(str(error))
    if model.predicts == "next" and MASK in text:
        return f"{model.short} predicts the word after a text, not a gap inside it. Remove {markdown(MASK)}."
    if model.predicts == "mask" and MASK not in text:
        return f"{model.short} fills gaps. Type {markdown(MASK)} in the place of a word."
    return ""


def guesses(case: NextWordCase) -> list[tuple[str, str]]:
    """Return name and spelling of the likeliest word and of three others, words before marks, in alphabetical order."""
    bars = words_picture(case)["candidates"]
    others = sorted(bars[1:N_LIKELIEST], key=lambda bar: not bar["is_word"])
    return sorted((bar["name"], bar["word"]) for bar in (bars[0], *others[:3]))


# ---- component data


def sentence_data(case: NextWordCase) -> dict[str, Any]:
    """Return the text with its gap, and the attention or the effects by position of the shown head."""
    data = cuts.text_data(case.prediction, case.maps, case.head, case.model.predicts == "mask", case.uncut)
    if case.acts_elsewhere:
        data |= {"attention": None, "effects": effects_data(case, data["positions"])}
    return data


def effects_data(case: NextWordCase, visible: Sequence[int]) -> dict[str, Any]:
    """Return the change of the word with the shown head ablated at single positions, for a tint of the text."""
    assert case.positions is not None
    _, effects = case.position_effects
    change = dict(zip(case.positions.positions, effects, strict=True))
    top = float(np.abs(effects).max()) or 1.0
    return {
        "head": str(case.positions.head),
        "word": case.sweep.words[case.position_word],
        "query": visible.index(case.sweep.place) if case.sweep.place in visible else None,
        "texts": [case.change_text(change.get(number, 0.0)) for number in visible],
        "shades": [round(abs(change.get(number, 0.0)) / top, 3) for number in visible],
    }


def words_picture(case: NextWordCase) -> dict[str, Any]:
    """Return the next words as bars, with their title.

    A bar has the name of its word, the spelling for the link, and the probability before and after.
    """
    sweep, after, bars = case.sweep, case.prediction.after, []
    for index, (number, name) in enumerate(zip(sweep.ids, sweep.words, strict=True)):
        before, spelling = float(sweep.probability[index]), sweep.texts[number]
        text, label = short_share(before), f"{name}: {share(before)}"
        if spelling.strip() and next_word_text(sweep.text, spelling.strip()) != spelling:
            spelling = name  # "␣." is not what a typed "." would be
        if after is not None:
            text = f"{text} → {short_share(float(after[index]))}"
            label = f"{label} before, {share(float(after[index]))} after"
        bars.append(
            {"name": name, "word": spelling.strip() or name, "is_word": is_word(sweep, index)}
            | {"before": before, "after": None if after is None else float(after[index])}
            | {"text": text, "label": label, "on": index == case.word_index}
        )
    kind = "words" if all(bar["is_word"] for bar in bars) else "tokens"
    count = "Likeliest" if len(bars) < N_LIKELIEST else "Five likeliest"
    count += " and typed" if len(bars) > N_LIKELIEST else ""
    title = f"{count} {kind} for the gap" if case.model.predicts == "mask" else f"{count} next {kind}"
    return {"candidates": bars, "title": title, "hint": "click one to see its heads"}


def grid_data(case: NextWordCase) -> dict[str, Any]:
    """Return the change of the selected word without each head, as one cell a head."""
    unit = "points" if case.versus_index is None else "nats"
    ranks = case.changed_ranks or case.ranks
    states = signed_states(case.change, case.smallest)  # "within" the limit or too small for a number
    if case.control is not None:
        states[np.abs(case.sweep.change[..., case.word_index]) <= case.control.limit] = "within"
    return head_grid(
        case.change, states, legend_of(case), case.change_text, unit=unit,
        label=f"Change of {case.sweep.words[case.word_index]} without each head, in {unit}",
        group=case.model.n_shared, special=case.special, special_text="special to this text",
        ablated=case.prediction.ablated, shown=case.head, marked_layers=drops_of(ranks) if ranks else (),
    )  # fmt: skip


def legend_of(case: NextWordCase) -> dict[CellState, str]:
    """Return the meaning of each state of a cell."""
    word, small = case.sweep.words[case.word_index], "less than half a point"
    less, more = "less likely without it", "more likely without it"
    if case.versus_index is not None:
        versus, small = case.sweep.words[case.versus_index], "less than 0.05 nats"
        less, more = f"{word} loses to {versus} without it", f"{word} gains on {versus} without it"
    if case.control is not None:
        probability, limit = float(case.sweep.probability[case.word_index]), case.control.limit
        ends = from_to(probability * np.exp(-limit), min(1.0, probability * np.exp(limit)))
        small = f"within the control limit of {limit:.2f} nats ({word} {ends}) or half a point"
    return {"less": less, "more": more, "within": small, "unmeasured": "not measured yet"}


def drops_of(ranks: WordRanks) -> list[int]:
    """Return the layers that divide the rank of the word by more than ten."""
    rank = ranks.rank
    return [layer for layer in range(1, len(rank)) if rank[layer - 1] / rank[layer] > TENFOLD]


def ranks_data(case: NextWordCase) -> dict[str, Any]:
    """Return the rank of the selected word after each layer, with the layers that divide it by more than ten.

    With links cut it is the rank with these, and ``before`` the rank with none.
    """
    assert case.ranks is not None
    ranks, word = case.changed_ranks or case.ranks, case.sweep.words[case.word_index]
    label = f"Rank of {word} after layers 0 to {len(ranks.rank) - 1}: {', '.join(f'{rank:,}' for rank in ranks.rank)}"
    data = {"ranks": ranks.rank.tolist(), "drops": drops_of(ranks), "label": label}
    if case.changed_ranks is None:
        return data
    legend, former = [f"with {cuts.short_condition(case.prediction)}", "before"], case.ranks.rank
    label = f"{label}, {legend[0]}; {legend[1]}: {', '.join(f'{rank:,}' for rank in former)}"
    return data | {"before": former.tolist(), "legend": legend, "label": label}


def table(sweep: WordSweep, model: ModelRow, link: str = "") -> Table:
    """Return the probability of every next word without each head: one row a head."""
    heads = heads_of(*sweep.likeliest.shape)
    columns: dict[str, Any] = {"head": [str(head) for head in heads]}
    for index, name in enumerate(sweep.words):
        columns[f"{name}, all heads"] = np.full(len(heads), sweep.probability[index])
        columns[f"{name}, without the head"] = sweep.ablated_probability[..., index].ravel()
    return sourced_table(columns, (sweep.text,), model, MEAN, link)
