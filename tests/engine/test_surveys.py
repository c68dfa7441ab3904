"""Surveys in the background: what is found is the recording's, Stop keeps the layers that are done."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from mha.engine.recordings import Request, record
from mha.engine.surveys import FULL, SurveyRun, SurveyWanted, measured, tokens_read
from mha.errors import InputError
from mha.maps import HeadId
from mha.models.watch import survey as of_package

TEXT = "The dog saw the cat in the garden behind the house, and the cat saw the dog."


def test_a_survey_has_what_the_recording_has(tiny_offered) -> None:
    run = SurveyRun(SurveyWanted(TEXT, "tiny-causal", 3, (HeadId(1, 2),)))
    assert run.wait(60)
    assert run.state == "done"
    assert run.found is not None
    weights = record(Request(TEXT, "tiny-causal")).maps.weights
    np.testing.assert_allclose(run.found.columns[3], weights[..., 3], atol=1e-6)
    np.testing.assert_allclose(run.found.rows[3], weights[:, :, 3], atol=1e-6)
    np.testing.assert_allclose(run.maps[HeadId(1, 2)] / FULL, weights[1, 2], atol=1e-5)
    assert len(run.layers) == run.whole == run.done == 3
    assert run.found.causal


def test_stop_keeps_the_layers_that_are_done_and_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, go_on = threading.Event(), threading.Event()
    passes = []

    def survey(_text, *, progress, **_asked):
        passes.append(1)
        for done in (1, 2, 3, 4):
            progress(done, 6, np.full((2, 3, 3), done, dtype=np.float32))
            if done == 2 and len(passes) == 1:
                seen.set()
                go_on.wait(20)
        raise InputError("the end")

    monkeypatch.setattr(of_package, "survey", survey)
    run = SurveyRun(SurveyWanted("a text", "minilm", 0))
    assert seen.wait(20)
    run.stop()
    go_on.set()
    assert run.wait(20)
    assert run.state == "stopped"
    assert len(run.layers) == 3, "the layer under way is the last one"
    run.go_on()
    assert run.wait(20)
    assert (run.state, len(passes)) == ("failed", 2)
    assert [int(layer[0, 0, 0]) for layer in run.layers] == [1, 2, 3, 4]


def test_equal_questions_share_a_run(tiny_offered) -> None:
    first = SurveyWanted(TEXT, "tiny-masked", 1).begin()
    assert SurveyWanted(TEXT, "tiny-masked", 1).begin() is first
    assert SurveyWanted(TEXT, "tiny-masked", 1).answer() is first
    assert first.wait(60)


def test_how_long_a_text_is_is_known_before_anything_is_run(tiny_offered) -> None:
    long = " ".join([TEXT] * 20)
    measure = measured(long, "tiny-causal")
    assert measure.most == 128
    assert measure.n_tokens == 20 * 19
    assert len(tokens_read(long, "tiny-causal")) == 128
    assert measure.part(19).startswith("The dog saw")
    assert len(measure.part(19)) < len(long)
    assert measured("One word", "minilm").n_tokens == 4
    with pytest.raises(InputError, match="reads sentences only"):
        measured(long, "toy")
