"""What a rerun does once: a count of calls for each thing that was done again and again."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from mha import words
from mha.engine.experiments import calibration_of_kind
from mha.maps import AttentionMaps
from mha.pairs import KINDS
from tests.pages.readings import DOG, Readings

LOOK, CARRIED = "Where they look", "What carries it"


@pytest.fixture
def counted(monkeypatch):
    """Return what counts the calls of a function by its first argument from now on."""

    def count(owner, name, by=lambda first: first):
        calls, own = Counter(), getattr(owner, name)

        def noted(first, *given, **more):
            calls[by(first)] += 1
            return own(first, *given, **more)

        monkeypatch.setattr(owner, name, noted)
        return calls

    return count


@pytest.mark.parametrize("tab", [LOOK, CARRIED])
def test_a_text_is_cut_into_words_once(tab, counted, monkeypatch):
    words.split.cache.clear()
    chunk = SimpleNamespace(finditer=words._CHUNK.finditer)
    monkeypatch.setattr(words, "_CHUNK", chunk)
    calls = counted(chunk, "finditer")
    page = Readings(tab=tab, text=DOG)
    assert calls[DOG] == 1
    assert set(calls.values()) == {1}
    calls.clear()
    page.run()
    assert not calls


def test_a_recording_is_merged_into_words_once(counted):
    page = Readings(tab=CARRIED, text=DOG)
    calls = counted(AttentionMaps, "merged", lambda maps: (id(maps), maps.units))
    page.run()
    tokens = [count for (_, units), count in calls.items() if units == "tokens"]
    assert len(tokens) <= 2  # both versions, for their leans
    assert max(tokens, default=0) <= 2


def test_the_floor_of_a_kind_is_read_once(counted):
    page = Readings(tab=CARRIED, text=DOG)
    floors = [known.floor for kind in KINDS if (known := calibration_of_kind(kind)) and known.floor]
    calls = counted(np, "quantile", id)
    page.run()
    assert floors
    assert not any(calls[id(floor.sizes)] for floor in floors)
