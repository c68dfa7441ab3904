"""From whatever is typed to maps of it, or to one plain sentence."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mha.errors import InputError
from mha.models.watch.attending import attend, record_text
from mha.words import accept, words

HOSTILE = json.loads((Path(__file__).parents[1] / "data" / "hostile.json").read_text(encoding="utf-8"))
TYPED = [item for item in HOSTILE if item["channel"] == "text"]
ODD = [
    ("surrogate", "a \ud800 b"),
    ("nul", "a\0b"),
    ("bidi", "abc \u202eevil\u202c x"),
    ("long", "x" * 3000),
    ("emoji", "😀 👩‍👩‍👧 ok"),
    ("controls", "\x01\x02 fine"),
    ("huge", "word " * 20_000),
]


def content(item: dict[str, Any]) -> str:
    return item["input"] if "input" in item else eval(item["python"])


CASES = [(item["id"], content(item)) for item in TYPED] + ODD


@pytest.mark.sampled(12)
@pytest.mark.parametrize("model", ["minilm", "toy"])
@pytest.mark.parametrize("text", [text for _, text in CASES], ids=[name for name, _ in CASES])
def test_hostile_text_gives_maps_or_a_sentence(text, model, minilm):
    try:
        expected = accept(text).text
    except InputError:
        with pytest.raises(InputError, match=r"^(Type a sentence|This text has no words)"):
            attend(text, model)
        return
    maps = attend(text, model)
    assert maps.text == expected
    np.testing.assert_allclose(maps.weights.sum(axis=-1), 1, atol=1e-4)
    numbers = [token.word for token in maps.tokens if token.word is not None]
    assert numbers
    assert max(numbers) < len(words(expected))
    json.dumps([token.text for token in maps.tokens]).encode()


def test_what_was_changed_is_told(minilm):
    notes = record_text("一" * 3000).notes
    assert notes == (
        "Using the first 2,000 of 3,000 characters.",
        "Only the first 512 tokens are used; the model reads no more at once.",
    )
    assert record_text("A dog\0 " + "a" * 101).notes == (
        "Unreadable characters were removed.",
        "The model does not know “aaaaaaaaaaaaaaaaa…”: it reads its token for unknown text instead.",
    )
    assert record_text("一" * 2000, "toy").notes == (
        "Only the first 512 words and marks are used; the toy reads no more at once.",
    )
    assert record_text("All is well").notes == ()


def test_a_pair_is_recorded_with_its_segment(minilm):
    maps = attend("A dog ate.", pair="It was hungry.")
    assert maps.pair == "It was hungry."
    assert [piece.text for piece in maps.merged().tokens if piece.segment == 1] == ["It", "was", "hungry", ".", "[SEP]"]
    with pytest.raises(InputError, match="Type a sentence"):
        attend("A dog ate.", pair=" ")


def test_this_module_is_light():
    code = (
        "import sys, mha.models.watch.attending, mha.models.files.catalog; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'plotly', 'streamlit')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
