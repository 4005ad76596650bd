"""``exactperm compare``: from files to a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from exactperm.cli import arguments as given
from exactperm.cli.progress import progress
from exactperm.cli.terminal import note, printer, show, spoken_warnings, write

if TYPE_CHECKING:
    from exactperm.comparison import Comparison
    from exactperm.comparisons import Comparisons
    from exactperm.sources import Scores

__all__ = ["compare"]

#: with --gate, a system is significantly worse than the baseline
WORSE = 1


def _corrections() -> list[str]:
    from exactperm.inference.multiplicity import METHODS

    return list(METHODS)


Correction = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="For the number of tests: holm, max-t (joint permutation), hochberg, hommel, bonferroni, bh, by or none.",
        autocompletion=_corrections,
    ),
]


def compare(
    files: given.Files,
    gold: given.Gold = None,
    metric: given.Metrics = None,
    baseline: given.Baseline = None,
    output: given.Form = "table",
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw into a png, svg or pdf: of two systems the null distribution, of more the ranking.",
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write a report that any browser opens, too.")
    ] = None,
    gate: Annotated[
        bool,
        typer.Option(
            "--gate", help="Exit with 1 if a system is significantly worse than the baseline (else the first)."
        ),
    ] = False,
    group: given.Group = None,
    id: given.Id = None,
    format: given.Format = None,
    filter: given.Filter = None,
    a: given.A = None,
    b: given.B = None,
    epochs: given.Epochs = None,
    missing: given.Missing = "raise",
    no_check: given.NoCheck = False,
    memory_limit: given.MemoryLimit = None,
    spill: given.Spill = None,
    lower_is_better: given.LowerIsBetter = False,
    alternative: given.Alternative = "two-sided",
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Show equivalence within ± SIZE (of means); with greater, that the first is not worse by so much.",
        ),
    ] = None,
    correction: Correction = "holm",
    alpha: Annotated[float, typer.Option(metavar="LEVEL", help="The level of significance.")] = 0.05,
    method: given.Method = "auto",
    tolerance: Annotated[
        float | None, typer.Option(metavar="SHARE", help="For --method bracket: the relative half-width to reach.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(metavar="N", help="Random assignments, where it has to sample.")
    ] = None,
    seed: given.Seed = 0,
    quiet: given.Quiet = False,
) -> None:
    """Tell which system is better.

    Every pair of systems, or each system and a baseline, is tested on the items they share. The format of the files
    is found by itself; items are matched by their ids.

    \b
    Two runs of lm-evaluation-harness:
      exactperm compare runA/samples_gsm8k.jsonl runB/samples_gsm8k.jsonl \\
        --metric exact_match --filter strict-match
    Scores in a table, one column for each system:
      exactperm compare scores.csv
    Labels in a table, a column for each classifier and one of what is right:
      exactperm compare labels.csv --gold label --metric mcc
    Parsers against a gold standard, whole documents exchanged:
      exactperm compare A.conllu B.conllu --gold gold.conllu --metric las \\
        --group document
    Translations by two metrics, named, as a table for a paper:
      exactperm compare old=a.txt new=b.txt --gold ref.txt --metric bleu \\
        --metric chrf --output latex
    One system whose items are spread over many files is a quoted pattern:
      exactperm compare A='runA/samples_*.jsonl' B='runB/samples_*.jsonl'
    Is the cheaper system at most half a point worse?
      exactperm compare cheap=a.csv base=b.csv --baseline base \\
        --alternative greater --margin 0.005
    A picture for a paper, of the distribution under random exchange:
      exactperm compare a=a.txt b=b.txt --gold ref.txt --plot figure.pdf
    A report to open, print, or put beside the paper:
      exactperm compare scores.csv --report report.html
    A gate for continuous integration:
      exactperm compare main.jsonl new.jsonl --gate --quiet

    \b
    Exit codes:
      0  done
      1  with --gate: a system is significantly worse than the baseline
      2  the input or an option is wrong; one line says what to do
    """
    import exactperm

    if gate:
        _check_gate(alternative, margin)
    if plot is not None:
        _check_plot(plot, metric)
    if report is not None:
        from exactperm.report.html.page import checked

        checked(report)
    with spoken_warnings(quiet), progress(quiet) as watch:
        scores = given.read_files(
            files, metrics=metric, gold=gold, format=format, filter=filter, id=id, group=group, a=a, b=b,
            epochs=epochs, missing=missing, check=not no_check, memory_limit=memory_limit, spill=spill,
        )  # fmt: skip
        watch.say("comparing")
        result = exactperm.compare(
            scores,
            metric=given.one_or_several(metric),
            baseline=scores.systems[0] if gate and baseline is None else given.system_called(baseline, scores),
            correction=correction,
            alpha=alpha,
            alternative=alternative,
            margin=margin,
            nan_policy=missing,
            method=method,
            tolerance=tolerance,
            n_resamples=samples,
            rng=seed,
            **({"higher_is_better": False} if lower_is_better else {}),
        )
        if plot is not None:
            watch.say("drawing")
            _draw(result, plot)
        if report is not None:
            watch.say("writing the report")
            result.to_html(report)
    if gate and baseline is None and not quiet:
        note(f"note: the baseline is {scores.systems[0]}, the first system; --baseline names another")
    _print(result, output, scores)
    if gate:
        _gate(result, quiet)


def _check_gate(alternative: str, margin: str | None) -> None:
    """Refuse tests that do not ask whether a system is worse."""
    if alternative == "greater":
        raise ValueError("--gate asks for systems that are worse, --alternative greater for better ones; leave it out")
    if margin is not None:
        raise ValueError(
            "--gate asks for systems that are worse, --margin for those that are not; leave one of them out"
        )


def _check_plot(path: str, metrics: list[str] | None) -> None:
    """Refuse a plot that could not be made, before anything is read and computed."""
    if metrics is not None and len(metrics) > 1:
        raise ValueError(
            f"--plot draws one metric, and here are {len(metrics)}: {', '.join(metrics)}; name one of them"
        )
    from exactperm.report.plots.file import check_path

    check_path(path)


def _draw(result: Comparison, path: str) -> None:
    from exactperm.report.plots.file import save

    save(result.plot(), path)


def _print(result: Comparison | Comparisons, output: given.Output, scores: Scores) -> None:
    if output == "table":
        from exactperm.report.text import blocks

        console = printer()
        show(console, blocks(result, scores, console.width))
    else:
        write(result, output)


def _gate(result: Comparison | Comparisons, quiet: bool) -> None:
    """Leave with an exit code of its own if the baseline was shown to be better than a system."""
    comparisons = list(result.values()) if hasattr(result, "values") else [result]
    pairs = [pair for comparison in comparisons for pair in comparison.pairs]
    worse = [pair for pair in pairs if pair.better == pair.b]
    for pair in worse:
        if not quiet:
            note(f"gate: {pair.a} is significantly worse than {pair.b} ({pair.metric})")
    if worse:
        raise typer.Exit(WORSE)
