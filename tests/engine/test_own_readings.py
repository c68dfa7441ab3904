"""Somebody's sentences with two readings as a job: what is measured, Stop and going on, and what cannot be read."""

import numpy as np
import pytest

from mha.analysis.leaning import MANY, SEED, moved, orders, reordered
from mha.analysis.own_texts import OwnReading
from mha.analysis.readings import leans
from mha.engine.own_readings import ReadingsRun
from mha.models.watch.attending import attend
from mha.pairs import corpus
from mha.words import words

ROWS = (
    OwnReading(2, "All is well Money Bank", 1, 0, 3),
    OwnReading(3, "word " * 200, 0, 1, 2),
    OwnReading(5, "Money Bank is well", 2, 0, 1),
)


def test_each_sentence_is_measured_beside_its_own_orders():
    run = ReadingsRun("toy", ROWS)
    assert run.wait(120)
    assert (run.state, run.done, run.missing) == ("done", 3, [])
    assert list(run.unread) == [1]
    assert "128" in run.unread[1]
    text, readings = ROWS[2].text, ROWS[2].readings
    np.testing.assert_allclose(run.gathered.sentences[2].lean, leans(attend(text, "toy"), readings).lean, atol=1e-6)
    means = []
    for place in (0, 2):
        row = ROWS[place]
        ways = orders(len(words(row.text)), MANY, SEED + place)
        means.append([
            leans(attend(reordered(row.text, way), "toy"), [moved(one, row.text, way) for one in row.readings]).lean
            for way in ways
        ])  # fmt: skip
    np.testing.assert_allclose(run.over().shuffled, np.mean(means, axis=(0, 1)), atol=1e-6)


def test_a_model_of_few_words_measures_no_others():
    run = ReadingsRun(
        "copier", (OwnReading(2, "moon fish table moon", 1, 0, 2), OwnReading(3, "Money Bank is", 0, 1, 2))
    )
    assert run.wait(120)
    assert list(run.unread) == [1]
    assert list(run.gathered.sentences) == [0]


def test_a_stopped_run_keeps_what_it_has_and_goes_on(monkeypatch):
    seen = []
    real = ReadingsRun.take

    def stopping(run, piece):
        seen.append(piece[0])
        real(run, piece)
        if len(seen) == 1:
            run.stop()

    monkeypatch.setattr(ReadingsRun, "take", stopping)
    run = ReadingsRun("toy", ROWS)
    assert run.wait(60)
    assert (run.state, run.over().n) == ("stopped", 1)
    run.go_on()
    assert run.wait(60)
    assert (run.state, run.over().n) == ("done", 2)
    assert seen == [0, 1, 2]  # none twice


def test_the_same_sentences_share_one_run():
    mine = ROWS[2:]
    assert ReadingsRun.of("toy", mine).answer() is None
    first = ReadingsRun.of("toy", mine).begin()
    assert ReadingsRun.of("toy", mine).begin() is first
    assert ReadingsRun.of("toy", mine).answer() is first
    assert ReadingsRun.of("trained", mine).answer() is None
    assert first.wait(60)


@pytest.mark.slow
def test_words_chosen_at_random_pass_about_as_often_as_they_may():
    """SCIENCE.md has .07 [.04, .12] for random words of the corpus: real orders are not quite any order."""
    generator = np.random.default_rng(5)
    rows = []
    for line, text in enumerate(corpus()[:300:7]):
        if 6 <= (count := len(words(text))) <= 14:
            rows.append(OwnReading(line, text, *(int(one) for one in generator.permutation(count)[:3])))
    run = ReadingsRun("minilm", tuple(rows[:30]))
    assert run.wait(220)
    passing = sum(bool(one.passes.any()) for one in run.gathered.sentences.values())
    assert len(run.gathered.sentences) == 30
    assert passing <= 7  # of 30 at .07: more happens in one of 500 files
