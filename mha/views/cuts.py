"""A text with the arcs of a head, whose links can be cut: component data, sentences about cuts, and their table."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.cuts import Cut, kind_of
from mha.export.tables import Table
from mha.formats import join_list, markdown, moves, share
from mha.intervention.outcomes import NextWords
from mha.maps import AttentionMaps, HeadId, Token, ranked
from mha.models.files.rows import ModelRow
from mha.views.models import sourced_table

STUDY = ASSETS / "links.json"
MOST_NAMED = 8  # ablated heads that a sentence names; of more it has the number
N_NAMED = 2  # tokens of a rescaled row that a sentence names
SMALLEST_ARC = 0.06  # a smaller share of attention has no arc
LARGE = 0.5  # share of a link that is compared with a cut one


def text_data(
    prediction: NextWords,
    maps: AttentionMaps | None = None,
    head: HeadId | None = None,
    is_mask: bool = False,
    uncut: AttentionMaps | None = None,
) -> dict[str, Any]:
    """Return the text with its gap, and the attention of a head from the predicting token.

    Its links can be cut if there are the maps with no link cut. Cross-attention is from the last token of the output,
    which is not in the text.
    """
    sweep, place = prediction.sweep, prediction.sweep.place
    is_cross = maps is not None and maps.kind == "cross"
    tokens = maps.key_tokens if maps is not None and is_cross else sweep.tokens
    visible = [number for number, token in enumerate(tokens) if not token.special or (number == place and is_mask)]
    data: dict[str, Any] = {
        "tokens": [
            {"text": tokens[number].text, "space": number > 0 and tokens[number].start > tokens[number - 1].end}
            for number in visible
        ],
        "positions": visible,
        "gap": "none" if is_mask or is_cross else "end",
        "mask": visible.index(place) if is_mask else None,
        "candidates": [],
        "title": "",
        "hint": "",
        "cut": plain_text(prediction) if prediction.cut else "",
    }
    if maps is None or head is None or (len(visible) == 1 and not is_cross):  # a token alone attends to itself
        return data
    row = maps.weights[head][min(place, maps.n_queries - 1)]  # [key]
    data["attention"] = {
        "head": f"{head} cross" if is_cross else str(head),
        "query": None if is_cross or place not in visible else visible.index(place),
        "from": "the gap" if is_mask else prediction.last_token,
        "first": 0 if maps.causal and visible[0] == 0 else None,  # the first token takes attention that no token needs
        "shares": [round(float(row[number]), 4) for number in visible],
        "least": SMALLEST_ARC,
        "cuts": None if uncut is None or is_cross else arc_cuts(prediction, head, visible, uncut),
    }
    return data


class WithCuts(Protocol):
    """A result of a model with links cut, which names them by their words."""

    @property
    def cut(self) -> tuple[Cut, ...]:
        """The links that are cut."""

    def link_name(self, cut: Cut) -> str:
        """Return a cut by its words, as plain text: her → Ruth."""


def plain_text(result: WithCuts) -> str:
    """Return all cuts, as plain text: L24H4 her → Ruth."""
    return ", ".join(f"{cut.head} {result.link_name(cut)}" for cut in result.cut)


def labels(result: WithCuts) -> dict[str, str]:
    """Return the name of each cut in the address, and its label in Markdown."""
    return {str(cut): f"`{cut.head}` *{markdown(result.link_name(cut))}*" for cut in result.cut}


def condition(result: WithCuts) -> str:
    """Return what is cut, in Markdown, as the end of a sentence that begins with "With"; "" without a cut."""
    if len(result.cut) > 1:
        return f"{len(result.cut)} links cut"
    return "".join(f"the link *{markdown(result.link_name(cut))}* of `{cut.head}` cut" for cut in result.cut)


def run_condition(result: WithCuts, ablated: Sequence[HeadId]) -> str:
    """Return which heads are ablated and which links cut in a run of the model, in Markdown; "" for none."""
    names = join_list([f"`{head}`" for head in ablated]) if len(ablated) <= MOST_NAMED else f"{len(ablated)} heads"
    without = f"without {names}" if ablated else ""
    return " and ".join(filter(None, (without, f"with {condition(result)}" if result.cut else "")))


def short_condition(prediction: NextWords) -> str:
    """Return how many links are cut and which heads are ablated with them, as plain text."""
    links = "the link cut" if len(prediction.cut) == 1 else f"{len(prediction.cut)} links cut"
    return (
        f"{join_list([str(head) for head in prediction.ablated])} ablated and {links}" if prediction.ablated else links
    )


def same_cut(prediction: NextWords, uncut: AttentionMaps) -> Cut | None:
    """Return the cut link in the other head that gives it most, or None if none gives it half of its row.

    Only one cut alone has another one to be compared with. ``uncut`` are the maps with no link cut.
    """
    if len(prediction.cut) != 1 or prediction.ablated:
        return None
    shares = _shares(prediction.cut[0], uncut)
    shares[prediction.cut[0].head] = 0
    head = ranked(shares)[0]
    return prediction.cut[0]._replace(head=head) if shares[head] > LARGE else None


def other_head_text(
    prediction: NextWords, same: NextWords | None, uncut: AttentionMaps | None, word: int, name: str
) -> str:
    """Return what `same_cut` does to a word, given by its index and its name in Markdown; "" without such a cut."""
    if same is None or uncut is None or prediction.after is None or same.after is None:
        return ""
    head = same.cut[0].head
    size = share(float(_shares(same.cut[0], uncut)[head]))
    change = moves(float(prediction.probability[word]), float(same.after[word]))
    return f"With the same cut in `{head}` ({size}) instead, {name} {change}."


def _shares(cut: Cut, uncut: AttentionMaps) -> np.ndarray:
    """Return the share of each head for a link, [layer, head]: the sum over its keys, the mean over its queries."""
    n_queries = 1 + cut.queries[1] - cut.queries[0]
    return np.sum([uncut.weights[:, :, query, key] for query, key in cut.pairs], axis=0) / n_queries


def token_name(tokens: Sequence[Token], number: int) -> str:
    """Return a token as sentences name it, in Markdown: "the token *…*" if it is not a whole word."""
    return f"{kind_of(tokens, number, number)}*{markdown(tokens[number].text)}*"


def row_text(prediction: NextWords, head: HeadId, after: AttentionMaps | None) -> str:
    """Return where most of the rescaled row of a head goes, "" if no link of it is cut from the predicting token."""
    place = prediction.sweep.place
    is_cut = any(cut.head == head and cut.queries[0] <= place <= cut.queries[1] for cut in prediction.cut)
    if after is None or not is_cut:
        return ""
    row = after.weights[head][place]
    largest = [int(key) for key in np.argsort(-row, kind="stable")[:N_NAMED] if row[key] > 0]
    shares = ", ".join(f"{token_name(after.tokens, key)} {share(float(row[key]))}" for key in largest)
    owner = "its row" if len(prediction.cut) == 1 else f"the row of `{head}`"
    return f"The rest of {owner} is rescaled: {shares}."


def no_effect_rate_text(model: ModelRow, weight: float = 1.0) -> str:
    """Return how often cut links of such a weight change nothing, "" without a study of such links in this model."""
    study = assets.optional(STUDY, json.loads)
    if not study or study["model"] != model.name:
        return ""
    for name, band in study["by weight"].items():
        low, high = (float(end.rstrip("%")) / 100 for end in name.split(" to "))
        if low < weight <= high and band["links"]:
            links = f"above {share(low)}" if high == 1 else f"of {100 * low:.0f} to {share(high)}"
            return (
                f"Of links {links}, {share(band['share'])} leave the likeliest word within "
                f"{study['within_nats']:.2f} nats ({band['links']:,} links in {band['texts']:,} texts)."
            )
    return ""


def studied_weight(prediction: NextWords, uncut: AttentionMaps | None) -> float:
    """Return the weight of the cut link if it is alone, from the predicting token and not to the first one, else 0.

    Only such links were studied. ``uncut`` are the maps with no link cut.
    """
    pairs = [pair for cut in prediction.cut for pair in cut.pairs]
    if (
        uncut is None
        or prediction.ablated
        or len(pairs) != 1
        or pairs[0][0] != prediction.sweep.place
        or pairs[0][1] == 0
    ):
        return 0.0
    return float(uncut.weights[prediction.cut[0].head][pairs[0]])


def arc_cuts(
    prediction: NextWords, head: HeadId, visible: Sequence[int], uncut: AttentionMaps
) -> list[dict[str, Any] | None]:
    """Return for each visible token the cut that a click on its arc makes or takes back; None for an ablated head.

    ``was`` is the share with no link cut, None if the link is not cut. ``uncut`` are the maps with no link cut.
    """
    if head in prediction.ablated:
        return [None] * len(visible)
    place = prediction.sweep.place
    data: list[dict[str, Any] | None] = []
    for number in visible:
        cut = next((cut for cut in prediction.cut if cut.head == head and (place, number) in cut.pairs), None)
        was = None if cut is None else round(float(uncut.weights[head][place, number]), 4)
        data.append({"name": str(cut or Cut(head, (place, place), (number, number))), "was": was})
    return data


# ---- exports


def source_text(result: WithCuts, ablated: Sequence[HeadId] = ()) -> str:
    """Return what pictures of a page say of ablated heads and cut links, as plain text; "" without both."""
    names = f"Ablated: {join_list(list(map(str, ablated)))}; changes without each head have all others on. "
    links = f"Cut: {plain_text(result)}; changes without each head have no link cut. "
    return f"{names if ablated else ''}{links if result.cut else ''}"


def table(prediction: NextWords, model: ModelRow, link: str = "") -> Table:
    """Return the probability of each next word before and after the cut."""
    columns: dict[str, Any] = {
        "word": list(prediction.words),
        "before": prediction.probability,
        "after": prediction.after,
    }
    names = ", ".join(map(str, (*prediction.ablated, *prediction.cut)))
    about = (
        f"before: all heads on; after: {names} ({plain_text(prediction)}), weights of cut links are 0, rows rescaled"
    )
    return sourced_table(columns, (prediction.sweep.text,), model, about, link)
