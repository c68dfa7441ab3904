"""Whole model: where should I look, which heads are alike, and what does one head do?"""

from mha.ui.reader import show

show("atlas")
