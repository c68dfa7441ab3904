"""Forward passes of a typed text: one before the page is drawn, all else behind the texts of others."""

import pytest

from mha.engine import followers
from mha.engine.experiments import iter_idle_control
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import QUEUE, RUNS
from mha.engine.queue import FunctionTask
from mha.engine.word_sweeps import WordSweepJob
from mha.intervention.shuffles import maps_in_batches
from mha.models.files.loading import load
from tests.engine.waiting import until
from tests.pages.conftest import opened_at, pictures

TYPED = "Nobody at the harbour had expected the small boat to return before noon."


@pytest.fixture
def passes():
    """Return the batch sizes of MiniLM's forward passes, in order."""
    yield from batch_sizes("minilm")


@pytest.fixture
def smollm2_passes():
    yield from batch_sizes("smollm2")


def batch_sizes(name):
    assert list(maps_in_batches(["Good morning"], name))  # a first use compares the recording with eager
    sizes: list[int] = []
    model = load(name).model
    hook = model.register_forward_pre_hook(
        lambda _module, _inputs, kwargs: sizes.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    yield sizes
    hook.remove()


def control_runs() -> list:
    controls = [question for question in RUNS._runs if getattr(question, "pieces", None) is iter_idle_control]
    return [run for run in map(RUNS._runs.get, controls) if run.running]


def test_a_typed_sentence_puts_one_pass_in_front_and_its_control_waits(visit, passes, monkeypatch):
    monkeypatch.setattr(followers, "AFTER_RUN", 3600.0)
    page = visit(text=TYPED)
    (control,) = control_runs()
    assert control.idle
    passes.clear()  # of the model's start
    page.test.text_area(key="text").set_value(TYPED.replace("noon", "dusk")).run()
    assert passes == [1]
    until(lambda: not control.running)  # the visitor typed another text
    (second,) = control_runs()
    assert QUEUE.drop(second), "it waits for its time"
    QUEUE.put(second)
    monkeypatch.setattr(followers, "AFTER_RUN", 0.0)
    QUEUE.put(FunctionTask(lambda: None))  # the queue looks for the next task
    until(lambda: second.state == "done")
    assert passes[1:], "copies of the sentence were recorded"
    assert sum(passes[1:]) == second.n_done <= 39, "without another pass of the sentence itself"


def test_a_text_on_next_word_takes_one_pass_and_its_heads_wait_for_a_crowd(smollm2_passes, monkeypatch):
    monkeypatch.setattr(followers, "AFTER_RUN", 3600.0)
    text = "Nobody at the harbour had expected the small"
    opened_at("next.py", text=f"{text} cat")  # a first use looks at the model and its means
    FOLLOWERS.note_request("another visitor")
    smollm2_passes.clear()
    test = opened_at("next.py", text=text)
    assert smollm2_passes == [1]
    assert test.title[0].value.startswith("SmolLM2 predicts")
    assert not pictures(test, "rank_line")
    (run,) = [run for run in RUNS._runs.values() if isinstance(run, WordSweepJob) and run.request.text == text]
    monkeypatch.setattr(followers, "AFTER_RUN", 0.0)
    QUEUE.put(FunctionTask(lambda: None))  # the queue looks for the next task
    until(lambda: run.idle or run.state != "running")
    assert smollm2_passes == [1, 2], "two gradients together; the ranks take none, the heads begin at their layer"
    test.run()
    assert test.title[0].value.startswith("Of the 8 heads measured so far")
    (line,) = pictures(test, "rank_line")
    assert len(line["ranks"]) == 30
    assert sum(smollm2_passes) == 4, "the recording of the arc"
