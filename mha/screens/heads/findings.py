"""The sentences about heads, as spans that a component sets as text and never as HTML.

A span is [kind, text]; kinds are "plain", "head" (a head's name), "word" (a word of the text), "muted" and "next" (what
to do now). A template is a sentence with slots such as {head}; `assets/js/lib/spans.js` fills it, so that pointing at a
head needs no server; {click} is "click" or "tap". Every share is one of all attention (or of all that a head brings),
before anything is rescaled.
"""

from __future__ import annotations

from collections.abc import Sequence

from mha.analysis.looks import Look
from mha.formats import cut, labels, listed, percent
from mha.maps import ATTENTION, BROUGHT, AttentionMaps, HeadId, Token

Span = tuple[str, str]
Sentence = tuple[Span, ...]

NEAR_ONLY = "These heads mostly look at neighbours."
TWO_WORDS = (
    "With two words there is nothing to choose between: beside itself, a word has at most the other one to look at."
)
ONE_WORD_AGAIN = "The same word again and again: from it, no two heads can look at two different words."
AGREED = "No two heads send one word to two different words of content here, clearly more than they usually do."
AGREED_EVENLY = (
    "No two heads send one word to two different words of content here, clearly more than an even spread would."
)
ASK = "{Click} a word to see who looks at it."


# What a click on the head that is shown would do, behind its sentence; the page says click or tap.
PREVIEW: Sentence = (("muted", "A preview: {click} to pin it."),)
RELEASE: Sentence = (("muted", "Pinned: {click} to release it."),)


LOOK = {  # by what the shares are of, and whether a word is looked at, or looks
    (ATTENTION, True): "In head {head}, {query} looks at {key} with {percent} of its attention.",
    (ATTENTION, False): "From {query}, {head} looks at {key} ({percent}).",
    (BROUGHT, True): "In head {head}, {key} brings {query} {percent} of what comes to it.",
    (BROUGHT, False): "To {query}, {head} brings {key} ({percent}).",
}
STRIP = {  # the same where there is little room; None where no word is locked
    (ATTENTION, None): "{query} at {key} {percent}",
    (ATTENTION, True): "At {key}: {query} {percent}",
    (ATTENTION, False): "From {query}: {key} {percent}",
    (BROUGHT, None): "{key} to {query} {percent}",
    (BROUGHT, True): "Of {key}: {query} {percent}",
    (BROUGHT, False): "To {query}: {key} {percent}",
}


def look_template(look: str, measure: str = ATTENTION) -> Sentence:
    """Return the sentence for a head with a look; slots {head} {query} {key} {percent}; ``look`` as in the link."""
    return _marked(LOOK[measure, look == "at"])


def nothing_template(units: str, look: str, word: str | None, measure: str = ATTENTION) -> Sentence:
    """Return the sentence for a head without a look worth naming; slot {head}; ``word`` is the locked one."""
    one = units.removesuffix("s")
    if measure == BROUGHT:
        return _nothing_brought(one, look, word)
    if word is None:
        return _marked(f"In head {{head}}, no {one} looks at another with 1\u00a0% or more.")
    if look == "at":
        return (
            *_marked(f"In head {{head}}, no other {one} looks at "),
            ("word", word),
            _plain(" with 1\u00a0% or more."),
        )
    tail = f" looks at no other {one} with 1\u00a0% or more."
    return (_plain("From "), ("word", word), _plain(", "), ("head", "{head}"), _plain(tail))


def _nothing_brought(one: str, look: str, word: str | None) -> Sentence:
    if word is None:
        return _marked(f"In head {{head}}, no {one} brings another 1\u00a0% or more.")
    if look == "at":
        return (*_marked("In head {head}, "), ("word", word), _plain(f" brings no other {one} 1\u00a0% or more."))
    return (_plain("To "), ("word", word), *_marked(f", {{head}} brings no other {one} with 1\u00a0% or more."))


def strip_template(look: str, locked: bool, measure: str = ATTENTION) -> Sentence:
    """Return what stands beside the small sentence; slots {query} {key} {percent}."""
    return _marked(STRIP[measure, look == "at" if locked else None])


def strip_nothing(look: str, word: str | None, measure: str = ATTENTION) -> Sentence:
    """Return what stands beside the small sentence where no arc is drawn."""
    if word is None:
        return (_plain("nothing from 6\u00a0%"),)
    before = STRIP[measure, look == "at"].split("{")[0]
    return (_plain(before), ("word", word), _plain(": nothing from 6\u00a0%"))


def fill(template: Sentence, **slots: str) -> Sentence:
    """Return a template with its slots filled."""
    filled = []
    for kind, text in template:
        for name, value in slots.items():
            if "{" + name + "}" in text:
                text = text.replace("{" + name + "}", value)
                break
        filled.append((kind, text))
    return tuple(filled)


def pins_finding(
    raw: AttentionMaps, pins: Sequence[HeadId], looks: Sequence[Look | None], lock: int | None, look: str
) -> tuple[Sentence, ...]:
    """Return what the first two pinned heads do, or what to do when there are none.

    ``raw`` are the maps before rescaling, ``looks`` those of all heads that are named. From one word it is a single
    sentence, else one for each head.
    """
    if not pins:
        return ((_plain("No head is pinned. {Point} at one below to see where it looks; {click} to pin it."),),)
    names, rows = labels(raw.key_tokens), labels(raw.tokens)
    named = [(head, looks[head.layer * raw.n_heads + head.head]) for head in pins[:2]]
    if lock is not None and look != "at":
        return (_from_one_word(raw, rows[lock], named),)
    word = None if lock is None else names[lock]
    return tuple(
        fill(nothing_template(raw.units, look, word, raw.measure), head=str(head))
        if seen is None
        else fill(look_template("at", raw.measure), head=str(head), query=rows[seen.query], key=names[seen.key],
                  percent=percent(seen.weight))
        for head, seen in named
    )  # fmt: skip


FROM_ONE = {ATTENTION: ("From ", " looks at ", " at "), BROUGHT: ("To ", " brings ", " brings ")}


def _from_one_word(raw: AttentionMaps, word: str, named: Sequence[tuple[HeadId, Look | None]]) -> Sentence:
    names, one = labels(raw.key_tokens), raw.units.removesuffix("s")
    before, looks, further = FROM_ONE[raw.measure]
    parts: list[Span] = [_plain(before), ("word", word)]
    for place, (head, look) in enumerate(named):
        parts += [_plain(", "), ("head", str(head)), _plain(further if place else looks)]
        if look is None:
            parts.append(_plain(f"no other {one} with 1\u00a0% or more"))
        else:
            parts += [("word", names[look.key]), _plain(f" ({percent(look.weight)})")]
    return (*parts, _plain("."))


def stands_alone(raw: AttentionMaps) -> tuple[Sentence, ...]:
    """Return what is said of the only word of a text; nothing where it is not on the axis."""
    names = [cut(token.text) for token in raw.tokens if token.word is not None]
    return ((("word", names[0]), _plain(" stands alone: it has no other word to look at.")),) if names else ()


def nothing_to_tell(said: Sequence[str], near: bool, known: bool) -> tuple[Sentence, ...]:
    """Return what is said where no two heads disagree about a word.

    ``said`` are the words of the text, two or more; ``near`` says that the heads shown mostly look at neighbours in it,
    and ``known`` that their habit was what their looks were held against.
    """
    first = NEAR_ONLY if near else AGREED if known else AGREED_EVENLY
    if len({one.casefold() for one in said}) == 1:
        first = ONE_WORD_AGAIN
    elif len(said) == 2:
        first = TWO_WORDS
    return ((_plain(f"{first} {ASK}"),),)


def control(looks: Sequence[tuple[Look | None, float]]) -> str:
    """Return what the first pinned heads give on average at the distance of their looks: a plain fact beside a share.

    That a share lies above it is no finding: the heads were picked for it. ``looks`` come with each head's habit there;
    nothing where a head has no look or no habit is known.
    """
    told = [(look.weight, usual) for look, usual in looks if look is not None and usual == usual]
    if not told or len(told) < len(looks):
        return ""
    shares = " and ".join(percent(usual) for _, usual in told)
    if len(told) == 1:
        return f"On average this head gives {shares} at that distance."
    return f"On average these two heads give {shares} at those distances."


def overview_note(
    looks: Sequence[tuple[Look | None, float]],
    pins: int,
    sinks: Sequence[Token],
    marks: bool,
    whole: bool,
    asks: bool = True,
    measure: str = ATTENTION,
) -> Sentence:
    """Return the quiet lines under the finding: what is usual, of what the shares are, and what can be done next.

    ``looks`` are those of the first two pinned heads, each with its head's habit; ``marks`` says that special tokens
    stand before and after the text, ``whole`` that every row adds up to all attention, ``asks`` that a word can be
    asked.
    """
    of, to = SHARES[measure]
    rest = f"; the rest {to}{_to_sinks(sinks, marks, measure)}." if whole else "."
    carried = "The sentence carries the first two pinned heads; {point} at a number to bring another there."
    parts = [control(looks), f"Shares of all {of}{rest}" if pins else "", carried if pins > 2 else ""]
    quiet = " ".join(part for part in parts if part)
    ask = "{Click} a word to ask about it." if measure == ATTENTION else "{Click} a word to see what is brought to it."
    asked: Sentence = (("next", ask),) if asks else ()
    return (*([_plain(f"{quiet} ")] if quiet else []), *asked)


SHARES = {  # what shares are of, and where the rest is
    ATTENTION: ("attention", "goes to other looks"),
    BROUGHT: ("that a head brings to a word", "comes from other words"),
}


def _to_sinks(sinks: Sequence[Token], marks: bool, measure: str) -> str:
    """Return the sinks as where the rest goes; special tokens are explained where they are first named."""
    way = "to" if measure == ATTENTION else "from"
    special = tuple(token for token in sinks if token.special)
    others = tuple(token for token in sinks if not token.special)
    if not (marks and special):
        return f" and {way} {sink_names(sinks)}" if sinks else ""
    count = len({token.text for token in special})
    about = "two marks" if count == 2 else "a mark"
    explained = f" and {way} {sink_names(special)}, {about} the model puts before and after every text"
    return explained + (f", and {way} {sink_names(others)}" if others else "")


def sink_names(sinks: Sequence[Token]) -> str:
    """Return the sinks as they are named in a sentence, each once: ``[CLS], [SEP] and the final “.”``."""
    names = list(dict.fromkeys(_sink_name(token) for token in sorted(sinks, key=lambda token: not token.special)))
    return listed(names) if names else ""


def _sink_name(token: Token) -> str:
    if token.special:
        return token.text
    return f"the {'final' if token.punctuation else 'first'} “{cut(token.text)}”"


def _marked(words: str) -> Sentence:
    """Return a template of our own as spans: {head} is a head, {query} and {key} are words."""
    parts: list[Span] = []
    kinds = {"head": "head", "query": "word", "key": "word"}
    for number, piece in enumerate(words.replace("}", "{").split("{")):
        if number % 2 and piece in kinds:
            parts.append((kinds[piece], f"{{{piece}}}"))
        elif piece:
            parts.append(_plain(f"{{{piece}}}" if number % 2 else piece))
    return tuple(parts)


def _plain(text: str) -> Span:
    return "plain", text
