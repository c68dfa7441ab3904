"""While a model loads for somebody who waits at a prompt or a notebook: one line says what is loaded, then it goes."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mha.models.files.environment import prepare_environment

LIBRARIES = {"torch": "PyTorch", "transformers": "transformers"}


def at_a_prompt() -> bool:
    """Return whether somebody types what runs: in a notebook or at a Python prompt, not in a script or a server."""
    shell = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or (shell is not None and shell.get_ipython() is not None)


@contextmanager
def told(name: str) -> Iterator[None]:
    """Say what is loaded of a model, libraries first, with the seconds it takes so far; nothing in a script."""
    if not at_a_prompt():
        yield
        return
    from tqdm import tqdm

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")  # what is below asks for widgets it can miss
        importlib.import_module("tqdm.auto")
    form = "{desc} ({n} of {total} loaded, {elapsed})"
    with tqdm(total=len(LIBRARIES) + 1, bar_format=form, leave=False, file=sys.stdout) as line:
        prepare_environment()  # before PyTorch is there
        for library, called in LIBRARIES.items():
            line.set_description_str(f"Loading {called}")
            importlib.import_module(library)
            line.update()
        line.set_description_str(f"Loading the weights of {name}")
        yield
