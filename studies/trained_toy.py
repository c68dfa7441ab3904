"""Train the toy that comes with the app and write it to assets: ``python -m studies.trained_toy [folder]``.

It is two heads that take one reading each; the same seed gives the same numbers.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn

from mha.assets import ASSETS
from mha.core import MultiHead, WordModel
from mha.errors import InputError
from mha.models.toy import TRAINED
from mha.training.model import Attention, Learner, train
from mha.training.settings import Grammar, Settings, Snapshot

SETTINGS = Settings(n_heads=2, seed=0)


def finish(settings: Settings) -> tuple[Snapshot, Learner]:
    """Return the last snapshot of a run and its learner."""
    run = train(settings, interval=settings.n_steps)
    while True:
        try:
            snapshot = next(run)
        except StopIteration as end:
            return snapshot, end.value


def to_core(layer: Attention) -> MultiHead:
    """Return the numbers of a trained layer as a layer of the teaching core."""
    with torch.no_grad():
        projections = [
            (matrix * layer.read).transpose(0, 1).flatten(1).numpy()  # [d_model, n_heads · d_head]
            for matrix in (layer.w_query, layer.w_key, layer.w_value)
        ]
        w_output = layer.w_output.flatten(0, 1).numpy()  # [n_heads · d_head, d_model]
    query, key, value = projections
    return MultiHead(
        query, key, value, w_output, layer.n_heads, "overlap" if layer.reads is not None else "slices", layer.reads
    )


def to_word_model(learner: Learner) -> WordModel:
    """Return a learner's numbers in the teaching core, which then answers as the learner does.

    Raises:
        InputError: it has two layers, parts of the embedding hidden from heads, or readers with a hidden layer.
    """
    settings = learner.settings
    if settings.n_layers > 1 or settings.mlp_readers or settings.reads != "everything":
        raise InputError("Only a learner of one layer that reads everything, with linear readers, can be handed over.")
    with torch.no_grad():
        readers = [cast(nn.Linear, reader) for reader in learner.readers]
        return WordModel(
            vocabulary=Grammar(settings.n_readings).vocabulary,
            embeddings=learner.embeddings.numpy(),
            positions=learner.positions.numpy(),
            heads=to_core(learner.last),
            readers=np.stack([reader.weight.T.numpy() for reader in readers]),  # [reading, d_model, noun]
            reader_biases=np.stack([reader.bias.numpy() for reader in readers]),  # [reading, noun]
        )


def write(folder: Path) -> Snapshot:
    """Train the bundled toy and write its numbers (safetensors, float32) and its vocabulary (JSON); return the end."""
    snapshot, learner = finish(SETTINGS)
    model = to_word_model(learner)
    arrays = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in model.arrays().items()}
    path = folder / f"{TRAINED}.safetensors"
    save_file(arrays, path)
    path.chmod(0o644)  # safetensors makes files that only their owner can read
    (folder / f"{TRAINED}.json").write_text(json.dumps(_header(model, snapshot), indent=1) + "\n")
    return snapshot


def made_on() -> str:
    """Return PyTorch's version and the processor's vector instructions, which change the last bit of a sum."""
    return f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}"


def _header(model: WordModel, snapshot: Snapshot) -> dict[str, Any]:
    return {
        "vocabulary": model.vocabulary,
        "n_heads": model.heads.n_heads,
        "settings": asdict(SETTINGS),
        "made_on": made_on(),
        "measured": {
            "joint": snapshot.joint,
            "looks": snapshot.looks.astype(float).round(4).tolist(),
            "silenced": snapshot.ablated.round(4).tolist(),
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m studies.trained_toy", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ASSETS, help="where it is written; assets unless given")
    to = parser.parse_args().folder
    print(f"{to / TRAINED}: {write(to).joint:.1%} of unseen sentences with both nouns right.")
