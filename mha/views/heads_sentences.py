"""The sentences of Heads that its component shows, as spans; pointing at a head fills templates without the server.

Every share is one of all attention of the word that looks.
"""

from collections.abc import Sequence

import numpy as np

from mha.analysis.looks import LEAST, AskedConnection, Look, impossible_connections
from mha.analysis.opening import LEAST as LEAST_RISE
from mha.analysis.readings import FIRST_WORD, first_word
from mha.analysis.roles import mostly_near
from mha.analysis.shuffles import ShuffleControl
from mha.analysis.sinks import ATTENDS, measured_layers, sinks_by_position
from mha.analysis.usual import looking
from mha.formats import join_list, labels, percent, truncate
from mha.maps import AttentionMaps, HeadId, Token
from mha.views.heads import HeadsCase, maps_by_word
from mha.views.spans import Spans, enumerated, spans, word

UNUSUAL = 0.05  # p of a share
AT = "In head {head}, {query} gives {percent} of its attention to {key}."
FROM = "From {query}, {head} gives {percent} of its attention to {key}."
NOTHING = {  # by the direction of the selected word
    "": "In head {head}, no {unit} gives another {unit} as much as 1\u00a0% of its attention.",
    "at": "In head {head}, no other {unit} gives {word} as much as 1\u00a0% of its attention.",
    "from": "In head {head}, {word} gives less than 1\u00a0% of its attention to any other {unit}.",
}
NEAR_ONLY = "In this sentence these heads mostly look at the word itself and its neighbours."
TWO_WORDS = "With only two words, a word can look at itself or at the other one. A longer sentence shows more."
ONE_HEAD = "These maps are of a single head, so there is no other to compare it with."
ONE_WORD_AGAIN = "This text repeats a single word, so heads cannot differ in the word they look at."
AGREED = "In this sentence, no two heads clearly differ in where they look from the same word, compared with {usual}."
ASK = "{Click} a word to see which heads look at it."
NO_WORD = "{word} is not a word here: it is punctuation or collects leftover attention. Choose another word."
PREVIEW: Spans = (("muted", "Preview. {Click} to pin this head."),)
RELEASE: Spans = (("muted", "Pinned. {Click} to unpin this head."),)
ABLATED = (
    "Without {heads}: each head’s output is replaced by its mean, and all numbers are those of the ablated model. "
)
ONLY_WORD = "{word} is the only word, so it has no other word to look at."
AS_TOKENS = " For the model it is {n} tokens. Choose tokens in Options to see where each looks."
NAMED = 3  # words that the first line of an answer names
NEAR = 2  # words away that are no distance worth a sentence


def look_template(case: HeadsCase) -> Spans:
    """Return the sentence about a head's connection, for a browser to fill."""
    return spans(AT if case.word is None or case.look == "at" else FROM)


def nothing_template(case: HeadsCase, head: HeadId | None = None) -> Spans:
    """Return the sentence about a head without a connection of 1 %, for a browser to fill unless ``head`` is given."""
    direction = "" if case.word is None else "at" if case.look == "at" else "from"
    slots = {} if head is None else {"head": head}
    return spans(NOTHING[direction], unit=case.maps.units.removesuffix("s"), word=_selected(case), **slots)


def finding(case: HeadsCase, looks: Sequence[Look | None]) -> tuple[Spans, ...]:
    """Return the main sentences: the first connection of an answer, else those of the first two pinned heads.

    ``looks`` has the connection of each pinned head. A text in which heads cannot differ has a sentence of its own.
    """
    special = _special(case)
    if special:
        return special
    rows, columns = labels(case.maps.tokens), labels(case.maps.key_tokens)
    pins = case.pins[:2]
    if case.word is not None and case.look != "at" and all(look is None or look.query == case.word for look in looks):
        return (_from_one_word(case, pins, looks),)
    template = AT if case.word is None or case.look == "at" else FROM
    return tuple(
        nothing_template(case, head)
        if look is None
        else spans(template, head=head, query=word(rows[look.query]), key=word(columns[look.key]),
                   percent=percent(look.weight))
        for head, look in zip(pins, looks, strict=False)
    )  # fmt: skip


def _special(case: HeadsCase) -> tuple[Spans, ...]:
    """Return the sentence for a text of one word, and for an opening that found no two heads that differ."""
    if case.full.kind != "self":
        return ()
    words = [token.text for token in (maps_by_word(case.recorded) or case.recorded).tokens if token.word is not None]
    word_tokens = [token for token in case.full.tokens if token.word is not None]
    if len(words) == 1:
        if len(word_tokens) > 1:  # its tokens may look at each other
            return ()
        n_tokens = sum(token.word is not None for token in case.recorded.tokens)
        tokens = spans(AS_TOKENS, n=str(n_tokens)) if n_tokens > 1 else ()
        return ((*spans(ONLY_WORD, word=word(truncate(words[0]))), *tokens),)
    if case.word is not None or not case.is_automatic or not words:
        return ()
    pinned = tuple(np.array(case.pins).T)
    usual = "what they usually do" if case.habit is not None else "an even spread"
    sentence = NEAR_ONLY if mostly_near(looking(case.full))[pinned].all() else AGREED.replace("{usual}", usual)
    if len(case.full.heads) == 1:
        sentence = ONE_HEAD
    elif len({text.casefold() for text in words}) == 1:
        sentence = ONE_WORD_AGAIN
    elif len(words) == 2:
        sentence = TWO_WORDS
    return (spans(f"{sentence} {ASK}"),)


def _from_one_word(case: HeadsCase, pins: Sequence[HeadId], looks: Sequence[Look | None]) -> Spans:
    """Return in one sentence what the first two heads give from the selected word."""
    columns, unit = labels(case.maps.key_tokens), case.maps.units.removesuffix("s")
    parts = list(spans("From {word}", word=_selected(case)))
    for place, (head, look) in enumerate(zip(pins, looks, strict=False)):
        attention = "" if place else " of its attention"
        start = ", and {head} gives" if place else ", {head} gives"
        if look is None:
            parts += spans(f"{start} no other {unit} as much as 1\u00a0%{attention}", head=head)
        else:
            share, key = percent(look.weight), word(columns[look.key])
            parts += spans(f"{start} {{share}}{attention} to {{key}}", head=head, share=share, key=key)
    return (*parts, ("plain", "."))


def _selected(case: HeadsCase) -> tuple[str, str]:
    return word("" if case.word is None else labels(case.maps.key_tokens)[case.word])


def missing_candidates(case: HeadsCase) -> tuple[Spans, ...]:
    """Return what is said of candidates without a head in the opening, or why a candidate can have none."""
    if not case.readings:
        return ()
    word_maps = maps_by_word(case.recorded) or case.recorded
    a, b, ambiguous = candidates(case)
    if word_maps.tokens[0].word in a | b | ambiguous and (first := first_word(word_maps, (0,))):
        return (spans(FIRST_WORD, model=word_maps.model or "this model", word=word(first)),)
    if not case.is_automatic:
        return ()
    names = {token.word: label for token, label in zip(word_maps.tokens, labels(word_maps.tokens), strict=True)}
    more = f"{round(100 * LEAST_RISE)} percentage points more attention than "
    more += "usual" if case.habit is not None else "an even share"
    pivot = word(" or ".join(names[number] for number in sorted(ambiguous)))
    missing = [numbers for side, numbers in (("a", a), ("b", b)) if side not in case.opening.sides]
    return tuple(
        spans(f"Between {{pivot}} and {{other}}, no head gives {more}.", pivot=pivot,
              other=word(" or ".join(names[number] for number in sorted(numbers))))
        for numbers in missing
    )  # fmt: skip


def candidates(case: HeadsCase) -> tuple[set[int], set[int], set[int]]:
    """Return the numbers of the words of candidates A and B, and of the ambiguous word; a shared word is of neither."""
    if not case.readings or case.maps.kind != "self":
        return set(), set(), set()
    first, second = ({int(partner) for _, partner in reading.links} for reading in case.readings)
    ambiguous = {int(pivot) for reading in case.readings for pivot, _ in reading.links}
    return first - second or first, second - first or second, ambiguous


def control_line(control: ShuffleControl | None) -> str:
    """Return in how many shuffled copies the best of all heads reaches the share; "" without copies."""
    if control is None or control.p is None:
        return ""
    verdict = "Unusual" if control.p <= UNUSUAL else "Not unusual"
    reach = "reaches" if control.n_reached == 1 else "reach"
    return f"{verdict}: {control.n_reached} of {control.n_copies} shuffled copies {reach} this. "


def note(case: HeadsCase, usual: Sequence[float], control: str = "") -> Spans:
    """Return the line below the finding: ablated heads, the control or what is usual, and the next step.

    ``usual`` has the usual share of each connection of the finding, NaN if it is unknown.
    """
    ablated = ABLATED.replace("{heads}", join_list([str(head) for head in case.choice.ablated]))
    parts = [ablated if case.choice.ablated else "", control]
    if not control and usual and not np.isnan(usual).any():
        shares = " and ".join(percent(share) for share in usual)
        heads = "this head gives" if len(usual) == 1 else "these heads give"
        parts.append(f"Usually {heads} {shares} at {'this distance' if len(usual) == 1 else 'these distances'}. ")
    if len(case.pins) > 2 and case.answers is None:
        parts.append("The sentence shows pins 1 and 2. {Point} at another pin to show it here. ")
    asks: Spans = (("next", ASK),) if case.maps.kind == "self" and case.maps.n_keys > 1 else ()
    return (*spans("".join(parts)), *asks)


# ---- a word that is asked about


def answer_about(case: HeadsCase) -> Spans:
    """Return how the lists about a word are ordered, or why there are none."""
    if case.answers is None:
        return spans(NO_WORD, word=_selected(case))
    units = "" if case.full.units == "words" else " Measured on whole words."
    if case.habit is None:
        return spans(f"Strongest first. Percentages are shares of all attention from the word that looks.{units}")
    return spans(
        "Furthest above usual first. Bar: share of all attention from the word that looks; tick: usual share at this "
        f"distance.{units}"
    )


def answer_line(case: HeadsCase, rows: Sequence[AskedConnection], looks_at: bool) -> Spans:
    """Return the first line of one list: how many connections there are, and with which words."""
    name, has_usual = _selected(case), case.habit is not None
    word_maps = maps_by_word(case.recorded) or case.recorded
    points = f"{round(100 * LEAST)} percentage points"
    if not rows:
        number = case.full.tokens[case.kept[case.word or 0]].word
        if len({(token.segment, token.word) for token in word_maps.tokens if token.word is not None}) == 1:
            return spans("There is no other word in this text.")
        reason = impossible_connections(case.full, number or 0)[1 if looks_at else 0]
        if reason:
            return spans(reason, word=name)
        more = f"{points} more than usual" if has_usual else f"as much as {percent(LEAST)} of its attention"
        if looks_at:
            return spans(f"In no head does another word give {{word}} {more}.", word=name)
        return spans(f"From {{word}}, no head gives another word {more}.", word=name)
    texts, targets = labels(word_maps.tokens), list(dict.fromkeys(row.other for row in rows))
    target_names = [word(texts[place]) for place in targets[:NAMED]] + [("plain", "others")] * (len(targets) > NAMED)
    size = (
        f"{'is' if len(rows) == 1 else 'are'} {points} or more above usual"
        if has_usual
        else f"of {percent(LEAST)} or more"
    )
    count = "1 connection" if len(rows) == 1 else f"{len(rows)} connections"
    line = f"{count} {size}: {'from' if looks_at else 'to'} {{others}}.{_distance(case, word_maps.tokens, rows)}"
    return spans(line, others=enumerated(target_names))


def _distance(case: HeadsCase, tokens: Sequence[Token], rows: Sequence[AskedConnection]) -> str:
    """Return how many of the connections are longer than two words, if some could be."""
    places = [place for place, token in enumerate(tokens) if token.word is not None]
    number = {place: count for count, place in enumerate(places)}
    selected = case.full.tokens[case.kept[case.word or 0]]
    start = next(number[place] for place in places if tokens[place].word == selected.word)
    if max(start, len(places) - 1 - start) <= NEAR:
        return ""
    far = sum(abs(number[row.other] - start) > NEAR for row in rows)
    if far in (0, len(rows)):
        subject = "It is" if len(rows) == 1 else "All are"
        return f" {subject} {'more than two words away' if far else 'within two words'}."
    return f" {far} {'is' if far == 1 else 'are'} more than two words away."


# ---- attention sinks


def sink_names(sinks: Sequence[Token], text: str = "") -> str:
    """Return the sinks as sentences name them, each once: ``[CLS], [SEP] and the final “.”``."""
    ordered = sorted(sinks, key=lambda token: not token.special)
    return join_list(list(dict.fromkeys(_sink_name(token, text) for token in ordered)))


def _sink_name(token: Token, text: str) -> str:
    name = f"“{truncate(token.text)}”"
    if token.special:
        return token.text
    if token.segment == 0 and token.start == 0:  # in causal models a mark may be there, too
        return f"the first {name}"
    if token.word is not None:
        return f"{name} (word {token.word + 1})"
    is_final = token.segment or not any(letter.isalnum() for letter in text[token.end :])
    return f"the final {name}" if is_final else name


def measured_sinks(maps: AttentionMaps, sinks: Sequence[Token]) -> str:
    """Return why some of the ``sinks`` are sinks that are none by position; "" if there are none."""
    measured = np.flatnonzero(measured_layers(maps) * ~sinks_by_position(maps))
    places = [place for place in measured if maps.key_tokens[place] in sinks]
    if not places:
        return ""
    names = sink_names([maps.key_tokens[place] for place in places], maps.text)
    collects, gives = ("collects", "it") if len(places) == 1 else ("collect", "each of them")
    n_layers = " and ".join(str(int(count)) for count in measured_layers(maps)[places])
    return (
        f"{names} {collects} attention whatever the word: in {n_layers} of {maps.n_layers} layers, more than half of "
        f"the {'later' if maps.causal else 'other'} words in more than half of the heads give {gives} at least "
        f"{percent(ATTENDS)} of their attention, and at least twice an even share. Scrambled copies of two models have "
        "no such word in 600 sentences. "
    )
