"""Roles on weights set by hand: 2 layers × 3 heads, five words."""

import numpy as np
import pytest

from mha.analysis.roles import ROLES, roles, rows_for
from mha.analysis.usual import N_DISTANCES, SHARES, Habit
from mha.maps import AttentionMaps, HeadId, Token

N = 5


def column_of(place: int) -> np.ndarray:
    found = np.zeros((N, N))
    found[:, place] = 1
    return found


HEADS = {  # what a head does → its weights between words
    "sinks": np.full((N, N), 0.02), "back": np.eye(N, k=-1), "ahead": np.eye(N, k=1), "itself": np.eye(N),
    "one": 0.7 * column_of(2) + 0.3 * column_of(0), "even": np.full((N, N), 1 / N),
}  # fmt: skip
SAID = ("ash", "bay", "cod", "dew", "elm")


def maps_of(*heads: np.ndarray, said: tuple[str, ...] = SAID, stop: float = 0) -> AttentionMaps:
    """Six heads over words between [CLS] and a full stop, which gets ``stop`` of what the words have."""
    n = len(said)
    weights = np.zeros((2, 3, n + 2, n + 2), dtype=np.float32)
    for number, between in enumerate(heads):
        weights[number // 3, number % 3, 1 : n + 1, 1 : n + 1] = between[:n, :n] * (1 - stop)
    weights[:, :, :, n + 1] = stop
    weights[..., 0] = np.maximum(0, 1 - weights.sum(axis=-1))
    words = (Token(text, word=number) for number, text in enumerate(said))
    return AttentionMaps(weights, (Token("[CLS]", special=True), *words, Token(".")))


def usual(**given: float) -> Habit:
    shares = {key: np.full((2, 3), given.get(key, 0), dtype=np.float32) for key in SHARES}
    return Habit(np.zeros((2, 3, N_DISTANCES), dtype=np.float32), shares)


def test_each_role_is_seen_and_named_head_by_head():
    found = roles(maps_of(*HEADS.values()))
    assert [role.here.key for role in found] == list(HEADS)
    assert [role.head for role in found] == [HeadId(layer, head) for layer in range(2) for head in range(3)]
    names = ("[CLS]", "previous word", "next word", "itself", "one word", "spread out")
    assert tuple(role.name for role in found) == names
    assert all(role.usual is None for role in found)


def test_what_fits_nowhere_is_mixed():
    mixed = 0.3 * np.eye(N) + 0.3 * column_of(1) + 0.4 * np.eye(N)[[4, 3, 4, 0, 0]]
    role = roles(maps_of(*[mixed] * 6))[0]
    assert role.name == "mixed"


def test_the_usual_role_is_said_first():
    maps = maps_of(*HEADS.values())
    found = roles(maps, usual(previous_word=0.6, same_word=0.1, next_word=0.05))
    assert {role.name for role in found} == {"previous word"}
    assert found[3].here.key == "itself"


def test_the_first_row_that_fits_decides():
    both = roles(maps_of(*HEADS.values()), usual(sinks=0.7, previous_word=0.9))
    assert both[0].usual.key == "sinks"
    order = ("sinks", "back", "ahead", "itself", "elsewhere", "stop", "one", "even", "mixed")
    assert tuple(row.key for row in ROLES) == order
    assert all(row.source and row.name for row in ROLES)
    assert all(row.statistic in SHARES and 0 < row.threshold < 1 and row.of for row in ROLES[:-1])


def test_sinks_have_the_names_they_have_in_the_text():
    roberta = (Token("<s>", special=True), Token("ash", word=0), Token("</s>", special=True))
    assert rows_for(AttentionMaps(np.full((1, 1, 3, 3), 1 / 3), roberta))[0].name == "<s> and </s>"
    words = tuple(Token(text, word=number) for number, text in enumerate(SAID))
    causal = AttentionMaps(np.tril(np.full((1, 1, N, N), 0.1)), words, causal=True)
    assert rows_for(causal)[0].name == "the first word"
    assert rows_for(AttentionMaps(np.full((1, 1, N, N), 0.1), words)) == ROLES
    quoted = AttentionMaps(causal.weights, (Token("“"), *words[:-1]), causal=True)
    assert rows_for(quoted)[0].name == "attention sinks", "a mark stands first, which is no word"


def causal_maps(said: list[str]) -> AttentionMaps:
    """An even head, one on the first word, one on the second, one on the word before, under a causal mask."""
    n = len(said)
    even = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    first, second = (even * 0.1 for _ in range(2))
    first[:, 0] += 0.9
    second[1:, 1] += 0.9
    second[0, 0] = 1
    before = even * 0.1 + np.eye(n, k=-1) * 0.9
    before[0, 0] = 1
    tokens = tuple(Token(text, word=number) for number, text in enumerate(said))
    return AttentionMaps(np.array([[even, first, second, before]], dtype=np.float32), tokens, causal=True)


@pytest.mark.parametrize("n_words", range(4, 13))
def test_causal_mask_gives_an_even_head_no_pattern_of_words(n_words):
    names = [role.here.key for role in roles(causal_maps([f"w{number}" for number in range(n_words)]))]
    assert names[0] == "even"
    assert names[1] == "sinks"
    assert names[2] in {"one", "mixed"}
    assert names[3] in ({"back"} if n_words > 4 else {"back", "one"})
