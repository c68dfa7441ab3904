"""What is opened and done: some 500 links over all pages, models, states and complaints, and 60 sequences of deeds.

Every word of every page's link takes each of its first options and two values that it does not take; texts are of all
widths and scripts; models are the program's own and the three tiny ones of `tests.models.snapshots`.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from mha.examples import EXAMPLES
from mha.link.kinds import Heads, Label, Labels, LayerNumber, Number, Shape, Text
from mha.link.pages import HIDDEN, ROWS
from mha.link.training import EXPERIMENTS
from mha.link.word import Word

WORDS = {row.path: row.words for row in ROWS}
MINILM = Shape("MiniLM", 6, 12, models=("minilm", "toy", "trained", "copier", "reverser"), reach=5)
OWN = ("toy", "trained", "copier", "reverser")
TINY = ("tiny-causal", "tiny-masked", "tiny-encoder-decoder")
OPTIONS = 4  # of a word that are opened
EVERY = tuple(row.path for row in ROWS if row.stands != HIDDEN)
WITH_CONTROLS = ("readings", "compare", "steps", "atlas", "questions")  # beside Heads
TELESCOPE = "I saw the man with the telescope"
DOG = "A dog ate the food because it was hungry."
TASTY = "A dog ate the food because it was tasty."
NURSE = "The nurse helped the singer because she was kind"
TEXTS = (
    DOG, TASTY, NURSE,
    "The clerk thanked the guest because he waited",
    "Old men and women were asked to sit down first.",
    "The friend of the sisters who was late apologised.",
    "The chicken is ready to eat",
    "Time flies like an arrow; fruit flies like a banana",
    "The horse raced past the barn fell",
    "No, no, no, no!",
    "well well well",
    "Dogs",
    "Hello world",
    "It rained.",
    "Don't touch the well-known artist's “masterpiece”…",
    "In 2024, 3.5 % of 1,200 people (about 42) said: yes!",
    "<b>bold</b> & [link](https://example.org) $x^2$ :smile: `code`",
    "I love 🍕 and 👩‍👩‍👧 more than naïve café",
    "ראיתי את האיש עם הטלסקופ",
    "رأيت الرجل بالمنظار",
    "我看见了拿着望远镜的男人",
    "Ich sah den Mann mit dem Fernglas",
    "[SEP] the [MASK] sat [CLS]",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "!!",
    "…",
    " \t ",
    " ".join(f"The {one} saw the {other}." for one, other in zip("abcdefghij", "klmnopqrst", strict=True)),
    ("the man who saw the dog that chased the cat " * 11).strip(),
    ("one two three four five six seven eight nine ten " * 14).strip(),
    ("long words everywhere " * 200).strip()[:2000],
)  # fmt: skip
SHORT = TEXTS[:8]
NEVER = ("inf", "<script>", "L99H99")
CHOSEN = {"readings_pivot": "6 she", "readings_a": "1 nurse", "readings_b": "4 singer"}


def link(page: str, **words: object) -> str:
    """Return the address of a page with words of the link, of which a sequence repeats."""
    query = urlencode(words, doseq=True)
    return f"{page}?{query}" if query else page


def links() -> list[str]:
    """Return every link, each once, in an order that never changes."""
    return list(dict.fromkeys(_links()))


def _links() -> Iterator[str]:
    for page in EVERY:
        yield page
        yield link(page, reveal="0")
        for model in (*OWN, *TINY) if page not in ("training", "questions", "about") else ():
            yield link(page, model=model, text=DOG) if page in ("", "readings", "compare") else link(page, model=model)
    for page in ("", "readings", "about"):
        yield link(page, large="true")
        yield link(page, c="1", text="I saw the man wi")  # a link that lost its end
        yield link(page, v="2")
        yield link(page, model="nobody/nothing")
    for text in TEXTS:
        yield link("", text=text)
        yield link("", text=text, units="tokens", sinks="false")
        yield link("readings", text=text)
    for text in SHORT:
        for page in ("compare", "atlas"):
            yield link(page, text=text)
        yield link("steps", text=text, steps_words="my sentence")
        yield link("steps", text=text, steps_numbers="model", steps_step="7 Weights")
    for example in EXAMPLES:
        yield link("readings", text=example.text)
        yield link("readings", text=example.text, tab="What carries it")
        yield link("", text=example.text)
    for example in EXAMPLES[:4]:
        yield link("readings", text=example.text, tab="Does it matter?")
        yield link("compare", text=example.text)
    for page, words in WORDS.items():
        for word in words.table():
            values = _values(word)[-1:] if page == "training" else _values(word)  # what is not bundled trains a minute
            yield from (link(page, **{word.name: value}) for value in values)
    for page, words in WORDS.items():
        if page in ("", "readings", "compare"):
            yield from (
                link(page, text=DOG, **{word.name: _values(word)[1]}) for word in words.table() if _values(word)
            )
    yield from _meant()


def _values(word: Word) -> list[str]:
    """Return some values of a word: its options, or what its kind takes, and two that it does not take."""
    kind = word.kind
    if isinstance(kind, Text):
        return [] if word.name in ("text", "heads_pair") else ["<script>", "dog, cat, bird"]
    if isinstance(kind, Heads):
        return ["L2H8", "L9H9"]
    if isinstance(kind, LayerNumber):
        return ["3", "99"]
    if isinstance(kind, Label | Labels):
        return ["3 man", "nonsense"]
    if isinstance(kind, Number):
        return [repr(kind.low), repr(kind.high), "inf"]
    return [*kind.options(MINILM)[:OPTIONS], NEVER[1]]


def _meant() -> Iterator[str]:
    """Yield links in which several words belong together."""
    pins = ["L2H1", "L3H1", "L2H8", "L2H3"]
    yield link("", text=DOG, pins=pins, lock="6", look="from")
    yield link("", text=DOG, pins=pins, lock="6", look="ask")
    yield link("", text=DOG, pins=pins, lock="6", heads_pinned="lines")
    yield link("", text=DOG, pins=pins, heads_pinned="numbers", scale="each row")
    yield link("", text=DOG, on=pins, layer="2")
    yield link("", text=DOG, off=pins, layer="3", heads_table="both")
    yield link("", text=DOG, heads_cell="L3H1 7 2", heads_cell_order="By number")
    yield link("", text=DOG, heads_cell="L3H1 7 99")
    yield link("", text=DOG, heads_pair="It had not eaten for two days.", pins="L2H8")
    yield link("", text=DOG, heads_pair="It had not eaten.", heads_between="First at second", pins="L2H8")
    yield link("", text=DOG, heads_weights="What it brings", heads_weighed="What it brings", pins="L3H1")
    for model in ("copier", "tiny-causal"):
        yield link("", model=model, text="the man saw the man", heads_prompt="Write on", heads_most="4")
        yield link("", model=model, text="the man saw", heads_prompt="Write on", heads_step="2", heads_most="3")
        yield link("", model=model, text="the man saw the", heads_silenced=["L0H0", "L1H1"])
        yield link("", model=model, text="the man saw the", heads_cell="L0H1 3 1")
    for stack in ("Encoder", "Decoder", "Cross"):
        for model in ("reverser", "tiny-encoder-decoder"):
            yield link("", model=model, text="the man saw the dog", heads_stack=stack)
            yield link(
                "", model=model, text="the man saw", heads_stack=stack, heads_aim="Typed", heads_target="the dog saw"
            )
    own = CHOSEN | {"text": NURSE}
    for tab in ("Where they look", "What carries it", "Does it matter?"):
        yield link("readings", **own, tab=tab)
        yield link("readings", **own, readings_contrast="The nurse helped the singer because he was kind", tab=tab)
        yield link("readings", text=DOG, tab=tab, readings_measure="from the pivot, sinks aside")
        yield link("readings", text=DOG, tab=tab, readings_weights="What it brings")
        yield link("readings", text=DOG, tab=tab, readings_score="fills", model="tiny-masked")
        yield link("readings", text=DOG, tab=tab, readings_score="continuations", model="tiny-causal")
        yield link("readings", text=DOG, tab=tab, model="tiny-encoder-decoder")
    for contrast in (TASTY, DOG, "A cat slept.", "none"):
        yield link("readings", text=DOG, readings_contrast=contrast, tab="What carries it")
    for silenced in ("zero", "even weights", "another sentence’s"):
        yield link("readings", text=DOG, readings_silenced=silenced, tab="Does it matter?")
    yield link("readings", text=DOG, readings_word_a="starving", readings_word_b="stale", tab="What carries it")
    for second in (DOG, TASTY, "A dog ate because it was hungry.", "Nobody came.", "…", " ".join(["dog"] * 60)):
        yield link("compare", text=DOG, compare_second=second)
    yield link("compare", text=DOG, compare_against="the scrambled twin", compare_seed="3")
    for other in OWN:
        yield link("compare", text=DOG, compare_against="another model", compare_other=other)
    yield link("compare", text=DOG, compare_second=TASTY, compare_paired="8-8 0-1", pins="L3H1")
    yield link("compare", text=DOG, compare_second=TASTY, compare_swaps="big, small, old", compare_head="L3H1")
    for number in range(1, 11):
        for numbers in ("toy", "model"):
            yield link("steps", steps_step=str(number), steps_numbers=numbers)
    yield link("steps", steps_step="Mix", steps_seed="3", steps_edits="Q0.1.2=-0.5")
    yield link("steps", steps_step="6", steps_mask="causal", steps_editing="true")
    yield link("steps", steps_numbers="model", model="tiny-causal", steps_step="5", text=DOG)
    yield link(
        "steps", steps_numbers="model", steps_in_layer="3", steps_head="1", steps_query="6", steps_key="1", text=DOG
    )
    for experiment in EXPERIMENTS.values():
        said = dict(experiment.pairs())
        yield from (link("training", **said, training_at=at) for at in ("0", "31", "100"))
    yield link("training", training_heads_left="2", training_steps="300")  # trained as it is opened
    for head in ("L2H8", "L0H0", "L5H11"):
        yield link("atlas", atlas_head=head)
        yield link("atlas", atlas_like=head, atlas_order="by value")
    for text in (TELESCOPE, "Dogs", "…"):
        yield link("atlas", atlas_over="this sentence", text=text)
        yield link("atlas", atlas_over="this sentence", text=text, atlas_head="L2H8")


CLICKS = {  # deeds in pictures, by what they are called here
    "pin L2H3": ("click", "overview.picked", {"head": "L2H3"}),
    "pin L5H11": ("click", "overview.picked", {"head": "L5H11"}),
    "only L2H3": ("click", "overview.only", {"head": "L2H3"}),
    "all back": ("click", "overview.all_back", {}),
    "ask the 4th": ("click", "overview.asked", {"position": 3}),
    "close the answers": ("click", "overview.asked", {"position": None}),
    "a cell": ("click", "overview.cell", {"head": "L2H3", "query": 3, "key": 1}),
    "one cell": ("click", "overview.one_cell", {"head": "L2H3"}),
    "no such head": ("click", "overview.picked", {"head": "L99H99"}),
    "unpin": ("click", "pinned.unpin", {"head": "L2H3"}),
    "lock a column": ("click", "pinned.lock", {"position": 2}),
    "lock a row": ("click", "pinned.row", {"position": 2}),
    "lines": ("click", "pinned.view", {"name": "lines"}),
    "numbers": ("click", "pinned.view", {"name": "numbers"}),
    "a pinned cell": ("click", "pinned.cell", {"head": "L2H3", "query": 2, "key": 1}),
    "steps of a head": ("click", "pinned.steps", {"head": "L2H3"}),
    "a cell of the layer": ("click", "layer.cell", {"head": "L0H3", "query": 2, "key": 1}),
    "type the dog": ("text_area", "Your sentence", DOG),
    "type one word": ("text_area", "Your sentence", "Dogs"),
    "type nothing": ("text_area", "Your sentence", ""),
    "tokens": ("button_group", "Axis", "tokens"),
    "words": ("button_group", "Axis", "words"),
    "sinks kept": ("toggle", "Exclude special tokens and final punctuation", False),
    "layer 3": ("button_group", "Layer", "3"),
    "toy": ("selectbox", "Model", "toy"),
    "minilm": ("selectbox", "Model", "minilm"),
    "guess first": ("button_group", "Results", "0"),
    "findings": ("button_group", "Results", "1"),
    "the hungry dog": ("button_group", "Examples", "the hungry dog"),
    "the telescope": ("button_group", "Examples", "the telescope"),
    "share": ("press", "Share"),
    "a second text": ("press", "A second text"),
    "no heads": ("press", "None"),
    "all heads": ("press", "All"),
} | {f"to {page or 'heads'}": ("page", page) for page in EVERY}  # fmt: skip

SEQUENCES: tuple[tuple[str, str], ...] = (  # where it begins, and what is done, with a semicolon between deeds
    ("", "pin L2H3; unpin"),
    ("", "pin L2H3; pin L5H11; only L2H3; all back"),
    ("", "only L2H3; type the dog; all back"),
    ("", "ask the 4th; close the answers; ask the 4th; pin L2H3"),
    ("", "pin L2H3; lock a column; lock a row; tokens; words"),
    ("", "pin L2H3; lines; numbers; type the dog"),
    ("", "pin L2H3; a pinned cell; to readings; to heads"),
    ("", "a cell; type one word"),
    ("", "one cell; tokens"),
    ("", "a cell of the layer; to compare; to heads"),
    ("", "layer 3; no heads; all heads"),
    ("", "sinks kept; tokens; pin L2H3; words"),
    ("", "type nothing; type the dog"),
    ("", "type one word; ask the 4th; type the dog"),
    ("", "toy; type the dog; minilm"),
    ("", "guess first; type the dog; findings; pin L2H3"),
    ("", "the hungry dog; the telescope; the hungry dog"),
    ("", "a second text; type the dog"),
    ("", "no such head; pin L2H3; no such head"),
    ("", "pin L2H3; steps of a head; to heads"),
    ("", "share; type the dog; share"),
    ("?text=Dogs", "pin L2H3; to readings; to compare; to steps; to atlas"),
    ("?reveal=0", "type the dog; findings; pin L2H3; ask the 4th"),
    ("?model=toy", "ask the 4th; tokens; type the dog"),
    ("?model=copier&text=the+man+saw+the+man", "ask the 4th; tokens; sinks kept"),
    ("?model=reverser&text=the+man+saw", "tokens; minilm"),
    ("?model=tiny-causal&text=the+man+saw+the+dog", "sinks kept; tokens; minilm"),
    ("?units=tokens&sinks=false", "pin L2H3; lock a column; words; tokens"),
    ("?layer=2&pins=L2H3", "only L2H3; layer 3; all back"),
    ("?lock=3&look=ask", "pin L2H3; close the answers"),
    *((page, "type the dog; tokens; words") for page in WITH_CONTROLS),
    *((page, "toy; minilm") for page in WITH_CONTROLS),
    *((page, "the hungry dog; guess first") for page in WITH_CONTROLS),
    *((page, f"to heads; type the dog; to {page}; the telescope") for page in WITH_CONTROLS),
    *(
        (page, f"to heads; type the dog; to {page}; to heads; the telescope; to {page}")
        for page in ("training", "about")
    ),
    *((page, "type one word; sinks kept; type nothing; type the dog") for page in WITH_CONTROLS),
    ("readings?text=" + DOG.replace(" ", "+"), "to heads; pin L2H3; to readings; the telescope"),
    ("readings?model=toy", "minilm; type the dog; the hungry dog"),
)
