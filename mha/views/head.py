"""The page of one head: where it looks, its strongest sentences, its effect, similar heads; sentences and data."""

import html
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from mha.analysis.profiles import LAYERS_APART, N_MATCHED, Connection, size_matched
from mha.analysis.roles import main_kind
from mha.formats import clean, in_figures, in_words, join_list, number, percent, whole_percent
from mha.maps import HeadId
from mha.views.whole import COSINE, NATS, WholeModel, similar_caption, value_text
from mha.words import split, words

UNIT = "\u00a0%"
BAND = (5, 95)  # per cent of the heads: the middle 90 %
FIRST_HEAD_BY_CHANCE = f"One head in {in_words(N_MATCHED + 1)} is first by chance."


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
BEFORE = AttendedPlace("previous_word", "the word before, if there is one", "the word before")
AFTER = AttendedPlace("next_word", "the next word, if there is one", "the next word")
ELSEWHERE = AttendedPlace("elsewhere", "an earlier copy of the word", "an earlier copy of it")
INDUCTION = AttendedPlace("induction", "what followed an earlier copy of the word", "what followed an earlier copy")


def places(case: WholeModel) -> tuple[AttendedPlace, ...]:
    """Return the kinds of position with shares, without the kinds that the texts lack."""
    causal = (FIRST_WORD, SAME, BEFORE, ELSEWHERE, INDUCTION)
    bidirectional = (SINKS, SAME, BEFORE, AFTER, INDUCTION)
    kinds = causal if case.model.causal else bidirectional
    measures = case.profiles.measures
    return tuple(place for place in kinds if np.nanmax(measures.get(place.key, np.zeros(1))) > 0)


def main_place(head: Head) -> AttendedPlace:
    """Return the kind of position with most of a head's attention."""
    everywhere = [place for place in places(head.case) if place not in (ELSEWHERE, INDUCTION)]
    return max(everywhere, key=lambda place: np.nan_to_num(head.value(place.key)))


# ---- sentences


def finding(head: Head) -> str:
    """Return the main sentence: the place with most attention, and the kind of its strongest connections."""
    place = main_place(head)
    subject = "It" if head.case.profiles.is_bundled else "In this sentence it"
    share = f"{subject} gives {percent(head.value(place.key))} of its attention to {place.name}."
    return f"{share} {kind_sentence(head, place)}".strip()


def kind_sentence(head: Head, place: AttendedPlace) -> str:
    """Return the common property of the strongest connections, a kind that code can count; "" without one."""
    if not head.case.profiles.is_bundled:
        return ""
    if not head.connections:
        return "Elsewhere it gives no word more than twice an even share."
    texts = head.case.profiles.texts
    kind = main_kind(
        [(texts[connection.sentence], connection.query, connection.key) for connection in head.connections]
    )
    if kind is None or kind[1] == 1:  # one sentence is not a pattern
        return ""
    where = "elsewhere" if place in (SINKS, FIRST_WORD) else "to one word"
    count, n = in_words(kind[1]), in_words(len(head.connections), "sentence")
    return f"Where it attends {where} most, it attends to {kind[0]}: in {count} of {n}."


def places_title(case: WholeModel) -> str:
    """Return the title of the shares."""
    return "Where it usually looks" if case.profiles.is_bundled else "Where it looks in this sentence"


def places_caption(case: WholeModel) -> str:
    """Return the legend of the shares."""
    contribution = " Contribution: the share of it from there." if case.profiles.contributions else ""
    return (
        f"Median and middle 90\u00a0%: of {len(case.heads)} heads.{contribution} Shares of another word: from words "
        "that have one."
    )


def sentences_caption(head: Head) -> str:
    """Return the rule that picks the sentences."""
    return (
        "One connection a sentence: the largest share that does not go to a sink, if it exceeds twice an even share; "
        f"picked from {in_figures(head.case.profiles.n_sentences, 'sentence')} for being large. Each opens on Heads."
    )


def effect_sentence(head: Head) -> str:
    """Return the effect of ablation, next to that of heads of similar size."""
    case, effect = head.case, head.value("effect")
    matched = size_matched(case.values("deviation"), head.id)
    effects = np.array([case.values("effect")[similar_head] for similar_head in matched])
    n_more = int((np.abs(effects) >= abs(effect)).sum())
    unit, verb, changed, basis = COSINE, "turns", "the text’s vector (1 − cosine)", ""
    if case.profiles.n_places:
        unit, verb, changed = NATS, "lowers" if effect < 0 else "raises", "the log-probability of the next token"
        basis = f"{case.profiles.n_places:,} places of "
    low, middle, high = (value_text(float(value), unit) for value in np.percentile(effects, (0, 50, 100)))
    return (
        f"Ablated, it {verb} {changed} by {value_text(abs(effect), unit)} on average, over {basis}"
        f"{case.profiles.n_ablated} sample sentences. Heads of similar size with at least as large an effect, up or "
        f"down: {in_words(n_more)} of {in_words(len(matched))} (median {middle}, {low} to {high}). "
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


def similar_sentence(head: Head) -> str:
    """Return the most similar heads with their cosines, "" for the only head of a model."""
    similar = [f"`{row.head}` ({number(row.cosine)})" for row in head.case.profiles.similar[head.index]]
    return f"Most similar heads: {join_list(similar)}. {similar_caption(head.case)}" if similar else ""


def method(head: Head) -> str:
    """Return how the numbers of this page are measured."""
    lines = [
        "**Shares** are shares of all attention from words, averaged over sentences; nothing is rescaled.",
        "**Sinks**: special tokens, final marks, in causal models the first word, and words that most heads of several "
        "layers attend to whatever the query. A connection is listed if it exceeds twice an even share of its row.",
    ]
    if head.case.profiles.is_bundled:
        lines += [
            "**Contribution**: norm of weight × value · W_O, as a share of that of all keys (Kobayashi et al. 2020).",
            f"**Heads of similar size**: the {in_words(N_MATCHED)} heads nearest in length of deviation from the mean "
            f"output, at most {in_words(LAYERS_APART)} layers away.",
            "**Ablation** replaces the output by its mean over the sample sentences, at all positions. One head alone "
            "can have a small effect because others do the same.",
        ]
    return "\n".join(f"- {line}" for line in lines)


# ---- component data


def places_table(head: Head) -> str:
    """Return the share of each place in Markdown, next to the median and the middle 90 % of all heads."""
    contributions = head.case.profiles.contributions
    lines = [
        "| attention to | this head | median | middle 90\u00a0% |" + (" contribution |" if contributions else ""),
        "|:--|--:|--:|--:|" + ("--:|" if contributions else ""),
    ]
    for place in places(head.case):
        values = head.case.values(place.key)
        low, middle, high = np.percentile(values[np.isfinite(values)], (BAND[0], 50, BAND[1])).tolist()
        band = f"{percent(low).removesuffix(UNIT)}–{percent(high)}"
        line = f"| {place.label} | **{percent(head.value(place.key))}** | {percent(middle)} | {band} |"
        contribution = contributions.get("sinks" if place is SINKS else place.key)
        if contributions:
            line += f" {'' if contribution is None else percent(float(contribution[head.id]))} |"
        lines.append(line)
    return "\n".join(lines)


def connections_list(head: Head) -> str:
    """Return the strongest connections as a list in HTML, each with its sentence, which is a link to Heads."""
    items = []
    for connection in head.connections:
        text = head.case.profiles.texts[connection.sentence]
        names = words(text)
        query, key = html.escape(names[connection.query]), html.escape(names[connection.key])
        target = "itself" if connection.query == connection.key else f"<em>{key}</em>"
        address = html.escape("./?" + urlencode(heads_link(head, text, connection)))
        share = f"{whole_percent(connection.share)}\u00a0%"
        items.append(
            f"<li><b><em>{query}</em> → {target}</b> {share}: "
            f'<a href="{address}" dir="auto">{html.escape(clean(text))}</a></li>'
        )
    return f"<ol>{''.join(items)}</ol>"


def heads_link(head: Head, text: str, connection: Connection | None = None) -> dict[str, str]:
    """Return the parameters of a link to Heads: this head pinned, and the connection's query as the selected word."""
    params = {"v": "1", "model": head.case.model.name, "text": text, "pins": str(head.id)}
    if connection is None:
        return params
    position = next(n for n, piece in enumerate(split(text)) if piece.word == connection.query)
    position += not head.case.model.causal  # an encoder's axis begins with [CLS]
    return params | {"lock": str(position), "look": "from"}


def next_word_link(head: Head) -> dict[str, str]:
    """Return the parameters of a link to Next word: this head ablated and shown."""
    return {"v": "1", "model": head.case.model.name, "ablate": str(head.id), "head": str(head.id)}
