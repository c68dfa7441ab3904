"""What an envelope holds, as `assets/js/lib/envelope.js` opens it."""

import json

import numpy as np


def unseal(envelope):
    """Return the header (without its list of arrays) and the arrays of an envelope."""
    start = 4 + int.from_bytes(envelope[:4], "little")
    header = json.loads(envelope[4:start])
    arrays = {}
    for entry in header.pop("arrays"):
        kind, at = np.dtype(entry["dtype"]).newbyteorder("<"), start + entry["offset"]
        flat = np.frombuffer(envelope, dtype=kind, count=int(np.prod(entry["shape"])), offset=at)
        arrays[entry["name"]] = flat.reshape(entry["shape"])
    return header, arrays
