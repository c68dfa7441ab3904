"""One block of bytes for a component: a JSON header and the arrays it names.

Layout: u32 length of the header (little endian), the header in UTF-8 padded with spaces to four bytes, then the arrays,
each starting at a multiple of four. Streamlit passes bytes through only as the whole value (streamlit#13671), and
base64 inside JSON would be a third larger. `assets/js/lib/envelope.js` opens it.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

PACKED = bytes(4)  # begins compressed bytes: no envelope has an empty header, no JSON begins with a zero
SMALLEST = 1000  # bytes that are worth compressing
LEVEL, LARGE = 4, 50_000  # the level of compression; larger contents have level 1
_TYPES = {"uint8": "<u1", "uint16": "<u2", "float32": "<f4"}


class PictureData(NamedTuple):
    """The data of a component: a JSON header, and arrays by name (uint8, uint16 or float32)."""

    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


def seal(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return a header and its arrays as one envelope."""
    entries, chunks, offset = [], [], 0
    for name, array in arrays.items():
        chunk = _padded(np.ascontiguousarray(array).astype(_TYPES[array.dtype.name], copy=False).tobytes(), b"\0")
        entries.append({"name": name, "dtype": array.dtype.name, "shape": list(array.shape), "offset": offset})
        chunks.append(chunk)
        offset += len(chunk)
    text = json.dumps({**header, "arrays": entries}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    head = _padded(text.encode("utf-8", "replace"), b" ")  # half a letter cannot be written
    return len(head).to_bytes(4, "little") + head + b"".join(chunks)


def packed(content: bytes) -> bytes:
    """Return bytes for a component, compressed if they are large; `assets/js/lib/mount.js` unpacks them.

    A quarter of a millisecond removes a third of an overview, and half of everything else.
    """
    if len(content) < SMALLEST:
        return content
    deflate = zlib.compressobj(LEVEL if len(content) < LARGE else 1, wbits=-zlib.MAX_WBITS)
    return PACKED + len(content).to_bytes(4, "little") + deflate.compress(content) + deflate.flush()


def unpacked(content: bytes) -> bytes:
    """Return bytes as they were before `packed`."""
    return zlib.decompress(content[8:], wbits=-zlib.MAX_WBITS) if content.startswith(PACKED) else content


def _padded(chunk: bytes, filler: bytes) -> bytes:
    return chunk + filler * (-len(chunk) % 4)
