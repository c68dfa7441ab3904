"""Change a word: what in the sentence, or in the model, moved this head?"""

from mha.ui.reader import show

show("compare")
