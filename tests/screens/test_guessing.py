"""Before findings are shown no page gives one away: in blocks, in the first answer, in the preview, in a file."""

import json
import re

import pytest

from mha.analysis.patterns import PATTERNS
from mha.engine.question import here
from mha.lesson import offered
from mha.link.link import Link
from mha.screens.blocks import Block, heading
from mha.screens.guessing import before_findings
from mha.screens.inputs import Choose, Press, Put
from mha.screens.pages import PAGES
from mha.screens.places import Place, Together
from mha.server.previews import preview_of
from mha.ui.bound import models
from tests.readers.pages import read_link, sent_data

NAMES = "|".join(re.escape(pattern.title) for pattern in PATTERNS)
GIVEN_AWAY = re.compile(rf"\d\s?%|\bL\d+H\d+\b|\b(?:{NAMES})\b")
LINKS = [
    *(f"{page}?reveal=0" for page in PAGES),
    "?text=A+dog+ate+the+food+because+it+was+hungry.&reveal=0&look=ask&lock=7",
    "?reveal=0&pins=L3H1&heads_weighed=What+it+brings",
    "?reveal=0&heads_cell=L5H3+3+4",
    *(
        f"{stop.page}?reveal=0&lesson={plan.name}&" + "&".join(f"{name}={value}" for name, value in stop.words)
        for plan in offered().values()
        for stop in plan.stops
        if stop.page in PAGES
    ),
]


def sent(address):
    return json.dumps(sent_data(read_link(address).blocks), ensure_ascii=False)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("address", LINKS)
def test_nothing_that_is_sent_tells_a_finding(address):
    assert not GIVEN_AWAY.findall(sent(address))


@pytest.mark.parametrize("address", LINKS)
def test_neither_does_the_first_answer_or_the_preview(address):
    page, _, query = address.partition("?")
    assert not GIVEN_AWAY.findall(str(preview_of(page, query)))


@pytest.mark.parametrize("address", ["?reveal=1"])
def test_the_same_pages_tell_it_once_it_is_shown(address):
    assert GIVEN_AWAY.search(sent(address))


def test_what_is_not_marked_is_left_out_and_a_control_that_names_heads_keeps_its_word():
    link, _ = Link.read("?reveal=0&readings_pivot=0+L3H1", models())

    class New(Block, kind="new"):
        """A block that says nothing of guessing."""

    blocks = [
        New(),
        heading("3 % of all"),
        Place("kept", (New(), Press("Go on", ()), Press("L3H1", ()))),
        Together((New(),)),
    ]
    found = list(before_findings([*blocks, Choose("readings_pivot"), Choose("readings_by")], link, here))[-3:]
    assert found == [
        Place("kept", (Press("Go on", ()),)),
        Put("readings_pivot", "0 L3H1"),
        Choose("readings_by"),
    ]
