"""The metrics: what is compared. Each is a short declaration; `get` finds one by name."""

# the families enter their metrics into the registry, in the order of the documentation
# isort: off
from exactperm.metrics import means, binary, multiclass, errors, translation  # noqa: F401

# isort: on
from exactperm.metrics.base import Alternative, Metric
from exactperm.metrics.extract import extract
from exactperm.metrics.registry import get, names, options, summary

__all__ = ["Alternative", "Metric", "extract", "get", "names", "options", "summary"]
