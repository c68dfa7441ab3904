"""What heads do, as it travels and as it stands in the table; what is said where it is not known."""

import dataclasses

import numpy as np
import pytest

import mha
from mha.analysis.roles import MIXED, NEIGHBOURS_ONLY, ROLES, roles
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.heads.all_heads import table_columns
from mha.screens.heads.doing import as_sent, doing, rule
from mha.screens.shown import shown_for

TROPHY = "The trophy would not fit in the suitcase because it was too big"


def said(spans):
    return "".join(span[1] for span in spans).replace("\u00a0", " ")


@pytest.fixture(scope="module")
def trophy():
    return shown_for(View(text=TROPHY), mha.attend(TROPHY))


def test_roles_travel_by_number(trophy):
    sent, found = as_sent(doing(trophy)), roles(trophy.full)
    names = [name for _, name, _ in sent["rows"]]
    assert names[0] == "[CLS] and [SEP]"
    assert [names[at] for at in sent["usual"]] == [role.usual.name for role in found]
    assert [names[at] for at in sent["here"]] == [role.here.name for role in found]
    assert sent["near"] == [at for at, role in enumerate(found) if role.neighbours_corpus >= NEIGHBOURS_ONLY]
    assert said(sent["about"]) == "Label: usual pattern over the sample sentences."


def test_without_a_habit_and_in_short_texts_only_what_is_known_is_said(trophy):
    unknown = dataclasses.replace(trophy.full, revision="another")
    sent = as_sent(doing(shown_for(View(), unknown)))
    assert set(sent["usual"]) == {-1}
    assert said(sent["about"]).startswith("Label: pattern in this sentence.")
    assert "usual pattern is not measured" in said(sent["about"])
    short = shown_for(View(), mha.attend("They left"))
    assert set(as_sent(doing(short))["here"]) == {-1}
    words = (Token("a", word=0), Token("b", word=1))
    bare = AttentionMaps(np.full((1, 2, 2, 2), 0.5), words, text="a b", units="words")
    assert as_sent(doing(shown_for(View(), bare))) is None
    cross = AttentionMaps(np.full((1, 2, 2, 2), 0.5), words, words, text="a b", units="words", kind="cross")
    assert as_sent(doing(shown_for(View(), cross))) is None


def test_the_rule_has_every_threshold_in_its_order():
    lines = [said(line) for line in rule(ROLES)]
    for row, line in zip(ROLES[:-1], lines, strict=False):
        assert line.startswith(f"{row.name}: at least {round(100 * row.threshold)} % of {row.of}. ")
    assert lines[len(ROLES) - 1].startswith(f"{MIXED.name}: no other pattern fits.")
    assert lines[-1].startswith("Dimmed: heads that give at least 50 % of their attention between words")


def test_the_table_has_the_roles_beside_the_heads(trophy):
    heads = [HeadId(0, 2), HeadId(5, 11)]
    table, _ = table_columns(mha.attend(TROPHY), heads, (True,), doing(trophy))
    assert list(table)[:3] == ["Head", "Usually", "Here"]
    found = {role.head: role for role in roles(trophy.full)}
    assert table["Usually"] == [found[head].usual.name for head in heads]
    assert table["Usually"][0] == "previous word"
