"""Print figures: every kind and format, labels apart, true captions, equal bytes, missing matplotlib."""

import io
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, product
from random import Random
from xml.etree import ElementTree

import numpy as np
import pypdf
import pytest
from PIL import Image

import mha
from mha.errors import InputError, MHAError
from mha.export.figure import KINDS
from mha.figures.print import ENDINGS, largest_shares, settings
from mha.intervention.outcomes import Patch
from mha.maps import ORIGINS, AttentionMaps, HeadId, Token
from mha.server.command_line import draw_figure
from mha.theme import colours

WORDS = ["a", "I", "was", "of", "the", "trophy", "suitcase", "didn't", "incomprehensibilities", ",", "Ångström", "犬"]
HEBREW = ["שלום", "עולם", "הכלב", "אכל", "את", "האוכל", "כי", "הוא", "היה", "רעב"]
DOG = ["A", "dog", "ate", "the", "food", "because", "it", "was", "hungry"]


def make_maps(words, n_layers=2, n_heads=3, seed=0, causal=False, **about):
    """Return maps of words between special tokens, with random rows that sum to 1."""
    names = ["[CLS]", *words, "[SEP]"]
    tokens = [Token(name, word=None if name[0] == "[" else n, special=name[0] == "[") for n, name in enumerate(names)]
    weights = np.random.default_rng(seed).dirichlet(np.full(len(names), 0.2), (n_layers, n_heads, len(names)))
    if causal:
        weights = np.tril(weights) + 1e-9 * np.eye(len(names))
        weights /= weights.sum(axis=-1, keepdims=True)
    return AttentionMaps(weights, tuple(tokens), text=" ".join(words), units="words", causal=causal, **about)


def make_patch(seed=0, n_layers=4, n_heads=12, **about):
    """Return random shares of a score change; the score is read after the last layer but one."""
    random = np.random.default_rng(seed)
    carried = random.normal(0, 0.02, (n_layers, n_heads))
    carried[0, :2] = random.normal(0, 0.3 * 4 ** (seed % 4), 2)
    carried[-1] = np.nan
    direct = np.zeros((n_layers, n_heads), dtype=bool)
    direct[-2] = True
    control = np.full((n_layers, 15), np.nan) if seed % 4 == 3 else random.normal(0, 0.02, (n_layers, 15))
    texts = ("it was hungry.", "it was delicious.")
    return Patch(*texts, n_layers - 1, (0.3, -0.1), carried, control, direct, (2,), **about)


def draw(kind, maps=None, **choices):
    """Return a figure of a kind; the changed version ends with another word."""
    if kind == "bars":
        return mha.figure(make_patch(len(maps.text) if maps else 0), kind, **choices)
    maps = maps or make_maps(DOG, model="Small")
    words = [token.text for token in maps.tokens if not token.special]
    second = make_maps([*words[:-1], "delicious"], maps.n_layers, maps.n_heads, 1, maps.causal)
    heads = choices.pop("heads", maps.heads[: KINDS[kind][-1]])
    return mha.figure(maps, kind, heads, word=1, contrast=second if kind == "change" else None, **choices)


def texts_of(figure):
    return [text.get_text() for text in figure.canvas.ax.texts]


def boxes_of(figure):
    """Return each text with the corners of its ink in points: width by the Agg renderer, height by its outlines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.textpath import TextPath

    canvas = FigureCanvasAgg(figure.canvas.ax.figure)
    figure.canvas.ax.figure.set_dpi(288)
    boxes = []
    with settings():
        for text in figure.canvas.ax.texts:
            turn, (x, y) = math.radians(text.get_rotation()), text.get_transform().transform(text.get_position())
            text.set_rotation(0)
            box = text.get_window_extent(canvas.get_renderer()).padded(-1)  # a pixel of antialiasing
            ink = TextPath((0, 0), text.get_text(), prop=text.get_fontproperties()).get_extents()
            text.set_rotation(math.degrees(turn))
            offsets = [(px - x, py - y) for px in (box.x0, box.x1) for py in (y + 4 * ink.y0, y + 4 * ink.y1)]
            cosine, sine = math.cos(turn), math.sin(turn)
            corners = np.array([(x + a * cosine - b * sine, y + a * sine + b * cosine) for a, b in offsets])
            boxes.append((text.get_text(), corners / 4))
    return boxes


def apart(first, second):
    """Return whether an axis of either box separates two boxes (corners in the order of `boxes_of`)."""
    for box in (first, second):
        for axis in (box[1] - box[0], box[2] - box[0]):
            one, two = first @ axis, second @ axis
            if one.max() <= two.min() + 1e-6 or two.max() <= one.min() + 1e-6:
                return True
    return False


@pytest.mark.sampled(13)  # of 6 kinds and 20 sentences: each kind is drawn
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_a_sentence_never_touch(seed, kind):
    random = Random(seed)
    width, most = (174, 8) if kind == "arcs" else ((84, 174)[seed % 2], 13)  # arcs need one line
    words = random.choices(random.choice((WORDS, HEBREW)), k=random.randint(1, most))
    figure = draw(kind, make_maps(words, seed=seed, causal=seed % 3 == 0), width=width)
    width, height = figure.canvas.width, figure.canvas.bottom - figure.canvas.top
    boxes = boxes_of(figure)
    for name, corners in boxes:
        assert corners.min() >= -0.3, name
        assert (corners.max(axis=0) <= (width + 0.3, height + 0.3)).all(), name
    for (one, first), (two, second) in combinations(boxes, 2):
        assert apart(first, second), (one, two)
    assert min(text.get_size() for text in figure.canvas.ax.texts) >= 6


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_file_has_size_fonts_and_provenance(kind, ending, tmp_path):
    link = "https://example.org/?pins=L0H0"
    figure = draw(kind, link=link)
    path = figure.save(tmp_path / f"figure.{ending}", 100)
    assert figure.file(ending, 100) == path.read_bytes()
    width, height = figure.size_mm
    assert width == {"single": 84, "double": 174}[KINDS[kind][1]]
    if ending == "png":
        image = Image.open(path)
        size, about = [pixels / 100 * 25.4 for pixels in image.size], image.text
        caption = about["Description"]
    elif ending == "pdf":
        (page,) = pypdf.PdfReader(path).pages
        size = [float(points) * 25.4 / 72 for points in (page.mediabox.width, page.mediabox.height)]
        about = pypdf.PdfReader(path).metadata
        caption, about = about["/Subject"], {name[1:]: value for name, value in about.items()}
        fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
        assert all("FontFile2" in str(font["/DescendantFonts"][0].get_object()["/FontDescriptor"]) for font in fonts)
        assert not page.images
        assert ("Carried" if kind == "bars" else "L0H0" if kind == "arcs" else "Attention") in page.extract_text()
    else:
        root = ElementTree.parse(path).getroot()
        size = [float(root.get(name).removesuffix("pt")) * 25.4 / 72 for name in ("width", "height")]
        tags = {element.tag.split("}")[-1]: element for element in root.iter()}
        assert not {"image", "script"} & set(tags)
        labels = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text")]
        assert sorted(labels) == sorted(filter(str.strip, texts_of(figure)))
        assert "src:url(data:font/ttf;base64," in "".join(tags["style"].itertext())
        caption = tags["description"].text
        about = {"Title": root.find("{*}title").text, "Keywords": tags["li"].text}
    assert size == pytest.approx([width, height], abs=0.3)
    assert caption == figure.caption
    assert about["Title"] == figure.title
    assert link in about["Keywords"]
    assert ("it was hungry" if kind == "bars" else "A dog ate") in about["Keywords"]


def test_equal_numbers_make_equal_files():
    """In two processes with other hashes of strings, and another date."""
    code = (
        "import sys; from tests.figures.test_print import *\n"
        "from hashlib import sha256; f = draw('arcs'); print([sha256(f.file(e)).hexdigest() for e in ENDINGS])"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "1000000000")
    }
    assert len(digests) == 1


def test_drawing_loads_no_pyplot_and_keeps_settings():
    code = (
        "import sys, mha, mha.export.figure; assert 'matplotlib' not in sys.modules\n"
        "import matplotlib; matplotlib.rcParams['font.size'] = 3; before = dict(matplotlib.rcParams.copy())\n"
        "from tests.figures.test_print import draw; draw('map').file('pdf')\n"
        "assert 'matplotlib.pyplot' not in sys.modules and dict(matplotlib.rcParams.copy()) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"need matplotlib: pip install 'mha-parallax\[figures\]'"):
        draw("map")


@pytest.mark.parametrize(("name", "ending"), [("heads", "''"), ("heads.tif", "'tif'")])
def test_other_endings_are_refused(name, ending, tmp_path):
    with pytest.raises(InputError, match=rf"saved as .svg, .pdf or .png; this is {ending}"):
        draw("map").save(tmp_path / name)


def test_right_to_left_sentence_runs_from_the_right():
    figure = mha.figure(make_maps(HEBREW[:4]), "arcs", ["L0H0"], word=1)
    places = {text.get_text(): text.get_position()[0] for text in figure.canvas.ax.texts}
    assert [places[word] for word in HEBREW[:4]] == sorted((places[word] for word in HEBREW[:4]), reverse=True)
    assert figure.endings == ENDINGS  # DejaVu has the letters


def test_dollars_and_markup_are_letters():
    figure = mha.figure(make_maps(["$x^2$", "<b>&amp;"]), "map", ["L0H0"])
    assert {"$x^2$", "<b>&amp;"} <= set(texts_of(figure))
    assert ElementTree.fromstring(figure.svg()) is not None


@pytest.mark.parametrize("width", [84, 174])
def test_thirty_layers_of_nine_heads_fit_a_page(width):
    figure = mha.figure(make_maps(DOG, 30, 9, causal=True), "grid", [], width)
    assert figure.size_mm[0] == width
    assert figure.size_mm[1] < 240
    names = texts_of(figure)
    assert "H8" in names
    assert "Layer 0" in names
    assert len(figure.svg()) < 400_000
    assert "Grey: keys that the model’s mask hides" in figure.caption


def test_cells_have_the_colours_of_weights():
    """4 × 4 weights of which one is 1 and the others 0: one dark cell at its row and column."""
    weights = np.zeros((1, 1, 4, 4))
    weights[0, 0, :, 2] = (0, 1, 0, 0)
    maps = AttentionMaps(weights, tuple(Token(name, word=n) for n, name in enumerate("abcd")), units="words")
    figure = mha.figure(maps, "map", ["L0H0"])
    (x0, y0), (x1, y1) = figure.canvas.ax.lines[0].get_path().get_extents().get_points()
    image = np.asarray(Image.open(io.BytesIO(figure.file("png", 72))).convert("L"))
    pitch = (x1 - x0) / 4
    samples = image[(y0 + pitch * (np.arange(4) + 0.5)).astype(int)][:, (x0 + pitch * (np.arange(4) + 0.5)).astype(int)]
    assert np.argwhere(samples < 100).tolist() == [[1, 2]]
    assert (y1 - y0) == pytest.approx(x1 - x0)


def steps_at(figure, x, y):
    """Return the step of the colour scale that is drawn at a point, -1 for grey: that of the last path there."""
    steps = [
        int(patch.get_gid().removeprefix("share-"))
        for patch in figure.canvas.ax.patches
        if (patch.get_gid() or "").startswith("share-") and patch.get_path().contains_point((x, y))
    ]
    return steps[-1] if steps else None


def test_grid_has_the_weights_of_every_head_at_its_place():
    """Cells [layer query, head key] with a grey column after each head and a grey row after each layer."""
    maps = make_maps(["dog", "ate"], n_layers=2, n_heads=3, causal=True)
    figure = mha.figure(maps, "grid")
    (x0, y0), (_, y1) = figure.canvas.ax.lines[0].get_path().get_extents().get_points()
    across = (figure.canvas.width - x0 - 1) / 3
    wide = across - min(4, 0.15 * across)
    down = (y1 - y0) - wide  # of two layers: one step down, and a square map
    for (layer, head), query, key in product(maps.heads, range(4), range(4)):
        step = steps_at(
            figure, x0 + head * across + (key + 0.5) * wide / 4, y0 + layer * down + (query + 0.5) * wide / 4
        )
        expected = min(int(maps[layer, head][query, key] * 51), 50) if maps.visible[query, key] else -1
        assert step == expected
    assert steps_at(figure, x0 + (wide + across) / 2, y0 + wide / 2) == -1
    assert steps_at(figure, x0 + wide / 2, y0 + (wide + down) / 2) == -1


def test_change_squares_have_the_area_of_the_change():
    first, second = make_maps(["it", "was", "hungry"]), make_maps(["it", "was", "delicious"], seed=1)
    figure = mha.figure(first, "change", ["L0H0"], contrast=second)
    change = second[0, 0] - first[0, 0]
    (squares,) = (marks for marks in figure.canvas.ax.collections if hasattr(marks, "get_sizes"))
    rows = np.abs(change) >= 0.02
    pitch = np.ptp(figure.canvas.ax.lines[0].get_xdata()) / 5
    expected = [(pitch * math.sqrt(abs(size)) - 0.6) ** 2 for size in change[rows]]
    assert list(squares.get_sizes()) == pytest.approx(expected)
    assert [bool(fill[3]) for fill in squares.get_facecolors()] == [bool(size > 0) for size in change[rows]]
    assert "“…” marks words that differ." in figure.caption
    same = mha.figure(first, "change", ["L0H0"], contrast=first).caption
    assert "marks words" not in same


def test_arcs_are_as_wide_as_their_shares():
    weights = np.zeros((1, 2, 5, 5))
    weights[..., 0] = 1
    weights[0, 0, 2] = [0.1, 0.6, 0.2, 0.06, 0.04]
    weights[0, 1, 2] = [0.0, 0.0, 1.0, 0.0, 0.0]
    tokens = [Token(n, word=i, special=i in (0, 4)) for i, n in enumerate(["[CLS]", "the", "dog", "barked", "[SEP]"])]
    maps = AttentionMaps(weights, tuple(tokens), text="the dog barked", units="words")
    figure = mha.figure(maps, "arcs", ["L0H0", "L0H1"], word="Dog")
    assert [line.get_linewidth() for line in figure.canvas.ax.lines] == pytest.approx([9 * 0.6, 9 * 0.06])
    texts = [text.replace("\u00a0", " ") for text in texts_of(figure)]
    assert "60 %" in texts
    assert "6 %" not in texts
    assert "L0H0 gives 14\u00a0% to special tokens. L0H1 gives 0\u00a0%" in figure.caption
    assert "Arcs leave “dog”" in figure.caption
    assert "row" not in figure.caption
    excluded = mha.figure(mha.set_aside(maps), "arcs", ["L0H0"], word="dog")
    assert "special" not in excluded.caption


def test_arcs_have_arrowheads_and_the_colours_of_readings():
    """From *it* the head gives most to *dog*, its reading's candidate, and less to *food*."""
    weights = np.zeros((1, 1, 4, 4))
    weights[0, 0, 3] = (0.6, 0.1, 0.2, 0.1)
    tokens = tuple(Token(name, word=number) for number, name in enumerate(["dog", "ate", "food", "it"]))
    maps = AttentionMaps(weights, tokens, text="dog ate food it", units="words")
    plain = mha.figure(maps, "arcs", ["L0H0"], word="it").canvas.ax
    middles = {text.get_text(): text.get_position()[0] for text in plain.texts}
    tips = [arrow.get_xy()[2] for arrow in plain.patches]
    assert [tip[0] for tip in tips] == pytest.approx([middles[name] for name in ("dog", "food", "ate")])
    assert [line.get_alpha() for line in plain.lines] == pytest.approx([1, 0.25 + 0.5 / 3, 0.25 + 0.5 / 6])
    assert len({line.get_color() for line in plain.lines}) == 1
    told = mha.figure(maps, "arcs", ["L0H0"], word="it", readings={HeadId(0, 0): (2, "b")}).canvas.ax
    colour = colours()["reading_b"]["graphic"]
    assert [(line.get_color() == colour, line.get_alpha()) for line in told.lines] == [
        (False, 0.45), (True, 1), (False, 0.45),
    ]  # fmt: skip


def test_bars_show_shares_and_controls():
    patch = make_patch(1, model="MiniLM", origin="pretrained", left_out=(HeadId(0, 1), HeadId(2, 8)))
    figure, shares = mha.figure(patch, "bars"), largest_shares(patch)
    acting = np.where(patch.direct, np.nan, patch.carried)
    assert [share for _, share, _ in shares] == sorted(acting[np.isfinite(acting)], key=abs, reverse=True)[:10]
    bars = figure.canvas.ax.patches[1::2]  # each after its band
    beyond = [not draws.min() <= share <= draws.max() for _, share, draws in shares]
    assert [bar.get_facecolor() != (1, 1, 1, 1) for bar in bars] == beyond
    assert "The largest 10 of 24 shares by size" in figure.caption
    assert "three heads of the layer together, L0H1 and L2H8 left out; a bar beyond it is filled" in figure.caption
    assert "The largest 6 of 6 shares" in mha.figure(make_patch(1, n_layers=3, n_heads=6), "bars").caption
    assert mha.figure(make_patch(3), "bars").file("png")  # no head has draws
    with pytest.raises(InputError, match="differ too little"):
        mha.figure(replace(patch, carried=np.full((4, 12), 0.5)), "bars")


@pytest.mark.parametrize("origin", ORIGINS)
def test_caption_has_provenance(origin):
    maps = make_maps(DOG, origin=origin, model="M\x00<i>", revision="abc123")
    for kind in ("map", "grid") if origin == "pretrained" else ("arcs",):
        caption = draw(kind, maps, link="https://example.org/?pins=L0H0").caption
        assert "M <i> (" in caption
        assert "; abc123; 2 layers of 3 heads, counted from 0)" in caption
        assert caption.endswith("https://example.org/?pins=L0H0")
    assert "localhost" not in draw("map", maps, link="http://localhost:8501/?pins=L0H0").caption


def test_caption_states_sums_masks_and_exclusions():
    maps = make_maps(["the", "dog"])
    half = mha.figure(replace(maps, weights=maps.weights / 2), "map", ["L0H0"]).caption
    assert "up to 50\u00a0% go to none of the columns" in half
    assert "mask" not in half
    assert "mask hides from a row" in mha.figure(make_maps(["a"], causal=True), "map", ["L0H0"]).caption
    excluded = mha.figure(mha.set_aside(maps), "map", ["L0H0"])
    assert "Attention to [CLS], [SEP] is excluded" in excluded.caption
    assert "The model adds" not in excluded.caption
    assert not any("CLS" in text for text in texts_of(excluded))
    assert "contributions (‖weight" in mha.figure(make_maps(["dog"], measure="brought"), "map", ["L0H0"]).caption


def test_hidden_sentence_is_in_no_file():
    figure = mha.figure(
        make_maps(["secret", "plan"]), "map", ["L0H0"], sentence=False, link="https://a.org/?secret+plan"
    )
    assert not re.search("secret.plan", figure.svg())
    assert "Text:" not in figure.caption


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"kind": "pie"}, "A kind of figure is one of map, maps"),
        ({"heads": []}, r"The number of heads for map is 1, each once, such as L0H0; this is \[\]"),
        ({"heads": ["L9H0"]}, "has heads L0H0 to L1H2; you asked for L9H0"),
        ({"heads": ["nine"]}, "A head is named like L5H3"),
        ({"kind": "maps", "heads": ["L0H0", "L0H0"]}, "for maps is 2 to 4, each once, such as L0H0"),
        ({"kind": "grid"}, "for grid is 0"),
        ({"width": 12}, "a number from 40 to 250 mm; this is 12"),
        ({"width": "triple"}, "“single”, “double” or a number"),
        ({"width": float("nan")}, "40 to 250 mm"),
        ({"kind": "change"}, "The kind change, and no other"),
        ({"contrast": make_maps(["cat"])}, "The kind change, and no other"),
        ({"kind": "change", "contrast": make_maps(["the", "cat"])}, "with as many words, of one model"),
        ({"kind": "change", "contrast": make_maps(["cat"], measure="brought")}, "of one model and one measure"),
        ({"kind": "bars"}, "The kind bars, and no other"),
    ],
)
def test_unavailable_choices_are_refused(choices, message):
    with pytest.raises(InputError, match=message):
        mha.figure(make_maps(["dog"]), **({"kind": "map", "heads": ["L0H0"]} | choices))


def test_command_draws_a_sentence_and_a_change(tmp_path, capsys):
    out = tmp_path / "L3H1.pdf"
    draw_figure(["The dog ran", "--kind", "arcs", "--head", "L3H1", "--word", "2", "--width", "84", "--out", str(out)])
    assert "Arcs leave “dog”" in capsys.readouterr().out
    assert len(pypdf.PdfReader(out).pages) == 1
    texts = "A dog ate the food because it was hungry.", "A dog ate the food because it was delicious."
    both = [texts[0], "--contrast", texts[1]]
    draw_figure([*both, "--kind", "change", "--head", "L3H1", "--out", str(tmp_path / "change.svg")])
    assert "Change: L3H1; attention weights of MiniLM" in capsys.readouterr().out
    draw_figure([*both, "--kind", "bars", "--out", str(tmp_path / "bars.pdf")])
    assert f"“{texts[0]}” and “{texts[1]}”" in capsys.readouterr().out
    for arguments, message in (
        ([texts[0], "--kind", "bars"], "a text and a contrast"),
        (["The dog ran", "--head", "L9H0"], "MiniLM has heads L0H0 to L5H11; you asked for L9H0"),
        (["The dog ran", "--head", "L3H1", "--width", "wide"], "“single”, “double” or a number"),
        (["It rained.", "--contrast", "It snowed.", "--kind", "bars"], "Nothing is suggested"),
        (["All is well", "--model", "nonesuch", "--head", "L0H1"], "model"),
    ):
        with pytest.raises(MHAError, match=message):
            draw_figure([*arguments, "--out", str(tmp_path / "no.svg")])
