"""Statistics of HELM by instance, ``per_instance_stats.json`` of a run.

Items are named by ``instance_id``; trials, with other examples in the prompt, are the samples of one. What several
metrics say of an instance stands in several places and is brought together. Instances also come perturbed (misspelt, in
lower case) and in several splits, which HELM averages apart: those as they are get compared, or those that ``--filter``
names, as ``test/lowercase``. Where ``instances.json`` lies beside the file, the questions must agree.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from exactperm.sources.base import Format, Head, Record, Source, Wanted, field_of, group_among, is_number
from exactperm.sources.files import STDIN

__all__ = ["FORMAT"]

#: what is said of every run, and of which none is the score that a run is made for
ABOUT_RUNS = re.compile(
    r"num_\w+|finish_reason_\w+|inference_\w+|training_\w+|prompt_truncated|batch_size|estimated_num_tokens_cost|max_prob|logprob"
)
#: as HELM says of the statistics of single instances
LOWER_IS_BETTER = frozenset(
    (
        "absolute_value_difference", "cer_score", "chinese_cer_score", "chinese_mer_score", "chinese_wer_score",
        "inference_runtime", "inference_denoised_runtime", "inference_idealized_runtime", "mer_score", "toxic_frac",
        "training_co2_cost", "training_energy_cost", "wer_score",
    )
)  # fmt: skip
#: the model in the name of the run, which is the name of the folder
MODEL = re.compile(r"(?P<before>[:,])model=(?P<model>[^,]+),?")


class Answered(NamedTuple):
    """What was answered: an instance, as it is or perturbed, in a trial."""

    id: Hashable
    version: str
    perturbation: str
    trial: int


def recognise(head: Head) -> str | None:
    """Say why these are not statistics by instance."""
    if not head.is_json:
        return "not JSON"
    wanted = {(0, "instance_id"), (0, "train_trial_index"), (0, "stats", 0, "name", "name")}
    return None if wanted <= set(head.paths) else "no list of instance_id, train_trial_index and stats"


def system(source: Source) -> str | None:
    """The model in the name of the folder, or else that name."""
    run = _run(source)
    found = MODEL.search(run)
    return found["model"] if found else run


def _run(source: Source) -> str:
    return Path(source.path).absolute().parent.name


def read(source: Source, wanted: Wanted) -> Iterator[Record]:
    """Yield the instances of the version that is wanted, each trial on its own."""
    group_among(source, wanted)
    prefix = f"{MODEL.sub(lambda found: found['before'], _run(source)).strip(',:')}:" if wanted.several else ""
    answers = _answers(source)
    version = _version(source, [answered.version for answered in answers], wanted)
    questions = _questions(source)
    times: Counter[Hashable] = Counter()
    for answered, values in answers.items():
        if answered.version == version:
            times[answered.id] += 1
            yield Record(
                id=f"{prefix}{answered.id}" if prefix else answered.id,
                values=dict(sorted(values.items(), key=lambda item: ABOUT_RUNS.fullmatch(item[0]) is not None)),
                sample=times[answered.id],
                check=questions.get((answered.id, answered.perturbation)),
            )


def _answers(source: Source) -> dict[Answered, dict[str, float | None]]:
    """All that is said of each answer, by the names of the statistics."""
    entries = source.json()
    if not isinstance(entries, list):
        raise source.error("the statistics are one JSON list; is the file complete?")
    answers: dict[Answered, dict[str, float | None]] = {}
    for number, entry in enumerate(entries, 1):
        try:
            answered, values = _answered(source, entry), list(_values(entry))
        except (AttributeError, KeyError, TypeError):
            raise source.error(
                f"entry {number} is not an instance_id, a train_trial_index and stats with names and numbers; "
                "is the file complete?"
            ) from None
        known = answers.setdefault(answered, {})
        for name, value in values:
            if known.setdefault(name, value) != value:
                raise source.error(f"{name:.60} of {answered.id!r:.60} is there twice, {known[name]} and {value}; "
                                   "let HELM evaluate the run again")  # fmt: skip
    return answers


def _answered(source: Source, entry: dict[str, Any]) -> Answered:
    perturbation = entry.get("perturbation")
    splits = dict.fromkeys(str(stat["name"].get("split", "all")) for stat in entry["stats"])
    version = next(iter(splits), "all")
    if perturbation:
        version = f"{version}/{perturbation['name']}"
    trial = entry["train_trial_index"]
    if not isinstance(trial, int):
        raise TypeError(trial)
    return Answered(field_of(source, None, entry, "instance_id"), version, _written(perturbation), trial)


def _values(entry: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    """The mean of each statistic, which is left out where there was nothing to count."""
    for stat in entry["stats"]:
        mean = stat.get("mean")
        if not (mean is None or is_number(mean)):
            raise TypeError(mean)
        yield str(stat["name"]["name"]), mean


def _version(source: Source, versions: list[str], wanted: Wanted) -> str | None:
    """The version that is wanted: the only one that is not perturbed, unless another is asked for."""
    every = dict.fromkeys(versions)
    if wanted.filter is not None:
        if wanted.filter not in every:
            raise source.error(f"there is no version {wanted.filter!r:.60}; there is {', '.join(every):.400}")
        return wanted.filter
    plain = [version for version in every if "/" not in version] or list(every)
    if len(plain) > 1:
        raise source.error(f"there are several versions, {' and '.join(every):.400}; choose one with --filter")
    return plain[0] if plain else None


def _questions(source: Source) -> dict[tuple[Hashable, str], str]:
    """The input and the references of each instance, if HELM wrote them beside the statistics."""
    path = Path(source.path).with_name("instances.json")
    if source.path == STDIN or not path.is_file():
        return {}
    beside = Source(str(path))
    instances = beside.json()
    if not isinstance(instances, list) or not all(isinstance(instance, dict) for instance in instances):
        raise beside.error("the instances are one JSON list of objects; let HELM summarize the runs again")
    return {
        (field_of(beside, None, instance, "id"), _written(instance.get("perturbation"))): _written(
            [instance.get("input"), instance.get("references")]
        )
        for instance in instances
    }


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


FORMAT = Format(
    name="helm",
    title="statistics of HELM by instance (per_instance_stats.json)",
    recognise=recognise,
    read=read,
    system=system,
    lower_is_better=LOWER_IS_BETTER,
    details="Items are instances, and the trials of one are a group; if instances.json is in the same folder, the "
    "questions are checked. Of instances that were perturbed too, those as they are count, or those that --filter "
    "names, as in test/lowercase. The system is the model in the name of the folder.",
)
