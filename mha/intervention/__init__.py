"""Changing heads and watching what moves: ablation, steering, patching, and scores.

Everything goes through the recording attention function; nothing stays on the model. torch loads with the modules that
run a model; `outcomes`, `calibrated` and `unusual` do without it.
"""
