"""Attention sink (Gu et al. 2025). Agreement: keys to the cabinet (Finlayson et al. 2021)."""

import random
from collections.abc import Sequence

import numpy as np
import torch

from mha.models.watch.recording import listening
from mha.pairs import corpus
from mha.words import words
from studies.files import Arrays
from studies.language_model.lab import SCRAMBLED_SEEDS, Lab, Row, estimate, rounded
from studies.language_model.prompts import agreement_prompts

N_TEXTS, N_COPIED, N_FIRST_WORDS = 200, 40, 15
FIRST_WORDS = ("The", "Yesterday", "Purple", "However", "seven", "Mary", "is", "Because")
SINK_FROM = 0.3  # of a head's attention goes to the first token
STATE_LAYER = 20  # whose residual states are compared
N_PAIRS = 200  # of nouns, in each of the four cells
N_COPIED_PAIRS = 50


def sink_of(lab: Lab, texts: Sequence[str], title: str, bos: bool = False) -> Arrays:
    """Return attention of later queries to the first tokens, and the length of the residual states, of each text.

    ``weights`` is float64 [text, token 0 or 1, layer, head]: mean over the queries after token 1. ``share`` is an even
    share [text], ``length`` [text, token 0 or others] at `STATE_LAYER`. With ``bos`` the start token goes in front.
    """
    experiment = lab.experiment

    def measure(item: tuple[str, bool]) -> Arrays:
        text, with_bos = item
        inputs = experiment.inputs(experiment.encoded(text))
        if with_bos:
            start = torch.tensor([[experiment.loaded.tokenizer.bos_token_id]])
            inputs = inputs | {"input_ids": torch.cat([start, inputs["input_ids"]], dim=1)}
            inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        with torch.inference_mode(), listening(experiment.model, ("weights",)) as call:
            states = experiment.body(**inputs, output_hidden_states=True).hidden_states[STATE_LAYER][0]
        weights = call.stacked(experiment.stack).double()[:, :, 2:]  # [layer, head, query, key]
        lengths = states.norm(dim=-1).double()
        return {
            "weights": weights[..., :2].mean(dim=2).permute(2, 0, 1).numpy(),
            "share": (1 / torch.arange(3.0, len(lengths) + 1)).mean().numpy(),
            "length": torch.stack([lengths[0], lengths[1:].median()]).numpy(),
        }

    rows = lab.measure_items("sink", [(text, bos) for text in texts], measure, title)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def shuffled(text: str) -> str:
    """Return the words of a text in a random order that depends on the text alone.

    >>> sorted(shuffled("a b c").split())
    ['a', 'b', 'c']
    """
    order = list(words(text))
    random.Random(text).shuffle(order)
    return " ".join(order)


def sink(lab: Lab) -> Row:
    """Return mean attention to the first token, with other first words, other orders, a start token and copies."""
    texts = corpus()[:N_TEXTS]
    usual = sink_of(lab, texts, "sentences")
    to_first, to_second = usual["weights"].mean(axis=(2, 3)).T  # [text] each
    by_first_word = [
        sink_of(lab, [f"{word} {text[0].lower()}{text[1:]}" for text in texts[:N_FIRST_WORDS]], f"first word {word}")
        for word in FIRST_WORDS
    ]
    copies = [
        sink_of(lab.scrambled(seed), texts[:N_COPIED], f"scrambled copy {seed}")["weights"][:, 0].mean(axis=(1, 2))
        for seed in SCRAMBLED_SEEDS
    ]
    bos = sink_of(lab, texts[:N_COPIED], "start token in front", bos=True)["weights"].mean(axis=(2, 3))
    means = [arrays["weights"][:, 0].mean() for arrays in by_first_word]
    return {
        "attention to the first token": estimate(to_first),
        "attention to the second token": estimate(to_second),
        "an even share": estimate(usual["share"]),
        "heads that give the first token 0.3 or more": rounded(
            (usual["weights"][:, 0].mean(axis=0) >= SINK_FROM).mean()
        ),
        "with other first words, lowest and highest": [rounded(min(means)), rounded(max(means))],
        "with the words shuffled": estimate(
            sink_of(lab, [shuffled(text) for text in texts], "shuffled")["weights"][:, 0].mean(axis=(1, 2))
        ),
        "start token in front: attention to it": estimate(bos[:, 0]),
        "start token in front: attention to the first word": estimate(bos[:, 1]),
        "scrambled copies": estimate(np.concatenate(copies)),
        "length of the state at layer 20, first token": estimate(usual["length"][:, 0]),
        "length of the state at layer 20, median of others": estimate(usual["length"][:, 1]),
    }


def agreement(lab: Lab) -> Row:
    """Return how often the verb agrees with its subject, by the numbers of the subject and of a closer noun.

    Intervals redraw subjects whole.
    """
    labs = {"": lab} | {f", scrambled copy {seed}": lab.scrambled(seed) for seed in SCRAMBLED_SEEDS[:1]}
    rows: Row = {}
    for suffix, measured_lab in labs.items():
        for (number, attractor), texts in agreement_prompts(N_PAIRS, seed=0).items():
            used = texts[: N_COPIED_PAIRS if suffix else N_PAIRS]
            subjects = [text.split()[1] for text in used]
            questions = [(text, ("are", "is")) for text in used]
            logs = measured_lab.log_probabilities(questions, title=f"{number}, {attractor}{suffix}")[
                :, 0
            ]  # [text, word]
            score = (logs[:, 0] - logs[:, 1]) * (1 if number == "plural" else -1)
            cell = f"{number} subject, {attractor} noun{suffix}"
            rows[f"right: {cell}"], rows[f"score: {cell}"] = estimate(score > 0, subjects), estimate(score, subjects)
    return rows
