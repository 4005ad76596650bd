"""Make qrels and two runs, and what trec_eval, ir_measures and pytrec_eval say of them.

    pip install 'ir_measures==0.4.3' pytrec-eval-terrier
    python tests/sources/make/ir.py path/to/trec_eval

The binary of trec_eval is built from its sources, github.com/usnistgov/trec_eval. Relevance and scores are drawn at
random, with ties, a negative relevance, documents that nobody judged, and a topic without a relevant document. In the
folder trec_run one run lacks a query, and answers one that the qrels do not have.
"""

import json
import random
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import ir_measures
import pytrec_eval
from saved import save_case

DATA = Path(__file__).parents[1] / "data"
QUERIES = [f"q{i}" for i in range(1, 21)]
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG", "Rprec", "Bpref", "Success@3", "AP@5"]
SYSTEMS = {"bm25": 1.0, "dense": 0.6}


def judged(rng):
    qrels = {q: {f"d{d}": rng.choice([0, 0, 0, 1, 1, 2]) for d in rng.sample(range(60), 25)} for q in QUERIES}
    qrels["q3"] = dict.fromkeys(qrels["q3"], 0)
    qrels["q4"][next(iter(qrels["q4"]))] = -1
    return qrels


def retrieved(qrels, rng, quality):
    run = {}
    for query, relevance in qrels.items():
        documents = rng.sample(range(70), 40)
        scores = {f"d{d}": quality * relevance.get(f"d{d}", 0) + rng.gauss(0, 1) for d in documents}
        run[query] = {d: round(score, 1) for d, score in scores.items()}  # so that some are equal
    return run


def write_run(path, run, tag):
    with path.open("w", encoding="utf-8") as file:
        for query, scores in run.items():
            for rank, (document, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), 1):
                file.write(f"{query} Q0 {document} {rank} {score} {tag}\n")


def save(folder, files, scores, asked, **facts):
    """A case of this metric, and the same scores by the others."""
    first, *rest = asked
    facts = {"systems": list(SYSTEMS), "items": len(QUERIES), "files": files, "metric": first, **facts}
    save_case(DATA / folder, scores=scores[first], others={measure: scores[measure] for measure in rest}, **facts)


def make_runs(folder, runs):
    """The runs as they are, scored by ir_measures, which counts queries without results as 0."""
    for name, run in runs.items():
        write_run(folder / f"{name}.run", run, name)
    parsed = [ir_measures.parse_measure(measure) for measure in MEASURES]
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    scores = {measure: {} for measure in MEASURES}
    for name in runs:
        run = ir_measures.read_trec_run(str(folder / f"{name}.run"))
        for measure, value in ir_measures.calc_aggregate(parsed, qrels, run).items():
            scores[str(measure)][name] = value
    made_by = f"random runs; scored by ir_measures {version('ir_measures')}"
    facts = {"format": "trec-run", "gold": "qrels.txt", "options": {"metrics": MEASURES}, "made_by": made_by}
    save("trec_run", [f"{name}.run" for name in runs], scores, MEASURES, **facts)


def make_trec_eval(binary, qrels, paths):
    folder, scores = DATA / "trec_eval", {}
    for name, path in paths.items():
        said = subprocess.run([binary, "-q", qrels, path], capture_output=True, text=True, check=True).stdout
        (folder / f"{name}.txt").write_text(said, encoding="utf-8")
        for measure, query, value in (line.split("\t") for line in said.splitlines()):
            if query == "all" and measure.rstrip() in ("map", "ndcg_cut_10", "P_10", "recip_rank", "Rprec"):
                scores.setdefault(measure.rstrip(), {})[name] = float(value)
    facts = {"format": "trec-eval", "rounded": 1e-4, "made_by": "trec_eval 10.0-rc3 -q on random runs"}
    save("trec_eval", [f"{name}.txt" for name in paths], scores, ["map", *(m for m in scores if m != "map")], **facts)


def make_ir_measures(qrels, paths):
    asked = ["nDCG@10", "AP", "P@5"]
    for kind, options in (("tsv", ["-q"]), ("jsonl", ["-q", "-o", "jsonl"])):
        folder, scores = DATA / f"ir_measures_{kind}", {measure: {} for measure in asked}
        for name, path in paths.items():
            command = [sys.executable, "-m", "ir_measures", qrels, path, *asked, *options]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            (folder / f"{name}.{kind}").write_text(said, encoding="utf-8")
            for line in said.splitlines():
                query, measure, value = json.loads(line).values() if kind == "jsonl" else line.split("\t")
                if query in ("all", None):
                    scores[measure][name] = float(value)
        made_by = f"ir_measures {version('ir_measures')} {' '.join(options)} on random runs"
        rounded = {"rounded": 1e-4} if kind == "tsv" else {}
        save(
            folder.name, [f"{n}.{kind}" for n in paths], scores, asked, format="ir-measures", made_by=made_by, **rounded
        )


def make_pytrec_eval(qrels, runs):
    asked, scores = ["map", "ndcg_cut_10", "P_5"], {}
    for name, run in runs.items():
        found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10", "P.5"}).evaluate(run)
        (DATA / "pytrec_eval" / f"{name}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
        for measure in asked:
            values = [values[measure] for values in found.values()]
            scores.setdefault(measure, {})[name] = pytrec_eval.compute_aggregated_measure(measure, values)
    made_by = f"pytrec_eval-terrier {version('pytrec_eval-terrier')} on random runs"
    save("pytrec_eval", [f"{n}.json" for n in runs], scores, asked, format="pytrec-eval", made_by=made_by)


def main(binary):
    for name in ("trec_run", "trec_eval", "ir_measures_tsv", "ir_measures_jsonl", "pytrec_eval"):
        (DATA / name).mkdir(exist_ok=True)
    rng = random.Random(9)
    qrels = judged(rng)
    runs = {name: retrieved(qrels, rng, quality) for name, quality in SYSTEMS.items()}
    lines = [f"{query} 0 {d} {relevance}\n" for query, documents in qrels.items() for d, relevance in documents.items()]
    path = DATA / "trec_run" / "qrels.txt"
    path.write_text("".join(lines), encoding="utf-8")
    with tempfile.TemporaryDirectory() as there:
        paths = {name: Path(there) / f"{name}.run" for name in runs}
        for name, run in runs.items():
            write_run(paths[name], run, name)
        make_trec_eval(binary, path, paths)
        make_ir_measures(path, paths)
    make_pytrec_eval({q: {d: max(r, 0) for d, r in documents.items()} for q, documents in qrels.items()}, runs)
    runs["dense"]["q99"] = runs["dense"].pop("q7")
    make_runs(DATA / "trec_run", runs)


if __name__ == "__main__":
    main(sys.argv[1])
