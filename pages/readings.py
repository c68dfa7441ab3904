"""Two readings: where does each head look, what carries the difference, and does it matter?"""

from mha.ui.reader import show

show("readings")
