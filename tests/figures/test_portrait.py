"""Maps in a notebook: self-contained, small, with words for those who do not see it, and nothing typed as markup."""

import base64
import io
import re

import numpy as np
from PIL import Image

import mha
from mha.figures.thumbnails import GAP, HEAD, MARGIN, portrait, sentence
from mha.maps import AttentionMaps, Token
from mha.theme import colours


def maps_of(weights, **about):
    tokens = tuple(Token(f"w{place}", word=place) for place in range(weights.shape[2]))
    return AttentionMaps(weights.astype(np.float32), tokens, **about)


def random_maps(layers, heads, tokens, **about):
    weights = np.random.default_rng(7).random((layers, heads, tokens, tokens), dtype=np.float32) ** 9
    return maps_of(weights / weights.sum(axis=-1, keepdims=True), **about)


def picture(drawn):
    """Return the colours of the picture's pixels, as [row, column, rgb]."""
    (source,) = re.findall(r'href="data:image/png;base64,([^"]+)"', drawn)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(source))).convert("RGB"))


def test_what_attend_returns_shows_itself_with_one_sentence_and_a_picture():
    maps = mha.attend("I saw the man with the telescope")
    drawn = maps._repr_html_()
    assert drawn == portrait(maps)
    assert len(drawn) < 60_000
    said = (
        "Where the heads of MiniLM (pretrained; 6 layers of 12) look in “I saw the man with the telescope”, 9 tokens. "
        "A row looks at its columns; the darkest cell is a weight of 1."
    )
    assert sentence(maps) == said
    assert f"<bdi>{said}</bdi>" in drawn
    assert f'role="img" aria-label="{said}"' in drawn
    assert picture(drawn).shape == (6 * (HEAD + GAP), 12 * (HEAD + GAP), 3)
    assert all(f">L{layer}</text>" in drawn for layer in range(6))
    assert all(f">H{head}</text>" in drawn for head in range(12))


def test_a_cell_has_the_colour_of_its_weight_where_its_row_and_column_are():
    weights = np.zeros((2, 3, 7, 7))
    weights[1, 2, 0, 6] = 1
    pixels = picture(portrait(maps_of(weights)))
    top, right = HEAD + GAP, 3 * (HEAD + GAP) - GAP - 1
    ends = [bytes.fromhex(colours()["sequential"][end].removeprefix("#")) for end in (0, -1)]
    assert bytes(pixels[top, right]) == ends[1]
    assert bytes(pixels[top + HEAD - 1, right]) == ends[0]
    assert bytes(pixels[top, 2 * (HEAD + GAP)]) == ends[0]
    assert (pixels == np.frombuffer(ends[1], dtype=np.uint8)).all(axis=-1).sum() == (HEAD // 7) ** 2


def test_what_a_mask_hides_looks_absent_and_not_like_zero():
    hidden, seen = (picture(portrait(maps_of(np.zeros((1, 1, 5, 5)), causal=causal))) for causal in (True, False))
    hatch = np.frombuffer(bytes.fromhex(colours()["absent"]["hatch"].removeprefix("#")), dtype=np.uint8)
    assert (hidden == hatch).all(axis=-1)[:HEAD, HEAD // 2 :].any()
    assert not (hidden == hatch).all(axis=-1)[HEAD // 2 :, : HEAD // 2 - 6].any()
    assert not (seen == hatch).all(axis=-1).any()


def test_nothing_typed_is_markup():
    text = '"><script>alert(1)</script>&amp;' + "x" * 500
    drawn = portrait(random_maps(1, 2, 3, text=text, model="<img src=x onerror=alert(1)>"))
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "&lt;script&gt;" in drawn
    assert "x" * 200 not in drawn


def test_attention_across_says_from_where_to_where():
    maps = AttentionMaps(
        np.full((1, 1, 2, 3), 0.2), (Token("a"), Token("b")), (Token("c"), Token("d"), Token("e")), kind="cross"
    )
    assert "1 layer of 1" in sentence(maps)
    assert "from 2 to 3 tokens" in sentence(maps)
    assert f'viewBox="0 0 {MARGIN + HEAD + GAP} {MARGIN + HEAD + GAP}"' in portrait(maps)
