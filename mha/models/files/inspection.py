"""Untrusted files of a model, checked before a library acts on them; models of the hub, fetched ahead."""

import functools
import hashlib
import json
import logging
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from mha.errors import ModelError, ModelUnavailable, UnknownModel
from mha.models.files.environment import prepare_environment

log = logging.getLogger(__name__)

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
SHARD = re.compile(r"model-[0-9]{5}-of-[0-9]{5}\.safetensors")
ADAPTER = "adapter_config.json"
FILES = {  # all files of a snapshot but its weights, with the most bytes that are read
    "config.json": 2**20,
    "tokenizer_config.json": 2**20,
    "special_tokens_map.json": 2**20,
    "generation_config.json": 2**20,
    "tokenizer.json": 2**26,
    INDEX: 2**24,
}
MOST_GB, USUAL_GB = "PARALLAX_MAX_GB", 2.0  # of a model's weights; the operator sets it

# Accepted in a config: numbers, truths and words, under any name; in the fields here, anything.
FREE = ("id2label", "label2id", "architectures", "model_type")
ADDRESS = re.compile(r"[/\\.:@]")  # a word with one of these may name a file, a module, a kernel or a repository
NESTED = re.compile(r".*_config|encoder|decoder|generator")  # keys of the configs of models inside a model
LIMITS = {  # of the sizes that take memory or time, by the end of the key
    "layers?|blocks": 200,
    "heads?": 256,
    "experts": 1024,
    "hidden_size|n_embd|d_model": 2**14,
    "intermediate_size|dim|inner|d_ff": 2**17,
    "d_kv": 2**12,
    "size": 2**20,
    "embeddings|positions": 2**24,
}


@contextmanager
def refusing(sentence: str, names_kind: bool = False) -> Iterator[None]:
    """Raise ModelUnavailable with this sentence for any error of a library: files of a model are its reason.

    With ``names_kind`` the sentence ends with the kind of the error.
    """
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        raise ModelUnavailable(f"{sentence}: {type(error).__name__}." if names_kind else sentence) from error


def inspect_snapshot(folder: Path) -> tuple[dict[str, Any], int]:
    """Return the accepted config of a snapshot folder, and how many numbers its weights hold; every file is checked.

    Raises:
        ModelUnavailable: a file is missing, too large or damaged, the config is refused, or there is an adapter.
    """
    files = weight_files(folder)
    return read_config(folder / "config.json"), sum(map(count_numbers, files))


def weight_files(folder: Path) -> list[Path]:
    """Return the files that hold the weights of a snapshot folder.

    Raises:
        ModelUnavailable: as `check_sizes`, or the index names something else.
    """
    check_adapter(folder / ADAPTER)
    names = check_sizes({path.name: path.stat().st_size for path in folder.glob("*") if path.is_file()})
    if names != [WHOLE]:
        parts = read_json(folder / INDEX).get("weight_map")
        if not isinstance(parts, dict) or {*map(str, parts.values())} != {*names}:
            raise ModelUnavailable(f"The model's {INDEX} lists other parts than there are.")
    return [folder / name for name in names]


def check_adapter(path: Path) -> None:
    """Raise ModelUnavailable if this file is there: the folder has an adapter; the message names its base model."""
    if path.is_file():
        config = read_json(path) if path.stat().st_size <= FILES["config.json"] else {}
        base = config.get("base_model_name_or_path") or config.get("model_name")
        base_name = f"of the base model {str(base)[:80]!a}" if base else "and names no base model"
        raise ModelUnavailable(
            f"The folder has an adapter {base_name}; a whole model is needed. Name the base model, or load both with "
            "peft and save what merge_and_unload() returns."
        )


def check_sizes(sizes: Mapping[str, int]) -> list[str]:
    """Return which files of a snapshot, by name and size in bytes, hold the weights: one, or several parts.

    Raises:
        ModelUnavailable: a file is missing or too large, or there is an adapter.
    """
    parts = sorted(filter(SHARD.fullmatch, sizes))
    weights = parts if INDEX in sizes and WHOLE not in sizes else [WHOLE]
    for name in ("config.json", "tokenizer.json", *weights):
        if name not in sizes:
            raise ModelUnavailable(f"The model's {name} is missing.")
    if not sizes.keys().isdisjoint({"adapter_config.json", "adapter_model.safetensors"}):
        raise ModelUnavailable("The model has an adapter, which is not accepted here.")
    for name, limit in FILES.items():
        if sizes.get(name, 0) > limit:
            raise ModelUnavailable(f"The model's {name} is larger than this program reads ({limit // 2**20:,} MB).")
    total, most = sum(sizes[name] for name in weights), most_bytes()
    if total > most:
        raise ModelUnavailable(
            f"The model's weights take {total / 2**30:.1f} GB; this program reads {most / 2**30:g} GB. "
            f"Whoever runs it can allow more: {MOST_GB}."
        )
    return weights


def most_bytes() -> int:
    """Return how many bytes of weights are read: `PARALLAX_MAX_GB`, or 2 GB if it is not a number above 0."""
    setting = re.fullmatch(r"\d+(\.\d+)?", os.environ.get(MOST_GB, "").strip())
    return int((float(setting[0]) if setting else 0) * 2**30) or int(USUAL_GB * 2**30)


def read_config(path: Path) -> dict[str, Any]:
    """Return the accepted entries of a model's config, without names of files, modules or code.

    Private keys and words that could be an address are dropped; of ``auto_map`` the bare key stays. Sizes are checked
    in the config and in the configs inside it.

    Raises:
        ModelUnavailable: it cannot be read, a size is out of bounds, or the weights are quantised.
    """
    config = read_json(path, _accepted)
    for part in nested_configs(config):
        if part.get("quantization_config"):
            raise ModelUnavailable("The model's config says that its weights are quantised, which is not read here.")
        for key, value in part.items():
            numbers = [
                number for number in (value if isinstance(value, list) else [value]) if type(number) in (int, float)
            ]
            limit = next(
                (limit for end, limit in LIMITS.items() if re.search(rf"(^|_)({end})$", key.lower())), math.inf
            )
            if not all(abs(number) <= limit for number in numbers):  # a NaN is refused, too
                raise ModelUnavailable(f"The model's {path.name} sets {key[:60]!r} beyond what is accepted here.")
    return config


def nested_configs(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a config and the configs of the models inside it."""
    yield config
    for key, value in config.items():
        if isinstance(value, dict) and (NESTED.fullmatch(key) or "model_type" in value):
            yield from nested_configs(value)


def _accepted(entries: dict[str, Any]) -> Any:
    """Return the accepted entries of one JSON object; labels are numbered by digits."""
    if entries.keys() == {"__float__"}:  # how transformers writes an infinite number
        return float(entries["__float__"])
    return {
        key: value
        for key, value in entries.items()
        if key in FREE or key.isdigit() or not (key.startswith("_") or _has_address(value))
    }


def _has_address(value: Any) -> bool:
    words = value if isinstance(value, list) else [value]
    return any(isinstance(word, str) and ADDRESS.search(word) for word in words)


def read_json(path: Path, hook: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """Return the JSON object of a file, each object in it replaced by its hook's result.

    Raises:
        ModelUnavailable: the file cannot be read or has no JSON object.
    """
    try:
        return {**json.loads(path.read_bytes(), object_hook=hook)}  # a TypeError if it is something else
    except (OSError, ValueError, RecursionError, TypeError) as error:
        raise ModelUnavailable(f"The model's {path.name} cannot be read, or is not a JSON object.") from error


def count_numbers(path: Path) -> int:
    """Return how many numbers a safetensors file holds; raise ModelUnavailable if it is damaged."""
    try:
        with safe_open(path, "np") as file:
            return sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable("The model's weights are damaged or not a safetensors file.") from error


def check_hash(path: Path, expected: str) -> None:
    """Raise ModelUnavailable unless the file has this SHA-256; both hashes are logged."""
    digest = file_hash(path)
    if digest != expected:
        log.warning("%s has SHA-256 %s instead of %s", path, digest, expected)
        raise ModelUnavailable(
            "The model's weights are not the published ones. They are not loaded; install the package again."
        )


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, computed once as long as its size and time stay the same."""
    status = path.stat()
    return _file_hash(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _file_hash(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
HUB_ID = re.compile(rf"(?!.*(?:--|\.\.))(?P<id>{NAME}/{NAME})(?:@(?P<commit>[0-9a-f]{{40}}))?")
PATTERNS = [*FILES, WHOLE, "model-*-of-*.safetensors"]  # the files of a snapshot
REFUSED = (
    "There is no such model: a model of the hub is asked for as org/name, or org/name@commit with the 40 "
    "digits of a commit, and it has to be public."
)
NO_ANSWER = (
    "The model cannot be fetched: the hub of models did not answer as it should, or the folder for models "
    "(~/.cache/huggingface, or what HF_HOME names) is full or may not be written to. Try again later."
)


def is_hub_id(name: str) -> bool:
    """Return whether this may be the id of a model on the hub, perhaps with a commit.

    >>> is_hub_id("org/name"), is_hub_id("../name"), is_hub_id("minilm")
    (True, False, False)
    """
    return HUB_ID.fullmatch(name) is not None


def divided(name: str) -> tuple[str, str | None]:
    """Return the id and the commit, if any, of ``org/name@commit``.

    Raises:
        UnknownModel: it is not of this form; the message is the same for every id that is refused.
    """
    match = HUB_ID.fullmatch(name)
    if match is None:
        raise UnknownModel(REFUSED)
    return match["id"], match["commit"]


def fetch(name: str, *, endpoint: str | None = None, cache: Path | None = None) -> Path:
    """Return the folder of a model's snapshot, downloaded if it is not in the cache.

    ``name`` is ``org/name``, for the newest commit, or ``org/name@commit``. The folder is named by the commit. Messages
    have no paths, addresses or words of the library. The content of the files is inspected when they are loaded.

    Raises:
        UnknownModel: the id has another form, or the hub has no public model of this id and commit.
        ModelUnavailable: the hub does not answer, or the model is refused: too large, no safetensors, code of its own.
    """
    model_id, revision = divided(name)
    prepare_environment()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    options: dict[str, Any] = {"cache_dir": cache, "endpoint": endpoint, "token": False}
    try:
        patterns = [*PATTERNS, ADAPTER]
        listing = snapshot_download(model_id, revision=revision, allow_patterns=patterns, dry_run=True, **options)
        sizes = {file.filename: file.file_size for file in listing}
        options["revision"] = listing[0].commit_hash
        if sizes.pop(ADAPTER, math.inf) <= FILES["config.json"] and "config.json" not in sizes:
            check_adapter(Path(snapshot_download(model_id, allow_patterns=[ADAPTER], **options)) / ADAPTER)
        weights = check_sizes(sizes)
        for names in (["config.json"], [*FILES, *weights]):
            folder = Path(snapshot_download(model_id, allow_patterns=names, **options))
            read_config(folder / "config.json")  # before the weights are downloaded
    except ModelError:
        raise
    except Exception as error:  # the library has a class for each failure of a connection
        absent = RepositoryNotFoundError, RevisionNotFoundError
        if isinstance(error, absent) or isinstance(error.__cause__, absent):
            raise UnknownModel(REFUSED) from error
        raise ModelUnavailable(NO_ANSWER) from error
    return folder


def cached_folder(name: str, *, cache: Path | None = None) -> Path | None:
    """Return the folder of a model that was fetched whole before, or None; without a network.

    ``name`` is ``org/name``, for the newest commit when the hub was asked last, or ``org/name@commit``.

    Raises:
        UnknownModel: the id has another form.
    """
    model_id, revision = divided(name)
    prepare_environment()
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            model_id, revision=revision, cache_dir=cache, allow_patterns=PATTERNS, local_files_only=True, token=False
        )
        return weight_files(Path(folder))[0].parent
    except (OSError, ValueError, ModelUnavailable):  # not there, incomplete, or not readable
        return None
