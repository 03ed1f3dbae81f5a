#!/usr/bin/env python3
"""prepare.py WEIGHTS READING OUT

Makes OUT (a pickle) of the reading corpora in READING: passages as tokens and sentences, questions with the passage that answers
them, passages that look as if they did, and the division. WEIGHTS is the embedding pack's file.
"""
import collections
import gzip
import json
import math
import pickle
import re
import sys

import gguf
from division import held_out
from encoder import Vocabulary

LONGEST = 190  # tokens of a passage; longer texts are cut at sentences
SENTENCE = re.compile(r"(?:[.!?]['\"”’)\]]*\s+(?=[A-Z0-9\"“‘'(\[])|\n+)")


def sentences(text):
    bounds, at = [], 0
    for match in SENTENCE.finditer(text):
        words = text[at : match.end()].split()
        # An abbreviation or an initial ends no sentence.
        if words and "\n" not in match.group() and re.fullmatch(r"(?:[A-Z]|Mr|Mrs|Dr|St|vs|No|cf|e\.g|i\.e|al|Fig)\.", words[-1]):
            continue
        bounds.append((at, match.end()))
        at = match.end()
    if at < len(text):
        bounds.append((at, len(text)))
    return bounds


def table_rows(table):
    """A table's rows as the importer writes them: with the names of the columns."""
    filled = lambda row: sum(bool(cell.strip()) for cell in row)
    headers = table[0]
    rest = table[1:]
    if len(rest) > 1 and filled(headers) * 2 < len(headers) + 1:
        headers = [(a + " " + b).strip() for a, b in zip(headers, rest[0])]
        rest = rest[1:]
    lines = [" | ".join(cell.strip() for cell in headers)]
    for row in rest:
        parts = []
        for index, cell in enumerate(row):
            cell = " ".join(cell.split())
            if cell:
                header = headers[index].strip() if index < len(headers) else ""
                parts.append(f"{header}: {cell}" if header else cell)
        if parts:
            lines.append("; ".join(parts))
    return lines


def tatqa(path):
    """As the other corpora's lines; what is computed from numbers has its rows as evidence and no span."""
    for entry in json.load(gzip.open(path, "rt")):
        title = entry["table"]["uid"]
        table = "\n".join(table_rows(entry["table"]["table"]))
        texts = [("table", table)] + [(str(p["order"]), p["text"]) for p in entry["paragraphs"]]
        questions = {name: [] for name, _ in texts}
        for question in entry["questions"]:
            kind, source, answer = question["answer_type"], question["answer_from"], question["answer"]
            wanted = ["table"] if source == "table" else question["rel_paragraphs"] if source == "text" else ["table"]
            wanted = [name for name in wanted if name in questions]
            if kind in ("span", "multi-span"):
                spans = answer if isinstance(answer, list) else [answer]
                for name in wanted:
                    text = dict(texts)[name]
                    found = [(m.start(), s) for s in spans for m in re.finditer(re.escape(str(s)), text) if str(s)]
                    if spans and 0 < len(found) <= 2 * len(spans):
                        questions[name].append({"question": question["question"], "answers": [list(f) for f in found]})
                        break
            elif kind == "arithmetic" and wanted == ["table"]:
                operands = set(re.findall(r"\d[\d,]*\.?\d*", question["derivation"])) - {"1", "2", "100"}
                found = [m.start() for o in operands for m in re.finditer(r"(?<![\d,.])" + re.escape(o) + r"(?![\d,.]*\d)", table)]
                if found and len(found) <= 2 * len(operands):
                    questions["table"].append({"question": question["question"], "answers": [], "evidence": found})
        for name, text in texts:
            yield {"source": "tatqa", "title": title, "text": text, "questions": questions[name]}


def read(folder):
    for name in ["squad2", "policyqa", "covidqa", "qed"]:
        for line in gzip.open(f"{folder}/{name}.jsonl.gz", "rt"):
            row = json.loads(line)
            row["title"] = row["title"] or row["text"].split("\n")[0]
            yield row
    yield from tatqa(f"{folder}/tatqa.json.gz")


def cut(vocabulary, text):
    """Portions of whole sentences, none with more than LONGEST tokens; a longer sentence is cut."""
    portions, held = [], []
    for begin, end in sentences(text):
        numbers, begins, ends = vocabulary.tokens(text[begin:end])
        if not numbers:
            continue
        numbers, begins, ends = numbers[:LONGEST], begins[:LONGEST], ends[:LONGEST]
        if held and sum(len(one[0]) for one in held) + len(numbers) > LONGEST:
            portions.append(held)
            held = []
        held.append((numbers, [begin + b for b in begins], [begin + e for e in ends], begin, end))
    if held:
        portions.append(held)
    return portions


def passages_of(vocabulary, row):
    """A row's passages and its questions, each on the passage that holds its answer."""
    passages = []
    for portion in cut(vocabulary, row["text"]):
        passage = {"source": row["source"], "title": row["title"], "text": row["text"], "tokens": [], "begins": [], "ends": [],
                   "sentences": []}
        for numbers, begins, ends, _, _ in portion:
            at = len(passage["tokens"])
            passage["tokens"] += numbers
            passage["begins"] += begins
            passage["ends"] += ends
            passage["sentences"].append((at, at + len(numbers)))
        passages.append(passage)
    questions = []
    for question in row["questions"]:
        tokens = vocabulary.tokens(question["question"])[0]
        if not tokens or not passages:
            continue
        entry = {"source": row["source"], "title": row["title"], "text": question["question"], "tokens": tokens}
        marked = question.get("evidence", [])
        answers = [tuple(one) for one in question["answers"] if row["text"][one[0] : one[0] + len(one[1])] == one[1]]
        if question["answers"] and not answers:
            continue
        if not answers and not marked:
            place = max(range(len(passages)), key=lambda p: len(set(tokens) & set(passages[p]["tokens"])))
            questions.append({**entry, "passage": place, "spans": [], "evidence": [], "answerable": False, "answers": []})
            continue
        best = None
        for place, passage in enumerate(passages):
            spans = set()
            for begin, text in answers:
                inside = [i for i, (b, e) in enumerate(zip(passage["begins"], passage["ends"]))
                          if b < begin + len(text) and e > begin]
                if inside and passage["begins"][0] <= begin and begin + len(text) <= passage["ends"][-1] + 1:
                    spans.add((inside[0], inside[-1]))
            rows = {s for s, (b, e) in enumerate(passage["sentences"])
                    if any(passage["begins"][b] <= m <= passage["ends"][e - 1] for m in marked)}
            if spans or rows:
                evidence = {s for s, (b, e) in enumerate(passage["sentences"]) for span in spans if b <= span[0] < e} | rows
                best = {**entry, "passage": place, "spans": sorted(spans), "evidence": sorted(evidence), "answerable": True,
                        "answers": sorted({text for _, text in answers})}
                break
        if best:
            questions.append(best)
    return passages, questions


class Words:
    """BM25 over the passages of a group."""

    def __init__(self, texts):
        self.counts = [collections.Counter(text) for text in texts]
        self.lengths = [len(text) for text in texts]
        self.mean = sum(self.lengths) / max(1, len(texts))
        self.found = collections.defaultdict(list)
        for place, count in enumerate(self.counts):
            for word in count:
                self.found[word].append(place)

    def scores(self, question):
        scores = collections.Counter()
        for word in set(question):
            places = self.found.get(word, [])
            if not places:
                continue
            rare = math.log(1 + (len(self.counts) - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                count = self.counts[place][word]
                scores[place] += rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * self.lengths[place] / self.mean))
        return scores


def main(weights, folder, out):
    vocabulary = Vocabulary(gguf.GGUFReader(weights))
    passages, questions = [], []
    for row in read(folder):
        mine, asked = passages_of(vocabulary, row)
        for question in asked:
            question["passage"] += len(passages)
        passages += mine
        questions += asked
    held = held_out((one["source"], one["title"]) for one in passages)
    for one in passages + questions:
        one["held"] = (one["source"], one["title"]) in held
    groups = collections.defaultdict(list)
    for place, passage in enumerate(passages):
        groups[passage["source"], passage["title"]].append(place)
        groups[passage["source"], None, passage["held"]].append(place)
    indexes = {}
    asked = collections.defaultdict(set)
    for question in questions:
        if question["answerable"]:
            asked[question["text"].lower(), question["title"]].add(question["passage"])
    for question in questions:
        source, title = question["source"], question["title"]
        names = [(source, title)] if len(groups[source, title]) >= 8 else [(source, title), (source, None, question["held"])]
        near = []
        for name in names:
            if name not in indexes:
                indexes[name] = Words([passages[p]["tokens"] for p in groups[name]])
            scores = indexes[name].scores(question["tokens"])
            near += [groups[name][p] for p, _ in scores.most_common(9)]
        texts = [answer.lower() for answer in question["answers"] if len(answer) > 3]
        right = asked[question["text"].lower(), title]

        def holds(passage):
            text = passages[passage]["text"][passages[passage]["begins"][0] : passages[passage]["ends"][-1]].lower()
            return any(answer in text for answer in texts)

        question["near"] = [p for p in dict.fromkeys(near) if p not in right and p != question["passage"] and not holds(p)][:8]
    pickle.dump({"passages": passages, "questions": questions, "held": sorted(held)}, open(out, "wb"))
    for source in sorted({one["source"] for one in questions}):
        here = [q for q in questions if q["source"] == source]
        print(f"{source}: {sum(p['source'] == source for p in passages)} passages, {len(here)} questions, "
              f"{sum(not q['answerable'] for q in here)} without an answer, {sum(q['held'] for q in here)} held out, "
              f"{sum(len(q['near']) for q in here) / len(here):.1f} near passages each")


if __name__ == "__main__":
    main(*sys.argv[1:])
