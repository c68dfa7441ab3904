"""Which texts a model of English hardly knows: by what its tokenizer makes of their words, and by their letters."""

import unicodedata

from mha.analysis.proposals.lexicon import bundled
from mha.maps import AttentionMaps
from mha.words import words

CONTINUES = "##"  # prefix of a token that continues the token before it
MOST_CUT = 1 / 3  # of the words of a text; in the bundled English sentences fewer are cut


def is_unfamiliar(maps: AttentionMaps) -> bool:
    """Return whether more than a third of a text's words are cut within a row of letters, or most letters not Latin.

    ``maps`` are of tokens, as a model with WordPiece reads them: *don't* is three of them and not cut. A rare word of
    English (*serendipity*), which is cut too, does not count. A text without words is familiar.
    """
    count = len({token.word for token in maps.tokens if token.word is not None})
    letters = [letter for letter in maps.text if letter.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    cut = {token.word for token in maps.tokens if token.raw.startswith(CONTINUES)} - {None}
    if len(cut) > MOST_CUT * count:
        cut -= _english(maps.text)
    return len(cut) > MOST_CUT * count or 2 * latin < len(letters)


def _english(text: str) -> set[int]:
    """Return the numbers of the words that the lexicon of English has."""
    lexicon = bundled()
    return {n for n, word in enumerate(words(text)) if lexicon is not None and lexicon.entry(word.casefold())}
