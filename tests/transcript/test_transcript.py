"""What every page sends is what it sent. What is meant to differ is written: ``python -m tests.transcript write``."""

import pytest

from tests.transcript import kept
from tests.transcript.hearing import hear, names

SAMPLED = names()[::10]  # in `make test`; the soak has all


@pytest.fixture(scope="module")
def before():
    return kept.read()


def check(before, name):
    different = dict(kept.differences(before, {name: hear(name)}))
    assert not different, f"{name}\n{different[name]}"


def test_what_is_kept_is_what_can_be_asked_for(before):
    assert set(before) == set(names()), "what pages send is written with: python -m tests.transcript write"


@pytest.mark.parametrize("name", SAMPLED)
def test_a_page_sends_what_it_sent(before, name, tiny_offered):
    check(before, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(names()) - set(SAMPLED)))
def test_every_other_page_sends_what_it_sent(before, name, tiny_offered):
    check(before, name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"kind": "a", "n": 0.123456}, {"kind": "a", "n": 0.123457}, True),
        ({"kind": "a", "n": 0.12}, {"kind": "a", "n": 0.13}, False),
        ({"kind": "a", "n": 0.0115}, {"kind": "a", "n": 0.0114}, True),
        ({"kind": "a", "n": 0.0115}, {"kind": "a", "n": 0.0113}, False),
        ({"kind": "a", "n": -0.00282}, {"kind": "a", "n": -0.00281}, True),
        ({"kind": "a", "n": -0.00282}, {"kind": "a", "n": -0.0028}, False),
        ({"kind": "a", "values": [17, 200]}, {"kind": "a", "values": [18, 200]}, True),
        ({"kind": "a", "values": [17, 200]}, {"kind": "a", "values": [19, 200]}, False),
        ({"kind": "a", "n": 3000}, {"kind": "a", "n": 3001}, True),
        ({"kind": "a", "on": True}, {"kind": "a", "on": 1}, False),
        ({"kind": "a", "on": True}, {"kind": "a", "on": False}, False),
        ({"kind": "a", "text": "leans by 0.24"}, {"kind": "a", "text": "leans by 0.25"}, True),
        ({"kind": "a", "text": "leans by 0.24"}, {"kind": "a", "text": "leans by 0.26"}, False),
        ({"kind": "a", "text": "3 heads"}, {"kind": "a", "text": "4 heads"}, False),
        ({"kind": "a", "text": "looks at dog"}, {"kind": "a", "text": "looks at cat"}, False),
        ({"kind": "a"}, {"kind": "a", "more": None}, False),
    ],
)
def test_what_is_alike_differs_by_rounding_alone(one, other, same):
    assert kept.alike(one, other) is same


def test_a_difference_is_told_as_sentences():
    spans = lambda word: [{"kind": "said", "spans": [["plain", "It looks at "], ["word", word], ["plain", "."]]}]  # noqa: E731
    ((name, told),) = kept.differences({"?text=x": [spans("dog")]}, {"?text=x": [spans("cat")]})
    assert name == "?text=x"
    assert told.splitlines() == [
        "  as it opens:",
        "    -said.spans: It looks at dog.",
        "    +said.spans: It looks at cat.",
    ]
