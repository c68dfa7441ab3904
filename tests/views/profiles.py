"""Profiles of a made-up model, with numbers that sentences can be checked against."""

import dataclasses

import numpy as np

from mha.analysis.profiles import CONTRIBUTIONS, Connection, Profiles, SimilarHead
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.views.head import Head
from mha.views.whole import WholeModel

TEXTS = ("The dog saw the cat near Rome", "The *bird* flew over the tree")
N_LAYERS, N_HEADS = 2, 6


def values(first, others=0.1):
    """Return a number of every head: ``first`` of L0H0, ``others`` of all others."""
    numbers = np.full((N_LAYERS, N_HEADS), float(others))
    numbers[0, 0] = first
    return numbers


MEASURES = {
    "previous_word": values(0.2), "next_word": values(0.05), "same_word": values(0.05), "first_token": values(0.5),
    "elsewhere": values(0.1), "induction": values(0.12, 0.02), "sink_share": values(0.6, 0.3), "entropy": values(1.5),
    "mean_distance": values(2.5, 3), "contribution": values(0.8, 0.7), "deviation": values(2.0, 1.9),
    "effect": values(0.004, 0.001),
}  # fmt: skip
CONNECTIONS = (Connection(0, 3, 1, 0.8), Connection(1, 4, 1, 0.6))  # "the" to "dog", "the" to "bird"


def profiles(**changes):
    similar = tuple(SimilarHead(HeadId(1, head), 0.9 - head / 10) for head in range(5))
    n = N_LAYERS * N_HEADS
    made = Profiles(
        TEXTS, 13, MEASURES, dict.fromkeys(CONTRIBUTIONS, values(0.25, 0.2)), ((CONNECTIONS), *((),) * (n - 1)),
        (similar,) * n, 0.35, 2, 0, (3.9, 4.7, 2.4),
    )  # fmt: skip
    return dataclasses.replace(made, **changes)


def whole_model(name="minilm", **changes):
    return WholeModel(model_row(name), profiles(**changes))


def first_head(name="minilm", **changes):
    return Head(whole_model(name, **changes), HeadId(0, 0))


def with_measures(**changes):
    return {"measures": MEASURES | changes}
