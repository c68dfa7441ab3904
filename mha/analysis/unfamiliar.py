"""Which texts a model of English hardly knows: by what its tokenizer makes of their words, and by their letters."""

from __future__ import annotations

import unicodedata

from mha.maps import AttentionMaps

CONTINUES = "##"  # what a token begins with that goes on where the one before it ends
MOST_CUT = 1 / 3  # of the words of a text: of English sentences that come with the app fewer are cut


def unfamiliar(maps: AttentionMaps) -> bool:
    """Return whether more than a third of a text's words are cut within a row of letters, or most letters not Latin.

    ``maps`` are of tokens, as a model with WordPiece reads them: *don't* is three of them and not cut. A text without
    words is familiar.
    """
    words = {token.word for token in maps.tokens if token.word is not None}
    letters = [letter for letter in maps.text if letter.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    cut = {token.word for token in maps.tokens if token.raw.startswith(CONTINUES)}
    return len(cut) > MOST_CUT * len(words) or 2 * latin < len(letters)
