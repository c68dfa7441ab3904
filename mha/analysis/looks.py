"""The one look worth a sentence, and the sentence: "In head L0H1, saw looks at telescope with 68 % …".

Sentences are lists of spans (kind, text), so that a page can set words in italics and heads in a fixed width; `plain`
joins them. Shares are of the attention given to words, sinks set aside; `before` keeps the weight as the model has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.maps import HeadId, Token

Span = tuple[str, str]  # kind ("plain", "head" or "word") and text
Spans = list[Span]

_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Look:
    """One word's look at another in one head: ``weight`` of what it gives to words, ``before`` of all it gives.

    ``query`` and ``key`` are positions on the axes of the set-aside maps.
    """

    head: HeadId
    query: int
    key: int
    weight: float
    before: float


def labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return what each token is called in a sentence: its text, numbered where it occurs more than once.

    >>> labels([Token("the"), Token("man"), Token("the")])
    ('the₁', 'man', 'the₂')
    """
    total = Counter(token.text for token in tokens)
    seen: Counter[str] = Counter()
    names = []
    for token in tokens:
        seen[token.text] += 1
        number = str(seen[token.text]).translate(_SUBSCRIPT) if total[token.text] > 1 else ""
        names.append(token.text + number)
    return tuple(names)


def strongest_look(aside: SetAside, head: HeadId | tuple[int, int], key: int | None = None) -> Look | None:
    """Return the strongest look of one head from a word to another word, or to the given key position.

    A word's look at itself is not one word looking at another, and rows that are empty say nothing; None where no look
    is left (a single word, or a head whose rows are all empty).

    Raises:
        InputError: there is no such head, or no such key.
    """
    maps = aside.maps
    weights = maps[head[0], head[1]].astype(np.float64)  # [query, key]
    if key is not None and not 0 <= key < maps.n_keys:
        raise InputError(f"There are {maps.n_keys} words to look at, counted from 0; you asked for {key}.")
    allowed = np.outer(_is_word(maps.tokens), _is_word(maps.key_tokens))
    allowed &= maps.visible & ~aside.empty[head[0], head[1]][:, None]
    if maps.kind == "self":
        np.fill_diagonal(allowed, False)
    if key is not None:
        allowed[:, np.arange(maps.n_keys) != key] = False
    if not allowed.any():
        return None
    query, best = np.unravel_index(np.where(allowed, weights, -1).argmax(), weights.shape)
    weight = float(weights[query, best])
    before = weight * (1 - float(aside.mass[head[0], head[1], query]))
    return Look(HeadId(*head), int(query), int(best), weight, before)


def finding(aside: SetAside, heads: Iterable[HeadId | tuple[int, int]], key: int | None = None) -> list[Spans]:
    """Return one sentence for each head: which word looks most at which, with what share of its attention to words.

    A head that looks at the same word as the one before is told shortly ("man does, with 69 %").
    """
    queries, keys = labels(aside.maps.tokens), labels(aside.maps.key_tokens)
    sentences: list[Spans] = []
    told: int | None = None
    for head in heads:
        look = strongest_look(aside, head, key)
        if look is None:
            sentences.append(_no_look(aside, HeadId(*head)))
            continue
        opening: Spans = [
            ("plain", "In head "),
            ("head", str(look.head)),
            ("plain", ", "),
            ("word", queries[look.query]),
        ]
        if look.key == told:
            sentences.append([*opening, ("plain", f" does, with {percent(look.weight)}.")])
        else:
            share = f" with {percent(look.weight)} of the attention it gives to words."
            sentences.append([*opening, ("plain", " looks at "), ("word", keys[look.key]), ("plain", share)])
        told = look.key
    return sentences


def set_aside_finding(aside: SetAside) -> Spans:
    """Return the sentence that says how much all heads together rest on sinks."""
    heads = aside.maps.n_layers * aside.maps.n_heads
    who = {1: "The one head rests", 2: "Both heads together rest"}.get(heads, f"All {heads} together rest")
    if not aside.sinks and not aside.share.any():
        return [("plain", "There is nothing to set aside: this text has no special tokens and no final punctuation.")]
    of = "its" if heads == 1 else "their"
    share = percent(float(aside.share.mean()))
    return [("plain", f"{who} {share} of {of} attention on {sink_names(aside)}; that part is set aside.")]


def set_aside_badge(aside: SetAside, head: HeadId | tuple[int, int]) -> str:
    """Return the badge of one head: how much of its attention is on sinks."""
    aside.maps[head[0], head[1]]  # refuses a head that is not there
    share = percent(float(aside.share[head[0], head[1]]))
    return f"{share} of this head's attention is on {sink_names(aside)}; the rest, rescaled"


def sink_names(aside: SetAside) -> str:
    """Return the sinks by name, each once: "[CLS] and [SEP]"."""
    names = list(dict.fromkeys(token.text for token in aside.sinks)) or ["no token"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def percent(share: float) -> str:
    """Return a share in whole per cents, as the pages write it.

    >>> percent(0.684)
    '68 %'
    """
    return f"{round(100 * share)} %"


def plain(spans: Iterable[Span]) -> str:
    """Return the text of a sentence without its kinds."""
    return "".join(text for _, text in spans)


def _no_look(aside: SetAside, head: HeadId) -> Spans:
    if aside.empty[head].all():
        rest = f" rests nearly all its attention on {sink_names(aside)}; what is left says nothing about words."
        return [("plain", "Head "), ("head", str(head)), ("plain", rest)]
    return [("plain", "In head "), ("head", str(head)), ("plain", ", no word looks at another one here.")]


def _is_word(tokens: Sequence[Token]) -> np.ndarray:
    return np.array([token.word is not None for token in tokens], dtype=bool)
