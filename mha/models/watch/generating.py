"""Letting a model write, and seeing for each new token where every head looked back.

The look that writes a token comes from the token before it. Causal rows do not change when tokens are added behind
them, so that one fresh pass over the whole text has every step's looks and probabilities exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.maps import Recording, Token
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.hub import is_hub_id
from mha.models.files.loading import LoadedModel, load
from mha.words import accept

MOST = 64  # tokens that are written


@dataclass(frozen=True, eq=False)
class Generation:
    """What a model wrote behind a text (or, of an encoder–decoder, beside it), and the recording of all of it.

    ``tokens`` are all tokens of the axis that was written on (``ids`` their numbers), the first ``n_read`` of them
    given: step s wrote ``tokens[n_read + s]`` from the row ``n_read + s - 1``. ``probabilities`` is float64 [step],
    each token's own. ``ended`` says that the model set its end sign last; ``seed`` is None for the likeliest token
    each time.
    """

    recording: Recording
    tokens: tuple[Token, ...]
    ids: tuple[int, ...]
    n_read: int
    probabilities: np.ndarray
    ended: bool
    seed: int | None
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def n_steps(self) -> int:
        """How many tokens were written."""
        return len(self.tokens) - self.n_read

    @property
    def written(self) -> tuple[Token, ...]:
        """The tokens that were written."""
        return self.tokens[self.n_read :]

    def looks(self, step: int, stack: str = "") -> np.ndarray:
        """Return where every head looked to write the token of a step, float32 [layer, head, key].

        Keys are the tokens up to the one that looks; of ``stack="cross"`` they are all of the source.

        Raises:
            InputError: there is no such step or stack.
        """
        stacks = self.recording.stacks
        stack = stack or ("decoder" if "decoder" in stacks else "self")
        if not 0 <= step < self.n_steps:
            raise InputError(
                f"{self.n_steps} tokens were written, steps 0 to {self.n_steps - 1}; you asked for {step}."
            )
        if stack not in stacks or stack == "encoder":
            options = ", ".join(name for name in stacks if name != "encoder")
            raise InputError(f"This model looks back by {options}; there is no {stack!r} here.")
        row = self.n_read + step - 1
        found = stacks[stack][:, :, row]
        return found if stack == "cross" else found[..., : row + 1]


def generate(
    text: str,
    model: str | LoadedModel = DEFAULT,
    n_tokens: int = 16,
    seed: int | None = None,
    temperature: float = 1.0,
) -> Generation:
    """Return what a model writes: greedily, or drawn with a ``seed`` from its probabilities at a ``temperature``.

    At most 64 tokens, and no more than its positions hold; it stops at the model's own end sign.

    Raises:
        InputError: no word in the text, no room, or a number out of its range.
        AttentionUnavailable: the model does not write (no layer that predicts the next word).
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    if not 1 <= n_tokens <= MOST:
        raise InputError(f"A model writes 1 to {MOST} tokens here; you asked for {n_tokens}.")
    if not 0.05 <= temperature <= 5:
        raise InputError(f"A temperature lies between 0.05 and 5; you asked for {temperature:g}.")
    accepted = accept(text)
    loaded = writer(model)
    from mha.models.watch.writing import write

    return write(loaded, accepted, n_tokens, seed, temperature)


def writer(model: str | LoadedModel) -> LoadedModel:
    """Return a loaded model; raise AttentionUnavailable if it is one of the toys, which predict nothing."""
    from mha.errors import AttentionUnavailable

    if isinstance(model, str) and not is_hub_id(model) and model_row(model).kind != "transformer":
        raise AttentionUnavailable(f"{model_row(model).short} predicts no words.")
    return model if isinstance(model, LoadedModel) else load(model)
