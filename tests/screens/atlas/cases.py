"""Whole models for tests: random maps of any shape over a few texts, measured as the program measures them."""

import functools
from dataclasses import replace

import numpy as np

from mha.analysis.alike import Alike, Different, between_heads
from mha.analysis.usual import FEWEST_WORDS
from mha.analysis.whole import one_text
from mha.engine.atlas import Atlas, Silenced, alone
from mha.link.atlas import HERE, AtlasWords
from mha.link.view import View
from mha.maps import AttentionMaps, Token
from mha.models.files.catalog import model_row
from mha.screens.atlas.whole_model import WholeModel
from mha.stepwise import finished
from mha.words import words
from studies.atlas import Divergences
from tests.screens.told import parts

LAYERS, HEADS = 2, 3


def maps_of(text="One dog saw one cat", seed=0, shape=(LAYERS, HEADS), causal=False, special=True):
    own = tuple(Token(word, word=n) for n, word in enumerate(words(text)))
    tokens = (Token("[CLS]", special=True), *own, Token("[SEP]", special=True)) if special else own
    weights = np.random.default_rng(seed).dirichlet(np.full(len(tokens), 0.3), size=(*shape, len(tokens)))
    if causal:
        weights = weights * np.tril(np.ones((len(tokens), len(tokens)))) + 1e-9 * np.eye(len(tokens))
        weights /= weights.sum(axis=-1, keepdims=True)
    return AttentionMaps(weights, tokens, text=text, units="words", origin="pretrained", causal=causal)


@functools.cache
def typed(shape):
    """The typed text measured alone, beside another random model as its twin."""
    return finished(alone(maps_of(shape=shape), maps_of(seed=9, shape=shape)))


@functools.cache
def atlas_of(texts=("One dog saw one cat there", "The man slept here"), twin=True, low=True, **more):
    maps = [maps_of(text, seed, **more) for seed, text in enumerate(texts)]
    shape = maps[0].weights.shape[:2]
    ones = [one_text(one) for one in maps]
    mean = {}
    for key in ones[0].values:
        with np.errstate(all="ignore"):
            known = np.stack([one.values[key] for one in ones])
            mean[key] = np.where(
                np.isfinite(known).any(0), np.nan_to_num(known).sum(0) / np.maximum(np.isfinite(known).sum(0), 1),
                np.nan,
            )  # fmt: skip
    total = Divergences(shape[0] * shape[1])
    for one in maps:
        total.add(*finished(between_heads(one)))
    own = Different.of(total.mean, shape[1])
    ends = dict(mean) if low else {}
    alike = Alike(len(texts), total.mean, own, own, own if twin else None)
    far = np.sum([one.far for one in ones], axis=0) / np.maximum(np.sum([one.pairs for one in ones], axis=0), 1)
    shares = next((one.shares for one in ones if one.n_words >= FEWEST_WORDS), {})
    return Atlas("minilm", "r", len(texts), 0, mean, ends, ends, far, shares, alike)


def case_of(atlas=None, shape=(LAYERS, HEADS), here=True, silenced=None, pins=None, model="minilm", **choices):
    row = replace(model_row(model), n_layers=shape[0], n_heads=shape[1])
    maps = maps_of(shape=shape) if here else None
    here_alone = typed(shape) if here else None
    if choices.get("over") == HERE:
        atlas = here_alone
    atlas = atlas or atlas_of(shape=shape)
    return WholeModel(View(pins=pins), AtlasWords(**choices), row, atlas, here_alone, maps, silenced)


def silenced_of(goes=0.24, shape=(LAYERS, HEADS)):
    return Silenced(300, np.random.default_rng(1).random(shape) / 100, goes)


def of_kind(blocks, kind):
    return [part for part in parts(blocks) if part.get("kind") == kind]
