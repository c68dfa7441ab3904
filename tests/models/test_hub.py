"""Fetching from a hub: the real download code against a small hub of our own, and a sentence for everything else."""

import shutil
import socket
from pathlib import Path

import pytest

import mha
from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.models.__main__ import main
from mha.models.files import catalog, inspection, loading
from mha.models.files.inspection import FILES, REFUSED, cached_folder, divided, fetch, is_hub_id
from tests.models.fake_hub import COMMIT, Hub, serving
from tests.models.snapshots import save

ID = "some-org/tiny.causal_1"
ODD = [
    "", "gpt2", "../x", "org/..", "org/na me", "org/name/more", "/etc/passwd", "org/name@main", "org/name@" + "A" * 40,
    "org/name@" + "a" * 39, "https://example.com/x", "org/name\0", "org/name\n", "org/ñame", "org--x/name",
    "a" * 200 + "/x", "org\\name", "-org/name",
]  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = save("tiny-causal", tmp_path_factory.mktemp("hub"))
    (folder / "README.md").write_text("a card")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04 a pickle")
    (folder / "modeling_evil.py").write_text("raise SystemExit")
    return folder


@pytest.fixture
def model(original, tmp_path):
    return Path(shutil.copytree(original, tmp_path / "model"))


@pytest.fixture
def a_hub(model):
    with serving(Hub({ID: model})) as served:
        yield served


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def refused(a_hub: Hub, cache: Path, model_id: str = ID, revision: str | None = None) -> ModelError:
    name = model_id if revision is None else f"{model_id}@{revision}"
    with pytest.raises(ModelError) as error:
        fetch(name, endpoint=a_hub.url, cache=cache)
    said = str(error.value)
    assert "\n" not in said
    assert not any(leak in said for leak in (str(cache), "127.0.0.1", "http", "Error", "hf", "huggingface"))
    assert "model.safetensors" not in a_hub.fetched()
    assert cached_folder(name, cache=cache) is None
    return error.value


@pytest.mark.parametrize("revision", [None, COMMIT])
def test_a_model_is_fetched_at_a_commit_and_then_found_without_a_network(a_hub, cache, model, revision, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "a secret")
    name = ID if revision is None else f"{ID}@{revision}"
    assert cached_folder(name, cache=cache) is None
    assert a_hub.asked == []
    folder = fetch(name, endpoint=a_hub.url, cache=cache)
    assert folder.name == COMMIT
    assert {path.name for path in folder.iterdir()} == {*FILES, "model.safetensors"} & {
        path.name for path in model.iterdir()
    }
    assert (folder / "model.safetensors").read_bytes() == (model / "model.safetensors").read_bytes()
    assert not any("authorization" in {name.lower() for name in headers} for _, _, headers in a_hub.asked)
    assert all(ID in path for _, path, _ in a_hub.asked), "something else was asked for"
    before = len(a_hub.asked)
    assert cached_folder(f"{ID}@{COMMIT}", cache=cache) == folder
    assert cached_folder(ID, cache=cache) == (folder if revision is None else None)
    assert len(a_hub.asked) == before


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(28, "full"), ConnectionError("lost")])
def test_fetch_failure_names_folder_and_hub(a_hub, cache, monkeypatch, error):
    def fail(*_args, **_kwargs):
        raise error

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(ModelUnavailable, match="did not answer.*HF_HOME") as refusal:
        fetch(ID, endpoint=a_hub.url, cache=cache)
    assert str(error) not in str(refusal.value)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_model_without_a_file_is_refused_by_the_listing(a_hub, cache, model, name):
    (model / name).unlink()
    assert str(refused(a_hub, cache)) == f"The model's {name} is missing."
    assert a_hub.fetched() == set()


def test_a_model_that_is_too_large_is_refused_by_the_listing(a_hub, cache):
    a_hub.sizes = {"model.safetensors": 3 * 2**30}
    assert str(refused(a_hub, cache)).startswith("The model's weights take 3.0 GB; this program reads 2 GB.")
    assert a_hub.fetched() == set()


@pytest.mark.parametrize("name", ODD)
def test_an_odd_id_is_refused_before_anything_is_asked(a_hub, cache, name, monkeypatch):
    assert not is_hub_id(name)
    for ask in (
        divided,
        lambda name: fetch(name, endpoint=a_hub.url, cache=cache),
        lambda name: cached_folder(name, cache=cache),
    ):
        with pytest.raises(UnknownModel) as error:
            ask(name)
        assert str(error.value) == REFUSED
    assert a_hub.asked == []
    assert not cache.exists()


def test_no_hub_is_said_in_a_sentence(cache):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(ModelUnavailable) as error:
        fetch(ID, endpoint=nobody, cache=cache)
    assert str(error.value) == inspection.NO_ANSWER


def test_a_part_that_others_fetched_is_no_kept_model_and_is_completed(a_hub, cache):
    from huggingface_hub import snapshot_download

    snapshot_download(
        ID, allow_patterns=["config.json", "tokenizer*"], endpoint=a_hub.url, cache_dir=cache, token=False
    )
    shutil.rmtree(cache / "models--some-org--tiny.causal_1" / "trees", ignore_errors=True)
    assert cached_folder(ID, cache=cache) is None
    assert fetch(ID, endpoint=a_hub.url, cache=cache) == cached_folder(ID, cache=cache)


def at(monkeypatch: pytest.MonkeyPatch, a_hub: Hub, cache: Path) -> None:
    """Let everything that names no hub and no cache of its own use these."""
    from huggingface_hub import constants, hf_api

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "ENDPOINT", a_hub.url)
    monkeypatch.setattr(hf_api.constants, "ENDPOINT", a_hub.url)
    monkeypatch.setattr(
        constants, "HUGGINGFACE_CO_URL_TEMPLATE", a_hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    loading._loaded.clear()


def test_a_notebook_fetches_once_and_then_reads_what_is_kept(a_hub, cache, monkeypatch):
    at(monkeypatch, a_hub, cache)
    maps = mha.attend("I saw the man", model=ID)
    assert maps.weights.shape == (3, 5, 4, 4)
    assert (maps.model, maps.revision) == ("tiny.causal_1", COMMIT)
    before = len(a_hub.asked)
    loading._loaded.clear()
    assert mha.attend("I saw the man", model=ID).causal
    assert len(a_hub.asked) == before
    assert ID not in [row.name for row in catalog.offered()]


def test_the_command_fetches_and_says_how_it_is_offered(a_hub, cache, monkeypatch, capsys):
    at(monkeypatch, a_hub, cache)
    assert main([ID, "some-org/other"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == f"{ID} at {COMMIT}: 1 MB, 3 layers × 5 heads"
    assert out.splitlines()[1] == f"To offer it: PARALLAX_MODELS={ID}@{COMMIT} make run"
    assert err.splitlines()[-1] == f"some-org/other: {REFUSED}"
    assert main([ID]) == 0
