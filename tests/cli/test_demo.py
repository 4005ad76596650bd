import csv
import os
import re
import subprocess
import sys
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

import exactperm
from exactperm.cli.app import app

# From exact integer arithmetic; `test_the_data_has_the_known_p_value` repeats it.
EXACT = 0.0082094272439542702737


def test_demo_prints_the_exact_answer():
    output = CliRunner().invoke(app, ["demo"], catch_exceptions=False).stdout
    assert re.search(rf"^p-value +{EXACT:.12g}, two-sided$", output, re.MULTILINE)
    assert "+0.153" in output  # 153 words in 1000 sentences
    assert "fourier" in output


def test_the_data_has_the_known_p_value():
    """The slow obvious algorithm: the number of sign vectors for each sum, in integers."""
    with (files("exactperm.cli") / "demo.csv").open(encoding="utf-8", newline="") as file:
        differences = [int(row["A"]) - int(row["B"]) for row in csv.DictReader(file)]
    assert (len(differences), sum(differences)) == (1000, 153)
    counts = {0: 1}
    for d in map(abs, filter(None, differences)):
        longer = {}
        for total, count in counts.items():
            for moved in (total - d, total + d):
                longer[moved] = longer.get(moved, 0) + count
        counts = longer
    extreme = sum(count for total, count in counts.items() if abs(total) >= 153)
    assert float(Fraction(extreme, sum(counts.values()))) == pytest.approx(EXACT, rel=1e-15, abs=0)


def test_version():
    output = CliRunner().invoke(app, ["--version"], catch_exceptions=False).stdout
    assert output == f"exactperm {exactperm.__version__}\n"


def run(*arguments, **environment):
    """The command in a process of its own, with only these settings of colour."""
    inherited = {k: v for k, v in os.environ.items() if k not in COLOUR_SETTINGS}
    tree = str(Path(exactperm.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "exactperm", *arguments],
        env=inherited | {"PYTHONPATH": tree, "TERM": "xterm-256color"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


COLOUR_SETTINGS = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"}
ESCAPE = "\x1b["


def test_output_has_colour_only_when_it_may():
    assert ESCAPE not in run("demo").stdout
    assert "\x1b[36m" in run("demo", FORCE_COLOR="1").stdout
    assert "\x1b[36m" not in run("demo", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_an_unknown_command_is_bad_input():
    done = run("dmeo")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "dmeo" in done.stderr
    assert "Traceback" not in done.stderr
