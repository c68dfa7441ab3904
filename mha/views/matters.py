"""Looks, adds, matters: where each head looks, what it adds to a word, and whether the word depends on it.

All words of a text or a vocabulary in the sentences are escaped. Of any text the heads with the largest numbers are
reported, without a claim that they are special to it. Those of the bundled example pass a control: over sentences of
the same form, ablating such a head moves the score further than moving any other head of its layer as far.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mha.analysis.head_effects import BundledHeadEffects, HeadEffects, bundled_head_effects
from mha.errors import InputError
from mha.export.tables import Table
from mha.formats import markdown, moves, plain, share, signed
from mha.intervention.outcomes import NextWords, WordSweep
from mha.maps import AttentionMaps, HeadId, heads_of
from mha.memo import array_dataclass
from mha.models.files.rows import ModelRow
from mha.views import cuts, next_word
from mha.views.models import sourced_table
from mha.views.next_word import MEAN
from mha.words import words

LOOKS, ADDS, MATTERS = "looks", "adds", "matters"  # the roles of a head, as in the link
ROLES = {LOOKS: "looks hardest", ADDS: "adds most", MATTERS: "matters most"}
SHORTEST = 4  # tokens of a text in which a head is named
SMALLEST = 0.005  # a smaller number of logits has no digits


@array_dataclass
class EffectsCase:
    """What the page shows: the next words of a text, and three numbers of each head for two of them.

    ``stored`` is the bundled example with its control, None for any other text.
    """

    model: ModelRow
    prediction: NextWords
    effects: HeadEffects
    stored: BundledHeadEffects | None = None

    @property
    def words(self) -> tuple[str, str]:
        """Both next words as sentences name them, in Markdown."""
        first, second = (
            self._name(number, word) for number, word in zip(self.effects.ids, self.effects.words, strict=True)
        )
        return first, second

    def _name(self, number: int, word: str) -> str:
        ids = self.prediction.sweep.ids
        return next_word.word_name(self.prediction.sweep, ids.index(number)) if number in ids else f"*{markdown(word)}*"

    @property
    def n_heads(self) -> int:
        """The number of heads of the model."""
        return int(self.effects.direct.size)

    @property
    def is_short(self) -> bool:
        """Whether the text has too few tokens for a head to be named."""
        return len(self.effects.tokens) < SHORTEST

    @property
    def is_complete(self) -> bool:
        """Whether every head has been ablated."""
        return self.effects.is_complete

    @property
    def roles(self) -> dict[str, HeadId]:
        """The head with the largest number of each kind, if there is one: see `largest_head`.

        The one that matters most is known once every head has been ablated. In the example it has no control. A text
        of fewer than four tokens names no head.
        """
        if self.is_short:
            return {}
        kinds = {LOOKS: self.effects.looks, ADDS: self.effects.direct}
        if self.is_complete and not self.stored:
            kinds[MATTERS] = np.abs(self.effects.matters)
        heads = {role: largest_head(values) for role, values in kinds.items()}
        return {role: head for role, head in heads.items() if head is not None}

    @property
    def is_named(self) -> bool:
        """Whether the head that looks hardest and the one that adds most both pass the control of the example."""
        roles, form = self.roles, self.stored.form if self.stored else None
        if form is None or not self.can_guess:
            return False
        passing = {head for head, passes in zip(form.heads, form.passes, strict=True) if passes}
        return {roles[LOOKS], roles[ADDS]} <= passing

    @property
    def can_guess(self) -> bool:
        """Whether one head looks hardest and another one adds most."""
        return LOOKS in self.roles and ADDS in self.roles and self.roles[LOOKS] != self.roles[ADDS]


def bundled_effects(
    text: str, typed: tuple[str, str], look_at: int | None, model: ModelRow
) -> BundledHeadEffects | None:
    """Return the bundled example if this is its text, with its words or none and no selected word, or None."""
    try:
        stored = bundled_head_effects(model.name, model.revision)
    except InputError:
        return None
    is_example = text == stored.example.text and typed in (stored.example.words, ("", "")) and look_at is None
    return stored if is_example else None


def refusal(text: str, model: ModelRow) -> str:
    """Return why this model has no such numbers for this text, or "" if it has."""
    if model.predicts and model.predicts != "next":
        return f"{model.short} does not predict the word after a text. Choose a model that does."
    return next_word.refusal(text, model)


def pair_of(sweep: WordSweep, first: str, second: str) -> tuple[int, int]:
    """Return the token ids of the two words: the typed ones, else the likeliest that are left."""
    a, b = (sweep.index_of(word) if word else None for word in (first, second))
    likeliest = [index for index in range(len(sweep.ids)) if index not in (a, b)]
    a = likeliest.pop(0) if a is None else a
    return sweep.ids[a], sweep.ids[likeliest[0] if b in (None, a) else b]


def with_sweep(case: EffectsCase, sweep: WordSweep | None) -> EffectsCase:
    """Return the case with the heads that a sweep of its next words has measured so far, and its names of the words."""
    if sweep is None or case.stored:
        return case
    columns = [sweep.ids.index(number) for number in case.effects.ids]
    names = sweep.words[columns[0]], sweep.words[columns[1]]  # named with each other: "␣I" and "I"
    effects = replace(case.effects, change=sweep.change[..., columns], words=names)
    return replace(case, effects=effects, prediction=replace(case.prediction, sweep=sweep))


def largest_head(values: np.ndarray) -> HeadId | None:
    """Return the head with the largest number [layer, head]; None if it is not above zero, or is that of several."""
    sizes = np.nan_to_num(values, nan=0.0)
    first = int(sizes.argmax())
    is_alone = np.count_nonzero(sizes == sizes.flat[first]) == 1
    return HeadId(*divmod(first, values.shape[1])) if is_alone and sizes.flat[first] > 0 else None


def word_options(prediction: NextWords) -> dict[int, str]:
    """Return the words of the text that a visitor may select, by their number; the first token is an attention sink."""
    tokens, names = prediction.sweep.tokens, words(prediction.sweep.text)
    numbers = {token.word for token in tokens if token.word is not None} - {tokens[0].word}
    return {number: names[number] for number in sorted(numbers)}


# ---- sentences


def question(case: EffectsCase) -> str:
    """Return the question before the guess."""
    first, second = case.words
    probability = share(float(np.exp(case.effects.log_probability[0])))
    versus = "" if case.is_named else f" over {second}"
    return f"{case.model.short} gives {first} {probability}. Which head adds more to {first}{versus}?"


def guesses(case: EffectsCase) -> list[tuple[str, str]]:
    """Return the names of the two heads with their roles, in the order of the heads."""
    return sorted((str(case.roles[role]), role) for role in (LOOKS, ADDS))


def finding(case: EffectsCase) -> str:
    """Return which head looks hardest and which one adds most."""
    looks, adds = case.roles.get(LOOKS), case.roles.get(ADDS)
    looked_at = " over ".join(f"*{markdown(word)}*" for word in case.effects.looked_at)
    first, addition = case.words[0], f"to {' over '.join(case.words)}"
    if case.is_named:
        return _named_finding(case)
    if case.is_short:
        probability = share(float(np.exp(case.effects.log_probability[0])))
        return f"{case.model.short} gives {first} {probability}. In a text of fewer than four tokens no head is named."
    if looks and looks == adds:
        return f"`{looks}` looks hardest at {looked_at} and adds most {addition}."
    added = {head: _logits(float(case.effects.direct[head])) for head in (looks, adds) if head}
    sentences = [f"`{looks}` looks hardest at {looked_at} and adds {added[looks]} {addition}."] if looks else []
    if looked_at and not looks:
        sentences.append(f"No single head looks hardest at {looked_at}.")
    if adds:
        sentences.append(f"`{adds}` adds most{'' if looks else f' {addition}'}: {added[adds]}.")
    else:
        sentences.append(f"No single head adds most {addition}.")
    return " ".join(sentences)


def _named_finding(case: EffectsCase) -> str:
    """Return what the two heads of the example do, which pass their control."""
    (first, second), effects = case.words, case.effects
    way = "less" if effects.direct[case.roles[LOOKS]] < 0 else "more"
    target = second if effects.looks[case.roles[ADDS]] < 0 else first
    return (
        f"The head that looks hardest at {first} makes {first} {way} likely. "
        f"The head that adds most to {first} looks at {target}."
    )


def _logits(value: float) -> str:
    return f"{signed(value)}\u00a0logits" if abs(value) >= SMALLEST else "less than 0.01 logits"


def cut_words(case: EffectsCase) -> dict[str, Any]:
    """Return the next words before and after the cut as bars, which a click does not select."""
    data = next_word.words_picture(next_word.NextWordCase(case.model, case.prediction))
    return data | {"candidates": [bar | {"word": "", "on": False} for bar in data["candidates"]]}


def cut_lines(case: EffectsCase, maps: AttentionMaps | None) -> list[str]:
    """Return how both words change with the links cut, what is measured with no link cut, and the null."""
    prediction, changes = case.prediction, []
    for number, name in zip(case.effects.ids, case.words, strict=True):
        if prediction.after is not None and number in prediction.sweep.ids:
            index = prediction.sweep.ids.index(number)
            changes.append(f"{name} {moves(float(prediction.probability[index]), float(prediction.after[index]))}")
    change = f"With {cuts.condition(prediction)}, {' and '.join(changes)}." if changes else ""
    uncut = "Arcs are those after the cut; what heads look at, add and change is measured with no link cut."
    null = cuts.no_effect_rate_text(case.model, cuts.studied_weight(prediction, maps))
    return [line for line in (change, uncut, null) if line]


def head_rows(case: EffectsCase, guess: str) -> list[str]:
    """Return each head with a role as a list of its three numbers, below its name."""
    roles: dict[HeadId, list[str]] = {}
    for role, head in case.roles.items():
        roles.setdefault(head, []).append(ROLES[role] + (", your guess" if role == guess else ""))
    return [_head_row(case, head, ", ".join(names)) for head, names in roles.items()]


def _head_row(case: EffectsCase, head: HeadId, role: str) -> str:
    effects, (first, second) = case.effects, case.words
    shares = zip(effects.attention[head], effects.looked_at, strict=True)
    looks = ", ".join(f"{share(float(value))} at *{markdown(word)}*" for value, word in shares)
    matters = "not measured yet"
    if np.isfinite(effects.matters[head]):
        before, after = float(np.exp(effects.log_probability[0])), float(effects.ablated_probability[head][0])
        matters = f"without it the score changes by {_logits(float(effects.matters[head]))}"
        matters = f"{matters} ({first} {moves(before, after)})"
    occurrences = [{effects.tokens[position].word for position in positions} for positions in effects.positions]
    every = " (all occurrences)" if any(len(numbers) > 1 for numbers in occurrences) else ""
    lines = [f"`{head}` {role}"]
    lines += [f"- **looks** {looks}{every}"] if looks else []
    lines += [f"- **adds** {_logits(float(effects.direct[head]))} to {first} over {second}", f"- **matters** {matters}"]
    return "\n".join(lines)


def explanation(case: EffectsCase) -> str:
    """Return the score, the word that heads look at, and what is claimed of the heads."""
    if case.stored:
        return control_text(case)
    sentences, looked_at = [_score(case)], case.effects.looked_at
    if looked_at:
        words_of_text = " minus that to ".join(f"*{markdown(word)}*" for word in looked_at)
        click = " Click another word of the text." if len(looked_at) == 1 else ""
        sentences.append(f"Looks: attention from the last token to {words_of_text}.{click}")
    sentences += map(markdown, case.effects.notes)
    if case.roles:
        sentences.append(
            f"These are the largest numbers of {case.n_heads} heads in this text. Without other texts of its form no "
            "head is called special to it."
        )
    return " ".join((*sentences, MEAN))


def _score(case: EffectsCase) -> str:
    first, second = case.words
    return f"Score: logit of {first} minus logit of {second}, here {signed(case.effects.score, 1)}."


def control_text(case: EffectsCase) -> str:
    """Return how the numbers of the example hold in other sentences of its form and in control texts."""
    assert case.stored is not None
    effects, form, control = case.effects, case.stored.form, case.stored.control
    columns = [form.heads.index(case.roles[role]) for role in (LOOKS, ADDS)] if case.is_named else []
    adds, matters = (
        " and ".join(signed(float(values[:, column].mean())) for column in columns)
        for values in (form.head_adds, form.head_matters)
    )
    ranges = " and ".join(" to ".join(map(signed, form.matched_range[column])) for column in columns)
    counts = control.counts_above(form.limit)
    past = np.abs(effects.matters) > form.limit
    indirect = int((past & (np.abs(effects.direct) < form.limit)).sum())
    means = (
        f"In {form.n_sentences} other sentences of this form these heads add {adds} on average; ablating them changes "
        f"the score by {matters} of {signed(float(form.score.mean()), 1)}. The other heads "
        f"of the layer, moved as far from their outputs, change it by {ranges} (lowest and highest means)."
    )
    return (
        f"{_score(case)} {means if columns else ''} {int(past.sum())} heads change the score by more than "
        f"{form.limit:.2f}, the limit that 99 of 100 ablations of random heads, not matched in size, stay within; "
        f"{indirect} of them add less than that themselves, so they act through later layers. In {len(control.texts)} "
        f"control texts, in which nothing decides between the words, {counts.min()} to {counts.max()} heads pass the "
        f"limit. {MEAN}"
    )


def chart_text(case: EffectsCase) -> str:
    """Return the text alternative of the chart, as plain text."""
    rows = "; ".join(row.replace("\n- ", ", ") for row in head_rows(case, ""))
    return plain(f"{case.n_heads} heads by what they look at and what they add. {rows}")


def size_text(case: EffectsCase) -> str:
    """Return the legend of the sizes in the chart; "" without sizes or a chart."""
    if case.stored or not case.effects.looked_at or not np.isfinite(case.effects.matters).any():
        return ""
    return "Size of a triangle: change of the score without the head."


# ---- component data and tables


def sentence_data(
    case: EffectsCase,
    maps: AttentionMaps | None,
    head: HeadId | None,
    can_select: bool,
    uncut: AttentionMaps | None = None,
) -> dict[str, Any]:
    """Return the text with the arcs of a head; its words can be selected, for the attention to them.

    Its links can be cut if there are the maps with no link cut.
    """
    data, tokens = cuts.text_data(case.prediction, maps, head, uncut=uncut), case.prediction.sweep.tokens
    if not can_select:
        return data
    options, words_of_tokens = word_options(case.prediction), [tokens[number].word for number in data["positions"]]
    keys = {position for positions in case.effects.positions for position in positions}
    data["select"] = {
        "numbers": [number if number in options else None for number in words_of_tokens],
        "selected": [position in keys for position in data["positions"]],
        "label": "Select the word that heads look at",
    }
    return data


def chart_values(case: EffectsCase) -> dict[str, Any]:
    """Return what `mha.figures.charts.effect_scatter` draws: the numbers of all heads; heads with a role are named."""
    effects = case.effects
    return {
        LOOKS: effects.looks, ADDS: effects.direct, MATTERS: effects.matters, "words": effects.words,
        "looked_at": effects.looked_at, "bold": [str(head) for head in case.roles.values()],
        "limit": case.stored.form.limit if case.stored else None,
    }  # fmt: skip


def table(case: EffectsCase) -> Mapping[str, Any]:
    """Return all heads with their three numbers, as columns; without looks if there is no word to look at."""
    effects = case.effects
    columns = {LOOKS: effects.looks, ADDS: effects.direct, MATTERS: effects.matters}
    heads = [str(head) for head in heads_of(*effects.direct.shape)]
    measured = {name: values.ravel() for name, values in columns.items() if np.isfinite(values).any()}
    return {"head": heads, **measured}


def export(case: EffectsCase, link: str = "") -> Table:
    """Return `table` with the source of its numbers, for a download."""
    looked_at = " minus ".join(case.effects.looked_at) or "no word"
    about = f"looks: attention to {looked_at}; adds, matters: logits of {' minus '.join(case.effects.words)}. {MEAN}"
    return sourced_table(table(case), (case.effects.text,), case.model, about, link)
