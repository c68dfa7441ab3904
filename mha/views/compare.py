"""Change a word: the attention of every head in two sentences, compared word by word with control words.

Sentences are Markdown; all words of a text in them are escaped. A head is named only if it exceeds twice its control
limit and more heads do so than with any control word: see `mha.analysis.changes`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from mha.analysis.changes import N_SWAPS, ChangeLimit
from mha.examples import CHANGE_EXAMPLES, EARLY_CHANGE
from mha.export.tables import Table
from mha.formats import capitalise_first, in_figures, in_signs, in_words, join_list, markdown, number, plain, share
from mha.intervention.comparing import Comparison, Connection
from mha.maps import HeadId, heads_of, ranked
from mha.models.files.rows import ModelRow
from mha.views.component_data import MOST_ROWS, Array, CellState, array, head_grid, picture
from mha.views.models import parse_heads, sourced_table
from mha.words import right_to_left, words

EXAMPLES = {label: {"text": first, "second": second} for label, (first, second) in CHANGE_EXAMPLES.items()}
EARLIER_EXAMPLE = EXAMPLES[EARLY_CHANGE]  # its change reaches later words, also in a model that reads left to right
MOST_WORDS = 48
SMALLEST_BITS = 0.00005  # a smaller change would be printed as 0.0
SMALLEST_ARC = 0.005  # a smaller share of attention has no arc
Column = tuple[str | None, str | None, bool]  # the word of each text, and whether they are equal
MEASURE = (
    "change: Jensen–Shannon divergence of a row over the paired words and one key for the rest, in bits, mean over "
    "the words that stayed; nothing rescaled"
)
FULL = 50  # points of a difference with the deepest colour
WINDOW = MOST_ROWS  # words of a map; of a longer sentence, those around the largest change
MAPS = (
    "Rows attend to columns, in per cent of all attention. Difference: blue for more, grey for less, deepest from 50 "
    "points. What a row lacks to 100\u00a0% goes to attention sinks (columns of 0) and to words without a match. "
    "Frame: the largest change; long sentences have the words around it."
)


def refusal(text: str, second: str) -> str:
    """Return why two sentences are not compared, or "" if they are."""
    longest = max(len(words(text)), len(words(second)))
    if longest > MOST_WORDS:
        return f"This page compares texts of up to {MOST_WORDS} words; one of these has {longest}."
    return ""


def example_sentence(example: Mapping[str, str]) -> str:
    """Return the two sentences of an example."""
    return f"“{markdown(example['text'])}” and “{markdown(example['second'])}”"


def named_connection(case: Comparison) -> Connection | None:
    """Return the connection that changes most in the heads that are named, None if none is."""
    return case.largest_connection if case.limit is not None and case.limit.named_heads.any() else None


def map_heads(case: Comparison, pins: Sequence[str]) -> tuple[HeadId, ...]:
    """Return the heads whose maps are drawn: the pinned ones, else the one of the named connection."""
    connection = named_connection(case)
    return parse_heads(pins) or ((connection[0],) if connection else ())


def arc_connection(case: Comparison, heads: Sequence[HeadId]) -> Connection | None:
    """Return the connection whose arcs are drawn: the named one, else the strongest of the first pinned head."""
    if case.changes is None or not case.is_measured:
        return None
    return named_connection(case) or ((heads[0], *case.changes.strongest(heads[0])) if heads else None)


# ---- sentences


def finding(case: Comparison, heads: Sequence[HeadId] = ()) -> str:
    """Return the main sentence: the connection that changed most if heads are named or pinned, else why none is.

    ``heads`` are those of `map_heads`. That no head stands out and a head are never shown together.
    """
    if case.refusal or case.changes is None:
        return case.refusal
    largest = float(case.changes.mean.max())
    if not largest:
        return "No head changes on the words that stayed."
    connection = arc_connection(case, heads)
    if connection is not None:
        return connection_sentence(case, connection)
    if case.limit is None:
        return f"Heads change by up to {bits(largest)}."
    if not case.limit.twice.any():
        return "No head changes by more than twice its control limit."
    return "No head stands out from what control words do."


def explanation(case: Comparison, heads: Sequence[HeadId] = ()) -> str:
    """Return the sentences after the finding: the ablated heads, the size of the change, and the paired words."""
    if case.is_identical:
        return "Change a word in the second sentence."
    return " ".join(filter(None, (ablated_sentence(case), size_sentence(case, heads), pairs_sentence(case))))


def size_sentence(case: Comparison, heads: Sequence[HeadId] = ()) -> str:
    """Return the change of the head in the finding, else the largest one, with its limit or the reason without one."""
    if case.changes is None or not case.is_measured or not case.changes.mean.any():
        return ""
    connection = arc_connection(case, heads)
    head = connection[0] if connection else ranked(case.changes.mean)[0]
    size, is_named = bits(case.changes.mean[head]), named_connection(case) is not None
    if case.limit is None:
        sentence = f"`{head}` changes by {size}. " if connection else ""
        return f"{sentence}{why_no_limit(case)} Without a control limit no head is named."
    limit = case.limit.values
    word = markdown(words(case.texts[0])[case.changed_word or 0])
    if connection is None:
        return f"Largest change: {size}, in a head with a control limit of {bits(limit[head])}."
    sentences = [f"`{head}` changes by {size}. With control words in place of *{word}*: {bits(limit[head])} at most."]
    n_more = int((limit > case.changes.mean[head]).sum())
    if 2 * n_more > limit.size:
        sentences.append(f"That is a small change: with a control word, {n_more} of {limit.size} heads change more.")
    if not is_named:
        sentences.append("This head is pinned; the change singles out none.")
    return " ".join(sentences)


def connection_sentence(case: Comparison, connection: Connection) -> str:
    """Return how the share of attention from one word to another changes in a head."""
    head, query, key = connection
    assert case.changes is not None
    first_weight, second_weight = shares(
        *(float(side[head][query, key]) for side in (case.changes.first, case.changes.second))
    )
    source, first, second = _word(case, 0, query), _word(case, 0, key), _word(case, 1, key)
    if not case.alignment.same[key]:
        first_share = f"In head `{head}`, {source} gives {first_weight} of its attention to {first}"
        return f"{first_share}, and {second_weight} to {second} in its place."
    target = "itself" if query == key else first
    shares_of = f"In head `{head}`, {source} gives {target} {first_weight} of its attention"
    return f"{shares_of} before the change and {second_weight} after it."


def shares(first: float, second: float) -> tuple[str, str]:
    """Return two shares as per cents, with a decimal if both would be printed alike.

    >>> shares(0.002, 0.43), shares(0.0201, 0.0243)
    (('less than 1\\xa0%', '43\\xa0%'), ('2.0\\xa0%', '2.4\\xa0%'))
    """
    if share(first) != share(second):
        return share(first), share(second)
    return f"{number(100 * first, 1)}\u00a0%", f"{number(100 * second, 1)}\u00a0%"


def bits(value: float) -> str:
    """Return a number of bits with its unit; a change is never printed as 0.

    >>> bits(0.0421), bits(0.0004), bits(0.0)
    ('0.042\\xa0bits', 'less than 0.001\\xa0bits', '0.000\\xa0bits')
    """
    return f"{'less than 0.001' if 0 < value < 0.0005 else number(float(value), 3)}\u00a0bits"


def why_no_limit(case: Comparison) -> str:
    """Return the reason for a missing control limit, and the way to one."""
    if case.changed_word is None:
        return "A control limit needs exactly one changed word, and no changed mark."
    return capitalise_first(
        f"{in_words(len(case.controls.words))} of {in_words(N_SWAPS)} control words found for this position."
    )


def _exceeding_text(limit: ChangeLimit) -> str:
    """Return how many heads exceed their control limit, how many would by chance, and whether they are named."""
    beyond, twice = int(limit.beyond.sum()), int(limit.twice.sum())
    return (
        f"{beyond} of {in_figures(limit.values.size, 'head')} {'exceeds its' if beyond == 1 else 'exceed their'} "
        "control limit (by chance about "
        f"{number(limit.expected, 0)}), {twice or 'none'} twofold. One control word changes at most "
        f"{in_figures(limit.by_swap[0], 'head')} that far beyond the limits of the others."
    )


def pairs_sentence(case: Comparison) -> str:
    """Return how the words are paired; "" if one word was exchanged for another, which the picture shows."""
    if case.changed_word is not None:
        return ""
    first, second = (words(text) for text in case.texts)
    sentences = [f"{sum(case.alignment.same)} of {in_figures(len(first), 'word')} stayed."]
    sentences += [
        f"*{markdown(first[i])}* is paired with *{markdown(second[j])}*." for i, j in case.alignment.changed[:3]
    ]
    return " ".join(sentences)


def ablated_sentence(case: Comparison) -> str:
    """Return that the model ran without some heads; "" if it ran with all."""
    if not case.ablated:
        return ""
    heads = join_list([f"`{head}`" for head in case.ablated])
    return f"The model runs without {heads}: each output is replaced by its mean over the sample sentences."


def grid_caption(case: Comparison) -> str:
    """Return the definition of a number of the grid, and the control words."""
    assert case.changes is not None
    rows, stayed = int(case.changes.counted.sum()), sum(case.alignment.same)
    basis = f"the {in_words(rows, 'word')} that stayed"
    if rows < stayed:  # under a causal mask
        basis = f"{in_words(rows)} of the {in_words(stayed, 'word')} that stayed, whose attention can change"
    sentence = f"Number: change in thousandths of a bit, the mean over {basis}. Click a head to pin it."
    if case.limit is None:
        return sentence
    names = [f"*{markdown(word)}*" for word in case.controls.words]
    return f"{sentence} {_exceeding_text(case.limit)} Control words: {join_list(names)}."


def method(case: Comparison) -> str:
    """Return how the numbers are measured, for the disclosure at the end of the page."""
    lines = [
        "**Change** of a head: Jensen–Shannon divergence (base 2) between a word’s attention in both sentences, in "
        "bits (0: unchanged, 1: no overlap), averaged over the words that stayed. Nothing is rescaled: attention sinks "
        "and words without a match count together as one more key. Rows of changed words do not count."
    ]
    if case.limit is not None:
        lines.append(
            f"**Control limit** of a head: its largest change under {len(case.limit.swaps)} control words in the same "
            "position. Heads beyond twice their limit are named if they outnumber those that any one "
            "control word moves that far beyond the limits of the others. A head that hardly changes has a low limit, "
            "so small changes can exceed it. Heads do not change independently."
        )
        follow, word = markdown(" ".join(case.controls.follow)), markdown(words(case.texts[0])[case.changed_word or 0])
        lines.append(
            f"**Control words** follow *{follow}* in the sample sentences, have the part of speech and form of "
            f"*{word}*, and are closest to it in the model’s word vectors; no person has checked them."
        )
    lines.append(
        "A change in attention does not show why, or whether it matters. One pair of sentences is not a pattern."
    )
    return "\n".join(f"- {line}" for line in lines)


def _word(case: Comparison, side: int, pair: int) -> str:
    return f"*{markdown(case.labels[side][case.alignment.pairs[pair][side]])}*"


# ---- component data


def sentence_data(case: Comparison, connection: Connection | None = None) -> dict[str, Any]:
    """Return both sentences with equal words above each other, and one row of a head as arcs in each."""
    columns, position = columns_of(case)
    data = versions_picture(case.texts, columns)
    if connection is None or case.changes is None:
        return data
    head, query, key = connection
    rows = [
        [
            (position[k], round(float(share), 4))
            for k, share in enumerate(side[head][query, :-1])
            if k != query and (share >= SMALLEST_ARC or k == key)
        ]
        for side in (case.changes.first, case.changes.second)
    ]
    weights = (float(side[head][query, key]) for side in (case.changes.first, case.changes.second))
    texts = list(map(in_signs, shares(*weights)))
    return data | {
        "head": str(head), "query": position[query], "key": position[key], "rows": rows, "texts": texts,
        "label": plain(connection_sentence(case, connection)),
    }  # fmt: skip


def versions_picture(texts: Sequence[str], columns: Sequence[Column]) -> dict[str, Any]:
    """Return a text and its changed version with equal words above each other, by columns as of `columns_of`."""
    return {
        "columns": columns, "titles": ["original", "changed"], "rtl": right_to_left(texts[0]),
        "label": f"Original: {texts[0]} Changed: {texts[1]}",
    }  # fmt: skip


def columns_of(case: Comparison) -> tuple[list[Column], dict[int, int]]:
    """Return the columns of both sentences from left to right, and the column of each pair.

    A column has the word of each sentence, or None, and whether the word stayed. Pairs are in the order of both
    sentences, since they are a common subsequence or fill a gap in it.
    """
    first, second = (words(text) for text in case.texts)
    columns: list[Column] = []
    position: dict[int, int] = {}
    first_start = second_start = 0
    for pair, (i, j) in enumerate([*case.alignment.pairs, (len(first), len(second))]):
        columns += [(word, None, False) for word in first[first_start:i]]
        columns += [(None, word, False) for word in second[second_start:j]]
        if i < len(first):
            position[pair] = len(columns)
            columns.append((first[i], second[j], case.alignment.same[pair]))
        first_start, second_start = i + 1, j + 1
    return columns, position


def grid_data(case: Comparison, heads: Collection[HeadId] = (), group: int = 1) -> dict[str, Any]:
    """Return the change of every head, as one cell a head; cells within their control limit are empty."""
    assert case.changes is not None
    mean = case.changes.mean  # [layer, head]
    legend: dict[CellState, str] = {"changes": "change, without a control limit", "within": "no change"}
    states, details = np.full(mean.shape, "changes", "<U10"), [bits(value) for value in mean.ravel()]
    if case.limit is not None:
        states = np.where(case.limit.twice, "changes", np.where(case.limit.beyond, "outlined", "within"))
        legend = {
            "changes": "more than twice its control limit", "outlined": "beyond its control limit",
            "within": "within its control limit",
        }  # fmt: skip
        limits = (f", control limit {number(limit, 3)}" for limit in case.limit.values.flat)
        details = [detail + limit for detail, limit in zip(details, limits, strict=True)]
    states[mean == 0] = "within"
    return head_grid(
        mean, states, legend, thousandths,
        details=details, group=group, ablated=case.ablated, pinned=heads,
        label="Change of every head, in thousandths of a bit",
    )  # fmt: skip


def thousandths(value: float) -> str:
    """Return a change in bits as a cell of the grid has it, in thousandths."""
    return "<0.1" if value < SMALLEST_BITS else number(1000 * value, 0 if value >= 0.001 else 1)


def map_title(case: Comparison, head: HeadId) -> str:
    """Return the name of a head, the size of its change, and its largest change."""
    assert case.changes is not None
    limit = "" if case.limit is None else f", control limit {number(float(case.limit.values[head]), 3)}"
    size = f" {bits(case.changes.mean[head])}{limit}." if case.changes.counted.any() else ""
    change = (
        connection_sentence(case, (head, *case.changes.strongest(head)))
        if (case.changes.first[head] != case.changes.second[head]).any()
        else "This head does not change."
    )
    return f"`{head}`{size} {change}"


def map_data(case: Comparison, head: HeadId) -> dict[str, Any]:
    """Return one head before the change, after it, and the difference; rows look at columns."""
    assert case.changes is not None
    first, second = case.changes.first[head], case.changes.second[head]  # [pair, pair + 1], the last for all else
    columns = [[case.labels[side][pair[side]] for pair in case.alignment.pairs] for side in (0, 1)]
    both = [
        first_word if is_same else "changed" if case.changed_word is not None else f"{first_word} / {second_word}"
        for first_word, second_word, is_same in zip(*columns, case.alignment.same, strict=True)
    ]
    query, key = case.changes.strongest(head)
    rows, places = window(query, len(both)), window(key, len(both))
    cell = (query - rows.start, key - places.start) if (first != second).any() else None

    def panel(title: str, names: Sequence[str], values: np.ndarray, shares: bool = True) -> Array:
        return array(
            values[rows, places], title, rows=both[rows], columns=names[places],
            shares=shares, decimals=0, shape="", cell=cell, most_columns=WINDOW,
        )  # fmt: skip

    data = picture(
        f"{head}: original, changed, difference",
        [
            panel("original", columns[0], first),
            panel("changed", columns[1], second),
            panel("difference in points", both, 100 * (second - first), shares=False),
        ],
    )
    return data | {"ink": FULL}


def window(position: int, length: int) -> slice:
    """Return at most `WINDOW` positions of so many, with this one near their middle.

    >>> window(2, 9), window(12, 14)
    (slice(0, 9, None), slice(4, 14, None))
    """
    start = max(0, min(position - WINDOW // 2, length - WINDOW))
    return slice(start, min(length, start + WINDOW))


def table(case: Comparison, row: ModelRow, link: str = "") -> Table:
    """Return the change of every head with its control limit, in bits: one row a head."""
    assert case.changes is not None
    columns: dict[str, Any] = {
        "head": [str(head) for head in heads_of(*case.changes.mean.shape)],
        "change_bits_mean": case.changes.mean.ravel(),
        "change_bits_largest_row": case.changes.largest.ravel(),
    }
    controls = "no control words"
    if case.limit is not None:
        columns["control_limit_bits"] = case.limit.values.ravel()
        columns |= {f"control_{n}_bits": swap.ravel() for n, swap in enumerate(case.limit.swaps, start=1)}
        columns |= {"beyond_limit": case.limit.beyond.ravel(), "named": case.limit.named_heads.ravel()}
        controls = f"control words {', '.join(case.controls.words)}"
    ablated = f"; without {join_list([str(head) for head in case.ablated])} (mean ablation)" if case.ablated else ""
    return sourced_table(columns, case.texts, row, f"{MEASURE}; {controls}{ablated}", link)
