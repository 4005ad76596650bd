"""The same systems compared by several metrics, with all p-values adjusted together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactperm import tables
from exactperm.pair import frame_of, in_latex
from exactperm.result import SCHEMA, finite

if TYPE_CHECKING:
    from exactperm.comparison import Comparison

__all__ = ["Comparisons"]


class Comparisons(Mapping[str, "Comparison"]):
    """A `Comparison` for each metric, by the name of the metric.

    The p-values of all pairs and metrics were adjusted together, so that the level holds for everything the tables
    claim.
    """

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._by_metric = {comparison.metric: comparison for comparison in comparisons}
        if len(self._by_metric) < len(comparisons):
            raise ValueError(f"a metric is named twice; they are {', '.join(c.metric for c in comparisons)}")

    def __getitem__(self, metric: str) -> Comparison:
        """The comparison by one metric."""
        return self._by_metric[metric]

    def __iter__(self) -> Iterator[str]:
        """The metrics in the order in which they were named."""
        return iter(self._by_metric)

    def __len__(self) -> int:
        """The number of metrics."""
        return len(self._by_metric)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names in the order in which they came."""
        return next(iter(self.values())).systems

    @property
    def verdict(self) -> str:
        """A sentence for each metric."""
        return "\n".join(f"{metric}: {comparison.verdict}" for metric, comparison in self.items())

    @property
    def signature(self) -> str:
        """A line for each metric."""
        return "\n".join(comparison.signature for comparison in self.values())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {"schema": SCHEMA, "metrics": [comparison.to_dict() for comparison in self.values()]}

    def to_json(self, **options: Any) -> str:
        """The same as JSON; what is not a finite number as null."""
        return json.dumps(finite(self.to_dict()), **{"allow_nan": False, **options})

    def to_frame(self, library: str | None = None) -> Any:
        """The pairs of all metrics as a data frame, one row each."""
        return frame_of(self.rows(), library or next(iter(self.values())).frame_library)

    def rows(self) -> list[dict[str, Any]]:
        """The pairs of all metrics as plain values."""
        return [row for comparison in self.values() for row in comparison.rows()]

    def to_csv(self) -> str:
        """The pairs of all metrics as comma-separated values with a head."""
        return tables.csv(self.rows())

    def to_markdown(self) -> str:
        """A table of the systems by all metrics, and one of the pairs by each."""
        pairs = [f"{metric}:\n\n{tables.markdown(*c.pairs_table())}" for metric, c in self.items()]
        return "\n\n".join([tables.markdown(*self.systems_table()), *pairs])

    def to_latex(self) -> str:
        """Tabulars for booktabs: the systems by all metrics, and the pairs by each."""
        pairs = [f"% {metric}\n{tables.latex(*in_latex(c.pairs_table()))}" for metric, c in self.items()]
        return "\n\n".join([tables.latex(*self.systems_table()), *pairs])

    def __repr__(self) -> str:
        """The tables and the verdicts."""
        pairs = [f"{metric}\n{tables.plain(*c.pairs_table())}" for metric, c in self.items()]
        return "\n\n".join([tables.plain(*self.systems_table()), *pairs, self.verdict])

    def to_html(self, path: str | Path | None = None) -> str | None:
        """A report in one file, with a section for each metric; see `Comparison.to_html`."""
        from exactperm.report.html.page import deliver

        return deliver(list(self.values()), path)

    def _repr_html_(self) -> str:
        from exactperm.report.notebook import of_comparisons

        return of_comparisons(list(self.values()))

    def systems_table(self) -> tables.Table:
        """A row for each system: its score by each metric, with the tiers as letters."""
        first = next(iter(self.values()))
        rows = [
            [name, *(cell for comparison in self.values() for cell in comparison.score_cells(name))]
            for name in first.ranking
        ]
        head = [column for comparison in self.values() for column in comparison.score_head()]
        return ["system", *head], rows, 1
