"""What travels to an engine elsewhere and back: bit for bit, nothing else, and all that an experiment needs."""

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mha.engine import answers
from mha.engine.answers import HOMES, every_experiment
from mha.engine.elsewhere.coding import CLASSES, read, write
from mha.engine.recordings import EVERYTHING, Request, record
from mha.errors import InputError
from mha.maps import HeadId, Reading
from mha.models.files.catalog import model_row
from tests.engine.elsewhere.same import equal

DOG = "Tom fed the dog because it was hungry"
READINGS = (Reading("dog", (("it", "dog"),)), Reading("Tom", (("it", "Tom"),)))

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


def test_whatever_an_experiment_takes_and_gives_may_travel():
    plain = {"Sets", "Readings", "AttentionMaps", "None", "Steps"}  # tuples, what the table has, nothing, and the way
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
    marked = re.compile(r"^@(answered$|in_steps\()", re.MULTILINE)
    asked = [path for path in engine.rglob("*.py") if marked.search(path.read_text(encoding="utf-8"))]
    homes = {path.relative_to(engine).parts[0].removesuffix(".py") for path in asked}
    assert homes == set(HOMES), "a process that nobody drew a page in would not know its experiments"
