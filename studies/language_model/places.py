"""Capitals, and the question what their head is for: currencies, languages, cities, the reverse, other facts.

A prompt counts if the fitting word has at least 10 % with all heads on; its first token stands for the word.
"""

from collections.abc import Sequence

import numpy as np

from mha.analysis.ablation_control import ablation_control
from mha.intervention.direct import first_token
from mha.intervention.predicting import iter_word_sweep
from mha.maps import ranked
from studies.bundled import ROWS
from studies.files import Arrays
from studies.language_model.lab import HeadSet, Lab, Row, estimate, size_matched, spread
from studies.language_model.prompts import FactPrompt, capital_prompts, fact_prompts

KNOWN_FROM = 0.1  # of the probability of the fitting word
SHOWN = 3  # heads of the selection that are scored in the test
CONTROL_LENGTHS = (8, 16)  # tokens: one of each band of bundled control texts that these prompts belong to


def selection_changes(lab: Lab) -> np.ndarray:
    """Return the change of the log-probability of each capital of the selection without each head, in nats.

    The result is float64 [country, layer, head]; one form of the question.
    """
    loaded = lab.experiment.loaded

    def measure(prompt: FactPrompt) -> Arrays:
        *_, sweep = iter_word_sweep(prompt.text, loaded, [first_token(loaded, prompt.text, prompt.word)], rows=ROWS)
        return {"change": sweep.change[..., 0]}

    prompts = [prompt for prompt in capital_prompts("selection") if prompt.text.endswith(" is")]
    return np.array(
        [row["change"] for row in lab.measure_items("capital", prompts, measure, "selection: every head ablated")]
    )


def control_change(lab: Lab) -> np.ndarray:
    """Return the change of the likeliest word of each bundled control text without each head [text, layer, head]."""
    row = lab.experiment.loaded.row
    return np.concatenate([ablation_control(row.name, row.revision, length).change for length in CONTROL_LENGTHS])


def capital_heads(lab: Lab) -> HeadSet:
    """Return the heads whose ablation lowers capitals most beyond its usual change of control texts, most first."""
    fall = -selection_changes(lab).mean(axis=0) - np.abs(control_change(lab)).mean(axis=0)
    return ranked(fall)[:SHOWN]


def rows_of(lab: Lab, prompts: Sequence[FactPrompt], heads: HeadSet, title: str) -> Row:
    """Return the fall of the fitting word in known prompts without each head, or with another head moved as far.

    Intervals redraw groups of prompts (countries) whole. ``change`` is in nats, ``probability`` before and after. The
    other heads of the layer are moved as far from their outputs as ablation moves the head.
    """
    lengths = lab.deviation_lengths([prompt.text for prompt in prompts]).mean(axis=0)
    matched = [variant for head in heads for variant in size_matched(lab, head, lengths)]
    sets = [*((head,) for head in heads), *matched]
    logs = lab.log_probabilities([(prompt.text, [prompt.word]) for prompt in prompts], sets, title)[..., 0]
    is_known_row = logs[:, 0] >= np.log(KNOWN_FROM)  # [prompt]
    logs, groups = (
        logs[is_known_row],
        [prompt.group for prompt, is_known in zip(prompts, is_known_row, strict=True) if is_known],
    )
    change = logs[:, 1:] - logs[:, :1]  # [prompt, set]
    rows: Row = {
        "prompts": len(prompts),
        "known": int(is_known_row.sum()),
        "probability": estimate(np.exp(logs[:, 0]), groups),
    }
    for number, head in enumerate(heads):
        rows[f"probability without {head}"] = estimate(np.exp(logs[:, 1 + number]), groups)
        rows[f"change without {head}"] = estimate(change[:, number], groups)
        rows[f"share that falls without {head}"] = estimate(change[:, number] < 0, groups)
    other_changes = change[:, len(heads) :].mean(axis=0).reshape(len(heads), -1)  # [head, other]
    for head, changes in zip(heads, other_changes, strict=True):
        rows[f"change with another head of the layer moved as far as {head}"] = spread(changes)
    return rows


def capitals(lab: Lab) -> Row:
    """Return the effect on capitals of countries kept apart of the heads that were chosen in other countries."""
    heads = capital_heads(lab)
    control = np.abs(control_change(lab))
    return {
        "heads chosen in the selection": [str(head) for head in heads],
        **rows_of(lab, capital_prompts("test"), heads, "test"),
        **{f"size of change in control texts without {head}": estimate(control[:, *head]) for head in heads},
    }


def places_and_facts(lab: Lab) -> Row:
    """Return the effect of ablating the head of capitals on other facts about places, and about other things."""
    (head,) = capital_heads(lab)[:1]
    kinds = {"capitals": capital_prompts("test")} | fact_prompts()
    return {kind: rows_of(lab, prompts, (head,), kind) for kind, prompts in kinds.items()}
