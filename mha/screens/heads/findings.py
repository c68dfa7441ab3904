"""The sentences about heads, as spans that a component sets as text and never as HTML.

A span is [kind, text]; kinds are "plain", "head" (a head's name), "word" (a word of the text), "muted" and "next" (what
to do now). A template is a sentence with slots such as {head}; `assets/js/lib/spans.js` fills it, so that pointing at a
head needs no server; {click} is "click" or "tap". Every share is one of all attention (or of all that a word receives),
before anything is rescaled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.analysis.looks import HeadLooks, Look
from mha.analysis.shuffles import ShuffleControl
from mha.analysis.sinks import ATTENDS, measured_layers, sinks_by_position
from mha.formats import cut, labels, listed, percent
from mha.maps import ATTENTION, BROUGHT, AttentionMaps, HeadId, Token
from mha.screens.blocks import Span, Spans, say

NEAR_ONLY = "In this sentence these heads mostly look at the word itself and its neighbours."
TWO_WORDS = "With only two words, a word can look at itself or at the other one. A longer sentence shows more."
ONE_HEAD = "These maps are of a single head, so there is no other to compare it with."
ONE_WORD_AGAIN = "This text repeats a single word, so heads cannot differ in the word they look at."
AGREED = (
    "In this sentence, no two heads clearly differ in where they look from the same word, compared with what they "
    "usually do."
)
AGREED_EVENLY = (
    "In this sentence, no two heads clearly differ in where they look from the same word, compared with an even spread."
)
TOKENS = " Choose View, then tokens under Axis, to see where each token looks."
ASK = "{Click} a word to see which heads look at it."


# What a click on the head that is shown would do, behind its sentence; the page says click or tap.
PREVIEW: Spans = (("muted", "Preview. {Click} to pin this head."),)
RELEASE: Spans = (("muted", "Pinned. {Click} to unpin this head."),)


LOOK = {  # by what the shares are of, and whether a word is looked at, or looks
    (ATTENTION, True): "In head {head}, {query} gives {percent} of its attention to {key}.",
    (ATTENTION, False): "From {query}, {head} gives {percent} of its attention to {key}.",
    (BROUGHT, True): "In head {head}, {key} supplies {percent} of what {query} receives.",
    (BROUGHT, False): "In {head}, {percent} of what {query} receives comes from {key}.",
}
NOTHING = {  # by what the shares are of, and whether a word is looked at, or looks, or none is locked
    (ATTENTION, ""): "no {one} gives another {one} as much as 1\u00a0% of its attention.",
    (ATTENTION, "at"): "no other {one} gives {word} as much as 1\u00a0% of its attention.",
    (ATTENTION, "from"): "{word} gives less than 1\u00a0% of its attention to any other {one}.",
    (BROUGHT, ""): "no {one} supplies as much as 1\u00a0% of what another receives.",
    (BROUGHT, "at"): "{word} supplies less than 1\u00a0% of what any other {one} receives.",
    (BROUGHT, "from"): "less than 1\u00a0% of what {word} receives comes from any other {one}.",
}
ONE_CELL = {  # a word to another, and to itself
    ATTENTION: ("{query} → {key}", "{query} → itself"),
    BROUGHT: ("{key} supplies {query}", "{query} supplies itself"),
}
UNUSUAL = 0.05  # p of a share


# What a browser fills in, of the kind that it is.
LATER: dict[str, Span] = {"head": ("head", "{head}"), "query": ("word", "{query}"), "key": ("word", "{key}")}
LATER |= {name: ("plain", f"{{{name}}}") for name in ("percent", "share", "all", "aside", "click", "Click", "Point")}


def later(template: str, **slots: Span | str | HeadId) -> Spans:
    """Return a sentence as `say` does; slots that are not given stay slots, for a browser to fill."""
    return say(template, **LATER | slots)


def look_template(look: str, measure: str = ATTENTION) -> Spans:
    """Return the sentence for a head with a look; slots {head} {query} {key} {percent}; ``look`` as in the link."""
    return later(LOOK[measure, look == "at"])


def nothing_template(
    units: str, look: str, word: str | None, measure: str = ATTENTION, head: Span | HeadId | None = LATER["head"]
) -> Spans:
    """Return the sentence for a head without a look worth naming; ``word`` is the locked one.

    It begins with the head, a slot unless it is given; without one where that stands above it already.
    """
    case = "" if word is None else "at" if look == "at" else "from"
    template, one = NOTHING[measure, case], units.removesuffix("s")
    if head is None:
        return say(template[0].upper() + template[1:], one=one, word=("word", word or ""))
    return say(f"In head {{head}}, {template}", head=head, one=one, word=("word", word or ""))


def pins_finding(
    raw: AttentionMaps, pins: Sequence[HeadId], looks: HeadLooks, lock: int | None, look: str
) -> tuple[Spans, ...]:
    """Return what the first two pinned heads do, or what to do when there are none.

    ``raw`` are the maps before rescaling, ``looks`` those of all heads that are named. From one word it is a single
    sentence, else one for each head.
    """
    if not pins:
        return (later("No head is pinned. {Point} at a small map to see where that head looks, or {click} to pin it."),)
    names, rows = labels(raw.key_tokens), labels(raw.tokens)
    named = [(head, looks.of(head.layer * raw.n_heads + head.head)) for head in pins[:2]]
    both = all(seen is None or seen.query == lock for _, seen in named)
    if lock is not None and look != "at" and both:
        return (_from_one_word(raw, rows[lock], named),)
    word = None if lock is None else names[lock]
    template = LOOK[raw.measure, lock is None or look == "at"]
    return tuple(
        nothing_template(raw.units, look, word, raw.measure, head)
        if seen is None
        else say(template, head=head, query=("word", rows[seen.query]), key=("word", names[seen.key]),
                 percent=percent(seen.weight))
        for head, seen in named
    )  # fmt: skip


def _from_one_word(raw: AttentionMaps, word: str, named: Sequence[tuple[HeadId, Look | None]]) -> Spans:
    """Return what the heads give from one word, or supply to it, in one sentence that says of what but once."""
    names, one = labels(raw.key_tokens), raw.units.removesuffix("s")
    attention, parts = raw.measure == ATTENTION, list[Span]()
    for place, (head, look) in enumerate(named):
        of = "" if place else " of its attention" if attention else " of what {word} receives"
        if attention:
            gives = f"no other {one} as much as 1\u00a0%{of}" if look is None else f"{{share}}{of} to {{key}}"
            template = f"{', and' if place else 'From {word},'} {{head}} gives {gives}"
        else:
            template = f"{'; in' if place else 'In'} {{head}}, {{share}}{of} comes from {{key}}"
        share = "less than 1\u00a0%" if look is None else percent(look.weight)
        key: Span = ("plain", f"any other {one}") if look is None else ("word", names[look.key])
        parts += say(template, word=("word", word), head=head, share=share, key=key)
    return (*parts, ("plain", "."))


def lacking(word: str, candidates: Sequence[str], points: int, known: bool) -> tuple[Spans, ...]:
    """Return that no head gives clearly more than usual between an ambiguous word and each of some candidates.

    ``known`` says that it is known what heads usually give; else shares were held against an even one.
    """
    more = f"{points} percentage points more attention than {'usual' if known else 'an even share'}"
    template = f"Between {{word}} and {{one}}, no head gives {more}."
    return tuple(say(template, word=("word", word), one=("word", one)) for one in candidates)


def stands_alone(raw: AttentionMaps, n_tokens: int = 1) -> tuple[Spans, ...]:
    """Return a sentence about the only word of a text, or nothing if it is not on the axis.

    If the model reads it as several tokens, a second sentence names the control that shows them.
    """
    words = [("word", cut(token.text)) for token in raw.tokens if token.word is not None]
    alone = say("{word} is the only word, so it has no other word to look at.", word=words[0]) if words else ()
    if alone and n_tokens > 1:
        alone = (*alone, ("plain", f" For the model it is {n_tokens} tokens."), ("plain", TOKENS))
    return (alone,) if alone else ()


def nothing_to_tell(said: Sequence[str], near: bool, known: bool, n_heads: int) -> tuple[Spans, ...]:
    """Return what is said where no two heads disagree about a word.

    ``said`` are the words of the text, two or more; ``near`` that the heads shown mostly look at the word itself and
    its neighbours, ``known`` that looks were compared with their habit; ``n_heads`` is how many heads there are.
    """
    first = NEAR_ONLY if near else AGREED if known else AGREED_EVENLY
    if n_heads == 1:
        first = ONE_HEAD
    elif len({one.casefold() for one in said}) == 1:
        first = ONE_WORD_AGAIN
    elif len(said) == 2:
        first = TWO_WORDS
    return (later(f"{first} {ASK}"),)


def usually(looks: Sequence[tuple[Look | None, float]]) -> str:
    """Return what the first pinned heads usually give at the distance of their looks: a plain fact beside a share.

    That a share lies above it is no finding: the heads were picked for it. ``looks`` come with each head's usual share
    there; nothing where a head has no look or that share is not known.
    """
    told = [(look.weight, usual) for look, usual in looks if look is not None and usual == usual]
    if not told or len(told) < len(looks):
        return ""
    shares = " and ".join(percent(usual) for _, usual in told)
    if len(told) == 1:
        return f"Usually this head gives {shares} at this distance."
    return f"Usually these heads give {shares} at these distances."


def control_line(control: ShuffleControl) -> Spans:
    """Return in how many shuffled copies the best of all heads reaches the share; nothing without copies."""
    if control.p is None:
        return ()
    verdict = "Unusual" if control.p <= UNUSUAL else "Not unusual"
    reach = "reaches" if control.n_reached == 1 else "reach"
    return say(f"{verdict}: {control.n_reached} of {control.n_copies} shuffled copies {reach} this. ")


def overview_note(
    looks: Sequence[tuple[Look | None, float]],
    pins: int,
    asks: bool = True,
    measure: str = ATTENTION,
    control: Spans = (),
) -> Spans:
    """Return the quiet line under the finding: the control, or what is usual, and what can be done next.

    ``looks`` are those of the first two pinned heads, each with its usual share; ``asks`` says that a word can be
    asked; ``control`` is the `control_line` of the opening.
    """
    carried = "The sentence shows pins 1 and 2. {Point} at another pin to show it here."
    parts = ["" if control else usually(looks), carried if pins > 2 else ""]
    quiet = " ".join(part for part in parts if part)
    ask = "{Click} a word to see which heads look at it" + ("." if control else ", and where it looks.")
    if measure != ATTENTION:
        ask = "{Click} a word to see what it receives."
    asked: Spans = (("next", ask),) if asks else ()
    return (*control, *([("plain", f"{quiet} ")] if quiet else []), *asked)


def sink_names(sinks: Sequence[Token], text: str = "") -> str:
    """Return the sinks as they are named in a sentence, each once: ``[CLS], [SEP] and the final “.”``."""
    names = dict.fromkeys(_sink_name(token, text) for token in sorted(sinks, key=lambda token: not token.special))
    return listed(list(names)) if names else ""


def _sink_name(token: Token, text: str) -> str:
    if token.special:
        return token.text
    name = f"“{cut(token.text)}”"
    if token.segment == 0 and token.start == 0:  # in causal models a mark may be there, too
        return f"the first {name}"
    if token.word is not None:
        return f"{name} (word {token.word + 1})"
    is_final = token.segment or not any(sign.isalnum() for sign in text[token.end :])
    return f"the final {name}" if is_final else name


def measured_sinks_said(maps: AttentionMaps, sinks: Sequence[Token]) -> str:
    """Return why some of the ``sinks`` are excluded that are none by position; "" if there are none."""
    measured = np.flatnonzero(measured_layers(maps) * ~sinks_by_position(maps))
    found = [place for place in measured if maps.key_tokens[place] in sinks]
    if not found:
        return ""
    names = sink_names([maps.key_tokens[place] for place in found], maps.text)
    collects, gives = ("collects", "it") if len(found) == 1 else ("collect", "each of them")
    n_layers = " and ".join(str(int(count)) for count in measured_layers(maps)[found])
    others = "later" if maps.causal else "other"
    return (
        f"{names} {collects} attention whatever the word: in {n_layers} of {maps.n_layers} layers, more than half of "
        f"the {others} words in more than half of the heads give {gives} at least {percent(ATTENDS)} of their "
        "attention, and at least twice an even share. Scrambled copies of two models have no such word in 600 "
        "sentences. "
    )
