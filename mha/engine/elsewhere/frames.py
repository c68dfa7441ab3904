"""What an engine answers over HTTP, in frames: signs of life while it works, then one answer or one refusal.

A frame is one letter, eight bytes of length, and so much content. Whoever waits gives up after some seconds without any
frame, however long the work itself may take.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

BEAT, ANSWER, REFUSAL = b".", b"A", b"R"
HEAD = struct.Struct("<cQ")
BEAT_SECONDS = 1.0  # between two signs of life
MOST_BYTES = 2**28  # of an answer


class Broken(Exception):
    """What came is no frame, or ends inside one."""


def frame(kind: bytes, content: bytes = b"") -> bytes:
    """Return a frame."""
    return HEAD.pack(kind, len(content)) + content


def next_frame(read: Callable[[int], bytes]) -> tuple[bytes, bytes]:
    """Return the kind and the content of the next frame; ``read`` gives at most so many bytes, and b"" at the end.

    Raises:
        Broken: there is none, or it is larger than answers are.
    """
    kind, length = HEAD.unpack(_exactly(read, HEAD.size))
    if kind not in (BEAT, ANSWER, REFUSAL) or length > MOST_BYTES:
        raise Broken(f"a frame {kind!r} of {length:,} bytes")
    return kind, _exactly(read, length)


def _exactly(read: Callable[[int], bytes], length: int) -> bytes:
    parts, missing = [], length
    while missing:
        part = read(missing)
        if not part:
            raise Broken("the answer ends too early")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
