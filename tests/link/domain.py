"""The whole domain of every word, and what else an address may say: for tests of the words and of the pages."""

from hypothesis import strategies as st

from mha.link.kinds import NONE, Choice, Heads, Label, Labels, LayerNumber, Number, Shape, Switch, Text
from mha.link.view import DEFAULT_MODEL
from mha.link.word import Word, Words
from mha.maps import HeadId

MODELS = {"minilm": Shape("MiniLM", 6, 12), "toy": Shape("Toy", 1, 2)}
MINILM = MODELS[DEFAULT_MODEL]._replace(models=tuple(MODELS), reach=5)

# No word takes any of these; those of text take them all.
NEVER = [
    *("inf", "-inf", "nan", "1e400", "9" * 400, "-" + "9" * 400, "--5", "+-1", "1_0", "٣", "５", "−1", "0x10", "1,5"),
    *("\x00", "\n", "<script>", "![x](https://example.org)", "💥", "None", "null", "undefined", "a" * 5000),
    *("L99H99", "L-1H0", "L0H0;L0H1"),
]
HOSTILE = ["", " ", "-1", "+1", "1e9", "true ", "TRUE", "none", "0.5", "-0", "00", "1.0", *NEVER]
characters = st.characters(exclude_categories=["Cs"])


def values(word: Word, shape: Shape = MINILM) -> st.SearchStrategy:
    """Return every value that a word may have."""
    kind = word.kind
    heads = st.builds(HeadId, st.integers(0, shape.n_layers - 1), st.integers(0, shape.n_heads - 1))
    if isinstance(kind, Text):
        found = st.text(characters, max_size=min(kind.most, 60))
    elif isinstance(kind, Switch):
        found = st.booleans()
    elif isinstance(kind, Number):
        low, high = kind.low, kind.high
        found = st.integers(int(low), int(high)) if kind.whole else st.floats(low, high)
    elif isinstance(kind, LayerNumber):
        found = st.integers(0, shape.n_layers - 1)
    elif isinstance(kind, Heads):
        found = st.lists(heads, max_size=kind.most or 20, unique=True).map(tuple)
    elif isinstance(kind, Labels):
        found = st.lists(st.text(characters, min_size=1, max_size=9), max_size=3, unique=True).map(tuple)
    elif isinstance(kind, Label):
        found = st.sampled_from(["0 I", "6 it", NONE])
    else:
        assert isinstance(kind, Choice)
        found = st.sampled_from(kind.options(shape))
    return st.just(word.default) | found


@st.composite
def choices(draw: st.DrawFn, page: type[Words]) -> Words:
    """Return what a page's link may say, whatever it is."""
    said = {word.field: draw(values(word)) for word in page.table()}
    return page(**said)
