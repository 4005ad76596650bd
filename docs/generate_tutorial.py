"""Write docs/tutorial.ipynb, its cells executed: ``python docs/generate_tutorial.py``."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("tutorial.ipynb")

TEXT = """\
# From files to a verdict in ten minutes

Two systems were run on the same test set and one scores higher. Is it better, or was it lucky? This notebook goes from
the files that evaluation tools write to a sentence for a paper. It reads the small invented data sets in `examples/`,
and runs in the folder `docs/` of a copy of the repository.

```python
import exactperm as xp
```

## Two systems

Two language models answered the same questions, and lm-evaluation-harness logged every answer. `read` finds out the
format by itself and matches the questions by their ids. Each answer was logged through two filters, of which one is
chosen.

```python
scores = xp.read(
    {"tiny": "../examples/lm_eval/acme__tiny-1b/*.jsonl"},
    {"large": "../examples/lm_eval/acme__large-7b/*.jsonl"},
    filter="strict-match",
)
scores
```

Then one call compares them.

```python
models = xp.compare(scores)
models
```

What does the p-value say? If the two models were alike, exchanging their answers to any question would change nothing.
There are as many ways to exchange as there are subsets of the questions, and p is the share of them with a difference
at least as large as the one observed. No such set was sampled: all of them are accounted for, so that p is a fraction.

```python
[pair] = models.pairs
pair.as_fraction()
```

## How large is the difference?

A small p-value tells that there is a difference, not that it matters. The interval holds all the differences that the
same test would not reject.

```python
low, high = pair.confidence_interval()
round(low, 3), round(high, 3)
```

On how many questions is the one model ahead of the other?

```python
pair.wins, pair.losses, pair.ties
```

## Items that belong together

Names were marked in the sentences of 25 documents, and the sentences of a document are not independent of each other.
With `group` whole documents change sides. F1 is no mean over sentences; the test exchanges the counts it is made of.

```python
files = ["../examples/ner/crf.txt", "../examples/ner/transformer.txt"]
names = xp.read(*files, gold="../examples/ner/gold.txt", group="document")
xp.compare(names).pairs[0]
```

If the documents are forgotten, the p-value is smaller, and wrong.

```python
by_sentence = xp.read(*files, gold="../examples/ner/gold.txt")
xp.compare(by_sentence).pairs[0].pvalue < xp.compare(names).pairs[0].pvalue
```

## Many systems

Among ten systems there are 45 pairs, and some of them would seem to differ by luck alone. The p-values are adjusted for
that (Holm's procedure by default), and systems that were not told apart share a letter.

```python
many = xp.compare(xp.read("../examples/wide/scores.csv", group="passage"))
many.verdict
```

```python
many.tiers
```

Where only one system matters, comparing all others with it takes fewer tests.

```python
with_base = xp.compare(xp.read("../examples/wide/scores.csv", group="passage"), baseline="base")
[pair.a for pair in with_base.pairs if pair.better == pair.a]
```

## Scores at hand

Nothing has to be read from files: lists, arrays and the columns of data frames will do, one score for each item.

```python
a = [0.8312, 0.7740, 0.9021, 0.6604, 0.7127, 0.8430, 0.6906, 0.7585]
b = [0.8290, 0.7741, 0.8870, 0.6512, 0.7102, 0.8204, 0.6911, 0.7473]
xp.paired_test(a, b)
```

## Say it

The verdict can be quoted. The signature says what was done, so that anyone can do it again.

```python
print(models.verdict)
print(models.signature)
```

A table for the paper:

```python
print(models.to_latex())
```

And a report to look at: one file with the systems, the matrix of all pairs, and what each test rests on.

```python
import tempfile
from pathlib import Path

report = Path(tempfile.mkdtemp()) / "report.html"
many.to_html(report)
report.stat().st_size > 50_000
```

On the command line all of this is `exactperm compare ../examples/wide/scores.csv --group passage --report report.html`.
"""


def main() -> None:
    """Write the notebook."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The notebook as JSON, with what its cells put out."""
    names: dict[str, Any] = {}
    with contextlib.chdir(PAGE.parent):
        cells = [cell for kind, text in parts() for cell in [_prose(text) if kind == "text" else _code(text, names)]]
    numbered = [{"id": f"cell-{i}", **cell} for i, cell in enumerate(cells, 1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def parts() -> list[tuple[str, str]]:
    """Prose and code in turn."""
    split = re.split(r"^```python\n(.*?)^```$", TEXT, flags=re.DOTALL | re.MULTILINE)
    kinds = ("text", "code")
    return [(kinds[i % 2], part.strip()) for i, part in enumerate(split) if part.strip()]


def _prose(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, names: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": _outputs(text, names),
        "source": text.splitlines(keepends=True),
    }


def _outputs(text: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line, as Jupyter shows them."""
    *before, last = ast.parse(text).body
    is_value = isinstance(last, ast.Expr)
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(before if is_value else [*before, last], []), "<cell>", "exec"), names)
        if is_value:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    shown = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        shown.append({"data": _forms(value), "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return shown


def _forms(value: Any) -> dict[str, list[str]]:
    forms = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        forms = {"text/html": value._repr_html_().splitlines(keepends=True), **forms}
    return forms


if __name__ == "__main__":
    main()
