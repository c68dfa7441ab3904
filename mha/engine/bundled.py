"""The recordings that come with the app: every example sentence, as the bundled model sees it.

They are drawn before torch is imported. ``python -m mha.engine.bundled`` records them anew; a test holds them against
the live model. The file is an NPZ without object arrays: one array of weights for each text, and one JSON of the rest.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path

import numpy as np

from mha.assets import ASSETS
from mha.maps import AttentionMaps, Recording, Token

FILE = ASSETS / "recordings.npz"
MODEL = "minilm"


@functools.cache
def _archive() -> dict[str, Recording]:
    if not FILE.exists():
        return {}
    recordings = {}
    with np.load(FILE, allow_pickle=False) as archive:
        about = json.loads(bytes(archive["about"]).decode())
        for number, text in enumerate(about["texts"]):
            tokens = tuple(Token(**token) for token in text.pop("tokens"))
            maps = AttentionMaps(weights=archive[f"weights_{number}"], tokens=tokens, **text, **about["model"])
            recordings[maps.text] = Recording(maps=maps, stacks={"self": maps.weights})
    return recordings


def bundled(text: str, model: str = MODEL) -> Recording | None:
    """Return the bundled recording of this very text by this model, or None."""
    return _archive().get(text) if model == MODEL else None


def write(texts: list[str], path: Path = FILE) -> None:
    """Record each text with the bundled model and write them all into one NPZ."""
    from mha.models.watch.attending import attend

    every = [attend(text, model=MODEL) for text in texts]
    about = {
        "model": {name: getattr(every[0], name) for name in ("model", "revision", "origin", "kind", "causal")},
        "texts": [
            {"text": maps.text, "tokens": [dataclasses.asdict(token) for token in maps.tokens]} for maps in every
        ],
    }
    arrays = {f"weights_{number}": maps.weights for number, maps in enumerate(every)}
    encoded = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
    np.savez_compressed(path, allow_pickle=False, **{"about": encoded, **arrays})


if __name__ == "__main__":
    from mha.examples import EXAMPLES

    write([example.text for example in EXAMPLES])
