"""Which texts a model of English hardly knows."""

import numpy as np
import pytest

from mha.analysis.familiarity import is_unfamiliar
from mha.examples import examples
from mha.maps import AttentionMaps, Token


def maps(text: str, *pieces: int) -> AttentionMaps:
    """Return maps of a text whose words, one for each number, are cut into so many tokens."""
    tokens = tuple(
        Token(f"t{word}", raw="##t" if place else "t", word=word)
        for word, count in enumerate(pieces)
        for place in range(count)
    )
    size = len(tokens)
    return AttentionMaps(np.full((1, 1, size, size), 1 / size, dtype=np.float32), tokens, text=text)


@pytest.mark.parametrize(
    ("text", "pieces", "found"),
    [
        ("one two six", (1, 1, 1), False),
        ("one two seven", (1, 1, 5), False),  # a third, and no more
        ("one elvefa trizehn", (1, 2, 3), True),
        ("one serendipity telescopes", (1, 2, 3), False),  # rare, but English
        ("Serendipity", (4,), False),
        ("Я видел", (1, 1), True),
        ("我看见了", (1, 1, 1, 1), True),
        ("naïve café", (1, 1), False),
        ("2024 10", (1, 1), False),
    ],
)
def test_a_third_of_cut_words_and_letters_of_other_scripts_are_unfamiliar(text, pieces, found):
    assert is_unfamiliar(maps(text, *pieces)) is found


def test_no_example_is_and_a_sentence_of_another_language_is_told_on_heads(visit_heads):
    assert not visit_heads(examples()[0].text)
    assert not visit_heads("Old men left")
    assert not visit_heads("Don’t touch the well-known artist’s “masterpiece”…")
    assert visit_heads("Widziałem mężczyznę z teleskopem")


@pytest.fixture
def visit_heads():
    import mha
    from mha.models.files.catalog import model_row
    from mha.views.heads import select
    from mha.views.heads_text import ENGLISH, ENGLISH_BOTH, notices

    told = [sentence.format(model="MiniLM") for sentence in (ENGLISH, ENGLISH_BOTH)]
    return lambda text: any(note in told for note in notices(select(mha.attend(text)), model_row("minilm")))
