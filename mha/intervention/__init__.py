"""Changing heads and watching what moves: silencing, steering, patching, and the readouts that are watched.

Everything goes through the recording attention function; nothing stays on the model. torch loads with the modules that
run a model; `outcomes`, `calibrated` and `unusual` do without it.
"""
