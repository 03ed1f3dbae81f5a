"""Questions on passages, read from shared/data/reading: each passage as numbered sentences, each question with the sentences that answer it."""
import collections
import gzip
import json
import math
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks", "answers"))
from division import held_out

LONGEST = 1000  # characters of a passage; longer texts are cut between sentences
MOST = 16  # sentences of a passage
SENTENCE = re.compile(r"(?:[.!?]['\"”’)\]]*\s+(?=[A-Z0-9\"“‘'(\[])|\n+)")
SHORT = re.compile(r"(?:[A-Z]|Mr|Mrs|Dr|St|vs|No|cf|e\.g|i\.e|al|Fig)\.")


def sentences(text):
    """Where each sentence begins and ends."""
    bounds, at = [], 0
    for match in SENTENCE.finditer(text):
        words = text[at : match.end()].split()
        if words and "\n" not in match.group() and SHORT.fullmatch(words[-1]):
            continue
        bounds.append((at, match.end()))
        at = match.end()
    if at < len(text):
        bounds.append((at, len(text)))
    return [(b, e) for b, e in bounds if text[b:e].strip()]


def table_rows(table):
    """A table's rows as the importer writes them: with the names of the columns."""
    filled = lambda row: sum(bool(cell.strip()) for cell in row)
    headers, rest = table[0], table[1:]
    if len(rest) > 1 and filled(headers) * 2 < len(headers) + 1:
        headers = [(a + " " + b).strip() for a, b in zip(headers, rest[0])]
        rest = rest[1:]
    lines = [" | ".join(cell.strip() for cell in headers)]
    for row in rest:
        cells = [" ".join(cell.split()) for cell in row]
        named = zip(headers + [""] * len(cells), cells)
        line = "; ".join(f"{head.strip()}: {cell}" if head.strip() else cell for head, cell in named if cell)
        if line:
            lines.append(line)
    return lines


def tatqa(path):
    """As the other corpora's lines; what is computed has no words in the text and is left out."""
    for entry in json.load(gzip.open(path, "rt")):
        title = entry["table"]["uid"]
        texts = {"table": "\n".join(table_rows(entry["table"]["table"]))}
        texts |= {str(p["order"]): p["text"] for p in entry["paragraphs"]}
        questions = {name: [] for name in texts}
        for question in entry["questions"]:
            if question["answer_type"] not in ("span", "multi-span"):
                continue
            spans = question["answer"] if isinstance(question["answer"], list) else [question["answer"]]
            for name in ["table"] if question["answer_from"] != "text" else question["rel_paragraphs"]:
                found = [[m.start(), s] for s in map(str, spans) if s for m in re.finditer(re.escape(s), texts.get(name, ""))]
                if 0 < len(found) <= 2 * len(spans):
                    questions[name].append({"question": question["question"], "answers": found})
                    break
        for name, text in texts.items():
            yield {"source": "tatqa", "title": title, "text": text, "questions": questions[name]}


def rows(folder):
    for name in ["squad2", "policyqa", "covidqa", "qed"]:
        for line in gzip.open(f"{folder}/{name}.jsonl.gz", "rt"):
            row = json.loads(line)
            row["title"] = row["title"] or row["text"].split("\n")[0]
            yield row
    yield from tatqa(f"{folder}/tatqa.json.gz")


def portions(text):
    held = []
    for bounds in sentences(text):
        if held and (bounds[1] - held[0][0] > LONGEST or len(held) == MOST):
            yield held
            held = []
        held.append(bounds)
    if held:
        yield held


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


class Index:
    """BM25 over passages."""

    def __init__(self, texts):
        self.counts = [collections.Counter(text) for text in texts]
        self.lengths = [len(text) for text in texts]
        self.mean = max(1, sum(self.lengths) / max(1, len(texts)))
        self.found = collections.defaultdict(list)
        for place, count in enumerate(self.counts):
            for word in count:
                self.found[word].append(place)

    def best(self, question, most):
        scores = collections.Counter()
        for word in set(question):
            places = self.found.get(word, [])
            rare = math.log(1 + (len(self.counts) - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                count = self.counts[place][word]
                scores[place] += rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * self.lengths[place] / self.mean))
        return [place for place, _ in scores.most_common(most)]


def lines(document):
    """A document's lines as the importer writes them: sentences, items, rows; headings stand among them."""
    named = zlib.crc32(document["name"].encode()) % 2
    for block in document["blocks"]:
        if block["type"] == "table":
            head, *rest = block["rows"]
            if not named:
                yield " | ".join(head)
            for row in rest:
                yield "; ".join(f"{h}: {c}" if h.strip() else c for h, c in zip(head, row) if c.strip()) if named else " | ".join(row)
        elif block["type"] == "list":
            yield from block["items"]
        elif block["type"] == "paragraph":
            yield from (block["text"][b:e].strip() for b, e in sentences(block["text"]))
        else:
            yield block["text"]


def answering(question, texts):
    """Which sentences answer, and in which words: those of the sentence that its author marked, or the row of a marked table."""
    bare = lambda text: " ".join(words(text))
    marked, spans = bare(question["sentence"]), {}
    for place, text in enumerate(texts):
        said = next((a for a in question["answer"] if a in text), None)
        if marked in bare(text) or len(bare(text)) > 12 and bare(text) in marked or said and "|" in question["sentence"]:
            spans[place] = said or text
    return spans


def authored(path, authors=None):
    """Invented documents with questions that were written for them, those of an author each a source by itself; of these authors or all."""
    by_author = collections.defaultdict(list)
    for line in open(path):
        document = json.loads(line)
        if authors is None or document["half"] in authors:
            by_author[document["half"]].append(document)
    passages = []
    for author, documents in by_author.items():
        begin = len(passages)
        for document in documents:
            first = len(passages)
            title = next((b["text"] for b in document["blocks"] if b["type"] == "title"), document["name"].rsplit(".", 1)[0])
            held = []
            for line in [*lines(document), None]:
                if line is None or held and (sum(map(len, held)) + len(line) > LONGEST or len(held) == MOST):
                    passages.append({"source": author, "title": title, "name": document["name"], "sentences": held, "asked": [], "near": [],
                                     "held": False, "words": words(title + " " + " ".join(held))})
                    held = []
                held.append(line)
            own = Index([p["words"] for p in passages[first:]])
            for question in document["questions"]:
                asked = {"text": question["question"], "evidence": [], "answers": []}
                if not question.get("answer"):
                    best = own.best(words(question["question"]), 3) or [0]
                    for rank, place in enumerate(best):
                        passages[first + place]["near" if rank else "asked"].append(asked)
                    continue
                for passage in passages[first:]:
                    if spans := answering(question, passage["sentences"]):
                        passage["asked"].append(asked | {"evidence": sorted(spans), "spans": spans, "answers": question["answer"]})
                        break
        index = Index([p["words"] for p in passages[begin:]])
        for passage in passages[begin:]:
            for question in passage["asked"]:
                if not question["evidence"]:
                    continue
                near = [begin + place for place in index.best(words(question["text"]), 8)]
                near += [begin + i for i, p in enumerate(passages[begin:]) if p["name"] == passage["name"]][:4]
                for other in set(near):
                    text = " ".join(passages[other]["sentences"]).lower()
                    if passages[other] is not passage and not any(a.lower() in text for a in question["answers"]):
                        passages[other]["near"].append({"text": question["text"], "evidence": [], "answers": question["answers"]})
    return passages


def load(folder):
    """Passages {source, title, held, sentences, asked} and, for each, `asked`: questions of {text, evidence, answers, spans};
    no evidence means that the passage does not answer. `near` of a passage: questions of others that come close to it."""
    passages = []
    for row in rows(folder):
        mine = []
        for portion in portions(row["text"]):
            texts = [" ".join(row["text"][b:e].split()) for b, e in portion]
            mine.append({"source": row["source"], "title": row["title"].replace("_", " "), "name": row["title"], "bounds": portion,
                         "sentences": texts, "asked": [], "near": []})
        for question in row["questions"]:
            if not question["question"].strip() or not mine:
                continue
            answers = [(b, t) for b, t in question["answers"] if row["text"][b : b + len(t)] == t and t.strip()]
            if question["answers"] and not answers:
                continue
            if not answers:
                asked = set(words(question["question"]))
                home = max(mine, key=lambda p: len(asked & set(words(" ".join(p["sentences"])))))
                home["asked"].append({"text": question["question"], "evidence": [], "answers": []})
                continue
            for home in mine:
                places = {s: text for begin, text in reversed(answers) for s, (b, e) in enumerate(home["bounds"]) if b <= begin < e}
                if places:
                    home["asked"].append({"text": question["question"], "evidence": sorted(places), "spans": places,
                                          "answers": sorted({text for _, text in answers})})
                    break
        passages += mine
    held = held_out({(p["source"], p["name"]) for p in passages})
    groups = collections.defaultdict(list)
    for place, passage in enumerate(passages):
        passage["held"] = (passage["source"], passage["name"]) in held
        passage["words"] = words(passage["title"] + " " + " ".join(passage["sentences"]))
        groups[passage["source"], passage["name"]].append(place)
    whole = collections.defaultdict(list)
    for place, passage in enumerate(passages):
        whole[passage["source"], passage["held"]].append(place)
    for group in groups.values():
        first = passages[group[0]]
        if len(group) < 8:
            group = group + [p for p in whole[first["source"], first["held"]] if p not in set(group)][:400]
        index = Index([passages[p]["words"] for p in group])
        own = [p for p in group if passages[p]["name"] == first["name"]]
        for place in own:
            for question in passages[place]["asked"]:
                if not question["evidence"]:
                    continue
                for other in index.best(words(question["text"]), 5):
                    other = group[other]
                    text = " ".join(passages[other]["sentences"]).lower()
                    if other != place and not any(a.lower() in text for a in question["answers"]):
                        passages[other]["near"].append({"text": question["text"], "evidence": [], "answers": question["answers"]})
    return passages
