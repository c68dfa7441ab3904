"""Measures of heads compared with a known truth, in tiny models in which every set of heads can be ablated.

The truth of a head is its Shapley value over all sets of heads (`studies.truth.model`). `studies.truth.study` measures
how well each common measure ranks heads by it. ``python -m studies.truth`` repeats the study from nothing.
"""
