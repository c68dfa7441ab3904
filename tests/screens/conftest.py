"""Maps small enough to check by hand, in prime sizes."""

import numpy as np
import pytest

from mha.maps import AttentionMaps, HeadId, Token

TEXT = "the dog saw the cat"


@pytest.fixture
def shown() -> AttentionMaps:
    """Two layers of three heads on five words; every row even, but for one strong look in L0H1, L1H0 and L1H2."""
    words, start = [], 0
    for number, text in enumerate(TEXT.split()):
        words.append(Token(text, text, number, start=start, end=start + len(text)))
        start += len(text) + 1
    weights = np.full((2, 3, 5, 5), 0.2, dtype=np.float32)
    for head, query, key, weight in (
        (HeadId(0, 1), 2, 4, 0.68),
        (HeadId(1, 0), 1, 4, 0.69),
        (HeadId(1, 2), 3, 0, 0.95),
    ):
        weights[head][query] = (1 - weight) / 4
        weights[head][query, key] = weight
    return AttentionMaps(weights, tuple(words), text=TEXT, model="MiniLM", origin="pretrained", units="words")


@pytest.fixture
def share() -> np.ndarray:
    """What was set aside, [layer, head]."""
    return np.array([[0.30, 0.40, 0.50], [0.62, 0.125, 0.0]])
