"""The toy that comes with the app: it is what training gives, and its two heads take one reading each."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from mha.core import WordModel
from mha.models.toy import TRAINED
from mha.training.settings import Grammar
from studies.trained_toy import SETTINGS, made_on, write

ASSETS = Path(__file__).parents[2] / "assets"
ABOUT = json.loads((ASSETS / f"{TRAINED}.json").read_text())


@pytest.fixture(scope="module")
def model():
    return WordModel.from_arrays(load_file(ASSETS / f"{TRAINED}.safetensors"), ABOUT["vocabulary"], ABOUT["n_heads"])


@pytest.mark.slow
def test_training_it_again_gives_the_same_numbers(tmp_path):
    if made_on() != ABOUT["made_on"]:
        pytest.skip(f"bundled on {ABOUT['made_on']}, this is {made_on()}: last bits, and so the numbers, may differ")
    write(tmp_path)
    bundled, again = (load_file(folder / f"{TRAINED}.safetensors") for folder in (ASSETS, tmp_path))
    assert bundled.keys() == again.keys()
    for name, array in bundled.items():
        np.testing.assert_allclose(again[name], array, atol=1e-4, err_msg=name)


def test_its_words_are_those_of_the_grammar(model):
    assert model.vocabulary == Grammar(SETTINGS.n_readings).vocabulary


def test_it_names_both_nouns_of_pairs_it_never_saw_and_one_without_a_head(model):
    grammar = Grammar(SETTINGS.n_readings, SETTINGS.seed)
    unseen = grammar.sentences(53, np.random.default_rng(7), held_out=True)

    def right(off: tuple[int, ...] = ()) -> np.ndarray:
        named = [model.name(grammar.words(unseen, i), int(unseen.pivot[i]), off).argmax(axis=1) for i in range(53)]
        return (np.array(named) == unseen.answers).mean(axis=0)  # [reading]

    assert right().min() > 0.98
    taken = np.array(ABOUT["measured"]["looks"]).argmax(axis=1)  # which noun each head looks at
    for head, noun in enumerate(taken):
        without = right(off=(head,))
        assert without[noun] < 0.1
        assert without[1 - noun] > 0.98
