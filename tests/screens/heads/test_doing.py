"""The patterns of heads in the table of heads."""

import numpy as np
import pytest

import mha
from mha.analysis.roles import ROLES, roles
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId, Token
from mha.screens.heads.all_heads import table_columns
from mha.screens.heads.doing import doing, rule_lines
from mha.screens.shown import shown_for

TROPHY = "The trophy would not fit in the suitcase because it was too big"


def said(spans):
    return "".join(span[1] for span in spans).replace("\u00a0", " ")


@pytest.fixture(scope="module")
def trophy():
    return shown_for(View(text=TROPHY), mha.attend(TROPHY))


def test_without_what_is_known_no_pattern_is_named():
    words = (Token("a", word=0), Token("b", word=1))
    bare = AttentionMaps(np.full((1, 2, 2, 2), 0.5), words, text="a b", units="words")
    assert doing(shown_for(View(), bare)) is None
    cross = AttentionMaps(np.full((1, 2, 2, 2), 0.5), words, words, text="a b", units="words", kind="cross")
    assert doing(shown_for(View(), cross)) is None


def test_the_rule_has_every_threshold_in_its_order():
    for row, line in zip(ROLES[:-1], map(said, rule_lines(ROLES)), strict=True):
        assert line.startswith(f"{row.name}: at least {round(100 * row.threshold)} % of {row.of}. ")


def test_the_table_has_the_roles_beside_the_heads(trophy):
    heads = [HeadId(0, 2), HeadId(5, 11)]
    table, _ = table_columns(mha.attend(TROPHY), heads, (True,), doing(trophy))
    assert list(table)[:3] == ["Head", "Usually", "Here"]
    found = {role.head: role for role in roles(trophy.full)}
    assert table["Usually"] == [found[head].usual.name for head in heads]
    assert table["Usually"][0] == "previous word"
