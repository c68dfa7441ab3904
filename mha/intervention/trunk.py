"""The pass of one text without changes, with the input of every block, and the estimates that order its ablations."""

import threading
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import torch
from cachetools import LRUCache
from torch import Tensor

from mha.intervention.ablation import Change, HeadChanges, Pass, ablation_changes
from mha.intervention.subject import Subject, in_this_thread
from mha.maps import HeadId
from mha.models.files.environment import one_thread
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import ALONE_UP_TO
from mha.models.watch.attention import Site
from mha.models.watch.recording import listening

TOLERANCE = 1e-4  # nats
KEPT_BYTES = 16 * 2**20  # of the newest texts of a model: 14 tokens of SmolLM2 have 1 MB, 128 tokens 9 MB


@dataclass(frozen=True, eq=False)
class TrunkBlock:
    """A block of the model: its first layer, its input [1, token, d_model], and all arguments of its call, the input
    among them."""

    first_layer: int
    module: Any
    hidden: Tensor
    args: tuple[Any, ...]
    options: dict[str, Any]

    def output(self, hidden: Tensor) -> Tensor:
        """Return the block's output [row, token, d_model]."""
        if self.args:
            output = self.module(hidden, *self.args[1:], **self.options)
        else:
            output = self.module(**self.options | {"hidden_states": hidden})
        return output[0] if isinstance(output, tuple) else output


@dataclass(frozen=True, eq=False)
class Trunk:
    """One text through one model: its blocks, the modules after them, and the log-probabilities without changes.

    ``full_log_probabilities`` is float64 [1, vocabulary] at ``place``, and ``states`` the output of each block there,
    [block, d_model]. ``output_modules`` are the modules after the last block, and ``single_position_modules`` those of
    the last block that may run at ``place`` alone. ``effects`` caches the results of `estimated_effects`. A trunk has
    no reference to its `LoadedModel`, so the cache does not keep the model in memory.
    """

    model: Any
    stack: str
    n_layers: int
    blocks: tuple[TrunkBlock, ...]
    output_modules: tuple[Any, ...]
    place: int
    full_log_probabilities: Tensor
    states: Tensor
    single_position_modules: tuple[Any, ...] = ()
    effects: dict[Hashable, Tensor] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """The bytes of the block inputs and of the log-probabilities."""
        return sum(block.hidden.nbytes for block in self.blocks) + self.full_log_probabilities.nbytes

    def ablated_log_probabilities(self, changes: Sequence[Change]) -> Tensor:
        """Return log-probabilities without changes and with each change, float64 [1 + change, vocabulary].

        ``changes`` must be sorted by layer.
        """
        lowest, hidden = changes[0].head.layer, self.blocks[0].hidden[:0]
        ends = [*(block.first_layer for block in self.blocks[1:]), self.n_layers]
        intervention = HeadChanges(self.stack, {row: (change,) for row, change in enumerate(changes)})
        with torch.inference_mode(), listening(self.model, (), intervention) as call:
            for block, end in zip(self.blocks, ends, strict=True):
                if end <= lowest:
                    continue
                call.n_layers_run[self.stack] = block.first_layer
                rows = sum(block.first_layer <= change.head.layer < end for change in changes)
                hidden = torch.cat([hidden, block.hidden.expand(rows, -1, -1)])
                if block is not self.blocks[-1]:
                    hidden = block.output(hidden)
            values = self.log_probabilities(self.last_states(hidden))
        return torch.cat([self.full_log_probabilities, values])

    def last_states(self, hidden: Tensor) -> Tensor:
        """Return the last block's output at ``place`` [row, d_model] for its inputs [row, token, d_model]."""
        shape, place = hidden.shape[:2], slice(self.place, self.place + 1)

        def at_place(value: Any) -> Any:
            return (
                value[:, place] if isinstance(value, Tensor) and value.ndim == 3 and value.shape[:2] == shape else value
            )

        def narrow_input(_module: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
            return tuple(map(at_place, args)), {name: at_place(value) for name, value in options.items()}

        with ExitStack() as hooks:
            for module in self.single_position_modules:
                hooks.callback(module.register_forward_pre_hook(in_this_thread(narrow_input), with_kwargs=True).remove)
            output = self.blocks[-1].output(hidden)
        return output[:, min(self.place, output.shape[1] - 1)]

    def log_probabilities(self, states: Tensor) -> Tensor:
        """Return the log-probabilities of last hidden states [row, d_model] by the model's own modules, float64 [row,
        vocabulary]."""
        for module in self.output_modules:
            states = module(states)
        return torch.log_softmax(states.double(), dim=-1)


_trunks: WeakKeyDictionary[LoadedModel, LRUCache[Hashable, Trunk]] = WeakKeyDictionary()
_lock = threading.Lock()
_is_caching: ContextVar[bool] = ContextVar("is_caching", default=False)


@contextmanager
def caching_trunks() -> Iterator[None]:
    """Cache trunks inside this context and read cached ones: for the engine, whose models do not change."""
    token = _is_caching.set(True)
    try:
        yield
    finally:
        _is_caching.reset(token)


def trunk_of(experiment: Subject, single_pass: Pass, place: int) -> Trunk | None:
    """Return the pass of a text without changes, cached or run now, or None if the model must be run as a whole.

    ``single_pass`` reads log-probabilities [row, vocabulary] at ``place``. An encoder–decoder predicts in
    another stack.
    """
    if experiment.loaded.row.two_sided or not experiment.block_layers:
        return None
    if experiment.loaded not in _modules_of:  # the modules depend on the model, not on the text
        _modules_of[experiment.loaded] = _find_output_modules(experiment, single_pass, place)
    modules = _modules_of[experiment.loaded]
    if modules is None:
        return None
    if not _is_caching.get():
        return _record_trunk(experiment, single_pass, place, modules)[0]
    inputs = {
        name: tuple(map(tuple, value.tolist()))
        for name, value in single_pass.inputs.items()
        if isinstance(value, Tensor)
    }
    key = place, tuple(inputs.items())
    with _lock:
        cache = _trunks.setdefault(experiment.loaded, LRUCache(KEPT_BYTES, getsizeof=lambda trunk: trunk.n_bytes))
        trunk = cache.get(key)
    if trunk is None:
        trunk, _ = _record_trunk(experiment, single_pass, place, modules)
        if trunk.n_bytes <= KEPT_BYTES:
            with _lock:
                cache[key] = trunk
    return trunk


@dataclass(frozen=True, eq=False)
class OutputModules:
    """The modules after the last block, and the modules of the last block that may run at one position."""

    output_modules: tuple[Any, ...]
    single_position_modules: tuple[Any, ...]


_modules_of: WeakKeyDictionary[LoadedModel, OutputModules | None] = WeakKeyDictionary()


def _record_trunk(
    experiment: Subject, single_pass: Pass, place: int, modules: OutputModules
) -> tuple[Trunk, list[Tensor]]:
    """Return the pass of a text, and the output of each block [1, token, d_model]."""
    blocks: list[TrunkBlock] = []
    outputs: list[Tensor] = []
    n_layers_of = dict(zip(experiment.blocks, (n_layers for _, n_layers in experiment.block_layers), strict=True))

    def record_block(block: Any, args: tuple[Any, ...], options: dict[str, Any], output: Any) -> None:
        first_layer = call.n_layers_run[experiment.stack] - n_layers_of[block]
        hidden = args[0] if args else options["hidden_states"]
        if "past_key_values" in options:
            options = options | {"past_key_values": None}  # a cache would get the keys of each later run as well
        blocks.append(TrunkBlock(first_layer, block, hidden, args, options))
        outputs.append(output[0] if isinstance(output, tuple) else output)

    is_short = single_pass.inputs["input_ids"].shape[1] <= ALONE_UP_TO
    with ExitStack() as contexts, torch.inference_mode(), listening(experiment.model, ()) as call:
        if is_short:
            contexts.enter_context(one_thread())  # two take a third more CPU, and others need the cores
        for block in experiment.blocks:
            contexts.callback(block.register_forward_hook(in_this_thread(record_block), with_kwargs=True).remove)
        full_log_probabilities = single_pass.read(single_pass.runs(**single_pass.inputs))
    states = torch.cat([hidden[:1, place] for hidden in (*(block.hidden for block in blocks[1:]), outputs[-1])])
    trunk = Trunk(
        experiment.model,
        experiment.stack,
        experiment.n_layers,
        tuple(blocks),
        modules.output_modules,
        place,
        full_log_probabilities,
        states,
        modules.single_position_modules,
    )
    return trunk, outputs


def _find_output_modules(experiment: Subject, single_pass: Pass, place: int) -> OutputModules | None:
    """Return the output modules, or None if they, or the last block run again, do not reproduce the whole model."""
    later_modules: list[Any] = []
    last_block_leaves: list[Any] = []  # the last block: its parts that have no parts, in the order in which they run

    def end_block(*_: Any) -> None:
        last_block_leaves[:] = later_modules
        later_modules.clear()

    with ExitStack() as hooks:
        for module in experiment.model.modules():
            if not list(module.children()):
                noted = in_this_thread(lambda part, *_: later_modules.append(part))
                hooks.callback(module.register_forward_hook(noted).remove)
        for block in experiment.blocks:
            hooks.callback(block.register_forward_hook(in_this_thread(end_block)).remove)
        trunk, outputs = _record_trunk(experiment, single_pass, place, OutputModules((), ()))
    trunk = replace(trunk, output_modules=tuple(later_modules))
    last = outputs[-1][:1, place]
    following = [*(block.hidden for block in trunk.blocks[1:]), outputs[-1]]
    try:
        with torch.inference_mode():
            values = trunk.log_probabilities(last)
    except (RuntimeError, TypeError):  # these modules are not a chain
        return None
    close = values.shape == trunk.full_log_probabilities.shape and torch.allclose(
        values, trunk.full_log_probabilities, atol=TOLERANCE
    )
    if not close or not all(map(torch.equal, outputs, following)):
        return None
    for single in (_read_at_one_place(experiment, last_block_leaves), ()):  # a part may need all positions
        candidate = replace(trunk, single_position_modules=single)
        with suppress(RuntimeError, TypeError, ValueError), torch.inference_mode(), listening(experiment.model, ()):
            states = candidate.last_states(torch.cat([trunk.blocks[-1].hidden] * 2))  # two rows, as ablations have
            if torch.allclose(states, last.expand_as(states), atol=TOLERANCE, rtol=TOLERANCE):
                return OutputModules(trunk.output_modules, single)
    return None


def _read_at_one_place(experiment: Subject, last_block_leaves: Sequence[Any]) -> tuple[Any, ...]:
    """Return the feed-forward part of the last block, and the matrix that runs before it: W_O in most models.

    Each result is added to the states of all positions by broadcasting, so a module may run at one position.
    """
    if experiment.feed_forward_outputs is None or not last_block_leaves:
        return ()
    block = experiment.block_layers[-1][0]
    child = experiment.feed_forward_outputs[-1].removeprefix(f"{block}.").split(".")[0]
    part = experiment.body.get_submodule(f"{block}.{child}")
    own_modules = set(part.modules())
    earlier = last_block_leaves[
        : next((number for number, leaf in enumerate(last_block_leaves) if leaf in own_modules), 0)
    ]
    matrices = [leaf for leaf in earlier if getattr(getattr(leaf, "weight", None), "ndim", 0) == 2]
    return (part, *matrices[-1:])


PATH_SHARES = (0.0, 0.25)  # shares of the way to the ablation at which gradients are taken
MAX_TOKENS_ONE_PASS = 48  # tokens up to which both gradients are taken in one pass: 1 MB a token
N_FIRST, N_LEADING, N_LOW_LAYERS = 8, 30, 2


class HeadGradients:
    """An intervention that moves the head outputs part of the way to their ablation, one row for each share.

    It adds zeros that take gradients.
    """

    def __init__(self, stack: str, changes: Sequence[Change], shares: Sequence[float]) -> None:
        self.stack = stack
        self.changes: dict[int, list[Change]] = {}  # by layer, one for each head
        for change in changes:
            self.changes.setdefault(change.head.layer, []).append(change)
        self.shares = shares
        self.zeros: list[Tensor] = []  # of each layer, for which gradients are taken
        self.steps: list[Tensor] = []  # of each layer, from the recorded numbers to the ablated ones

    def weights(self, site: Site, weights: Tensor) -> Tensor | None:
        """Change no weights."""
        return None

    def output(self, site: Site, output: Tensor) -> Tensor | None:
        """Return head outputs [row, query, head, d_head] on the way to what replaces them."""
        if site.stack != self.stack:
            return None
        replacements = [torch.zeros(1) if change.add is None else change.add for change in self.changes[site.layer]]
        ablated = torch.stack(
            [replacement.to(output).expand(output.shape[1], output.shape[3]) for replacement in replacements]
        )
        return self._add_step(site, output.transpose(1, 2), ablated[None]).transpose(1, 2)

    def _add_step(self, site: Site, tensor: Tensor, ablated: Tensor) -> Tensor:
        step = torch.zeros_like(tensor)  # [row, head, query, …]
        queries = self.changes[site.layer][0].queries
        step[:, :, queries] = (ablated - tensor)[:, :, queries]
        zeros = torch.zeros_like(tensor, requires_grad=True)
        self.zeros.append(zeros)
        self.steps.append(step.detach())
        return tensor + torch.tensor(self.shares).to(tensor)[:, None, None, None] * step + zeros


def estimated_effects(
    experiment: Subject,
    single_pass: Pass,
    word: int,
    kind: str,
    position: int | None = None,
    trunk: Trunk | None = None,
) -> Tensor:
    """Return the estimated effects of all heads on a word by position, float32 [gradient, layer, head, query].

    ``single_pass`` reads log-probabilities [row, vocabulary]. Gradients are taken for the added
    zeros only, so parameters and other passes stay unchanged. A ``trunk`` of the text keeps the result.
    """
    cache = {} if trunk is None else trunk.effects
    if (word, kind, position) not in cache:
        changes = ablation_changes(experiment, experiment.heads, kind, position=position)
        cache[word, kind, position] = _effects(experiment, single_pass, word, changes)
    return cache[word, kind, position]


def order_by_estimate(effects: Tensor) -> list[HeadId]:
    """Return all heads, the one with the largest estimated effect first."""
    sizes = effects.sum(dim=3).abs().amax(dim=0)  # [layer, head]
    ranked = sizes.flatten().argsort(descending=True, stable=True).tolist()
    return [HeadId(*divmod(number, sizes.shape[1])) for number in ranked]


def leading_positions(effects: Tensor, head: HeadId, count: int) -> list[int]:
    """Return the positions of a text at which ablating a head has the largest estimated effects, largest first."""
    sizes = effects[:, head.layer, head.head].abs().amax(dim=0)  # [query]
    ranked: list[int] = sizes.argsort(descending=True, stable=True).tolist()
    return ranked[:count]


def _effects(experiment: Subject, single_pass: Pass, word: int, changes: Sequence[Change]) -> Tensor:
    """Return the effects at both shares of the way, in one pass for a short text, [gradient, layer, head, query]."""
    n_tokens, rows = single_pass.inputs["input_ids"].shape[1], []
    for shares in [PATH_SHARES] if n_tokens <= MAX_TOKENS_ONE_PASS else [(share,) for share in PATH_SHARES]:
        gradients_of_heads = HeadGradients(experiment.stack, changes, shares)
        activations = nullcontext() if n_tokens <= MAX_TOKENS_ONE_PASS else half_precision_activations(experiment.model)
        with torch.inference_mode(False), torch.enable_grad(), activations:
            inputs = {  # copied: inputs that were made in inference mode cannot take part
                name: value.repeat(len(shares), 1) if isinstance(value, Tensor) else value
                for name, value in single_pass.inputs.items()
            }
            with listening(experiment.model, (), gradients_of_heads):
                values = single_pass.read(single_pass.runs(**inputs))
            gradients = torch.autograd.grad(values[:, word].sum(), gradients_of_heads.zeros)
        by_layer = [
            (grad * step).sum(dim=3).float().cpu()
            for grad, step in zip(gradients, gradients_of_heads.steps, strict=True)
        ]
        rows.append(torch.stack(by_layer, dim=1))
    return torch.cat(rows)


def half_precision_activations(model: torch.nn.Module) -> AbstractContextManager[Any]:
    """Return a context in which autograd keeps float32 activations as bfloat16, and the weights of a model as they are.

    A long text needs about 40 MB less; the estimates differ by less than 1 % of the largest.
    """
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}

    def pack(tensor: Tensor) -> tuple[Tensor, torch.dtype]:
        is_activation = tensor.dtype == torch.float32 and tensor.untyped_storage().data_ptr() not in weights
        return (tensor.bfloat16() if is_activation else tensor), tensor.dtype

    def unpack(packed: tuple[Tensor, torch.dtype]) -> Tensor:
        tensor, dtype = packed
        return tensor.to(dtype)

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def stages(ranked: Sequence[HeadId], heads: Sequence[HeadId]) -> list[list[HeadId]]:
    """Return the heads in the order of measuring, in stages that each begin with their lowest layer.

    The stages: the 8 leading heads; then layers 0 and 1 and what is left of the 30 leading heads of later layers; then
    the rest.
    """
    requested = [head for head in ranked if head in set(heads)]
    high = [head for head in requested if head.layer >= N_LOW_LAYERS]
    first = requested[:N_FIRST]
    second = [head for head in heads if head.layer < N_LOW_LAYERS or head in high[:N_LEADING]]
    parts, staged = [], set()
    for part in (first, second, heads):
        parts.append(sorted((head for head in part if head not in staged), key=attrgetter("run_order")))
        staged |= set(part)
    return [part for part in parts if part]
