"""Facts about an architecture from the source text of the installed transformers; nothing of it is imported.

A config names an architecture, but not what that reads, and transformers leaves default sizes out of nested configs.
Both are needed before a model is offered, and importing transformers with PyTorch would take seconds.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

TEXT_INPUT = "input_ids"
CLASS = re.compile(r"(?m)^class (\w+)\(([^)]*)\):")
MAIN_INPUT = re.compile(r'(?m)^    main_input_name = (?:"|\[")(\w+)')
FORWARD = re.compile(r"(?ms)^    def forward\(.*?(?=^    (?:def |@)|\Z)")
NEEDS_MORE = re.compile(  # two encoders that are compared, a required input, or an error without one
    r"logits_per_|^        (?:pixel|input)_(?:values|features): [^=\n]*,$"
    r"|raise ValueError\([^)]*(?:(?:either|1 of|one of) (?:pixel_values|input_features)|visual_feats)",
    re.MULTILINE,
)
INNER = re.compile(r"self\.[a-z0-9]+ = (\w+Model)\(config[,)]")
DEFAULT = re.compile(r"(?m)^    (\w+): [^=\n]*= (\d+)$")


@functools.cache
def reads_text(architecture: str, model_type: str) -> bool:
    """Return whether a class of transformers runs on a text alone; True if transformers has no such class.

    The class is the one that `architecture` names, or else the base model of the type.
    """
    base = re.sub("[-_]", "", f"{model_type}model").lower()
    for classes in _modules("modeling", model_type):
        name = architecture if architecture in classes else next((n for n in classes if n.lower() == base), None)
        if name is None:
            continue
        chain = list(_chain(name, classes))
        main = next((match[1] for body in chain if (match := MAIN_INPUT.search(body))), TEXT_INPUT)
        inherited = TEXT_INPUT if "Generic" in classes[name][0] else ""  # defined in another file
        forward = next((match[0] for body in chain if (match := FORWARD.search(body))), inherited)
        alone = main == TEXT_INPUT and TEXT_INPUT in forward and not NEEDS_MORE.search(forward)
        inner = [part for part in INNER.findall(chain[0]) if part in classes and part != name]
        return alone and all(reads_text(part, model_type) for part in inner)
    return True


def default_sizes(model_type: str) -> dict[str, int]:
    """Return the whole numbers that the config class of a model type has by default; none if it is unknown."""
    named = f'model_type = "{model_type}"'
    for classes in _modules("configuration", model_type):
        for _, body in classes.values():
            if named in body:
                return {key: int(number) for key, number in DEFAULT.findall(body)}
    return {}


def _modules(kind: str, model_type: str) -> Iterator[dict[str, tuple[str, str]]]:
    """Yield the classes of each file of a kind, the most likely folder first: their bases and bodies by name."""
    package = importlib.util.find_spec("transformers")
    root = Path(package.origin).parent / "models" if package is not None and package.origin else Path()
    likeness = model_type.replace("-", "_")
    for file in sorted(
        root.glob(f"*/{kind}_*.py"),
        key=lambda file: -len(file.parent.name) if likeness.startswith(file.parent.name) else 0,
    ):
        yield _classes(file)


@functools.lru_cache(8)
def _classes(file: Path) -> dict[str, tuple[str, str]]:
    parts = CLASS.split(file.read_text(encoding="utf-8"))[1:]
    return {name: (bases, body) for name, bases, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)}


def _chain(name: str, classes: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the bodies of a class and of its bases in the same file, depth first."""
    bases, body = classes[name]
    yield body
    for base in re.findall(r"\w+", bases):
        if base in classes:
            yield from _chain(base, classes)
