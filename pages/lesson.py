"""Lesson: the plan for the teacher and a worksheet, each to be printed."""

from mha.ui.reader import show

show("lesson")
