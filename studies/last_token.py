"""Passes in which only the last token of a text changes: a Llama decoder, written out for one position.

Earlier tokens cannot see the last one: their keys and values are those of the untouched text, and a changed row costs
one token. Nothing of `mha.intervention` computes here, so a number that both give is checked independently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from mha.intervention.subject import Subject
from mha.models.watch.inputs import without_end

HEADS, MLPS, NORM = "heads", "MLPs", "norm"  # parts that a pass can freeze at their untouched values

Edit = Callable[[slice, Tensor], Tensor]  # of the rows that join at a layer, and their tensor [row, head, …]


def unchanged(_rows: slice, tensor: Tensor) -> Tensor:
    """Return the tensor as it is."""
    return tensor


@dataclass(frozen=True, eq=False)
class Untouched:
    """The last token of the untouched text, float32."""

    weights: Tensor  # [layer, head, key]
    output: Tensor  # [layer, head, d_head]
    mlp: Tensor  # [layer, d_model]
    state: Tensor  # [1 + layer, d_model]: before each layer, and after the last


@dataclass(frozen=True, eq=False)
class LastToken:
    """One text in a Llama decoder: keys and values of the tokens before the last, and the embedding of the last one."""

    model: Any
    tokens: tuple[str, ...]
    keys: Tensor  # [layer, group, token, d_head], rotated
    values: Tensor  # [layer, group, token, d_head]
    rotation: tuple[Tensor, Tensor]  # cosine and sine [d_head] at the last position
    embedding: Tensor  # [d_model]

    @classmethod
    def from_text(cls, experiment: Subject, text: str) -> LastToken:
        """Return the last token of a text, after a pass over those before it."""
        return cls.of_texts(experiment, [text])[0]

    @classmethod
    def of_texts(cls, experiment: Subject, texts: Sequence[str]) -> list[LastToken]:
        """Return the last token of each text, after one pass over all texts."""
        encoded = [without_end(experiment.encoded(text)) for text in texts]
        tokens = [tuple(token.text for token in text.tokens) for text in encoded]
        return cls.of_ids(experiment.model, [text.inputs["input_ids"][0] for text in encoded], tokens)

    @classmethod
    def of_ids(
        cls, model: Any, texts: Sequence[Sequence[int]], tokens: Sequence[tuple[str, ...]] = ()
    ) -> list[LastToken]:
        """Return the last of the token ids of each text; shorter texts are padded behind their end."""
        longest = max(map(len, texts)) - 1
        padded = torch.tensor([[*text[:-1], *[0] * (longest - len(text) + 1)] for text in texts])
        with torch.inference_mode():
            cache = model(input_ids=padded, use_cache=True, logits_to_keep=1).past_key_values
            keys, values = (
                torch.stack([getattr(layer, name) for layer in cache.layers]) for name in ("keys", "values")
            )
            embeddings = model.model.embed_tokens(torch.tensor([text[-1] for text in texts]))
            positions = torch.tensor([[len(text) - 1 for text in texts]])
            cosine, sine = (part[0] for part in model.model.rotary_emb(embeddings, positions))  # [text, d_head]
        return [
            cls(
                model,
                tokens[row] if tokens else (),
                keys=keys[:, row, :, : len(text) - 1],
                values=values[:, row, :, : len(text) - 1],
                rotation=(cosine[row], sine[row]),
                embedding=embeddings[row],
            )
            for row, text in enumerate(texts)
        ]

    @cached_property
    def untouched(self) -> Untouched:
        """The untouched pass."""
        weights, output, mlp, states = [], [], [], [self.embedding[None]]
        with torch.inference_mode():
            for number, layer in enumerate(self.model.model.layers):
                weights_of_layer, values = self.attention(number, states[-1])
                outputs_of_layer = mixed(weights_of_layer, values)
                state = states[-1] + layer.self_attn.o_proj(outputs_of_layer.flatten(1))
                weights.append(weights_of_layer[0])
                output.append(outputs_of_layer[0])
                mlp.append(layer.mlp(layer.post_attention_layernorm(state))[0])
                states.append(state + mlp[-1])
        return Untouched(torch.stack(weights), torch.stack(output), torch.stack(mlp), torch.cat(states))

    def attention(self, number: int, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the weights [row, head, key] of a layer and the values [row, head, key, d_head] they weigh."""
        layer = self.model.model.layers[number]
        attention, normed = layer.self_attn, layer.input_layernorm(state)
        query, key, value = (
            projection(normed).unflatten(1, (-1, attention.head_dim))  # [row, head or group, d_head]
            for projection in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        n_shared = query.shape[1] // key.shape[1]
        query, key = self._rotated(query), self._rotated(key).repeat_interleave(n_shared, dim=1)
        keys = self.keys[number].repeat_interleave(n_shared, dim=0)  # [head, token, d_head]
        own_score = (query * key).sum(dim=-1, keepdim=True)
        scores = torch.cat([torch.einsum("rhd,hkd->rhk", query, keys), own_score], dim=-1)
        values = self.values[number].repeat_interleave(n_shared, dim=0).expand(len(state), -1, -1, -1)
        own_value = value.repeat_interleave(n_shared, dim=1)[:, :, None]
        return torch.softmax(scores * attention.scaling, dim=-1), torch.cat([values, own_value], dim=2)

    def run(
        self,
        firsts: Sequence[int],
        weights: Edit = unchanged,
        output: Edit = unchanged,
        frozen: Collection[str] = (),
    ) -> Tensor:
        """Return the input of the unembedding of each changed row, [row, d_model].

        Row i joins at layer ``firsts[i]``, in ascending order, where ``weights`` may edit its attention weights [row,
        head, key] and ``output`` its head outputs [row, head, d_head]. Frozen parts keep their untouched values: the
        heads of later layers, the MLPs of this one and later ones, the scale of the last norm.
        """
        untouched, decoder = self.untouched, self.model.model
        with torch.inference_mode():
            state = untouched.state[:0]
            for number, layer in enumerate(decoder.layers):
                start = len(state)
                rows = slice(start, start + sum(first == number for first in firsts))
                state = torch.cat([state, untouched.state[number].expand(rows.stop - start, -1)])
                if not len(state):
                    continue
                weights_of_layer, values = self.attention(number, state)
                weights_of_layer[rows] = weights(rows, weights_of_layer[rows])
                outputs_of_layer = mixed(weights_of_layer, values)
                outputs_of_layer[rows] = output(rows, outputs_of_layer[rows])
                if HEADS in frozen:
                    outputs_of_layer[:start] = untouched.output[number]
                state = state + layer.self_attn.o_proj(outputs_of_layer.flatten(1))
                if MLPS in frozen:
                    state = state + untouched.mlp[number]
                else:
                    state = state + layer.mlp(layer.post_attention_layernorm(state))
            normed = decoder.norm(state)
            if NORM in frozen:
                return state * self.norm_scale
            return normed

    @cached_property
    def norm_scale(self) -> Tensor:
        """The factor [d_model] of the last norm in the untouched pass."""
        norm, state = self.model.model.norm, self.untouched.state[-1]
        return norm.weight.detach() * torch.rsqrt(state.square().mean() + norm.variance_epsilon)

    def logits(self, normed: Tensor) -> Tensor:
        """Return the logits of inputs of the unembedding, float32 [row, vocabulary]."""
        with torch.inference_mode():
            return self.model.lm_head(normed)

    @property
    def untouched_logits(self) -> Tensor:
        """The logits of the untouched text, float32 [vocabulary]."""
        return self.logits(self.untouched.state[-1] * self.norm_scale)

    def _rotated(self, vectors: Tensor) -> Tensor:
        """Return queries or keys [row, head, d_head] rotated to the last position."""
        cosine, sine = self.rotation
        first, second = vectors.chunk(2, dim=-1)
        return vectors * cosine + torch.cat([-second, first], dim=-1) * sine


def mixed(weights: Tensor, values: Tensor) -> Tensor:
    """Return head outputs [row, head, d_head] of weights [row, head, key] and values [row, head, key, d_head]."""
    return torch.einsum("rhk,rhkd->rhd", weights, values)
