"""Effects in files: what is read is what was written, and damaged files are refused."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactperm as xp
from exactperm import Effects
from exactperm.effects_file import from_json, to_json

huge = st.integers(-(2**80), 2**80)


@given(
    rows=st.lists(st.tuples(huge, huge, huge, huge), max_size=12),
    unit=st.fractions(min_value=Fraction(1, 1000), max_value=1000),
)
def test_what_is_read_is_what_was_written(rows, unit):
    a = np.array([row[:2] for row in rows], dtype=object).reshape(len(rows), 2)
    b = np.array([row[2:] for row in rows], dtype=object).reshape(len(rows), 2)
    counted = Effects.from_sums(a, b, ("hits", "cost"))
    effects = Effects.from_counts(
        {tuple(row): 1 for row in (a - b).tolist()}, names=("hits", "cost"), unit=unit, n_items=2 * len(rows)
    )
    assert from_json(to_json(counted)) == counted
    assert from_json(to_json(effects)) == effects


def test_real_scores_keep_their_rounding(tmp_path):
    rng = np.random.default_rng(0)
    result = xp.paired_test(rng.random(300) * 1e-9, rng.random(300))
    effects = result.problem.effects
    assert effects.rounding > 0
    effects.save(tmp_path / "effects.json")
    again = xp.paired_test(Effects.load(tmp_path / "effects.json"))
    assert again.pvalue_interval == result.pvalue_interval


def test_sites_are_tested_together(tmp_path):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, (2, 500))
    for i in range(2):
        Effects.from_scores(a[i::2], b[i::2]).save(tmp_path / f"site{i}.json")
    together = Effects.load(tmp_path / "site0.json") + Effects.load(tmp_path / "site1.json")
    assert together == Effects.from_scores(a, b)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site0.json", "site1.json"]


def damaged(**changes):
    content = json.loads(to_json(Effects.from_counts({-1: 3, 2: 5, 0: 1}, totals_a=20)))
    return json.dumps({key: value for key, value in {**content, **changes}.items() if value != "gone"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "no file of effects"),
        (damaged(kind="other"), "no file of effects"),
        (damaged(schema=9), "has version 9; this exactperm reads 1"),
        (damaged(sums="gone"), "damaged: 'sums'"),
        (damaged(effects=[[1, 2.5, 3]]), "damaged: a number of items in counts must be an integer"),
        (damaged(effects=[["1", 2, 3]]), "damaged: an effect"),
        (damaged(effects=[[1, -2, 3]]), "negative"),
        (damaged(n_items=2), "damaged: n_items=2 is less than the 9 groups"),
        (damaged(rounding=-1), "damaged: rounding is -1"),
        (damaged(unit="-1"), "damaged: the unit is -1"),
        ("{", "Expecting"),
    ],
)
def test_damaged_files_are_refused(tmp_path, text, message):
    path = tmp_path / "effects.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as refusal:
        Effects.load(path)
    assert str(refusal.value).startswith(str(path))
