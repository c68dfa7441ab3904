"""The sentences about heads, as spans that a component sets as text and never as HTML.

A span is [kind, text]; kinds are "plain", "head" (a head's name), "word" (a word of the text) and "muted". A template
is a sentence with slots such as {head}; `assets/js/lib/spans.js` fills it, so that pointing at a head needs no server.
"""

from __future__ import annotations

from collections.abc import Sequence

from mha.analysis.looks import strongest_look
from mha.formats import cut, labels, percent
from mha.maps import AttentionMaps, HeadId, Token

Span = tuple[str, str]
Sentence = tuple[Span, ...]


def of_what(units: str, aside: bool) -> str:
    """Return what a weight is a share of, as the end of a sentence."""
    return f"of the attention it gives to {units}" if aside else "of its attention"


def look_template(units: str, aside: bool) -> Sentence:
    """Return the sentence for a head with a strongest look; slots {head} {query} {key} {percent}."""
    return (
        ("plain", "In head "),
        ("head", "{head}"),
        ("plain", ", "),
        ("word", "{query}"),
        ("plain", " looks at "),
        ("word", "{key}"),
        ("plain", " with {percent} " + of_what(units, aside) + "."),
    )


def nothing_template(units: str, lock: str | None) -> Sentence:
    """Return the sentence for a head without a look worth naming; slot {head}."""
    one = units.removesuffix("s")
    if lock is None:
        return (
            ("plain", "In head "),
            ("head", "{head}"),
            ("plain", f", no {one} looks at another with 1\u00a0% or more."),
        )
    return (
        ("plain", "In head "),
        ("head", "{head}"),
        ("plain", f", no other {one} looks at "),
        ("word", lock),
        ("plain", " with 1\u00a0% or more."),
    )


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


def pins_finding(shown: AttentionMaps, pins: Sequence[HeadId], lock: int | None, aside: bool) -> tuple[Sentence, ...]:
    """Return one sentence for each of the first two pinned heads, or one that says what to do when there are none."""
    names, finding, last_key = labels(shown.key_tokens), [], None
    if not pins:
        return ((("plain", "No head is pinned. Point at one below to see where it looks; click to pin it."),),)
    rows = labels(shown.tokens)
    for head in pins[:2]:
        look = strongest_look(shown, head, lock)
        if look is None:
            template = nothing_template(shown.units, None if lock is None else names[lock])
            finding.append(fill(template, head=str(head)))
        elif look.key == last_key:
            finding.append(
                (
                    ("plain", "In head "),
                    ("head", str(head)),
                    ("plain", ", "),
                    ("word", rows[look.query]),
                    ("plain", f" does, with {percent(look.weight)}."),
                )
            )
        else:
            slots = {"query": rows[look.query], "key": names[look.key], "percent": percent(look.weight)}
            finding.append(fill(look_template(shown.units, aside), head=str(head), **slots))
        last_key = look.key if look else None
    return tuple(finding)


def sink_names(sinks: Sequence[Token]) -> str:
    """Return the sinks as they are named in a sentence, each once: ``[CLS], [SEP] and the final “.”``."""
    names = list(dict.fromkeys(_sink_name(token) for token in sorted(sinks, key=lambda token: not token.special)))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sink_name(token: Token) -> str:
    if token.special:
        return token.text
    return f"the {'final' if token.punctuation else 'first'} “{cut(token.text)}”"


def overview_note(pins: int, heads: int, mean_share: float, sinks: Sequence[Token], aside: bool) -> Sentence:
    """Return the quiet line under the finding: what else can be pointed at, and how much was set aside."""
    parts = [f"Point at any of the other {heads - pins} below to see it on the sentence." if 0 < pins < heads else ""]
    if pins > 2:
        rest = "the third is" if pins == 3 else "the others are"
        parts.append(f"The sentence carries the first two pinned heads; {rest} drawn large below.")
    if sinks:
        every, their = (f"All {heads} heads together rest", "their") if heads > 1 else ("It rests", "its")
        tail = "; that part is set aside." if aside else "."
        parts.append(f"{every} {percent(mean_share)} of {their} attention on {sink_names(sinks)}{tail}")
    return (("plain", " ".join(part for part in parts if part)),)
