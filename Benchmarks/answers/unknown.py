"""Asks strangers' questions about strangers' documents: what the program is worth on papers that nothing was fitted on.

Documents are made of shared/data/reading (questions on passages, for training what reads): all passages of a title are a document,
or each passage is one. Of each source some questions have their answer there, some are near misses, as the source marks them, and
some are about other matters altogether. `--source` asks one source alone. `--fit` fits the curves of Sources/Retrieval/Evidence over
these sources and our own development halves, each time judged on the source that was left out.
"""

import argparse, collections, gzip, json, os, random, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench, division, fetch, household

STOP = set("a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my not of "
           "on or our over so than that the their them then there these they this those to up was we were what when where which who whose "
           "why will with would you your".split())


def plain(text):
    return re.sub(r"[\W_]+", " ", text).casefold().strip()


def stems(text):
    return {word[:5] for word in plain(text).split() if word not in STOP}


def shared(question, passage):
    """The part of the question's telling words that the passage has too."""
    asked = stems(question)
    return len(asked & stems(passage)) / max(1, len(asked))


# MARK: Documents and questions


def lines(folder, name):
    with gzip.open(f"{folder}/{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def by_title(rows):
    titles = collections.OrderedDict()
    for row in rows:
        titles.setdefault(row["title"], []).append(row)
    return titles


def case(kind, question, place, document=None, passage=None, answers=None):
    return {"kind": kind, "question": question, "place": place, "document": document, "passage": passage, "expect": answers or []}


def told(row, question):
    return sorted({text for _, text in question["answers"]}, key=len)


def mixed(questions, count, share):
    """Half as they come, half of those in other words than the passage has."""
    other = [each for each in questions if share(each) <= 0.34][: count // 2]
    return other + [each for each in questions if each not in other][: count - len(other)]


def of_passages(source, titles, place, kinds, draw, each, near):
    """Documents of all passages of a title, and questions about them."""
    files, cases = {}, []
    for number, (title, rows) in enumerate(titles):
        name = re.sub(r"\W+", "-", title).strip("-") + kinds[number % len(kinds)]
        where = place(title)
        files[f"{where}/{name}"] = [{"type": "title", "text": title.replace("_", " ")}] + [
            {"type": "text", "text": row["text"]} for row in rows]
        asked = [(row, question) for row in rows for question in row["questions"]]
        draw.shuffle(asked)
        right = mixed([(row, question) for row, question in asked if question["answers"]], each,
                      lambda pair: shared(pair[1]["question"], pair[0]["text"]))
        cases += [case("answerable", q["question"], where, name, row["text"], told(row, q)) for row, q in right]
        cases += [case("near", q["question"], where) for row, q in asked if not q["answers"]][:near]
    return files, cases


def unseen(source, titles):
    """Those that nothing was ever trained on; COVID-QA and QED were left out of training whole."""
    held = division.held_out((source, title) for title in titles)
    return {title: rows for title, rows in titles.items() if (source, title) in held}


def squad(folder, draw):
    titles = by_title(lines(folder, "squad2"))
    fresh = unseen("squad2", titles)
    both = [t for t, rows in fresh.items() if any(not q["answers"] for row in rows for q in row["questions"])]
    draw.shuffle(both)
    files, cases = of_passages("squad", [(t, titles[t]) for t in both[:10]], lambda _: "squad", [".pdf", ".md", ".html", ".docx"],
                               draw, each=12, near=8)
    # What nothing here answers; these too were never trained on.
    other = [row["questions"][0]["question"] for row in lines(folder, "qed") if row["title"] not in titles]
    draw.shuffle(other)
    return files, cases + [case("far", q, "squad") for q in other[:30]], other[30:]


def qed(folder, draw):
    rows = lines(folder, "qed")
    draw.shuffle(rows)
    files, cases, kinds = {}, [], [".txt", ".html", ".md"]
    names = set()
    asked = mixed(rows[:240], 60, lambda row: shared(row["questions"][0]["question"], row["text"]))
    for number, row in enumerate(rows[:240]):
        name = re.sub(r"\W+", "-", row["title"]).strip("-") + kinds[number % 3]
        if name in names:
            continue
        names.add(name)
        text = re.sub(r" ([.,;:)'’]|n't|'s)", r"\1", row["text"]).replace("( ", "(")
        files[f"qed/{name}"] = [{"type": "title", "text": row["title"]}, {"type": "text", "text": text}]
        if row in asked:
            question = row["questions"][0]
            cases.append(case("answerable", question["question"], "qed", name, text,
                              [re.sub(r" ([.,;:)'’]|n't|'s)", r"\1", a) for a in told(row, question)]))
    held = {row["title"] for row in rows[:240]}
    return files, cases + [case("far", r["questions"][0]["question"], "qed") for r in rows[240:] if r["title"] not in held][:60 + 30][60:]


def around(text, start, answer, width=400):
    """What stands around an answer, within its paragraph."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", start + len(answer))
    return text[max(first, start - width) : min(last if last > 0 else len(text), start + len(answer) + width)]


def covid(folder, draw, other):
    rows = lines(folder, "covidqa")
    draw.shuffle(rows)
    files, cases = {}, []
    for number, row in enumerate(sorted(rows, key=lambda row: len(row["text"]))[10:50:4]):
        name = f"article-{number}" + [".pdf", ".txt"][number % 2]
        blocks = [part for part in row["text"].split("\n") if part.strip()]
        files[f"covid/{name}"] = [{"type": "title" if place == 0 else "text", "text": part} for place, part in enumerate(blocks)]
        questions = list(row["questions"])
        draw.shuffle(questions)
        for q in mixed(questions, 5, lambda q: shared(q["question"], around(row["text"], *q["answers"][0]))):
            passage = around(row["text"], *q["answers"][0])
            cases.append(case("answerable", q["question"], "covid", name, passage, told(row, q)))
    return files, cases + [case("far", q, "covid") for q in other[:20]]


def policy(folder, draw, other):
    titles = by_title(lines(folder, "policyqa"))
    chosen = [t for t, rows in unseen("policyqa", titles).items() if len(rows) >= 10]
    draw.shuffle(chosen)
    files, cases = of_passages("policy", [(t, titles[t]) for t in chosen], lambda t: "policy-" + t.replace(".", "-"),
                               [".html", ".pdf", ".txt"], draw, each=15, near=0)
    places = sorted({c["place"] for c in cases})
    return files, cases + [case("far", q, places[n % len(places)]) for n, q in enumerate(other[:20])]


def tatqa(folder, draw, other):
    entries = json.load(gzip.open(f"{folder}/tatqa.json.gz"))
    fresh = unseen("tatqa", {entry["table"]["uid"]: entry for entry in entries})
    entries = [entry for entry in entries if entry["table"]["uid"] in fresh]
    draw.shuffle(entries)
    files, cases = {}, []
    for number, entry in enumerate(entries[:24]):
        place, name = f"tatqa-{number}", f"report-{number}" + [".html", ".docx", ".pdf", ".md"][number % 4]
        rows = [[str(cell) for cell in row] for row in entry["table"]["table"]]
        texts = [p["text"] for p in sorted(entry["paragraphs"], key=lambda p: p["order"])]
        files[f"{place}/{name}"] = [{"type": "title", "text": f"Annual report, part {number}"}] + [
            {"type": "text", "text": t} for t in texts[:1]] + [{"type": "table", "rows": rows}] + [{"type": "text", "text": t} for t in texts[1:]]
        asked = [q for q in entry["questions"] if q["answer_type"] == "span" and len(q["answer"]) == 1]
        draw.shuffle(asked)
        for q in asked[:2]:
            answer = q["answer"][0]
            # A cell is found where its row is, whatever the table's text is made into.
            passage = next((t for t in texts if answer in t), "")
            cases.append(case("answerable", q["question"], place, name, passage, [answer.strip("$ ")]))
    places = sorted({c["place"] for c in cases})
    return files, cases + [case("far", q, places[n % len(places)]) for n, q in enumerate(other[:16])]


def sources(folder):
    """Of each source: files (where and what of), and cases."""
    draw = random.Random(20261122)
    made = {}
    *made["squad"], other = squad(folder, draw)
    made["qed"] = qed(folder, draw)
    made["covid"] = covid(folder, draw, other[:20])
    made["policy"] = policy(folder, draw, other[20:40])
    made["tatqa"] = tatqa(folder, draw, other[40:56])
    return made


def write(folder, made):
    for files, _ in made.values():
        for path, blocks in files.items():
            target = f"{folder}/{path}"
            if os.path.exists(target):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            household.KINDS.get(os.path.splitext(target)[1], household.plain)(target, blocks)


# MARK: Asking


def hits(case, document, text):
    """Whether a text is of the right passage: it lies within it, or holds a good part of it; of a table, holds the answer."""
    if os.path.basename(document) != case["document"]:
        return False
    if not case["passage"]:
        return says(case, text)
    passage, text = plain(case["passage"]), plain(text)
    if len(text) < 30:
        return text in passage
    windows = [passage[at:at + 30] for at in range(0, max(1, len(passage) - 30), 15)]
    inside = [text[at:at + 30] for at in range(0, max(1, len(text) - 30), 15)]
    return sum(w in text for w in windows) >= 2 or sum(w in passage for w in inside) * 2 >= len(inside)


def says(case, text):
    return any(plain(each) in plain(text) for each in case["expect"])


def first(flags):
    return next((place + 1 for place, flag in enumerate(flags) if flag), None)


def ask(program, case, stages, pack=None):
    row = {name: case[name] for name in ("kind", "question", "place", "document", "expect")}
    row["considered"], record = program.explained(case["question"], case["place"], pack)
    row["record"] = {name: record.get(name) for name in
                     ("answer", "abstained", "finding", "confidence", "signals", "sentences", "citations", "timings")}
    if case["kind"] == "answerable" and case["document"]:
        row["shared"] = shared(case["question"], case["passage"])
        for stage in stages:
            found = program.post("api/search", {"query": case["question"], "collection": case["place"], "stage": stage, "limit": 20})
            results = found[0]["results"]
            row[stage] = first([hits(case, r["document"], r["text"]) for r in results])
        row["cited"] = first([hits(case, c["document"], c["text"]) for c in record["citations"][:5]])
        row["words"] = any(says(case, c["text"]) for c in record["citations"][:5] if os.path.basename(c["document"]) == case["document"])
        row["shown"] = says(case, record["answer"])
    return row


def ours():
    """Our own development halves, for fitting, and the two authors that the judge was not trained on: the answer is right wherever its
    words stand, and what has none is a near miss."""
    questions = [json.loads(line) for line in open(f"{HERE}/questions.jsonl")] + household.questions()
    for each in questions:
        if each["half"] in ("development", "household-development", "household-mixed", "household-authored-f", "household-authored-l"):
            yield case("answerable" if each["document"] else "near", each["question"], each["half"], None, "", each["expect"])


# MARK: What came of it


def part(flags):
    flags = list(flags)
    return f"{sum(map(bool, flags)) / len(flags):.2f}" if flags else "–"


def table(rows, stages):
    print("| source | questions | " + " | ".join(f"{s} @1/@3/@20" for s in stages)
          + " | cited @1/@3/@5 | words cited | shown | right | found/probably/no | in other words | near misses | far |")
    print("|" + "---|" * (9 + len(stages)))
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(row["source"], []).append(row)
    groups["all"] = rows
    if len(groups) == 2:
        groups.pop("all")
    other = [r for r in rows if r["kind"] == "answerable" and r["shared"] <= 0.5]
    if other:
        groups["in other words"] = other

    def level(row):
        return row["record"].get("finding") or ("not_there" if row["record"]["abstained"] else "found")

    def levels(rows):
        return "/".join(part(level(r) == name for r in rows) for name in ("found", "probably", "not_there")) if rows else "–"

    def at(rows, name, places):
        return "/".join(part(r[name] is not None and r[name] <= p for r in rows) for p in places) if rows else "–"

    for name, group in groups.items():
        told = [r for r in group if r["kind"] == "answerable"]
        cells = [name, str(len(group))] + [at(told, s, (1, 3, 20)) for s in stages] + [
            at(told, "cited", (1, 3, 5)), part(r["words"] for r in told), part(r["shown"] for r in told),
            part(r["shown"] and level(r) != "not_there" for r in told), levels(told),
            levels([r for r in told if r["shared"] <= 0.5]), levels([r for r in group if r["kind"] == "near"]),
            levels([r for r in group if r["kind"] == "far"])]
        print("| " + " | ".join(cells) + " |")


def some(cases, every):
    """Every so many of each kind."""
    kinds = collections.OrderedDict()
    for each in cases:
        kinds.setdefault(each["kind"], []).append(each)
    return [each for kind in kinds.values() for each in kind[::every]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--reading", default=os.path.join(HERE, "../../../shared/data/reading"))
    parser.add_argument("--folder", default=os.path.expanduser("~/.cache/libera/bench-unknown"))
    parser.add_argument("--source", help="one of squad, qed, covid, policy, tatqa")
    parser.add_argument("--stages", default="lexical,dense,fused", help="searched by themselves too")
    parser.add_argument("--fit", action="store_true", help="asks our development halves too, and fits the curves over all sources")
    parser.add_argument("--pack", help="this pack answers, or says whether what was found answers; else the documents are quoted")
    parser.add_argument("--every", type=int, default=1, help="asks every so many of a source's questions of each kind")
    parser.add_argument("--out", help="every question with what was seen of it, as JSON lines")
    options = parser.parse_args()
    stages = [stage for stage in options.stages.split(",") if stage]
    made = sources(options.reading)
    write(f"{options.folder}/documents", made)
    program = bench.Program(options.program, f"{options.folder}/home", options.packs)
    program.fill(f"{options.folder}/documents")
    program.serve()
    rows = []
    try:
        for source, (_, cases) in made.items():
            for each in some(cases, options.every) if options.source in (None, source) else []:
                rows.append(ask(program, each, [] if options.fit else stages, options.pack) | {"source": source})
    finally:
        program.end()
    if options.fit:
        rows += known(options)
    if options.out:
        with open(options.out, "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    if options.fit:
        import fitting
        fitting.report(rows, says)
    else:
        table(rows, stages)


def named(place):
    return "author " + place.split("-")[-1] if "authored" in place else "household" if "household" in place else "manuals"


def known(options):
    """Our own questions in a library of their own, which bench.py fills."""
    folder = os.path.expanduser("~/.cache/libera/bench-answers")
    if not os.path.isdir(f"{folder}/documents"):
        fetch.fetch(f"{folder}/documents")
    household.make(f"{folder}/documents")
    program = bench.Program(options.program, f"{folder}/home", options.packs)
    asked = list(ours())
    program.fill(f"{folder}/documents", {one["place"] for one in asked})
    program.serve()
    try:
        return [ask(program, one, []) | {"source": named(one["place"])} for one in asked]
    finally:
        program.end()


if __name__ == "__main__":
    main()
