"""What must be set before torch and the tokenizers are imported."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from mha.errors import ModelUnavailable

DEVICE = "PARALLAX_DEVICE"  # "cpu" (if not said), "auto", "cuda" or "mps"
MAX_THREADS = 4  # a sentence is too little work for more

ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",  # spinning threads on two busy cores: 247 ms a forward; passive ones 14.5 ms
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",  # else loading may ask the hub for a converted copy
}


# Of glibc's allocator: left to itself it keeps 200 MB of freed arrays after sixty long texts.
ALLOCATOR = {-3: 256 * 1024, -1: 4 * 1024 * 1024, -8: 4}  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_ARENA_MAX


def give_memory_back() -> None:
    """Let freed arrays go back to the system at once, where the C library can be told so and nobody has told it."""
    if sys.platform == "linux" and not any(name.startswith("MALLOC_") for name in os.environ):
        mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None)
        for parameter, value in ALLOCATOR.items() if mallopt is not None else ():
            mallopt(parameter, value)


def trim() -> None:
    """Give back the free pages between what is in use, where the C library can; a few milliseconds."""
    malloc_trim: Any = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if malloc_trim is not None:
        malloc_trim(0)


def prepare_environment() -> None:
    """Set the environment, unless torch is loaded already; what the host has set stays."""
    if "torch" in sys.modules:
        return
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("OMP_NUM_THREADS", str(min(cores(), MAX_THREADS)))


def device() -> str:
    """Return where models run, as `PARALLAX_DEVICE` has it: "auto" is CUDA or MPS where there is one.

    Raises:
        ModelUnavailable: it names something else, or what is not there.
    """
    wanted = os.environ.get(DEVICE, "cpu").strip().lower() or "cpu"
    if wanted == "cpu":
        return wanted
    import torch

    there = [name for name, has in (("cuda", torch.cuda), ("mps", torch.backends.mps)) if has.is_available()]
    if wanted == "auto":
        return (*there, "cpu")[0]
    if wanted not in ("cuda", "mps"):
        raise ModelUnavailable(f"{DEVICE} is cpu, auto, cuda or mps; it says {wanted[:20]!r}.")
    if wanted not in there:
        raise ModelUnavailable(f"{DEVICE} asks for {wanted}, which is not there. Set it to auto, or leave it out.")
    return wanted


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
