"""``exactperm power``: how many items a test needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from exactperm.cli import arguments as given
from exactperm.cli.progress import progress
from exactperm.cli.terminal import printer, show, spoken_warnings, write

if TYPE_CHECKING:
    from exactperm.inference.power_result import Power
    from exactperm.report.text import Block
    from exactperm.result import Problem
    from exactperm.sources import Scores

__all__ = ["power"]

#: columns that a bar takes at most
WIDEST = 50


def power(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", show_default=False, help="A pilot: files as for compare.")
    ] = None,
    n: Annotated[str | None, typer.Option("--n", metavar="N,...", help="Numbers of items: the power at each.")] = None,
    wanted: Annotated[
        float | None,
        typer.Option(
            "--power", metavar="SHARE", help="The wanted power: the number of items, or for --n the difference."
        ),
    ] = None,
    p_a: Annotated[
        float | None, typer.Option("--p-a", metavar="SHARE", help="Without a pilot: items on which A is right.")
    ] = None,
    p_b: Annotated[float | None, typer.Option("--p-b", metavar="SHARE", help="And B.")] = None,
    agreement: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Items on which both are right or both are wrong.")
    ] = None,
    a: Annotated[str | None, typer.Option("--a", metavar="SYSTEM", help="The first system, of several.")] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="SYSTEM", help="The second.")] = None,
    alpha: Annotated[float, typer.Option(metavar="LEVEL", help="The level of the test.")] = 0.05,
    alternative: given.Alternative = "two-sided",
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="What is compared, see exactperm metrics.")] = None,
    lower_is_better: given.LowerIsBetter = False,
    output: given.Form = "table",
    simulations: Annotated[
        int | None, typer.Option(metavar="N", help="Data sets drawn for each size, where it cannot be exact.")
    ] = None,
    seed: given.Seed = 0,
    gold: given.Gold = None,
    group: given.Group = None,
    id: given.Id = None,
    format: given.Format = None,
    filter: given.Filter = None,
    epochs: given.Epochs = None,
    missing: given.Missing = "raise",
    no_check: given.NoCheck = False,
    quiet: given.Quiet = False,
) -> None:
    """Tell how likely a test is to find a difference, and how many items it needs.

    From a pilot, the results of two systems on some items; or from stated accuracies. The answer is exact where
    each item is right or wrong; else data sets are drawn from the pilot, and each is tested exactly.

    \b
    The power with more items than the pilot has:
      exactperm power pilot.csv --n 500,1000,2000
    The number of items for a power of 80 %:
      exactperm power pilot.csv --power 0.8
    The smallest difference that 1,000 items show with this power:
      exactperm power pilot.csv --n 1000 --power 0.8
    Before there is any result:
      exactperm power --p-a 0.81 --p-b 0.79 --agreement 0.9 --n 500,1000,2000
    """
    common: dict[str, Any] = {
        "alpha": alpha,
        "alternative": alternative,
        "n_simulations": simulations,
        "rng": seed,
    }
    sizes = _sizes(n, wanted)
    with spoken_warnings(quiet), progress(quiet) as watch:
        if files:
            scores = given.read_files(
                files, metrics=[metric] if metric else None, gold=gold, format=format, filter=filter, id=id,
                group=group, a=None, b=None, epochs=epochs, missing=missing, check=not no_check,
            )  # fmt: skip
            pilot: tuple[Any, ...] = (_pilot(scores, a, b, metric, missing, lower_is_better),)
        else:
            pilot = ()
        shares = {key: x for key, x in (("p_a", p_a), ("p_b", p_b), ("agreement", agreement)) if x is not None}
        if not pilot and not shares:
            raise ValueError("give the files of a pilot, or --p-a, --p-b and --agreement")
        watch.say("drawing and testing")
        result = _answer(pilot, sizes, wanted, {**shares, **common})
    _print(result, output)


def _sizes(n: str | None, wanted: float | None) -> list[int] | None:
    if n is None:
        if wanted is None:
            raise ValueError("give --n, numbers of items for their power, or --power, for the number of items")
        return None
    try:
        sizes = [int(size) for size in n.split(",")]
    except ValueError:
        raise ValueError(f"--n takes whole numbers with commas between them, as 500,1000; not {n!r}") from None
    if wanted is not None and len(sizes) > 1:
        raise ValueError("--power with --n asks for the difference at one number of items; give one")
    return sizes


def _pilot(
    scores: Scores, a: str | None, b: str | None, metric: str | None, missing: Literal["raise", "omit"], lower: bool
) -> Problem:
    """The two systems, with all that is known of them."""
    from exactperm.result import Problem
    from exactperm.systems import gather

    names = [given.system_called(name, scores) for name in (a, b)]
    if names == [None, None] and len(scores.systems) == 2:
        names = list(scores.systems)
    first, second = names
    if first is None or second is None or first == second:
        raise ValueError(
            f"power is about two systems; these files have {', '.join(scores.systems)}: choose with --a and --b"
        )
    if unknown := [name for name in (first, second) if name not in scores.systems]:
        raise ValueError(f"{unknown[0]!r} is none of the systems; they are {', '.join(scores.systems)}")
    options = {"higher_is_better": False} if lower else {}
    data = gather(scores, None, metric, None, missing, "auto", options)
    return Problem(data.effects(first, second), data.metric, "two-sided", data.items(first, second))


def _answer(pilot: tuple[Any, ...], sizes: list[int] | None, wanted: float | None, asked: dict[str, Any]) -> Power:
    import exactperm

    if sizes is None:
        return exactperm.sample_size(*pilot, power=wanted or 0.0, **asked)
    if wanted is not None:
        return exactperm.detectable_difference(*pilot, n=sizes[0], power=wanted, **asked)
    return exactperm.power(*pilot, n=sizes, **asked)


def _print(result: Power, output: given.Output) -> None:
    if output == "table":
        console = printer()
        show(console, _blocks(result, console.width, ascii_only=not console.is_terminal))
    else:
        write(result, output)


def _blocks(result: Power, width: int, *, ascii_only: bool) -> Iterator[Block]:
    from rich.text import Text

    from exactperm.report.text import printable

    yield printable(f"{result.metric}, {result.assumptions}")
    yield ""
    yield from (Text(line, no_wrap=True) for line in _curve(result, width, "#" if ascii_only else "\N{FULL BLOCK}"))
    yield ""
    yield Text(printable(result.verdict), "bold")
    yield ""
    yield Text(printable(result.signature), "dim", no_wrap=True)


def _curve(result: Power, width: int, block: str) -> Iterator[str]:
    """The table with a bar at the end of each row, as far as there is room for one."""
    from exactperm import tables

    head, *lines = tables.plain(*result.table()).splitlines()
    widest = max(map(len, (head, *lines)))
    room = min(WIDEST, width - widest - 3)
    yield head if room < 5 else f"{head:<{widest}}  0{'1':>{room}}"
    for line, row in zip(lines, result.rows(), strict=True):
        bar = block * round(room * row["power"])
        yield line if room < 5 else f"{line:<{widest}}  |{bar}".rstrip()
