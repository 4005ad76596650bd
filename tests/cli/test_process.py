"""The command in a process of its own: streams, signals, encodings, colour, exit codes."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import exactperm

TREE = str(Path(exactperm.__file__).parents[1])
COLOUR_SETTINGS = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "COLUMNS"}
# what is printed reaches the reader as it does for users: Python may keep it back until the end
INHERITED = {key: value for key, value in os.environ.items() if key not in COLOUR_SETTINGS | {"PYTHONUNBUFFERED"}}
COMMAND = [sys.executable, "-m", "exactperm"]


def environment(**more):
    return INHERITED | {"PYTHONPATH": TREE, "TERM": "xterm-256color"} | more


def run(*arguments, env=None, **options):
    settings = {"capture_output": True, "timeout": 60} | options
    return subprocess.run([*COMMAND, *arguments], check=False, env=environment(**(env or {})), **settings)


@pytest.fixture
def two(samples):
    return [samples("A", 0.9), samples("B", 0.4)]


@pytest.fixture
def many(samples):
    return [samples(f"system-{i:02d}", 0.9 - i / 40) for i in range(20)]


def test_results_and_everything_else_go_different_ways(two):
    done = run("compare", *two, "--gate")
    assert done.returncode == 1
    assert done.stdout.startswith(b"exact_match on 80 items")
    assert done.stderr.splitlines() == [
        b"note: the baseline is A, the first system; --baseline names another",
        b"gate: B is significantly worse than A (exact_match)",
    ]


def test_standard_input(two):
    by_file = run("compare", f"stdin={two[0]}", two[1]).stdout
    with open(two[0], "rb") as file:  # noqa: PTH123
        assert run("compare", "-", two[1], stdin=file).stdout == by_file
    assert run("compare", "-", two[1], input=b"").stderr.startswith(b"standard input: the file is empty")


def test_a_reader_that_has_seen_enough(many):
    """``exactperm compare ... | head -1``: no traceback, and not the exit code of the gate."""
    with subprocess.Popen(
        [*COMMAND, "compare", *many, "--output", "json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_an_interrupt_is_no_answer(two):
    """Waiting for standard input, as with a pipe that never ends."""
    with subprocess.Popen(
        [*COMMAND, "compare", "-", two[1]],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(1.5)  # until it reads; an earlier interrupt is answered alike, if not by us
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (130, -signal.SIGINT)
        assert process.stdout.read() == b""


@pytest.mark.parametrize("settings", [{"LANG": "C", "LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_terminals_that_know_few_characters(two, settings):
    done = run("compare", f"模型={two[0]}", f"naïve={two[1]}", env=settings)
    assert done.returncode == 0
    assert b"is better than" in done.stdout
    plain = run("compare", *two, env=settings)
    assert plain.stdout == run("compare", *two).stdout


@pytest.mark.parametrize("columns", ["40", "200"])
def test_tables_fit(many, columns):
    lines = run("compare", *many, env={"COLUMNS": columns}).stdout.decode().splitlines()
    tabular = [line for line in lines if line.startswith("system") and "difference +" not in line and "has" not in line]
    assert max(map(len, tabular)) <= int(columns)


def on_a_terminal(*arguments, **settings):
    """Whatever the command writes to a terminal, output and errors together."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, *arguments], env=environment(**settings), stdout=theirs, stderr=theirs)
    os.close(theirs)
    chunks = []
    while True:
        try:
            chunk = os.read(ours, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait(60)
    os.close(ours)
    return b"".join(chunks).decode()


def test_colour_is_for_terminals_that_want_it(two):
    green = "\x1b[32m"
    assert green in on_a_terminal("compare", *two)
    assert green not in on_a_terminal("compare", *two, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal("compare", *two, TERM="dumb")
    assert b"\x1b" not in run("compare", *two).stdout


def test_a_bug_has_an_exit_code_of_its_own(tmp_path, two):
    """Not 1, which is an answer, nor 2, which blames the input."""
    (tmp_path / "sitecustomize.py").write_text(
        "import exactperm.sources.registry as r\nr.recognise = lambda *_: 1 / 0\n", encoding="utf-8"
    )
    done = run("compare", *two, "--gate", env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{TREE}"})
    assert done.returncode == 70
    assert b"Traceback" in done.stderr
    assert b"ZeroDivisionError" in done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_full_disk_is_one_line(two, form):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = run("compare", *two, "--output", form, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"No space left on device\n"


def test_a_closed_output_is_no_error():
    """As of a daemon: what is said is lost, and the exit code is right."""
    for arguments, code in ((["metrics"], 0), (["compare", "nothere.csv"], 2)):
        shell = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *arguments]
        done = subprocess.run(shell, check=False, env=environment(), capture_output=True, timeout=60)
        assert (done.returncode, b"Traceback" in done.stderr) == (code, False)


def test_progress_is_for_terminals(tmp_path, two):
    (tmp_path / "sitecustomize.py").write_text(
        "import exactperm.cli.progress as p, exactperm.sources.align as a, time\n"
        "p.PATIENCE = 0.0\n"
        "align = a.align\n"
        "def slow(*args, **options):\n    time.sleep(1)\n    return align(*args, **options)\n"
        "import exactperm.sources.read as r\nimport sys\nsys.modules['exactperm.sources.read'].align = slow\n",
        encoding="utf-8",
    )
    path = f"{tmp_path}{os.pathsep}{TREE}"
    shown = on_a_terminal("compare", *two, PYTHONPATH=path)
    assert re.search(r"matching items \d+ s", shown)
    assert "\x1b[2K" in shown.partition("exact_match on")[0]  # erased before the results
    assert "matching" not in on_a_terminal("compare", *two, "--quiet", PYTHONPATH=path)
    piped = run("compare", *two, env={"PYTHONPATH": path})
    assert piped.stderr == b""
    assert piped.stdout == run("compare", *two).stdout
