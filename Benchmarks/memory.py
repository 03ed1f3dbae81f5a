"""Retrieval quality of the real program on a test collection in BEIR's layout (corpus.jsonl, queries.jsonl, qrels/test.tsv), or on
Cranfield as it is distributed (cran.all.1400, cran.qry, cranqrel), beside BM25 as the textbooks have it.

Imports corpus.jsonl with `libera import`, asks every judged query with `libera search --batch`, one run for each stage.
"""
import argparse
import collections
import contextlib
import json
import math
import operator
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import memory_import


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


@contextlib.contextmanager
def fresh_home(packs):
    """A home of its own with the packs of another, without a copy of their bytes."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["cp", "-al", str(packs), f"{place}/packs"], check=True)
        shutil.rmtree(f"{place}/packs/.staging", ignore_errors=True)
        yield pathlib.Path(place)


def weights(packs):
    return max((packs / "all-minilm-l6-v2-f16").glob("weights-*"), key=lambda file: file.stat().st_mtime)


def sentences(files, limit=512):
    """Chunks of about 200 words of real documents, or of Cranfield-like corpora."""
    import pypdf
    words = " ".join(page.extract_text() or "" for file in files for page in pypdf.PdfReader(file).pages).split()
    return [" ".join(words[at:at + 160]) for at in range(0, len(words) - 160, 160)][:limit]


def encoder_ways(ask, pack, texts, rounds):
    """The encoder in each way that this processor has, in turn with onnxruntime: medians, and medians of the ratio within a round."""
    import memory_peers
    names, found = ask("ways"), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "texts.jsonl"
        write_lines(file, [{"text": text} for text in texts])
        for _ in range(rounds):
            for name in names:
                found[name].append(ask("embed", pack, file, LIBERA_CPU=name)["tokens_per_s"])
            found["onnxruntime int8"].append(memory_peers.embed_speed(texts)["tokens_per_s"])
    peer = found["onnxruntime int8"]
    return [{
        "way": name, "tokens_per_s": round(statistics.median(speeds)),
        "beside onnxruntime": f"{statistics.median(map(operator.truediv, speeds, peer)):.2f}"}
        for name, speeds in found.items()]


def table(rows):
    keys = list(rows[0])
    show = lambda value: f"{value:.4g}" if isinstance(value, float) else str(value)
    print("| " + " | ".join(keys) + " |\n|" + "---|" * len(keys))
    for row in rows:
        print("| " + " | ".join(show(row.get(key, "")) for key in keys) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--programs", type=pathlib.Path, required=True, help="where libera and bench-memory lie")
    options.add_argument("--packs", type=pathlib.Path, required=True)
    options.add_argument("--beir", metavar="FOLDER", help="quality on this collection")
    options.add_argument("--keep", metavar="FOLDER", help="with --beir: keep what each stage found there")
    options.add_argument("--pdf", metavar="FILE", nargs="+", help="import and embedding beside peers, on these documents")
    options.add_argument("--search", metavar="COUNT", nargs="+", type=int, help="search among so many, beside peers")
    options.add_argument("--ways", metavar="ROUNDS", type=int, help="each way of the encoder beside onnxruntime, so often in turn")
    options.add_argument("--texts", metavar="FOLDER", help="with --search and --ways: a collection whose texts and questions are used")
    options.add_argument("--files", metavar="COUNT", type=int, help="import of so many small files, by their words alone")
    options.add_argument("--records", metavar="COUNT", type=int, help="import of so many records with their vectors")
    options.add_argument("--robust", action="store_true", help="300 malformed files and 50 kills")
    given = options.parse_args()
    libera, bench = given.programs / "libera", given.programs / "bench-memory"
    ask = lambda *words, **settings: json.loads(subprocess.run(
        [bench, *map(str, words)], env=os.environ | settings, stdout=subprocess.PIPE, text=True, check=True).stdout)
    if given.beir:
        with fresh_home(given.packs) as home:
            rows, speed = run(libera, home, given.beir, given.keep)
        table(rows)
        print("\n" + "\n".join(speed.values()))
    if given.pdf:
        import memory_peers
        with fresh_home(given.packs) as home:
            ours = memory_import.import_documents(libera, home, given.pdf)
        table([{"system": "libera", **ours}])
        table([{"system": "pypdf, onnxruntime int8, faiss", **memory_peers.import_pdfs(given.pdf)}])
        texts = sentences(given.pdf)
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place) / "texts.jsonl"
            write_lines(file, [{"text": text} for text in texts])
            table([
                {"system": "libera", **ask("embed", weights(given.packs), file)},
                {"system": "onnxruntime int8", **memory_peers.embed_speed(texts)}])
    if given.ways:
        words = " ".join(one["text"] for one in beir(given.texts)[0]).split()
        texts = [" ".join(words[at:at + 160]) for at in range(0, len(words) - 160, 160)][:64]
        table(encoder_ways(ask, weights(given.packs), texts, given.ways))
    if given.search:
        import memory_peers
        corpus, queries, _ = beir(given.texts)
        with tempfile.TemporaryDirectory() as place:
            texts, questions = pathlib.Path(place) / "texts.jsonl", pathlib.Path(place) / "queries.jsonl"
            write_lines(texts, [{"text": one["text"]} for one in corpus])
            write_lines(questions, [{"text": one["text"]} for one in queries])
            sample, _ = memory_peers.Embedder().embed([one["text"] for one in corpus])
            for count in given.search:
                table([ask("vectors", weights(given.packs), texts, count)])
                table(memory_peers.search_speed(sample, count))
                table([ask("words", texts, questions, count)])
    if given.files:
        with tempfile.TemporaryDirectory() as home:
            table([memory_import.small_files(libera, home, given.files)])
    if given.records:
        with fresh_home(given.packs) as home:
            table([memory_import.records(libera, home, given.records)])
    if given.robust:
        import memory_robust
        with fresh_home(given.packs) as home:
            memory_robust.malformed(libera, home)
        with fresh_home(given.packs) as home:
            memory_robust.kills(libera, home)


if __name__ == "__main__":
    main()
