"""What is said of somebody's sentences with two readings, for one and for many, whether anything passes or not."""

import numpy as np
import pytest

from mha.analysis.leaning import MANY, Gathering
from mha.analysis.own_texts import OwnReading
from mha.export.tables import table_csv
from mha.models.files.catalog import model_row
from mha.screens.atlas import leans as told
from mha.screens.blocks import as_data, as_text
from mha.words import words

SHAPE = model_row("minilm").n_layers, model_row("minilm").n_heads


class Run:
    """A run as far as these sentences need it: leans and orders from seeds, so many of them lifted."""

    def __init__(self, n, lifted=0, words_each=6, unread=()):
        text = " ".join(f"w{k}" for k in range(words_each))
        self.rows = tuple(OwnReading(line + 2, f"{text} {line}"[: None if words_each > 3 else -2], 1, 0, 2)
                          for line in range(n))  # fmt: skip
        self.unread = dict.fromkeys(unread, "this model cannot read it")
        self.gathered = Gathering(SHAPE, MANY)
        generator = np.random.default_rng(1)
        for place in range(n):
            if place not in self.unread:
                lean = np.zeros(SHAPE)
                lean[2, 3] = -0.9 if place < lifted else 0.0
                self.gathered.add(place, lean, generator.normal(scale=0.05, size=(MANY, *SHAPE)))


def said(run):
    over = run.gathered.over()
    return [as_text(block.spans) for block in told.opening_blocks(run, over)]


def test_what_passes_is_counted_beside_what_chance_lets_pass():
    verdict, sub = said(Run(20, lifted=7))
    assert verdict == "In 7 of 20 sentences a head leans further than with shuffled words (by chance about 1)."
    assert "190 or more of 199 shuffled sentences" in sub
    assert "190 or more of 199" in sub
    assert "1 of 72 heads has an average lean above the chance limit" in sub
    assert "does not show how a sentence is understood" in sub


def test_where_nothing_passes_nothing_is_named():
    verdict, sub = said(Run(20))
    assert verdict == "In none of 20 sentences does a head lean further than with shuffled words (by chance about 1)."
    assert "none of 72 heads has an average lean" in sub


def test_what_chance_lets_pass_is_not_rounded():
    verdict, _ = said(Run(5))
    assert "(by chance about 0.25)" in verdict


@pytest.mark.parametrize(("lifted", "who"), [(0, "no"), (1, "a")])
def test_one_sentence_is_said_as_one(lifted, who):
    verdict, sub = said(Run(1, lifted))
    assert verdict == f"In this sentence {who} head leans further than with shuffled words (by chance about 0.05)."
    assert "Over it," in sub


def test_short_sentences_cannot_pass_and_unread_lines_are_named():
    run = Run(4, words_each=3, unread=(1, 2))
    verdict, sub = said(run)
    assert "Two sentences of three words have too few orders to pass" in sub
    assert "too few orders" in sub
    assert "so far" not in verdict
    assert told.unread_said(run) == "Left out: lines 3–4 (this model cannot read it)."


def test_the_map_says_what_it_finds_and_the_tables_hold_every_head_and_sentence():
    run = Run(20, lifted=20)
    over = run.gathered.over()
    drawn = told.map_blocks(run, over)[-1]
    assert "largest in L2H3, \u22120.900" in drawn.label
    assert as_data(drawn)["top"] == pytest.approx(0.9)
    assert told.table_columns(over)["head"][0] == "L2H3"
    row = model_row("minilm")
    heads = told.heads_table(run, over, row, "http://here/atlas")
    assert len(heads.columns["head"]) == 72
    assert b"http://here/atlas" in table_csv(heads)
    sentences = told.sentences_table(run, row, "")
    assert list(sentences.columns["pivot"]) == [words(one.text)[1] for one in run.rows]
    assert set(sentences.columns["furthest_head"]) == {"L2H3"}
    assert sentences.columns["passes"].all()
