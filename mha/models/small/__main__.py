"""Train the two small models that come with the app: ``python -m mha.models.small [folder [name]]``, else to assets."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from mha.assets import ASSETS
from mha.models.files.environment import prepare_environment

prepare_environment()

import torch  # noqa: E402

from mha.models.small.learning import MODELS, write  # noqa: E402

torch.set_num_threads(1)  # the last bit of a sum depends on how it is divided
parent = Path(sys.argv[1]) if len(sys.argv) > 1 else ASSETS
for name in sys.argv[2:] or MODELS:
    row = MODELS[name]
    begin = time.process_time()
    model = row.train()
    write(model, row.template, parent / name)
    print(f"{parent / name}: {row.right(model):.1%} right, {time.process_time() - begin:.0f} s of one processor")
