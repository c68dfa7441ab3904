"""Twenty-five sentences that are no examples, one of each kind that people type, each opening read by a person.

``WORTH`` is what was noted: worth reading, for one word goes to two words of content, or nothing to see, and said so.
"""

SENTENCES = {
    "garden path": "The old man the boats",
    "garden path, verb late": "The boat floated down the river sank",
    "question": "Who told the nurse about the accident?",
    "question, inverted": "Does the parrot know where you hid the seeds?",
    "one word": "Hello",
    "two words": "Birds sing",
    "three words": "Nobody liked it",
    "names": "Maria gave Thomas the keys before she left Lisbon",
    "numbers": "In 1969 about 600 million people watched 2 men walk",
    "punctuation": "Wait -- what?! No, really: stop... (please)",
    "repeated words": "the dog saw the dog that saw the other dog",
    "one word again and again": "no no no no no no",
    "long": (
        "When the storm finally reached the coast the fishermen who had been warned by the radio early tied "
        "their boats to the pier, carried the nets into the sheds and waited with their families for calm, "
        "although one of them, whose brother was still at sea, kept looking through the window of the church"
    ),
    "other language": "Der Hund hat den Knochen im Garten vergraben",
    "other script": "彼女は昨日新しい本を買った",
    "capitals": "DO NOT FEED THE ANIMALS AT THE ZOO",
    "no capitals, no marks": "i think my sister took the car again",
    "pronoun": "The lawyer thanked the witness because she had told the truth",
    "relative clause": "The cook who burned the soup blamed the waiter",
    "attachment": "The girl hit the burglar with the umbrella",
    "idiom": "He kicked the bucket and nobody noticed",
    "nonsense": "Colorless green ideas sleep furiously",
    "imperative": "Close the window before the rain comes in",
    "code": "for i in range(10): print(i)",
    "emoji": "I love pizza 🍕 and my cat 🐱",
}

WORTH = dict.fromkeys(SENTENCES, "content") | {
    "one word": "nothing",
    "two words": "nothing",
    "punctuation": "nothing",
    "repeated words": "nothing",
    "one word again and again": "nothing",
}
