"""Saved maps come back bit for bit, and a hostile file is refused with a sentence before room is made for it."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

import mha
from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, Token
from mha.saved import load_maps


def maps_of(text: str = "All is well", **more) -> AttentionMaps:
    places = [(min(n, len(text)), min(n + 1, len(text))) for n in range(4)]
    pieces = (Token(f"w{n}", f"##w{n}", n, start=start, end=end) for n, (start, end) in enumerate(places))
    tokens = (Token("[CLS]", special=True), *pieces)
    weights = np.random.default_rng(3).dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)
    return AttentionMaps(weights, tokens, text=text, model="MiniLM", revision="abc", origin="pretrained", **more)


def saved(maps: AttentionMaps) -> bytes:
    buffer = io.BytesIO()
    maps.save(buffer)
    return buffer.getvalue()


def archive(**arrays: bytes) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in arrays.items():
            file.writestr(f"{name}.npy", content)
    return buffer


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def claiming(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


@pytest.mark.parametrize("text", ["All is well", "=1+1 <b>é 漢 🙂</b>", "two\x00lines\n", ""])
def test_maps_come_back_bit_for_bit(tmp_path, text):
    maps = maps_of(text, pair="another", causal=False, half_precision=True)
    maps.save(tmp_path / "maps")
    found = mha.load_maps(tmp_path / "maps")
    assert found.weights.tobytes() == maps.weights.tobytes()
    assert (found.tokens, found.key_tokens, found.text, found.pair) == (maps.tokens, maps.tokens, text, "another")
    assert (found.model, found.revision, found.origin, found.units) == ("MiniLM", "abc", "pretrained", "tokens")
    assert found.half_precision
    assert np.load(tmp_path / "maps", allow_pickle=False)["weights"].shape == (2, 3, 5, 5)


def test_merged_maps_and_maps_between_two_texts_come_back():
    merged = maps_of().merged()
    assert load_maps(io.BytesIO(saved(merged))).units == "words"
    keys = tuple(Token(name, word=n) for n, name in enumerate("abcdefg"))
    cross = AttentionMaps(np.full((2, 3, 5, 7), 1 / 7), maps_of().tokens, keys, text="All is well", kind="cross")
    assert load_maps(io.BytesIO(saved(cross))).key_tokens == keys


def about(**changed) -> bytes:
    file = np.load(io.BytesIO(saved(maps_of())))
    said = json.loads(file["about"].tobytes()) | changed
    return npy(np.frombuffer(json.dumps(said).encode(), dtype=np.uint8))


WEIGHTS = npy(maps_of().weights)
DAMAGED = r"^This is not a file of saved maps, or it is damaged\. .* mha\.from_arrays\(weights, tokens\)"


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (io.BytesIO(b"no zip at all"), DAMAGED),
        (archive(other=WEIGHTS), DAMAGED),
        (archive(weights=npy(np.array([object()])), about=about()), DAMAGED),
        (archive(weights=claiming((10**5, 10**5, 512, 512)), about=about()), DAMAGED),
        (archive(weights=claiming((2, 3, 5, -5)), about=about()), DAMAGED),
        (archive(weights=claiming((2, 3, 5, -5)) + WEIGHTS[128:], about=about()), DAMAGED),
        (archive(weights=WEIGHTS[:-4], about=about()), DAMAGED),
        (archive(weights=npy(maps_of().weights.astype(np.float64)), about=about()), DAMAGED),
        (archive(weights=npy(maps_of().weights[0]), about=about()), DAMAGED),
        (archive(weights=WEIGHTS, about=npy(np.frombuffer(b"[" * 10**5, dtype=np.uint8))), DAMAGED),
        (archive(weights=WEIGHTS, about=about(format=9)), "of format 1; this file has format 9"),
        (archive(weights=WEIGHTS, about=about(text=3)), "The text of these maps must be of type str, not int"),
        (archive(weights=WEIGHTS, about=about(causal="yes")), "The causal of these maps must be of type bool, not str"),
        (archive(weights=WEIGHTS, about=about(units="letters")), "one of tokens, words; it is 'letters'"),
        (archive(weights=WEIGHTS, about=about(origin="magic")), "origin of maps must be one of toy, .*; it is 'magic'"),
        (archive(weights=WEIGHTS, about=about(tokens=[])), r"\[layer, head, 0, 0\]; they are \(2, 3, 5, 5\)"),
        (archive(weights=WEIGHTS, about=about(tokens=[{"letters": 1}] * 5)), DAMAGED),
        (
            archive(weights=WEIGHTS, about=about(tokens=[{"text": 1}] * 5)),
            "The text of token 0 must be of type str, not int",
        ),
        (archive(weights=npy(np.full((1, 1, 5, 5), 2, dtype=np.float32)), about=about()), "between 0 and 1"),
    ],
)
def test_what_is_no_file_of_maps_is_refused_with_a_sentence(file, sentence):
    file.seek(0)
    with pytest.raises((InputError, ShapeError), match=sentence):
        load_maps(file)


def test_a_file_that_unpacks_to_more_than_is_allowed_is_not_unpacked():
    bomb = archive(weights=claiming((1, 1, 5000, 5000)) + bytes(10**8), about=about())
    assert len(bomb.getvalue()) < 10**6
    with pytest.raises(InputError, match="100,000,128 bytes; the limit is 20,000,000"):
        load_maps(bomb, most_bytes=20_000_000)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_maps(tmp_path / "none.npz")


@pytest.mark.parametrize("file", [None, 5, b"PK", ["maps.npz"]])
def test_what_is_neither_a_path_nor_a_file_is_refused_with_a_sentence(file):
    with pytest.raises(InputError, match=f"pass its path, or an open file .* type {type(file).__name__}"):
        load_maps(file)


def test_self_attention_is_square():
    maps = mha.AttentionMaps(np.full((1, 1, 2, 3), 1 / 3, dtype=np.float32), ["a", "b"], ["c", "d", "e"])
    with pytest.raises(ShapeError, match="as many rows as columns"):
        maps.save(io.BytesIO())
