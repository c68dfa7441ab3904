"""A GGUF file as a snapshot that loads in seconds: checked, converted once, kept in the user's cache."""

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
from mha.models.files.inspection import WHOLE, check_config, check_hash, check_total, file_hash, refusing
from mha.models.files.smollm2 import CACHE, COMMAND, CONVERTERS, GGUF_SHA256, MISSING, cache_directory, gguf_file

MAGIC = b"GGUF"
EXACT = ("F32", "F16", "BF16")  # kinds of numbers that are not rounded to fewer bits


def inspect_gguf(path: Path) -> tuple[str, int, str]:
    """Return architecture, count of numbers and rounding of a GGUF file: "llama", 134515008, "Q4_1 and Q8_0".

    Raises:
        ModelUnavailable: the file is not GGUF, is cut off or too large, or the libraries are missing.
    """
    with refusing(f"{path.name} cannot be read", names_kind=True), path.open("rb") as file:
        begins = file.read(len(MAGIC))
    if begins != MAGIC:
        raise ModelUnavailable(f"{path.name} is not a GGUF file: it does not begin with the letters GGUF.")
    if not all(map(find_spec, CONVERTERS)):
        raise ModelUnavailable(f"A GGUF file needs two libraries: {COMMAND.partition(' &&')[0]}")
    with refusing(f"{path.name} is damaged or cut off, its header does not fit the file", names_kind=True):
        reader = _reader(path)
        n_numbers = sum(int(tensor.n_elements) for tensor in reader.tensors)
        architecture = str(reader.fields["general.architecture"].contents())
    check_total(4 * n_numbers)  # they become float32
    kinds = sorted({tensor.tensor_type.name for tensor in reader.tensors} - {*EXACT})
    return architecture, n_numbers, " and ".join(kinds)


def _reader(path: Path) -> Any:
    from gguf import GGUFReader

    class BoundedReader(GGUFReader):
        """A reader that stops if the header names more than the file has, instead of an endless loop at its end."""

        def _get(self, offset: int, dtype: Any, count: int = 1, override_order: Any = None) -> Any:
            numbers = super()._get(offset, dtype, count, override_order)
            if len(numbers) < count:
                raise ValueError("the file ends")
            return numbers

    return BoundedReader(path)


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


def find_snapshot(name: str = SNAPSHOT) -> Path | None:
    """Return the folder of a converted snapshot if its files are undamaged, or None."""
    try:
        folder = cache_directory() / name
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


def snapshot_of(path: Path, report: Report = lambda step, share: None) -> Path:
    """Return the folder of the snapshot of any GGUF file, converted now if it is missing.

    Raises:
        ModelUnavailable: the file does not exist; its header, architecture, config or weights are refused; or no
        snapshot
            can be written.
    """
    if not path.is_file():
        raise ModelUnavailable(f"There is no file {path.name}.")
    folder = convert(report, path)
    if not isinstance(folder, Path):
        raise ModelUnavailable(f"No snapshot of {path.name} can be written. {CACHE} names the directory for snapshots.")
    return folder


def convert(report: Report = lambda step, share: None, path: Path | None = None) -> Path | tuple[Any, Any]:
    """Return the folder of the snapshot, converted now if it is missing; other processes wait for it.

    ``path`` is a GGUF file, by default SmolLM2's. If no snapshot can be written, model and tokenizer are returned, and
    each process converts them for itself.

    Raises:
        ModelUnavailable: the weights are not installed or not the published ones, or the libraries cannot read them.
    """
    name = SNAPSHOT if path is None else f"{path.stem[:80]}-{file_hash(path)[:12]}-{FORMAT}"
    folder = find_snapshot(name)
    if folder is not None:
        return folder
    source = gguf_file() if path is None else path
    if source is None:
        raise ModelUnavailable(MISSING)
    prepare_environment()
    from huggingface_hub.utils import WeakFileLock

    report(STEPS[0], 0.0)
    try:
        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        with WeakFileLock(directory / f"{name}.lock"):
            return find_snapshot(name) or _write(directory / name, *_read(source, report), report)
    except OSError as error:
        log.warning("%s stays in memory, for its snapshot cannot be written: %s", path or "SmolLM2", error)
        return _read(source, report)


def _read(source: Path, report: Report) -> tuple[Any, Any]:
    """Return model (float32, evaluation mode) and tokenizer of a GGUF file."""
    name, rounding = "SmolLM2", ""
    model_class: Any = None
    config = None
    if source == gguf_file():
        check_hash(source, GGUF_SHA256)
    else:
        name, (model_class, config, rounding) = source.name, _inspected(source)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options: dict[str, Any] = {"gguf_file": source.name} | LOCAL
    with refusing(f"{name}'s weights cannot be converted here", names_kind=True):
        report(STEPS[1], 0.02)
        tokenizer = AutoTokenizer.from_pretrained(source.parent, **options)
        report(STEPS[2], 0.35)
        options |= {"dtype": torch.float32, "output_loading_info": True}
        options |= {"config": config} if config is not None else {}
        reader: Any = model_class or AutoModelForCausalLM
        model, loaded = reader.from_pretrained(source.parent, **options)
    if loaded["missing_keys"]:
        raise ModelUnavailable(f"Some weights of the model are missing in {source.name}; it is not loaded.")
    model.hf_quantizer = None  # the weights are plain float32 numbers now
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    if rounding:
        model.config.rounding = rounding  # for a note on the model
    return model.eval(), tokenizer


def _inspected(source: Path) -> tuple[Any, Any, str]:
    """Return model class, config and rounding of an operator's GGUF file, without allocating its weights."""
    architecture, n_numbers, rounding = inspect_gguf(source)
    from transformers import AutoConfig
    from transformers.models.auto import modeling_auto

    from mha.models.files.snapshot import check_parameters

    with refusing(f"transformers reads no GGUF file of the architecture {architecture[:40]!a}", names_kind=True):
        config = AutoConfig.from_pretrained(source.parent, gguf_file=source.name, **LOCAL)
        if hasattr(config, "n_ctx"):  # transformers 5.23 reads the context length of GPT-2 so
            config.n_positions = config.n_ctx
        check_config(config.to_dict(), source.name)
        writers = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING, modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
        model_class = writers[config.is_encoder_decoder][type(config)]
    with refusing(f"The sizes that {source.name} names and its weights do not fit each other", names_kind=True):
        check_parameters(model_class, config, n_numbers)
    return model_class, config, rounding


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
