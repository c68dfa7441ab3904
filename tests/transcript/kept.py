"""The transcript as it is kept, and what differs from it: one compressed file a page, each item in it once."""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.transcript.visiting import Item

FOLDER = Path(__file__).parent / "said"
NEAR = 2e-3  # how far apart two numbers of a picture may be, of the larger: another processor rounds otherwise
NUMBER = re.compile(r"\d[\d,]*\.?\d*")
WIDE = 160  # letters of a line in a difference


def file_of(name: str) -> Path:
    """Return the file that keeps a link or a sequence."""
    start = name.removeprefix("> ").partition("?")[0].partition(" ")[0]
    return FOLDER / f"{start or 'heads'}.json.xz"


def write(said: Mapping[str, list[list[Item]]]) -> None:
    """Keep what was said for each link or sequence, by its name: a list of items for each time something was sent."""
    by_file: defaultdict[Path, dict[str, list[list[Item]]]] = defaultdict(dict)
    for name, times in said.items():
        by_file[file_of(name)][name] = times
    FOLDER.mkdir(exist_ok=True)
    for file, every in by_file.items():
        numbers: dict[str, int] = {}
        places = {
            name: [[numbers.setdefault(as_line(item), len(numbers)) for item in items] for items in times]
            for name, times in every.items()
        }
        text = json.dumps({"items": list(numbers), "said": places}, ensure_ascii=False, separators=(",", ":"))
        file.write_bytes(lzma.compress(text.encode("utf-8", "surrogatepass"), preset=9))


def read() -> dict[str, list[list[Item]]]:
    """Return what is kept, by link or sequence."""
    found = {}
    for file in sorted(FOLDER.glob("*.json.xz")):
        kept = json.loads(lzma.decompress(file.read_bytes()).decode("utf-8", "surrogatepass"))
        items = [json.loads(line) for line in kept["items"]]
        found |= {
            name: [[items[place] for place in places] for places in times] for name, times in kept["said"].items()
        }
    return found


def as_line(item: Item) -> str:
    """Return an item as one line of canonical JSON."""
    return json.dumps(item, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def alike(before: Any, now: Any) -> bool:
    """Return whether two items, or lists of them, are the same, but for the last place of a number."""
    if isinstance(before, dict) and isinstance(now, dict):
        return before.keys() == now.keys() and all(alike(value, now[name]) for name, value in before.items())
    if isinstance(before, list) and isinstance(now, list):
        return len(before) == len(now) and all(map(alike, before, now))
    if isinstance(before, str) and isinstance(now, str):
        return before == now or _same_but_a_digit(before, now)
    if isinstance(before, bool) or isinstance(now, bool) or before is None or now is None:
        return before is now
    numbers = isinstance(before, int | float) and isinstance(now, int | float)
    return numbers and abs(before - now) <= _room(before, now)


def _room(before: float, now: float) -> float:
    """Return how far two numbers may lie apart: a step of what stands for a weight, or a five hundredth.

    A number that was rounded before it was sent may also fall to the other side: one unit of its last place, from the
    fourth on (what another processor adds up differs in the seventh).
    """
    whole = isinstance(before, int) and isinstance(now, int)
    if whole:
        return max(1 if before > 0 else 0, NEAR * max(abs(before), abs(now)))
    unit = 1.01 * 10.0 ** -max(_places(before), _places(now), 4)
    return max(unit, NEAR * max(abs(before), abs(now), 1e-3))


def _places(number: float) -> int:
    """Return how many places behind the point a number is written with."""
    return max(0, -int(Decimal(repr(number)).as_tuple().exponent))


def _same_but_a_digit(before: str, now: str) -> bool:
    """Return whether two texts differ by one unit in the last place of their numbers alone."""
    if NUMBER.sub("#", before) != NUMBER.sub("#", now):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(now), strict=True)
    return all(len(one) == len(other) and _units_apart(one, other) <= 1 for one, other in pairs) and "." in before + now


def _units_apart(one: str, other: str) -> int:
    return abs(int(re.sub(r"\D", "", one)) - int(re.sub(r"\D", "", other)))


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what differs, by link or sequence, as a reader would want it: sentences as sentences, line by line."""
    for name, times in now.items():
        if name not in before:
            yield name, "is not kept"
        elif not alike(before[name], times):
            yield name, "\n".join(_told(before[name], times))


def _told(old: list[list[Item]], now: list[list[Item]]) -> Iterator[str]:
    for time, (before, after) in enumerate(zip(old, now, strict=False)):
        lines = list(unified_diff([*_lines(before)], [*_lines(after)], lineterm="", n=0))[2:]
        if lines:
            yield f"  at deed {time}:" if len(now) > 1 else "  as it opens:"
            yield from (f"    {line[:WIDE]}" for line in lines if not line.startswith("@@"))
    if len(old) != len(now):
        yield f"  {len(old)} times something was sent, now {len(now)}"


def _lines(items: Iterable[Item]) -> Iterator[str]:
    """Yield the lines of items: where one's words stand, what they say, and what else it holds."""
    for item in items:
        kind = item.get("kind", "?")
        for path, value in _leaves(item):
            yield f"{kind}{path}: {value}"


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each leaf with its path; spans as one sentence, and lists of numbers as one line."""
    if isinstance(value, dict):
        for name, one in sorted(value.items()):
            yield from _leaves(one, f"{path}.{name}")
    elif isinstance(value, list):
        if value and all(
            isinstance(one, list) and len(one) > 1 and all(isinstance(p, str) for p in one) for one in value
        ):
            yield path, "".join(one[1] for one in value)
        elif all(not isinstance(one, dict | list) for one in value):
            yield path, json.dumps(value, ensure_ascii=False)
        else:
            for one in value:
                yield from _leaves(one, f"{path}[]")
    else:
        yield path, json.dumps(value, ensure_ascii=False)
