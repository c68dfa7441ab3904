"""Tiny transformers that learn while you watch: a grammar, a learner, a loop of snapshots, measures of diversity."""
