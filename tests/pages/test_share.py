"""The dialog that shares a view."""

import io

import segno
from PIL import Image

from mha.app import share


def test_the_button_opens_the_link_the_frame_and_the_citation(visit):
    test = visit().test
    next(button for button in test.button if button.key == "share").click().run()
    assert not test.exception
    said = [block.value for block in test.code]
    assert any(block.startswith("<iframe src=") for block in said)
    assert any("MiniLM (sha256" in block for block in said)


def test_the_code_is_the_link():
    link = "http://localhost:8501/?text=I+saw+the+man"
    image = Image.open(io.BytesIO(share.code(link)))
    size = segno.make_qr(link, error="l").symbol_size(scale=share.CODE_SCALE, border=4)
    assert image.size == size
