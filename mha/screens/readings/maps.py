"""Every head's lean beside its controls, as blocks: the lean maps, the reach strip, each head's own shuffles. Pure."""

from __future__ import annotations

import numpy as np

from mha.analysis.readings import Leans
from mha.formats import few_of, signed
from mha.screens.blocks import Block, columns, heading, numbers, said
from mha.screens.readings.counts import outside_sentence
from mha.screens.readings.look import Looking

HINT = "show it above"  # what a click on a head of the large map does


def map_blocks(this: Looking) -> list[Block]:
    """Return the lean of every head beside its controls, one key for all maps."""
    leaning, here = this.leaning, this.leaning.here
    chosen = [list(head) for head in this.heads]
    controls: list[Block] = [
        heading("The same words, shuffled", "h3", "first"),
        _map(leaning.mean_shuffle, "small", "mean of the shuffles"),
        said(
            "cap",
            f"Mean of {len(leaning.shuffles)} orders. Rank correlation with this sentence "
            f"{signed(leaning.shuffle_correlation).replace('+', '')}: that much of a lean belongs to the words.",
        ),
    ]
    if leaning.twin is not None:
        controls += [
            heading("Scrambled twin", "h3", "near"),
            _map(leaning.twin, "small", "scrambled twin"),
            said(
                "cap",
                f"The same weights, each matrix’s entries in random places. It leans as far as "
                f"{leaning.twin_reach:.2f} without knowing anything; {few_of(leaning.beyond_twin)} of "
                f"{here.a.size} heads here go beyond that. All three maps share one key.",
            ),
        ]
    else:
        controls.append(said("cap", "A toy has no scrambled twin; the shuffles are its control."))
    main: list[Block] = [
        heading("This sentence", "h3", "first"),
        {**_map(here, "large", "this sentence"), "chosen": chosen, "hint": HINT},
        {"kind": "lean_legend"},
        said("cap", "Click a head to see it in one of the two pictures above."),
    ]
    return [{"kind": "marks_key"}, columns(main, controls, shares=(62, 43), gap=64)]


def _map(leans: Leans, size: str, about: str) -> Block:
    return {
        "kind": "lean_map",
        "size": size,
        "a": numbers(leans.a),
        "b": numbers(leans.b),
        "none": leans.no_opinion.tolist(),
        "label": f"lean of every head, {about}; the same numbers are in the table",
    }


def strip_blocks(this: Looking) -> list[Block]:
    """Return how far any head leans, beside shuffles and twin, and each head beside its own shuffles."""
    leaning, here = this.leaning, this.leaning.here
    low, high = leaning.band
    rows = [
        {
            "title": "This sentence",
            "about": f"{here.a.size} heads",
            "marks": "heads",
            "leans": numbers(here.lean.ravel()),
            "none": here.no_opinion.ravel().tolist(),
            "named": [{"name": str(head), "lean": float(here.lean[head])} for head in leaning.furthest],
        },
        {
            "title": "The same words, shuffled",
            "about": f"{len(leaning.shuffles)} × {here.a.size}",
            "marks": "shuffles",
            "leans": numbers(leaning.summary.leans.ravel(), 3),
            "furthest": numbers(np.concatenate(leaning.edges)),
        },
    ]
    if leaning.twin is not None:
        rows.append(
            {
                "title": "Scrambled twin",
                "about": f"{here.a.size} heads, same weights, permuted",
                "marks": "twin",
                "leans": numbers(leaning.twin.lean.ravel()),
            }
        )
    outside = leaning.n_outside
    counted = outside_sentence(outside, here.a.size, leaning.summary.expected_outside)
    return [
        heading("How far does any head lean?", "h3"),
        said(
            "cap",
            "Each mark is one head. The tall dark ticks are the furthest head of each shuffle, either way; the band is "
            "what half of them reach.",
        ),
        {
            "kind": "reach",
            "rows": rows,
            "band": {"low": low, "high": high},
            "names": dict(zip("ab", this.ambiguity.names, strict=True)),
            "label": "leans of this sentence, of its shuffles and of the scrambled twin on one axis",
        },
        heading(f"Each head against its own {len(leaning.shuffles)} shuffles", "h3"),
        said(
            "cap",
            "Grey: how far this head leans when the same words stand in other orders. " + counted
            + (" They are ringed." if outside > 1 else " It is ringed." if outside else ""),
        ),
        {
            "kind": "own_shuffles",
            "lean": numbers(here.lean),
            "low": numbers(leaning.summary.leans.min(axis=0)),
            "high": numbers(leaning.summary.leans.max(axis=0)),
            "none": here.no_opinion.tolist(),
            "outside": leaning.summary.outside.tolist(),
            "label": "the lean of each head beside the range of its own shuffles; " + counted,
        },
    ]  # fmt: skip
