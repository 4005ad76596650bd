"""Progress says what is known, and changes nothing."""

import gzip
import io
import itertools

import exactperm as xp
from exactperm.answers import AT_ONCE, TESTED
from exactperm.cli.progress import Progress
from exactperm.sources import Source
from exactperm.sources.database import COUNTED
from exactperm.sources.files import OPENED


def test_bytes_of_the_file_that_was_opened(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"x" * 1_000_000)
    watch = Progress()
    token = OPENED.set(watch.opened)
    try:
        with Source(str(path)).open() as file:
            file.read(500_000)
            doing, done, total = watch.where()
    finally:
        OPENED.reset(token)
    assert (doing, total) == (f"reading {path}", 1_000_000)
    assert 500_000 <= done < 500_000 + 2 * io.DEFAULT_BUFFER_SIZE
    assert watch.where() == ("matching items", 0, 0)  # once it is closed


def test_a_compressed_file_is_measured_as_it_lies_on_the_disk(tmp_path):
    path = tmp_path / "long.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"x" * 1_000_000)
    watch = Progress()
    token = OPENED.set(watch.opened)
    try:
        with Source(str(path)).open() as file:
            assert len(file.read()) == 1_000_000
            assert watch.where()[1:] == (path.stat().st_size, path.stat().st_size)
    finally:
        OPENED.reset(token)


def test_stages():
    watch = Progress()
    assert watch.where() == ("waiting for input", 0, 0)
    watch.tested(3, 10)
    assert watch.where() == ("testing", 3, 10)
    watch.say("comparing")
    assert watch.where() == ("comparing", 0, 0)


def test_percents_of_a_database():
    watch = Progress()
    watch.counted(lambda: 42.7)
    assert watch.where() == ("counting rows", 42, 100)
    watch.counted(lambda: -1.0)  # DuckDB does not know yet
    assert watch.where() == ("counting rows", 0, 0)
    watch.say("comparing")
    assert watch.where() == ("comparing", 0, 0)


def test_a_table_that_is_counted_says_how_far_it_is(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("x,y\n" + "1,0\n" * 50)
    told = []
    token = COUNTED.set(told.append)
    try:
        xp.read(str(path), memory_limit="300MB")
    finally:
        COUNTED.reset(token)
    (percent,) = told
    assert percent() == 0  # it is over


def test_reports_come_in_order_and_change_no_bit():
    systems = {f"s{i}": [(i * k * k) % 7 for k in range(1, 60)] for i in range(1, 9)}
    reports = []
    expected = xp.compare(systems)
    token = TESTED.set(lambda done, total: reports.append((done, total)))
    try:
        result = xp.compare(systems)
    finally:
        TESTED.reset(token)
    assert result.to_dict() == expected.to_dict()
    asked = reports[0][1]
    assert 2 * AT_ONCE > asked > AT_ONCE
    assert reports == [(0, asked), (AT_ONCE, asked)]
    assert len(list(itertools.combinations(systems, 2))) >= asked
