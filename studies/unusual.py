"""``python -m studies.unusual`` writes the shuffle controls of the examples, as MiniLM opens with them.

A minute of work. ``python -m tools.sums`` then writes the hash of the file.
"""

from __future__ import annotations

from mha.analysis.opening import opening
from mha.analysis.shuffles import BUNDLED, ShuffleControl
from mha.examples import examples
from mha.intervention.shuffles import shuffle_control
from mha.models.watch.attending import attend
from studies.files import shuffle_controls_json


def example_controls(texts: list[str]) -> list[ShuffleControl]:
    """Return the control of each text's opening; texts without a connection have none."""
    return [shuffle_control(text) for text in texts if opening(attend(text)).looks]


def main() -> None:
    """Measure the controls and write them."""
    controls = example_controls([example.text for example in examples()])
    BUNDLED.write_text(shuffle_controls_json(controls), encoding="utf-8")


if __name__ == "__main__":
    main()
