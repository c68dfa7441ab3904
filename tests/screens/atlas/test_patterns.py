"""Patterns on Whole model are those of Heads: one rule, one set of names, one count."""

from collections import Counter

import numpy as np

from mha.analysis.roles import roles
from mha.analysis.whole import one_text
from mha.engine.atlas import alone, bundled_atlas
from mha.engine.recordings import Request, record
from mha.formats import percent
from mha.link.atlas import CORPUS, HERE, AtlasWords
from mha.link.view import DEFAULT_MODEL, View
from mha.models.files.catalog import model_row
from mha.screens.atlas import findings
from mha.screens.atlas.whole_model import WholeModel, numbers_table
from mha.screens.blocks import as_text
from mha.stepwise import finished
from studies.atlas import measure_atlas
from tests.screens.atlas.cases import atlas_of, case_of, of_kind


def of_default(over):
    maps = record(Request(View().text, DEFAULT_MODEL)).maps
    here = finished(alone(maps.merged()))
    atlas = here if over == HERE else bundled_atlas(DEFAULT_MODEL)
    return maps, WholeModel(View(), AtlasWords(over=over), model_row(DEFAULT_MODEL), atlas, here, maps.merged())


def test_over_the_sample_sentences_a_head_has_the_usual_pattern_of_heads():
    maps, case = of_default(CORPUS)
    usual = [role.usual for role in roles(maps)]
    assert [row for layer in case.patterns for row in layer] == usual
    (drawn,) = of_kind(findings.map_blocks(case), "atlas_map")
    counts = Counter(row.name for row in usual)
    assert {tuple(text.rsplit(" ", 1)) for _, text in drawn["counts"]} == {(name, str(n)) for name, n in counts.items()}


def test_in_one_sentence_a_head_has_the_pattern_that_heads_shows_here():
    maps, case = of_default(HERE)
    assert [row for layer in case.patterns for row in layer] == [role.here for role in roles(maps)]


def lines_of(case):
    return [as_text(one) for one in findings.measured(case)]


def test_the_rule_stands_in_how_it_is_measured():
    case = case_of()
    lines = lines_of(case)
    rule = {f"{row.name}: at least {percent(row.threshold)} of {row.of}. ({row.source})" for row in case.rule[:-1]}
    assert rule <= set(lines)
    assert "Symbols: the first pattern that fits, over those of 6 words or more. Heads without one are mixed." in lines
    assert not any(", over those of" in line for line in lines_of(case_of(over=HERE)))


def test_short_texts_have_no_pattern_and_that_is_said():
    case = case_of(atlas_of(("No dog", "A cat")))
    assert case.patterns == []
    assert "Symbols of patterns need sentences of 6 words or more." in lines_of(case)
    (drawn,) = of_kind(findings.map_blocks(case), "atlas_map")
    assert (drawn["marks"], drawn["counts"]) == ([], [])
    assert "pattern" not in numbers_table(case).columns
    assert list(numbers_table(case_of()).columns)[:2] == ["head", "pattern"]


def test_patterns_are_over_texts_of_six_words_or_more():
    texts = ["The dog ran home very fast today", "It ran", "A small cat slept under the old table"]
    long = [one_text(record(Request(text, "minilm")).maps).shares for text in (texts[0], texts[2])]
    for name, share in measure_atlas("minilm", texts).shares.items():
        both = np.array([one[name] for one in long])
        known = np.isfinite(both)
        mean = np.where(known, both, 0).sum(axis=0) / known.sum(axis=0) if known.any() else both[0]
        np.testing.assert_allclose(share, mean, atol=1e-6)
