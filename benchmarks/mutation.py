"""Mutation testing of the core: the source is damaged in one place at a time, and some test should fail.

    python benchmarks/mutation.py run DIRECTORY [--share 0.3] [--again] [--only PATTERN ...]
    python benchmarks/mutation.py show DIRECTORY [--only PATTERN ...]
    python benchmarks/mutation.py page DIRECTORY

`run` works in a copy of the tree in DIRECTORY. Mutmut makes the mutants, as the section ``[tool.mutmut]`` of
pyproject.toml says; they are run by a loop of its own here, as ``mutmut run`` collects all tests anew for each mutant,
which takes longer than the tests. The tests are collected once, and each mutant gets a fork that runs those which reach
the mutated function, those of its own test module and short ones first, until one fails or `--seconds` are spent.

Mutmut leaves functions with a decorator alone. In the copy ``@property`` and ``@cached_property`` become an assignment
after the function, so that these are mutated too.

All mutants of the modules below the engines are tried; of the engines those whose name has a CRC-32 below a share of
2^32, which is larger for the functions that make up error bounds (BOUNDS). Such a sample depends on nothing else, and a
larger one only adds to it. `--again` tries once more what survived without a reason, after new tests. `show` prints the
survivors, `page` writes docs/mutation.md.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import fnmatch
import importlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parent.parent
#: processor seconds for a test that took t: PATIENCE (2 + t)
PATIENCE = 3.0
#: what tests load on their way: here once and not in every fork
LOADED = ("pandas", "exactperm.sources.frames")
#: bytes of memory for one mutant
MEMORY = 6 * 2**30
PROPERTY = re.compile(r"^( *)@(property|cached_property)\n\1def (\w+)\(", re.MULTILINE)
PAGE = TREE / "docs" / "mutation.md"
LIST = TREE / "docs" / "mutation-survivors.txt"
#: shares of the mutants of the engines that are tried
SHARE, BOUNDS_SHARE = 0.043, 0.22
#: functions of engines that make up error bounds
BOUNDS = re.compile(
    r"tilt\.(x__excess|x__relative_entropy|xǁTiltǁto_thresholds)__|characteristic\.(x_characteristic|xǁ_Tableǁsums)__"
    r"|fourier\.(x__estimate|x__invert)__|conditioning\.(x_outward|x_sum_of|x__log_sum|x__complement|xǁPieceǁcombine)__"
    r"|support\.(x__by_moments|x__last|x_residue|x__bound)__|bracket_bounds\.|bracket\.(x__inverted|x__lump)__"
    r"|bracket_selberg\.(x__bounds|x__weight_of_all|xǁWrappedLawǁaround)__|bracket_tilt\.xǁTiltedǁ(exponent_error|reach)__"
    r"|clopper_pearson\.|base\.(xǁTailǁ|x_log_fraction)|torus\.(x__tail|x__whole_count|x__intersection)__"
    r"|torus_dominant\.x_weighted_sum__|torus_half_lines\.(x_half_line_sum|x__transform_errors)__"
    r"|torus_slabs\.(x_slab_sum|x__law_error|xǁ_Totalǁadd)__|torus_support\.(x_live_support|x_transform_error)__"
    r"|torus_tilt\.xǁTiltedCoinsǁ(exponent|excess|cumulant|log_mass_outside)__|control_variate\.(x__combine|x__mix)__"
)
#: functions whose result only says how long something takes, or where a search begins
QUICK = re.compile(
    r"ǁcost|sampling_cost|x_batches|_scatter|expected_frequencies|log2_width|_first_width|_finest|_size$|_shifts"
    r"|x__solve|x_solve|_averaged|torus_point\.|strongest|_gallop|_between|first_crossing|_dominating_point|x__fit"
    r"|x__least_squares|x__crossing|_helped|_volume"
)
#: modules whose tests are called otherwise
TESTED_WITH = {"characteristic": "fourier", "support": "fourier", "tilt": "fourier", "conditioning": "fourier"}


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "show", "page"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--share", type=float, default=SHARE, help="of the mutants of the engines")
    parser.add_argument("--bounds", type=float, default=BOUNDS_SHARE, help="of those that make up error bounds")
    parser.add_argument("--seconds", type=float, default=3.0, help="of tests for one mutant")
    parser.add_argument("--first", default="^$", help="pattern of the names of tests that are run first")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--only", nargs="*", default=["*"], help="patterns of names of mutants")
    parser.add_argument("--children", type=int, default=2)
    options = parser.parse_args()
    directory = options.directory.resolve()
    if options.what == "run":
        copy(directory)
        run(directory, options)
    elif options.what == "show":
        show(directory, options.only)
    else:
        page(directory, options)


# -- the copy --------------------------------------------------------------------------------------------------


def copy(directory: Path) -> None:
    """Copy what would be committed; what did not change keeps its time, so that its mutants are not made anew."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src", "tests", "examples"]
    names = subprocess.run(listed, cwd=TREE, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in [*filter(None, names), "pyproject.toml"]:
        source, target = TREE / name, directory / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        if name.startswith("src/") and name.endswith(".py"):
            content = undecorated(content.decode()).encode()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def undecorated(source: str) -> str:
    """Write each property as a function with an assignment after it."""
    while found := PROPERTY.search(source):
        indent, kind, name = found.groups()
        start = found.start() + len(indent) + len(kind) + 2
        end = re.compile(rf"\n(?! *\n|{indent} |\n)").search(source, source.index(":\n", found.end()) + 1)
        stop = end.start() if end else len(source)
        body = source[start:stop].strip("\n")
        source = f"{source[: found.start()]}{body}\n\n{indent}{name} = {kind}({name})\n{source[stop:]}"
    return source


# -- the run ---------------------------------------------------------------------------------------------------


def run(directory: Path, options: argparse.Namespace) -> None:
    """Make the mutants, collect the tests and try the mutants with them."""
    os.chdir(directory)
    sys.path.remove(str(Path(__file__).resolve().parent))  # coverage.py there is not the package
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import pytest
    from mutmut import __main__ as mutmut
    from mutmut.configuration import config
    from mutmut.mutation.trampoline import set_mutant_under_test

    set_mutant_under_test("mutant_generation")
    Path("mutants").mkdir(exist_ok=True)
    mutmut.copy_src_dir()
    mutmut.copy_also_copy_files()
    mutmut.create_mutants(options.children)
    set_mutant_under_test("")
    os.chdir("mutants")
    sys.path.insert(0, str(Path("src").resolve()))
    settings = config()
    arguments = [*settings.pytest_add_cli_args, *settings.pytest_add_cli_args_test_selection]
    raise SystemExit(pytest.main(["-q", "--tb=no", "--rootdir=.", *arguments], plugins=[Loop(options)]))


class Loop:
    """The tests are run by this instead of by pytest: those a mutant needs, in a fork for each mutant."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.in_child, self.done = False, 0
        self.results = Path("../results.json").resolve()

    def pytest_runtestloop(self, session: Any) -> bool:
        """Find out which tests reach which function, then try the mutants."""
        items = {item.nodeid: item for item in session.items}
        for module in LOADED:
            importlib.import_module(module)
        stats = self._stats(items)
        found = json.loads(self.results.read_text()) if self.results.exists() else {}
        waiting = [name for name in self._chosen() if self._is_due(name, found.get(name))]
        print(f"{len(items)} tests, {len(waiting)} mutants to try", flush=True)
        running: dict[int, str] = {}
        begin = time.time()
        for i, name in enumerate(waiting):
            tests = needed(name, stats, self.options.seconds, self.options.first)
            if not tests:
                found[name] = "no tests"
                continue
            while len(running) >= self.options.children:
                self._collect(running, found)
            if i % 100 == 0:
                print(f"{i} of {len(waiting)} after {time.time() - begin:.0f} s: {Counter(kinds(found))}", flush=True)
            running[fork(lambda name=name, tests=tests: self._try(name, tests, items))] = name
        while running:
            self._collect(running, found)
        self.results.write_text(json.dumps(found, indent=0))
        return True

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """A test that fails ends the fork."""
        from _pytest.outcomes import Skipped

        if self.in_child and call.excinfo is not None and not call.excinfo.errisinstance(Skipped):
            Path(f"../killer.{os.getpid()}").write_text(item.nodeid)
            os._exit(1)

    def _chosen(self) -> Iterator[str]:
        """The modules below the engines first, then the sample of the engines, in an order that is a sample too."""
        names = [name for _, path in metas(Path("..")) for name in json.loads(path.read_text())["exit_code_by_key"]]
        engines = sorted((zlib.crc32(name.encode()), name) for name in names if ".engines." in name)
        drawn = [name for _, name in engines if in_sample(name, self.options.share, self.options.bounds)]
        for name in [name for name in names if ".engines." not in name] + drawn:
            if any(fnmatch.fnmatch(name, pattern) for pattern in self.options.only):
                yield name

    def _is_due(self, name: str, result: str | None) -> bool:
        if result is None or not self.options.again or result.startswith("killed"):
            return result is None
        return result != "timed out" and reason(name, changed(name, Path(".."))) == ""

    def _stats(self, items: dict[str, Any]) -> dict[str, Any]:
        """For each test its seconds and the functions that it reaches, measured once for each set of tests."""
        path = Path("../stats.json").resolve()
        stats = json.loads(path.read_text()) if path.exists() else {}
        new = [nodeid for nodeid in items if nodeid not in stats]
        if new:
            os.waitpid(fork(lambda: self._measure(new, items, stats, path)), 0)
            stats = json.loads(path.read_text())
            control = {fork(lambda: self._try("", [(stats[x][0], x) for x in new], items)): "control"}
            outcome: dict[str, str] = {}
            self._collect(control, outcome)
            if outcome["control"] != "survived":
                path.unlink()
                raise SystemExit(f"without any damage: {outcome['control']}")
        return {nodeid: stats[nodeid] for nodeid in items}

    def _measure(self, new: list[str], items: dict[str, Any], stats: dict[str, Any], path: Path) -> None:
        from mutmut.mutation.trampoline import set_mutant_under_test
        from mutmut.state import state

        set_mutant_under_test("stats")
        for nodeid, following in zip(new, [*new[1:], None], strict=True):
            begin = time.process_time()
            self._one(items[nodeid], following and items[following])
            stats[nodeid] = [round(time.process_time() - begin, 4), sorted(state()._stats)]
            state()._stats.clear()
        path.write_text(json.dumps(stats))

    def _try(self, name: str, tests: list[tuple[float, str]], items: dict[str, Any]) -> None:
        from mutmut.mutation.trampoline import set_mutant_under_test

        self.in_child = True
        set_mutant_under_test(name)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        chosen = [items[nodeid] for _, nodeid in tests]
        chosen[0].config.pluginmanager.unregister(name="terminalreporter")
        for (seconds, _), item, following in zip(tests, chosen, [*chosen[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, PATIENCE * (2 + seconds))  # the signal ends the fork
            self._one(item, following)

    @staticmethod
    def _one(item: Any, following: Any) -> None:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _collect(self, running: dict[int, str], found: dict[str, str]) -> None:
        """Wait for a fork and note what became of it."""
        pid, status = os.wait()
        name = running.pop(pid)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            found[name] = "timed out" if number == signal.SIGPROF else f"killed by signal {number}"
            return
        killer = Path(f"../killer.{pid}")
        if os.WEXITSTATUS(status):
            found[name] = f"killed by {killer.read_text() if killer.exists() else 'an exit'}"
            killer.unlink(missing_ok=True)
        else:
            found[name] = "survived"
        self.done += 1
        if self.done % 50 == 0:
            self.results.write_text(json.dumps(found, indent=0))


def fork(work: Any) -> int:
    """Do something in a fork, which ends with it."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it is, it must not go on as the parent
        os._exit(2)


def needed(name: str, stats: dict[str, Any], most: float, first: str) -> list[tuple[float, str]]:
    """The tests that reach the function of a mutant, in the order in which they are run, and their seconds."""
    function = re.sub(r"__mutmut_\d+$", "", name)
    module = function.split(".")[-2]
    own = TESTED_WITH.get(module, module.split("_")[0])

    def order(test: tuple[float, str]) -> tuple[bool, float]:
        seconds, nodeid = test
        mine = f"/test_{own}" in nodeid or f"/test_{module}." in nodeid
        return not re.search(first, nodeid), seconds / (5 if mine else 1)

    tests = sorted(
        ((seconds, nodeid) for nodeid, (seconds, reached) in stats.items() if function in reached), key=order
    )
    spent, kept = 0.0, []
    for seconds, nodeid in tests:
        if spent + seconds <= most or not kept:
            spent += seconds
            kept.append((seconds, nodeid))
    return kept


# -- the results -----------------------------------------------------------------------------------------------


def metas(directory: Path) -> list[tuple[str, Path]]:
    """The modules, and the files in which mutmut lists their mutants."""
    root = directory / "mutants" / "src" / "exactperm"
    return [(str(path.relative_to(root))[: -len(".py.meta")], path) for path in sorted(root.rglob("*.py.meta"))]


def kinds(found: dict[str, str]) -> list[str]:
    """Results without what it was that killed."""
    return ["killed" if result.startswith("killed") else result for result in found.values()]


def page(directory: Path, options: argparse.Namespace) -> None:
    """Write the numbers and the survivors of the sample into docs/mutation.md."""
    from measure import table, write_blocks

    found = json.loads((directory / "results.json").read_text())
    found = {name: result for name, result in found.items() if in_sample(name, options.share, options.bounds)}
    columns = ["killed", "timed out", "survived", "no tests"]
    rows, total = [], Counter[str]()
    for module, path in sorted(metas(directory), key=lambda x: (x[0].startswith("engines/"), x[0])):
        names = json.loads(path.read_text())["exit_code_by_key"]
        if names:
            count = Counter(kinds({name: found.get(name, "left out") for name in names}))
            rows.append(row(module, count, columns))
            total += count
    rows.append(row("together", total, columns))
    survivors: dict[str, list[str]] = {key: [] for key in [*REASONS, ""]}
    for name, result in sorted(found.items()):
        if result in {"survived", "no tests"}:
            change = changed(name, directory)
            survivors[reason(name, change)].append(line_of(name, change))
    reasons = [[f"{key}: {REASONS[key]}", str(len(lines))] for key, lines in survivors.items() if key and lines]
    reasons.append(["no reason given", str(len(survivors[""]))])
    lists = [f"{key or 'no reason given'}\n{chr(10).join(lines)}" for key, lines in survivors.items() if lines]
    write_blocks(
        PAGE,
        {
            "numbers": table(["module", "mutants", "tried", *columns], rows),
            "reasons": table(["reason", "survivors"], reasons),
        },
    )
    LIST.write_text("\n\n".join(lists) + "\n", encoding="utf-8")


def in_sample(name: str, share: float, bounds: float) -> bool:
    """Whether a mutant is one of those to be tried."""
    share = max(share, bounds) if BOUNDS.search(name) else share
    return ".engines." not in name or zlib.crc32(name.encode()) < share * 2**32


def line_of(name: str, change: list[tuple[str, str]]) -> str:
    """One mutant on one line: the function, its number, and what became what."""
    module, _, mutant = name.removeprefix("exactperm.").rpartition(".")
    function, number = mutant.split("__mutmut_")
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    minus, plus = (" ".join(line for sign, line in change if sign == x) for x in "-+")
    return f"  {module}.{function} {number}: {minus}  ->  {plus}"


def row(name: str, count: Counter[str], columns: list[str]) -> list[str]:
    """One line of the table."""
    every = sum(count.values())
    return [name, str(every), str(every - count["left out"]), *(str(count[x]) for x in columns)]


def show(directory: Path, only: list[str]) -> None:
    """Print each survivor with its change and the reason."""
    for name, result in json.loads((directory / "results.json").read_text()).items():
        if not result.startswith("killed") and any(fnmatch.fnmatch(name, pattern) for pattern in only):
            change = changed(name, directory)
            print(f"{name} ({result}; {reason(name, change) or 'no reason'})")
            for sign, line in change:
                print(f"    {sign} {line}")


def changed(name: str, directory: Path) -> list[tuple[str, str]]:
    """The lines that a mutant takes away and adds."""
    module, _, mutant = name.rpartition(".")
    path = directory / "mutants" / Path("src", *module.split(".")).with_suffix(".py")
    if path not in CACHE:
        source = path.read_text(encoding="utf-8")
        functions = {node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
        CACHE[path] = source.split("\n"), functions
    lines, functions = CACHE[path]
    first, second = (
        [line.replace(f"def {x}(", "def (") for line in lines[functions[x].lineno - 1 : functions[x].end_lineno]]
        for x in (re.sub(r"_\d+$", "_orig", mutant), mutant)
    )
    both = difflib.unified_diff(first, second, lineterm="", n=0)
    return [(line[0], line[1:].strip()) for line in both if line[0] in "+-" and not line.startswith(("+++ ", "--- "))]


CACHE: dict[Path, Any] = {}

#: why a mutant may survive, in the order in which the reasons are tried
REASONS = {
    "guard": "`strict=` of `zip` makes a slip in the code an error. The lengths are equal, and nothing changes.",
    "wording": "Words of a message, or the name in it, of which the tests look at a part.",
    "type": "A type or a copy that NumPy makes the same without being told, or makes of it a line later.",
    "speed": "A cost, a block, a guess, or where the search for a good tilt goes: any is right, one is quick.",
    "close": "`<` or `<=`, and on the boundary either branch is right.",
    "either": "Which of two right ways is taken, by size: a window or a sort, int64 or Python integers.",
    "same": "The same value by another way, or a case that cannot occur.",
    "room": "Part of a bound, with more room than the change takes: wider and right, or smaller and unproved.",
    "far below": "Part of a bound that is far below its other parts in double precision: gone, it is unproved.",
}
#: reasons given by hand: function, number and change
BY_HAND = {
    "either": r"counting\.(count_tests (31|33|34):|count_scores 7:|sum_groups|_distinct_rows|_count_keys)"
    r"|_Window\.(__init__|add)|from_score_rows (35|37|38|44):|integers\.(dot|total) |lattice\._subtract_multiples 4:"
    r"|_on_a_line 25:|auto\.candidates 35:|_Table\.sums 107:|Fourier\.obstacle 4[04]:|base\.log_fraction (7|10|24):"
    r"|_log_complement 11:|_squares 3:|_Plan\.bytes",
    "same": r"counting\.(canonical 45|count_tests (19|23|82|108|110|111)|count_scores 4[689]|_sort 18)"
    r"|_Window\._reaches|lattice\.(_coordinates 31|_positive 6|_reduce_above_pivots 3|reduce (19|26)):"
    r"|bracket\._thresholds 2:|fourier\._closed_form 1:|islands 16:|Tilt\.windows 87:|effects\._numbers 12:"
    r"|auto\.candidates (8|83):|Piece\.combine 10:|_bounds 98:|support\._last (2|34):|torus\._tail 2:",
    "speed": r"Tilt\.windows (39|107):|_survivors (7|21):|Signs\.ordered|selberg\.expectation (113|95):"
    r"|_upper_tail 46:|control_variate\._threshold|_dominated 6:|support\._bound (45|51):|_decorrelated"
    r"|torus_dominant\._scales|covariance 2:|_thresholds 85:|bracket\._inverted 24:|WrappedLaw\.around (11|25):"
    r"|Tilted\.reach 17:|_lump 31:|slab_sum 13:|live_support 6:",
    "room": r"Bounds\.(times 24|complement 15):|_bounds 3[26]:|_Table\.sums (72|95):|outward 1:|weighted_sum 46:"
    r"|_Total\.add (18|20|34):|_survivors 3:|_series 91:|_transform_errors|_weight_of_all|Tilted\.reach 33:"
    r"|exponent_error 25:|characteristic 77:|_invert 100:|to_thresholds 26:|_whole_count 13:|_law_error 14:"
    r"|transform_error 6:|excess 7[26]:|support\._last (20|30):|half_line_sum 57:|slab_sum 46:|log_mass_outside",
    "far below": r"bracket\._inverted 4[15]:|cumulant (56|62):|WrappedLaw\.around (54|70):|_invert 130:"
    r"|live_support 32:|exponent 21:|WrappedLaw\.around 21:",
}


def reason(name: str, change: list[tuple[str, str]]) -> str:
    """The key of the reason why a mutant survives, by the look of it; nothing if it has none of these looks."""
    function = re.sub(r"__mutmut_\d+$", "", name).rpartition(".")[2]
    minus, plus = (" ".join(line for sign, line in change if sign == x) for x in "-+")
    if "strict=" in minus and re.sub(r",? strict=\w+|, (?=\))", "", minus) == re.sub(
        r",? strict=\w+|, (?=\))", "", plus
    ):
        return "guard"
    if unquoted(minus) == unquoted(plus):
        return "wording"
    if untyped(minus) == untyped(plus):
        return "type"
    if QUICK.search(f"{name.split('.')[-2]}.{function}"):
        return "speed"
    if re.sub(r"([<>])=", r"\1", minus) == re.sub(r"([<>])=", r"\1", plus):
        return "close"
    line = line_of(name, change)
    return next((key for key, pattern in BY_HAND.items() if re.search(pattern, line)), "")


def unquoted(text: str) -> str:
    """Without what stands in quotes, and without a name that was one."""
    text = re.sub(r"""f?"[^"]*"|f?'[^']*'""", "Q", text)
    return re.sub(r"(integer_array|whole|_checked)\((.*?), (Q|None)\)", r"\1(\2, Q)", text)


def untyped(text: str) -> str:
    """Without types of arrays."""
    text = re.sub(r",? (dtype|copy|casting)=[\w.\"]+|, (?=\))", "", text)
    return re.sub(r"\.astype\([^()]*\)", "", text)


if __name__ == "__main__":
    main()
