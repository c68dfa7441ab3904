"""Sentences that pages hand to a script, as text."""


def text_of(sentence):
    return "".join(text for _, text in sentence)
