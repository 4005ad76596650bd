"""Pictures of results, drawn with matplotlib: every function takes axes or makes a figure, and returns the axes."""

from importlib.util import find_spec

if find_spec("matplotlib") is None:  # before any module of this folder, all of which need it
    raise ImportError("plots need matplotlib: pip install 'exactperm[plot]'")

from exactperm.report.plots.differences import differences
from exactperm.report.plots.file import save
from exactperm.report.plots.matrix import matrix
from exactperm.report.plots.null_distribution import null_distribution
from exactperm.report.plots.power_curve import power_curve
from exactperm.report.plots.ranking import ranking
from exactperm.report.plots.runtime import runtime

__all__ = ["differences", "matrix", "null_distribution", "power_curve", "ranking", "runtime", "save"]
