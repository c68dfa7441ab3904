"""Many texts at once: the same numbers as one by one, in their order, with a bar where one is wanted."""

import numpy as np
import pytest

import mha
from mha.errors import InputError, MHAError, ModelUnavailable, UnknownModel
from mha.models.watch import batching

TEXTS = [
    "I saw the man with the telescope", "Run!", "The dog ate the food because it was hungry.", "  All   is well ",
] * 3  # fmt: skip


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
    assert set(groups[0]) == {"Run!", "  All   is well ", TEXTS[0]}, "those of about one length"


def test_a_decoder_and_a_folder_are_taken(snapshots):
    folder = snapshots["tiny-causal"]
    one, two = mha.attend_many(["The dog ate", "the food"], folder)
    np.testing.assert_array_equal(two.weights, mha.attend("the food", str(folder)).weights)
    assert one.causal


def test_a_text_that_is_none_is_named_by_its_place():
    with pytest.raises(InputError, match="Text 1: "):
        mha.attend_many(["All is well", "  "])
    assert mha.attend_many([]) == []


def test_a_folder_that_is_not_there_or_not_said_as_one_is_told(snapshots, monkeypatch):
    folder = snapshots["tiny-causal"]
    monkeypatch.chdir(folder.parent)
    assert mha.attend("the food", f"./{folder.name}").causal
    with pytest.raises(UnknownModel, match=rf'For the folder of that name, say model="\./{folder.name}"'):
        mha.attend("the food", folder.name)
    for name in ("./none", "~nobody-of-that-name/none", "./" + "x" * 5000, "./\0"):
        with pytest.raises(ModelUnavailable, match="There is no folder"):
            mha.attend("the food", name)
    with pytest.raises(UnknownModel, match="none has the name that was asked for"):
        mha.attend("the food", "")
    (folder.parent / "toy").mkdir(exist_ok=True)
    assert mha.attend("All is well", "toy").origin == "toy"
    (folder.parent / "toy").rmdir()


def test_a_folder_is_loaded_once_for_all_that_takes_a_model(snapshots):
    folder = snapshots["tiny-causal"]
    loaded = mha.load_model(str(folder))
    assert mha.load_model(folder) is loaded is mha.load_model(loaded)
    assert mha.attend("the food", folder).weights.shape == mha.attend("the food", loaded).weights.shape
    assert mha.ablate("the food", [(0, 0)], model=loaded).maps.model == loaded.row.short
    assert mha.predict("the food", loaded, count=3).words
    assert mha.load_model() is mha.load_model("minilm")
    for ask in (lambda: mha.predict("the food", folder), lambda: mha.ablate("the food", [(0, 0)], model=folder)):
        with pytest.raises(MHAError, match=r"mha\.load_model\("):
            ask()
    with pytest.raises(UnknownModel, match="Toy is not loaded from files"):
        mha.load_model("toy")
    with pytest.raises(ModelUnavailable, match="There is no folder"):
        mha.load_model(folder / "none")
