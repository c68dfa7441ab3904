"""Measures of heads against a known truth: tiny models trained here, in which every set of heads can be taken away.

What a head does for a task is its Shapley value over all sets of heads (`mha.truth.model`). Each measure that is in use
ranks the heads without that; the study asks how well (`mha.truth.study`). ``python -m mha.truth`` repeats it from
nothing.
"""
