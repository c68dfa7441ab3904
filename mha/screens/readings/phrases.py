"""How looks from a pivot are told, by what their shares are of: attention, or what the heads bring to it. Pure.

Slots of `str.format` are numbers and verbs; ``{p}``, ``{a}``, ``{b}``, ``{first}`` and ``{second}`` are given the
slots of `say` for the words themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from mha.maps import ATTENTION, BROUGHT


class Phrases(NamedTuple):
    """The sentences of "Where they look" that differ; see `PHRASES`."""

    nothing: str  # no head gives either partner enough to be told
    start: str  # how many heads give the first partner more than half
    as_much: str  # and the second
    none: str  # nothing of the second
    about: str  # what the shares are about
    label: str  # the picture's text alternative, before the list
    listed: str  # one of the list
    caption: str
    elsewhere: str  # where little is given


PHRASES = {
    ATTENTION: Phrases(
        nothing="No head gives {a} or {b} {bound} of the attention of {p}.",
        start="From {p}, {count} {heads} {give} {first} more than half of {their} attention",
        as_much=", and {more} {gives} {second} as much.",
        none=". None gives {second} {bound}.",
        about="This is about looking",
        label="from {pivot}",
        listed="{head} gives {partner} {share}",
        caption="The two strongest looks from {p} at {a} and at {b}, of all {n} heads. Shares of all attention that "
        "{p} gives in that head, special tokens and full stop included.",
        elsewhere="its attention goes elsewhere",
    ),
    BROUGHT: Phrases(
        nothing="In no head {bound} of what is brought to {p} comes from {a} or {b}.",
        start="In {count} {heads} more than half of what is brought to {p} comes from {first}",
        as_much=", and in {more} from {second}.",
        none=". In none {bound} comes from {second}.",
        about="This is about the length of what looks bring",
        label="to {pivot}",
        listed="{head} brings {share} from {partner}",
        caption="The two heads that bring {p} most from {a}, and those that bring it most from {b}, of all {n}. Shares "
        "of ‖weight · value · W_O‖ over all that {p} looks at in that head, special tokens and full stop included "
        "(Kobayashi et al. 2020). Leans and orders below stay those of attention.",
        elsewhere="what is brought to it comes from elsewhere",
    ),
}
