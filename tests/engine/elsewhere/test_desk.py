"""The engine in other processes, with its desk under a plain server: what travels, what is refused, what falls back."""

import dataclasses
import json
import re
import socket
import threading
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import uvicorn

from mha.analysis.statistics import head_statistics
from mha.engine import answers
from mha.engine.answers import HOMES, Answers, every_experiment
from mha.engine.elsewhere import Elsewhere, Ways, client
from mha.engine.elsewhere.client import Away
from mha.engine.elsewhere.coding import CLASSES, read, write
from mha.engine.elsewhere.desk import MOST_BYTES, Desk
from mha.engine.elsewhere.either import Either
from mha.engine.elsewhere.frames import ANSWER, BEAT, frame
from mha.engine.elsewhere.several import record_several
from mha.engine.inprocess import ENGINE
from mha.engine.recordings import EVERYTHING, LocalEngine, Request, record
from mha.errors import Busy, InputError, MHAError, ModelUnavailable
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row
from mha.models.files.loading import load
from tests.browser.conftest import free_port

DOG = "Tom fed the dog because it was hungry"
READINGS = (Reading("dog", (("it", "dog"),)), Reading("Tom", (("it", "Tom"),)))
TOKEN = "known to both"


class Serving:
    """An ASGI app under uvicorn, in a thread."""

    def __init__(self, app):
        self.port = free_port()
        self.server = uvicorn.Server(uvicorn.Config(app, port=self.port, log_level="critical"))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.server.should_exit = True
        self.thread.join(10)


@pytest.fixture(scope="module", autouse=True)
def awake():
    load("minilm")


@pytest.fixture(scope="module")
def desk():
    serving = Serving(Desk(TOKEN))
    yield Elsewhere(serving.url, TOKEN)
    serving.stop()


@pytest.fixture
def app():
    """Start an ASGI app, and stop it in the end."""
    running = []

    def start(app):
        running.append(Serving(app))
        return Elsewhere(running[-1].url, TOKEN)

    yield start
    for serving in running:
        serving.stop()


def equal(one, other):
    """Return whether two values are of the same kinds and hold the same, bit for bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if dataclasses.is_dataclass(one):
        own = [field.name for field in dataclasses.fields(one) if field.init]
        return all(equal(getattr(one, name), getattr(other, name)) for name in own)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other or (one != one and other != other)


VALUES = [
    None,
    (1, -2.5, True, "é\ud800", [None, (), {"class": "os", "tuple": [3]}]),
    {"a": np.arange(30, dtype=np.float32).reshape(2, 3, 5)[:, ::2], "b": np.zeros((0, 7))},
    (HeadId(5, 3), READINGS, float("nan"), float("-inf")),
    np.array([[True, False]]),
    np.array(7, dtype=np.int16),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_what_travels_comes_out_as_it_went_in(value):
    assert equal(read(write(value)), value)


def test_a_recording_travels_bit_for_bit_and_its_weights_once():
    whole = record(Request(DOG, keep=EVERYTHING))
    content = write(whole)
    assert equal(read(content), whole)
    arrays = (whole.maps.weights, whole.query, whole.key, whole.value, whole.hidden)
    assert len(content) < sum(array.nbytes for array in arrays) + 4000  # a second copy of the weights has 28,800


def test_every_class_that_may_travel_is_where_the_table_says():
    for name, module in CLASSES.items():
        kind = getattr(__import__(module, fromlist=[name]), name)
        assert (kind.__module__, kind.__name__) == (module, name)


@pytest.mark.parametrize("value", [object(), {1: 2}, {3, 4}, np.array([object()]), SimpleNamespace(), b"x"])
def test_what_may_not_travel_is_not_sent(value):
    with pytest.raises(TypeError, match="travel"):
        write(value)


GOOD = write((np.arange(7.0), HeadId(1, 2)))
TWISTED = {
    b"": "nothing",
    b"\xff\xff\xff\xff{}": "a length",
    GOOD[:40]: "an end",
    GOOD.replace(b"<f8", b"|O8"): "objects",
    GOOD.replace(b"[7]", b"[9]"): "a shape",
    GOOD.replace(b"HeadId", b"system"): "a class",
    GOOD.replace(b'"layer"', b'"lager"'): "a field",
}


@pytest.mark.parametrize("content", TWISTED, ids=TWISTED.get)
def test_bytes_that_nobody_wrote_are_refused(content):
    with pytest.raises(InputError, match="cannot be read"):
        read(content)


def test_the_desk_answers_as_this_process_does(desk):
    request = Request(DOG, keep=("query",))
    assert equal(desk.record(request).maps, record(request).maps)
    assert equal(desk.statistics(request), dict(head_statistics(record(request).maps)))
    found = desk.experiment("leaning", text=DOG, readings=READINGS)
    assert equal(found, ENGINE.experiment("leaning", DOG, READINGS))
    assert equal(desk.experiment("token_counts", ("dog", "telescope")), (1, 1))
    assert desk.health().ready


def test_what_an_engine_refuses_is_refused_by_the_same_kind_of_error(desk):
    with pytest.raises(InputError, match="There is no experiment “tea”"):
        desk.experiment("tea")
    with pytest.raises(InputError, match="does not take this"):
        desk.experiment("leaning", sugar=2)
    with pytest.raises(MHAError) as here:
        ENGINE.experiment("leaning", "Nobody is here", READINGS)
    with pytest.raises(type(here.value)) as there:
        desk.experiment("leaning", text="Nobody is here", readings=READINGS)
    assert str(there.value) == str(here.value)


def test_who_does_not_know_the_token_hears_nothing(desk, caplog):
    with pytest.raises(Away, match="401"):
        Elsewhere(desk.url, "guessed").health()
    assert "does not take this token" in caplog.text
    with pytest.raises(InputError, match="needs a token"):
        Desk("")


def test_questions_that_are_none_are_refused(desk):
    with pytest.raises(InputError, match="text, model, pair and keep"):
        desk._ask("record", "", {"text": 3}, 5)
    with pytest.raises(InputError, match="text, model, pair and keep"):
        desk._ask("record", "", {"text": "a", "model": "minilm", "pair": None, "keep": ["secrets"]}, 5)
    with pytest.raises(Away, match="404"):
        desk._ask("tea", "", {}, 5)
    with pytest.raises(Away):
        desk._ask("record", "", {"text": "a" * MOST_BYTES}, 5)


def test_an_address_that_is_none_is_told_at_the_start():
    with pytest.raises(InputError, match="PARALLAX_ENGINE takes an address"):
        Elsewhere("127.0.0.1:8700")


def says(*frames, status=200, then=lambda: None):
    """Return an app that sends these bytes, and does something before it ends."""

    async def app(_scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": status, "headers": []})
        for part in frames:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        held = then()
        if held is not None:
            await held
        await send({"type": "http.response.body", "body": b""})

    return app


@pytest.mark.parametrize(
    ("frames", "again"),
    [((b"hello, this is no frame",), True), ((frame(ANSWER, b"x" * 99)[:50],), True), ((frame(BEAT),), True)],
    ids=["no frame", "half", "no answer"],
)
def test_an_answer_that_breaks_off_may_be_asked_for_again(app, frames, again):
    with pytest.raises(Away) as away:
        app(says(*frames)).health()
    assert away.value.again == again


def test_a_full_engine_is_busy_and_a_failing_one_away(app):
    with pytest.raises(Busy, match="Many sentences"):
        app(says(status=429)).health()
    for status in (500, 503):
        with pytest.raises(Away, match=str(status)):
            app(says(status=status)).health()


def test_an_engine_that_falls_silent_is_away(app, monkeypatch):
    import asyncio

    monkeypatch.setattr(client, "SILENT_SECONDS", 0.3)
    slow = app(says(frame(BEAT), then=lambda: asyncio.sleep(2)))
    with pytest.raises(Away, match="stopped answering") as away:
        slow.health()
    assert not away.value.again


def test_signs_of_life_keep_a_long_answer_alive(app, monkeypatch):
    import asyncio

    from mha.engine.elsewhere import desk as module

    monkeypatch.setattr(client, "SILENT_SECONDS", 0.4)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.05)

    async def slowly(request):
        await asyncio.sleep(1)
        return record(request)

    assert equal(app(Desk(TOKEN, slowly)).record(Request(DOG)).maps, record(Request(DOG)).maps)


def test_a_port_where_nobody_listens_is_away():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(Away):
            Elsewhere(f"http://127.0.0.1:{nobody.getsockname()[1]}").health()


class There:
    """An engine elsewhere that does what the list says, once each."""

    def __init__(self, *does):
        self.does, self.asked = list(does), 0

    def health(self):
        return self()

    def __call__(self):
        self.asked += 1
        done = self.does.pop(0)
        if isinstance(done, Exception):
            raise done
        return done


def test_what_broke_off_is_asked_again_but_not_for_ever(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.PAUSE", 0.01)
    there = There(Away("killed", again=True), Away("killed", again=True), "from another replica")
    assert Either(there, None).ask(there, lambda: "here") == "from another replica"
    gone = There(*[Away("killed", again=True)] * 9)
    with pytest.raises(Busy):
        Either(gone, None).ask(gone, lambda: "here")
    assert gone.asked == 3


def test_while_it_is_away_this_process_answers_and_asks_again_later(monkeypatch):
    there, loads = There(Away("stopped"), "well again"), []
    either = Either(there, lambda: loads.append(1))
    assert [either.ask(there, lambda: "here") for _ in range(3)] == ["here"] * 3
    assert (there.asked, loads, either.away) == (1, [1], True)
    monkeypatch.setattr(either._breaker, "retry_at", 0.0)
    assert either.ask(there, lambda: "here") == "well again"
    assert not either.away


def test_who_asks_before_the_model_is_loaded_here_is_told_in_time(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.PATIENCE", 0.05)
    loaded = threading.Event()
    either = Either(There(), lambda: loaded.wait(10) and None)
    with pytest.raises(Busy, match="does not answer"):
        either.ask(There(Away("stopped")), lambda: "here")
    loaded.set()
    assert either._awake.wait(10)
    assert either.ask(There(), lambda: "here") == "here"


def test_where_no_model_may_be_loaded_here_it_is_busy():
    with pytest.raises(Busy, match="does not answer"):
        Either(There(), None).ask(There(Away("stopped")), lambda: "here")


def test_what_the_engine_elsewhere_refuses_is_no_reason_to_ask_here():
    with pytest.raises(InputError, match="no such head"):
        Either(There(), lambda: None).ask(There(InputError("no such head")), lambda: "here")


def test_waking_waits_for_the_model_elsewhere_or_loads_it_here(monkeypatch):
    monkeypatch.setattr("mha.engine.elsewhere.either.POLL", 0.01)
    loads: list[int] = []
    waking, ready, failed = (SimpleNamespace(ready=is_it, phase=phase, message="") for is_it, phase in
                             ((False, "waking"), (True, "ready"), (False, "failed")))  # fmt: skip
    there = There(waking, ready)
    Either(there, lambda: loads.append(1)).wake()
    assert (there.asked, loads) == (2, [])
    Either(There(failed), lambda: loads.append(1)).wake()
    assert loads == [1]
    with pytest.raises(ModelUnavailable, match="does not answer"):
        Either(There(Away("nobody there")), None).wake()


def test_without_the_setting_nothing_is_asked_elsewhere():
    ways = Ways({})
    assert ways.engine(record, lambda: None) == {}
    assert ways.experiment("leaning", {}, lambda: "here") == "here"
    assert not ways.away


def test_pages_ask_elsewhere_and_keep_what_they_got(desk):
    ways = Ways({"PARALLAX_ENGINE": desk.url, "PARALLAX_ENGINE_TOKEN": TOKEN, "PARALLAX_ENGINE_FALLBACK": "off"})
    engine = LocalEngine(**ways.engine(lambda request: pytest.fail("a pass here"), lambda: pytest.fail("a load here")))
    request = Request("Nobody else has asked for this sentence")
    first = engine.record(request)
    assert equal(first.maps, record(request).maps)
    assert engine.record(request) is first
    counts = ways.experiment("token_counts", {"several": ("dog",), "model": "minilm"}, lambda: pytest.fail("here"))
    assert counts == (1,)
    with pytest.raises(MHAError):
        engine.record(Request("…" * 3))


def test_a_batch_gives_each_its_own_and_a_bad_one_fails_nobody(monkeypatch):
    def bad(_requests):
        raise RuntimeError("this batch is bad")

    monkeypatch.setattr("mha.engine.elsewhere.several._record_texts", bad)
    requests = [Request(DOG), Request("A bird sang"), Request(DOG), Request("…!x…", pair="A bird sang")]
    requests += [Request("a", model="none such"), Request("b", model="none such")]
    dog, bird, again, pair, *unknown = record_several(requests)
    assert again is dog
    assert [isinstance(one, MHAError) for one in unknown] == [True, True]
    assert [one.maps.text for one in (dog, bird)] == [DOG, "A bird sang"]
    assert pair.maps.pair == "A bird sang"


def test_the_answers_of_a_batch_are_those_of_each_text():
    texts = [DOG, "A bird sang", "The trophy would not fit in the suitcase"]
    for text, found in zip(texts, record_several([Request(text) for text in texts]), strict=True):
        np.testing.assert_allclose(found.maps.weights, record(Request(text)).maps.weights, atol=5e-6)


def test_an_answer_from_elsewhere_is_asked_for_once(desk):
    asked = []
    answers = Answers()
    for _ in range(2):
        answers.answer("q", lambda: asked.append(1) or desk.experiment("token_counts", ("dog",)))
    assert asked == [1]


def test_the_question_holds_its_text_in_its_body_alone(app):
    seen = {}

    async def listening(scope, receive, send):
        seen.update(path=scope["path"], headers=dict(scope["headers"]))
        await says(frame(b"R", json.dumps({"error": "Busy", "message": "later"}).encode()))(scope, receive, send)

    with pytest.raises(Busy, match="later"):
        app(listening).record(Request(DOG))
    assert seen["path"] == "/record"
    assert seen["headers"][b"serve_multiplexed_model_id"] == b"minilm"
    assert b"dog" not in b" ".join(seen["headers"].values())


def test_whatever_an_experiment_takes_and_gives_may_travel():
    plain = {"Sets", "Readings", "AttentionMaps", "None"}  # names of tuples, what the table has, and nothing
    for name, experiment in every_experiment().items():
        said = " ".join(str(kind) for kind in experiment.__wrapped__.__annotations__.values())
        classes = set(re.findall(r"\b[A-Z]\w+", said.replace("mha.maps.", "")))
        assert classes <= set(CLASSES) | plain, f"{name}: a row of mha.engine.elsewhere.coding.CLASSES is missing"


def test_what_a_class_that_travels_holds_may_travel_too():
    for name, module in CLASSES.items():
        kinds = [str(kind) for kind in getattr(import_module(module), name).__annotations__.values()]
        held = " ".join(kind for kind in kinds if "ClassVar" not in kind)
        assert set(re.findall(r"\b[A-Z]\w+", held)) <= set(CLASSES) | {"ForwardRef", "None"}, name


def test_what_is_in_an_answer_of_the_later_pages_travels_too():
    known = every_experiment()
    for name, args in {
        "atlas_of_text": ("The dog saw a bird", "minilm"),
        "one_cell": ("The dog saw a bird", "minilm", None, HeadId(1, 2), 1, 2),
        "all_brought": ("The dog saw a bird", "minilm", None),
        "predicted": (model_row("copier").example, "copier"),
        "tokens_read": ("The dog saw a bird", "minilm"),
        "measured": ("The dog saw a bird", "minilm"),
    }.items():
        answer = known[name](*args)
        assert write(read(write(answer))) == write(answer), name


def test_every_module_with_experiments_is_in_the_table_of_their_homes():
    engine = Path(answers.__file__).parent
    asked = [path for path in engine.rglob("*.py") if "\n@answered\n" in path.read_text(encoding="utf-8")]
    homes = {path.relative_to(engine).parts[0].removesuffix(".py") for path in asked}
    assert homes == set(HOMES), "a process that nobody drew a page in would not know its experiments"
