"""The word for one cell: what it reads, what it refuses, and that it comes back as it was written."""

import pytest

from mha.errors import LinkError
from mha.link.heads import CellPlace, OneCell, place_of
from mha.link.kinds import Shape
from mha.maps import HeadId

MINILM = Shape("MiniLM", 6, 12)


def test_a_cell_is_a_head_and_two_places() -> None:
    assert OneCell().read(["l2h8 6 9"], MINILM) == "L2H8 6 9"
    assert place_of("L2H8 6 9") == CellPlace(HeadId(2, 8), 6, 9)
    assert str(CellPlace(HeadId(2, 8), 6, 9)) == "L2H8 6 9"
    assert OneCell().read([""], MINILM) == ""


@pytest.mark.parametrize("value", ["L2H8", "L2H8 6", "L2H8 -1 0", "L2H8 1 2 3", "6 9", "L2H8 ٣ 1", "L2H8 1000000000 1"])
def test_anything_else_is_refused_in_words(value: str) -> None:
    with pytest.raises(LinkError, match="a head and two places such as “L5H3 7 4”"):
        OneCell().read([value], MINILM)


def test_the_head_is_one_of_the_models() -> None:
    with pytest.raises(LinkError, match="MiniLM has heads L0H0 to L5H11, not L6H0"):
        OneCell().read(["L6H0 1 1"], MINILM)
