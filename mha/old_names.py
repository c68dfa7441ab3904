"""Names of release 0.2 that have another name since 0.3: they still work, each with a DeprecationWarning."""

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

NAMES = {"Brought": "Contributions", "brought": "contributions"}
PARAMETERS = {
    "ask": {"most": "limit", "least": "minimum"},
    "word_statistics": {"left": "excluded"},
    "survey": {"what": "subject"},
    "cell": {"at": "cell_position"},
    "train": {"every": "interval"},
    "predict": {"silenced": "ablated", "each": "ablated_in_turn"},
    "preference": {"silenced": "ablated", "readout": "score", "at": "score_layer"},
    "sweep": {"readout": "score", "at": "score_layer"},
    "iter_sweep": {"readout": "score", "at": "score_layer"},
    "patch": {"contrast": "changed_version", "at": "score_layer"},
    "iter_patch": {"contrast": "changed_version", "at": "score_layer"},
}
FIELDS = {
    "Cell": {
        "brought": "contribution",
        "before": "unrotated",
        "findings": "head_outputs",
    },
    "Patch": {
        "contrast": "changed_version",
        "at": "score_layer",
        "margins": "scores",
        "changed": "changed_words",
        "into_contrast": "into_changed_version",
        "named": "named_heads",
    },
    "Sweep": {"at": "score_layer", "reach": "n_acting_layers", "untouched": "score"},
    "Prediction": {
        "silenced": "ablated_probabilities",
        "first": "ablated_word",
        "alone": "ablated_in_turn",
        "each": "probabilities_in_turn",
    },
}
Function = TypeVar("Function", bound=Callable[..., Any])


def takes_old_names(function: Function) -> Function:
    """Return a function of `PARAMETERS` that takes its parameters by their old names, too."""
    names = PARAMETERS[function.__name__]

    @functools.wraps(function)
    def call(*arguments: Any, **named_arguments: Any) -> Any:
        for old in names.keys() & named_arguments.keys():
            named_arguments[warned(old, names[old])] = named_arguments.pop(old)
        return function(*arguments, **named_arguments)

    return cast(Function, call)


def old_field(value: Any, name: str) -> Any:
    """Return a field of a result by its name of 0.2: the ``__getattr__`` of the classes of `FIELDS`."""
    new = FIELDS[type(value).__name__].get(name)
    if new is None:
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    return getattr(value, warned(name, new))


def warned(old: str, new: str) -> str:
    """Return the new name, with a warning where the old one is used."""
    warnings.warn(f"{old!r} is called {new!r} since Parallax 0.3.", DeprecationWarning, stacklevel=3)
    return new
