"""Translations of the study are those of `mha.translate`, and some of its counts are measured again."""

import numpy as np
import pytest
import torch

import mha
from mha.intervention.bank import head_means
from mha.intervention.subject import subject
from mha.maps import EncoderHead
from mha.models.files import translator as package
from mha.models.watch.attending import load_model
from studies import translator
from studies.greedy import Engine

pytestmark = pytest.mark.skipif(package.folder() is None, reason=package.MISSING)
CHOSEN = [EncoderHead(0, 7), EncoderHead(2, 1)]
NOUNS = ("author", "dancer")


@pytest.fixture(scope="module")
def engine():
    return Engine(subject(load_model(package.NAME)))


@pytest.fixture(scope="module")
def cases(engine):
    items = translator.items_of(NOUNS)[:8]
    return translator.cases_of(engine, items, engine.translations([item.text for item in items]))


def test_translations_are_those_of_the_package(engine, cases):
    means = torch.as_tensor(head_means(engine.experiment))
    variants = [(), translator.ablated(CHOSEN, means), translator.ablated(CHOSEN[:1], means)]
    for case in cases[:2]:
        texts = engine.variants(case.translation, variants)
        expected = [mha.translate(case.item.text, heads).text for heads in ((), CHOSEN, CHOSEN[:1])]
        assert [case.translation.text, *texts] == [expected[0], *expected]


def test_all_heads_exchanged_at_the_noun_give_its_state_in_the_other_version(engine, cases):
    """The noun's own token is the same in both versions, so that only head outputs differ there."""
    case = cases[0]
    changed = engine.states(case.translation.encoded, [translator.exchanged(case, engine.heads)])
    other = engine.states(case.partner.encoded, [()])
    np.testing.assert_allclose(changed[0, list(case.noun)], other[0, list(case.noun)], atol=1e-4)


def test_lengths_are_those_after_w_o(engine, cases):
    case, head = cases[0], CHOSEN[1]
    w_o = engine.experiment.model.model.encoder.layers[head.layer].self_attn.out_proj.weight.detach().numpy()
    columns = slice(head.head * 32, (head.head + 1) * 32)
    by_hand = np.linalg.norm(case.moves[head].numpy() @ w_o[:, columns].T)
    assert engine.lengths(case.moves)[head] == pytest.approx(by_hand, rel=1e-4)


def test_the_two_heads_carry_the_article_again(engine, cases):
    chosen, row = translator.choose_heads(engine, cases)
    assert chosen == CHOSEN
    assert row["texts"] == len(cases) >= 4
