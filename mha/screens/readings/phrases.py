"""How attention from the ambiguous word is told, by what its shares are of: attention, or contributions. Pure.

Slots of `str.format` are numbers and verbs; ``{p}``, ``{a}``, ``{b}``, ``{first}`` and ``{second}`` are given the
slots of `say` for the words themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from mha.maps import ATTENTION, BROUGHT


class Phrases(NamedTuple):
    """The sentences of "Where heads look" that differ; see `PHRASES`."""

    nothing: str  # no head gives either candidate enough to be told
    start: str  # how many heads give the first candidate more than half
    as_much: str  # and the second
    none: str  # nothing of the second
    about: str  # what the shares are about
    label: str  # the picture's text alternative, before the list
    listed: str  # one of the list
    drawn: str  # what the picture draws, for the disclosure


PHRASES = {
    ATTENTION: Phrases(
        nothing="Looking from {p}, no head gives {bound} of its attention to {a} or to {b}.",
        start="Looking from {p}, {count} {heads} {give} more than half of {their} attention to {first}",
        as_much=", and {more} to {second}.",
        none=". No head gives {bound} to {second}.",
        about="This shows where heads look, not what the model understands.",
        label="from {pivot}",
        listed="{head} gives {partner} {share}",
        drawn="Strongest two of {n} heads for each candidate. Shares of all attention from {p}.",
    ),
    BROUGHT: Phrases(
        nothing="In no head does {a} or {b} supply {bound} of what {p} receives.",
        start="In {count} {heads}, {first} supplies more than half of what {p} receives",
        as_much=", and in {more}, {second} does.",
        none=". In no head does {second} supply {bound}.",
        about="This shows how much arrives, not what the model understands.",
        label="to {pivot}",
        listed="in {head} {partner} supplies {share}",
        drawn="Largest two of {n} heads for each candidate. Shares of all that {p} receives: "
        "‖weight · value · W_O‖, special tokens and final punctuation included (Kobayashi et al. 2020). "
        "Leans still use attention.",
    ),
}
