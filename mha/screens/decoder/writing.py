"""A model that writes on: what it wrote, which head and step are looked at, and what every head looked back at."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from mha.analysis.backwards import FEWEST_ROWS, Backwards, after_same_word, look_back, n_copies, role_here
from mha.brief import with_arrays
from mha.formats import cut, labels
from mha.link.heads import HeadsWords
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.rows import ModelRow
from mha.models.watch.generating import Generation
from mha.tokens import visible_token

MOST_COLUMNS = 96  # tokens that have a column; of a longer text the last ones


@with_arrays
class Writing:
    """What the page draws of a model that writes: ``maps`` of all tokens, ``back`` the looks that wrote.

    ``drawn`` are the maps of the tokens that have columns, rows rescaled; ``head`` and ``step`` (from 0) are the
    reader's choice or the app's (``chosen``); ``unit`` is what a token is called: "word" where each is one.
    """

    view: View
    choices: HeadsWords
    found: Generation
    row: ModelRow
    maps: AttentionMaps
    drawn: AttentionMaps
    back: Backwards
    head: HeadId
    step: int
    chosen: bool
    unit: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What every token is called in sentences: numbered where it occurs again."""
        return labels([dataclasses.replace(token, text=shown_text(token)) for token in self.maps.tokens])

    @cached_property
    def roles(self) -> dict[HeadId, tuple[str, float]]:
        """The roles on this text that stand out, with their shares."""
        return role_here(self.drawn)

    @property
    def hidden(self) -> int:
        """How many tokens that could have a column have none, for there are too many."""
        return max(0, len(self.back.columns) - MOST_COLUMNS)

    @property
    def new(self) -> str:
        """The token that is written at this step, as a reader sees it."""
        return shown_text(self.found.written[self.step])


def writing_of(view: View, choices: HeadsWords, found: Generation, row: ModelRow) -> Writing:
    """Return what is drawn of a generation; pins and steps that it has not are chosen anew."""
    maps = found.recording.maps
    back = look_back(maps, found.n_read, view.sinks)
    drawn = _drawn(maps, back)
    pins = [head for head in view.pins or () if head.layer < maps.n_layers and head.head < maps.n_heads]
    head = pins[0] if pins else _first_head(drawn, back)
    asked = choices.step is not None and choices.step <= found.n_steps
    step = choices.step - 1 if choices.step is not None and asked else _clearest(back, head)
    return Writing(view, choices, found, row, maps, drawn, back, head, step, not pins, unit_of(maps.tokens))


def shown_text(token: Token) -> str:
    """Return a token with visible white space; long ones are cut."""
    return cut(token.text.strip()) or visible_token(token.text)


def unit_of(tokens: tuple[Token, ...]) -> str:
    """Return "word" where every token is a whole word or a sign of the model's own, else "token"."""
    plain = [token for token in tokens if not token.special]
    known = all(token.word is not None and token.end > token.start for token in plain)  # else only pieces are known
    return "word" if known and len({token.word for token in plain}) == len(plain) else "token"


def _drawn(maps: AttentionMaps, back: Backwards) -> AttentionMaps:
    """Return the maps of the tokens with columns, each row rescaled; rows with nothing left are 0."""
    kept = list(back.columns)
    weights = maps.weights[:, :, kept][..., kept].astype(np.float64)
    total = weights.sum(axis=-1, keepdims=True)
    tokens = tuple(maps.tokens[place] for place in kept)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total >= 0.01)
    return dataclasses.replace(maps, weights=np.clip(shares, 0, 1), tokens=tokens, key_tokens=tokens)


def _first_head(drawn: AttentionMaps, back: Backwards) -> HeadId:
    """Return the head that looks most at what followed an earlier copy; without copies the one that looks sharpest."""
    elsewhere = back.shares.copy()  # not at the token that looks
    for step, row in enumerate(back.rows):
        elsewhere[step, :, :, [at for at, place in enumerate(back.columns) if place == row]] = 0
    measure = after_same_word(drawn) if n_copies(drawn) >= FEWEST_ROWS else elsewhere.max(axis=-1).mean(axis=0)
    return HeadId(*(int(place) for place in np.unravel_index(int(np.nanargmax(measure)), measure.shape)))


def _clearest(back: Backwards, head: HeadId) -> int:
    """Return the step, the first of them, in which a head gives most to one token."""
    shares = back.shares[:, head.layer, head.head].copy()
    for step, row in enumerate(back.rows):
        shares[step, [at for at, place in enumerate(back.columns) if place == row]] = 0
    return int(shares.max(axis=-1).argmax())
