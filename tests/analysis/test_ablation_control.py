"""Control limits for ablations: hand-worked numbers, the rule for naming a head, and what has no control."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.ablation_control import BANDS, AblationControl, ablation_control, band_of
from mha.assets import model_file
from mha.errors import InputError
from studies.files import write_ablation_controls

# Two heads of one layer in five texts: |changes| are 0.1 to 1.0, head 0 moves up, head 1 down.
CHANGE = np.array([[0.1, -0.6], [0.2, -0.7], [0.3, -0.8], [0.4, -0.9], [0.5, -1.0]])[:, None]


def control_of(
    change: np.ndarray, band: tuple[int, int] = (4, 8), shuffled_change: np.ndarray | None = None
) -> AblationControl:
    n_texts = len(change)
    texts, copies = (tuple(f"{kind} {number}" for number in range(n_texts)) for kind in ("text", "copy"))
    sources, words, lengths = ("other texts",) * n_texts, ("Ġword",) * n_texts, np.full(n_texts, band[0])
    shuffled_change = change if shuffled_change is None else shuffled_change
    return AblationControl(
        "m", "r1", "mean", band, texts, sources, lengths, words, lengths / -9, change, copies, shuffled_change
    )


def test_limit_is_what_nine_of_ten_stay_within():
    assert control_of(CHANGE).limit == 0.9  # nine of the ten |changes| are at most 0.9


def test_texts_count_whose_largest_change_is_as_large():
    control = control_of(CHANGE)
    assert [control.n_texts_changed(change) for change in (0.6, -0.6, 0.75, -1.0, 1.01)] == [5, 5, 3, 1, 0]


def test_mainly_here_passes_limit_and_twice_the_head():
    control = control_of(CHANGE)  # limit 0.9; largest changes of the heads 0.5 and 1.0
    fills = {
        (-1.1, -2.1): (True, True), (-1.0, -2.0): (False, False), (1.1, 2.1): (True, True), (0.9, 1.9): (False,) * 2,
    }  # fmt: skip
    for change, expected in fills.items():
        assert tuple(control.mainly_here(np.array([change]))[0]) == expected
    assert not control.mainly_here(np.array([[np.nan, np.nan]])).any()


SOURCES = ("sample sentences",) * 3 + ("other texts",) * 3


def test_naming_rate_judges_texts_against_other_sources():
    # For text 0 the three texts of the other source give the limit 0.1 and the largest changes 0.1 and 0.1, so L0H0 is
    # named. For every other text the change is 0.1, which is not past the limit.
    change = np.full((6, 1, 2), -0.1)
    change[0, 0, 0] = -3.0
    control = replace(control_of(change), sources=SOURCES)
    assert [rate.share for rate in control.naming_rates] == [1 / 6, 1 / 6]
    assert control.may_name
    change[1, 0, 0] = 3.1  # the same head in another text of the source, which has no part in its limits
    control = replace(control_of(change), sources=SOURCES)
    assert control.naming_rates[0].share == 2 / 6
    assert not control.may_name


def test_naming_rate_of_shuffled_copies_is_one_of_its_own():
    # Text 0 moves L0H0 by 0.2, its copy by 0.3: more than twice the 0.1 of the other source.
    change, shuffled = np.full((6, 1, 2), 0.1), np.full((6, 1, 2), 0.1)
    change[0, 0, 0], shuffled[0, 0, 0], shuffled[1, 0, 1] = 0.2, 0.3, 0.3
    control = replace(control_of(change, shuffled_change=shuffled), sources=SOURCES)
    texts, copies = control.naming_rates
    assert (texts.n_named, copies.n_named, copies.n_texts) == (0, 2, 6)
    assert copies.interval == pytest.approx((0.097, 0.700), abs=0.001)  # Wilson 1927 for 2 of 6
    assert not control.may_name  # the larger rate counts


def test_only_the_head_with_the_largest_change_of_all_is_named():
    change = np.tile([0.1, 1.0], (6, 1, 1))  # L0H1 moves every text
    change[0] = [[2.1, 2.2]]  # L0H0 here alone, L0H1 further, and more than twice as far as elsewhere
    control = replace(control_of(change), sources=SOURCES)
    assert control.naming_rates[0].n_named == 1
    change[0] = [[1.8, 1.9]]  # L0H1 as it may elsewhere: the change of L0H0 is mainly here, but not the largest
    assert control.mainly_here(change[0]).tolist() == [[False, False]]
    control = replace(control_of(change), sources=SOURCES)
    assert control.naming_rates[0].n_named == 0


def test_no_head_is_named_without_both_rates():
    control = replace(control_of(np.full((6, 1, 2), 0.1)), sources=SOURCES)
    assert control.may_name
    assert not replace(control, shuffled_change=np.full((6, 1, 2), np.nan)).may_name
    alone = replace(control, sources=SOURCES[:1] * 6)  # one author
    assert [rate.n_texts for rate in alone.naming_rates] == [0, 0]
    assert not alone.may_name


@pytest.mark.parametrize(("n_tokens", "band"), [(3, None), (4, (4, 8)), (8, (4, 8)), (9, (9, 16)), (33, None)])
def test_band_of_a_length(n_tokens, band):
    assert band_of(n_tokens) == band


@pytest.fixture
def written(monkeypatch, tmp_path):
    monkeypatch.setattr("mha.assets.ASSETS", tmp_path)
    write_ablation_controls(
        model_file("ablation_control", "m"),
        [control_of(CHANGE / scale, band) for scale, band in enumerate(BANDS, start=1)],
    )
    return tmp_path


def test_control_is_read_by_length_as_it_was_written(written):
    control = ablation_control("m", "r1", 12)
    assert (control.band, control.kind, control.texts[4], control.words[0]) == ((9, 16), "mean", "text 4", "Ġword")
    np.testing.assert_allclose(control.change, CHANGE / 2, atol=3e-4)  # float16
    np.testing.assert_allclose(control.log_probability, -1, atol=1e-6)
    assert control.limit == pytest.approx(0.45, abs=3e-4)
    assert (control.sources[0], control.shuffled_texts[1]) == ("other texts", "copy 1")
    np.testing.assert_allclose(control.shuffled_change, CHANGE / 2, atol=3e-4)
    assert ablation_control("m", "r1", 17).band == (17, 32)


def test_a_band_that_was_not_measured_has_no_control(written):
    write_ablation_controls(
        model_file("ablation_control", "m"), [control_of(CHANGE, BANDS[0]), control_of(CHANGE, BANDS[1])]
    )
    assert ablation_control("m", "r1", 16).band == BANDS[1]
    with pytest.raises(InputError, match="no control for a text of 17 tokens: control texts have 4 to 16"):
        ablation_control("m", "r1", 17)
