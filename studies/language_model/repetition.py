"""Say it twice: induction heads, and the previous-token head that they need (Olsson et al. 2022).

Each item is a seed for four sequences of 25 random tokens, repeated. Samples use different seeds.
"""

from collections.abc import Sequence

import numpy as np
import torch

from mha.intervention.ablation import HeadChanges, ablation_changes
from mha.intervention.induction import ROWS, THRESHOLD, random_tokens, run_repeated
from mha.maps import ranked
from mha.models.watch.recording import listening
from mha.pairs import KINDS
from studies.control_texts import control_sentences
from studies.files import Arrays
from studies.forced import pairs_kept_apart
from studies.language_model.lab import (
    SCRAMBLED_SEEDS,
    HeadSet,
    Lab,
    Row,
    draw_sets,
    estimate,
    layer_matched_sets,
    rounded,
    spread,
)

N_TOKENS = 25
SELECTION, TEST, CONTROL, DRAWN_ON = range(15), range(100, 150), range(200, 215), range(100, 103)  # seeds
COPIED_ON, COMPOSED = range(100, 105), range(100, 125)
SHOWN = 6  # strongest induction heads, ablated together
PREVIOUS = 4  # strongest previous-token heads, compared


def run(lab: Lab, seeds: Sequence[int], ablated: HeadSet = (), repeated: bool = True, title: str = "") -> Arrays:
    """Return `RepeatedPass` of all sequences of some seeds, by the names of its fields."""

    def measure(item: tuple[int, HeadSet, bool]) -> Arrays:
        seed, heads, is_repeated = item
        sequences = random_tokens(lab.experiment, ROWS, N_TOKENS, seed, is_repeated)
        return run_repeated(lab.experiment, sequences, heads)._asdict()

    rows = lab.measure_items("repeated", [(seed, ablated, repeated) for seed in seeds], measure, title)
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def score_of(arrays: Arrays, heads: HeadSet) -> np.ndarray:
    """Return the mean induction score of some heads in each sequence, float64 [sequence]."""
    layers, numbers = np.array(heads).T
    return np.asarray(arrays["induction"][:, layers, numbers].mean(axis=1))


def induction_heads(lab: Lab) -> HeadSet:
    """Return the heads that reach the threshold in the selection sample, highest first."""
    score = run(lab, SELECTION, title="selection")["induction"].mean(axis=0)
    return tuple(head for head in ranked(score) if score[head] >= THRESHOLD)


def prose_log_probability(lab: Lab, ablated: HeadSet = ()) -> np.ndarray:
    """Return the mean log-probability of the tokens of each prose text, float64 [text], in nats.

    The texts are the control sentences and the first version of each pair kept apart; none is a sample sentence.
    """
    texts = [*control_sentences(), *dict.fromkeys(pair.a for kind in KINDS for pair in pairs_kept_apart(kind))]

    def measure(item: tuple[str, HeadSet]) -> Arrays:
        text, heads = item
        experiment = lab.experiment
        inputs = experiment.inputs(experiment.encoded(text))
        changes = HeadChanges(experiment.stack, {0: ablation_changes(experiment, heads, "mean")})
        with torch.inference_mode(), listening(experiment.model, (), changes):
            scores = torch.log_softmax(experiment.model(**inputs).logits[0, :-1].double(), dim=-1)
        return {"mean": scores.gather(1, inputs["input_ids"][0, 1:, None]).mean().cpu().numpy()}

    return np.array(
        [row["mean"] for row in lab.measure_items("prose", [(text, ablated) for text in texts], measure, "prose")]
    )


def induction(lab: Lab) -> Row:
    """Return induction scores, controls, and log-probabilities with the strongest induction heads ablated."""
    heads = induction_heads(lab)
    strongest = heads[:SHOWN]
    test = run(lab, TEST, title="test")
    score, first_half, second_half = test["induction"].mean(axis=0), *test["log_probability"].T
    ablated = run(lab, TEST, strongest, title="test: induction heads ablated")["log_probability"][:, 1]
    copies = np.array(
        [
            run(lab.scrambled(seed), COPIED_ON, title=f"scrambled copy {seed}")["induction"].mean(axis=0)
            for seed in SCRAMBLED_SEEDS
        ]
    )  # [copy, layer, head]
    draws = [
        run(lab, DRAWN_ON, random_heads, title=f"draw {number}")["log_probability"][:, 1].mean()
        for number, random_heads in enumerate(layer_matched_sets(lab, strongest))
    ]
    free = [
        run(lab, DRAWN_ON, random_heads, title=f"free draw {number}")["log_probability"][:, 1].mean()
        for number, random_heads in enumerate(draw_sets(lab, SHOWN, heads, range(lab.experiment.n_layers)))
    ]
    prose = prose_log_probability(lab)
    return {
        **{f"score {head}": estimate(test["induction"][:, *head]) for head in strongest},
        "heads at the threshold": int((score >= THRESHOLD).sum()),
        "threshold": THRESHOLD,
        "heads chosen in the selection": [str(head) for head in heads],
        "highest score without repetition": rounded(
            run(lab, CONTROL, (), False, "unrepeated")["induction"].mean(axis=0).max()
        ),
        "highest score, scrambled copies": rounded(copies.max()),
        "heads of scrambled copies at the threshold": int((copies >= THRESHOLD).sum()),
        "log-probability, first half": estimate(first_half),
        "log-probability, second half": estimate(second_half),
        "uniform": rounded(-np.log(lab.experiment.model.config.vocab_size)),
        "second half without the six": estimate(ablated),
        "second half without six random heads of the same layers": spread(draws),
        "second half without six random heads of all layers": spread(free),
        "prose": estimate(prose),
        "prose without the six, change": estimate(prose_log_probability(lab, strongest) - prose),
    }


def composition(lab: Lab) -> Row:
    """Return the score of the strongest induction heads without one of the heads that look at the previous token."""
    strongest = induction_heads(lab)[:SHOWN]
    below = min(head.layer for head in strongest)
    previous = run(lab, SELECTION, title="selection")["previous"].mean(axis=0)
    alike = tuple(head for head in ranked(previous) if head.layer < below)[:PREVIOUS]
    falls = [score_of(run(lab, SELECTION[:5], (head,), title=f"without {head}"), strongest).mean() for head in alike]
    best = alike[int(np.argmin(falls))]
    scores = {head: score_of(run(lab, COMPOSED, (head,), title=f"test without {head}"), strongest) for head in alike}
    draws = [
        score_of(run(lab, DRAWN_ON, random_head, title=f"draw {number}"), strongest).mean()
        for number, random_head in enumerate(draw_sets(lab, 1, alike, range(below)))
    ]
    test = run(lab, COMPOSED, title="test")
    look = test["previous"].mean(axis=0)
    copies = [
        run(lab.scrambled(seed), COPIED_ON, title=f"scrambled copy {seed}")["previous"].mean(axis=0)
        for seed in SCRAMBLED_SEEDS
    ]
    return {
        "induction heads": [str(head) for head in strongest],
        "chosen": str(best),
        "score": estimate(score_of(test, strongest)),
        **{f"score without {head}": estimate(values) for head, values in scores.items()},
        "score without one random head below": spread(draws),
        "attention to the previous token": {str(head): rounded(look[head]) for head in alike},
        "the same, highest in scrambled copies": rounded(np.max(copies)),
    }
