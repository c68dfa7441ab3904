"""SmolLM2's GGUF file as a snapshot that loads in seconds: converted once, kept in the user's cache, checked by hash.

transformers reads a GGUF file in about 20 seconds and dequantises it to float32. The snapshot (config, tokenizer,
weights as safetensors) appears under its final name by one rename, so that no process ever sees half of it; a lock
lets a second process wait for the first. A snapshot whose files have other hashes than ``sums.json`` lists is
converted again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable
from mha.models.files.environment import prepare_environment
from mha.models.files.inspection import check_hash
from mha.models.files.smollm2 import GGUF_SHA256, cache_directory, installed_gguf

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = 1  # counts up when the files of a snapshot change their meaning
SNAPSHOT = f"smollm2-{GGUF_SHA256[:12]}-{FORMAT}"
SUMS = "sums.json"
ABANDONED = 3600.0  # seconds after which the folder of a process that was killed while it wrote is removed
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
    with ExitStack() as stack:
        cache: Path | None = None
        try:
            directory = cache_directory()
            directory.mkdir(parents=True, exist_ok=True)
            report(STEPS[0], 0.0)
            stack.enter_context(_locked(directory / f"{SNAPSHOT}.lock"))
            cache = directory
        except OSError as error:
            log.warning(IN_MEMORY, error)
        folder = find_snapshot()  # another process may have converted meanwhile
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
    """Return the folder of the snapshot, written now unless another process was faster; raise OSError if it cannot be.

    A damaged snapshot makes room by a rename as well, so that a process which has it open goes on reading it.
    """
    from mha.models.files.snapshot import without_progress_bar

    report(STEPS[3], 0.95)
    draft = Path(tempfile.mkdtemp(prefix=f"{SNAPSHOT}-", dir=cache))
    folder = cache / SNAPSHOT
    try:
        with without_progress_bar():
            model.save_pretrained(draft / "new")
            tokenizer.save_pretrained(draft / "new")
        sums = {}
        for file in sorted((draft / "new").iterdir()):
            with file.open("rb") as content:
                sums[file.name] = hashlib.file_digest(content, "sha256").hexdigest()
            file.chmod(0o644)  # another user may run the program
        (draft / "new" / SUMS).write_text(json.dumps(sums), encoding="utf-8")
        if find_snapshot() is None:
            if folder.exists():
                folder.rename(draft / "damaged")
            (draft / "new").rename(folder)
    except Exception as error:  # safetensors has an error of its own for a full disk
        raise OSError(str(error)) from error
    finally:
        for leftover in (draft, *cache.glob(f"{SNAPSHOT}-*")):
            with suppress(OSError):
                if leftover == draft or time.time() - leftover.stat().st_mtime > ABANDONED:
                    shutil.rmtree(leftover, ignore_errors=True)
    report(STEPS[3], 1.0)
    return folder


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Wait until no other process converts; raise OSError if the file cannot be written.

    A system or a network disk without such locks only converts twice: the later snapshot replaces nothing.
    """
    with file.open("ab") as lock:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
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
