"""`mha.lean` of a text is that of its maps, and of the readings that are suggested for it."""

import numpy as np
import pytest

import mha

CLERK = "The clerk thanked the guest because he waited"


def test_a_text_alone_leans_as_its_maps_do_between_the_suggested_readings():
    maps = mha.attend(CLERK).merged()
    readings = mha.propose(CLERK)[0].readings
    found = mha.lean(CLERK)
    assert found.shape == (6, 12)
    assert np.array_equal(found, mha.lean(maps, readings))
    assert np.array_equal(found, mha.lean(maps))


def test_a_text_in_which_nothing_is_ambiguous_says_so():
    with pytest.raises(mha.InputError, match="suggest"):
        mha.lean("It rained all day.")
