"""Which texts a model of English hardly knows: by what its tokenizer makes of their words, and by their letters."""

from __future__ import annotations

import unicodedata
from collections import Counter

from mha.maps import AttentionMaps

MOST_CUT = 1 / 3  # of the words of a text: of English sentences that come with the app fewer are cut


def unfamiliar(maps: AttentionMaps) -> bool:
    """Return whether more than a third of a text's words are no token of their own, or most letters are not Latin.

    ``maps`` are of tokens, as the model reads them. A text without words is familiar.
    """
    pieces = Counter(token.word for token in maps.tokens if token.word is not None)
    letters = [letter for letter in maps.text if letter.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    cut = sum(count > 1 for count in pieces.values())
    return cut > MOST_CUT * len(pieces) or 2 * latin < len(letters)
