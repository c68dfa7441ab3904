"""The header of a GGUF file, checked before a library reads the file or allocates memory for its weights."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mha.errors import ModelUnavailable
from mha.models.files.inspection import check_total, refusing
from mha.models.files.smollm2 import COMMAND, CONVERTERS

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
