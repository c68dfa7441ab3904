"""What a view is shared by: nothing of a text can break out of it."""

import datetime
import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from mha.app.share import MOST_CODED, share_view
from mha.examples import DEFAULT_TEXT

DAY = datetime.date(2026, 11, 21)
ADDRESS = "https://parallax.example/readings"


@pytest.mark.parametrize("text", ["Old men & women", '"><script>alert(1)</script>', "日本語", "a=b&embed=false"])
def test_the_link_and_the_frame_carry_the_text_and_nothing_else(text):
    found = share_view(ADDRESS, {"text": [text], "pins": ["L0H1", "L2H3"]}, "Two readings", DAY)
    assert parse_qs(urlsplit(found.link).query) == {"text": [text], "pins": ["L0H1", "L2H3"]}
    (source,) = re.findall(r'<iframe src="([^"]*)"', found.frame)
    assert parse_qs(urlsplit(html.unescape(source)).query)["embed"] == ["true"]
    assert found.frame.count("<") == 2
    assert text in found.citation.text


def test_the_citation_says_what_was_seen_by_which_model_and_when():
    found = share_view(ADDRESS, {}, "Two readings", DAY)
    assert found.link == ADDRESS
    for part in ("Parallax", DEFAULT_TEXT, "MiniLM (sha256", ADDRESS, "2026-11-21"):
        assert part in found.citation.text
        assert part in found.citation.bibtex.replace("\\", "")


def test_the_citation_and_the_link_name_the_cuts():
    query = {"text": ["The capital of France is"], "model": ["smollm2"], "cut": ["L23H4:4-3", "L0H4:4-1"]}
    found = share_view("https://example.org/next", query, "Next word", DAY)
    assert "“The capital of France is” with L23H4:4-3, L0H4:4-1 cut" in found.citation.text
    assert "cut=L23H4%3A4-3&cut=L0H4%3A4-1" in found.link


def test_a_long_link_gets_no_code():
    assert share_view(ADDRESS, {"text": ["short"]}, "t", DAY).can_be_coded
    assert not share_view(ADDRESS, {"text": ["x" * MOST_CODED]}, "t", DAY).can_be_coded


@pytest.mark.parametrize(
    "host", ["localhost:8501", "127.0.0.1", "192.168.1.20:8501", "10.0.0.3", "[::1]:80", "pc", "a.lan"]
)
def test_no_address_of_the_readers_own_machine_is_cited(host):
    found = share_view(f"http://{host}/readings", {}, "Two readings", DAY)
    assert found.link.startswith(f"http://{host}")
    for told in (found.citation.text, found.citation.bibtex):
        assert host not in told
        assert "url" not in told
    assert "(seen 2026-11-21)." in found.citation.text
