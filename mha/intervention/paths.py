"""Following a path: how much of what a later head changes comes from some earlier ones.

The outputs before W_O of some heads, the senders, are taken from the other version of a sentence; everything after
them runs on; how far the lean of a later head, the receiver, moves towards the other version's is what the senders
send it. Share = moved / difference; over pairs, the sum of moved over the sum of differences. *Directly*: the outputs
of all other heads and of the feed-forward layers in between stay as they were, layer norms are computed anew. Source:
Wang et al. 2023 (path patching); Goldowsky-Dill et al. 2023.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.analysis.readings import Readings, leans
from mha.errors import InputError
from mha.intervention.ablation import Heads
from mha.intervention.growing import Pass, rows_at_once, through
from mha.intervention.outcomes import ALL_SETS, DRAWN_SETS, Path
from mha.intervention.patching import SEED, Versions
from mha.intervention.subject import PlacedText, Subject, subject
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.stepwise import Steps, finished


@dataclass(frozen=True)
class SentOutputs:
    """What is sent in one variant: outputs of ``senders`` from the other version."""

    senders: tuple[HeadId, ...]
    directly: bool = False


def follow(
    text: str,
    contrast: str,
    readings: Readings,
    senders: Heads,
    receiver: HeadId | tuple[int, int] | str,
    model: str | LoadedModel = DEFAULT,
    controls: bool = True,
) -> Path:
    """Return how much of what one head changes between two versions comes from some heads of earlier layers.

    Raises:
        InputError: as `mha.intervention.patching.patch`; there is no sender, or one is not in a layer before the
            receiver's.
        AttentionUnavailable: the model's heads cannot be reached.
    """
    return finished(following(text, contrast, readings, senders, receiver, model, controls))


def following(
    text: str,
    contrast: str,
    readings: Readings,
    senders: Heads,
    receiver: HeadId | tuple[int, int] | str,
    model: str | LoadedModel = DEFAULT,
    controls: bool = True,
) -> Steps[Path]:
    """Find what `follow` returns, some senders in each step."""
    experiment = subject(model)
    sent, (target,) = experiment.chosen(senders), experiment.chosen([receiver])
    check_order(sent, target)
    both = Versions.of(experiment, text, contrast, readings, None)
    others = control_senders(sent, experiment.n_heads, sent) if controls else []
    variants = [SentOutputs(sent), SentOutputs(sent, directly=True), *(SentOutputs(one) for one in others)]
    found, moved = yield from followed(both, variants, [target])
    into_text, into_contrast = moved[:, :, 0]  # each [variant]
    return Path(
        both.first.text,
        both.second.text,
        sent,
        target,
        (float(found[0, 0]), float(found[1, 0])),
        (float(into_text[0]), float(into_contrast[0])),
        (float(into_text[1]), float(into_contrast[1])),
        moved[:, 2:, 0].mean(axis=0),
    )


def check_order(senders: Sequence[HeadId], receiver: HeadId) -> None:
    """Raise InputError unless there are senders, all in layers before the receiver's."""
    if not senders:
        raise InputError(f"A path to {receiver} needs at least one head that sends.")
    late = [str(head) for head in senders if head.layer >= receiver.layer]
    if late:
        raise InputError(f"Senders must be in layers before the receiver's; {', '.join(late)} cannot reach {receiver}.")


def control_senders(senders: Sequence[HeadId], n_heads: int, named: Sequence[HeadId]) -> list[tuple[HeadId, ...]]:
    """Return sets of as many other heads of the same layers, none of them ``named``; all sets, or 50 of more than 100.

    Layers that have too few other heads leave no set.
    """
    layers = sorted({head.layer for head in senders})
    wanted = [sum(head.layer == layer for head in senders) for layer in layers]
    rest = [[HeadId(layer, head) for head in range(n_heads) if (layer, head) not in named] for layer in layers]
    n_sets = int(np.prod([comb(len(some), count) for some, count in zip(rest, wanted, strict=True)]))
    if n_sets <= ALL_SETS:
        found: list[tuple[HeadId, ...]] = [()]
        for some, count in zip(rest, wanted, strict=True):
            found = [(*one, *more) for one in found for more in combinations(some, count)]
        return found
    generator = np.random.default_rng(SEED)
    drawn: dict[tuple[HeadId, ...], None] = {}
    while len(drawn) < DRAWN_SETS:
        picked = (
            some[number]
            for some, count in zip(rest, wanted, strict=True)
            for number in sorted(generator.choice(len(some), count, replace=False))
        )
        drawn[tuple(picked)] = None
    return list(drawn)


def followed(
    both: Versions, variants: Sequence[SentOutputs], receivers: Sequence[HeadId]
) -> Steps[tuple[np.ndarray, np.ndarray]]:
    """Find leans [version, receiver], and how far each variant moves them [direction, variant, receiver].

    Direction 0 is into the first version, 1 into the second; positive moves go towards the other version.
    """
    one, other = both.outputs(both.first), both.outputs(both.second)
    yield 0
    first = yield from _received(both.experiment, both.first, other, variants, receivers)  # [1 + variant, receiver]
    second = yield from _received(both.experiment, both.second, one, variants, receivers)
    return np.stack([first[0], second[0]]), np.stack([first[0] - first[1:], second[1:] - second[0]])


def _received(
    experiment: Subject,
    place: PlacedText,
    instead: Tensor,
    variants: Sequence[SentOutputs],
    receivers: Sequence[HeadId],
) -> Steps[np.ndarray]:
    """Find the leans of receivers in one version, and with each variant sent, as float64 [1 + variant, receiver]."""
    inputs = experiment.inputs(place.encoded)
    held = experiment.projections
    firsts = [min(head.layer for head in one.senders) for one in variants]
    order = sorted(range(len(variants)), key=firsts.__getitem__)
    last = max(head.layer for head in receivers) + 1
    found = np.full((1 + len(variants), len(receivers)), np.nan)
    size = rows_at_once(experiment, inputs)
    for start in range(0, max(len(order), 1), size):
        part = order[start : start + size]
        sending = Sending(experiment.stack, [variants[number] for number in part], instead, receivers)
        with torch.inference_mode(), ExitStack() as hooks:
            for name in (held or ()) if sending.direct else ():
                module = experiment.body.get_submodule(name)
                hooks.callback(module.register_forward_hook(sending.hold_mine).remove)
            one = Pass(inputs, sending.read, None if last == experiment.n_layers else last)
            weights = through(experiment, one, [firsts[number] for number in part], sending)
        maps = AttentionMaps(  # rows stand in the place of layers: one lean for each row and receiver
            weights.float().cpu().numpy(), place.encoded.tokens, text=place.text, causal=experiment.causal
        )
        found[[0, *(1 + number for number in part)]] = leans(maps, place.readings).lean
        yield len(part)
    if held is None:
        found[[1 + number for number, one in enumerate(variants) if one.directly]] = np.nan
    return found


class Sending:
    """The intervention that sends: row 0 is the untouched version, each further row one variant.

    What is held in a row is taken from row 0.
    """

    def __init__(
        self, stack: str, variants: Sequence[SentOutputs], instead: Tensor, receivers: Sequence[HeadId]
    ) -> None:
        self.stack = stack
        self.variants = list(enumerate(variants, start=1))
        self.instead = instead  # [layer, head, token, d_head], of the other version
        self.receivers = receivers
        self.direct = [row for row, one in self.variants if one.directly]
        self.seen: dict[HeadId, Tensor] = {}  # weights [row, query, key]
        self.thread = threading.get_ident()

    def read(self, _states: Any) -> Tensor:
        """Return the weights of the receivers, [row, receiver, query, key]."""
        return torch.stack([self.seen[head] for head in self.receivers], dim=1)

    def weights(self, site: Site, weights: Tensor) -> None:
        """Keep the weights of receivers; change nothing."""
        if site.stack == self.stack:
            self.seen |= {head: weights[:, head.head].clone() for head in self.receivers if head.layer == site.layer}

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return the head outputs [row, query, head, d_head] with senders exchanged and, where direct, others held."""
        if site.stack != self.stack or len(output) == 1:
            return None
        changed = self.hold(output)
        changed = output.clone() if changed is None else changed
        for row, one in self.variants:
            if row >= len(output):
                break  # joins later
            for head in one.senders:
                if head.layer == site.layer:
                    changed[row, :, head.head] = self.instead[head.layer, head.head]
        return changed

    def hold_mine(self, _module: Any, _args: Any, output: Tensor) -> Tensor | None:
        """Hold what a feed-forward layer gives, in this thread's pass alone."""
        return self.hold(output) if threading.get_ident() == self.thread else None

    def hold(self, output: Tensor) -> Tensor | None:
        """Return an output [row, …] with the direct rows as row 0 has it, or None where there are none."""
        rows = [row for row in self.direct if row < len(output)]
        if not rows:
            return None
        kept = output.clone()
        kept[rows] = output[:1]
        return kept
