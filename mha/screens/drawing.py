"""What a component draws that needs more than JSON: a header, and arrays beside it."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from mha.brief import with_arrays


@with_arrays
class Drawing:
    """Everything a component draws: a JSON header and the arrays it names, uint8, uint16 or float32."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
