"""The files that travel with the program: whole, or named by one error."""

import hashlib
import json

import pytest

from mha import assets
from mha.analysis import shuffles, usual
from mha.analysis.profiles import bundled_profiles
from mha.analysis.proposals import lexicon, propose
from mha.assets import model_file
from mha.engine import bundled as engine_bundled
from mha.errors import AssetError
from mha.examples import DEFAULT_TEXT, NEXT_WORD_EXAMPLES, examples
from mha.examples import FILE as EXAMPLES
from mha.intervention import bank, calibrated
from mha.maps import HeadId
from mha.models.files import loading
from mha.models.files.catalog import model_row
from mha.models.files.loading import load
from mha.pairs import CORPUS, FILE, SWAPS, corpus, pairs, swaps
from mha.views.questions import questions
from tests.damage import DAMAGES
from tools import sums

NAMES = sorted(assets.sums())


def test_the_hashes_are_those_of_the_files():
    said = "a file in assets was changed: python -m tools.sums writes its hash"
    assert assets.SUMS.read_text(encoding="utf-8") == sums.summed(), said
    assert {"assets/examples.json", "assets/copier/model.safetensors"} < set(NAMES)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_wrong_with_a_file_is_one_error_that_names_it(damage, name, how):
    damage(name, DAMAGES[how])
    with pytest.raises(AssetError) as told:
        assets.read(assets.BESIDE / name, bytes)
    assert str(told.value) == f"{name} is damaged. {assets.AGAIN}"


def test_a_missing_file_is_told_as_missing(damage):
    damage("assets/pairs.json", lambda _whole: None)
    with pytest.raises(AssetError, match=r"^assets/pairs.json is missing or cannot be read\."):
        pairs()


FRANCE = NEXT_WORD_EXAMPLES["capital of France"]
DOG = "A dog ate the food because it was hungry"
OPTIONAL = {  # each reads one file, and what it returns where that cannot be
    model_file("recordings", "minilm"): (lambda: engine_bundled.bundled(DEFAULT_TEXT), None),
    model_file("recordings", "smollm2"): (lambda: engine_bundled.bundled(FRANCE, "smollm2"), None),
    model_file("next_words", "smollm2"): (lambda: engine_bundled.bundled_next_words(FRANCE, "smollm2"), None),
    engine_bundled.RUNS_FILE: (engine_bundled.bundled_runs, {}),
    model_file("habit", "minilm"): (lambda: usual.habit("minilm"), None),
    model_file("habit", "smollm2"): (lambda: usual.habit("smollm2"), None),
    model_file("profiles", "smollm2"): (lambda: bundled_profiles("smollm2", model_row("smollm2").revision), None),
    model_file("profiles", "minilm"): (lambda: bundled_profiles("minilm", model_row("minilm").revision), None),
    model_file("calibration", "minilm", "json"): (calibrated.calibration, None),
    shuffles.BUNDLED: (lambda: shuffles.bundled_control(DOG, "minilm", (HeadId(5, 11), 6, 1)), None),
    model_file("head_means", "minilm"): (lambda: bank.bundled_means(load("minilm")), None),
    EXAMPLES: (examples, ()),
    lexicon.FILE: (lambda: propose(DEFAULT_TEXT), ()),
}
NEEDED = {FILE: pairs, SWAPS: swaps, CORPUS: corpus, assets.ASSETS / "questions.json": questions}


def odd(path) -> list[bytes]:
    """Return contents that are wrong although their hash may be right: it was written anew."""
    found = [b"", b"null", b'[{"pairs": [{"id": 7}]}]', b"\xff\xfe", path.read_bytes()[:200], b"[" * 100_000]
    return found[3:4] if path == CORPUS else found  # any text is a corpus


@pytest.mark.parametrize("path", [*OPTIONAL, *NEEDED], ids=assets.short)
def test_what_stands_in_a_file_is_checked_as_well_as_its_hash(damage, monkeypatch, path):
    monkeypatch.setattr(assets, "sums", dict)
    for content in odd(path):
        damage(assets.short(path), lambda _whole, content=content: content)
        assets._cache.clear()
        if path in OPTIONAL:
            ask, without = OPTIONAL[path]
            assert ask() == without, content[:40]
        else:
            with pytest.raises(AssetError, match=f"^{assets.short(path)} is damaged"):
                NEEDED[path]()


@pytest.mark.parametrize("path", OPTIONAL, ids=assets.short)
def test_optional_file_that_is_damaged_is_named(damage, path, caplog):
    ask, without = OPTIONAL[path]
    assert str(ask()) != str(without)
    assets._cache.clear()
    damage(assets.short(path), DAMAGES["cut"])
    assert [ask(), ask()] == [without, without]
    assert list(assets.damaged) == [assets.short(path)]
    assert [record.exc_info for record in caplog.records] == [None]  # one line, no traceback
    assert str(assets.BESIDE) not in caplog.text


def test_missing_file_is_logged_once_and_read_when_it_is_back(tmp_path, monkeypatch, caplog):
    file = tmp_path / "away.json"
    monkeypatch.setattr(assets, "sums", lambda: {"away.json": hashlib.sha256(b"[1]").hexdigest()})
    assert [assets.optional(file, json.loads) for _ in range(3)] == [None] * 3
    assert len(caplog.records) == 1
    assert assets.damaged == {"away.json": None}
    file.write_text("[1]")
    assert assets.optional(file, json.loads) == [1]
    assert assets.damaged == {}


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.count("/") == 2 and not name.startswith("assets/lessons/")]
)
def test_a_model_that_was_trained_here_is_not_loaded_from_a_damaged_file(damage, name):
    loading._loaded.clear()
    damage(name, DAMAGES["flipped"])
    with pytest.raises(AssetError, match=f"{name} is damaged"):
        load(name.split("/")[1])
