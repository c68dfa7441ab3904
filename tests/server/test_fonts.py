"""Font subsets, which a first view loads instead of Streamlit's whole fonts."""

import re

import pytest

from mha.assets import ASSETS
from mha.server import static
from tests.test_docs import ROOT
from tools import fonts

SHEET = fonts.SHEET.read_text(encoding="utf-8")
RULES = re.findall(r"@font-face \{ (.+?) \}", SHEET)
OTHERS = (fonts.STATIC / "static" / "css").glob("index.*.css")
WHOLE = re.findall(r"@font-face\{(.+?)\}", next(OTHERS).read_text(encoding="utf-8"))


def face_of(rule):
    """Return family, style and weight of a rule."""
    values = {name: value.strip(' "') for name, value in re.findall(r"(font-[a-z]+):([^;]+)", rule)}
    return values["font-family"], values["font-style"], values["font-weight"]


def test_font_subsets_replace_whole_fonts():
    assert len(RULES) == len(fonts.FACES)
    assert {face_of(rule) for rule in RULES} <= {face_of(rule) for rule in WHOLE}
    for rule in RULES:
        (name,) = re.findall(r'url\("\.\./(fonts/[\w-]+\.woff2)"\)', rule)
        assert len(static.files()[name]) < 60_000
        assert "unicode-range: U+" in rule


@pytest.mark.parametrize("number", range(len(RULES) - 1))
def test_font_subset_has_our_characters(number):
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", RULES[number])
    has = {code for first, last in ranges for code in range(int(first, 16), int(last or first, 16) + 1)}
    assert {ord(letter) for letter in "Where does ‘it’ look? “the dog” – 27 % · √d → ÷ × − ≈ ≤ é ß ø …"} <= has


def test_icons_are_in_the_subset():
    """After an upgrade of Streamlit: ``python -m tools.fonts``."""
    written = re.search(r"Icons: (.+) \*/", SHEET)
    assert written
    assert {"arrow_forward", "expand_more", "content_copy"} <= set(fonts.icons()) <= set(written[1].split())


def test_fonts_have_licences():
    text = (ASSETS / "fonts" / "LICENSE.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in text
    assert "Reserved Font Name ‘Source’" in text
    assert "Apache License" in text
    assert "fonts/*" in (ROOT / "setup.py").read_text(encoding="utf-8")
