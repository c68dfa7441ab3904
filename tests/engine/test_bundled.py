"""The bundled recordings are those of the live model, hold no objects, and are not needed for the app to work."""

import zipfile

import numpy as np
import pytest

import mha
from mha.engine import bundled as module
from mha.engine.bundled import FILE, bundled
from mha.engine.recordings import LocalEngine, Request
from mha.examples import EXAMPLES
from mha.link.view import DEFAULT_TEXT
from mha.maps import AttentionMaps, Recording, Token


@pytest.mark.parametrize("text", [example.text for example in EXAMPLES])
def test_a_recording_is_what_the_model_gives_today(text):
    ready_made, live = bundled(text).maps, mha.attend(text)
    assert ready_made.tokens == live.tokens
    for name in ("text", "model", "revision", "origin", "kind", "causal", "units"):
        assert getattr(ready_made, name) == getattr(live, name), name
    assert np.abs(ready_made.weights - live.weights).max() <= 1e-5


def test_the_first_page_has_its_recording_and_its_stacks_are_its_maps():
    recording = bundled(DEFAULT_TEXT)
    assert np.array_equal(recording.attention("self").weights, recording.maps.weights)


def test_only_these_very_texts_by_this_very_model():
    assert bundled(DEFAULT_TEXT + " ") is None
    assert bundled(DEFAULT_TEXT, model="toy") is None


def test_no_array_of_the_archive_holds_objects():
    with zipfile.ZipFile(FILE) as archive:
        names = archive.namelist()
        assert len(names) == 1 + len(EXAMPLES)
        for name in names:
            with archive.open(name) as member:
                assert np.lib.format.read_magic(member) == (1, 0)
                _, _, dtype = np.lib.format.read_array_header_1_0(member)
                assert dtype in (np.dtype("float32"), np.dtype("uint8")), name


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Another file of recordings, which is not there yet."""
    file = tmp_path / "recordings.npz"
    monkeypatch.setattr(module, "FILE", file)
    return file


def test_without_the_file_the_model_answers(elsewhere):
    assert bundled(DEFAULT_TEXT) is None
    weights = np.ones((1, 1, 1, 1), dtype=np.float32)
    answer = Recording(AttentionMaps(weights, (Token("live"),)), {"self": weights})
    engine = LocalEngine(run=lambda _request: answer, load=lambda: None)
    assert engine.record(Request(DEFAULT_TEXT)) is answer


def test_what_is_written_is_what_is_read(elsewhere):
    text = "Old men left"
    module.write_recordings([text], elsewhere)
    assert np.array_equal(bundled(text).maps.weights, mha.attend(text).weights)
    assert bundled(text).maps.tokens == mha.attend(text).tokens
