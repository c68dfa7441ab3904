"""Training as a generator of snapshots; it stops when the caller stops iterating.

    for snapshot in train(Settings(n_heads=2)):
        print(snapshot.step, snapshot.joint)

The same settings give the same snapshots: every random number comes from the seed, and PyTorch runs on one thread. How
different the heads of a layer are is measured as they learn, a mean over pairs of heads, at the pivots; the pressure
subtracts a disagreement of Li et al. 2018 ("Multi-Head Attention with Disagreement Regularization") from the loss.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator, Iterator
from itertools import combinations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from mha.models.files.environment import one_thread
from mha.training.grammar import Grammar, Sentences
from mha.training.model import Learner
from mha.training.settings import Settings, Snapshot


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
        silenced=np.array([right(learner, unseen, ablated=(head,)).mean(axis=0) for head in range(n_heads)]),
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
