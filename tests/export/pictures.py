"""Every kind of figure at both widths as a picture: ``python -m tests.export.pictures`` writes them anew."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

import mha
from mha.export.figure import KINDS
from mha.figures.print.figure import PaperFigure

FOLDER = Path(__file__).parents[1] / "data" / "figures"
WIDTHS = (84, 174)  # mm
DPI = 100
TEXTS = "A dog ate the food because it was hungry.", "A dog ate the food because it was delicious."
HEADS = {"map": ["L3H1"], "maps": ["L3H1", "L2H8"], "arcs": ["L3H1", "L2H8"], "grid": ["L3H1"], "change": ["L3H1"]}


def figure(kind: str, width: int) -> PaperFigure:
    """Return a figure of a kind, of the sentence of a dog, in type that has room."""
    size = 6 if width < 174 else 7
    if kind == "carry":
        return mha.figure(mha.patch(*TEXTS, mha.propose(TEXTS[0])[0].readings), kind, width=width, size=size)
    first, second = (mha.set_aside(mha.attend(text).merged()) for text in TEXTS)
    contrast = second if kind == "change" else None
    word = "it" if kind == "arcs" else None
    return mha.figure(first, kind, HEADS[kind], width, size=size, word=word, contrast=contrast)


def picture(kind: str, width: int) -> Image.Image:
    """Return it as a picture."""
    return Image.open(io.BytesIO(figure(kind, width).png(DPI))).convert("RGB")


def file_of(kind: str, width: int) -> Path:
    """Return where its picture is kept."""
    return FOLDER / f"{kind}_{width}.png"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        for width in WIDTHS:
            picture(kind, width).save(file_of(kind, width), optimize=True)
