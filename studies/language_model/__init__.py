"""Claims about heads, tested on SmolLM2: ``python -m studies.language_model EXPERIMENT`` reproduces its numbers.

Heads are chosen in one sample and scored in another. Ablation is mean ablation with the bundled means. Results go to
`assets/language_model.json`; method and limits are in `docs/claims.md`.
"""
