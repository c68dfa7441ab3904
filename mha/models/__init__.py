"""Text goes in, recordings come out: the models on offer, their tokens, and the attention function that records.

`catalog` lists the models on offer without loading anything, `hub` fetches others, `loading` loads;
`attending` records a text with one of them; `recording` records any transformers model the caller has loaded. torch and
transformers are imported only when one of them is needed.
"""
