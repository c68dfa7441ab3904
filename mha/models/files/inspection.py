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

from mha.errors import ModelUnavailable

MAX_CONFIG_BYTES = 2**20
MAX_HEADER_BYTES = 2**24
MAX_TOKENIZER_BYTES = 2**26
MAX_INDEX_BYTES = 2**24
WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
SHARD = re.compile(r"model-[0-9]{5}-of-[0-9]{5}\.safetensors")
SHARDS = "model-*-of-*.safetensors"  # the same for those who fetch
MOST_SHARDS = 64
MOST_GB = "PARALLAX_MAX_GB"  # of a model's weights; for whoever runs the program
USUAL_GB = 2.0

# What of a config is accepted: numbers, truths and words, under any name; of the fields here, anything.
FREE = ("id2label", "label2id", "architectures", "model_type")
ADDRESS = re.compile(r"[/\\.:@]")  # a word with one of these may name a file, a module, a kernel or a repository
ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")
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
NUMBER = (int, float)

_hashes: dict[tuple[str, int, int], str] = {}


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
            numbers = [number for number in (value if isinstance(value, list) else [value]) if type(number) in NUMBER]
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


def check_weights(path: Path, most: int = 2 * 2**30) -> int:
    """Return how many numbers a safetensors file of at most so many bytes holds.

    Raises:
        ModelUnavailable: it is not a safetensors file, is damaged, or is larger than this program loads.
    """
    from safetensors import SafetensorError, safe_open

    try:
        if path.stat().st_size > most:
            raise ModelUnavailable(f"The model's weights are larger than this program loads ({most / 2**30:g} GB).")
        with safe_open(path, "np") as file:
            tensors = [file.get_slice(name) for name in file.keys()]  # noqa: SIM118
            strange = {tensor.get_dtype() for tensor in tensors} - DTYPES
            count = sum(math.prod(tensor.get_shape()) for tensor in tensors)
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable("The model's weights are damaged or not a safetensors file.") from error
    if strange:
        raise ModelUnavailable(f"The model's weights are of a type that is not read here: {min(strange)}.")
    if not count:
        raise ModelUnavailable("The model's weights are damaged or not a safetensors file.")
    return count


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


def check_folder(folder: Path) -> None:
    """Raise ModelUnavailable unless the folder holds a snapshot without an adapter; `check_all_weights` does more."""
    for name in ("config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    for name in ADAPTER_FILES:
        if (folder / name).exists():
            raise ModelUnavailable(f"The model has an adapter ({name}), which is not accepted here.")
    for name, most in (("tokenizer.json", MAX_TOKENIZER_BYTES), ("tokenizer_config.json", MAX_CONFIG_BYTES)):
        if (folder / name).exists() and (folder / name).stat().st_size > most:
            raise ModelUnavailable(f"The model's {name} is larger than this program reads.")


def read_json(path: Path, most: int, hook: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """Return a JSON object from a file of at most so many bytes, each object in it replaced by its hook's result.

    Raises:
        ModelUnavailable: the file is too large or has no JSON object.
    """
    try:
        if path.stat().st_size > most:
            raise ModelUnavailable(f"The model's {path.name} is larger than this program reads.")
        content = json.loads(path.read_bytes(), object_hook=hook)
    except (OSError, ValueError, RecursionError, TypeError) as error:
        raise ModelUnavailable(f"The model's {path.name} cannot be read.") from error
    if not isinstance(content, dict):
        raise ModelUnavailable(f"The model's {path.name} cannot be read.")
    return content


def most_bytes() -> int:
    """Return how many bytes of weights are read, as `PARALLAX_MAX_GB` has it; 2 GB where it says nothing sensible."""
    try:
        gigabytes = float(os.environ.get(MOST_GB, USUAL_GB))
    except ValueError:
        gigabytes = USUAL_GB
    return int((gigabytes if math.isfinite(gigabytes) and gigabytes > 0 else USUAL_GB) * 2**30)


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that hold a snapshot's weights.

    Raises:
        ModelUnavailable: there are none, the index cannot be read, or lists what is no part or is not there.
    """
    if (folder / WHOLE).is_file():
        return (folder / WHOLE,)
    if not (folder / INDEX).is_file():
        raise ModelUnavailable(f"The model's {WHOLE} is missing.")
    listed = read_json(folder / INDEX, MAX_INDEX_BYTES).get("weight_map")
    parts = list(listed.values()) if isinstance(listed, dict) else []
    names = sorted(set(parts)) if all(isinstance(part, str) for part in parts) else []
    if not 1 <= len(names) <= MOST_SHARDS or not all(SHARD.fullmatch(name) for name in names):
        raise ModelUnavailable(f"The model's {INDEX} does not list its parts as it should.")
    for name in names:
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    return tuple(folder / name for name in names)


def check_all_weights(folder: Path) -> int:
    """Return how many numbers a snapshot's weights hold, every file's header checked.

    Raises:
        ModelUnavailable: as `weight_files` and `check_weights`, or they are too large together.
    """
    files = weight_files(folder)
    check_total([file.stat().st_size for file in files])
    return sum(check_weights(file, most_bytes()) for file in files)


def check_total(sizes: Collection[int]) -> None:
    """Raise ModelUnavailable if files of these sizes are more than is read."""
    if sum(sizes) > most_bytes():
        raise ModelUnavailable(
            f"The model's weights take {sum(sizes) / 2**30:.1f} GB; this program reads {most_bytes() / 2**30:g} GB. "
            f"Whoever runs it can allow more: {MOST_GB}."
        )
