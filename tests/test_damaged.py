"""Files of maps that were damaged on the way, or made to do harm: accepted whole, or refused with one sentence."""

import bz2
import io
import json
import lzma
import struct
import zipfile
from collections import Counter

import numpy as np
import pytest

import mha
from mha.errors import InputError
from mha.export.provenance import provenance_of
from mha.export.tables import weights_npz
from mha.maps import AttentionMaps, Token
from mha.saved import load_maps, sound
from tests.test_saved import WEIGHTS, about, archive, claiming, npy, saved

SENTENCE = 400  # characters that a reader reads


def packed(maps: AttentionMaps) -> bytes:
    """Return maps as ``numpy.savez_compressed`` writes them."""
    arrays = np.load(io.BytesIO(saved(maps)))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def kinds() -> dict[str, bytes]:
    """Return a real file of each kind: written in a notebook, taken away, packed, between two texts, in words."""
    toy, pair = mha.attend("All is well", "toy"), mha.attend("Red apples", "toy", pair="Old pears")
    queries, keys = (tuple(Token(name, word=n) for n, name in enumerate(names)) for names in ("ab", "abc"))
    cross = AttentionMaps(np.full((1, 2, 2, 3), 1 / 3), queries, keys, kind="cross")
    return {
        "saved": saved(toy),
        "packed": packed(toy),
        "taken away": weights_npz(toy, provenance_of(toy)),
        "two texts": saved(pair),
        "words": packed(toy.merged()),
        "cross": saved(cross),
        "own": packed(mha.from_arrays(np.full((1, 1, 3, 3), 1 / 3, np.float32), ["<s>", "▁Hi", "!"])),
    }


KINDS = kinds()


def outcome(content: bytes) -> str:
    """Return "accepted" or "refused"; anything but whole maps or an InputError with a plain sentence fails."""
    try:
        maps = load_maps(io.BytesIO(content), 2**22)
    except InputError as error:
        said = str(error)
        assert 10 < len(said) < SENTENCE
        assert said.encode()
        assert said.isprintable()
        return "refused"
    sound(maps)
    maps.merged()
    saved(maps)
    return "accepted"


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_in_which_bytes_were_changed_is_accepted_whole_or_refused(kind):
    random, content, found = np.random.default_rng(len(kind)), KINDS[kind], Counter()
    for _ in range(150):
        changed = bytearray(content)
        for place in random.integers(len(changed), size=random.integers(1, 5)):
            changed[place] = random.integers(256)
        found[outcome(bytes(changed))] += 1
    assert found["refused"] > 30


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_ends_too_early_is_refused(kind):
    content = KINDS[kind]
    assert outcome(content) == "accepted"
    assert {outcome(content[:length]) for length in range(0, len(content), 64)} == {"refused"}


@pytest.mark.parametrize("member", ["weights", "about"])
def test_headers_in_which_letters_were_changed_are_refused_or_read(member):
    """What is inside the archive is changed, so that its sums are right: nothing else refuses it."""
    arrays = {"weights": WEIGHTS, "about": about()}
    random, alphabet = np.random.default_rng(7), b"{}[](),:'\"<>|=-+.0123456789 \n\\xabcfiOuTrueL\x00\xff"
    for _ in range(400):
        changed = bytearray(arrays[member])
        for place in random.integers(128 if random.random() < 0.7 else len(changed), size=random.integers(1, 4)):
            changed[place] = alphabet[random.integers(len(alphabet))]
        outcome(archive(**(arrays | {member: bytes(changed)})).getvalue())


def zipped(method: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def twice() -> bytes:
    """Return an archive that has its weights twice, which zipfile would not write."""
    return zipped(weights=WEIGHTS, about=about(), weightt=WEIGHTS).replace(b"weightt", b"weights")


def flagged(bit: int) -> bytes:
    """Return an archive whose members carry a flag, in both places where a zip has it."""
    content = bytearray(zipped(weights=WEIGHTS, about=about()))
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.find(sign)
        while place >= 0:
            content[place + offset] |= bit
            place = content.find(sign, place + 4)
    return bytes(content)


def headed(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """Return an array whose header is any text, before some bytes."""
    written = header.encode("latin-1") + b"\n"
    length = struct.pack("<H", len(written)) if version == b"\x01\x00" else struct.pack("<I", len(written))
    return b"\x93NUMPY" + version + length + written + content


def said(text: bytes) -> bytes:
    return npy(np.frombuffer(text, dtype=np.uint8))


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 5, 5)}"
NUMBERS = WEIGHTS[128:]
STRUCTURE = np.zeros((2, 3, 5, 5), dtype=[("a", "<f4"), ("b", "O")])
BACKWARDS = np.asfortranarray(np.load(io.BytesIO(WEIGHTS)))
WEIGHTS_TRICKS = {
    "objects": npy(np.array([[[[{}]]]], dtype=object)),
    "a structure": npy(STRUCTURE),
    "big-endian": npy(np.load(io.BytesIO(WEIGHTS)).astype(">f4")),
    "column by column": npy(BACKWARDS),
    "no layers": npy(np.zeros((0, 3, 5, 5), np.float32)),
    "no heads, many tokens": claiming((1, 0, 10**9, 10**9)),
    "all negative": claiming((-2, -3, -5, -5)),
    "more than fits in 64 bits": claiming((2**40, 2**40, 5, 5)),
    "truths for numbers": headed(HEADER.replace("(2, 3, 5, 5)", "(True, True, 5, 5)"), NUMBERS),
    "a shape of text": headed(HEADER.replace("(2, 3, 5, 5)", "'2355'"), NUMBERS),
    "numbers of 4,000 digits": headed(HEADER.replace("(2,", f"({'9' * 4000},"), NUMBERS),
    "numbers of 200 digits": headed(HEADER.replace("(2,", f"({'9' * 200},"), NUMBERS),
    "a long expression": headed("+".join(["1"] * 20000)),
    "nested brackets": headed("(" * 5000 + ")" * 5000),
    "nested minus": headed("-" * 400 + "1"),
    "an unfinished text": headed("{'descr': '''<f4", NUMBERS),
    "a call": headed(HEADER.replace("False", "open('/tmp/x', 'w')"), NUMBERS),
    "no dictionary": headed("[1, 2, 3]", NUMBERS),
    "a type of lists": headed(HEADER.replace("'<f4'", "[[1, 2], [3]]"), NUMBERS),
    "a type of dictionaries": headed(HEADER.replace("'<f4'", "{'names': 3}"), NUMBERS),
    "a type within a type": headed(HEADER.replace("'<f4'", "('<f4', (1, 10**9))"), NUMBERS),
    "no bytes a number": headed(HEADER.replace("<f4", "V0"), NUMBERS),
    "a header without an end": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'",
    "version 3": headed(HEADER, NUMBERS, b"\x03\x00"),
    "version 9": headed(HEADER, NUMBERS, b"\x09\x09"),
    "nothing": b"",
    "more than it claims": WEIGHTS + b"\x00",
    "not a number": npy(np.full((2, 3, 5, 5), np.nan, np.float32)),
    "without end": npy(np.full((2, 3, 5, 5), np.inf, np.float32)),
    "below nothing": npy(np.full((2, 3, 5, 5), -0.1, np.float32)),
    "rows of more than all": npy(np.full((2, 3, 5, 5), 1, np.float32)),
}
TOKENS = json.loads(np.load(io.BytesIO(about())).tobytes())["tokens"]
ABOUT_TRICKS = {
    "brackets": said(b"[" * 10**5),
    "brackets within": said(b'{"format": 1, "text": ' + b"[" * 900 + b"]" * 900 + b"}"),
    "braces within": said(b'{"format": 1, "tokens": [' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"]}"),
    "a number of 100,000 digits": said(b'{"format": ' + b"1" * 10**5 + b"}"),
    "a number of 4,000 digits": about(tokens=[{"start": 10**4000}] * 5),
    "no number": about(format=float("nan")),
    "half a letter": about(format="\ud800"),
    "half a letter in the text": about(text="All \ud800 well"),
    "half a letter in a name": about(model="\udfff"),
    "half a letter as a unit": about(units="\ud800"),
    "another script's bytes": said("“".encode("utf-16-be")),
    "no text at all": said(b"\xff\xfe\xfa"),
    "a list": said(b"[1]"),
    "null": said(b"null"),
    "a long origin": about(origin="x" * 10**5),
    "origins": about(origin=["toy"]),
    "tokens by name": about(tokens={"0": {}}),
    "tokens of nothing": about(tokens=[None] * 5),
    "a token whose text is a number": about(tokens=[TOKENS[0] | {"text": 7}, *TOKENS[1:]]),
    "a token whose start is text": about(tokens=[TOKENS[0] | {"start": "0"}, *TOKENS[1:]]),
    "columns that are no list": about(key_tokens=3),
    "a pair that is none": about(pair=[]),
}


@pytest.mark.parametrize("trick", WEIGHTS_TRICKS)
def test_an_array_that_is_not_what_it_says_is_refused(trick):
    assert outcome(zipped(weights=WEIGHTS_TRICKS[trick], about=about())) == "refused"


@pytest.mark.parametrize("trick", ABOUT_TRICKS)
def test_what_maps_say_of_themselves_is_bounded_and_held_to_its_kinds(trick):
    assert outcome(zipped(weights=WEIGHTS, about=ABOUT_TRICKS[trick])) == "refused"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zipped(zipfile.ZIP_LZMA, weights=WEIGHTS, about=about()), "not a file of saved maps"),
        (zipped(zipfile.ZIP_BZIP2, weights=WEIGHTS, about=about()), "not a file of saved maps"),
        (flagged(0x01), "not a file of saved maps"),
        (flagged(0x20), "not a file of saved maps"),
        (flagged(0x40), "not a file of saved maps"),
        (twice(), None),
        (zipped(weights=WEIGHTS, about=about(), **{f"more{n}": b"" for n in range(15)}), None),
        (zipped(weights=WEIGHTS, about=about(), **{"../../etc/passwd\n": b""}), None),
        (bz2.compress(KINDS["saved"]), "not a file of saved maps"),
        (lzma.compress(KINDS["saved"]), "not a file of saved maps"),
        (zipped(weights=KINDS["saved"], about=about()), "not a file of saved maps"),
        (WEIGHTS, "not a file of saved maps"),
        (b"PK\x05\x06" + bytes(18), "not a file of saved maps"),
        (b"PK\x05\x06" + b"\xff" * 18, "not a file of saved maps"),
        (KINDS["saved"] + b"x" * 70_000, "not a file of saved maps"),
        (b"not a zip" + KINDS["saved"], None),
    ],
)
def test_an_archive_made_to_do_harm_is_refused(content, sentence):
    assert outcome(content) == ("accepted" if sentence is None else "refused")
    if sentence is not None:
        with pytest.raises(InputError, match=sentence):
            load_maps(io.BytesIO(content))


def test_more_tokens_than_can_be_read_are_refused_before_their_names_are(monkeypatch):
    names = said(b'{"format": 1, "tokens": [' + b"{}," * 10**6 + b"{}]}")
    content = zipped(zipfile.ZIP_DEFLATED, weights=claiming((1, 1, 1, 10**6)) + bytes(4 * 10**6), about=names)
    with pytest.raises(InputError, match="up to 2 tokens can be read here; these have 5 rows"):
        load_maps(io.BytesIO(zipped(weights=WEIGHTS, about=about())), most_tokens=2)
    monkeypatch.setattr(json, "loads", None)
    with pytest.raises(InputError, match="up to 4,096 tokens can be read here; these have 1 rows and 1,000,000"):
        load_maps(io.BytesIO(content))
