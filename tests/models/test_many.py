"""Many texts at once: the same numbers as one by one, in their order, with a bar where one is wanted."""

import numpy as np
import pytest

import mha
from mha.errors import InputError, ModelUnavailable
from mha.models.watch import batching

TEXTS = [
    "I saw the man with the telescope",
    "Run!",
    "The dog ate the food because it was hungry.",
    "  All   is well ",
] * 3


@pytest.mark.parametrize("model", ["minilm", "toy"])
def test_each_text_has_the_numbers_that_it_has_alone(model):
    found = mha.attend_many(TEXTS, model)
    assert len(found) == len(TEXTS)
    for text, maps in zip(TEXTS[:4], found[:4], strict=True):
        alone = mha.attend(text, model)
        assert maps.tokens == alone.tokens
        assert maps.text == alone.text
        np.testing.assert_allclose(maps.weights, alone.weights, atol=1e-5)


def test_several_go_through_one_pass(monkeypatch):
    groups = []
    together = batching.record_together
    monkeypatch.setattr(
        batching, "record_together", lambda texts, *more: groups.append(texts) or together(texts, *more)
    )
    mha.attend_many(TEXTS)
    assert [len(group) for group in groups] == [8, 4]
    assert set(groups[0]) == {"Run!", "All is well", TEXTS[0]}, "those of about one length"


def test_a_decoder_and_a_folder_are_taken(snapshots):
    folder = snapshots["tiny-causal"]
    one, two = mha.attend_many(["The dog ate", "the food"], folder)
    np.testing.assert_array_equal(two.weights, mha.attend("the food", str(folder)).weights)
    assert one.causal
    with pytest.raises(ModelUnavailable, match="There is no folder"):
        mha.attend("the food", folder / "none")


def test_the_bar_is_drawn_where_it_is_wanted(capsys):
    mha.attend_many(TEXTS[:2])
    assert capsys.readouterr().err == ""
    mha.attend_many(TEXTS[:2], progress=True)
    assert "2/2" in capsys.readouterr().err


def test_a_text_that_is_none_is_named_by_its_place():
    with pytest.raises(InputError, match="Text 1: "):
        mha.attend_many(["All is well", "  "])
    assert mha.attend_many([]) == []
