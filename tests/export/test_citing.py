"""A citation names the program, its version and rules, the model and its revision, and breaks nothing."""

import re

import pytest

import mha
from mha.export.provenance import RULES, bibtex, public
from mha.models.files.catalog import model_row


def test_a_model_is_cited_with_its_revision_and_the_rules():
    row, found = model_row("minilm"), mha.cite("minilm", of="Heads", seen="2026-11-23")
    for told in (str(found), found.bibtex):
        for part in (mha.__version__, f"rules {RULES}", row.short, row.revision, "Heads"):
            assert part in told


@pytest.mark.parametrize(
    "note", ['a } b { c " \\ d', "a_b", "Tom & Jerry: 50 % of $5 #1 ~ ^", "line\nline", "\u202eabc", "x" * 500]
)
def test_an_entry_keeps_its_braces_whatever_it_is_given(note):
    found = bibtex(note, "https://parallax.example/?text=a_b{c}")
    inside = re.sub(r"\\[_&%$#]", "", found)
    assert inside.count("{") == inside.count("}")
    assert "\\" not in inside
    written = next(line for line in found.splitlines() if line.startswith("  note"))
    assert not re.search(r"(?<!\\)[&%$#_~^]", written), "LaTeX would take it for a sign of its own"
    assert all(line.startswith(("@software{parallax,", "  ", "}")) for line in found.splitlines())


def test_quotation_marks_of_the_cited_text_stay():
    """BibTeX reads `"` between braces as text, whichever sign delimits the value."""
    found = bibtex('Heads, “She said "no" to him”', 'https://parallax.example/?text="no"')
    assert 'note = {Heads, “She said {"}no{"} to him”},' in found
    assert "url = {https://parallax.example/?text=%22no%22}," in found


@pytest.mark.parametrize("link", ["", "ftp://a.example/", "javascript:alert(1)", "http://[", "http://172.16.0.1/", "x"])
def test_what_others_cannot_reach_is_no_address(link):
    assert public(link) == ""


def test_an_address_for_all_is_kept():
    assert public("http://8.8.8.8/x") == "http://8.8.8.8/x"
    assert "url = {https://parallax.example/}" in bibtex("x", "https://parallax.example/")
    link = "https://parallax.example/?text=a%20b&heads_cell=L0H0+1+2"
    assert f"url = {{{link}}}" in bibtex("x", link), "a link that is escaped leads elsewhere"
