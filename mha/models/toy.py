"""The toy: one layer with numbers set by hand, small enough to follow with a pencil.

Every word has four numbers: is it *man*, is it *astronomer*, is it *telescope*, is it any other word.
Head 0 asks at *telescope* for *man* and at *man* for *telescope*; head 1 does the same with *astronomer*. A query of 2
meets a key of 3: the score is 6, divided by √2 it is 4.24, and e^4.24 = 69.6 against 1 for each other word: in eight
words the other noun gets 69.6 / 76.6 = 91 %. All other words look at everything evenly.
"""

from collections.abc import Sequence

import numpy as np

from mha.core import MultiHead, trace, word_vectors
from mha.maps import AttentionMaps, Recording, Token
from mha.models.files.catalog import model_row
from mha.words import TextRun, split

HAND_SET = "The man saw an astronomer with a telescope"
D_MODEL = 4
ASKS, ANSWERS = 2.0, 3.0

MEANING = {"man": 0, "astronomer": 1, "telescope": 2}  # which of its four numbers is 1; any other word: number 3
PAIRS = (("man", "telescope"), ("astronomer", "telescope"))  # what head 0 joins, what head 1 joins


def heads() -> MultiHead:
    """Return the layer: 1 layer × 2 heads, d_model 4, d_head 2."""
    query, key, value = [], [], []
    for first, second in PAIRS:
        a, b = MEANING[first], MEANING[second]
        asks, answers, passes_on = np.zeros((D_MODEL, 2)), np.zeros((D_MODEL, 2)), np.zeros((D_MODEL, 2))
        asks[b, 0], answers[a, 0] = ASKS, ANSWERS  # second asks for first
        asks[a, 1], answers[b, 1] = ASKS, ANSWERS  # first asks for second
        passes_on[a, 0] = passes_on[b, 1] = 1
        query.append(asks)
        key.append(answers)
        value.append(passes_on)
    output = np.zeros((4, D_MODEL))  # [n_heads · d_head, d_model]: the output of a head goes back to its own number
    for head, pair in enumerate(PAIRS):
        for column, word in enumerate(pair):
            output[2 * head + column, MEANING[word]] = 1
    return MultiHead.from_heads(query, key, value, output)


def by_hand(text: str) -> bool:
    """Return whether the numbers for this text are set by hand: it is the telescope sentence, in any case, perhaps
    with marks at its end. For any other text they are random: the shape is real, the meaning is not.
    """
    pieces = split(text)
    spoken = [piece.text.casefold() for piece in pieces if piece.word is not None]
    inner = any(piece.word is None for piece in pieces[: len(spoken)])
    return spoken == HAND_SET.casefold().split() and not inner


def embeddings(pieces: Sequence[str], hand_set: bool) -> np.ndarray:
    """Return four numbers for each piece, float64 [token, 4]: set by hand, or from a generator seeded by the word."""
    if not hand_set:
        return word_vectors(list(pieces), D_MODEL, decimals=1)
    return np.eye(D_MODEL)[[MEANING.get(piece.casefold(), 3) for piece in pieces]]


def record_toy(text: str, pair: str | None = None) -> Recording:
    """Return the toy's recording of a text (or of two, read as one); its tokens are the text's words and marks."""
    row = model_row("toy")
    all_tokens = _tokens(text, pair)
    tokens = all_tokens[: row.max_tokens]
    cut_note = f"Only the first {row.max_tokens} words and marks are used; the toy reads no more at once."
    steps = trace(heads(), embeddings([token.text for token in tokens], by_hand(text) and pair is None))
    weights = steps["weights"][None]  # [layer, head, query, key]
    maps = AttentionMaps(weights=weights, tokens=tokens, text=text, pair=pair, **row.named)
    return Recording(
        maps=maps,
        stacks={"self": maps.weights},
        query=steps["query"][None],
        key=steps["key"][None],
        value=steps["value"][None],
        hidden=np.stack([steps["input"], steps["output"]]),
        notes=(cut_note,) if len(all_tokens) > len(tokens) else (),
    )


def _tokens(text: str, pair: str | None) -> tuple[Token, ...]:
    first = split(text)
    words = sum(piece.word is not None for piece in first)
    second = split(pair) if pair is not None else ()
    return (*(_token(piece, 0, 0) for piece in first), *(_token(piece, words, 1) for piece in second))


def _token(piece: TextRun, first_word: int, segment: int) -> Token:
    word = None if piece.word is None else piece.word + first_word
    return Token(piece.text, raw=piece.text, word=word, start=piece.start, end=piece.end, segment=segment)
