"""Greedy translations of the translator with changed heads of its encoder, many variants of a text at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutput

from mha.intervention.ablation import Change, HeadChanges
from mha.intervention.bank import of_equal_length
from mha.intervention.subject import Subject
from mha.maps import EncoderHead
from mha.models.watch.recording import listening, undisturbed
from mha.models.watch.tokens import Encoded

ROWS = 64  # variants of one text in a batch
MOST = 32  # tokens of an untouched translation
MORE_TOKENS = 8  # that a changed translation may have more
START_OF_WORD = "▁"

Variant = tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class Translation:
    """A text with its greedy translation by the untouched model; ``ids`` have neither start token nor end sign."""

    source: str
    encoded: Encoded
    ids: tuple[int, ...]
    text: str


@dataclass(frozen=True, eq=False)
class Engine:
    """An encoder–decoder that translates a text with many variants of its encoder at once."""

    experiment: Subject

    @property
    def heads(self) -> list[EncoderHead]:
        """All heads of the encoder, layer by layer."""
        return [EncoderHead(*head) for head in self.experiment.heads]

    def translations(self, texts: Sequence[str]) -> dict[str, Translation]:
        """Return the untouched translation of each text."""
        encoded = [self.experiment.encoded(text) for text in texts]
        translations = {}
        for group in of_equal_length(encoded):
            with torch.inference_mode(), undisturbed(self.experiment.model):
                inputs = self.experiment.inputs([encoded[number] for number in group])
                states = self.experiment.body(**inputs).last_hidden_state
            for number, ids in zip(group, self._greedy(states, MOST), strict=True):
                translations[texts[number]] = Translation(texts[number], encoded[number], ids, self._text_of(ids))
        return translations

    def variants(self, untouched: Translation, variants: Sequence[Variant], n_same: int | None = None) -> list[str]:
        """Return the translation by each variant.

        A variant that writes the first ``n_same`` tokens of the untouched translation (by default all) counts as
        unchanged: greedy tokens are the likeliest ones after the untouched prefix, so one pass finds these variants.
        """
        end = self.experiment.model.config.eos_token_id
        prefix = (*untouched.ids, end)[:n_same]
        texts = []
        for start in range(0, len(variants), ROWS):
            states = self.states(untouched.encoded, variants[start : start + ROWS])
            likeliest = self.logits(states, prefix[:-1], len(prefix)).argmax(dim=-1)
            changed = (likeliest != torch.tensor(prefix)).any(dim=1).nonzero()[:, 0]
            part = [untouched.text] * len(states)
            if len(changed):
                ids = self._greedy(states[changed], len(untouched.ids) + MORE_TOKENS)
                for row, row_ids in zip(changed.tolist(), ids, strict=True):
                    part[row] = self._text_of(row_ids)
            texts += part
        return texts

    def states(self, encoded: Encoded, variants: Sequence[Variant]) -> Tensor:
        """Return the encoder's last hidden states of some variants, [variant, token, d_model]."""
        inputs = {name: ids.expand(len(variants), -1) for name, ids in self.experiment.inputs(encoded).items()}
        changes = HeadChanges(self.experiment.stack, dict(enumerate(variants)))
        with torch.inference_mode(), listening(self.experiment.model, (), changes):
            states: Tensor = self.experiment.body(**inputs).last_hidden_state
        return states

    def logits(self, states: Tensor, prefix: Sequence[int], n_last: int) -> Tensor:
        """Return the logits after the last tokens of the start token and a prefix, [variant, token, vocabulary]."""
        model = self.experiment.model
        ids = torch.tensor([[model.config.decoder_start_token_id, *prefix]]).expand(len(states), -1)
        with torch.inference_mode(), undisturbed(model):
            output = model.model.decoder(input_ids=ids, encoder_hidden_states=states, use_cache=False)
            logits: Tensor = model.lm_head(output.last_hidden_state[:, -n_last:]) + model.final_logits_bias
        return logits

    def arrays(self, encoded: Encoded) -> tuple[Tensor, Tensor]:
        """Return a text's weights [layer, head, query, key] and head outputs [layer, head, token, d_head]."""
        experiment = self.experiment
        with torch.inference_mode(), listening(experiment.model, ("weights", "output")) as call:
            experiment.body(**experiment.inputs(encoded))
        return call.stacked(experiment.stack, "weights"), call.stacked(experiment.stack, "output")

    def lengths(self, moves: Tensor, positions: Sequence[int] | None = None) -> np.ndarray:
        """Return how long moves of head outputs [layer, head, token, d_head] are after W_O, float64 [layer, head].

        It is the Euclidean length over the tokens at some positions, by default over all.
        """
        moves = moves if positions is None else moves[:, :, list(positions)]
        layers = self.experiment.model.model.encoder.layers
        matrices = torch.stack([layer.self_attn.out_proj.weight.detach() for layer in layers])
        by_head = matrices.unflatten(2, (self.experiment.n_heads, -1))  # [layer, d_model, head, d_head]
        lengths = torch.einsum("lhtd,lmhd->lhtm", moves, by_head).flatten(2).norm(dim=2)
        return np.asarray(lengths.double())

    def word_ends(self, ids: Sequence[int]) -> list[int]:
        """Return how many tokens a translation has up to the end of each word, marks behind it included."""
        pieces = self.experiment.loaded.tokenizer.convert_ids_to_tokens(list(ids))
        starts = [number for number, piece in enumerate(pieces) if piece.startswith(START_OF_WORD)]
        return [*starts[1:], len(pieces)]

    def token_ids(self, words: Sequence[str]) -> list[int] | None:
        """Return the ids of words of one token each, or None if one has more."""
        tokenizer = self.experiment.loaded.tokenizer
        ids = [int(number) for number in tokenizer.convert_tokens_to_ids([START_OF_WORD + word for word in words])]
        return None if tokenizer.unk_token_id in ids else ids

    def _greedy(self, states: Tensor, limit: int) -> list[tuple[int, ...]]:
        """Return the token ids of the greedy translation of each row of hidden states."""
        model, end = self.experiment.model, self.experiment.model.config.eos_token_id
        ids, cache = torch.full((len(states), 1), model.config.decoder_start_token_id), None
        with torch.inference_mode(), undisturbed(model):
            for _ in range(limit):
                new = ids if cache is None else ids[:, -1:]
                output = model(
                    encoder_outputs=BaseModelOutput(states),
                    decoder_input_ids=new,
                    past_key_values=cache,
                    use_cache=True,
                )
                cache = output.past_key_values
                ids = torch.cat([ids, output.logits[:, -1:].argmax(dim=-1)], dim=1)
                if (ids == end).any(dim=1).all():
                    break
        rows = [[int(number) for number in row[1:]] for row in ids]
        return [tuple(row[: row.index(end)] if end in row else row) for row in rows]

    def _text_of(self, ids: Sequence[int]) -> str:
        return str(self.experiment.loaded.tokenizer.decode(list(ids), skip_special_tokens=True))
