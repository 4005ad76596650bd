"""Workers that are lost in the middle of a Spark job: Spark repeats what they did, or there is an error."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import exactperm
from exactperm import Effects

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or shutil.which("java") is None, reason="needs pyspark and Java"
)
TREE = str(Path(exactperm.__file__).parents[1])
ROWS = 20_000
#: counts a frame, one task of which loses its Python worker or its executor, once for each mark that is not there yet
PROGRAM = """
import json, os, signal, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
from exactperm import Effects
from exactperm.effects_file import to_json

master, lost, marks, times = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])

def losing(batches):
    from pyspark import TaskContext
    for batch in batches:
        yield batch
        if TaskContext.get().partitionId() != 3:
            continue
        for i in range(times):
            try:
                os.close(os.open(f"{marks}/{i}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid() if lost == "worker" else parent(os.getppid()), signal.SIGKILL)
            time.sleep(60)

session = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
session = session.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
session = session.config("spark.sql.shuffle.partitions", "2").config("spark.executorEnv.PYTHONPATH", sys.argv[5])
session = session.getOrCreate()
session.sparkContext.setLogLevel("OFF")
rows = session.range(0, ROWS, 1, 6).selectExpr(
    "cast(id % 7 as short) as x", "cast(id % 5 as short) as y", "id % 1000 as doc"
)
rows = rows.mapInArrow(losing, rows.schema)
print(to_json(Effects.from_frame(rows, a="x", b="y", group="doc")))
""".replace("ROWS", str(ROWS))


def count(folder, master, lost, times):
    environment = {**os.environ, "PYTHONPATH": TREE, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-c", PROGRAM, master, lost, str(folder), str(times), TREE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, check=False)
    return done, len(list(folder.iterdir()))


def expected():
    import numpy as np

    row = np.arange(ROWS)
    return Effects.from_scores(row % 7, row % 5, row % 1000)


@pytest.mark.parametrize(
    ("master", "lost"), [("local[2,4]", "worker"), ("local-cluster[2,1,1024]", "executor")], ids=["worker", "executor"]
)
def test_what_a_lost_worker_did_is_done_again(tmp_path, master, lost):
    from exactperm.effects_file import from_json

    done, losses = count(tmp_path, master, lost, 1)
    assert done.returncode == 0, done.stderr[-2000:]
    assert losses == 1
    assert from_json(done.stdout) == expected()


def test_a_worker_that_is_lost_each_time_is_an_error(tmp_path):
    done, losses = count(tmp_path, "local[2,2]", "worker", 9)
    assert (done.returncode, done.stdout, losses) == (1, "", 2)
    assert "Python worker exited unexpectedly" in done.stderr
