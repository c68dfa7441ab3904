"""SmolLM2's GGUF file as a snapshot that loads in seconds: converted once, kept in the user's cache, checked by hash.

transformers reads a GGUF file in about 20 seconds and dequantises it to float32. The snapshot (config, tokenizer,
weights as safetensors) appears under its final name by one rename, so that no process ever sees half of it; a lock
lets a second process wait for the first. A snapshot whose files have other hashes than ``sums.json`` lists is
converted again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import check_hash
from mha.models.files.smollm2 import GGUF_SHA256, cache_directory, installed_gguf

FORMAT = 1  # counts up when the files of a snapshot change their meaning
SNAPSHOT = f"smollm2-{GGUF_SHA256[:12]}-{FORMAT}"
SUMS = "sums.json"
STEPS = ("Checking the file", "Reading the tokenizer", "Reading the weights", "Writing the snapshot")

IN_MEMORY = "SmolLM2 stays in memory, for its snapshot cannot be kept: %s"
Report = Callable[[str, float], None]  # the step, and the finished share of all steps between 0 and 1

log = logging.getLogger(__name__)


def find_snapshot() -> Path | None:
    """Return the folder of the converted snapshot if its files are undamaged, or None."""
    try:
        folder = cache_directory() / SNAPSHOT
        for name, digest in json.loads((folder / SUMS).read_bytes()).items():
            check_hash(folder / name, digest)
    except (OSError, ValueError, AttributeError, ModelUnavailable):
        return None
    return folder


def convert(report: Report = lambda step, share: None) -> Path | tuple[Any, Any]:
    """Return the folder of the snapshot, converted now if it is missing; without a writable cache, model and tokenizer.

    Raises:
        ModelUnavailable: the weights are not installed, are not the published ones, or the libraries cannot read them.
    """
    folder = find_snapshot()
    if folder is not None:
        return folder
    source = installed_gguf()
    with _locked() as cache:
        folder = find_snapshot() if cache is not None else None  # another process may have converted meanwhile
        if folder is not None:
            return folder
        model, tokenizer = _read(source, report)
        if cache is not None:
            try:
                return _write(cache, model, tokenizer, report)
            except OSError as error:
                log.warning(IN_MEMORY, error)
    return model, tokenizer


def _read(source: Path, report: Report) -> tuple[Any, Any]:
    """Return model (float32, evaluation mode) and tokenizer of the GGUF file."""
    report(STEPS[0], 0.0)
    check_hash(source, GGUF_SHA256)
    prepare_environment()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    wanted: dict[str, Any] = {"gguf_file": source.name, "local_files_only": True, "trust_remote_code": False}
    try:
        report(STEPS[1], 0.02)
        tokenizer = AutoTokenizer.from_pretrained(source.parent, **wanted)
        report(STEPS[2], 0.35)
        with _counted_tensors(lambda share: report(STEPS[2], 0.8 + 0.15 * share)):
            model: Any = AutoModelForCausalLM.from_pretrained(source.parent, dtype=torch.float32, **wanted)
    except Exception as error:  # whatever the libraries raise, the visitor can do the same about it
        raise ModelUnavailable(f"SmolLM2's weights cannot be converted here: {type(error).__name__}.") from error
    model.hf_quantizer = None  # the weights are plain float32 numbers now
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    return model.eval(), tokenizer


def _write(cache: Path, model: Any, tokenizer: Any, report: Report) -> Path:
    """Return the folder of the snapshot after it replaced what had its name; raise OSError if it cannot be written."""
    from mha.models.files.snapshot import without_progress_bar

    report(STEPS[3], 0.95)
    for leftover in cache.glob(f"{SNAPSHOT}-*"):  # of processes that were killed while they wrote
        shutil.rmtree(leftover, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(prefix=f"{SNAPSHOT}-", dir=cache))
    try:
        with without_progress_bar():
            model.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        sums = {}
        for file in sorted(draft.iterdir()):
            with file.open("rb") as content:
                sums[file.name] = hashlib.file_digest(content, "sha256").hexdigest()
            file.chmod(0o644)  # another user may run the program
        draft.chmod(0o755)
        (draft / SUMS).write_text(json.dumps(sums), encoding="utf-8")
        if (cache / SNAPSHOT).exists():
            (cache / SNAPSHOT).rename(Path(tempfile.mkdtemp(prefix=f"{SNAPSHOT}-", dir=cache)) / "damaged")
        draft.rename(cache / SNAPSHOT)
    except Exception as error:  # safetensors has an error of its own for a full disk
        raise OSError(str(error)) from error
    finally:
        for leftover in cache.glob(f"{SNAPSHOT}-*"):
            shutil.rmtree(leftover, ignore_errors=True)
    report(STEPS[3], 1.0)
    return cache / SNAPSHOT


@contextlib.contextmanager
def _locked() -> Iterator[Path | None]:
    """Yield the cache directory while no other process converts, or None if nothing can be written there."""
    from filelock import FileLock

    try:
        cache = cache_directory()
        cache.mkdir(parents=True, exist_ok=True)
        lock = FileLock(cache / f"{SNAPSHOT}.lock")
        lock.acquire()
    except OSError as error:
        log.warning(IN_MEMORY, error)
        yield None
        return
    try:
        yield cache
    finally:
        lock.release()


@contextlib.contextmanager
def _counted_tensors(report: Callable[[float], None]) -> Iterator[None]:
    """Report the share of converted tensors instead of the progress bar that transformers prints."""
    from transformers import modeling_gguf_pytorch_utils as library

    from mha.models.files.snapshot import without_progress_bar

    def count(tensors: Iterable[Any], **_: Any) -> Iterator[Any]:
        tensors = list(tensors)
        for number, tensor in enumerate(tensors, 1):
            yield tensor
            report(number / len(tensors))

    bar, library.tqdm = library.tqdm, count
    try:
        with without_progress_bar():
            yield
    finally:
        library.tqdm = bar
