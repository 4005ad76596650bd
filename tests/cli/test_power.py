"""exactperm power: the same answers as in Python, a curve that fits, and one line for bad input."""

import json

import pytest

import exactperm as xp

STATED = ["--p-a", "0.81", "--p-b", "0.79", "--agreement", "0.9"]


def test_stated_accuracies_as_a_table_with_bars(invoke):
    done = invoke("power", *STATED, "--n", "500,1000,2000")
    assert (done.exit_code, done.stderr) == (0, "")
    expected = xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[500, 1000, 2000], rng=0)
    lines = done.stdout.splitlines()
    assert lines[2:6] == [
        "items   power  0                                                 1",
        "  500  0.2496  |" + 12 * "#",
        "1,000  0.4787  |" + 24 * "#",
        "2,000  0.7915  |" + 40 * "#",
    ]
    assert lines[7:] == [expected.verdict, "", expected.signature]
    assert done.stdout.isascii()


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_bars_fit_the_width(invoke, columns):
    table = invoke("power", *STATED, "--n", "500,100000", columns=columns).stdout.splitlines()[2:5]
    assert max(map(len, table)) <= columns


def test_a_pilot_from_files(samples, invoke):
    files = samples("A", 0.8), samples("B", 0.6)
    done = invoke("power", *files, "--n", "100", "--output", "json", "--alternative", "greater", "--alpha", "0.01")
    test = xp.compare(xp.read(*files)).pairs[0]
    expected = xp.power(test, n=[100], alternative="greater", alpha=0.01, rng=0)
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    grouped = invoke("power", *files, "--n", "100", "--group", "doc.subject", "--simulations", "60", "--output", "csv")
    assert grouped.stdout.splitlines()[1].startswith("100,25,")


@pytest.mark.parametrize("output", ["latex", "markdown", "csv"])
def test_forms(invoke, output):
    expected = xp.power(p_a=0.81, p_b=0.79, agreement=0.9, n=[500, 1000])
    text = {"latex": expected.to_latex, "markdown": expected.to_markdown, "csv": expected.to_csv}[output]()
    assert invoke("power", *STATED, "--n", "500,1000", "--output", output).stdout.rstrip() == text.rstrip()


def test_sample_size_and_difference(invoke):
    size = invoke("power", *STATED, "--power", "0.8", "--output", "json").stdout
    assert json.loads(size)["n"] == 2043
    least = invoke("power", "--agreement", "0.9", "--n", "1000", "--power", "0.8", "--output", "json").stdout
    assert json.loads(least)["difference"] == xp.detectable_difference(agreement=0.9, n=1000).difference


def test_two_of_several_systems(samples, invoke, refuses):
    files = samples("A", 0.9), samples("B", 0.5), samples("C", 0.3)
    refuses("power", *files, "--n", "9", match="these files have A, B, C: choose with --a and --b")
    refuses("power", *files, "--n", "9", "--a", "D", "--b", "B", match="'D' is none of the systems; they are A, B, C")
    done = invoke("power", *files, "--a", "C", "--b", "A", "--n", "50", "--output", "json")
    expected = xp.power(xp.compare(xp.read(files[2], files[0])).pairs[0], n=[50], rng=0)
    assert json.loads(done.stdout)["power"] == expected.power.tolist()


def test_bad_input(refuses):
    refuses("power", "--n", "9", match="give the files of a pilot, or --p-a, --p-b and --agreement")
    refuses("power", *STATED, match="give --n, numbers of items for their power, or --power")
    refuses("power", *STATED, "--n", "ten", match="--n takes whole numbers with commas between them.*'ten'")
    refuses("power", *STATED, "--n", "1,2", "--power", "0.8", match="--power with --n")
    refuses("power", *STATED[:4], "--agreement", "0.99", "--n", "9", match="lies between 0.6 and 0.98")
    refuses("power", *STATED, "--n", "0", match="n must be between 1 and")
    refuses("power", *STATED, "--n", "9", "--alpha", "2", match="--alpha must be between 0 and 1")
