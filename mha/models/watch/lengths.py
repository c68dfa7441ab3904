"""How long a text is to a model, before anything is run on it: its tokens, and how many of them are read at once."""

from __future__ import annotations

from dataclasses import dataclass

from mha.errors import InputError
from mha.maps import Token
from mha.models.files.catalog import model_row
from mha.models.files.loading import load
from mha.models.watch.tokens import encode
from mha.words import accept

MOST_CHARACTERS = 200_000
MAX_TOKENS = 8_192  # of a text; ids that someone holds may be more


@dataclass(frozen=True)
class Measure:
    """An accepted text as a model's tokens: how many there are, how many it reads, and where each begins in the text.

    ``starts`` counts characters of ``text``; tokens that the model adds stand where their neighbour does. ``notes`` has
    one sentence for each thing that was changed.
    """

    text: str
    n_tokens: int
    most: int
    starts: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def part(self, begin: int) -> str:
        """Return the text from a token on."""
        return self.text[self.starts[min(begin, len(self.starts) - 1)] :] if begin > 0 else self.text


def measure(text: str, model: str) -> Measure:
    """Return how long a text is to a model on offer.

    Raises:
        InputError: there is no word in the text, or the model is a toy, which reads sentences only.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    accepted = accept(text, MOST_CHARACTERS)
    row = model_row(model)
    if row.kind != "transformer":
        raise InputError(f"{row.short} reads sentences only; choose another model for a longer text.")
    loaded = load(model)
    tokens = encode(loaded.tokenizer, accepted.text, None, len(accepted.text) + 8).tokens
    starts = tuple(token.start for token in tokens)
    return Measure(accepted.text, len(tokens), loaded.room(MAX_TOKENS), starts, accepted.notes)


def tokens_read(text: str, model: str) -> tuple[Token, ...]:
    """Return the tokens that a model on offer reads of a text at once; errors as `measure`."""
    loaded = load(model)
    return encode(loaded.tokenizer, accept(text, MOST_CHARACTERS).text, None, loaded.room(MAX_TOKENS)).tokens
