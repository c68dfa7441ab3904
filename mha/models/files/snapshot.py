"""The library calls that load an inspected snapshot folder, without a network and without the folder's own code.

A model that comes with the program is then made cheap: the weights of its linear layers are laid out once for this
processor, and a pass over nine words takes a third less time. What a layer computes with its packed weights is what it
computes without, but for the order of float32 sums. The weights stay where they are, for everything that reads or
changes them; a layer whose weights were changed, moved or copied works with those.

For each count of rows oneDNN writes programs of its own and keeps them, 1.6 MB for the layers of MiniLM; half of that
is in no cache that it can be told to bound. So packed weights are for short texts, which gain most by them.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from mha.errors import ModelUnavailable
from mha.models.imported import (
    CONFIG_MAPPING,
    AutoModel,
    AutoTokenizer,
    PreTrainedModel,
    logging,
    transformers,
)

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
NO_SETTINGS = ("auto_map", "quantization_config")
NO_SCALING = ("rope_scaling", None)  # transformers warns of it where the architecture has no rotations
OF_A_LAYER = re.compile(r"\.\d+\.")
SPARE = 1.1  # a model may tie weights that its file holds once, but may not be much larger than its file
MOST = 64 * 2**20  # bytes of weights that are packed: they stand in memory twice
DONTNEED = 4  # of madvise(2): what stands in a file is read from it again when it is asked for
MOST_ROWS = 32  # of one pass: a fifth less time; of 64 there is no difference


def model_from(folder: Path, config: dict[str, Any], held: int) -> PreTrainedModel:
    """Return the model in evaluation mode; ``held`` is how many numbers its file holds.

    Raises:
        ModelUnavailable: the architecture is unknown, or model and weights do not fit each other.
    """
    named = config.get("model_type")
    if not isinstance(named, str) or named not in CONFIG_MAPPING:
        raise ModelUnavailable("The model's config names no architecture that the installed transformers knows.")
    own_code = "auto_map" in config
    try:
        settings = CONFIG_MAPPING[named].from_dict(
            {key: value for key, value in config.items() if key not in NO_SETTINGS and (key, value) != NO_SCALING}
        )
        settings._attn_implementation = settings._experts_implementation = None  # transformers' defaults
        model_class = _class_of(config)
        _check_size(model_class, settings, held)
        with without_progress_bar():
            model, report = model_class.from_pretrained(
                folder, config=settings, use_safetensors=True, output_loading_info=True, **LOCAL
            )
    except ModelUnavailable:
        raise
    except Exception as error:  # whatever the library makes of a bad config is the model's fault, not the reader's
        raise ModelUnavailable("The model's config and weights do not fit each other; it is not loaded.") from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise ModelUnavailable("Some of the model's weights are missing from its file; it is not loaded.")
    if own_code and any(OF_A_LAYER.search(key) for key in report["unexpected_keys"]):
        raise ModelUnavailable("The model needs code of its own: transformers ignores some weights of its layers.")
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise ModelUnavailable("Some of the model's weights are infinite or not numbers (NaN); it is not loaded.")
    return model.eval()


def tokenizer_from(folder: Path, config: Any = None) -> Any:
    """Return the snapshot's fast tokenizer; `config` is that of its model, which is read from the folder otherwise."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, config=config, use_fast=True, **LOCAL)
    except Exception as error:
        raise ModelUnavailable("The model's tokenizer cannot be read.") from error
    if not tokenizer.is_fast:
        raise ModelUnavailable("The model's tokenizer does not give the characters of each token.")
    most = tokenizer.model_max_length
    if not isinstance(most, int | float) or not most >= 1:
        raise ModelUnavailable(f"The model's tokenizer reads at most {str(most)[:40]!r} tokens, which is not a number.")
    tokenizer.truncation_side = "right"  # what is too long is read from its beginning, as the notes say
    return tokenizer


@contextmanager
def without_progress_bar() -> Iterator[None]:
    """Let transformers print no progress bar inside the block."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _class_of(config: dict[str, Any]) -> Any:
    """Return the class that the weights were saved from, if transformers has it, so that no head is missing."""
    named = config.get("architectures") or [""]
    found = getattr(transformers, str(named[0]), None)
    right = isinstance(found, type) and issubclass(found, PreTrainedModel)
    if right and getattr(found, "config_class", None) is CONFIG_MAPPING[config["model_type"]]:
        return found
    return AutoModel


def _check_size(model_class: Any, settings: Any, held: int) -> None:
    with torch.device("meta"):
        empty = AutoModel.from_config(settings) if model_class is AutoModel else model_class(settings)
    wanted = sum(parameter.numel() for parameter in empty.parameters())
    if wanted > SPARE * held:
        raise ModelUnavailable(f"The model's config asks for {wanted:,} numbers; its file holds {held:,}.")


class _Pack:
    """Packed weights, and which weights they are of; a copy of a layer starts without."""

    def __init__(self, weight: torch.Tensor | None = None) -> None:
        self.at = self.version = -1
        if weight is not None:
            self.at, self.version = weight.data_ptr(), weight._version
            self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach())

    def fits(self, weight: torch.Tensor) -> bool:
        return self.at == weight.data_ptr() and self.version == weight._version

    def __deepcopy__(self, _memo: dict[int, Any]) -> _Pack:
        return _Pack()

    def __reduce__(self) -> tuple[type[_Pack], tuple[()]]:
        return _Pack, ()


class PackedLinear(nn.Linear):
    """A linear layer with packed weights beside its own."""

    pack: _Pack

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return ``input`` float [..., in] through the layer, float [..., out]."""
        if (
            torch.is_grad_enabled()
            or not 0 < input.shape[:-1].numel() <= MOST_ROWS
            or input.dtype != torch.float32
            or not self.pack.fits(self.weight)
        ):
            return functional.linear(input, self.weight, self.bias)
        return torch.ops.mkldnn._linear_pointwise(input, self.pack.weight, self.bias, "none", [], "")


def pack(model: nn.Module) -> None:
    """Pack the linear layers of a small model in the processor's memory; leave any other as it is."""
    layers = [layer for layer in model.modules() if type(layer) is nn.Linear]
    weights = [layer.weight for layer in layers]
    whole = all(weight.dtype == torch.float32 and weight.device.type == "cpu" for weight in weights)
    if not whole or sum(weight.nbytes for weight in weights) > MOST or not torch.backends.mkldnn.is_available():
        return
    for layer in layers:
        layer.__class__ = PackedLinear
        layer.__dict__["pack"] = _Pack(layer.weight)  # not what nn.Module keeps as a part


def let_go(file: Path, model: nn.Module) -> int:
    """Give back the pages of a model's file that nobody changed, on Linux; return how many bytes they were.

    They are read again from the system's cache when they are asked for. Only a mapping in which weights of the model
    stand is touched, for the caller holds it: where another ends meanwhile, an array of somebody else may stand by now.
    A mapping with a changed page is left alone.
    """
    held = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    try:
        told = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    given = 0
    for part in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", told):
        where = part.split("\n", 1)[0]
        sizes = {name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB", part, re.MULTILINE)}
        if not where.endswith(f" {file.resolve()}") or sizes.get("Anonymous", 1):
            continue
        start, end = (int(at, 16) for at in where.split()[0].split("-"))
        if not any(start <= at < end for at in held):
            continue
        if ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), DONTNEED) == 0:
            given += sizes.get("Rss", 0) * 1024
    return given
