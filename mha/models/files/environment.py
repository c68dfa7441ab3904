"""Settings for torch and the tokenizers before they are imported, the allocator, the device and threads."""

import ctypes
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from mha.errors import ModelUnavailable, NowhereToWrite

DEVICE = "PARALLAX_DEVICE"  # "cpu" (the default), "auto", "cuda" or "mps"
MAX_THREADS = 4  # a sentence is too little work for more

ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",  # spinning threads on two busy cores: 247 ms a forward; passive ones 14.5 ms
    "TOKENIZERS_PARALLELISM": "false",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "160",  # programs for lengths of texts; of 300 lengths the 1,024 take 80 MB
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",  # else loading may ask the hub for a converted copy
}


# Parameters of glibc's allocator, which by default keeps 200 MB of freed arrays after sixty long texts.
MMAP_THRESHOLD, TRIM_THRESHOLD, ARENA_MAX = -3, -1, -8
ALLOCATOR = {MMAP_THRESHOLD: 256 * 1024, TRIM_THRESHOLD: 4 * 1024 * 1024, ARENA_MAX: 4}

_gives_back = False  # whether freed arrays go back to the system


def configure_allocator() -> None:
    """Let freed arrays go back to the system at once, on Linux unless the operator has set ``MALLOC_…`` variables."""
    global _gives_back
    _gives_back = sys.platform == "linux" and not any(name.startswith("MALLOC_") for name in os.environ)
    _set_allocator(ALLOCATOR)


@contextmanager
def used_again(largest: int) -> Iterator[None]:
    """Reuse freed arrays of up to so many bytes inside the block, which costs a survey a third less time.

    Nothing changes unless freed arrays go back to the system (`configure_allocator`). After the block all free
    pages do.
    """
    _set_allocator({MMAP_THRESHOLD: largest + 2**20, TRIM_THRESHOLD: 4 * largest})  # four of the largest arrays stay
    try:
        yield
    finally:
        _set_allocator(ALLOCATOR)
        trim()


def _set_allocator(settings: dict[int, int]) -> None:
    mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None) if _gives_back else None  # musl has none
    for parameter, value in settings.items() if mallopt else ():
        mallopt(parameter, value)


def trim() -> None:
    """Give free pages back to the system if `configure_allocator` was called and the C library is glibc; milliseconds.

    `malloc_trim` leaves the top of other arenas than the main one; freeing a block of more than 64 kB trims this
    thread's.
    """
    library: Any = ctypes.CDLL(None) if _gives_back else None
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
        library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        library.free(library.malloc(128 * 1024))


def prepare_environment() -> None:
    """Set the environment, unless torch is loaded already; the host's own settings stay."""
    if "torch" in sys.modules:
        return
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("OMP_NUM_THREADS", str(min(cores(), MAX_THREADS)))


def check_writable() -> None:
    """Raise NowhereToWrite if PyTorch finds no directory for its cache: an import that fails half-way stays broken."""
    try:
        os.makedirs(os.environ.get("TORCHINDUCTOR_CACHE_DIR") or tempfile.gettempdir(), exist_ok=True)
    except OSError as error:
        raise NowhereToWrite(
            "There is no directory here that may be written to, and PyTorch needs one. As soon as /tmp can be written "
            "to, or the directory that TMPDIR names, this works; nothing has to be started again."
        ) from error


def device() -> str:
    """Return the device that `PARALLAX_DEVICE` names, by default "cpu"; "auto" is CUDA or MPS if one is available.

    Raises:
        ModelUnavailable: it names another device than the available one.
    """
    name = os.environ.get(DEVICE, "").strip().lower() or "cpu"
    if name == "cpu":
        return name
    import torch

    available = str(torch.accelerator.current_accelerator()) if torch.accelerator.is_available() else "cpu"
    if name not in ("auto", available):
        raise ModelUnavailable(f"{DEVICE} is {name[:20]!r}, which is not available. Choose one of: auto, {available}.")
    return available


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_whole = 0  # threads of torch unless a caller asks for fewer; 0 before the first block below
_thread = threading.local()  # ``has_count``: whether this thread has a count of its own; a new one has the last set
_lock = threading.Lock()


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Let torch work in so many threads inside the block, or in as many as without other callers."""
    global _whole
    import torch

    with _lock:
        _whole = _whole or torch.get_num_threads()
    n_threads = torch.get_num_threads() if getattr(_thread, "has_count", False) else _whole
    _thread.has_count = True
    torch.set_num_threads(count or n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


# Nine words in two threads cost a third more CPU than in one, and two threads add up in another order.
one_thread = partial(_threads, 1)
every_thread = partial(_threads, None)


def _use_one_thread_after_fork() -> None:
    """Set one thread in a forked process, in which torch would wait for threads of its parent."""
    global _whole
    if torch := sys.modules.get("torch"):
        _whole = 1
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_use_one_thread_after_fork)
