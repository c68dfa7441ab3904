"""What heads add is worked out once for equal questions, and what goes wrong is said."""

import pytest

from mha.engine.added import added
from mha.errors import InputError
from mha.maps import HeadId


def test_equal_questions_share_an_answer():
    first = added("A man saw", "toy", HeadId(0, 1), 2)
    assert added("A man saw", "toy", HeadId(0, 1), 2) is first
    assert added("A man saw", "toy", HeadId(0, 0), 2) is not first
    assert first.heads.shape == (2, 4)


def test_a_head_that_is_not_there_is_said():
    with pytest.raises(InputError, match="you asked for L3H0"):
        added("A man saw", "toy", HeadId(3, 0), 0)
