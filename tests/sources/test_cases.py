"""Every file that a tool wrote: recognised without a flag, and of the same values as the tool's own aggregate."""

from __future__ import annotations

import pytest
from cases import CASES, by_case

import exactperm as xp
from exactperm.sources import Source, registry
from exactperm.sources.head import Head


def compared(case, scores, metric=None):
    asked = case.facts.get("compare", {})
    metric = metric or case.facts["metric"]
    return xp.compare(scores, metric=metric, method="monte-carlo", n_resamples=9, rng=0, **asked)


@by_case
def test_read_without_a_flag(case):
    scores = xp.read(*case.files, **case.options)
    assert list(scores.systems) == case.facts["systems"]
    assert len(scores.items) == case.facts["items"]
    assert (None if scores.groups is None else len(set(scores.groups))) == case.facts["groups"]
    assert {p.format for p in scores.provenance} == {case.facts["format"]}


@by_case
def test_values_are_those_of_the_tool(case):
    scores = xp.read(*case.files, **case.options)
    for metric, expected in {case.facts["metric"]: case.facts["scores"], **case.facts.get("others", {})}.items():
        found = dict(compared(case, scores, metric).scores)
        assert found == pytest.approx(expected, rel=1e-12, abs=case.facts.get("rounded", 1e-12)), metric


@by_case
def test_one_format_recognises_each_file(case):
    for path in case.paths:
        found, objections = registry.candidates(Head(Source(str(path))), case.facts.get("gold") is not None)
        assert found == [case.facts["format"]]
        assert all(objections.values())


@by_case
def test_compressed_files_are_the_same(case, tmp_path):
    packed = case.compressed(tmp_path)
    scores = xp.read(*packed.files, **packed.options)
    plain = xp.read(*case.files, **case.options)
    assert scores.systems == plain.systems
    assert scores.items == plain.items
    assert dict(compared(case, scores).scores) == dict(compared(case, plain).scores)


def test_every_format_has_a_case():
    assert {case.facts["format"] for case in CASES} == set(registry.formats())
