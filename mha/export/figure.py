"""Print figures with captions that are true of the numbers, and their provenance: `mha.figures.print` draws them."""

from collections.abc import Mapping, Sequence

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.export.provenance import MOST_LINK, app_version, bibtex, public, texts_of
from mha.figures import print
from mha.formats import clean, join_list, percent, truncate
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, CONTRIBUTION, AttentionMaps, HeadId, Recording, maps_of
from mha.tokens import place_of

KINDS = {  # title, default width, least and most heads
    "map": ("One head", "single", 1, 1),
    "maps": ("Heads side by side", "double", 2, 4),
    "arcs": ("Sentence with arcs", "double", 1, 2),
    "grid": ("All heads", "double", 0, 0),
    "bars": ("What heads carry", "single", 0, 0),
    "change": ("Change", "double", 1, 1),
}
ORIGINS = {
    "toy": "a toy example with weights set by hand",
    "trained here": "a small model trained for this program",
    "scrambled twin": "a control with its weights shuffled within each matrix",
    "untrained twin": "a control with random weights",
    "imported": "numbers from a file or array",
}
MEASURES = {
    ATTENTION: "attention weights",
    CONTRIBUTION: "contributions (‖weight · value · W_O‖ as a share of the row, Kobayashi et al. 2020)",
}
MOST_TEXT, CAPTION_LINK = 400, 300  # characters in a caption; a longer link is in the metadata alone


def figure(
    maps: AttentionMaps | Recording | SetAside | Patch,
    kind: str = "map",
    heads: Sequence[tuple[int, int] | str] = (),
    width: float | str | None = None,
    *,
    word: str | int = "",
    contrast: AttentionMaps | Recording | SetAside | None = None,
    readings: Mapping[HeadId, print.Picked] | None = None,
    link: str = "",
    sentence: bool = True,
) -> print.PaperFigure:
    """Return a print figure of maps, or of a patch for the kind bars.

    Tokens are merged into words first. ``heads`` are pairs (layer, head) or names such as "L3H1"; ``width`` is in mm,
    "single" (84) or "double" (174). Arcs leave ``word``, a word or its position; a change takes the maps of the other
    version as ``contrast``. ``readings`` has for a head of arcs the position of the key that it was picked for, and its
    reading, "a" or "b": this arc is amber or teal, the head's others are pale. Maps from `mha.set_aside` have no sinks.
    The files contain ``link``. ``sentence=False`` keeps text and link out of caption and metadata; the words are still
    on the axes.

    Raises:
        InputError: a choice is not available, versions do not match or are too close, the sentence is
            too long for arcs, or matplotlib is missing.
    """
    if kind not in KINDS:
        raise InputError(f"A kind of figure is one of {', '.join(KINDS)}; this is {kind!r}.")
    if isinstance(maps, Patch) != (kind == "bars"):
        raise InputError("The kind bars, and no other, draws the result of mha.patch: a text and a contrast.")
    if (contrast is None) == (kind == "change"):
        raise InputError("The kind change, and no other, takes the maps of another version: contrast.")
    title, default_width, fewest, limit = KINDS[kind]
    head_ids = [HeadId.of(head) for head in ([heads] if isinstance(heads, str) else heads)]
    if not fewest <= len(head_ids) <= limit or len(set(head_ids)) < len(head_ids):
        number = f"{fewest} to {limit}" if fewest < limit else str(limit)
        raise InputError(f"The number of heads for {kind} is {number}, each once, such as L0H0; this is {heads!r}.")
    data: AttentionMaps | Patch
    with print.open_canvas(default_width if width is None else width) as canvas:
        if isinstance(maps, Patch):
            data, texts, measure = maps, [maps.text, maps.changed_version], "activation patching (Vig et al. 2020)"
            print.draw_bars(canvas, maps)
        else:
            first, second = merge(maps), None if contrast is None else merge(contrast)
            data, measure = first, MEASURES[first.measure]
            texts = [*texts_of(first), *(texts_of(second) if second else ())]
            if kind == "arcs":
                print.draw_arcs(canvas, first, head_ids, place_of(first.tokens, word), readings or {})
            elif kind == "grid":
                print.draw_grid(canvas, first)
            else:
                print.draw_maps(canvas, first, head_ids, second)
            excluded = maps if isinstance(maps, SetAside) else None
            canvas.notes[:0] = describe_shares(first, head_ids or first.heads, excluded, kind == "arcs")
    n_layers, n_heads = (data.carried if isinstance(data, Patch) else data.weights).shape[:2]
    size = f"{n_layers} layer{'s' * (n_layers != 1)} of {n_heads} head{'s' * (n_heads != 1)}, counted from 0"
    name, origin = clean(data.model) or "a model without a name", ORIGINS.get(data.origin, data.origin)
    quotes = " and ".join(f"“{truncate(' '.join(clean(text).split()), MOST_TEXT)}”" for text in texts if text)
    title += f": {join_list([str(head) for head in head_ids])}" * bool(head_ids)
    address = public(link) if sentence else ""
    caption = " ".join(filter(None, (
        f"{title}; {measure} of {name} ({'; '.join(filter(None, (origin, clean(data.revision), size)))}).",
        *canvas.notes,
        f"Text: {quotes or 'the tokens on the axes.'}" if sentence else "",
        address * (len(address) <= CAPTION_LINK),
    )))  # fmt: skip
    description = f"{measure} of {f'{name} {data.revision}'.strip()} ({data.origin})"
    private = [*texts, link * (len(link) <= MOST_LINK)] if sentence else []
    keywords = "; ".join(map(clean, filter(None, [description, f"Parallax {app_version()}", *private])))
    return print.PaperFigure(canvas, title, caption, keywords, bibtex(f"{title}: {description}", link))


def merge(maps: AttentionMaps | Recording | SetAside) -> AttentionMaps:
    """Return maps of words.

    Raises:
        InputError: the maps have no weights.
    """
    word_maps = (maps.maps if isinstance(maps, SetAside) else maps_of(maps)).merged()
    if not word_maps.weights.size:
        raise InputError("These maps have no weights, so there is nothing to draw.")
    return word_maps


def describe_shares(
    maps: AttentionMaps, heads: Sequence[HeadId], excluded: SetAside | None, is_arcs: bool
) -> list[str]:
    """Return the meaning of a share, the sum of shares, and which tokens are excluded, merged, masked or special."""
    unit, read = "word" if maps.units == "words" else "token", "; columns are the other text" * (maps.kind == "cross")
    share = "its attention" if maps.measure == ATTENTION else "the contribution of each column to it, by size"
    absent = max(float(maps.absent_mass[head].max(initial=0)) for head in heads)
    names = ", ".join(dict.fromkeys(clean(token.text) for token in excluded.sinks)) if excluded else ""
    total = f"The shares of a {unit} sum to at most 100\u00a0%; up to {percent(absent)} go to none of the columns."
    if excluded and names:
        empty = "; with less than 1\u00a0% left it is empty" * any(excluded.empty[head].any() for head in heads)
        total = f"Attention to {names} is excluded; the rest of a {unit} is rescaled to 100\u00a0%{empty}."
    elif not absent:
        total = f"The shares of a {unit} sum to 100\u00a0%."
    special = ", ".join(dict.fromkeys(clean(t.text) for t in (*maps.tokens, *maps.key_tokens) if t.special))
    return [
        f"Each row is a {unit} and shows {share}{read}. " * (not is_arcs) + total,
        "Attention to a word is the sum over its tokens, attention from a word their mean." * (unit == "word"),
        "Grey: keys that the model’s mask hides from a row." * (not (is_arcs or maps.visible.all())),
        f"The model adds the special tokens {special}." if special else "",
    ]
