"""The sentences of Heads that its component shows, as spans [kind, text], and the pieces of the text.

A component sets a span as text and never as HTML. Kinds: "plain", "head" (a head's name), "word" (a word of the text),
"muted", "next" (what to do now). A browser fills the slots that Python leaves, such as {query} of a head that is
pointed at, and {click} with "click" or "tap" (`assets/js/lib/spans.js`). Every share is one of all attention of the
word that looks.
"""

import re
from collections.abc import Sequence
from typing import NotRequired, TypedDict

import numpy as np

from mha.analysis.looks import SMALLEST_EXCESS, AskedConnection, Look, impossible_connections
from mha.analysis.readings import FIRST_WORD, first_word
from mha.analysis.shuffles import ShuffleControl
from mha.formats import join_list, labels, percent, truncate
from mha.maps import AttentionMaps, HeadId, Token
from mha.memo import memoise
from mha.views.heads import HeadsCase
from mha.words import right_to_left, split

Span = tuple[str, str]
Spans = tuple[Span, ...]
KINDS = {"head": "head", "query": "word", "key": "word", "share": "plain"}  # of slots that a browser fills
_SLOT = re.compile(r"\{(\w+)\}")
_RUN = re.compile(r"\S+")  # without white space


def spans(template: str, **slots: Span | str | HeadId | Sequence[Span]) -> Spans:
    """Return a sentence with its slots filled by a span, several, a head or plain text; other slots stay.

    >>> spans("{head} looks at {key}.", head=HeadId(3, 1))
    (('head', 'L3H1'), ('plain', ' looks at '), ('word', '{key}'), ('plain', '.'))
    """
    parts: list[Span] = []
    end = 0
    for slot in _SLOT.finditer(template):
        name = slot[1]
        value = slots.get(name, (KINDS.get(name, "plain"), slot[0]))
        parts.append(("plain", template[end : slot.start()]))
        if isinstance(value, HeadId):
            parts.append(("head", str(value)))
        elif isinstance(value, str):
            parts.append(("plain", value))
        elif value and isinstance(value[0], str):
            parts.append((str(value[0]), str(value[1])))
        else:
            parts += [(str(span[0]), str(span[1])) for span in value]
        end = slot.end()
    result: list[Span] = []
    for kind, text in (*parts, ("plain", template[end:])):
        if result and kind == "plain" and result[-1][0] == "plain":
            result[-1] = ("plain", result[-1][1] + text)
        elif text:
            result.append((kind, text))
    return tuple(result)


def enumerated(parts: Sequence[Span]) -> Spans:
    """Return several spans as a list in a sentence: a, b and c."""
    result: list[Span] = []
    for place, part in enumerate(parts):
        if place:
            result.append(("plain", " and " if place == len(parts) - 1 else ", "))
        result.append(part)
    return tuple(result)


class SentencePiece(TypedDict):
    """A run of the sentence; ``at`` is its position on the axis, or None; ``space`` is whether a space precedes it.

    ``special`` marks the model's own tokens; the first piece of a text that runs from right to left has ``rtl``.
    """

    text: str
    at: int | None
    space: bool
    special: NotRequired[bool]
    rtl: NotRequired[bool]


def text_pieces(text: str) -> list[SentencePiece]:
    """Return every piece of a text in order; ``at`` is the number of its word, None if it is punctuation.

    >>> [(piece["text"], piece["at"], piece["space"]) for piece in text_pieces("Well, no")]
    [('Well', 0, False), (',', None, False), ('no', 1, True)]
    """
    pieces: list[SentencePiece] = [
        {"text": piece.text, "at": piece.word, "space": piece.start > 0 and text[piece.start - 1].isspace()}
        for piece in split(text)
    ]
    if pieces and right_to_left(text):
        pieces[0]["rtl"] = True
    return pieces


@memoise
def sentence_pieces(maps: AttentionMaps) -> list[SentencePiece]:
    """Return every piece of the text of maps in order.

    ``at`` is its position on the key axis, None if the text is not on it, such as an excluded final full stop. Special
    tokens on the axis have the position that the model gives them.
    """
    pieces: list[SentencePiece] = []
    has_pair = any(token.segment for token in maps.key_tokens)  # the output of cross-attention has no columns
    sources = (maps.text, maps.pair or "" if has_pair else "")
    read = [0, 0]  # how far each text has been written out
    for position, token in enumerate(maps.key_tokens):
        if token.special:
            coming = [later.segment for later in maps.key_tokens[position:] if not later.special]
            if any(read):  # a [SEP] behind the last token of a text: the remaining text precedes it
                pieces += _unread_pieces(sources, read, min(coming, default=len(sources)), 0)
            if token.end > token.start:  # it was typed
                pieces += _unread_pieces(sources, read, token.segment, token.start)
                read[token.segment] = max(read[token.segment], token.end)
            pieces.append({"text": token.text, "at": position, "space": True, "special": True})
            continue
        pieces += _unread_pieces(sources, read, token.segment, token.start)
        has_space = token.start == 0 or sources[token.segment][token.start - 1].isspace()
        pieces.append({"text": token.text, "at": position, "space": has_space})
        read[token.segment] = token.end
    pieces += _unread_pieces(sources, read, len(sources), 0)
    if pieces:
        pieces[0]["space"] = False
    if pieces and right_to_left(maps.text):
        pieces[0]["rtl"] = True
    return pieces


def _unread_pieces(sources: tuple[str, str], read: list[int], segment: int, end: int) -> list[SentencePiece]:
    """Return the unread text before an offset of a segment, and mark it as read.

    Pieces are runs without white space; they have no position on the axis.
    """
    pieces: list[SentencePiece] = []
    for number, source in enumerate(sources[: segment + 1]):
        stop = end if number == segment else len(source)
        for run in _RUN.finditer(source, read[number], stop):
            has_space = run.start() == 0 or source[run.start() - 1].isspace()
            pieces.append({"text": run[0], "at": None, "space": has_space})
        read[number] = max(read[number], stop)
    return pieces


UNUSUAL_P = 0.05  # largest p at which a share is called unusual
TO_WORD_TEMPLATE = "In head {head}, {query} gives {percent} of its attention to {key}."
FROM_WORD_TEMPLATE = "From {query}, {head} gives {percent} of its attention to {key}."
NO_CONNECTION_TEMPLATES = {  # by the direction of the selected word
    "": "In head {head}, no {unit} gives another {unit}{apart} as much as 1\u00a0% of its attention.",
    "at": "In head {head}, no other {unit} gives {word} as much as 1\u00a0% of its attention.",
    "from": "In head {head}, {word} gives less than 1\u00a0% of its attention to any other {unit}{apart}.",
}
CLICK_HINT = "{Click} a word to see which heads look at it."
NO_WORD = "{word} is not a word here: it is punctuation or collects leftover attention. Choose another word."
PIN_HINT: Spans = (("muted", "Preview. {Click} to pin this head."),)
UNPIN_HINT: Spans = (("muted", "Pinned. {Click} to unpin this head."),)
ABLATED = (
    "Without {heads}: each head’s output is replaced by its mean, and all numbers are those of the ablated model. "
)
UNITS = {"words": "word", "tokens": "token of a word"}  # a connection joins tokens, and marks are tokens
ONLY_WORD = "{word} is the only word{apart}, so it has no other word to look at."
SEES_NO_OTHER = "{word} has no other word{apart} to look at: the model reads left to right."
MAX_NAMED_WORDS = 3  # words that the first line of an answer names


def nothing_template(case: HeadsCase, head: HeadId | None = None) -> Spans:
    """Return the sentence about a head without a connection of 1 %, for a browser to fill unless ``head`` is given."""
    if only_word := _only_word(case):
        return only_word
    direction = "" if case.word is None else "at" if case.look == "at" else "from"
    name = ("head", "{head}") if head is None else head
    unit, apart = UNITS[case.maps.units], _apart_from_sinks(case)
    return spans(NO_CONNECTION_TEMPLATES[direction], head=name, unit=unit, word=_selected(case), apart=apart)


def _apart_from_sinks(case: HeadsCase) -> str:
    """Return which excluded sinks are words, for a sentence about all other words; "" without one."""
    words = [token for token in case.sinks if token.word is not None] if case.excludes else []
    return f" apart from {sink_names(words, case.recorded.text)}" if words else ""


def _only_word(case: HeadsCase) -> Spans:
    """Return that a word has no other one to look at, which is no finding about a head; () if it has one.

    It is alone on the axis, or a causal mask hides all others from the selected word.
    """
    maps, words = case.maps, [token for token in case.maps.tokens if token.word is not None]
    if maps.kind == "self" and len(words) == 1:
        return spans(ONLY_WORD, word=("word", truncate(words[0].text)), apart=_apart_from_sinks(case))
    keys = () if case.word is None or case.look == "at" else np.flatnonzero(maps.visible[case.word])
    if not len(keys) or any(key != case.word and not maps.key_tokens[key].punctuation for key in keys):
        return ()
    return spans(SEES_NO_OTHER, word=_selected(case), apart=_apart_from_sinks(case))


def finding(case: HeadsCase, looks: Sequence[Look | None]) -> tuple[Spans, ...]:
    """Return the main sentences: the first connection of the selected word, else those of the first two pinned heads.

    ``looks`` has the connection of each pinned head. A word that is alone on the axis has a sentence of its own.
    """
    if only_word := _only_word(case):
        return (only_word,)
    rows, columns = labels(case.maps.tokens), labels(case.maps.key_tokens)
    pins = case.pins[:2]
    if case.word is not None and case.look != "at" and all(look is None or look.query == case.word for look in looks):
        return (_from_one_word(case, pins, looks),)
    template = TO_WORD_TEMPLATE if case.word is None or case.look == "at" else FROM_WORD_TEMPLATE
    return tuple(
        nothing_template(case, head)
        if look is None
        else spans(template, head=head, query=("word", rows[look.query]), key=("word", columns[look.key]),
                   percent=percent(look.weight))
        for head, look in zip(pins, looks, strict=False)
    )  # fmt: skip


def _from_one_word(case: HeadsCase, pins: Sequence[HeadId], looks: Sequence[Look | None]) -> Spans:
    """Return in one sentence what the first two heads give from the selected word."""
    columns, unit = labels(case.maps.key_tokens), UNITS[case.maps.units]
    parts = list(spans("From {word}", word=_selected(case)))
    for place, (head, look) in enumerate(zip(pins, looks, strict=False)):
        attention = "" if place else " of its attention"
        start = ", and {head} gives" if place else ", {head} gives"
        if look is None:
            other = f"no other {unit}{_apart_from_sinks(case)}"
            parts += spans(f"{start} {{other}} as much as 1\u00a0%{attention}", head=head, other=other)
        else:
            share, key = percent(look.weight), ("word", columns[look.key])
            parts += spans(f"{start} {{share}}{attention} to {{key}}", head=head, share=share, key=key)
    return (*parts, ("plain", "."))


def _selected(case: HeadsCase) -> tuple[str, str]:
    return ("word", "" if case.word is None else labels(case.maps.key_tokens)[case.word])


def first_word_note(case: HeadsCase) -> tuple[Spans, ...]:
    """Return the reason why no head can connect a candidate that is the first word of a causal model."""
    if not case.readings:
        return ()
    word_maps = case.recorded.merged_axes()
    a, b, ambiguous = candidates(case)
    if word_maps.tokens[0].word in a | b | ambiguous and (first := first_word(word_maps, (0,))):
        return (spans(FIRST_WORD, model=word_maps.model or "this model", word=("word", first)),)
    return ()


def candidates(case: HeadsCase) -> tuple[set[int], set[int], set[int]]:
    """Return the numbers of the words of candidates A and B, and of the ambiguous word; a shared word is of neither."""
    if not case.readings or case.maps.kind != "self":
        return set(), set(), set()
    first, second = ({int(candidate) for _, candidate in reading.links} for reading in case.readings)
    ambiguous = {int(word) for reading in case.readings for word, _ in reading.links}
    return first - second or first, second - first or second, ambiguous


def note(case: HeadsCase, control: ShuffleControl | None = None) -> Spans:
    """Return the line below the finding: ablated heads, in how many shuffled copies the best of all heads reaches the
    share, and the next step.
    """
    heads = join_list([str(head) for head in case.choice.ablated])
    said = ABLATED.replace("{heads}", heads) if heads else ""
    if control is not None and control.p is not None:
        verdict = "Unusual" if control.p <= UNUSUAL_P else "Not unusual"
        copies = f"{control.n_reached} of {control.n_copies} shuffled copies"
        said += f"{verdict}: in {copies}, some head reaches {percent(control.share)}. "
    asks: Spans = (("next", CLICK_HINT),) if case.maps.kind == "self" and case.maps.n_keys > 1 else ()
    return (*spans(said), *asks)


# ---- a word that is asked about


def answer_about(case: HeadsCase) -> Spans:
    """Return how the lists about a word are ordered, or why there are none."""
    if case.answers is None:
        return spans(NO_WORD, word=_selected(case))
    units = "" if case.full.units == "words" else " Measured on whole words."
    if case.usual_shares is None:
        return spans(f"Strongest first. Percentages are shares of all attention from the word that looks.{units}")
    return spans(
        "Furthest above usual first. Bar: share of all attention from the word that looks; tick: usual share at this "
        f"distance.{units}"
    )


def answer_line(case: HeadsCase, rows: Sequence[AskedConnection], looks_at: bool) -> Spans:
    """Return the first line of one list: how many connections there are, and with which words."""
    points, preposition = f"{round(100 * SMALLEST_EXCESS)} percentage points", "from" if looks_at else "to"
    word_maps = case.recorded.merged_axes()
    if not rows and sum(token.word is not None for token in word_maps.tokens) == 1:
        return spans("There is no other word in this text.")
    if not rows:
        number = case.full.tokens[case.kept[case.word or 0]].word
        reason = impossible_connections(case.full, number or 0)[1 if looks_at else 0]
        amount = (
            f"as much as {percent(SMALLEST_EXCESS)} of its attention"
            if case.usual_shares is None
            else f"{points} more than usual"
        )
        to_word = f"In no head does another word give {{word}} {amount}."
        from_word = f"From {{word}}, no head gives another word {amount}."
        return spans(reason or (to_word if looks_at else from_word), word=_selected(case))
    texts = labels(word_maps.tokens)
    targets = list(dict.fromkeys(row.other for row in rows))
    names = [("word", texts[place]) for place in targets[:MAX_NAMED_WORDS]] + [("plain", "others")] * (
        len(targets) > MAX_NAMED_WORDS
    )
    size = f"of {percent(SMALLEST_EXCESS)} or more" if case.usual_shares is None else f"{points} or more above usual"
    count = "1 connection" if len(rows) == 1 else f"{len(rows)} connections"
    return spans(f"{count}, {size}: {preposition} {{others}}.", others=enumerated(names))


# ---- attention sinks


def sink_names(sinks: Sequence[Token], text: str = "") -> str:
    """Return the sinks as sentences name them, each once: ``[CLS], [SEP] and the final “.”``."""
    names = []
    for token in sorted(sinks, key=lambda token: not token.special):
        name = f"“{truncate(token.text)}”"
        if token.special:
            name = token.text
        elif token.segment == 0 and token.start == 0:  # in causal models a mark may be there, too
            name = f"the first {name}"
        elif token.word is not None:
            name = f"{name} (word {token.word + 1})"
        elif token.segment or not any(letter.isalnum() for letter in text[token.end :]):
            name = f"the final {name}"
        names.append(name)
    return join_list(list(dict.fromkeys(names)))


def method_lines(case: HeadsCase) -> list[str]:
    """Return how the percentages and colours of maps are made, as plain text."""
    sinks = sink_names(case.sinks, case.recorded.text)
    treated = "excluded; the grey bar and the per cent next to a head are their share" if case.excludes else "included"
    return [
        "Every percentage, in sentences, arcs and maps, is a share of all attention that a word gives in that head. "
        "Colour: the same share, one scale from 0 to 100 % for all heads.",
        f"Attention sinks are {treated}: {sinks}. A word is an attention sink, too, if in some layers most words "
        "attend to it in most heads."
        if sinks
        else "",
        "Attention to a word is the sum over its tokens, attention from a word their mean."
        if case.full.units == "words"
        else "Tokens are the pieces that the model reads.",
    ]
