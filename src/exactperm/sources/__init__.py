"""From the files people have to `Scores`: readers, one file each, and `read`, which finds the right one."""

from exactperm.sources.base import Counts, Format, Predicted, Record, Wanted
from exactperm.sources.files import Source, SourceError
from exactperm.sources.read import read
from exactperm.sources.scores import Measure, Provenance, Scores

__all__ = [
    "Counts",
    "Format",
    "Measure",
    "Predicted",
    "Provenance",
    "Record",
    "Scores",
    "Source",
    "SourceError",
    "Wanted",
    "read",
]
