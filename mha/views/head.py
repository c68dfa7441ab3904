"""The page of one head: where it looks, its strongest sentences, its effect, similar heads; sentences and data."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.analysis.patterns import main_kind
from mha.analysis.profiles import LAYERS_APART, N_MATCHED, Connection, size_matched
from mha.formats import in_figures, in_words, markdown, number, percent, signed, whole_percent
from mha.maps import HeadId
from mha.views.shares import ordinal
from mha.views.whole import COSINE, NATS, WholeModel, value_text
from mha.words import right_to_left, split, words

BAND = (5, 95)  # per cent of the heads: the middle 90 %
FIRST_HEAD_BY_CHANCE = f"One head in {in_words(N_MATCHED + 1)} is first by chance."
MOST_QUERIES = 3  # words that arcs start at which are named
LEAST_QUERY = 3  # arcs that start at a word that is named


@dataclass(frozen=True)
class Head:
    """One head of a model: its numbers are in ``case``."""

    case: WholeModel
    id: HeadId

    @property
    def index(self) -> int:
        """Its number among all heads."""
        return self.case.profiles.index(self.id)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """Its strongest connections, the largest share first."""
        return self.case.profiles.connections[self.index]

    @property
    def neighbours(self) -> tuple[HeadId | None, HeadId | None]:
        """The heads before and after it, or None at an end."""
        heads = self.case.heads
        previous = heads[self.index - 1] if self.index else None
        return previous, heads[self.index + 1] if self.index + 1 < len(heads) else None

    def value(self, key: str) -> float:
        """Return its value of a measure."""
        return float(self.case.values(key)[self.id])


@dataclass(frozen=True)
class AttendedPlace:
    """A place that heads attend to: the measure of its share, and its name in a sentence and in the chart."""

    key: str
    name: str
    label: str


SINKS = AttendedPlace("sink_share", "special tokens and final marks", "special tokens, final marks")
FIRST_WORD = AttendedPlace("first_token", "the first word", "the first word")
SAME = AttendedPlace("same_word", "the word itself", "the word itself")
BEFORE = AttendedPlace("previous_word", "the word before", "the word before")
AFTER = AttendedPlace("next_word", "the next word", "the next word")
ELSEWHERE = AttendedPlace("elsewhere", "an earlier copy of the word", "an earlier copy of it")
INDUCTION = AttendedPlace("induction", "what followed an earlier copy of the word", "what followed an earlier copy")


def places(case: WholeModel) -> tuple[AttendedPlace, ...]:
    """Return the kinds of position with shares, without the kinds that the texts lack."""
    causal = (FIRST_WORD, SAME, BEFORE, ELSEWHERE, INDUCTION)
    bidirectional = (SINKS, SAME, BEFORE, AFTER, INDUCTION)
    kinds = causal if case.model.causal else bidirectional
    measures = case.profiles.measures
    return tuple(place for place in kinds if np.nanmax(measures.get(place.key, np.zeros(1))) > 0)


def main_place(head: Head) -> AttendedPlace | None:
    """Return the kind of position with most of a head's attention, or None if there is no attention."""
    everywhere = [place for place in places(head.case) if place not in (ELSEWHERE, INDUCTION)]
    return max(everywhere, key=lambda place: np.nan_to_num(head.value(place.key)), default=None)


# ---- sentences


def finding(head: Head) -> str:
    """Return the main sentence: the place with most attention, and the kind of its strongest connections."""
    place = main_place(head)
    if place is None:
        return "In this text there is no other word to attend to."
    share = f"It gives {percent(head.value(place.key))} of its attention to {place.name}."
    if not head.case.profiles.is_bundled:
        share = f"In this sentence it gives {percent(head.value(place.key))} of its attention to {place.name}."
    return f"{share} {kind_sentence(head, place)}".strip()


def kind_sentence(head: Head, place: AttendedPlace) -> str:
    """Return the common property of the strongest connections: a kind that code can count, else their distance."""
    n = len(head.connections)
    if not head.case.profiles.is_bundled:
        return ""
    if not n:
        return "Elsewhere it gives no word more than twice an even share."
    is_sink = place in (SINKS, FIRST_WORD)
    start = (
        "Where it attends elsewhere most, it attends" if is_sink else "Where it attends to one word most, it attends"
    )
    texts = head.case.profiles.texts
    kind = main_kind(
        [(texts[connection.sentence], connection.query, connection.key) for connection in head.connections]
    )
    if kind is None:
        return f"{start} {distance_text(head)}."
    name, count = kind
    if count == n:
        all_sentences = {1: "the one sentence", 2: "both sentences"}.get(n, f"all {in_words(n)} sentences")
        return f"{start} to {name}: in {all_sentences} below."
    return f"{start} to {name}: in {in_words(count)} of {in_words(n)} sentences."


def distance_text(head: Head) -> str:
    """Return how far the strongest connections reach, and in which direction."""
    steps = [connection.key - connection.query for connection in head.connections]
    sizes = sorted(abs(step) for step in steps)
    span = f"{sizes[0]} to {in_figures(sizes[-1], 'word')}" if sizes[0] != sizes[-1] else in_figures(sizes[0], "word")
    n_back, n_on = sum(step < 0 for step in steps), sum(step > 0 for step in steps)
    if n_back == len(steps):
        return f"{span} back"
    if n_on == len(steps):
        return f"{span} ahead"
    return f"up to {in_figures(sizes[-1], 'word')} away, back in {in_words(n_back)} of {in_words(len(steps))} sentences"


def size_sentence(head: Head) -> str:
    """Return the effect of ablation, and the deviation of the head's output from its mean, with its rank."""
    case = head.case
    measurement = f"Measured {case.place}, with all heads on."
    if not case.profiles.is_bundled:
        return measurement
    deviation = case.values("deviation")
    rank = 1 + int((deviation > deviation[head.id]).sum())
    order = "the largest" if rank == 1 else f"the {ordinal(rank)} largest"
    return (
        f"{measurement} Its output departs from its mean by a length of {number(deviation[head.id], 2)}, {order} of "
        + (f"{deviation.size}.")
    )


def places_title(case: WholeModel) -> str:
    """Return the title of the shares."""
    return "Where it usually looks" if case.profiles.is_bundled else "Where it looks in this sentence"


def places_caption(case: WholeModel) -> str:
    """Return the legend of the shares."""
    ring = " Ring: share of its contribution." if case.profiles.contributions else ""
    rows = [place for place in places(case) if place in (ELSEWHERE, INDUCTION)]
    last = {0: "", 1: " Last row: from words that have one.", 2: " Last two rows: from words that have one."}[len(rows)]
    return f"Bar: this head. Band: middle 90\u00a0% of {len(case.heads)} heads; tick: their median.{ring}{last}"


def sentences_caption(head: Head) -> str:
    """Return the rule that picks the sentences, and the words at which many of their arcs start."""
    counts = Counter(
        words(head.case.profiles.texts[connection.sentence])[connection.query].casefold()
        for connection in head.connections
    )
    common = [(word, count) for word, count in counts.most_common(MOST_QUERIES) if count >= LEAST_QUERY]
    starts = "".join(f" {in_words(count).capitalize()} arcs start at *{markdown(word)}*." for word, count in common)
    return (
        "One connection a sentence: the largest share that does not go to a sink, if it exceeds twice an even share; "
        f"picked from {head.case.profiles.n_sentences} sentences for being large.{starts} Each opens on Heads."
    )


def effect_sentence(head: Head) -> str:
    """Return the effect of ablation, next to that of heads of similar size."""
    case, effect = head.case, head.value("effect")
    matched = size_matched(case.values("deviation"), head.id)
    effects = np.array([case.values("effect")[similar_head] for similar_head in matched])
    n_more = int((np.abs(effects) >= abs(effect)).sum())
    unit = NATS if case.profiles.n_places else COSINE
    size = value_text(abs(effect), unit)
    if case.profiles.n_places:
        verb = "lowers" if effect < 0 else "raises"
        effect_text = (
            f"Ablated, it {verb} the log-probability of the next token by {size} on average, over "
            f"{case.profiles.n_places:,} places of {case.profiles.n_ablated} sample sentences."
        )
    else:
        effect_text = (
            f"Ablated, it turns the vectors of {case.profiles.n_ablated} sample sentences by {size} on average "
            "(1 − cosine)."
        )
    comparison = (
        f"Of {in_words(len(matched))} heads of similar size, {in_words(n_more)} {'has' if n_more == 1 else 'have'}"
    )
    median, either = float(np.median(effects)), ", in either direction" if unit == NATS else ""
    show = _signed_nats(median) if unit == NATS else value_text(median, unit)
    return (
        f"{effect_text} {comparison} at least as large an effect{either} (median {show}). "
        f"{verdict(n_more, len(matched))}"
    )


def verdict(n_more: int, n_matched: int) -> str:
    """Return whether an effect is larger than that of heads of similar size.

    >>> verdict(0, 10), verdict(3, 10), verdict(5, 10)
    ('So it is larger than theirs. One head in 11 is first by chance.', \
'So it is larger than that of most of them.', 'So it is no larger than usual for a head of this size.')
    """
    if 2 * n_more >= n_matched:
        return "So it is no larger than usual for a head of this size."
    if n_more:
        return "So it is larger than that of most of them."
    return f"So it is larger than theirs. {FIRST_HEAD_BY_CHANCE}"


def similar_caption(head: Head) -> str:
    """Return what similarity is, and on which sentence the maps are."""
    median = number(head.case.profiles.median_cosine)
    sentence = markdown(head.case.profiles.sentence_of(head.id))
    return (
        f"Cosine of all connections from word to word, sinks left out; median of all pairs {median}. Maps: "
        f"“{sentence}” Darker: a larger share. Grey bar: share of sinks. Heads that look alike need not act alike."
    )


def method(head: Head) -> str:
    """Return how the numbers of this page are measured."""
    lines = [
        "**Shares** are shares of all attention from words, averaged over sentences; nothing is rescaled.",
        "**Contribution**: norm of weight × value · W_O, as a share of that of all keys (Kobayashi et al. 2020).",
        "**Sinks**: special tokens, final marks, in causal models the first word, and words that most heads of several "
        "layers attend to whatever the query. A connection is listed if it exceeds twice an even share of its row.",
        f"**Heads of similar size**: the {in_words(N_MATCHED)} heads nearest in length of deviation from the mean "
        f"output, at most {in_words(LAYERS_APART)} layers away.",
    ]
    case = head.case
    if case.profiles.is_bundled:
        lines.append(
            "**Ablation** replaces the output by its mean over the sample sentences, at all positions. One head alone "
            "can have a small effect because others do the same."
        )
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def places_data(head: Head) -> dict[str, Any]:
    """Return the share of each place, in per cent, with the band and the median of all heads."""
    rows = []
    for place in places(head.case):
        values = head.case.values(place.key)
        finite = values[np.isfinite(values)]
        low, high = np.percentile(finite, BAND)
        value = head.value(place.key)
        kind = "sinks" if place is SINKS else place.key
        contribution = head.case.profiles.contributions.get(kind)
        n_more = int((finite > value).sum())
        middle = float(np.median(finite))
        text = "no head more" if not n_more else f"{n_more} {'head' if n_more == 1 else 'heads'} more"
        rows.append({
            "name": place.label, "value": _percents(value), "low": _percents(low), "high": _percents(high),
            "median": _percents(middle), "ring": None if contribution is None else _percents(contribution[head.id]),
            "text": percent(value), "note": text,
            "label": f"{place.label}: {percent(value)}; middle 90 % of heads {percent(low)} to {percent(high)}, median "
                     f"{percent(middle)}; {text}" + _contribution_label(contribution, head.id),
        })  # fmt: skip
    return {"label": places_title(head.case), "rows": rows}


def _contribution_label(contribution: np.ndarray | None, head: HeadId) -> str:
    return "" if contribution is None else f"; share of contribution {percent(float(contribution[head]))}"


def _percents(share: float) -> float:
    return round(100 * float(np.nan_to_num(share)), 1)


def sentences_data(head: Head) -> dict[str, Any]:
    """Return the strongest sentences, each with its connection and a link to Heads."""
    rows = []
    for connection in head.connections:
        text = head.case.profiles.texts[connection.sentence]
        pieces, names = split(text), words(text)
        query, key = names[connection.query], names[connection.key]
        end = f"{whole_percent(connection.share)} % of its attention"
        target = "itself" if connection.query == connection.key else key
        rows.append({
            "pieces": [
                {"text": piece.text, "word": piece.word, "space": bool(n) and piece.start > pieces[n - 1].end}
                for n, piece in enumerate(pieces)
            ],
            "query": connection.query, "key": connection.key, "percent": whole_percent(connection.share),
            "rtl": right_to_left(text), "params": heads_link(head, text, connection),
            "label": f"{query} gives {target} {end}: {text}",
        })  # fmt: skip
    return {"head": str(head.id), "label": f"Strongest connections of {head.id}", "rows": rows}


def heads_link(head: Head, text: str, connection: Connection | None = None) -> dict[str, str]:
    """Return the parameters of a link to Heads: this head pinned, and the connection's query as the selected word."""
    params = {"v": "1", "model": head.case.model.name, "text": text, "pins": str(head.id)}
    if connection is None:
        return params
    position = next(n for n, piece in enumerate(split(text)) if piece.word == connection.query)
    position += not head.case.model.causal  # an encoder's axis begins with [CLS]
    return params | {"lock": str(position), "look": "from"}


def similar_data(head: Head) -> dict[str, Any]:
    """Return the maps of the head and of similar heads on one sentence, each with its cosine and its share of sinks."""
    case = head.case
    maps = case.profiles.maps[head.index]  # [head, query, key]
    similar = case.profiles.similar[head.index]
    names = [(head.id, "this head"), *((similar_head.head, number(similar_head.cosine)) for similar_head in similar)]
    rows = []
    for (similar_head, note), weights in zip(names, maps, strict=True):
        sinks = float(case.values("sink_share")[similar_head])
        spoken = "this head" if similar_head == head.id else f"cosine {note}"
        rows.append({
            "head": str(similar_head), "note": note, "is_own": similar_head == head.id, "size": int(weights.shape[-1]),
            "cells": weights.ravel().tolist(), "sinks": _percents(sinks),
            "label": f"{similar_head}, {spoken}, {percent(sinks)} of its attention to sinks",
        })  # fmt: skip
    return {"label": f"Heads similar to {head.id}", "is_causal": case.model.causal, "rows": rows}


def strip_values(head: Head) -> tuple[list[str], np.ndarray, float]:
    """Return the names and effects of heads of similar size, and the head's own effect."""
    matched = size_matched(head.case.values("deviation"), head.id)
    effects = np.array([head.case.values("effect")[similar_head] for similar_head in matched])
    return [str(similar_head) for similar_head in matched], effects, head.value("effect")


def strip_label(head: Head) -> str:
    """Return the text alternative of the strip."""
    _, effects, effect = strip_values(head)
    unit = NATS if head.case.profiles.n_places else COSINE
    show = _signed_nats if unit == NATS else (lambda value: value_text(value, unit))
    low, middle, high = (show(float(value)) for value in (effects.min(), np.median(effects), effects.max()))
    return f"Effect of ablating {head.id}: {show(effect)}. Heads of similar size: {low} to {high}, median {middle}."


def _signed_nats(value: float) -> str:
    return f"{signed(value, 4)}\u00a0nats"


def strip_title(case: WholeModel) -> str:
    """Return the title of the strip's axis."""
    if case.profiles.n_places:
        return "change of the next token’s log-probability without the head, nats"
    return "1 − cosine of the text’s vector with and without the head"


def strip_caption() -> str:
    """Return the legend of the strip."""
    return f"Filled: this head. Rings: {in_words(N_MATCHED)} heads of similar size, at most {LAYERS_APART} layers away."


def next_word_link(head: Head) -> dict[str, str]:
    """Return the parameters of a link to Next word: this head ablated and shown."""
    return {"v": "1", "model": head.case.model.name, "ablate": str(head.id), "head": str(head.id)}
