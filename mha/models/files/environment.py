"""What must be set before torch and the tokenizers are imported, and how many threads torch works in after that."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

from mha.errors import ModelUnavailable, NowhereToWrite

DEVICE = "PARALLAX_DEVICE"  # "cpu" (if not said), "auto", "cuda" or "mps"
TORCH_CACHE = "TORCHINDUCTOR_CACHE_DIR"  # where PyTorch keeps what it compiles, if somebody has said so
NOWHERE = (
    "There is no directory here that may be written to, and PyTorch needs one. As soon as /tmp can be written to, or "
    "the directory that TMPDIR names, this works; nothing has to be started again."
)
MAX_THREADS = 4  # a sentence is too little work for more

ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",  # spinning threads on two busy cores: 247 ms a forward; passive ones 14.5 ms
    "TOKENIZERS_PARALLELISM": "false",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "160",  # programs for lengths of texts; of 300 lengths the 1,024 take 80 MB
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",  # else loading may ask the hub for a converted copy
}


# Of glibc's allocator: left to itself it keeps 200 MB of freed arrays after sixty long texts.
MAPPED_FROM, TRIMMED_FROM, ARENAS = -3, -1, -8  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_ARENA_MAX
ALLOCATOR = {MAPPED_FROM: 256 * 1024, TRIMMED_FROM: 4 * 1024 * 1024, ARENAS: 4}
AT_ONCE = 4  # arrays of the largest size that are used again at one time, and then stay

_given_back = False  # whether the allocator was told so
_again = 0  # how many ask now that arrays be used again
_lock = threading.Lock()


def give_memory_back() -> None:
    """Let freed arrays go back to the system at once, where the C library can be told so and nobody has told it."""
    global _given_back
    if sys.platform == "linux" and not any(name.startswith("MALLOC_") for name in os.environ):
        _given_back = _tell(ALLOCATOR)


@contextmanager
def used_again(largest: int) -> Iterator[None]:
    """Let freed arrays of up to so many bytes be used again, until the last of those who asked for it is done.

    What goes back to the system at once comes back page by page, each cleared: of a survey, whose blocks come and go
    by the hundred, that is a third. Nothing changes where freed arrays do not go back (`give_memory_back`). Behind it
    all free pages do.
    """
    global _again
    if not _given_back:
        yield
        return
    with _lock:
        _again += 1
        _tell({MAPPED_FROM: largest + 2**20, TRIMMED_FROM: AT_ONCE * largest})
    try:
        yield
    finally:
        with _lock:
            _again -= 1
            if not _again:
                _tell(ALLOCATOR)
                trim()


def _tell(settings: dict[int, int]) -> bool:
    """Tell the C library's allocator; return whether it can be told."""
    mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None)
    for parameter, value in settings.items() if mallopt is not None else ():
        mallopt(parameter, value)
    return mallopt is not None


def trim() -> None:
    """Give back the free pages between what is in use, where the C library can; a few milliseconds."""
    malloc_trim: Any = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if malloc_trim is not None:
        malloc_trim(0)
        _trim_top()


def _trim_top() -> None:
    """Give back what is free behind all that is in use in this thread's arena, which `malloc_trim` leaves there.

    Glibc looks at it when a block of more than 64 kB is freed in an arena, and `malloc_trim` only in the main one's.
    """
    library = ctypes.CDLL(None)
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    library.free(library.malloc(128 * 1024))


def prepare_environment() -> None:
    """Set the environment, unless torch is loaded already; what the host has set stays."""
    if not any(isinstance(finder, _Writable) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Writable())
    if "torch" in sys.modules:
        return
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("OMP_NUM_THREADS", str(min(cores(), MAX_THREADS)))


class _Writable(MetaPathFinder):
    """Finds no module; before the first of those that need a directory to write to, it looks whether there is one.

    An import that breaks off for want of it leaves half of PyTorch behind, and no later one works.
    """

    def find_spec(self, name: str, *_: Any) -> None:
        """Return None; raise NowhereToWrite."""
        if name in ("torch._dynamo", "transformers"):
            check_writable()


def check_writable() -> None:
    """Raise NowhereToWrite where PyTorch finds no directory for its cache, which it looks for when it is imported."""
    try:
        os.makedirs(os.environ.get(TORCH_CACHE) or tempfile.gettempdir(), exist_ok=True)
    except OSError as error:
        raise NowhereToWrite(NOWHERE) from error


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


_whole = 0  # threads that torch works in where nobody asked for fewer; 0 before anybody did
_mine = threading.local()  # ``told``: whether this thread has a number of its own, not what another one set last


def one_thread() -> AbstractContextManager[None]:
    """Let torch work in this thread alone inside the block.

    What two threads share of nine words costs a third more CPU than one needs, and two add up in another order.
    """
    return _threads(1)


def every_thread() -> AbstractContextManager[None]:
    """Let torch work in as many threads as it would here without others; a new thread has what another one set last."""
    return _threads(None)


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Let torch work in so many threads: each thread of ours has a number of its own, of which torch tells it alone."""
    global _whole
    import torch

    with _lock:
        _whole = _whole or torch.get_num_threads()
    before = torch.get_num_threads() if getattr(_mine, "told", False) else _whole
    _mine.told = True
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _alone() -> None:
    """Let torch work in one thread in a process that was forked: it would wait for others that are its parent's."""
    global _whole
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        _whole = 1
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_alone)
