"""Thumbnails of every head: maps pooled by the largest weight, one byte a cell; and the picture of a notebook.

The byte is the square root of the weight, so that small weights survive; it is a transport encoding only: the renderer
squares it before choosing a colour. A notebook shows one sentence and a picture of every head, without plotly or torch.
The picture is SVG inside HTML, with the browser's fonts, and PNG for notebooks that sanitise HTML.
"""

import base64
import html
import math
import struct
import zlib

import numpy as np

from mha.formats import truncate
from mha.maps import AttentionMaps, HeadId
from mha.memo import memoise
from mha.theme import SANS, colours

SIDE = 48  # cells a thumbnail has at most on each side


def block_size(length: int, side: int = SIDE) -> int:
    """Return how many neighbours share one cell so that ``length`` positions fit ``side`` cells."""
    return -(-length // side)


def pool_largest(weights: np.ndarray, side: int = SIDE) -> np.ndarray:
    """Return the largest weight of each block, as [..., rows, columns] with at most ``side`` of both.

    All blocks of an axis have the same size, the last one may be smaller: a picture of equal cells stays honest.
    Maps that fit come back as they are.
    """
    for axis in (-1, -2):  # the contiguous axis first: everything after it is smaller
        length = weights.shape[axis]
        step = block_size(length, side)
        if step > 1:
            weights = np.maximum.reduceat(weights, np.arange(0, length, step), axis=axis)
    return weights


@memoise
def thumbnails(maps: AttentionMaps) -> np.ndarray:
    """Return all heads as uint8 square roots [layer, head, row, column] with at most `SIDE` rows and columns.

    A weight that is not zero never becomes zero.
    """
    weights = pool_largest(maps.weights)
    roots = np.rint(np.sqrt(np.clip(weights, 0, 1)) * 255).astype(np.uint8)
    return np.where((roots == 0) & (weights > 0), np.uint8(1), roots)


HEAD = 56  # pixels of one head
GAP = 6
MARGIN = 30  # for the names of layers and heads
HATCH = 6  # pixels between the hairlines over masked cells
LEVELS = 32  # colours of the ramp; more are indistinguishable and take more bytes
CELLS = 100_000  # of all heads together; longer texts are pooled, so that a notebook stays small
DENSITY = 2  # pixels of the PNG for one of the page
# Five dots a row, seven rows: what names are written with where no font is at hand.
LETTERS = {
    "L": (16, 16, 16, 16, 16, 16, 31),
    "H": (17, 17, 17, 31, 17, 17, 17),
    "0": (14, 17, 19, 21, 25, 17, 14),
    "1": (4, 12, 4, 4, 4, 4, 14),
    "2": (14, 17, 1, 2, 4, 8, 31),
    "3": (31, 2, 4, 2, 1, 17, 14),
    "4": (2, 6, 10, 18, 31, 2, 2),
    "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14),
    "7": (31, 1, 2, 4, 8, 8, 8),
    "8": (14, 17, 17, 14, 17, 17, 14),
    "9": (14, 17, 17, 15, 1, 2, 12),
}
TEXT = 120  # characters of the text that are quoted


def portrait(maps: AttentionMaps) -> str:
    """Return maps as self-contained HTML: one sentence that describes them, and a picture of every head.

    Colour is linear in the weight; a pooled cell shows its largest weight; cells that a causal mask hides look absent.
    """
    caption = sentence(maps)
    step = HEAD + GAP
    width, height = MARGIN + maps.n_heads * step, MARGIN + maps.n_layers * step
    theme = colours()
    names = [(MARGIN + head * step + HEAD / 2, MARGIN / 2, f"H{head}") for head in range(maps.n_heads)]
    names += [(MARGIN / 2, MARGIN + layer * step + HEAD / 2, f"L{layer}") for layer in range(maps.n_layers)]
    texts = "".join(f'<text x="{x:g}" y="{y:g}">{name}</text>' for x, y, name in names)
    source = base64.b64encode(_png(_mosaic(maps), _palette())).decode("ascii")
    return (
        f'<figure style="margin:0;padding:8px;max-width:{width}px;background:{theme["surface"]};'
        f'color:{theme["text"]};font:14px {html.escape(SANS)}">'
        f'<figcaption style="margin-bottom:6px"><bdi>{html.escape(caption)}</bdi></figcaption>'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="100%" role="img" '
        f'aria-label="{html.escape(caption)}" font-size="12" fill="{theme["muted"]}" text-anchor="middle" '
        f'dominant-baseline="central">{texts}<image x="{MARGIN}" y="{MARGIN}" width="{width - MARGIN}" '
        f'height="{height - MARGIN}" href="data:image/png;base64,{source}"/></svg></figure>'
    )


def displayed(maps: AttentionMaps) -> dict[str, str]:
    """Return maps as a notebook's forms of one output: HTML, a PNG in base64, and plain text."""
    picture = base64.b64encode(png(maps)).decode("ascii")
    return {"text/html": portrait(maps), "image/png": picture, "text/plain": sentence(maps)}


def png(maps: AttentionMaps) -> bytes:
    """Return the picture of every head, with the names of layers and heads, as a PNG file on a ground of its own."""
    heads = _mosaic(maps)
    edge, letters = MARGIN * DENSITY, LEVELS + 2
    heads = heads.repeat(DENSITY, axis=0).repeat(DENSITY, axis=1)
    sheet = np.full((edge + heads.shape[0], edge + heads.shape[1]), LEVELS + 1, dtype=np.uint8)
    sheet[edge:, edge:] = heads
    step, middle = (HEAD + GAP) * DENSITY, HEAD * DENSITY // 2
    for head in range(maps.n_heads):
        _write(sheet, f"H{head}", edge + head * step + middle, edge // 2, letters)
    for layer in range(maps.n_layers):
        _write(sheet, f"L{layer}", edge // 2, edge + layer * step + middle, letters)
    return _png(sheet, _lettered_palette())


LARGE = 224  # pixels of one head alone


def head_png(maps: AttentionMaps, head: HeadId) -> bytes:
    """Return one head under its name as a PNG file, for where no font writes its words."""
    side = math.isqrt(CELLS)
    levels, seen = _levels(maps[head], side), pool_largest(maps.visible.astype(np.float32), side) > 0
    edge, size = MARGIN * DENSITY, LARGE * DENSITY
    sheet = np.full((edge + size, size), LEVELS + 1, dtype=np.uint8)
    sheet[edge:] = _cells(levels, seen, size)
    _write(sheet, str(head), size // 2, edge // 2, LEVELS + 2)
    return _png(sheet, _lettered_palette())


def _write(sheet: np.ndarray, name: str, x: int, y: int, level: int) -> None:
    """Write a name of a layer or a head around a point; names are of the letters L and H and of digits alone."""
    rows = np.array([[int(bit) for sign in name for bit in f"{LETTERS[sign][row]:05b}0"] for row in range(7)])
    ink = rows[:, :-1].repeat(DENSITY, axis=0).repeat(DENSITY, axis=1).astype(bool)
    y_start, column = y - ink.shape[0] // 2, max(0, x - ink.shape[1] // 2)
    part = sheet[y_start : y_start + ink.shape[0], column : column + ink.shape[1]]
    part[ink[:, : part.shape[1]]] = level


def sentence(maps: AttentionMaps) -> str:
    """Return a description of the maps in plain text: the model, the text, and how to read the picture."""
    heads = f"{maps.n_layers} {'layer' if maps.n_layers == 1 else 'layers'} of {maps.n_heads}"
    size = f"{maps.n_queries} {maps.units}"
    if maps.n_queries != maps.n_keys:
        size = f"from {maps.n_queries} to {maps.n_keys} {maps.units}"
    return (
        f"Where the heads of {maps.model or 'a model'} ({maps.origin}; {heads}) look in “{truncate(maps.text, TEXT)}”, "
        f"{size}. "
        "A row looks at its columns; the darkest cell is a weight of 1."
    )


def _mosaic(maps: AttentionMaps) -> np.ndarray:
    """Return all heads in one picture, as uint8 [pixel row, pixel column]: a level of the ramp, or one of two more."""
    side = min(HEAD, max(1, math.isqrt(CELLS // max(1, len(maps.heads)))))
    levels = _levels(maps.weights, side)  # [layer, head, row, column]
    seen = pool_largest(maps.visible.astype(np.float32), side) > 0  # [row, column]
    picture = np.full((maps.n_layers * (HEAD + GAP), maps.n_heads * (HEAD + GAP)), LEVELS + 1, dtype=np.uint8)
    for layer, head in maps.heads:
        row, column = layer * (HEAD + GAP), head * (HEAD + GAP)
        picture[row : row + HEAD, column : column + HEAD] = _cells(levels[layer, head], seen, HEAD)
    return picture


def _levels(weights: np.ndarray, side: int) -> np.ndarray:
    """Return weights, pooled to ``side`` cells, as levels of the ramp."""
    return np.rint(np.clip(pool_largest(weights, side), 0, 1) * (LEVELS - 1)).astype(np.uint8)


def _cells(levels: np.ndarray, seen: np.ndarray, size: int) -> np.ndarray:
    """Return one head as levels of ``size`` × ``size`` pixels, hatched where it cannot look."""
    cells = np.ix_(*(np.arange(size) * count // size for count in seen.shape))  # the cell that each pixel shows
    hidden = np.where(np.add.outer(range(size), range(size)) % HATCH, 0, LEVELS).astype(np.uint8)
    return np.where(seen[cells], levels[cells], hidden)


def _lettered_palette() -> np.ndarray:
    """Return the palette and, after it, the colour of letters."""
    return np.vstack([_palette(), np.array([_rgb(colours()["muted"])], dtype=np.uint8)])


def _palette() -> np.ndarray:
    """Return the colours of the levels, of hidden cells' hairlines and of the gaps, as uint8 [colour, rgb]."""
    theme = colours()
    ramp = np.array([_rgb(colour) for colour in theme["sequential"]])  # [step, rgb]
    stops = np.linspace(0, len(ramp) - 1, LEVELS)
    levels = [np.interp(stops, range(len(ramp)), ramp[:, part]) for part in range(3)]
    return np.vstack([np.rint(levels).T, _rgb(theme["absent"]["hatch"]), _rgb(theme["surface"])]).astype(np.uint8)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")[:6]))


def _png(picture: np.ndarray, palette: np.ndarray) -> bytes:
    """Return a picture of palette numbers as a PNG file (W3C, Portable Network Graphics, sections 5 and 11)."""
    height, width = picture.shape
    rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), picture])  # each row begins with its filter: none
    parts = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0)),  # 8 bits, colours from the palette
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
