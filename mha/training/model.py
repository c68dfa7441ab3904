"""A tiny transformer and its training."""

import threading
from collections.abc import Callable, Collection, Generator, Iterator
from itertools import combinations
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding

from mha.core import random_reads
from mha.models.files.environment import one_thread
from mha.old_names import takes_old_names
from mha.training.settings import NOUNS, Grammar, Sentences, Settings, Snapshot

SMALL, LARGE, NOISE = 0.1, 3.0, 1e-3


def head_reads(settings: Settings, layer: int = 0) -> np.ndarray | None:
    """Return which numbers of the embedding each head reads, bool [head, d_model]; None if all read everything."""
    if settings.reads == "everything":
        return None
    if settings.reads == "random":
        generator = np.random.default_rng([settings.seed, 2, layer])
        return random_reads(settings.d_model, settings.n_heads, settings.numbers_read, generator)
    reads = np.zeros((settings.n_heads, settings.d_model), dtype=bool)
    for head, row in enumerate(reads):
        row[head * settings.numbers_read : (head + 1) * settings.numbers_read] = True
    return reads


def _usual(settings: Settings, generator: torch.Generator) -> list[Tensor]:
    """Xavier's uniform numbers, variance 2 / (rows + columns). Source: Glorot & Bengio 2010."""
    width = settings.n_heads * settings.width
    shapes = [(settings.d_model, width)] * 3 + [(width, settings.d_model)]
    return [torch.nn.init.xavier_uniform_(torch.empty(shape), generator=generator) for shape in shapes]


def _scaled(factor: float) -> Callable[[Settings, torch.Generator], list[Tensor]]:
    return lambda settings, generator: [factor * matrix for matrix in _usual(settings, generator)]


def _orthogonal(settings: Settings, generator: torch.Generator) -> list[Tensor]:
    return [torch.nn.init.orthogonal_(matrix, generator=generator) for matrix in _usual(settings, generator)]


def _identical(noise: float = 0.0, own_output: bool = False) -> Callable[[Settings, torch.Generator], list[Tensor]]:
    """Give every head the numbers of head 0; the usual size, so that only the symmetry is different."""

    def build(settings: Settings, generator: torch.Generator) -> list[Tensor]:
        *projections, w_output = _usual(settings, generator)
        copies = [matrix[:, : settings.width].repeat(1, settings.n_heads) for matrix in projections]
        copies.append(w_output if own_output else w_output[: settings.width].repeat(settings.n_heads, 1))
        return [copy + noise * torch.randn(copy.shape, generator=generator) for copy in copies]

    return build


# Initial values for each setting of `start`: w_query, w_key, w_value [d_model, n_heads · d_head] and w_output
# [n_heads · d_head, d_model].
_STARTS: dict[str, Callable[[Settings, torch.Generator], list[Tensor]]] = {
    "usual": _usual,
    "small": _scaled(SMALL),
    "large": _scaled(LARGE),
    "orthogonal": _orthogonal,
    "identical": _identical(),
    "identical+noise": _identical(noise=NOISE),
    "identical, own output": _identical(own_output=True),
}


MAX_TOKENS = 20  # number of distinct positions
EMBEDDING_SPREAD = 0.2  # standard deviation of embeddings and positions at the start
READER_HIDDEN = 64


class Attention(nn.Module):
    """One multi-head layer that can be trained; parameters are kept head by head.

    Every head goes through the same products of the same shapes, so that equal heads get bitwise equal gradients.
    """

    def __init__(self, settings: Settings, generator: torch.Generator, layer: int) -> None:
        super().__init__()
        self.n_heads, self.d_head = settings.n_heads, settings.width
        self.reads = head_reads(settings, layer)
        *projections, w_output = _STARTS[settings.start](settings, generator)
        heads = [
            matrix.unflatten(1, (self.n_heads, self.d_head)).transpose(0, 1).contiguous() for matrix in projections
        ]
        self.w_query, self.w_key, self.w_value = map(nn.Parameter, heads)  # [head, d_model, d_head]
        self.w_output = nn.Parameter(w_output.unflatten(0, (self.n_heads, self.d_head)))  # [head, d_head, d_model]
        read = np.ones((self.n_heads, settings.d_model)) if self.reads is None else self.reads
        self.read = torch.from_numpy(read.astype(np.float32))[:, :, None]  # [head, d_model, 1]

    def forward(
        self, asking: Tensor, x: Tensor, visible: Tensor, ablated: Collection[int] = ()
    ) -> tuple[Tensor, Tensor]:
        """Return the output added to the querying words, [sentence, query, d_model], and the weights [head, sentence,
        query, key].

        ``asking`` is [sentence, query, d_model], ``x`` [sentence, token, d_model], ``visible`` bool [sentence, token];
        heads in ``ablated`` contribute nothing.
        """
        query = self._project(asking, self.w_query)  # [head, sentence, query, d_head]
        key = self._project(x, self.w_key)  # [head, sentence, token, d_head]
        value = self._project(x, self.w_value)  # [head, sentence, token, d_head]
        scores = query @ key.transpose(2, 3) / self.d_head**0.5  # [head, sentence, query, key]
        weights = scores.masked_fill(~visible[:, None, :], -torch.inf).softmax(dim=-1)
        gathered = weights @ value  # [head, sentence, query, d_head]
        contributions = (gathered.flatten(1, 2) @ self.w_output).unflatten(1, asking.shape[:2])
        active_heads = [head for head in range(self.n_heads) if head not in ablated]
        return contributions[active_heads].sum(dim=0), weights

    def _project(self, x: Tensor, matrix: Tensor) -> Tensor:
        """Return [head, sentence, token, d_head] from [sentence, token, d_model]."""
        rows = x.flatten(0, 1).expand(self.n_heads, -1, -1)  # [head, sentence · token, d_model]
        return (rows @ (matrix * self.read)).unflatten(1, x.shape[:2])


class Learner(nn.Module):
    """Embeddings, one or two layers, one reader for each reading."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        generator = torch.Generator().manual_seed(settings.seed)
        n_words = len(Grammar(settings.n_readings).vocabulary)
        self.embeddings = nn.Parameter(EMBEDDING_SPREAD * torch.randn(n_words, settings.d_model, generator=generator))
        self.positions = nn.Parameter(EMBEDDING_SPREAD * torch.randn(MAX_TOKENS, settings.d_model, generator=generator))
        self.layers = nn.ModuleList(Attention(settings, generator, layer) for layer in range(settings.n_layers))
        self.readers = nn.ModuleList(_reader(settings, generator) for _ in range(settings.n_readings))

    def forward(
        self, tokens: Tensor, visible: Tensor, pivot: Tensor, ablated: Collection[int] = ()
    ) -> tuple[Tensor, list[Tensor]]:
        """Return scores of the nouns [sentence, reading, noun] and each layer's weights; ``ablated`` are heads of the
        last layer.
        """
        x = embedding(tokens, self.embeddings) + self.positions[: tokens.shape[1]]  # [sentence, token, d_model]
        *below, last = self.layers
        looks = []
        for layer in below:
            output, look = layer(x, x, visible)
            x = x + output  # [sentence, token, d_model]
            looks.append(look)
        at_pivot = x[torch.arange(len(x)), pivot]  # [sentence, d_model]; of the last layer only the pivot is read
        output, look = last(at_pivot[:, None], x, visible, ablated)
        at_pivot = at_pivot + output[:, 0]  # [sentence, d_model]
        return torch.stack([reader(at_pivot) for reader in self.readers], dim=1), [*looks, look]

    def weights(self, tokens: Tensor) -> Tensor:
        """Return where every word of one sentence [token] looks, [layer, head, query, key]."""
        x = (self.embeddings[tokens] + self.positions[: len(tokens)])[None]  # [1, token, d_model]
        layers = []
        for layer in self.layers:
            output, look = layer(x, x, torch.ones(1, len(tokens), dtype=torch.bool))
            x = x + output
            layers.append(look[:, 0])  # [head, query, key]
        return torch.stack(layers)

    @property
    def last(self) -> Attention:
        """The layer whose output the readers read."""
        return cast(Attention, self.layers[-1])


def _reader(settings: Settings, generator: torch.Generator) -> nn.Module:
    """Return a linear reader, or one with a hidden layer, started from the run's own generator.

    The hidden layer is tanh: behind ReLU a single head still looks at one noun alone after 600 steps in some seeds.
    """
    if not settings.mlp_readers:
        return _linear(settings.d_model, len(NOUNS), generator)
    hidden = _linear(settings.d_model, READER_HIDDEN, generator)
    return nn.Sequential(hidden, nn.Tanh(), _linear(READER_HIDDEN, len(NOUNS), generator))


def _linear(n_in: int, n_out: int, generator: torch.Generator) -> nn.Linear:
    linear = nn.Linear(n_in, n_out)
    with torch.no_grad():
        nn.init.xavier_uniform_(linear.weight, generator=generator)
        nn.init.zeros_(linear.bias)
    return linear


def jensen_shannon(weights: Tensor) -> Tensor:
    """Return the divergence of [head, …, key] weights, in bits, [0, 1]: 0 = all look alike, 1 = nothing in common.

    JS(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2.
    """
    return _over_pairs(weights, lambda p, q: _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2)


def disagreement_of_positions(weights: Tensor) -> Tensor:
    """Return −mean over pairs of Σ_k w_i[k] w_j[k], in [−1, 0]: 0 when no two heads look at the same word."""
    return -_over_pairs(weights, lambda p, q: (p * q).sum(dim=-1))


# The reward of each setting of `pressure`.
DISAGREEMENTS: dict[str, Callable[[Tensor], Tensor]] = {"positions": disagreement_of_positions}


def _over_pairs(heads: Tensor, compare: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Return the mean of ``compare`` over all pairs of heads and over all remaining axes."""
    return torch.stack([compare(heads[i], heads[j]).mean() for i, j in combinations(range(len(heads)), 2)]).mean()


def _entropy(p: Tensor) -> Tensor:
    return -(p * p.clamp_min(torch.finfo(p.dtype).tiny).log2()).sum(dim=-1)


N_UNSEEN, N_SEEN = 800, 400  # sentences to be tested on
BATCHES_AT_ONCE = 50
TRAINING, UNSEEN, SEEN = 3, 4, 5  # streams of random numbers of one seed
_turn = threading.Lock()  # one chunk of steps at a time


@takes_old_names
def train(settings: Settings, interval: int = 25) -> Generator[Snapshot, None, Learner]:
    """Yield a snapshot before the first step, after every ``interval`` steps and at the end; return the learner.

    Adam, one cycle of the learning rate, the sum of the readings' cross-entropies. Closing the generator stops it.
    """
    grammar = Grammar(settings.n_readings, settings.seed)
    learner = Learner(settings)
    optimizer = torch.optim.Adam(learner.parameters(), lr=settings.learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.learning_rate, total_steps=settings.n_steps)
    batches = _batches(grammar, settings)
    unseen = grammar.sentences(N_UNSEEN, np.random.default_rng([settings.seed, UNSEEN]), held_out=True)
    seen = grammar.sentences(N_SEEN, np.random.default_rng([settings.seed, SEEN]))
    step = 0
    with _turn, one_thread():
        snapshot = look_at(learner, grammar, unseen, seen, step)
    yield snapshot
    while step < settings.n_steps:
        with _turn, one_thread():
            for _ in range(min(interval, settings.n_steps - step)):
                _step(learner, next(batches), optimizer)
                schedule.step()
                step += 1
            snapshot = look_at(learner, grammar, unseen, seen, step)
        yield snapshot
    return learner


@torch.no_grad()
def right(learner: Learner, sentences: Sentences, ablated: Collection[int] = ()) -> np.ndarray:
    """Return which answers are right, bool [sentence, reading], with the heads in ``ablated`` (last layer) silent."""
    logits, _ = _forward(learner, sentences, ablated)
    return logits.argmax(dim=-1).numpy() == sentences.answers


@torch.no_grad()
def look_at(learner: Learner, grammar: Grammar, unseen: Sentences, seen: Sentences, step: int) -> Snapshot:
    """Return a snapshot of a learner."""
    logits, looks = _forward(learner, unseen)
    correct = logits.argmax(dim=-1).numpy() == unseen.answers  # [sentence, reading]
    last = looks[-1]
    at_nouns = np.take_along_axis(last[:, :, 0].numpy(), unseen.nouns[None], axis=2)  # [head, sentence, noun]
    n_heads = learner.settings.n_heads
    return Snapshot(
        step=step,
        joint=float(correct.all(axis=1).mean()),
        joint_seen=float(right(learner, seen).all(axis=1).mean()),
        readings=correct.mean(axis=0),
        looks=at_nouns.mean(axis=1),
        ablated=np.array([right(learner, unseen, ablated=(head,)).mean(axis=0) for head in range(n_heads)]),
        diversity=jensen_shannon(last).item() if n_heads > 1 else float("nan"),
        weights=learner.weights(torch.from_numpy(grammar.example().tokens[0])).numpy(),
    )


def _batches(grammar: Grammar, settings: Settings) -> Iterator[Sentences]:
    """Yield training batches for ever, drawn many at a time."""
    generator = np.random.default_rng([settings.seed, TRAINING])
    while True:
        sentences = grammar.sentences(BATCHES_AT_ONCE * settings.batch, generator)
        for start in range(0, len(sentences), settings.batch):
            yield sentences[start : start + settings.batch]


def _step(learner: Learner, batch: Sentences, optimizer: torch.optim.Optimizer) -> None:
    """Learn from one batch."""
    settings = learner.settings
    logits, looks = _forward(learner, batch)
    answers = torch.from_numpy(batch.answers)  # [sentence, reading]
    loss = settings.n_readings * cross_entropy(logits.flatten(0, 1), answers.flatten())
    if settings.pressure != "none" and settings.n_heads > 1:
        loss = loss - settings.strength * DISAGREEMENTS[settings.pressure](looks[-1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _forward(learner: Learner, sentences: Sentences, ablated: Collection[int] = ()) -> tuple[Tensor, list[Tensor]]:
    tokens, visible, pivot = map(torch.from_numpy, (sentences.tokens, sentences.visible, sentences.pivot))
    return learner(tokens, visible, pivot, ablated)
