"""What `read` is given: paths, patterns and gold standards; names of systems; files that cannot be read."""

import gzip
import re

import pytest
from written import written

import exactperm as xp
from exactperm.sources import Source, SourceError, registry
from exactperm.sources.align import align
from exactperm.sources.answers import collect
from exactperm.sources.base import Record

TABLE = "id,score\nx,1\ny,2\n"
QRELS = "q1 0 d1 1\n"
RUN = "q1 Q0 d1 1 2 x\n"


def files(folder, **texts):
    """Write files, whose names are given with _ for the dot."""
    paths = {name: folder / name.replace("_", ".") for name in texts}
    for name, text in texts.items():
        paths[name].write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(map(str, paths.values()))


@pytest.mark.parametrize(
    ("paths", "options", "error", "message"),
    [
        ([], {}, TypeError, "read needs one or more paths"),
        ([[1, 2], [3, 4]], {}, TypeError, "a path is a string or a Path, not [1, 2]; systems in memory go to compare"),
        (["a"], {"epochs": "last"}, ValueError, "epochs must be one of None, 'first', 'min'; not 'last'"),
        (["a"], {"missing": "drop"}, ValueError, "missing must be one of 'raise', 'omit'; not 'drop'"),
        (["no/such/*.csv"], {}, SourceError, "no/such/*.csv: no file matches this pattern; check it, and quote it for"),
    ],
)
def test_wrong_arguments_are_named(paths, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        xp.read(*paths, **options)


def test_files_of_a_pattern_are_of_one_kind(tmp_path):
    files(tmp_path, part1_csv=TABLE, part2_csv="q1\tAP\t0.5\nq2\tAP\t0.25\n")
    with pytest.raises(
        SourceError, match=r"part2\.csv: this file is in the format ir-measures, but .*part1\.csv, of the"
    ):
        xp.read(str(tmp_path / "part*.csv"))


def test_gold_standards_that_a_format_does_not_take(tmp_path):
    table, run, *qrels = files(tmp_path, a_csv=TABLE, a_run=RUN, one_txt=QRELS, two_txt=QRELS)
    with pytest.raises(SourceError, match=r"one\.txt: files of the format csv hold their own gold standard; leave out"):
        xp.read(table, gold=qrels[0], format="csv")
    with pytest.raises(SourceError, match=r"two\.txt: files of the format trec-run have one gold standard; give one"):
        xp.read(run, gold=qrels)


def test_systems_that_no_folder_tells_apart_have_to_be_named(tmp_path):
    first, second = files(tmp_path, x_csv=TABLE, x_tsv=TABLE.replace(",", "\t"))
    with pytest.raises(
        SourceError, match=r"x\.tsv: a system is called x, and one in .*x\.csv is too; name the systems"
    ):
        xp.read(first, second)
    assert xp.read(first, {"y": second}).systems == ("x", "y")


def test_a_reader_gives_a_group_to_all_items_or_to_none(tmp_path):
    source, answers = Source(str(written(tmp_path, a=TABLE)["a"])), {}
    for name in "ab":
        records = [Record("x", {"score": 1}, group="g"), Record("y", {"score": 0})]
        collect(source, registry.get("lm-eval"), records, name, answers)
    with pytest.raises(SourceError, match=r"a\.txt: 1 items have no group: 'y'; give all one"):
        align(list(answers.values()), epochs=None, missing="raise", check=True)


# -- files that cannot be read ---------------------------------------------------------------------------------

LONG = "id,A,B\n" + "".join(f"{i},1,{i * i % 7919}\n" for i in range(30_000))


@pytest.mark.parametrize("kept", [40, 50_000])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_compressed_file_that_was_cut(tmp_path, ending, kept):
    """In the part from which the format is recognised, or later."""
    text = LONG if ending == "csv" else "".join(f'{{"A": {i * i % 7919}, "B": {i}}}\n' for i in range(30_000))
    [path] = files(tmp_path, **{f"x_{ending}_gz": gzip.compress(text.encode(), mtime=0)[:kept]})
    with pytest.raises(
        SourceError, match=r"gz: cannot be read to its end \(Compressed file ended .*\); is the file comp"
    ):
        xp.read(path)


def test_a_name_that_is_too_long_for_a_file():
    with pytest.raises(SourceError, match=r"cannot be opened \(File name too long\); check the path"):
        xp.read("x" * 300)
