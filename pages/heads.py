"""Heads: where does each head look in my sentence?"""

from mha.ui.reader import show

show("")
