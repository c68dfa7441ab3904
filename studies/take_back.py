"""Do later layers take back what a head adds directly? ``python -m studies.take_back`` writes `assets/take_back.json`.

Each head is ablated at the last token. Its direct effect holds everything behind it fixed; the full change lets later
layers answer. The slope of the full change on the direct effect is 1 if they do not. Later heads, MLPs and the scale of
the last norm are frozen in turn: with all of them frozen the two are the same number. The score is the logit of the
likeliest word minus that of the second likeliest.
"""

import argparse
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from mha.assets import ASSETS
from mha.intervention.bank import head_means
from mha.intervention.subject import Subject, subject
from mha.models.watch.attending import load_model
from studies.control_texts import shuffled_copy
from studies.last_token import HEADS, MLPS, NORM, LastToken
from studies.links import study_texts
from studies.places import only, through_output
from studies.separation import Row, slope, slope_sums, write_results

FILE = ASSETS / "take_back.json"
MODEL = "smollm2"
EVERY = 3  # of the texts of studies.links every third is measured
NOTHING, DIRECTIONS = "nothing", "nothing, random directions"
FROZEN = {
    NOTHING: (), "later heads": (HEADS,), "MLPs": (MLPS,), "the last norm": (NORM,), "heads and MLPs": (HEADS, MLPS),
    "everything": (HEADS, MLPS, NORM),
}  # fmt: skip
LAYERS = ((0, 9), (10, 19), (20, 24), (25, 28), (29, 29))  # groups, both ends included


def ablations(last: LastToken, means: Tensor) -> Tensor:
    """Return the move of each head to its mean, [layer · head, head, d_head]; ``means`` is [layer, head, d_head]."""
    towards = means - last.untouched.output
    return torch.cat([only(head, vector, len(layer)) for layer in towards for head, vector in enumerate(layer)])


def random_moves(last: LastToken, moves: Tensor) -> Tensor:
    """Return moves of the same heads as far in random directions of their own outputs."""
    generator = torch.Generator().manual_seed(0)
    directions = torch.randn(moves.shape, generator=generator).to(moves) * (moves != 0)
    n_heads, rows = moves.shape[1], []
    for layer in range(len(moves) // n_heads):
        layer_rows = slice(layer * n_heads, (layer + 1) * n_heads)
        lengths = through_output(last, layer, moves[layer_rows]).norm(dim=-1)
        lengths_drawn = through_output(last, layer, directions[layer_rows]).norm(dim=-1)
        rows.append(directions[layer_rows] * (lengths / lengths_drawn)[:, None, None])
    return torch.cat(rows)


def likeliest_over_second(last: LastToken) -> Tensor:
    """Return the direction [d_model] whose product with the normed state is the score."""
    first, second = last.untouched_logits.topk(2).indices
    unembedding = last.model.get_output_embeddings().weight.detach()
    return unembedding[first] - unembedding[second]


def direct_effects(last: LastToken, moves: Tensor, score: Tensor) -> np.ndarray:
    """Return the effect of each move on the score with everything behind its head held, float64 [layer · head]."""
    n_heads = moves.shape[1]
    added = torch.cat(
        [
            through_output(last, number // n_heads, moves[number : number + n_heads])
            for number in range(0, len(moves), n_heads)
        ]
    )
    return ((added * last.norm_scale) @ score).double().numpy()


def full_changes(last: LastToken, moves: Tensor, score: Tensor, frozen: Sequence[str]) -> np.ndarray:
    """Return the change of the score with each move, float64 [layer · head]; ``frozen`` as in `LastToken.run`."""
    layers = [number // moves.shape[1] for number in range(len(moves))]
    normed = last.run(layers, output=lambda rows, output: output + moves[rows], frozen=frozen)
    untouched = last.untouched.state[-1] * last.norm_scale
    return ((normed - untouched) @ score).double().numpy()


def effects(last: LastToken, means: Tensor) -> dict[str, np.ndarray]:
    """Return direct effects and full changes of all heads by the frozen parts, float64 [2, layer, head]."""
    score, moves = likeliest_over_second(last), ablations(last, means)
    shape = last.untouched.output.shape[:2]
    direct = direct_effects(last, moves, score)
    rows = {name: (direct, full_changes(last, moves, score, frozen)) for name, frozen in FROZEN.items()}
    moved_states = random_moves(last, moves)
    rows[DIRECTIONS] = direct_effects(last, moved_states, score), full_changes(last, moved_states, score, ())
    return {name: np.stack(pair).reshape(2, *shape) for name, pair in rows.items()}


def slopes(measurements: Sequence[dict[str, np.ndarray]]) -> Row:
    """Return the slope by the frozen parts and by group of layers, with nothing frozen also by layer.

    Intervals redraw texts.
    """
    n_layers = measurements[0][NOTHING].shape[1]
    groups = {(first, min(last, n_layers - 1)) for first, last in LAYERS if first < n_layers}
    layers = {(number, number) for number in range(n_layers)}
    rows: Row = {}
    for name in measurements[0]:
        rows[name] = {}
        for first, last in sorted(groups | (layers if name == NOTHING else set())):
            sums = [slope_sums(*text[name][:, first : last + 1]) for text in measurements]
            rows[name][f"{first} to {last}"] = slope(np.array(sums), range(len(sums)))
    return rows


def measure(experiment: Subject, texts: Sequence[str]) -> list[dict[str, np.ndarray]]:
    """Return the `effects` in every text."""
    means = torch.as_tensor(head_means(experiment))
    return [effects(LastToken.from_text(experiment, text), means) for text in tqdm(texts)]


def main() -> None:
    """Ablate every head at the last token with later parts free and frozen; print and write the slopes."""
    argparse.ArgumentParser(prog="python -m studies.take_back", description=main.__doc__).parse_args()
    experiment = subject(load_model(MODEL))
    texts = [text for _, text in study_texts(experiment)][::EVERY]
    copies = [shuffled_copy(experiment, text) for text in texts]
    results = {
        "texts": len(texts),
        "slopes": slopes(measure(experiment, texts)),
        "shuffled": slopes(measure(experiment, copies)),
    }
    write_results(FILE, experiment.loaded, results)


if __name__ == "__main__":
    main()
