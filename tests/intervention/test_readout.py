"""Readouts, each computed a second time without any of our machinery."""

import numpy as np
import pytest
import torch

from mha.errors import InputError
from mha.intervention.readout import Continuations, Fills, Targets
from mha.intervention.subject import subject
from mha.intervention.sweep import preference, sweep
from mha.models.watch.tokens import encode
from tests.intervention.brute import MASKED, PLAIN_WAYS, READINGS, ROWS, TEXT, changed, left_on

LLAMA = PLAIN_WAYS[2]
EXACT = 2e-5


@pytest.fixture
def llama(tiny):
    return tiny(ROWS["LlamaForCausalLM"])


def continued(loaded, continuation: str) -> float:
    """log P(continuation | TEXT), with the whole text and its continuation tokenized together."""
    ids = encode(loaded.tokenizer, f"{TEXT} {continuation}").inputs["input_ids"][0]
    before = len(encode(loaded.tokenizer, TEXT).inputs["input_ids"][0]) - 1  # the sign at the end comes later now
    with torch.no_grad():
        logged = loaded.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return float(sum(logged[place - 1, ids[place]] for place in range(before, len(ids) - 1)))


def test_continuations_of_a_causal_model(llama):
    expected = continued(llama, "the man did") - continued(llama, "it")
    found = preference(TEXT, READINGS, Continuations("the man did", "it"), model=llama)
    assert found == pytest.approx(expected, abs=EXACT)


def test_every_layer_acts_on_a_continuation(llama):
    experiment = subject(llama)
    found = sweep(TEXT, READINGS, "zero", Continuations("saw", "it"), model=llama)
    assert not found.direct.any()
    assert found.acting.all()
    for head in ((0, 2), (1, 5)):
        with changed(llama, LLAMA, {head: torch.zeros_like}, experiment.n_heads):
            silent = continued(llama, "saw") - continued(llama, "it")
        assert found.effect[head] == pytest.approx(silent - found.score, abs=EXACT)
    assert left_on(llama) == []


def test_fills_stand_where_the_pivot_stood(tiny):
    loaded = tiny(MASKED)
    ids = encode(loaded.tokenizer, TEXT).inputs["input_ids"][0]
    tokens = encode(loaded.tokenizer, TEXT).tokens
    gap = [number for number, token in enumerate(tokens) if token.word == 6]  # two tokens: tele ##scope
    mask = loaded.tokenizer.mask_token_id

    def filled(pieces: list[str]) -> float:
        masked = torch.tensor([[*ids[: gap[0]], *[mask] * len(pieces), *ids[gap[-1] + 1 :]]])
        with torch.no_grad():
            logged = loaded.model(masked).logits[0].log_softmax(-1)
        wanted = loaded.tokenizer.convert_tokens_to_ids(pieces)
        return float(sum(logged[gap[0] + place, number] for place, number in enumerate(wanted)))

    expected = filled(["dog"]) - filled(["tele", "##scope"])
    assert preference(TEXT, READINGS, Fills("dog", "telescope"), model=loaded) == pytest.approx(expected, abs=EXACT)


def test_targets_of_an_encoder_decoder(tiny):
    loaded = tiny(ROWS["T5ForConditionalGeneration"])
    inputs = torch.tensor(encode(loaded.tokenizer, TEXT).inputs["input_ids"])

    def written(target: str) -> float:
        labels = torch.tensor(encode(loaded.tokenizer, target).inputs["input_ids"])
        with torch.no_grad():
            return -float(loaded.model(input_ids=inputs, labels=labels).loss) * labels.shape[1]

    expected = written("the man saw") - written("it")
    readout = Targets("the man saw", "it")
    assert preference(TEXT, READINGS, readout, model=loaded) == pytest.approx(expected, abs=1e-4)
    found = sweep(TEXT, READINGS, "zero", readout, model=loaded)
    assert np.isfinite(found.effect).all()
    for head in ((0, 1), (1, 4)):
        with changed(loaded, PLAIN_WAYS[3], {head: torch.zeros_like}, 5):
            silent = written("the man saw") - written("it")
        assert found.effect[head] == pytest.approx(silent - found.score, abs=2e-4)


@pytest.mark.parametrize(
    ("readout", "sentence"),
    [
        (Continuations("a", "b"), "MiniLM does not continue a text"),
        (Fills("a", "b"), "MiniLM does not fill gaps"),
        (Targets("a", "b"), "MiniLM has no decoder"),
        (Continuations("a", "a "), "both are 'a'"),
        (Fills(" ", "b"), "one of them is empty"),
    ],
)
def test_a_readout_the_model_has_not_gets_a_sentence(readout, sentence, minilm):
    with pytest.raises(InputError, match=sentence):
        preference(TEXT, READINGS, readout, model=minilm)
