"""What `PARALLAX_MODELS` offers: described, left out with a line of the log, loaded and recorded."""

import json
import logging
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import transformers
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import model_type_to_module_name

from mha.errors import AttentionUnavailable, UnknownModel
from mha.maps import Recording
from mha.models.files import catalog, loading, translator
from mha.models.files.catalog import VARIABLE, offers
from mha.models.files.loading import load
from mha.models.files.snapshot import described
from mha.models.watch.attending import attend, loaded_model, record_text
from tests.models.fake_hub import COMMIT
from tests.models.snapshots import D_HEAD, N_HEADS, N_LAYERS, SNAPSHOTS
from tests.models.tiny import MAMBA, SIDES, Tiny

TELESCOPE = "I saw the man with the telescope"

HAS_TRANSLATOR = translator.folder() is not None
OWN = ("minilm", "smollm2", *["translator"] * HAS_TRANSLATOR, "toy", "trained", "copier", "reverser")


@pytest.fixture
def offer(monkeypatch):
    def set_to(*entries: object) -> None:
        monkeypatch.setenv(VARIABLE, ",".join(map(str, entries)))
        loading._loaded.clear()
        catalog.offered.cache_clear()

    yield set_to
    monkeypatch.undo()
    catalog.offered.cache_clear()


BOTH_OF_T5 = {"d_model": 70, "d_kv": 14, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 5}
ONE_OF_TWO = (  # stacks, saved with the config of both
    Tiny("BartForCausalLM", SIDES, "bytes", causal=True),
    Tiny("T5EncoderModel", BOTH_OF_T5),
    Tiny("UMT5EncoderModel", BOTH_OF_T5),  # its config has an encoder and a decoder, as saved by transformers
)


@pytest.mark.parametrize("row", ONE_OF_TWO, ids=lambda row: row.architecture)
def test_a_stack_that_stands_alone_has_its_own_numbers(row, tiny):
    loaded = tiny(row)
    maps = record_text("I saw the man", loaded).maps
    assert (loaded.row.n_layers, loaded.row.n_heads) == (maps.n_layers, maps.n_heads)
    assert (loaded.row.two_sided, loaded.row.causal) == (False, maps.causal) == (False, row.causal)


def test_an_encoder_may_have_the_config_of_both(tmp_path, offer):
    folder = ONE_OF_TWO[1].save(tmp_path / "encoder")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"is_encoder_decoder": True}))  # as many on the hub have it
    offer(folder)
    assert (catalog.model_row("encoder").two_sided, catalog.model_row("encoder").decoder_shape) == (False, None)
    assert set(record_text("I saw", "encoder").stacks) == {"self"}


def test_without_heads_in_the_config_nothing_is_offered(tmp_path, caplog):
    folder = MAMBA.save(tmp_path / "mamba")
    assert offers(str(folder)) == ()
    assert "does not say how many layers and heads" in caplog.text


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


@pytest.mark.slow
def test_a_decoder_that_was_saved_without_its_last_layer_reads_left_to_right():
    folder, found = Path(transformers.__file__).parent / "models", []
    encoders = {
        *auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        "bert-generation",
        "git",
        "moshi",
    }  # these, of images or sounds
    for kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.keys() & auto.MODEL_MAPPING_NAMES.keys() - encoders:
        base = auto.MODEL_MAPPING_NAMES[kind]
        files = (folder / model_type_to_module_name(kind)).glob("modeling_*.py")
        classes = (re.split(r"(?m)^(?=class )", file.read_text(encoding="utf-8")) for file in files)
        written = "".join(one for one in chain.from_iterable(classes) if one.startswith(f"class {base}("))
        if "create_causal_mask(" in written and "is_encoder_decoder" not in written:
            found.append((base, described({"model_type": kind}).causal))
    assert len(found) > 40
    assert [base for base, causal in found if not causal] == []


def test_the_rows_say_what_the_maps_say(snapshots, offer):
    offer(*snapshots.values())
    assert [row.name for row in catalog.offered()] == [*OWN, *SNAPSHOTS]
    for name in SNAPSHOTS:
        row, maps = catalog.model_row(name), attend(TELESCOPE, name)
        assert (maps.model, maps.revision, maps.origin, maps.causal) == (name, "", "unknown origin", row.causal)
        assert (maps.n_layers, maps.n_heads) == (row.n_layers, row.n_heads) == (N_LAYERS, N_HEADS)
        assert row.d_head == D_HEAD
        assert row.max_tokens == loaded_model(name).max_tokens
    assert catalog.model_row("tiny-causal").title == "tiny-causal · unknown origin · 3 × 5"
    assert catalog.model_row("tiny-encoder-decoder").title.endswith(" · encoder 3 × 5")


def test_of_two_stacks_the_encoder_is_shown(snapshots, offer):
    offer(snapshots["tiny-encoder-decoder"])
    recording: Recording = record_text(TELESCOPE, "tiny-encoder-decoder")
    assert set(recording.stacks) == {"encoder", "decoder", "cross"}
    np.testing.assert_array_equal(recording.maps.weights, recording.stacks["encoder"])
    assert not recording.maps.causal
    assert "attention of its encoder" in catalog.model_row("tiny-encoder-decoder").source


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


def test_the_refusal_of_a_name_lists_what_is_offered(snapshots, offer):
    offer(snapshots["tiny-causal"])
    with pytest.raises(UnknownModel) as refused:
        load("no such")
    assert "'reverser' (Reverser) and 'tiny-causal' (tiny-causal); none has" in str(refused.value)


def test_a_config_that_speaks_of_other_heads_is_refused_when_it_is_recorded(snapshots, tmp_path, offer):
    folder = Path(shutil.copytree(snapshots["tiny-causal"], tmp_path / "other"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"decoder_layers": 2}))
    offer(folder)
    with pytest.raises(AttentionUnavailable, match="speaks of 2 layers × 5 heads; its attention has 3 × 5"):
        attend(TELESCOPE, "other")
