"""Retrieval quality of the real program on a test collection in BEIR's layout (corpus.jsonl, queries.jsonl, qrels/test.tsv), or on
Cranfield as it is distributed (cran.all.1400, cran.qry, cranqrel), beside BM25 as the textbooks have it.

Imports corpus.jsonl with `libera import`, asks every judged query with `libera search --batch`, one run for each stage.
"""
import collections
import json
import math
import pathlib
import re
import subprocess
import tempfile
import time


def beir(folder):
    """The collection as (corpus, queries, grades), texts as objects with _id, title, text."""
    folder = pathlib.Path(folder)
    if (folder / "cran.all.1400").exists():
        return cranfield(folder)
    lines = lambda name: [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines() if line.strip()]
    grades = collections.defaultdict(dict)
    for line in (folder / "qrels/test.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][document] = int(grade)
    return lines("corpus.jsonl"), lines("queries.jsonl"), grades


def cranfield(folder):
    """Grades: 1 (a complete answer) to 4 (of minimal interest) count alike; -1 and 5 are not relevant. The judgements number the
    queries by their order."""
    def records(name):
        for text in re.split(r"^\.I ", (folder / name).read_text("latin-1"), flags=re.M)[1:]:
            number, *rest = re.split(r"^\.([TABW])\s*$", text, flags=re.M)
            fields = {key: " ".join(value.split()) for key, value in zip(rest[::2], rest[1::2])}
            yield number.strip(), fields
    corpus = [{"_id": n, "title": f.get("T", ""), "text": f.get("W", "")} for n, f in records("cran.all.1400")]
    queries = [{"_id": str(i), "text": f["W"]} for i, (_, f) in enumerate(records("cran.qry"), 1)]
    grades = collections.defaultdict(dict)
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, grade = line.split()
        grades[query][document] = 1 if 1 <= int(grade) <= 4 else 0
    return corpus, queries, grades


class PlainBM25:
    """k1 1.2, b 0.75, title and text, words in lower case, nothing left out."""

    def __init__(self, corpus):
        self.postings, self.lengths, self.names = collections.defaultdict(list), [], []
        for index, text in enumerate(corpus):
            counts = collections.Counter(self.words(text.get("title", "") + " " + text["text"]))
            self.lengths.append(sum(counts.values()))
            self.names.append(text["_id"])
            for word, count in counts.items():
                self.postings[word].append((index, count))
        self.mean = sum(self.lengths) / len(self.lengths)

    @staticmethod
    def words(text):
        return re.findall(r"[^\W_]+", text.lower())

    def ranked(self, query, limit=100):
        scores = collections.Counter()
        for word in self.words(query):
            found = self.postings.get(word, ())
            rarity = math.log(1 + (len(self.names) - len(found) + 0.5) / (len(found) + 0.5))
            for index, count in found:
                length = 0.25 + 0.75 * self.lengths[index] / self.mean
                scores[index] += rarity * count * 2.2 / (count + 1.2 * length)
        return [self.names[index] for index, _ in scores.most_common(limit)]


def ndcg(ranked, grades, depth=10):
    gain = lambda values: sum(max(0, value) / math.log2(rank + 2) for rank, value in enumerate(values))
    ideal = gain(sorted(grades.values(), reverse=True)[:depth])
    return gain([grades.get(name, 0) for name in ranked[:depth]]) / ideal if ideal else 0.0


def recall(ranked, grades, depth=100):
    relevant = {name for name, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:depth])) / len(relevant) if relevant else 0.0


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def program(libera, home, *words):
    began = time.monotonic()
    result = subprocess.run([libera, *words, "--home", str(home), "--json"], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"libera {words[0]} ended with {result.returncode}: {result.stderr.strip()}")
    return [json.loads(line) for line in result.stdout.splitlines()], time.monotonic() - began


def run(libera, home, folder, keep=None):
    """Rows of (system, part, queries, nDCG@10, recall@100); `home` has the packs and is otherwise empty."""
    corpus, queries, grades = beir(folder)
    queries = [query for query in queries if any(grade > 0 for grade in grades.get(query["_id"], {}).values())]
    # Numbers of the product were chosen on every second query; what is said of the others was never looked at.
    parts = {"all": queries, "chosen on": queries[0::2], "held out": queries[1::2]}
    plain = PlainBM25(corpus)
    systems = {"plain BM25 (1.2, 0.75)": {query["_id"]: plain.ranked(query["text"]) for query in queries}}
    speed = {}
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        write_lines(place / "corpus.jsonl", corpus)
        write_lines(place / "queries.jsonl", queries)
        events, seconds = program(libera, home, "import", str(place / "corpus.jsonl"))
        speed["import"] = f"{len(corpus)} records imported in {seconds:.1f} s: {events[-1]}"
        for stage in ("lexical", "dense", "fused"):
            lines, seconds = program(
                libera, home, "search", "--batch", str(place / "queries.jsonl"), "--stage", stage, "-k", "100")
            systems[stage] = {line["_id"]: [one["document"] for one in line["results"]] for line in lines}
            speed[stage] = f"{len(queries)} queries, {stage}: {1000 * seconds / len(queries):.1f} ms each, start included"
            if keep:
                write_lines(pathlib.Path(keep) / f"{stage}.jsonl", lines)
    rows = []
    for system, found in systems.items():
        for part, chosen in parts.items():
            judged = [(found[query["_id"]], grades[query["_id"]]) for query in chosen]
            rows.append({
                "system": system, "part": part, "queries": len(chosen),
                "ndcg10": sum(ndcg(*one) for one in judged) / len(judged),
                "recall100": sum(recall(*one) for one in judged) / len(judged)})
    return rows, speed
