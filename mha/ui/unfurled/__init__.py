"""Links where they are pasted: the head of every page, and the picture that it names."""

from mha.ui.unfurled.head import Unfurled
from mha.ui.unfurled.picture import ROUTES

__all__ = ["ROUTES", "Unfurled"]
