"""Following a path: how much of what a later head changes comes from some earlier ones.

The outputs before W_O of some heads, the senders, are taken from the other version of a sentence; everything after
them runs on; how far the lean of a later head, the receiver, moves towards the other version's is what the senders
send it. Share = moved / difference; over pairs, the sum of moved over the sum of differences. *Directly*: the outputs
of all other heads and of the feed-forward layers in between stay as they were, layer norms are computed anew. Source:
Wang et al. 2023 (path patching); Goldowsky-Dill et al. 2023.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.analysis.readings import leans
from mha.errors import InputError
from mha.intervention.ablation import Heads
from mha.intervention.growing import rows_at_once, through
from mha.intervention.outcomes import Path
from mha.intervention.patching import Versions
from mha.intervention.subject import PROBE, PlacedText, Readings, Subject, subject
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import Site
from mha.models.watch.recording import listening
from mha.stepwise import Steps, finished

ALL_SETS, DRAWN_SETS = 100, 50  # so many control sets are all taken; of more, so many are drawn


@dataclass(frozen=True)
class SentOutputs:
    """What is sent in one variant: outputs of ``senders`` from the other version, at some tokens or (None) at all."""

    senders: tuple[HeadId, ...]
    directly: bool = False
    tokens: tuple[int, ...] | None = None


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


def control_senders(
    senders: Sequence[HeadId], n_heads: int, named: Sequence[HeadId], seed: int = 0
) -> list[tuple[HeadId, ...]]:
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
    generator = np.random.default_rng(seed)
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
    held = held_modules(experiment) if any(one.directly for one in variants) else ()
    firsts = [min(head.layer for head in one.senders) for one in variants]
    order = sorted(range(len(variants)), key=firsts.__getitem__)
    last = max(head.layer for head in receivers) + 1
    found = np.full((1 + len(variants), len(receivers)), np.nan)
    size = rows_at_once(experiment, inputs)
    for start in range(0, max(len(order), 1), size):
        part = order[start : start + size]
        sending = Sending(experiment.stack, [variants[number] for number in part], instead, receivers)
        with torch.inference_mode(), _held(held, sending):
            weights, _ = through(
                experiment,
                inputs,
                sending.read,
                stop=None if last == experiment.n_layers else last,
                joining=[firsts[number] for number in part],
                intervention=sending,
            )
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
            tokens = slice(None) if one.tokens is None else list(one.tokens)
            for head in one.senders:
                if head.layer == site.layer:
                    changed[row, tokens, head.head] = self.instead[head.layer, head.head, tokens]
        return changed

    def hold(self, output: Tensor) -> Tensor | None:
        """Return an output [row, …] with the direct rows as row 0 has it, or None where there are none."""
        rows = [row for row in self.direct if row < len(output)]
        if not rows:
            return None
        kept = output.clone()
        kept[rows] = output[:1]
        return kept


@contextmanager
def _held(modules: Sequence[Any] | None, sending: Sending) -> Iterator[None]:
    """Hold what feed-forward layers give in the direct rows; what was put on the modules is taken off again."""

    def hold(_module: Any, _args: Any, output: Tensor) -> Tensor | None:
        return sending.hold(output) if threading.get_ident() == sending.thread else None

    handles = []
    try:
        if sending.direct:
            handles += [module.register_forward_hook(hold) for module in modules or ()]
        yield
    finally:
        for handle in handles:
            handle.remove()


_projections: weakref.WeakKeyDictionary[LoadedModel, tuple[str, ...] | None] = weakref.WeakKeyDictionary()


def held_modules(experiment: Subject) -> tuple[Any, ...] | None:
    """Return the last projection of each block's feed-forward layer, or None where it cannot be found.

    It is the last linear layer that runs in the block: after the attention's own, and as wide as the hidden states.
    """
    if experiment.loaded not in _projections:
        _projections[experiment.loaded] = _found_projections(experiment)
    names = _projections[experiment.loaded]
    return None if names is None else tuple(experiment.body.get_submodule(name) for name in names)


def _found_projections(experiment: Subject) -> tuple[str, ...] | None:
    names = {id(module): name for name, module in experiment.body.named_modules()}
    before: dict[str, int] = {}
    ran: dict[str, list[tuple[str, torch.Size]]] = {names[id(block)]: [] for block in experiment.blocks}
    inputs = experiment.inputs(experiment.encoded(PROBE))
    here, handles = threading.get_ident(), []
    with torch.inference_mode(), listening(experiment.model, ()) as call:

        def begins(block: str) -> Any:
            return lambda *_: before.__setitem__(block, call.seen.get(experiment.stack, 0))

        def ends(block: str, name: str) -> Any:
            def note(_module: Any, _args: Any, output: Any) -> None:
                attended = call.seen.get(experiment.stack, 0) > before.get(block, 0)
                if threading.get_ident() == here and attended and isinstance(output, Tensor):
                    ran[block].append((name, output.shape))

            return note

        try:
            for block in ran:
                part = experiment.body.get_submodule(block)
                handles.append(part.register_forward_pre_hook(begins(block)))
                for name, module in part.named_modules():
                    weight = getattr(module, "weight", None)
                    if isinstance(weight, Tensor) and weight.ndim == 2:
                        handles.append(module.register_forward_hook(ends(block, f"{block}.{name}")))
            experiment.body(**inputs)
        finally:
            for handle in handles:
                handle.remove()
    if any(len(some) < 2 for some in ran.values()):  # only the attention's own
        return None
    last = [some[-1] for some in ran.values()]
    expected = (1, inputs["input_ids"].shape[1], experiment.model.config.hidden_size)
    return tuple(name for name, _ in last) if all(shape == expected for _, shape in last) else None
