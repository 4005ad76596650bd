"""Exact paired-permutation tests: is system A better than system B?

Names are loaded where they are first used, so that `import exactperm` costs nothing and the command line starts at
once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from exactperm.api import paired_test
    from exactperm.classical import ClassicalResult, mcnemar, sign_test, wilcoxon
    from exactperm.comparison import Comparison, compare
    from exactperm.comparisons import Comparisons
    from exactperm.effects import Effects
    from exactperm.engines.auto import SamplingWarning, ToleranceWarning
    from exactperm.inference.bootstrap import bootstrap
    from exactperm.inference.confidence import ConfidenceInterval
    from exactperm.inference.effect_sizes import EffectSize, EffectSizes
    from exactperm.inference.power import detectable_difference, power, sample_size
    from exactperm.inference.power_result import DetectableDifference, Power, SampleSize
    from exactperm.keyed import paired_tests
    from exactperm.metrics import Metric
    from exactperm.pair import Pair
    from exactperm.result import Interval, TestResult
    from exactperm.sources import Scores, SourceError
    from exactperm.sources.read import read
    from exactperm.tasks import macro_test

_HOME = {
    "ClassicalResult": "exactperm.classical",
    "Comparison": "exactperm.comparison",
    "Comparisons": "exactperm.comparisons",
    "ConfidenceInterval": "exactperm.inference.confidence",
    "DetectableDifference": "exactperm.inference.power_result",
    "EffectSize": "exactperm.inference.effect_sizes",
    "EffectSizes": "exactperm.inference.effect_sizes",
    "Effects": "exactperm.effects",
    "Interval": "exactperm.result",
    "Metric": "exactperm.metrics",
    "Pair": "exactperm.pair",
    "Power": "exactperm.inference.power_result",
    "SampleSize": "exactperm.inference.power_result",
    "SamplingWarning": "exactperm.engines.auto",
    "Scores": "exactperm.sources",
    "SourceError": "exactperm.sources",
    "TestResult": "exactperm.result",
    "ToleranceWarning": "exactperm.engines.auto",
    "bootstrap": "exactperm.inference.bootstrap",
    "compare": "exactperm.comparison",
    "detectable_difference": "exactperm.inference.power",
    "macro_test": "exactperm.tasks",
    "mcnemar": "exactperm.classical",
    "paired_test": "exactperm.api",
    "paired_tests": "exactperm.keyed",
    "power": "exactperm.inference.power",
    "read": "exactperm.sources",
    "sample_size": "exactperm.inference.power",
    "sign_test": "exactperm.classical",
    "wilcoxon": "exactperm.classical",
}

__all__ = [
    "ClassicalResult",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "DetectableDifference",
    "EffectSize",
    "EffectSizes",
    "Effects",
    "Interval",
    "Metric",
    "Pair",
    "Power",
    "SampleSize",
    "SamplingWarning",
    "Scores",
    "SourceError",
    "TestResult",
    "ToleranceWarning",
    "__version__",
    "bootstrap",
    "compare",
    "detectable_difference",
    "macro_test",
    "mcnemar",
    "paired_test",
    "paired_tests",
    "power",
    "read",
    "sample_size",
    "sign_test",
    "wilcoxon",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'exactperm' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
