"""Step by step: how is one cell computed, from the words to the output?"""

from mha.ui.reader import show

show("steps")
