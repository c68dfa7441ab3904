"""All layers in one picture: mean over heads, rollout, flow, and Kovaleva's classes; each with its caution first."""

from __future__ import annotations

import numpy as np

from mha.analysis.patterns import CLASSES, MOST_ON, kovaleva_classes
from mha.analysis.summaries import MOST_TOKENS, head_mean, rollout
from mha.formats import labels, percent
from mha.maps import AttentionMaps, HeadId
from mha.screens.atlas.blocks import AtlasHeat
from mha.screens.blocks import Block, heading, said

_FORGETS = "These summaries use attention only. They ignore values and everything between layers."


def fits(maps: AttentionMaps) -> bool:
    """Return whether a text is short enough for its layers to be put into one picture."""
    return maps.n_queries <= MOST_TOKENS


def too_long_said(maps: AttentionMaps) -> str:
    """Return what stands in the place of the pictures of a longer text."""
    return (
        f"Averages, rollout and flow are computed for up to {MOST_TOKENS} words and punctuation marks; this "
        f"sentence has "
        f"{maps.n_queries}."
    )


def mean_blocks(maps: AttentionMaps, layer: int) -> list[Block]:
    """Return the mean over the heads of a layer, and rollout up to it."""
    names = labels(maps.tokens)
    mean, rolled = head_mean(maps)[layer], rollout(maps)[-1]
    return [
        said("cap", f"{_FORGETS} An average can show attention that no single head has. Both are for your sentence "
                    f"only."),
        heading(f"Average of the {maps.n_heads} heads of layer {layer}", "h3"),
        AtlasHeat(names, mean, f"Average of the heads of layer {layer}: {_strongest(mean, names)}"),
        heading(f"Rollout through {_layers(maps)}", "h3"),
        said("cap", "Rollout: average the heads, add half of the word itself, multiply the layers. It estimates "
                    "which input "
                    "words reach which output (Abnar & Zuidema 2020)."),
        AtlasHeat(names, rolled, f"Rollout: {_strongest(rolled, names)}"),
    ]  # fmt: skip


def _layers(maps: AttentionMaps) -> str:
    return "the one layer" if maps.n_layers == 1 else f"all {maps.n_layers} layers"


def _strongest(shares: np.ndarray, names: tuple[str, ...]) -> str:
    """Return the largest share from a word to another one."""
    others = np.where(np.eye(len(shares), dtype=bool), -1.0, shares)
    query, key = np.unravel_index(int(others.argmax()), others.shape)
    if len(shares) < 2:
        return "there is one token alone"
    share = percent(float(shares[query, key]))
    return f"the largest share between two tokens is {names[query]} to {names[key]}, {share}"


def flow_blocks(maps: AttentionMaps, found: np.ndarray | None) -> list[Block]:
    """Return the flow, or what it is before it was worked out."""
    about = said(
        "cap",
        f"{_FORGETS} Flow: the most that can pass from a word at the top to a word at the bottom, with the layers of "
        f"rollout as pipes; up to {MOST_TOKENS} words and punctuation marks (Abnar & Zuidema 2020).",
    )
    if found is None:
        return [about]
    names = labels(maps.tokens)
    return [about, AtlasHeat(names, found, f"Flow: {_strongest(found, names)}")]


def class_blocks(maps: AttentionMaps) -> list[Block]:
    """Return the five classes of Kovaleva et al. 2019 by a rule that can be checked, with their heads."""
    classes, half = kovaleva_classes(maps), percent(MOST_ON)
    about = said(
        "cap",
        "Five map classes (after Kovaleva et al. 2019, with a fixed rule): what a map looks like in your sentence, not "
        f"what the head is for. Vertical: more than {half} of the attention goes to special tokens and punctuation. "
        "Diagonal: to the word itself and its neighbours. Both: to these together. Block: within one of two texts. "
        "Heterogeneous: all others.",
    )
    rows: list[Block] = []
    for number, name in enumerate(CLASSES):
        heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(classes == number)]
        if heads:
            listed = ", ".join(str(head) for head in heads[:24]) + (" …" if len(heads) > 24 else "")
            rows.append(said("text", "{name}, {n}: {heads}", name=name.capitalize(), n=str(len(heads)), heads=listed))
    return [about, *rows]
