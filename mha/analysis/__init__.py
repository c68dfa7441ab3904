"""Numbers from maps: numpy in, numpy out; runs without torch."""
