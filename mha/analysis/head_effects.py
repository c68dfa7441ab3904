"""Three numbers for every head and two next words: attention, direct effect and effect of ablation.

The score is the logit of one word minus that of the other as the next word. *Looks* is attention of the last token to
one word of the text, or to the first of the two words minus the second if both occur in it; *adds* the direct effect on
the score (Elhage et al. 2021), *matters* the change of the score when the head is ablated. Both remove the deviation of
the head's output from its mean.
They need not agree: a head may attend to a word and make it less likely, as negative name movers do (Wang et al. 2022).
`mha.head_effects` measures a text; `bundled_head_effects` reads results of an example and of sentences of its form,
measured by ``python -m studies.language_model effects``. Nothing here needs a model.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mha import assets
from mha.analysis.ablation_control import SHARE_WITHIN, TIMES_CONTROL
from mha.analysis.sinks import sink_columns
from mha.errors import InputError, ShapeError
from mha.maps import AttentionMaps, HeadId
from mha.memo import array_dataclass
from mha.tokens import Token

DRAWS_WITHIN = 0.99  # of the ablations of heads drawn at random stay within the limit


@array_dataclass
class HeadEffects:
    """Attention to words of a text, direct effect on the score of two next words and effect of ablation, of every head.

    ``attention`` is float64 [layer, head, word]: attention of the last token to all tokens of each of ``looked_at``:
    the two next words if both occur in the text, else one word of it, or () without such a word. ``direct``
    is float64 [layer, head], in logits. ``log_probability`` is float64 [word], in nats, with all heads on, and
    ``change`` float64 [layer, head, word] its change with the head ablated alone; NaN if not measured. ``positions``
    are the tokens of each of ``looked_at``, ``ids`` the first token of each next word, ``kind`` the kind of ablation.
    ``words`` are named by that token if they have more: "Nad…". ``notes`` has the reason if attention to a word is not
    counted.
    """

    text: str
    tokens: tuple[Token, ...]
    words: tuple[str, str]
    ids: tuple[int, int]
    positions: tuple[tuple[int, ...], ...]
    attention: np.ndarray
    direct: np.ndarray
    log_probability: np.ndarray
    change: np.ndarray
    kind: str = "mean"
    model: str = ""
    revision: str = ""
    looked_at: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The logit of the first word minus that of the second, with all heads on."""
        return float(self.log_probability[0] - self.log_probability[1])

    @property
    def looks(self) -> np.ndarray:
        """Attention to the word looked at, or to the first of two minus the second, float64 [layer, head], −1 to 1.

        It is NaN if there is no word to attend to.
        """
        if not self.looked_at:
            return np.full(self.direct.shape, np.nan)
        return np.asarray(self.attention[..., 0] - self.attention[..., 1:].sum(axis=-1))

    @property
    def matters(self) -> np.ndarray:
        """The score with the head ablated minus the score, float64 [layer, head]; NaN if not measured."""
        return np.asarray(self.change[..., 0] - self.change[..., 1])

    @property
    def ablated_probability(self) -> np.ndarray:
        """The probability of each word with the head ablated, float64 [layer, head, word]; NaN if not measured."""
        return np.asarray(np.exp(self.log_probability + self.change))

    @property
    def is_complete(self) -> bool:
        """Whether every head has been ablated."""
        return bool(np.isfinite(self.change).all())


def most_attended_word(maps: AttentionMaps, query: int) -> int | None:
    """Return the number of the word with the largest share of a token's attention, averaged over all heads.

    Attention sinks and the word of that token do not count; the result is None if there is no other word.
    """
    share = maps.weights[:, :, query].mean(axis=(0, 1), dtype=np.float64)  # [key]
    pieces = zip(maps.merged_axes().tokens, sink_columns(maps, merge=True), strict=True)
    sinks = {token.word for token, is_sink in pieces if is_sink}
    shares: dict[int, float] = {}
    for token, part in zip(maps.tokens[:query], share, strict=False):
        if token.word is not None and token.word not in sinks and token.word != maps.tokens[query].word:
            shares[token.word] = shares.get(token.word, 0.0) + float(part)
    return max(shares, key=shares.__getitem__, default=None)


@array_dataclass
class EffectControl:
    """Effects of the same ablations in control texts, in which nothing decides between the two words.

    ``change`` is float64 [text, layer, head]: score with the head ablated minus score.
    """

    texts: tuple[str, ...]
    change: np.ndarray

    def counts_above(self, limit: float) -> np.ndarray:
        """Return how many heads move the score of each control text by more than a limit, int [text]."""
        return np.asarray((np.abs(self.change) > limit).sum(axis=(1, 2)))

    def mainly_here(self, matters: np.ndarray) -> np.ndarray:
        """Return which heads move the score mainly in one text, bool [layer, head].

        The effect exceeds two limits: the size that 90 of 100 ablations in control texts stay within, and twice the
        largest effect of this very head in a control text. Heads that are not measured (NaN) are False.

        Raises:
            ShapeError: the effects have other layers and heads.
        """
        if matters.shape != self.change.shape[1:]:
            raise ShapeError(f"The control has heads {self.change.shape[1:]}; these effects are {matters.shape}.")
        return np.asarray(np.abs(matters) > _limit(self.change))


def _limit(change: np.ndarray) -> np.ndarray:
    size = np.abs(change)  # [text, layer, head]
    usual = float(np.quantile(size, SHARE_WITHIN, method="inverted_cdf"))
    return np.asarray(np.maximum(TIMES_CONTROL * size.max(axis=0), usual))


@array_dataclass
class FormEffects:
    """The numbers of some heads in many sentences of one form.

    ``looks`` and ``adds`` are float64 [layer, head], means over ``n_sentences``; ``score`` is float64 [sentence].
    ``heads`` were chosen in other sentences; ``head_looks``, ``head_adds`` and ``head_matters`` are float64 [sentence,
    head] of these. ``draws`` are other heads, drawn at random from the upper half of the layers; ``draw_matters`` is
    float64 [sentence, draw]. ``matched_matters``, float64 [sentence, head, other] over the first sentences, moves the
    other heads of its layer as far from their outputs as ablation moves that head; NaN if the other head is one of
    ``heads``.
    """

    score: np.ndarray
    looks: np.ndarray
    adds: np.ndarray
    heads: tuple[HeadId, ...]
    head_looks: np.ndarray
    head_adds: np.ndarray
    head_matters: np.ndarray
    draws: tuple[HeadId, ...]
    draw_matters: np.ndarray
    matched_matters: np.ndarray

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.score)

    @property
    def limit(self) -> float:
        """The control limit in logits: 99 of 100 ablations of one head drawn at random move a score by no more."""
        return float(np.quantile(np.abs(self.draw_matters), DRAWS_WITHIN, method="inverted_cdf"))

    @property
    def matched_range(self) -> np.ndarray:
        """For each of ``heads`` the lowest and highest mean effect of a head of its layer moved as far [head, 2]."""
        means = self.matched_matters.mean(axis=0)  # [head, other]
        return np.stack([np.nanmin(means, axis=1), np.nanmax(means, axis=1)], axis=-1)

    @property
    def passes(self) -> np.ndarray:
        """Which of ``heads`` move the score further than every other head of their layer moved as far, bool [head]."""
        low, high = self.matched_range.T
        means = self.head_matters.mean(axis=0)
        return np.asarray((means < low) | (means > high))


@array_dataclass
class BundledHeadEffects:
    """An example with its control texts and other sentences of its form."""

    example: HeadEffects
    control: EffectControl
    form: FormEffects


def bundled_head_effects(model: str, revision: str) -> BundledHeadEffects:
    """Return the bundled head effects of exactly these weights.

    Raises:
        InputError: none were measured for this model and revision.
    """
    stored = assets.optional(assets.model_file("head_effects", model), _read)
    if stored is None or not revision or stored.example.revision != revision:
        raise InputError(f"No head effects come with {model}. mha.head_effects measures two words of a text.")
    return stored


def write(file: Path, stored: BundledHeadEffects) -> None:
    """Write head effects into one NPZ, numbers as float32."""
    example, control, form = stored.example, stored.control, stored.form
    example_facts = {name: getattr(example, name) for name in EXAMPLE_FACTS}
    example_facts["tokens"] = [vars(token) for token in example.tokens]
    facts = {"example": example_facts, "texts": control.texts, "heads": form.heads, "draws": form.draws}
    arrays = {f"example_{name}": getattr(example, name) for name in EXAMPLE_ARRAYS}
    arrays |= {f"form_{name}": getattr(form, name) for name in FORM_ARRAYS}
    arrays["control_change"] = control.change
    encoded = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    rounded: dict[str, Any] = {name: array.astype(np.float32) for name, array in arrays.items()}
    np.savez_compressed(file, allow_pickle=False, about=encoded, **rounded)


EXAMPLE_FACTS = ("text", "words", "ids", "positions", "kind", "model", "revision")
EXAMPLE_ARRAYS = ("attention", "direct", "log_probability", "change")
FORM_ARRAYS = (
    "score", "looks", "adds", "head_looks", "head_adds", "head_matters", "draw_matters", "matched_matters",
)  # fmt: skip


def _read(content: bytes) -> BundledHeadEffects:
    stored = assets.arrays(content)
    facts = json.loads(bytes(stored.pop("about")).decode())
    arrays: dict[str, Any] = {name: array.astype(np.float64) for name, array in stored.items()}
    example = HeadEffects(**_facts(facts["example"]), **{name: arrays[f"example_{name}"] for name in EXAMPLE_ARRAYS})
    control = EffectControl(tuple(facts["texts"]), arrays["control_change"])
    heads, draws = (tuple(HeadId(*head) for head in facts[name]) for name in ("heads", "draws"))
    form = FormEffects(heads=heads, draws=draws, **{name: arrays[f"form_{name}"] for name in FORM_ARRAYS})
    if not example.direct.shape == form.adds.shape == control.change.shape[1:]:
        raise ShapeError("Head effects of an example, its control texts and its form need the same heads.")
    return BundledHeadEffects(example, control, form)


def _facts(stored_facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of an example with JSON's lists as tuples."""
    facts = {name: tuple(value) if isinstance(value, list) else value for name, value in stored_facts.items()}
    first, second = stored_facts["positions"]
    return facts | {
        "tokens": tuple(Token(**token) for token in stored_facts["tokens"]),
        "positions": (tuple(first), tuple(second)),
        "looked_at": tuple(stored_facts["words"]),
    }
