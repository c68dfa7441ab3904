"""The words that can be locked, as a person calls them, by the places that a link has."""

import numpy as np

from mha.link.view import View
from mha.maps import AttentionMaps, Token
from mha.screens.heads.asked import lockable
from mha.screens.shown import shown_for

TOKENS = (
    Token("[CLS]", special=True),
    Token("It", "it", 0, start=0, end=2),
    Token("is", "is", 1, start=3, end=5),
    Token("it", "it", 2, start=6, end=8),
    Token("[SEP]", special=True),
)
MAPS = AttentionMaps(np.full((1, 2, 5, 5), 0.2, dtype=np.float32), TOKENS, text="It is it", units="words")


def test_words_are_counted_as_people_count_them_and_marks_are_not_there_while_set_aside():
    found = lockable(shown_for(View(text=MAPS.text, lock=-1), MAPS))
    assert found == {"": "picked for you", "-1": "none", "1": "It (1st)", "2": "is (2nd)", "3": "it (3rd)"}
    kept = lockable(shown_for(View(text=MAPS.text, lock=-1, sinks=False), MAPS))
    assert [kept[place] for place in ("0", "1", "4")] == ["[CLS]", "It (1st)", "[SEP]"]


def test_the_apps_own_choice_is_named():
    shown = shown_for(View(text=MAPS.text), MAPS)
    expected = (
        "picked for you"
        if shown.lock is None
        else f"picked for you: {lockable(shown)[str(shown.position(shown.lock))]}"
    )
    assert lockable(shown)[""] == expected
