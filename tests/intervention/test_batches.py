"""Texts that go through the model together are seen as each alone."""

import numpy as np

from mha.intervention.bank import looked_together, of_equal_length
from mha.intervention.subject import subject
from mha.models.watch.attending import record_text


def test_a_batch_shows_each_text_as_its_own_recording_does(minilm):
    texts = ["I saw it.", "The dog slept well.", "You saw me!", "A much longer sentence than the others, is it?"]
    batches = looked_together(subject(minilm), texts, hidden=True)
    seen = {number: (maps, hidden) for together in batches for number, maps, hidden in together}
    assert sorted(seen) == [0, 1, 2, 3]
    for number, text in enumerate(texts):
        alone = record_text(text, minilm, keep=("hidden",))
        maps, hidden = seen[number]
        np.testing.assert_allclose(maps.weights, alone.maps.weights, atol=1e-5)
        np.testing.assert_allclose(hidden.numpy(), alone.hidden, atol=1e-4)
        assert [token.text for token in maps.tokens] == [token.text for token in alone.maps.tokens]


def test_maps_alone_end_a_pass_with_the_attention_of_the_last_layer(minilm):
    experiment, ran = subject(minilm), []
    hooks = [block.register_forward_hook(lambda *_: ran.append(1)) for block in experiment.blocks]
    ((found,),) = looked_together(experiment, ["I saw it."])
    for hook in hooks:
        hook.remove()
    assert len(ran) == experiment.n_layers - 1
    np.testing.assert_allclose(found[1].weights, record_text("I saw it.", minilm).maps.weights, atol=1e-6)


def test_batches_hold_texts_of_equal_length(minilm):
    encoded = [subject(minilm).encoded(text) for text in ("a b", "a", "c d", "e f", "g")]
    assert list(of_equal_length(encoded, most_texts=2)) == [[0, 2], [3], [1, 4]]
    assert list(of_equal_length(encoded, most_tokens=1)) == [[0], [2], [3], [1], [4]]
