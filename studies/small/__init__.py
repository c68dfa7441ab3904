"""Two transformers small enough to be trained in a minute, so that a decoder and cross-attention come with the app.

The *copier* goes on with lists of nouns that repeat themselves, and needs an induction head for it; the *reverser*
writes a list backwards, and its cross-attention is the alignment. ``python -m studies.small`` trains both again.
"""
