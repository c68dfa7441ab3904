"""Files of the program that are damaged, as they are read; on the disk they stay as they are."""

import random
from pathlib import Path

from mha import assets

SEED = 19


def flipped(whole: bytes) -> bytes:
    """Return a file with eight of its bytes changed, the same ones each time."""
    chance, changed = random.Random(SEED), bytearray(whole)
    for place in chance.sample(range(len(whole)), 8):
        changed[place] ^= chance.randrange(1, 256)
    return bytes(changed)


DAMAGES = {
    "cut": lambda whole: whole[: len(whole) // 2],
    "flipped": flipped,
    "empty": lambda _whole: b"",
    "other JSON": lambda _whole: b'{"kinds": [], "about": 7}',
    "longer": lambda whole: whole + b"\0",
}


class Damage:
    """Damages a file of the program, by its name, for the rest of a test; nothing is known of any file before."""

    def __init__(self, monkeypatch):
        self.how, read_bytes = {}, Path.read_bytes
        monkeypatch.setattr(assets, "_cache", {})
        monkeypatch.setattr(assets, "damaged", {})
        monkeypatch.setattr(Path, "read_bytes", lambda path: self._changed(path, read_bytes(path)))

    def _changed(self, path, whole):
        changed = self.how.get(assets.short(path), lambda whole: whole)(whole)
        if changed is None:
            raise FileNotFoundError(path)
        return changed

    def __call__(self, name, how):
        self.how[name] = how
