"""SmolLM2 as a snapshot that loads in seconds: its GGUF file checked, converted once, kept in the user's cache."""

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import WHOLE, check_hash, file_hash, refusing
from mha.models.files.smollm2 import GGUF_SHA256, MISSING, cache_directory, gguf_file

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
