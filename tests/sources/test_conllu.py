"""CoNLL-U: which sentences and words are compared, and what is refused."""

import pytest
from written import read, refused

import exactperm as xp


def parse(*words, names=None):
    """Sentences of words "form head relation", separated by None."""
    sentences, lines = [[]], []
    for word in words:
        if word is None:
            sentences.append([])
        else:
            sentences[-1].append(word.split())
    for s, sentence in enumerate(sentences):
        lines += [f"# sent_id = {names[s]}"] if names else []
        for i, (form, head, relation) in enumerate(sentence, 1):
            lines.append("\t".join([str(i), form, *"____", head, relation, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


GOLD = parse("dogs 2 nsubj:pass", "seen 0 root", None, "run 0 root", names=["x", "y"])
RIGHT = {"correct": GOLD}


def score(folder, other, metric="las", gold=GOLD, **more):
    return xp.compare(read(folder, gold, a=other, **RIGHT, **more), metric=metric).scores["a"]


def test_relations_up_to_the_colon(tmp_path):
    other = parse("dogs 2 nsubj", "seen 0 root", None, "run 0 root", names=["x", "y"])
    assert score(tmp_path, other, "las") == 1
    assert score(tmp_path, other, "las_subtypes") == pytest.approx(2 / 3)
    assert score(tmp_path, other, "uas") == 1


def test_sentences_are_matched_by_name(tmp_path):
    other = parse("run 0 root", None, "dogs 1 nsubj", "seen 0 root", names=["y", "x"])
    assert score(tmp_path, other) == pytest.approx(2 / 3)


def test_by_position_where_there_are_no_names(tmp_path):
    other = parse("dogs 1 nsubj", "seen 0 root", None, "run 0 root")
    assert score(tmp_path, other) == pytest.approx(2 / 3)


def test_columns_without_a_gold_value_are_not_compared(tmp_path):
    assert read(tmp_path, GOLD, a=GOLD, **RIGHT).metrics == ("las", "las_subtypes", "uas")


def test_ranges_and_empty_nodes_are_skipped(tmp_path):
    gaps = GOLD.replace("1\tdogs", "1-2\tdogsseen" + "\t_" * 8 + "\n1\tdogs").replace(
        "2\tseen", "1.1\tx" + "\t_" * 8 + "\n2\tseen"
    )
    assert score(tmp_path, gaps) == 1


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            GOLD.replace("seen", "saw"),
            "word 2 of this sentence is 'saw', and in the gold standard (line 2) it is 'seen'",
        ),
        (parse("dogs 0 root", None, "run 0 root"), "word 2 of this sentence is not there"),
        (GOLD.replace("= y", "= z"), "a.txt:6: sentence 'z' is not in the gold standard"),
        (GOLD.replace("= y", "= x"), "a.txt:6: word 1 of this sentence is 'run'"),
        (GOLD.replace("run\t", "run "), "a.txt:6: a word has an id and 9 more columns"),
        (parse("dogs 2 nsubj", "seen 0 root", names=["x"]), "a.txt: a has no las for 1 of 2 items: 'y'"),
        (
            parse("dogs 2 n", "seen 0 r", None, "run 0 r", None, "x 0 r"),
            "a.txt:6: the gold standard has only 2 sentences",
        ),
    ],
)
def test_refused(tmp_path, other, message):
    refused(message, tmp_path, GOLD, a=other, options={"format": "conllu"}, **RIGHT)


def test_missing_sentences_can_be_left_out(tmp_path):
    other = parse("dogs 2 nsubj", "seen 0 root", names=["x"])
    assert read(tmp_path, GOLD, a=other, options={"missing": "omit"}, **RIGHT).items == ("x",)


def test_groups(tmp_path):
    documents = GOLD.replace("# sent_id", "# newdoc\n# sent_id")
    assert read(tmp_path, documents, a=GOLD, **RIGHT, options={"group": "document"}).groups == (1, 2)
    refused("no # newdoc before its first sentence", tmp_path, GOLD, a=GOLD, **RIGHT, options={"group": "document"})
    refused("no groups by 'topic'; there is document", tmp_path, GOLD, a=GOLD, **RIGHT, options={"group": "topic"})


def test_a_gold_standard_is_needed(tmp_path):
    refused("means nothing without its gold standard", tmp_path, None, a=GOLD, **RIGHT)
    refused("there are two sentences 'x'", tmp_path, GOLD.replace("= y", "= x"), a=GOLD, **RIGHT)
    refused("gold.txt: there is no sentence in this gold standard", tmp_path, "# sent_id = x\n\n", a=GOLD, **RIGHT)
    empty = "\t".join(["1", "dogs", *"________"]) + "\n\n"
    refused("gold.txt: all columns that could be compared are empty", tmp_path, empty, a=GOLD, **RIGHT)
