"""Sentences for components: spans [kind, text], which a component sets as text and never as HTML.

Kinds: "plain", "head" (a head's name), "word" (a word of the text), "muted", "next" (what to do now). A
browser fills the slots that Python leaves, such as {query} of a head that is pointed at, and {click} with "click" or
"tap" (`assets/js/lib/spans.js`).
"""

import re
from collections.abc import Sequence

from mha.maps import HeadId

Span = tuple[str, str]
Spans = tuple[Span, ...]
KINDS = {"head": "head", "query": "word", "key": "word", "share": "plain"}  # of slots that a browser fills
_SLOT = re.compile(r"\{(\w+)\}")


def word(text: str) -> Span:
    """Return a word of the visitor's text as a span."""
    return "word", text


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
        parts += [("plain", template[end : slot.start()]), *_value_spans(value)]
        end = slot.end()
    result: list[Span] = []
    for kind, text in (*parts, ("plain", template[end:])):
        if result and kind == "plain" and result[-1][0] == "plain":
            result[-1] = ("plain", result[-1][1] + text)
        elif text:
            result.append((kind, text))
    return tuple(result)


def _value_spans(value: Span | str | HeadId | Sequence[Span]) -> Sequence[Span]:
    if isinstance(value, HeadId):
        return [("head", str(value))]
    if isinstance(value, str):
        return [("plain", value)]
    if value and isinstance(value[0], str):
        return [(str(value[0]), str(value[1]))]
    return [(str(span[0]), str(span[1])) for span in value]


def enumerated(parts: Sequence[Span]) -> Spans:
    """Return several spans as a list in a sentence: a, b and c."""
    result: list[Span] = []
    for place, part in enumerate(parts):
        if place:
            result.append(("plain", " and " if place == len(parts) - 1 else ", "))
        result.append(part)
    return tuple(result)
