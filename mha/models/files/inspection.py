"""Untrusted files of a model, checked before a library acts on them.

A config can name code, kernels or other files, or ask for 100,000 layers. Only numbers and plain words of it reach a
library, sizes are bounded, and a refusal is one sentence.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from mha.errors import ModelUnavailable

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
SHARD = re.compile(r"model-[0-9]{5}-of-[0-9]{5}\.safetensors")
MOST_SHARDS = 64
MAX_CONFIG_BYTES, MAX_INDEX_BYTES = 2**20, 2**24
FILES = {  # all files of a snapshot but its weights, with the most bytes that are read
    "config.json": MAX_CONFIG_BYTES,
    "tokenizer_config.json": MAX_CONFIG_BYTES,
    "special_tokens_map.json": MAX_CONFIG_BYTES,
    "generation_config.json": MAX_CONFIG_BYTES,
    "tokenizer.json": 2**26,
    INDEX: MAX_INDEX_BYTES,
}
NEEDED = ("config.json", "tokenizer.json")
ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")
MOST_GB, USUAL_GB = "PARALLAX_MAX_GB", 2.0  # of a model's weights; the operator sets it

# Accepted in a config: numbers, truths and words, under any name; in the fields here, anything.
FREE = ("id2label", "label2id", "architectures", "model_type")
ADDRESS = re.compile(r"[/\\.:@]")  # a word with one of these may name a file, a module, a kernel or a repository
PARTS = ("encoder", "decoder", "generator")  # nested configs whose key does not end in "_config"
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
DTYPES = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "U8", "BOOL"}
DAMAGED = "The model's weights are damaged or not a safetensors file."

_hashes: dict[tuple[str, int, int], str] = {}


def inspect_snapshot(folder: Path) -> tuple[dict[str, Any], int]:
    """Return the accepted config of a snapshot folder, and how many numbers its weights hold; every file is checked.

    Raises:
        ModelUnavailable: a file is missing, too large or damaged, the config is refused, or there is an adapter.
    """
    for name in NEEDED:
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    for name in ADAPTER_FILES:
        if (folder / name).exists():
            raise ModelUnavailable(f"The model has an adapter ({name}), which is not accepted here.")
    for name, most in FILES.items():
        if (folder / name).exists() and (folder / name).stat().st_size > most:
            raise ModelUnavailable(f"The model's {name} is larger than this program reads.")
    files = weight_files(folder)
    check_total([file.stat().st_size for file in files])
    return read_config(folder / "config.json"), sum(map(count_numbers, files))


def read_config(path: Path) -> dict[str, Any]:
    """Return the accepted entries of a model's config: none of them names a file, a module or a way to compute.

    Private keys and words that could be an address are dropped; of ``auto_map`` the bare key stays. Sizes are checked
    in the config and in the configs inside it.

    Raises:
        ModelUnavailable: it cannot be read, a size is out of bounds, or the weights are quantised.
    """
    config = read_json(path, MAX_CONFIG_BYTES, _accepted)
    for part in nested_configs(config):
        if part.get("quantization_config"):
            raise ModelUnavailable("The model's config says that its weights are quantised, which is not read here.")
        for key, value in part.items():
            numbers = [
                number for number in (value if isinstance(value, list) else [value]) if type(number) in (int, float)
            ]
            most = next((most for end, most in LIMITS.items() if re.search(rf"(^|_)({end})$", key.lower())), math.inf)
            if not all(abs(number) <= most for number in numbers):  # a NaN is refused, too
                raise ModelUnavailable(f"The model's {path.name} sets {key[:60]!r} beyond what is accepted here.")
    return config


def nested_configs(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a config and the configs of the models inside it."""
    yield config
    for key, value in config.items():
        if isinstance(value, dict) and (key.endswith("_config") or key in PARTS or "model_type" in value):
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


def read_json(path: Path, most: int, hook: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """Return a JSON object from a file of at most so many bytes, each object in it replaced by its hook's result.

    Raises:
        ModelUnavailable: the file is too large or has no JSON object.
    """
    try:
        content = json.loads(path.read_bytes(), object_hook=hook) if path.stat().st_size <= most else None
    except (OSError, ValueError, RecursionError, TypeError) as error:
        raise ModelUnavailable(f"The model's {path.name} cannot be read.") from error
    if not isinstance(content, dict):
        raise ModelUnavailable(f"The model's {path.name} cannot be read: it is too large, or not a JSON object.")
    return content


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that hold a snapshot's weights.

    Raises:
        ModelUnavailable: one is missing, or the index cannot be read or lists something else.
    """
    names = [WHOLE]
    if not (folder / WHOLE).is_file() and (folder / INDEX).is_file():
        parts = read_json(folder / INDEX, MAX_INDEX_BYTES).get("weight_map")
        names = sorted(set(map(str, parts.values()))) if isinstance(parts, dict) else []
        if not 1 <= len(names) <= MOST_SHARDS or not all(map(SHARD.fullmatch, names)):
            raise ModelUnavailable(f"The model's {INDEX} does not list its parts as it should.")
    for name in names:
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    return tuple(folder / name for name in names)


def count_numbers(path: Path) -> int:
    """Return how many numbers a safetensors file holds; raise ModelUnavailable if it is damaged or of another type."""
    try:
        with safe_open(path, "np") as file:
            tensors = [file.get_slice(name) for name in file.keys()]  # noqa: SIM118
            refused = {tensor.get_dtype() for tensor in tensors} - DTYPES
            count = sum(math.prod(tensor.get_shape()) for tensor in tensors)
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable(DAMAGED) from error
    if refused or not count:
        reason = f"The model's weights are of a type that is not read here: {min(refused)}." if refused else DAMAGED
        raise ModelUnavailable(reason)
    return count


def most_bytes() -> int:
    """Return how many bytes of weights are read: `PARALLAX_MAX_GB`, or 2 GB if it is not a number above 0."""
    try:
        gigabytes = float(os.environ.get(MOST_GB, USUAL_GB))
    except ValueError:
        gigabytes = USUAL_GB
    return int((gigabytes if math.isfinite(gigabytes) and gigabytes > 0 else USUAL_GB) * 2**30)


def check_total(sizes: Collection[int]) -> None:
    """Raise ModelUnavailable if files of these sizes are more than is read."""
    if sum(sizes) > most_bytes():
        raise ModelUnavailable(
            f"The model's weights take {sum(sizes) / 2**30:.1f} GB; this program reads {most_bytes() / 2**30:g} GB. "
            f"Whoever runs it can allow more: {MOST_GB}."
        )


def check_hash(path: Path, expected: str) -> None:
    """Raise ModelUnavailable unless the file has this SHA-256; the hash of an unchanged file is computed once."""
    status = path.stat()
    known = (str(path), status.st_size, status.st_mtime_ns)
    if known not in _hashes:
        with path.open("rb") as file:
            _hashes[known] = hashlib.file_digest(file, "sha256").hexdigest()
    if _hashes[known] != expected:
        raise ModelUnavailable(
            f"The model's weights are not the published ones: SHA-256 {_hashes[known][:12]}… instead of "
            f"{expected[:12]}…. They are not loaded; install the package again."
        )
