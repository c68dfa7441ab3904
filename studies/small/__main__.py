"""Train the two small models that come with the app: ``python -m studies.small [folder [name]]``, else to assets."""

import argparse
import time
from pathlib import Path

from mha.assets import ASSETS
from mha.models.files.catalog import SMALL
from mha.models.files.environment import prepare_environment

NAMES = [row.name for row in SMALL]

parser = argparse.ArgumentParser(prog="python -m studies.small", description=__doc__)
parser.add_argument("folder", nargs="?", type=Path, default=ASSETS, help="where they are written; assets unless given")
parser.add_argument("names", nargs="*", metavar="name", help=f"{' or '.join(NAMES)}; both unless given")
options = parser.parse_args()
unknown = [name for name in options.names if name not in NAMES]
if unknown:
    parser.error(f"there is no {unknown[0]!r}; there are {' and '.join(NAMES)}")

prepare_environment()

import torch  # noqa: E402

from studies.small.learning import MODELS, usual_lists, write  # noqa: E402

torch.set_num_threads(1)  # the last bit of a sum depends on how it is divided
for name in options.names or MODELS:
    row = MODELS[name]
    begin = time.process_time()
    model = row.train()
    write(model, row.template, options.folder / name)
    (options.folder / name / "texts.txt").write_text("\n".join(usual_lists(name)) + "\n")
    print(
        f"{options.folder / name}: {row.right(model):.1%} right, {time.process_time() - begin:.0f} s of one processor"
    )
