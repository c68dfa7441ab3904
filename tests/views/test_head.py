"""The page of one head: sentences from hand-made numbers, kinds that are counted, and component data."""

import pytest

from mha.analysis.profiles import Connection
from mha.maps import HeadId
from mha.views import head as views
from mha.views.head import Head
from tests.views.profiles import TEXTS, first_head, values, whole_model, with_measures


def connected(*connections, name="minilm", texts=TEXTS):
    whole = whole_model(name)
    rest = whole.profiles.connections[1:]
    return first_head(name, connections=(tuple(Connection(*each) for each in connections), *rest), texts=texts)


def last(head, number=1):
    connection = head.connections[number]
    return head.case.profiles.texts[connection.sentence], connection


def test_finding_names_the_place_with_most_attention_and_a_kind():
    assert views.finding(first_head()) == (
        "It gives 60\xa0% of its attention to special tokens and final marks. Where it attends elsewhere most, it "
        "attends to what followed an earlier copy of the word: in two of two sentences."
    )
    assert views.finding(first_head("smollm2")).startswith("It gives 50\xa0% of its attention to the first word.")


def test_finding_of_a_head_without_sinks_does_not_say_elsewhere():
    head = first_head(**with_measures(previous_word=values(0.9)))
    assert views.finding(head).startswith(
        "It gives 90\xa0% of its attention to the word before, if there is one. Where it attends to one"
    )


@pytest.mark.parametrize(
    ("connections", "kind"),
    [
        (((0, 3, 3, 0.8), (1, 1, 1, 0.7)), "to the word itself: in two of two sentences."),
        (((0, 3, 2, 0.8), (1, 1, 0, 0.7)), "to the word before: in two of two sentences."),
        (((0, 3, 4, 0.8), (1, 1, 2, 0.7)), "to the next word: in two of two sentences."),
        (
            ((0, 3, 1, 0.8), (1, 4, 1, 0.7), (1, 0, 3, 0.6)),
            "to what followed an earlier copy of the word: in two of three sentences.",
        ),
        (((0, 3, 0, 0.8), (0, 0, 3, 0.7)), "to the same word elsewhere: in two of two sentences."),
        (((0, 2, 6, 0.8), (0, 0, 6, 0.7)), "to a capitalised word: in two of two sentences."),
    ],
)
def test_kind_is_counted(connections, kind):
    head = connected(*connections)
    assert views.finding(head).endswith(f"it attends {kind}")


def test_connections_of_no_common_kind_have_no_sentence():
    assert views.finding(connected((1, 0, 2, 0.8), (1, 0, 4, 0.7))).endswith("to special tokens and final marks.")


def test_similar_heads_have_their_cosine():
    sentence = views.similar_sentence(first_head())
    assert sentence.startswith("Most similar heads: `L1H0` (0.90), `L1H1` (0.80), `L1H2` (0.70),")
    assert "median of all pairs 0.35" in sentence


def test_a_head_without_telling_sentences_says_so():
    assert views.finding(connected()).endswith("Elsewhere it gives no word more than twice an even share.")


@pytest.mark.parametrize(
    ("n_larger", "end"),
    [
        (0, "up or down: none of ten (median 0.00100, 0.00100 to 0.00100). So it is larger than theirs. One head in 11 "
            "is first by chance."),
        (1, "up or down: one of ten (median 0.00100, 0.00100 to 0.00500). So it is larger than that of most of them."),
        (5, "up or down: five of ten (median 0.00300, 0.00100 to 0.00500). So it is no larger than usual for a head of "
            "this size."),
    ],
)  # fmt: skip
def test_effect_is_compared_with_heads_of_similar_size(n_larger, end):
    effect = values(0.004, 0.001)
    effect.flat[1 : 1 + n_larger] = 0.005
    sentence = views.effect_sentence(first_head(**with_measures(effect=effect)))
    assert sentence.startswith(
        "Ablated, it turns the text’s vector (1 − cosine) by 0.00400 on average, over 2 sample sentences. Heads of "
    )
    assert sentence.endswith(end)


@pytest.mark.parametrize(("effect", "verb"), [(-0.02, "lowers"), (0.02, "raises")])
def test_effect_of_a_decoder_has_a_direction_and_is_ranked_by_its_size(effect, verb):
    measures = with_measures(effect=values(effect, -0.03))
    sentence = views.effect_sentence(first_head("smollm2", n_places=40, **measures))
    assert f"it {verb} the log-probability of the next token by 0.0200\xa0nats on average, over 40 places" in sentence
    assert "up or down: ten of ten (median −0.0300\xa0nats, −0.0300\xa0nats to −0.0300\xa0nats)" in sentence
    assert sentence.endswith("no larger than usual for a head of this size.")


def test_places_have_band_median_and_contribution():
    lines = views.places_table(first_head("smollm2")).splitlines()
    assert lines[2] == "| the first word | **50\xa0%** | 10\xa0% | 10–28\xa0% | 25\xa0% |"
    assert {line.count("|") for line in lines} == {6}
    caption = views.places_caption(first_head("smollm2").case)
    assert caption.endswith("share of it from there. Shares of another word: from words that have one.")


def test_a_causal_model_has_no_next_word_and_an_encoder_no_first_word():
    names = [place.key for place in views.places(whole_model())]
    assert names == ["sink_share", "same_word", "previous_word", "next_word", "induction"]
    assert "next_word" not in [place.key for place in views.places(whole_model("smollm2"))]


def test_sentences_lead_to_heads_with_the_query_selected():
    connection = first_head().connections[0]
    assert views.heads_link(first_head(), TEXTS[0], connection) == {
        "v": "1", "model": "minilm", "text": TEXTS[0], "pins": "L0H0", "lock": "4", "look": "from",
    }  # fmt: skip
    assert views.heads_link(first_head(), *last(first_head()))["lock"] == "7", "marks are positions, after [CLS]"
    assert views.heads_link(first_head("smollm2"), *last(first_head("smollm2"), 0))["lock"] == "3"
    items = views.connections_list(first_head()).split("<li>")[1:]
    assert "<b><em>the</em> → <em>dog</em></b> 80\xa0%: <a href=" in items[0]
    assert f">{TEXTS[0]}</a>" in items[0]


def test_a_sentence_is_escaped():
    head = connected((0, 3, 1, 0.8), texts=("A <b> saw <i>dogs</i> & cats", *TEXTS[1:]))
    listed = views.connections_list(head)
    assert "<i>" not in listed
    assert "&amp; cats</a>" in listed


def test_neighbours_end_at_both_ends():
    whole = whole_model()
    assert Head(whole, HeadId(0, 0)).neighbours == (None, HeadId(0, 1))
    assert Head(whole, HeadId(1, 0)).neighbours == (HeadId(0, 5), HeadId(1, 1))
    assert Head(whole, HeadId(1, 5)).neighbours == (HeadId(1, 4), None)


def test_one_sentence_is_not_a_kind():
    assert views.finding(connected((0, 3, 2, 0.8))).endswith("to special tokens and final marks.")
