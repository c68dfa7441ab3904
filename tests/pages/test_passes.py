"""Forward passes of a typed sentence: one before the page is drawn, the control only while nothing else waits."""

import pytest

from mha.engine import following
from mha.engine.jobs import QUEUE, RUNS
from mha.engine.queue import Call
from mha.engine.shuffles import ControlRequest
from mha.intervention.shuffles import maps_in_batches
from mha.models.watch.attending import loaded_model
from tests.engine.waiting import until

TYPED = "Nobody at the harbour had expected the small boat to return before noon."


@pytest.fixture
def passes():
    """Return the batch sizes of MiniLM's forward passes, in order."""
    assert list(maps_in_batches(["Good morning"]))  # a first use compares the recording with eager
    sizes: list[int] = []
    model = loaded_model("minilm").model
    hook = model.register_forward_pre_hook(
        lambda _module, _inputs, kwargs: sizes.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    yield sizes
    hook.remove()


def control_runs() -> list:
    return [run for question, run in RUNS._runs.items() if isinstance(question, ControlRequest) and run.running]


def test_a_typed_sentence_puts_one_pass_in_front_and_its_control_waits(visit, passes, monkeypatch):
    monkeypatch.setattr(following, "AFTER_RUN", 3600.0)
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
    monkeypatch.setattr(following, "AFTER_RUN", 0.0)
    QUEUE.put(Call(lambda: None))  # the queue looks for the next task
    until(lambda: second.state == "done")
    assert passes[1:], "copies of the sentence were recorded"
    assert sum(passes[1:]) == second.done <= 39, "without another pass of the sentence itself"
