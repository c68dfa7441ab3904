"""What a view is shared by: nothing of a text can break out of it."""

import datetime
import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from mha.link.view import DEFAULT_TEXT
from mha.screens.share import MOST_CODED, shared

DAY = datetime.date(2026, 11, 21)
ADDRESS = "https://parallax.example/readings"


@pytest.mark.parametrize("text", ["Old men & women", '"><script>alert(1)</script>', "日本語", "a=b&embed=false"])
def test_the_link_and_the_frame_carry_the_text_and_nothing_else(text):
    found = shared(ADDRESS, {"text": [text], "pins": ["L0H1", "L2H3"]}, "Two readings", DAY)
    assert parse_qs(urlsplit(found.link).query) == {"text": [text], "pins": ["L0H1", "L2H3"]}
    (source,) = re.findall(r'<iframe src="([^"]*)"', found.frame)
    assert parse_qs(urlsplit(html.unescape(source)).query)["embed"] == ["true"]
    assert found.frame.count("<") == 2
    assert text in found.citation


def test_the_citation_says_what_was_seen_by_which_model_and_when():
    found = shared(ADDRESS, {}, "Two readings", DAY)
    assert found.link == ADDRESS
    for part in ("Parallax", DEFAULT_TEXT, "MiniLM (sha256", ADDRESS, "2026-11-21"):
        assert part in found.citation


def test_a_long_link_gets_no_code():
    assert shared(ADDRESS, {"text": ["short"]}, "t", DAY).can_be_coded
    assert not shared(ADDRESS, {"text": ["x" * MOST_CODED]}, "t", DAY).can_be_coded
