"""What `PARALLAX_MODELS` offers: described, left out with a line of the log, loaded and recorded."""

import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mha.errors import AttentionUnavailable, UnknownModel
from mha.models.files import catalog, loading, translator
from mha.models.files.catalog import VARIABLE
from mha.models.files.loading import load
from mha.models.files.snapshot import described
from mha.models.watch.attending import attend, record_text
from tests.models.fake_hub import COMMIT
from tests.models.snapshots import D_HEAD, N_HEADS, N_LAYERS, SNAPSHOTS

TELESCOPE = "I saw the man with the telescope"

HAS_TRANSLATOR = translator.folder() is not None
OWN = ("minilm", "smollm2", *["translator"] * HAS_TRANSLATOR, "toy", "copier", "reverser")


@pytest.fixture
def offer(monkeypatch):
    def set_to(*entries: object) -> None:
        monkeypatch.setenv(VARIABLE, ",".join(map(str, entries)))
        loading._loaded.clear()
        catalog.offered.cache_clear()

    yield set_to
    monkeypatch.undo()
    catalog.offered.cache_clear()


@pytest.mark.parametrize(
    ("kind", "entries", "causal"),
    [
        ("openai-gpt", {"architectures": ["OpenAIGPTLMHeadModel"]}, True),
        ("clip_text_model", {}, True),
        ("siglip_text_model", {"architectures": ["SiglipTextModel"]}, False),
        ("xlnet", {"architectures": ["XLNetLMHeadModel"]}, False),
        ("gemma3_text", {}, True),
        ("gemma3_text", {"use_bidirectional_attention": True}, False),  # EmbeddingGemma
    ],
)
def test_described_causal(kind, entries, causal):
    assert described({"model_type": kind} | entries).causal is causal


def test_the_rows_say_what_the_maps_say(snapshots, offer):
    offer(*snapshots.values())
    assert [row.name for row in catalog.offered()] == [*OWN, *SNAPSHOTS]
    for name in SNAPSHOTS:
        row, maps = catalog.model_row(name), attend(TELESCOPE, name)
        assert (maps.model, maps.revision, maps.origin, maps.causal) == (name, "", "unknown origin", row.causal)
        assert (maps.n_layers, maps.n_heads) == (row.n_layers, row.n_heads) == (N_LAYERS, N_HEADS)
        assert row.d_head == D_HEAD
        assert row.max_tokens == load(name).max_tokens
    assert catalog.model_row("tiny-causal").title == "tiny-causal · unknown origin · 3 × 5"
    assert catalog.model_row("tiny-encoder-decoder").title.endswith(" · encoder 3 × 5")


def test_the_words_of_the_examples_are_known_to_the_snapshots(snapshots, offer):
    offer(*snapshots.values())
    for name in SNAPSHOTS:
        assert record_text("A dog ate the food because it was hungry.", name).notes == ()
        assert [token.raw for token in attend("The zzz", name).tokens if not token.special] == ["the", "[UNK]"]


def test_listing_the_own_models_loads_no_torch():
    code = (
        "import sys; from mha.models.files.catalog import offered; print([row.name for row in offered()]); "
        "print(sorted({'torch', 'transformers', 'huggingface_hub'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True, env={"PATH": ""}
    )
    assert ran.stdout.splitlines() == [str([*OWN]), "[]"]


def test_what_cannot_be_offered_is_logged_and_left_out(snapshots, tmp_path, offer, caplog):
    adapted = Path(shutil.copytree(snapshots["tiny-masked"], tmp_path / "adapted"))
    (adapted / "adapter_config.json").write_text("{}")
    named = Path(shutil.copytree(snapshots["tiny-masked"], tmp_path / "toy"))
    odd = Path(shutil.copytree(snapshots["tiny-masked"], tmp_path / "![x](y)"))
    good = snapshots["tiny-masked"]
    entries = {
        tmp_path / "nowhere": "config.json is missing",
        adapted: "has an adapter",
        named: "There is another model named toy",
        odd: "A folder's name is the model's",
        "relative/folder/x": "There is no such model: a model",
        "some-org/never-fetched": "python -m mha.models some-org/never-fetched",
        "": None,
        good: None,
        f" {good} ": "There is another model named tiny-masked",
    }
    with caplog.at_level(logging.WARNING):
        offer(*entries)
        assert [row.name for row in catalog.offered()] == [*OWN, "tiny-masked"]
    said = [record.getMessage() for record in caplog.records if record.name == "mha.models.files.catalog"]
    expected = [reason for reason in entries.values() if reason is not None]
    assert [reason in line for reason, line in zip(expected, said, strict=True)] == [True] * len(expected)


def test_a_fetched_model_is_offered_by_its_id_at_its_commit(snapshots, tmp_path, offer, monkeypatch):
    from huggingface_hub import constants

    kept = tmp_path / "models--some-org--tiny"
    shutil.copytree(snapshots["tiny-causal"], kept / "snapshots" / COMMIT)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    for entry in ("some-org/tiny", f"some-org/tiny@{COMMIT}"):
        offer(entry)
        row = catalog.model_row("some-org/tiny")
        assert (row.short, row.revision, row.source) == ("tiny", COMMIT, "some-org/tiny")
        assert attend(TELESCOPE, "some-org/tiny").revision == COMMIT
    offer("some-org/tiny@" + "f" * 40)
    with pytest.raises(UnknownModel):
        catalog.model_row("some-org/tiny")


def test_two_models_of_one_short_name_are_told_apart(snapshots, tmp_path, offer, monkeypatch):
    monkeypatch.setattr(
        "mha.models.files.catalog.cached_folder", lambda name: snapshots["tiny-masked"] if "tiny" in name else None
    )
    offer("one/tiny-masked", "two/tiny-masked", "three/tiny-masked")
    rows = catalog.offered()[len(OWN) :]
    assert [row.short for row in rows] == ["tiny-masked", "two/tiny-masked", "three/tiny-masked"]
    assert rows[1].title == "two/tiny-masked · pretrained · 3 × 5"


def test_a_config_that_speaks_of_other_heads_is_refused_when_it_is_recorded(snapshots, tmp_path, offer):
    folder = Path(shutil.copytree(snapshots["tiny-causal"], tmp_path / "other"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"decoder_layers": 2}))
    offer(folder)
    with pytest.raises(AttentionUnavailable, match="speaks of 2 layers × 5 heads; its attention has 3 × 5"):
        attend(TELESCOPE, "other")
