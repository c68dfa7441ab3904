"""From whatever is typed to maps of it, or to one plain sentence."""

import pytest

from mha.errors import InputError
from mha.models.watch.attending import attend, record_text


def test_what_was_changed_is_told(minilm):
    notes = record_text("一" * 3000).notes
    assert notes == (
        "Using the first 2,000 of 3,000 characters.",
        "Only the first 512 tokens are used; the model reads no more at once.",
    )
    assert record_text("A dog\0 " + "a" * 101).notes == (
        "Unreadable characters were removed.",
        "The model does not know “aaaaaaaaaaaaaaaaa…”: it reads its token for unknown text instead.",
    )
    assert record_text("一" * 2000, "toy").notes == (
        "Only the first 512 words and marks are used; the toy reads no more at once.",
    )
    assert record_text("All is well").notes == ()


def test_a_pair_is_recorded_with_its_segment(minilm):
    maps = attend("A dog ate.", pair="It was hungry.")
    assert maps.pair == "It was hungry."
    assert [piece.text for piece in maps.merged().tokens if piece.segment == 1] == ["It", "was", "hungry", ".", "[SEP]"]
    with pytest.raises(InputError, match="Type a sentence"):
        attend("A dog ate.", pair=" ")
