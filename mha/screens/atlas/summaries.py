"""All layers in one picture: mean over heads, rollout, flow, and Kovaleva's classes; each with its caution first."""

from __future__ import annotations

import numpy as np

from mha.analysis.patterns import CLASSES, MOST_ON, kovaleva_classes
from mha.analysis.summaries import MOST_TOKENS, head_mean, rollout
from mha.formats import labels, percent
from mha.maps import AttentionMaps, HeadId
from mha.screens.atlas.blocks import AtlasHeat
from mha.screens.blocks import Block, heading, said

_FORGETS = "It follows weights alone and forgets what heads hand over, and everything between the layers."


def fits(maps: AttentionMaps) -> bool:
    """Return whether a text is short enough for its layers to be put into one picture."""
    return maps.n_queries <= MOST_TOKENS


def too_long_said(maps: AttentionMaps) -> str:
    """Return what stands in the place of the pictures of a longer text."""
    return (
        f"Mean over heads, rollout and flow are worked out for up to {MOST_TOKENS} words and marks; the sentence above "
        f"has {maps.n_queries}."
    )


def mean_blocks(maps: AttentionMaps, layer: int) -> list[Block]:
    """Return the mean over the heads of a layer, and rollout up to it."""
    names = labels(maps.tokens)
    mean, rolled = head_mean(maps)[layer], rollout(maps)[-1]
    return [
        said("cap", f"{_FORGETS} A mean over heads is where no head may look. Both are of the sentence above alone."),
        heading(f"Mean over the {maps.n_heads} heads of layer {layer}", "h3"),
        AtlasHeat(names, mean, f"Mean over the heads of layer {layer}: {_strongest(mean, names)}"),
        heading(f"Rollout through {_layers(maps)}", "h3"),
        said("cap", "Each layer: half the mean over its heads, half the word itself; layers multiplied. How much of a "
                    "word’s place at the top came from which word, were nothing else done. Abnar & Zuidema 2020."),
        AtlasHeat(names, rolled, f"Rollout: {_strongest(rolled, names)}"),
    ]  # fmt: skip


def _layers(maps: AttentionMaps) -> str:
    return "the one layer" if maps.n_layers == 1 else f"all {maps.n_layers} layers"


def _strongest(shares: np.ndarray, names: tuple[str, ...]) -> str:
    """Return the largest share from a word to another one."""
    others = np.where(np.eye(len(shares), dtype=bool), -1.0, shares)
    query, key = np.unravel_index(int(others.argmax()), others.shape)
    if len(shares) < 2:
        return "there is one piece alone"
    share = percent(float(shares[query, key]))
    return f"the largest share between two pieces is {names[query]} to {names[key]}, {share}"


def flow_blocks(maps: AttentionMaps, found: np.ndarray | None) -> list[Block]:
    """Return the flow, or what it is before it was worked out."""
    about = said(
        "cap",
        f"{_FORGETS} Maximum flow from a word at the top to a word at the bottom, each layer as in rollout, rows made "
        f"to add up; for up to {MOST_TOKENS} words and marks. Abnar & Zuidema 2020.",
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
        "A class says what a map looks like in the sentence above, not what the head is for. Kovaleva et al. 2019 had "
        f"a network trained on labelled maps; this rule is ours. Vertical: more than {half} of the mass on special "
        "tokens and marks. Diagonal: on the word itself and its neighbours. Both: neither alone, together. Block, of "
        "two texts: within a text. Else heterogeneous.",
    )
    rows: list[Block] = []
    for number, name in enumerate(CLASSES):
        heads = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(classes == number)]
        if heads:
            listed = ", ".join(str(head) for head in heads[:24]) + (" …" if len(heads) > 24 else "")
            rows.append(said("text", "{name}, {n}: {heads}", name=name.capitalize(), n=str(len(heads)), heads=listed))
    return [about, *rows]
