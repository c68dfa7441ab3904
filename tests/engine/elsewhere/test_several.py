"""Several questions that a replica answers together."""

import numpy as np

from mha.engine.elsewhere.several import record_several
from mha.engine.recordings import Request, record
from mha.errors import MHAError

DOG = "Tom fed the dog because it was hungry"


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
