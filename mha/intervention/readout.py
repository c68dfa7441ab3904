"""Scores of two readings from the model itself: each is one number, positive towards reading A.

Every score defines its passes and reads a number from each; the value is the sum. A score describes the model's state,
not the meaning of the sentence: only with the gate of its kind (SCIENCE: hit rates on forced pairs) does it allow a
verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from mha.analysis.readings import Readings
from mha.errors import InputError
from mha.intervention.ablation import MOST_ROWS, Pass, Variant, gathering_parts, rows_at_once, variants_in_parts
from mha.intervention.outcomes import Sweep
from mha.intervention.subject import Links, PlacedText, Subject, place_readings, subject, tokens_of
from mha.intervention.typed import NO_LIMIT, typed_words
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.inputs import without_end
from mha.models.watch.tokens import Encoded, encode
from mha.stepwise import Steps
from mha.words import next_word_text


@dataclass(frozen=True)
class LinkMargin:
    """The link margin: cos(h_pivot, h_A) − cos(h_pivot, h_B) of contextual word vectors at one block output.

    A word's vector is the mean over its tokens; a reading with several links takes their mean. In [−2, 2].
    """

    def passes(self, experiment: Subject, place: PlacedText, score_layer: int) -> tuple[Pass, ...]:
        """Return the one pass, which ends at the block output that is read."""
        positions = {word: tokens_of(place.encoded.tokens, word) for pair in (*place.a, *place.b) for word in pair}

        def margin(states: Any) -> Tensor:
            states = states if isinstance(states, Tensor) else states.last_hidden_state
            vectors = {word: states[:, tokens].float().mean(dim=1) for word, tokens in positions.items()}
            return nearness(vectors, place.a) - nearness(vectors, place.b)

        stop = None if score_layer == experiment.n_layers else score_layer
        return (Pass(experiment.inputs(place.encoded), margin, stop),)


@dataclass(frozen=True)
class TwoTexts:
    """A readout of two texts, by the log-probability of each, in nats: a pass for each, the second subtracted.

    ``compared`` describes the texts, and ``refusal`` is the reason for models without this score.
    """

    a: str
    b: str
    compared: ClassVar[str]
    refusal: ClassVar[str]

    @staticmethod
    def fits(experiment: Subject) -> bool:
        """Return whether a model gives such texts a probability."""
        return experiment.model.get_output_embeddings() is not None

    def passes(self, experiment: Subject, place: PlacedText, _score_layer: int) -> tuple[Pass, ...]:
        """Return one pass for each text; raise InputError for texts that cannot be compared, or a model unfit."""
        a, b = (self._piece(place, text) for text in (self.a, self.b))
        if not self.a.strip(" \t") or not self.b.strip(" \t"):
            raise InputError(f"Two {self.compared} are compared; one of them is empty.")
        if a == b:
            raise InputError(f"Two {self.compared} are compared; both are {a.strip()!r}.")
        if not self.fits(experiment):
            raise InputError(f'{experiment.name} {self.refusal}. Use score="link".')
        return self._passes(experiment, place)

    def _piece(self, _place: PlacedText, text: str) -> str:
        return text.strip()

    def _passes(self, experiment: Subject, place: PlacedText) -> tuple[Pass, ...]:
        return self._pass(experiment, place, self.a, 1), self._pass(experiment, place, self.b, -1)

    def _pass(self, experiment: Subject, place: PlacedText, text: str, sign: int) -> Pass:
        raise NotImplementedError


class Continuations(TwoTexts):
    """For causal models: log P(a | text) − log P(b | text), summed over the tokens of each continuation, in nats.

    Both are read as they are typed behind the text, with a space before them only where the language writes one.
    """

    compared, refusal = "continuations", "does not continue a text"

    @staticmethod
    def fits(experiment: Subject) -> bool:
        """Return whether a model is causal, with a layer that predicts words."""
        return experiment.causal and TwoTexts.fits(experiment)

    def _piece(self, place: PlacedText, text: str) -> str:
        return next_word_text(place.text, text)

    def _passes(self, experiment: Subject, place: PlacedText) -> tuple[Pass, ...]:
        typed = typed_words(experiment.loaded, place.text, (self.a, self.b))
        prefix = without_end(encode(experiment.loaded.tokenizer, typed.text, max_tokens=NO_LIMIT))
        read, limit = len(prefix.tokens), experiment.loaded.max_tokens
        if read + max(map(len, typed.ids)) > limit:
            raise InputError(
                f"Text and continuation cannot be read as a whole: {experiment.name} reads {limit} tokens."
            )
        passes = []
        for ids, sign in zip(typed.ids, (1, -1), strict=True):
            fill = {
                name: ids if name == "input_ids" else values[0][-1:] * len(ids)
                for name, values in prefix.inputs.items()
            }
            joined = Encoded({name: [[*prefix.inputs[name][0], *more]] for name, more in fill.items()}, prefix.tokens)
            new = list(range(read, read + len(ids)))
            passes.append(
                _of_rows(experiment, joined, experiment.inputs(joined), new, [position - 1 for position in new], sign)
            )
        return tuple(passes)


class Fills(TwoTexts):
    """For masked models: log P(a) − log P(b) at the first reading's ambiguous word, which is masked, in nats.

    A word of several tokens takes as many masks, and its log-probabilities add up.
    """

    compared, refusal = "fills", "does not fill gaps"

    @staticmethod
    def fits(experiment: Subject) -> bool:
        """Return whether a model is masked, with a layer that predicts words."""
        masks = experiment.loaded.tokenizer.mask_token_id is not None
        return masks and not experiment.causal and experiment.stack == "self" and TwoTexts.fits(experiment)

    def _pass(self, experiment: Subject, place: PlacedText, text: str, sign: int) -> Pass:
        gap = tokens_of(place.encoded.tokens, place.a[0][0])
        start, end = place.encoded.tokens[gap[0]].start, place.encoded.tokens[gap[-1]].end
        encoded = experiment.encoded(place.text[:start] + text + place.text[end:])
        new = [
            position
            for position, token in enumerate(encoded.tokens)
            if not token.special and start <= token.start and token.end <= start + len(text)
        ]
        unknown = experiment.loaded.tokenizer.unk_token
        if any(
            not token.special and token.start < start + len(text) and token.end > start and position not in new
            for position, token in enumerate(encoded.tokens)
        ):
            raise InputError(f"The fill {text!r} shares a token with the text around it, so it cannot be masked alone.")
        if not new or any(encoded.tokens[position].raw == unknown for position in new):
            raise InputError(f"The fill {text!r} is nothing that the model can read.")
        inputs = experiment.inputs(encoded)
        inputs["input_ids"][0, new] = experiment.loaded.tokenizer.mask_token_id
        return _of_rows(experiment, encoded, inputs, new, new, sign)


class Targets(TwoTexts):
    """For encoder–decoders: log P(a | text) − log P(b | text) of two target texts, in nats.

    Heads of the encoder and of the cross-attention can be changed.
    """

    compared, refusal = "targets", "has no decoder that writes a target"

    @staticmethod
    def fits(experiment: Subject) -> bool:
        """Return whether a model is an encoder with a decoder that predicts words."""
        return experiment.stack == "encoder" and TwoTexts.fits(experiment)

    def _pass(self, experiment: Subject, place: PlacedText, text: str, sign: int) -> Pass:
        encoded = experiment.encoded(text)
        if encoded.notes:  # cut, or with words that are one sign to the model
            raise InputError(f"The target {text!r} cannot be read as a whole. {' '.join(encoded.notes)}")
        ids = torch.tensor(encoded.inputs["input_ids"])  # [1, token]
        start = experiment.model.config.decoder_start_token_id
        decoder_ids = torch.cat([torch.full_like(ids[:, :1], start or 0), ids[:, :-1]], dim=1)

        def read(outputs: Any) -> Tensor:
            rows = outputs.last_hidden_state.shape[0]
            outputs_of_decoder = experiment.model(
                encoder_outputs=(outputs.last_hidden_state,),
                decoder_input_ids=decoder_ids.expand(rows, -1).to(experiment.model.device),
                use_cache=False,
            )
            return sign * _log_probability(outputs_of_decoder.logits, ids[0])

        return Pass(experiment.inputs(place.encoded), read)


Readout = LinkMargin | TwoTexts
READOUTS: dict[str, type[TwoTexts]] = {kind.compared: kind for kind in (Continuations, Fills, Targets)}


def _of_rows(
    experiment: Subject, encoded: Encoded, inputs: dict[str, Any], new: list[int], rows: list[int], sign: int
) -> Pass:
    """Return the pass that reads the tokens ``new`` of a text from the logits of some rows."""
    ids = torch.tensor([encoded.inputs["input_ids"][0][position] for position in new])
    return Pass(inputs, lambda outputs: sign * _log_probability(outputs.logits[:, rows], ids), runs=experiment.model)


def nearness(vectors: dict[int, Tensor], links: Links) -> Tensor:
    """Return the mean cosine between pivots and partners, from word vectors [row, d_model], as [row]."""
    near = [torch.cosine_similarity(vectors[pivot], vectors[partner], dim=-1) for pivot, partner in links]
    return torch.stack(near).mean(dim=0)


def readout_row(readout: str | Readout) -> Readout:
    """Return the readout that was asked for, by name or as an object."""
    if readout == "link":
        return LinkMargin()
    if isinstance(readout, Readout):
        return readout
    raise InputError(f'A readout is "link", Continuations(a, b), Fills(a, b) or Targets(a, b); this is {readout!r}.')


def readout_named(name: str, a: str = "", b: str = "") -> Readout:
    """Return a readout by name, of two texts where it compares two."""
    return LinkMargin() if name == "link" else READOUTS[name](a, b)


def _log_probability(logits: Tensor, ids: Tensor) -> Tensor:
    """Return the summed log-probability of ids [token] from logits [row, token, vocabulary], as [row]."""
    log_probabilities = torch.log_softmax(logits.float(), dim=-1)
    return log_probabilities.gather(-1, ids.to(logits.device).expand(logits.shape[0], -1)[..., None]).sum(dim=(1, 2))


def added_parts(
    passes: Sequence[Iterator[tuple[float, list[int], Tensor]]],
) -> Iterator[tuple[float, list[int], Tensor]]:
    """Yield the sums of the values that several passes yield for the same variants."""
    for parts in zip(*passes, strict=True):
        yield sum(part[0] for part in parts), parts[0][1], torch.stack([part[2] for part in parts]).sum(dim=0)


@dataclass(frozen=True, eq=False)
class TextScore:
    """A score of one text, the element of every experiment here."""

    experiment: Subject
    place: PlacedText
    readout: Readout
    score_layer: int

    @classmethod
    def from_text(
        cls,
        text: str,
        readings: Readings | None,
        readout: str | Readout = "link",
        score_layer: int | None = None,
        model: str | LoadedModel = DEFAULT,
    ) -> TextScore:
        """Return the score of a text, checked."""
        experiment, readout = subject(model), readout_row(readout)
        if readings is None and not isinstance(readout, Targets):
            raise InputError("Give two readings, or the score Targets(a, b) of an encoder–decoder.")
        return cls(
            experiment, place_readings(experiment, text, readings), readout, experiment.block_output(score_layer)
        )

    @property
    def n_acting_layers(self) -> int:
        """How many layers can act on the readout: those below the block output, or all where texts are compared."""
        return self.score_layer if isinstance(self.readout, LinkMargin) else self.experiment.n_layers

    @property
    def acting(self) -> tuple[HeadId, ...]:
        """The heads that can act on the readout, those of the cross-attention last."""
        cross = self.experiment.cross_heads if isinstance(self.readout, Targets) else ()
        return (*(head for head in self.experiment.heads if head.layer < self.n_acting_layers), *cross)

    def score_steps(self, variants: Sequence[Variant]) -> Steps[tuple[float, np.ndarray]]:
        """Compute the readout of the text without changes, and of each variant as float64 [variant]."""
        full_score, values = yield from gathering_parts(self.in_parts(variants), len(variants))
        return full_score, values.numpy()

    def in_parts(
        self, variants: Sequence[Variant], rows: int | None = None
    ) -> Iterator[tuple[float, list[int], Tensor]]:
        """Yield the readout of the untouched text, and that of some variants after the other, float64 [variant].

        A readout of several passes goes through them side by side, in equal parts.
        """
        passes = self.readout.passes(self.experiment, self.place, self.score_layer)
        rows = min(rows or MOST_ROWS, *(rows_at_once(self.experiment, single_pass.inputs) for single_pass in passes))
        yield from added_parts(
            [variants_in_parts(self.experiment, single_pass, variants, rows) for single_pass in passes]
        )

    def as_sweep(self, kind: str, full_score: float, effects: np.ndarray) -> Sweep:
        """Return one effect for each acting head as a sweep."""
        effect = np.full((self.experiment.n_layers, self.experiment.n_heads), np.nan)
        n_own = self.n_acting_layers * self.experiment.n_heads
        effect[: self.n_acting_layers] = effects[:n_own].reshape(self.n_acting_layers, -1)
        cross = np.full(self.experiment.cross if isinstance(self.readout, Targets) else (0, 0), np.nan)
        cross.ravel()[: len(effects) - n_own] = effects[n_own:]
        direct = np.zeros(effect.shape, dtype=bool)  # the heads of the block whose output is compared
        direct[self.score_layer - 1] = isinstance(self.readout, LinkMargin)
        return Sweep(self.place.text, kind, self.score_layer, self.n_acting_layers, full_score, effect, direct, cross)
