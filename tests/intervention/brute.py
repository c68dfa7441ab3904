"""Experiments done the plain way: one head at a time, a hook before W_O, the whole model run each time."""

import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from transformers import BertForMaskedLM

from mha.maps import Reading
from mha.models.files.loading import LoadedModel
from mha.models.watch.attention import removing_capture_hooks
from mha.models.watch.tokens import encode
from tests.models.tiny import PLAIN, THROUGH_THE_INTERFACE, Tiny

TEXT = "I saw the man with the telescope, didn't I?"
CONTRAST = "A saw the man with the telescope, didn't I?"
READINGS = (Reading("used to see", ((6, 1),)), Reading("he had it", ((6, 3),)))
ROWS = {row.architecture: row for row in THROUGH_THE_INTERFACE}
MASKED = Tiny(BertForMaskedLM.__name__, PLAIN)

Head = tuple[int, int]
Slice = Callable[[torch.Tensor], torch.Tensor]  # [token, d_head] to the same


@dataclass(frozen=True)
class Plain:
    """Where an architecture keeps the W_O of a layer, below the part that is run."""

    architecture: str
    projection: str

    def part(self, loaded: LoadedModel):
        model = loaded.model
        return model.get_encoder() if model.config.is_encoder_decoder else model.base_model


PLAIN_WAYS = (
    Plain("MiniLM", "encoder.layer.{}.attention.output.dense"),
    Plain("GPT2Model", "h.{}.attn.c_proj"),
    Plain("LlamaForCausalLM", "layers.{}.self_attn.o_proj"),
    Plain("T5ForConditionalGeneration", "block.{}.layer.0.SelfAttention.o"),
)


def some_heads(way: Plain, layer: int, n_heads: int) -> range:
    """Every head of a tiny model, and each layer's share of MiniLM's, which take longer."""
    return range(layer % 5, n_heads, 5) if way.architecture == "MiniLM" else range(n_heads)


@contextmanager
def changed(loaded: LoadedModel, way: Plain, changes: Mapping[Head, Slice], n_heads: int):
    """Let the outputs of some heads be changed while the model runs."""
    handles = []

    def hook_for(layer: int):
        def hook(_, args):
            output = args[0].clone()  # [1, token, d_model]
            width = output.shape[-1] // n_heads
            for (at, head), change in changes.items():
                if at == layer:
                    here = slice(head * width, (head + 1) * width)
                    output[0, :, here] = change(output[0, :, here])
            return (output, *args[1:])

        return hook

    try:
        for layer in {layer for layer, _ in changes}:
            projection = way.part(loaded).get_submodule(way.projection.format(layer))
            handles.append(projection.register_forward_pre_hook(hook_for(layer)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def hidden(loaded: LoadedModel, way: Plain, text: str, changes: Mapping[Head, Slice], n_heads: int) -> list[np.ndarray]:
    """Hidden states [token, d_model] after each block, from a copy of the whole run."""
    encoded = encode(loaded.tokenizer, text)
    inputs = {name: torch.tensor(value) for name, value in encoded.inputs.items()}
    with torch.no_grad(), removing_capture_hooks(loaded.model), changed(loaded, way, changes, n_heads):
        states = way.part(loaded)(**inputs, output_hidden_states=True).hidden_states
    return [state[0].numpy() for state in states]


def outputs(loaded: LoadedModel, way: Plain, text: str, n_layers: int, n_heads: int) -> np.ndarray:
    """Every head's output before W_O, [layer, head, token, d_head]."""
    kept: dict[Head, torch.Tensor] = {}

    def keeping(head: Head) -> Slice:
        def keep(output: torch.Tensor) -> torch.Tensor:
            kept[head] = output.clone()
            return output

        return keep

    every = {(layer, head): keeping((layer, head)) for layer in range(n_layers) for head in range(n_heads)}
    hidden(loaded, way, text, every, n_heads)
    return np.array([[kept[layer, head].numpy() for head in range(n_heads)] for layer in range(n_layers)])


def margin(loaded: LoadedModel, text: str, states: np.ndarray, readings=READINGS) -> float:
    """The link margin from hidden states [token, d_model], written out."""
    tokens = encode(loaded.tokenizer, text).tokens

    def vector(word: int) -> np.ndarray:
        return np.mean([states[n] for n, token in enumerate(tokens) if token.word == word], axis=0, dtype=np.float64)

    def cosine(pair: tuple[int, int]) -> float:
        x, y = vector(pair[0]), vector(pair[1])
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))

    return cosine(readings[0].links[0]) - cosine(readings[1].links[0])


CAPTURING = "transformers.utils.output_capturing"  # its own hooks stay once hidden states were asked for


def left_on(loaded: LoadedModel, seconds: float = 10) -> list[str]:
    """Return what stays on the model after an experiment: hooks, gradients, another attention function, another mode.

    One that a page has left running in another thread may still be at work on the same model: wait for it.
    """
    end = time.monotonic() + seconds
    while _left_on(loaded) and time.monotonic() < end:
        time.sleep(0.1)
    return _left_on(loaded)


def _left_on(loaded: LoadedModel) -> list[str]:
    model = loaded.model
    modules = list(model.modules())
    hooks = [*(hook for one in modules for hook in (*one._forward_hooks.values(), *one._forward_pre_hooks.values()))]
    found = {
        "hooks": any(hook.__module__ != CAPTURING for hook in hooks),
        "gradients": any(parameter.grad is not None for parameter in model.parameters()),
        "its attention function": model.config._attn_implementation == "parallax",
        "training mode": model.training,
    }
    return [name for name, there in found.items() if there]
