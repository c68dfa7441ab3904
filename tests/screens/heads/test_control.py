"""The line on shuffled copies next to the sentence: bundled, from a job, or left out. No Streamlit."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import mha
from mha.analysis.shuffles import ShuffleControl
from mha.engine.shuffles import ControlRequest
from mha.errors import Busy
from mha.link.view import View
from mha.maps import HeadId
from mha.screens.blocks import as_text
from mha.screens.heads import control
from mha.screens.heads.control import control_of
from mha.screens.heads.findings import control_line
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import picture_of

TYPED = "Children who read many books often write better stories."
DOG = "A dog ate the food because it was hungry"


def small(nearest: int = 2, copies: int = 4) -> ShuffleControl:
    maxima, pair = np.array([0.5, 0.6, 0.7, 0.8])[:copies], np.array([0.1, 0.2, np.nan, 0.9])[:copies]
    return ShuffleControl(HeadId(0, 1), 0, 2, 0.6, nearest, maxima, pair, "a b c")


def test_control_line_counts_copies() -> None:
    assert as_text(control_line(small())) == "Not unusual: 3 of 4 shuffled copies reach this. "
    assert control_line(small(copies=0)) == ()


@pytest.mark.parametrize(
    ("n_reached", "n_copies", "sentence"),
    [
        (0, 999, "Unusual: 0 of 999 shuffled copies reach this. "),
        (1, 39, "Unusual: 1 of 39 shuffled copies reaches this. "),  # p = 2 / 40
        (2, 39, "Not unusual: 2 of 39 shuffled copies reach this. "),
        (5, 8, "Not unusual: 5 of 8 shuffled copies reach this. "),
        (0, 8, "Not unusual: 0 of 8 shuffled copies reach this. "),  # p = 1 / 9
    ],
)
def test_control_line_is_one_clause_with_its_verdict(n_reached, n_copies, sentence) -> None:
    maxima = np.where(np.arange(n_copies) < n_reached, 0.7, 0.5)
    control = dataclasses.replace(small(), maxima=maxima, pair_maxima=maxima)
    assert as_text(control_line(control)) == sentence


def picture(text: str, **given):
    recording = mha.Recording(mha.attend(text))
    return picture_of(View(text=text, **given), recording, text)


def refuse(question):
    raise AssertionError(f"{question} was asked")


def test_an_example_has_its_bundled_line_without_a_job() -> None:
    line, following = control_of(picture(DOG), refuse)
    said = as_text(line)
    assert said == "Not unusual: 39 of 39 shuffled copies reach this. "
    assert not following
    note = as_text(overview_of(picture(DOG).shown, "head", control=line).header["note"])
    assert note.startswith(said)
    assert "Usually" not in note


def test_a_typed_sentence_waits_for_its_job() -> None:
    asked, run = [], SimpleNamespace(state="running", found=None, idle_seconds=lambda: 1.5)
    line, following = control_of(picture(TYPED), lambda question: asked.append(question) or run)
    assert (line, [block.kind for block in following]) == ((), ["following"])
    (request,) = asked
    assert (request.text, request.model, request.idle) == (TYPED, "minilm", True)
    assert following[0].pace == control.PACE
    run.idle_seconds = lambda: 10.0
    assert control_of(picture(TYPED), lambda _: run)[1][0].pace == 10.5, "others' requests delay the job"
    run.state, run.found = "done", small()
    line, following = control_of(picture(TYPED), lambda _: run)
    assert as_text(line).startswith("Not unusual: 3 of 4 ")
    assert not following


@pytest.mark.parametrize("state", ["failed", "stopped", None])
def test_a_job_without_result_leaves_the_line_out(state) -> None:
    run = None if state is None else SimpleNamespace(state=state, found=None)
    assert control_of(picture(TYPED), lambda _: run) == ((), ())


def test_a_busy_engine_leaves_the_line_out() -> None:
    def busy(_question):
        raise Busy("You already have two long runs. Stop one or wait.")

    assert control_of(picture(TYPED), busy) == ((), ())


@pytest.mark.parametrize("given", [{"pins": (HeadId(3, 1),)}, {"lock": 2}, {"lock": -1}])
def test_a_choice_of_the_visitor_has_no_line(given) -> None:
    assert control_of(picture(DOG, **given), refuse) == ((), ())


def test_texts_without_a_connection_have_no_line() -> None:
    for text in ("Dogs", "All is well"):
        assert control_of(picture(text), refuse) == ((), ())
    own = dataclasses.replace(picture(DOG), row=SimpleNamespace(kind=control.OWN, name="a file"))
    assert control_of(own, refuse) == ((), ())


def test_the_job_finds_what_the_package_returns() -> None:
    expected = mha.shuffle_control(TYPED)
    request = ControlRequest(TYPED, "minilm", expected.head, expected.query, expected.key)
    assert request.bundled() is None
    run = request.begin()
    assert run.wait(60)
    n_copies = run.found.n_copies
    assert run.state == "done"
    assert n_copies <= run.done <= 39
    assert (run.found.n_reached == 5) == run.found.stopped == (n_copies < 39)
    np.testing.assert_allclose(run.found.maxima, expected.maxima[:n_copies], atol=1e-6)
