"""exactperm compare: the same answers as in Python, in every form, and one line for bad input."""

import csv
import io
import json
import random
from fractions import Fraction

import pytest

import exactperm as xp
from exactperm.sources import registry


@pytest.fixture
def three(samples):
    return [samples("good", 0.9), samples("fair", 0.7), samples("poor", 0.4)]


def test_two_systems(samples, invoke):
    files = samples("A", 0.9), samples("B", 0.4)
    (pair,) = xp.compare(xp.read(*files)).pairs
    done = invoke("compare", *files)
    assert (done.exit_code, done.stderr) == (0, "")
    record = f"{pair.wins}-{pair.losses}-{pair.ties}"
    assert done.stdout.splitlines() == [
        "exact_match on 80 items, read as lm-eval",
        "",
        "system  exact_match  tier",
        f"A            {pair.scores[0]:.4f}  a",
        f"B            {pair.scores[1]:.4f}  b",
        "",
        "system  against  difference        p  won-lost-tied  outcome",
        f"A       B         {pair.statistic:>+10.5f}  {pair.pvalue:.1e}  {record:>13}  better".replace(
            "B   ", "B  ", 1
        ),
        "",
        pair.verdict,
        "",
        pair.signature,
    ]


def test_json_is_what_python_says(three, invoke):
    done = invoke("compare", *three, "--output", "json", "--correction", "by", "--alpha", "0.01")
    expected = xp.compare(xp.read(*three), correction="by", alpha=0.01)
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    assert json.loads(done.stdout)["schema"] == 1


def test_csv_has_every_pair_with_all_digits(three, invoke):
    done = invoke("compare", *three, "--output", "csv", "--metric", "exact_match", "--metric", "length")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    expected = xp.compare(xp.read(*three), metric=["exact_match", "length"])
    pairs = [pair for comparison in expected.values() for pair in comparison.pairs]
    assert [(row["metric"], row["a"], row["b"]) for row in rows] == [(p.metric, p.a, p.b) for p in pairs]
    assert [float(row["pvalue"]) for row in rows] == [p.pvalue for p in pairs]
    assert [float(row["pvalue_adjusted"]) for row in rows] == [p.pvalue_adjusted for p in pairs]


@pytest.mark.parametrize("output", ["latex", "markdown"])
def test_tables_for_a_paper(three, invoke, output):
    expected = xp.compare(xp.read(*three))
    text = expected.to_latex() if output == "latex" else expected.to_markdown()
    assert invoke("compare", *three, "--output", output).stdout == text + "\n"


def test_options_reach_what_they_are_for(samples, invoke):
    twice = [
        samples(name, share, metrics=["loss"], loss=lambda i, s=share: (i * s) % 3, filter=lambda i: "xy"[i % 2])
        for name, share in (("A", 2), ("B", 5))
    ]
    named = [f"first={twice[0]}", f"second={twice[1]}"]
    options = ["--filter", "y", "--lower-is-better", "--alternative", "less", "--group", "doc.subject"]
    done = invoke("compare", *named, *options, "--output", "json", "--baseline", "first")
    scores = xp.read({"first": twice[0], "second": twice[1]}, filter="y", group="doc.subject")
    expected = xp.compare(scores, baseline="first", alternative="less", higher_is_better=False)
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    assert expected.higher_is_better is False
    assert expected.pairs[0].n_groups == 20


def test_a_margin_is_exact_and_reaches_the_test(three, invoke):
    options = ["--baseline", "good", "--margin", "1/3", "--alternative", "greater"]
    done = invoke("compare", *three, *options, "--output", "json")
    expected = xp.compare(xp.read(*three), baseline="good", alternative="greater", margin=Fraction(1, 3))
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    assert "|margin:1/3|" in expected.signature
    shown = invoke("compare", *three, *options).stdout
    assert "within margin" in shown
    assert "Shown to be not worse than good by more than 0.333333333333: " in shown


def test_a_pattern_is_one_system(samples, invoke, tmp_path):
    for name in ("a1", "a2", "b1", "b2"):
        samples(name)
    done = invoke("compare", f"A={tmp_path}/a*.jsonl", f"B={tmp_path}/b*.jsonl", "--no-check", "--output", "json")
    # without the names that the tool gives them, the parts of A and B are not parts of the same test set
    assert done.exit_code == 2
    assert "items are missing for A" in done.stderr


def test_standard_input(samples, invoke):
    files = samples("A", 0.9), samples("B", 0.4)
    with open(files[0], "rb") as file:  # noqa: PTH123
        content = file.read()
    expected = invoke("compare", f"stdin={files[0]}", files[1], "--output", "csv").stdout
    assert expected.count("stdin") > 0
    # CliRunner's standard input is no file, but bytes all the same
    assert invoke("compare", "-", files[1], "--output", "csv", input=content).stdout == expected


def test_samplers_are_seeded(samples, invoke):
    files = samples("A"), samples("B")
    sampled = ["--method", "monte-carlo", "--samples", "2000", "--output", "csv"]
    first, again, other = (invoke("compare", *files, *sampled, *more).stdout for more in ([], [], ["--seed", "1"]))
    assert first == again != other
    assert "seed:0|n_resamples:2000" in first
    assert "~" in invoke("compare", *files, *sampled[:4]).stdout


def test_sampling_is_said_on_standard_error(samples, invoke):
    pytest.importorskip("sacrebleu")
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree"]

    def texts(name, share):
        """References of ten words, and hypotheses of other lengths that have some of them wrong."""
        draw = random.Random(name)
        gold = [random.Random(i).choices(words, k=10) for i in range(80)]
        said = [
            [w for w in text if draw.random() < share for w in [w, draw.choice(words)][: draw.randint(1, 2)]]
            for text in gold
        ]
        pairs = [[" ".join(x), " ".join(y)] for x, y in zip(gold, said, strict=True)]
        return samples(name, metrics=["bleu"], bleu=pairs.__getitem__)

    files = texts("A", 0.8), texts("B", 0.7)
    done = invoke("compare", *files, "--samples", "500")
    assert done.stderr.startswith("warning: no exact engine can answer this")
    assert done.stderr.count("\n") == 1
    assert "not exact (control-variate)" in done.stdout
    assert invoke("compare", *files, "--samples", "500", "--quiet").stderr == ""


def test_several_references(tmp_path, invoke):
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = {
        "a": ["the cat sat there today", "a dog ran by the tree"],
        "b": ["the cat ran here today", "one dog sat by a tree"],
        "r": ["the cat sat here today", "one dog ran by a tree"],
        "s": ["a cat sat there today", "a dog ran by the tree"],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / name) for name in texts]
    golds = ["--gold", files[2], "--gold", files[3]]
    found = json.loads(invoke("compare", *files[:2], *golds, "--metric", "bleu", "--output", "json").stdout)
    expected = sacrebleu.BLEU().corpus_score(texts["a"], [texts["r"], texts["s"]]).score
    assert expected != sacrebleu.BLEU().corpus_score(texts["a"], [texts["s"]]).score
    assert {each["name"]: each["score"] for each in found["systems"]}["a"] == pytest.approx(expected)


# -- the gate --------------------------------------------------------------------------------------------------


def test_the_gate_closes_on_a_system_that_is_worse(three, invoke):
    done = invoke("compare", *three, "--gate")
    assert done.exit_code == 1
    assert "the baseline is good, the first system; --baseline names another" in done.stderr
    assert "gate: poor is significantly worse than good (exact_match)" in done.stderr
    assert json.loads(invoke("compare", *three, "--gate", "--output", "json").stdout)["baseline"] == "good"
    quiet = invoke("compare", *three, "--gate", "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (1, "")


def test_the_gate_stays_open_otherwise(three, invoke):
    assert invoke("compare", *three, "--gate", "--baseline", "poor").exit_code == 0  # they are better
    assert invoke("compare", *three, "--gate", "--baseline", three[2]).exit_code == 0  # by the name of its file
    assert invoke("compare", *three[:2], "--gate", "--alpha", "1e-9").exit_code == 0  # not significant
    assert invoke("compare", *three, "--baseline", "good").exit_code == 0  # no gate
    assert invoke("compare", *three, "--gate", "--alternative", "less").exit_code == 1
    by_length = invoke("compare", *three, "--gate", "--metric", "length")
    assert by_length.exit_code == 0
    assert invoke("compare", *three, "--gate", "--metric", "length", "--metric", "exact_match").exit_code == 1


def test_a_gate_for_better_systems_makes_no_sense(three, refuses):
    refuses("compare", *three, "--gate", "--alternative", "greater", match="^--gate asks .*; leave it out")


def test_a_gate_with_a_margin_makes_no_sense(three, refuses):
    refuses("compare", *three, "--gate", "--margin", "1", match="^--gate asks .*--margin .*; leave one of them out")


# -- bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (["--alpha", "5"], "^--alpha must be between 0 and 1, not 5"),
        (["--method", "fft"], "^--method must be one of auto, .*; not 'fft'"),
        (["--correction", "sidak"], "^--correction must be one of none, .*; not 'sidak'"),
        (["--baseline", "C"], "^--baseline C is none of the systems; they are A, B"),
        (["--samples", "0"], "^--samples must be a positive integer"),
        (["--margin", "-1"], "^--margin must be a positive number in units of the statistic, .* got '-1'"),
        (["--margin", "0"], "^--margin 0 with --alternative two-sided asks whether A and B are equal"),
        (["--tolerance", "0"], "^--tolerance must be a positive number, .* got 0"),
        (["--metric", "f1"], "^these files have no metric 'f1'; they have exact_match, length"),
        (["--metric", "length", "--metric", "length"], "^a metric is named twice"),
        (["--filter", "strict"], r"A.jsonl: there is no filter 'strict'; there is none"),
        (["--group", "topic"], r"A.jsonl:1: no field 'topic' here; there is doc_id, doc, "),
        (["--format", "lmeval"], "^there is no format 'lmeval'; did you mean lm-eval"),
    ],
)
def test_wrong_options_are_one_line(samples, refuses, options, match):
    refuses("compare", samples("A"), samples("B"), *options, match=match)


def test_wrong_files_are_one_line(samples, refuses, tmp_path):
    a, b = samples("A"), samples("B")
    (tmp_path / "empty").write_text("")
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    short = samples("short", items=60)
    lost = samples("lost", exact_match=lambda i: None if i == 7 else 1.0)
    refuses("compare", a, tmp_path / "nowhere", match="nowhere: there is no such file; check the path$")
    refuses("compare", a, tmp_path / "empty", match="empty: the file is empty; give a file")
    refuses("compare", a, tmp_path, match="this is a folder; give the files in it")
    refuses("compare", a, tmp_path / "noise", match="the format was not recognised .*lm-eval.*: not JSON.*--format")
    (tmp_path / "latin").write_bytes("id,A,B\n1,2,3\né,4,5\n".encode("latin-1"))
    refuses("compare", tmp_path / "latin", match="latin:3: byte 1 is not UTF-8; convert the file to UTF-8 first$")
    refuses("compare", a, a, match="A.jsonl: this file is given as a system and as another system")
    refuses("compare", a, match="there is one system here, A; give the file of another one too")
    refuses("compare", f"x={a}", f"x={b}", match="a system is called x, .*NAME=")
    refuses("compare", a, short, match="20 of 80 items are missing for short .* and 15 more; --missing omit leaves")
    refuses("compare", a, lost, match=r"lost.jsonl: lost has no exact_match for 1 of 80 items: 7; --missing omit")
    with open(b, "a") as file:  # noqa: PTH123
        file.write('{"doc_id": 80, ')
    refuses("compare", a, b, match=r"B.jsonl:81: not JSON at column \d+: .*; is the file complete")


def test_missing_scores_can_be_left_out(samples, invoke):
    lost = samples("lost", exact_match=lambda i: None if i < 7 else 1.0)
    done = invoke("compare", samples("A"), lost, "--missing", "omit")
    assert done.exit_code == 0
    assert "items that both have, 73 or more of 80" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["--no-such-option"], ["A", "--epochs", "last"], ["A", "--output", "xml"]])
def test_a_command_line_that_cannot_be_read(invoke, arguments):
    done = invoke("compare", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "exactperm compare --help" in done.stderr


def test_a_bug_is_no_bad_input(samples, invoke, monkeypatch):
    """An operation that fails, be it with a ValueError within this package, keeps its traceback."""
    files = samples("A"), samples("B")
    for broken in (lambda _: [1, 2].index(3), lambda _: int("x"), lambda _: None + 1, lambda _: {}["x"]):
        monkeypatch.setattr(registry, "recognise", broken)
        with pytest.raises((ValueError, TypeError, KeyError)):
            invoke("compare", *files)


def test_a_report_is_written_and_the_rest_stays_the_same(three, invoke, tmp_path):
    path = tmp_path / "out.html"
    plain, done = invoke("compare", *three), invoke("compare", *three, "--report", str(path))
    assert (done.exit_code, done.stdout, done.stderr) == (0, plain.stdout, "")
    assert path.read_text(encoding="utf-8") == xp.compare(xp.read(*three)).to_html()


def test_a_report_by_two_metrics_has_both(three, invoke, tmp_path):
    path = tmp_path / "out.html"
    assert (
        invoke("compare", *three, "--report", str(path), "--metric", "exact_match", "--metric", "length").exit_code == 0
    )
    page = path.read_text(encoding="utf-8")
    assert '<h2 id="m0">exact_match</h2>' in page
    assert '<h2 id="m1">length</h2>' in page


@pytest.mark.parametrize("name", ["out.pdf", "out", "missing/out.html"])
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_read(name, invoke, tmp_path):
    done = invoke("compare", "none.csv", "--report", str(tmp_path / name))
    assert (done.exit_code, done.stdout) == (2, "")
    assert name.rpartition("/")[2] in done.stderr or "missing" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "none.csv" not in done.stderr
    assert list(tmp_path.iterdir()) == []
