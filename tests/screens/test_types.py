"""What TypeScript holds the drawers to is what Python sends."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NotRequired, TypedDict

import pytest

from mha.assets import ASSETS
from mha.maps import HeadId
from mha.screens.blocks import ChartRow, FlagRow, NumberRows, RowChart, RowMark, Span, as_data, say
from tests import interfaces

ROOT = Path(__file__).parents[2]
TSC = ROOT / "node_modules" / ".bin" / "tsc"


def interface(name: str) -> dict[str, str]:
    """Return the fields of an interface as they stand in the file, with their types."""
    body = re.search(rf"^export interface {name} \{{\n(.*?)^\}}", interfaces.FILE.read_text(), re.MULTILINE | re.DOTALL)
    assert body is not None, f"no interface {name}"
    return dict(re.findall(r"^  (\w+\??): (.+);$", body[1], re.MULTILINE))


def test_the_file_is_what_the_classes_say():
    assert interfaces.FILE.read_text(encoding="utf-8") == interfaces.written(), "run `python -m tests.interfaces`"


def test_every_kind_that_is_drawn_has_its_interface():
    found = interfaces.kinds()
    assert found["row_chart"] is RowChart
    assert {"key", "said", "empty_map"} <= found.keys()
    assert interface("Blocks").keys() == found.keys()
    assert "other" not in found  # the kind of a sentence's readings is no kind of block


def test_what_is_sent_has_the_names_of_the_interface():
    row = ChartRow("all", [RowMark("range", 0.4, 0.6)])
    sent, fields = as_data(RowChart("carried", [row], label="said")), interface("RowChart")
    assert sent.keys() == {field for field in fields if not field.endswith("?")}
    assert fields["kind"] == f'"{sent["kind"]}"'
    assert interface("RowMark")["to?"] == "number"


class Bit(TypedDict):
    """Something in a block."""

    at: int | None
    kind: NotRequired[str]


@dataclass(frozen=True)
class Tried:
    """One of everything; ``heads`` are where they are."""

    kind: ClassVar[str] = "tried_out"
    digits: ClassVar[int] = 5
    heads: tuple[HeadId, ...]
    from_: float | None
    spans: tuple[Span, ...]
    cells: NumberRows | None
    left: FlagRow
    side: Literal["a", "b"]
    bits: Sequence[Bit | str]
    pair: tuple[int, str]
    names: dict[str, str]
    rtl: bool | None = None


def test_every_type_that_travels_has_its_name_in_javascript():
    text = "".join(interfaces._Names({"tried_out": Tried}).interfaces())
    assert (
        text
        == """\
/** Something in a block. */
export interface Bit {
  at: number | null;
  kind?: string;
}
/** One of everything; `heads` are where they are. */
export interface TriedOut {
  kind: "tried_out";
  heads: [layer: number, head: number][];
  from: number | null;
  spans: Span[];
  cells: NumberRows | null;
  left: FlagRow;
  side: "a" | "b";
  bits: (Bit | string)[];
  pair: [number, string];
  names: { [name: string]: string };
  rtl?: boolean;
}
"""
    )


def test_a_type_that_does_not_travel_is_named():
    @dataclass(frozen=True)
    class Wrong:
        """A block with a set."""

        kind: ClassVar[str] = "wrong"
        heads: set[str]

    with pytest.raises(ValueError, match=r"set\[str\] is no type that travels"):
        list(interfaces._Names({"wrong": Wrong}).interfaces())


@pytest.mark.slow
@pytest.mark.skipif(not TSC.exists() or shutil.which("node") is None, reason="needs TypeScript: `make types`")
def test_a_field_that_is_called_otherwise_in_python_fails_the_check(tmp_path: Path):
    shutil.copytree(ASSETS / "js", tmp_path / "assets" / "js")
    shutil.copy(ROOT / "tsconfig.json", tmp_path)
    written = tmp_path / "assets" / "js" / "blocks.d.ts"

    def told() -> str:
        run: Any = subprocess.run([TSC, "-p", tmp_path], capture_output=True, text=True, cwd=tmp_path, check=False)
        return run.stdout

    assert told() == ""
    written.write_text(interfaces.written().replace("  rows: ChartRow[];", "  lines: ChartRow[];"))
    assert "Property 'rows' does not exist on type 'RowChart'" in told()


def test_spans_are_what_is_said():
    assert as_data(say("A [[query]].")) == [["plain", "A "], ["term", "query", "query"], ["plain", "."]]
    assert "export type Span = [kind: string, text: string, entry?: string];" in interfaces.written()
