"""Tiny transformers that learn while you watch: a grammar, a learner, a loop of snapshots, measures of diversity."""

from mha.training.bundle import to_word_model
from mha.training.diversity import MEASURES
from mha.training.grammar import Grammar, Sentences
from mha.training.loop import Snapshot, finish, right, train
from mha.training.model import Learner
from mha.training.settings import PRESSURES, READS, STARTS, Settings

__all__ = [
    "MEASURES",
    "PRESSURES",
    "READS",
    "STARTS",
    "Grammar",
    "Learner",
    "Sentences",
    "Settings",
    "Snapshot",
    "finish",
    "right",
    "to_word_model",
    "train",
]
