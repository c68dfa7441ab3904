"""Your file: the sentences around maps of another tool, and how each tool saves them. Pure.

Names and texts of a file are escaped.
"""

from mha.foreign_file import MOST_HEADS, MOST_TOKENS, FileMaps
from mha.formats import in_figures, markdown, truncate
from mha.maps import AttentionMaps
from mha.views.heads import HeadsCase
from mha.views.heads_sentences import method_lines
from mha.words import replace_unreadable

MEGABYTES = 20
NAME, TEXT = 60, 150  # characters of a file's name and of a text
FINDING = "Open attention maps of any tool"
ABOUT = (
    f"An NPZ or NPY file of at most {MEGABYTES}\u00a0MB, {MOST_TOKENS} tokens and {MOST_HEADS:,} heads. It stays in "
    "this visit: it is not stored, and no link contains it."
)
RECIPES = """# transformers: outputs of a model with output_attentions=True, and of generate
mha.from_arrays(outputs, tokens).save("maps.npz")
mha.from_generate(outputs, tokens).save("maps.npz")

# TransformerLens
patterns = {name: cache[name].cpu() for name in cache if name.endswith("hook_pattern")}
np.savez("maps.npz", tokens=model.to_str_tokens(text), **patterns)

# NumPy: weights [layer, head, query, key]
np.savez("maps.npz", weights=weights, tokens=tokens)

# Parallax, or on Heads: Download, NPZ
mha.attend("All is well").save("maps.npz")"""


def file_name(name: str) -> str:
    """Return the name of a file, cut for sentences."""
    return truncate(replace_unreadable(name), NAME)


def refusal(name: str) -> str:
    """Return which file is not drawn, in Markdown."""
    return f"{markdown(file_name(name))} cannot be drawn"


def notes(file: FileMaps) -> list[str]:
    """Return notes in plain text: the kind of maps other than of one text, and the parts that the file lacks."""
    maps = file.maps
    texts = f"Attention from “{truncate(maps.text, TEXT)}” to “{truncate(maps.pair or '', TEXT)}”."
    return [*([texts] if maps.kind == "cross" else []), *file.notes]


def origin(name: str, maps: AttentionMaps) -> str:
    """Return where the numbers come from, as plain text."""
    model = truncate(maps.model, NAME) or "a model that it does not name"
    size = f"{in_figures(maps.n_layers, 'layer')} × {in_figures(maps.n_heads, 'head')}"
    return f"Your file {file_name(name)}: {model}, {maps.origin}, {size}. Looking is not explaining."


def method(case: HeadsCase) -> str:
    """Return how the numbers are shown, in Markdown."""
    return markdown(" ".join(filter(None, ("The weights are those of the file.", *method_lines(case)))))
