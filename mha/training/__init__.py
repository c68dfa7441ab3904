"""Tiny transformers that learn while you watch: a grammar, a learner, a loop of snapshots, measures of diversity.

Names load the module behind them on first use, so that settings, grammar and finished curves cost no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mha.training.bundle import to_word_model as to_word_model
    from mha.training.curves import Curves as Curves
    from mha.training.curves import Snapshot as Snapshot
    from mha.training.grammar import Grammar as Grammar
    from mha.training.grammar import Sentences as Sentences
    from mha.training.loop import MEASURES as MEASURES
    from mha.training.loop import finish as finish
    from mha.training.loop import right as right
    from mha.training.loop import train as train
    from mha.training.model import Learner as Learner
    from mha.training.settings import PRESSURES as PRESSURES
    from mha.training.settings import READS as READS
    from mha.training.settings import STARTS as STARTS
    from mha.training.settings import Settings as Settings

_HOME = {
    "Curves": "curves",
    "Grammar": "grammar",
    "Learner": "model",
    "MEASURES": "loop",
    "PRESSURES": "settings",
    "READS": "settings",
    "STARTS": "settings",
    "Sentences": "grammar",
    "Settings": "settings",
    "Snapshot": "curves",
    "finish": "loop",
    "right": "loop",
    "to_word_model": "bundle",
    "train": "loop",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'mha.training' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"mha.training.{_HOME[name]}"), name)
