"""Linear layers whose weights are laid out once for this processor: a pass over nine words takes a third less time.

What a layer computes with its packed weights is what it computes without, but for the order of float32 sums. The
weights stay where they are, for everything that reads or changes them; a layer whose weights were changed, moved or
copied works with those.

For each count of rows oneDNN writes programs of its own and keeps them, 1.6 MB for the layers of MiniLM; half of that
is in no cache that it can be told to bound. So packed weights are for short texts, which gain most by them.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

MOST = 64 * 2**20  # bytes of weights that are packed: they stand in memory twice
DONTNEED = 4  # of madvise(2): what stands in a file is read from it again when it is asked for
MOST_ROWS = 32  # of one pass: a fifth less time; of 64 there is no difference


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


def let_go(file: Path) -> int:
    """Give back the pages of a file's mapping that nobody changed, on Linux; return how many bytes they were.

    They are read again from the system's cache when they are asked for. A mapping with a changed page is left alone.
    """
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
        if ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), DONTNEED) == 0:
            given += sizes.get("Rss", 0) * 1024
    return given
