"""Control limits for ablations: hand-worked numbers, the rule for naming a head, and what has no control."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mha import assets
from mha.analysis import ablation_control as module
from mha.analysis.ablation_control import BANDS, AblationControl, ablation_control, band_of, file_of
from mha.errors import InputError, ShapeError
from mha.maps import HeadId
from studies.files import write_ablation_controls

# Two heads of one layer in five texts: |changes| are 0.1 to 1.0, head 0 moves up, head 1 down.
CHANGE = np.array([[0.1, -0.6], [0.2, -0.7], [0.3, -0.8], [0.4, -0.9], [0.5, -1.0]])[:, None]


def control_of(change: np.ndarray, band: tuple[int, int] = (4, 8)) -> AblationControl:
    texts = tuple(f"text {number}" for number in range(len(change)))
    lengths = np.full(len(change), band[0])
    return AblationControl("m", "r1", "mean", band, texts, lengths, ("Ġword",) * len(change), lengths / -9, change)


def test_limit_is_what_nine_of_ten_stay_within():
    assert control_of(CHANGE).limit == 0.9  # nine of the ten |changes| are at most 0.9


def test_texts_count_whose_largest_change_is_as_large():
    control = control_of(CHANGE)
    assert [control.n_texts_changed(change) for change in (0.6, -0.6, 0.75, -1.0, 1.01)] == [5, 5, 3, 1, 0]


def test_mainly_here_passes_limit_and_twice_the_head():
    control = control_of(CHANGE)  # limit 0.9; largest changes of the heads 0.5 and 1.0
    fills = {(-1.1, -2.1): (True, True), (-1.0, -2.0): (False, False), (1.1, 2.1): (False, False)}
    for change, expected in fills.items():
        assert tuple(control.mainly_here(np.array([change]))[0]) == expected
    assert not control.mainly_here(np.array([[np.nan, np.nan]])).any()


def test_named_head_has_the_largest_change_of_all():
    control = control_of(CHANGE)
    assert control.named_head(np.array([[-1.2, -0.3]])) == HeadId(0, 0)
    assert control.named_head(np.array([[-1.2, -1.3]])) is None  # L0H1 moves the word further, as it often does
    assert control.named_head(np.array([[-1.2, 1.3]])) is None
    assert control.named_head(np.array([[-1.2, np.nan]])) is None


def test_naming_rate_leaves_each_text_out_of_its_control():
    # For text 0 the other five give the limit 0.1 (nine of ten changes) and the largest changes 0.1 and 0.1, so L0H0 is
    # named. For every other text the fall is 0.1, which is not past the limit.
    change = np.full((6, 1, 2), -0.1)
    change[0, 0, 0] = -3.0
    control = control_of(change)
    assert control.naming_rate == 1 / 6
    assert control.may_name
    change[1, 0, 1] = -2.0
    assert control_of(change).naming_rate == 2 / 6
    assert not control_of(change).may_name


def test_changes_of_another_shape_are_refused():
    with pytest.raises(ShapeError, match=r"heads \(1, 2\); these changes are \(2, 2\)"):
        control_of(CHANGE).named_head(np.zeros((2, 2)))


@pytest.mark.parametrize(("n_tokens", "band"), [(3, None), (4, (4, 8)), (8, (4, 8)), (9, (9, 16)), (33, None)])
def test_band_of_a_length(n_tokens: int, band: tuple[int, int] | None):
    assert band_of(n_tokens) == band


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    write_ablation_controls(
        file_of("m"), [control_of(CHANGE / scale, band) for scale, band in enumerate(BANDS, start=1)]
    )
    return tmp_path


def test_control_is_read_by_length_as_it_was_written(written: Path):
    control = ablation_control("m", "r1", 12)
    assert (control.band, control.kind, control.texts[4], control.words[0]) == ((9, 16), "mean", "text 4", "Ġword")
    np.testing.assert_allclose(control.change, CHANGE / 2, atol=3e-4)  # float16
    np.testing.assert_allclose(control.log_probability, -1, atol=1e-6)
    assert control.limit == pytest.approx(0.45, abs=3e-4)
    assert ablation_control("m", "r1", 17).band == (17, 32)


@pytest.mark.parametrize(("n_tokens", "length"), [(1, "one token"), (3, "three tokens"), (33, "33 tokens")])
def test_lengths_outside_the_bands_are_refused(written: Path, n_tokens: int, length: str):
    with pytest.raises(InputError, match=f"no control for a text of {length}: control texts have 4 to 32"):
        ablation_control("m", "r1", n_tokens)


@pytest.mark.parametrize(("model", "revision"), [("other", "r1"), ("m", "r2"), ("m", "")])
def test_other_weights_have_no_control(written: Path, model: str, revision: str):
    with pytest.raises(InputError, match=f"No control was measured for {model}"):
        ablation_control(model, revision, 5)


def test_damaged_control_is_refused_by_a_sentence(written: Path, monkeypatch: pytest.MonkeyPatch):
    file_of("m").write_bytes(file_of("m").read_bytes()[:300])
    monkeypatch.setattr(assets, "damaged", {})
    with pytest.raises(InputError, match="No control was measured for m"):
        ablation_control("m", "r1", 5)
    assert list(assets.damaged) == ["ablation_control_m.npz"]  # a page shows that the file is damaged
