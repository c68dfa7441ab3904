"""Keep what every page sends, or show what has changed: ``python -m tests.transcript write | diff [PART …]``.

With parts only links and sequences that contain one of them are looked at: ``diff readings "pin L2H3"``. Two processes
share the work.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.transcript import kept
from tests.transcript.hearing import heard, names, offer_tiny

BATCH = 10


def main() -> int:
    """Do what the command line says; return 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.transcript", description=__doc__)
    parser.add_argument("what", choices=["write", "diff"])
    parser.add_argument("parts", nargs="*", help="only what contains one of these")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    wanted = [name for name in names() if not given.parts or any(part in name for part in given.parts)]
    before = kept.read()
    with tempfile.TemporaryDirectory() as folder:
        offered = offer_tiny(Path(folder))
        batches = [wanted[start :: len(wanted) // BATCH + 1] for start in range(len(wanted) // BATCH + 1)]
        said, start = {}, time.monotonic()
        with ProcessPoolExecutor(given.processes, initializer=_offered, initargs=(offered,)) as pool:
            for batch in pool.map(heard, batches):
                said |= batch
                print(f"\r{len(said)} of {len(wanted)}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    if given.what == "write":
        kept.write(
            {name: said[name] if name in said else before[name] for name in names() if name in said or name in before}
        )
        return 0
    different = dict(kept.differences(before, said))
    for name, lines in different.items():
        print(f"{name}\n{lines}\n")
    gone = sorted(set(before) - set(names())) if not given.parts else []
    print(
        f"{len(different)} of {len(said)} differ." + (f" {len(gone)} are kept and not listed any more." if gone else "")
    )
    return 1 if different or gone else 0


def _offered(models: str) -> None:
    import logging
    import os
    import warnings

    os.environ["PARALLAX_MODELS"] = models
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    raise SystemExit(main())
