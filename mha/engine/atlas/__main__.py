"""``python -m mha.engine.atlas [model]`` measures a model over the bundled corpus and writes its file."""

from __future__ import annotations

import argparse

from mha.engine.atlas import AtlasRun, SilencedRun
from mha.engine.atlas.bundled import file_of, write
from mha.intervention.controls import threes
from mha.models.files.catalog import DEFAULT


def main() -> None:
    """Measure the model that is named over the bundled corpus, and write it where it is looked for."""
    parser = argparse.ArgumentParser(prog="python -m mha.engine.atlas", description=main.__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT)
    model = parser.parse_args().model
    run = AtlasRun.of(model).begin()
    run.wait(3600)
    silent = SilencedRun.of(model).begin()
    silent.wait(3600)
    atlas = run.so_far()
    if atlas.alike is None:
        raise SystemExit(f"It was not measured: {run.error or silent.error}")
    from mha.intervention.subject import subject

    write(file_of(model), atlas, silent.so_far(atlas.alike), threes(subject(model)))


if __name__ == "__main__":
    main()
