"""Asks our questions about real documents through the program as a person has it, and says how the answers were.

Two halves, divided by document: numbers are fitted on the development half, beside other sources (unknown.py --fit), and published
on the test half.
"""

import argparse, json, os, platform, re, shutil, subprocess, sys, time, urllib.request, uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fetch, household, two


def plain(text):
    return re.sub(r"\s+", " ", text).casefold()


def holds(text, expected):
    return any(plain(each) in plain(text) for each in expected)


class Program:
    """The program with a library of its own; a server keeps the models loaded between questions."""

    def __init__(self, program, home, packs):
        self.program, self.home = program, home
        os.makedirs(home, exist_ok=True)
        shutil.rmtree(f"{home}/packs", ignore_errors=True)
        subprocess.run(["cp", "-al", packs, f"{home}/packs"], check=True)
        shutil.rmtree(f"{home}/packs/.staging", ignore_errors=True)
        self.server = None

    def run(self, *words):
        out = subprocess.run([self.program, *words, "--home", self.home, "--json"], capture_output=True, text=True)
        if out.returncode != 0:
            sys.exit(f"libera {' '.join(words)}: {out.stderr or out.stdout}")
        return [json.loads(line) for line in out.stdout.splitlines()]

    def fill(self, folder, wanted=None):
        """Takes in each part of the folder, or those that are wanted."""
        known = {item["collection"] for item in self.run("documents", "list")} if self.vault() else set()
        for half in sorted(os.listdir(folder)):
            if half not in known and (wanted is None or half in wanted):
                print(f"importing {half}", file=sys.stderr)
                for event in self.run("import", f"{folder}/{half}", "--collection", half):
                    if event["event"] in ("failed", "summary"):
                        print(json.dumps(event), file=sys.stderr)

    def vault(self):
        return os.path.exists(f"{self.home}/vault.sqlite")

    def serve(self):
        self.server = subprocess.Popen(
            [self.program, "serve", "--no-open", "--port", "0", "--home", self.home, "--json"], stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.server.stdout.readline())["address"]

    def end(self):
        if self.server:
            if hasattr(self, "made"):
                self.run("keys", "revoke", self.keyed)
                del self.made
            self.server.terminate()
            self.server.wait()
            self.server = None

    def ask(self, question, collection, *words):
        began = time.monotonic()
        record = self.run("ask", question, "--collection", collection, *words)[0]
        record["wall_ms"] = (time.monotonic() - began) * 1000
        return record

    def key(self):
        """Made at the first use; a key's secret is shown once."""
        if not hasattr(self, "made"):
            self.keyed = f"bench-{uuid.uuid4().hex[:8]}"
            self.made = self.run("keys", "add", self.keyed, "--rights", "ask,embed")[0]["key"]
        return self.made

    def post(self, path, body):
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.key()}
        with urllib.request.urlopen(urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)) as reply:
            return [json.loads(line) for line in reply]

    def explained(self, question, collection, pack=None):
        """The sentences as they were weighed, and the record; without a pack the documents are quoted."""
        body = {"question": question, "collection": collection, "task": "documents", "explain": True}
        body.update({"pack": pack} if pack else {"provider": "extractive"})
        events = self.post("api/ask", body)
        considered = next((e["considered"] for e in events if e.get("considered") is not None), [])
        return considered, next(e["done"] for e in events if e.get("done"))


def judge(question, record):
    """What was right about one answer; None where it does not apply."""
    answerable = question["document"] is not None
    row = {"id": question["id"], "answerable": answerable, "abstained": record["abstained"]}
    row["answer"] = answerable and not record["abstained"] and holds(record["answer"], question["expect"])

    def hits(citation):
        if os.path.basename(citation["document"]) != question["document"]:
            return False
        if question["pages"]:
            return citation["page"] in question["pages"]
        return holds(citation["text"], question["expect"])

    if answerable:
        row["hit1"] = any(hits(c) for c in record["citations"][:1])
        row["hit3"] = any(hits(c) for c in record["citations"][:3])
        row["found"] = any(hits(c) for c in record["citations"])
    if not record["abstained"]:
        sentences = record["sentences"]
        row["sentences"] = len(sentences)
        row["supported"] = sum(s["supported"] for s in sentences)
    for name in ("first_evidence_ms", "first_token_ms", "total_ms"):
        row[name] = record["timings"][name]
    row["provider"] = record["provider"]
    return row


def percentile(values, part):
    values = sorted(v for v in values if v is not None)
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


def summary(rows):
    answerable = [r for r in rows if r["answerable"]]
    abstained = [r for r in rows if r["abstained"]]
    wrong = [r for r in rows if not r["answerable"]]
    sentences = sum(r.get("sentences", 0) for r in rows)

    def part(rows, name):
        return sum(bool(r[name]) for r in rows) / len(rows) if rows else None

    result = {
        "questions": len(rows),
        "answer": part(answerable, "answer"),
        "hit1": part(answerable, "hit1"),
        "hit3": part(answerable, "hit3"),
        "support": sum(r.get("supported", 0) for r in rows) / sentences if sentences else None,
        "abstention_precision": sum(not r["answerable"] for r in abstained) / len(abstained) if abstained else None,
        "abstention_recall": sum(r["abstained"] for r in wrong) / len(wrong) if wrong else None,
        "written_by_model": sum(r["provider"] == "local" for r in rows) / len(rows),
    }
    for name in ("first_evidence_ms", "first_token_ms", "total_ms"):
        result[name] = [percentile([r[name] for r in rows], 0.5), percentile([r[name] for r in rows], 0.95)]
    return result


# MARK: Kinds of turn


def turns(program):
    """The tables of turns, through the program: recognised, and what came of them."""
    tables = {}
    for line in open(f"{HERE}/turns.jsonl"):
        case = json.loads(line)
        table = tables.setdefault(case["kind"], {"cases": 0, "recognised": 0, "good": 0, "ms": []})
        conversation = str(uuid.uuid4())
        for before in case.get("before", []):
            program.ask(before, "development", "--conversation", conversation)
        record = program.ask(case["question"], "development", "--conversation", conversation)
        task = {"follow_up": "documents"}.get(case["kind"], case["kind"])
        table["cases"] += 1
        table["recognised"] += record["task"] == task
        table["good"] += good(case, record)
        table["ms"].append(record["timings"]["total_ms"])
        if not good(case, record):
            print(f"  {case['kind']}: {case['question'][:70]!r} -> {record['task']}, {record['answer'][:90]!r}", file=sys.stderr)
    for kind, table in tables.items():
        print(
            f"| {kind} | {table['cases']} | {table['recognised'] / table['cases']:.2f} | {table['good'] / table['cases']:.2f} "
            f"| {percentile(table['ms'], 0.5):.0f} | {percentile(table['ms'], 0.95):.0f} |")


def good(case, record):
    text, wish = record["answer"], case.get("wish", {})
    if "holds" in wish and not holds(text, wish["holds"]):
        return False
    if "shorter_than" in wish and not 0 < len(text) < wish["shorter_than"]:
        return False
    if "lines" in wish and len([line for line in text.splitlines() if line.strip()]) < wish["lines"]:
        return False
    if "document" in wish and not all(os.path.basename(c["document"]) == wish["document"] for c in record["citations"]):
        return False
    if "citations" in wish and len(record["citations"]) < wish["citations"]:
        return False
    if "completed" in wish and not holds(record["completed_question"], wish["completed"]):
        return False
    return bool(text)


# MARK: All of it


def shown(value, digits=2):
    if value is None:
        return "–"
    return "/".join(shown(v, 0) for v in value) if isinstance(value, list) else f"{value:.{digits}f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--folder", default=os.path.expanduser("~/.cache/libera/bench-answers"))
    parser.add_argument("--half", default="test", choices=["test", "development", "strangers", "authored"])
    parser.add_argument("--only", help="household, or development or test for the manuals of that half alone")
    parser.add_argument("--mode", default="fast")
    parser.add_argument("--turns", action="store_true", help="the tables of turns alone")
    parser.add_argument("--two", nargs="+", metavar="HALF", help="questions for two things at once alone, of these halves; --limit: how many")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--providers", help="comma-separated: extractive, or ids of packs")
    parser.add_argument("--wrong", action="store_true", help="print every question that was not answered rightly")
    parser.add_argument("--out", help="write the result as JSON")
    parser.add_argument("--rows", help="write what came of every question, and the signals it was decided by, as JSON lines")
    options = parser.parse_args()

    if not os.path.isdir(f"{options.folder}/documents"):
        fetch.fetch(f"{options.folder}/documents")
    household.make(f"{options.folder}/documents")
    program = Program(options.program, f"{options.folder}/home", options.packs)
    questions = [json.loads(line) for line in open(f"{HERE}/questions.jsonl")] + household.questions()
    halves = (options.half, f"household-{options.half}") + (("household-mixed",) if options.half == "development" else ())
    questions = [q for q in questions if q["half"].startswith(options.only or halves) and q["half"].startswith(halves)]
    questions = questions[: options.limit]
    if options.two:
        questions = [q for q in household.questions() if q["half"] in options.two]
    program.fill(f"{options.folder}/documents", {q["half"] for q in questions} | ({"development"} if options.turns else set()))
    program.serve()
    try:
        if options.turns:
            print("| turns | cases | recognised | as wished | p50 ms | p95 ms |\n|---|---|---|---|---|---|")
            return turns(program)
        if options.two:
            return two.ask(program, options.two, questions, options.limit or 20, options.mode, holds)
        packs = [p["id"] for p in program.run("packs", "list") if p["kind"] == "chat" and p["installed"]]
        providers = options.providers.split(",") if options.providers else ["extractive"] + packs
        if missing := [provider for provider in providers if provider not in ["extractive"] + packs]:
            sys.exit(f"not installed in {options.packs}: {', '.join(missing)}")
        results = {"half": options.half, "mode": options.mode, "machine": platform.processor() or platform.machine()}
        sets = {}
        for question in questions:
            sets.setdefault(question.get("kind", "manuals"), []).append(question)
        print(", ".join(f"{len(part)} questions, {name}" for name, part in sets.items()) + f", {options.half} half, {options.mode}")
        print(
            "| | about | answer | hit@1 | hit@3 | support | abstention precision | recall | by the model | first evidence p50/p95 ms "
            "| first token | last sentence |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
        for provider in providers:
            words = ["--mode", options.mode]
            words += ["--provider", "extractive"] if provider == "extractive" else ["--pack", provider]
            program.ask(questions[0]["question"], questions[0]["half"], *words)  # loads what is to be loaded
            rows = {name: [] for name in sets}
            for name, question in ((name, q) for name, part in sets.items() for q in part):
                record = program.ask(question["question"], question["half"], *words)
                row = judge(question, record)
                rows[name].append(row)
                if options.rows:
                    with open(options.rows, "a") as file:
                        file.write(json.dumps(row | {"signals": record.get("signals"), "confidence": record["confidence"]}) + "\n")
                wrong = row["abstained"] == row["answerable"] or row["answerable"] and not (row["answer"] and row["hit1"])
                if options.wrong and wrong:
                    first = record["citations"][0] if record["citations"] else {}
                    print(
                        f"  {row['id']} {'abstained' if row['abstained'] else ''} answer={row['answer']} hit1={row.get('hit1')} "
                        f"found={row.get('found')} conf={record['confidence']} {question['question']}\n      -> "
                        f"{record['answer'][:300]!r} [{first.get('document')} p{first.get('page')}]", file=sys.stderr)
            results[provider] = {name: summary(part) for name, part in rows.items() if part}
            for name, result in results[provider].items():
                print(
                    f"| {provider} | {name} | " + " | ".join(
                        shown(result[value]) for value in (
                            "answer", "hit1", "hit3", "support", "abstention_precision", "abstention_recall",
                            "written_by_model", "first_evidence_ms", "first_token_ms", "total_ms")) + " |", flush=True)
            results[provider]["third_turn_ms"] = third_turn(program, questions, words)
            third = results[provider]["third_turn_ms"]
            print(
                f"  third turn of a conversation: first evidence {shown(third['first_evidence_ms'])}, first token "
                f"{shown(third['first_token_ms'])}, last sentence {shown(third['total_ms'])} ms")
        program.end()
        for provider in providers:
            words = ["--provider", "extractive"] if provider == "extractive" else ["--pack", provider]
            cold = [program.ask(q["question"], q["half"], *words) for q in questions[:5]]
            results[provider]["cold_ms"] = {
                name: percentile([r["timings"][name] for r in cold], 0.5)
                for name in ("first_evidence_ms", "first_token_ms", "total_ms")}
            print(f"  {provider}, cold, the program just started: {json.dumps(results[provider]['cold_ms'])}")
        if options.out:
            json.dump(results, open(options.out, "w"), indent=1)
    finally:
        program.end()


def third_turn(program, questions, words):
    """Times of the third question of conversations about documents."""
    records = []
    for start in range(0, min(30, len(questions) - 2), 3):
        conversation = str(uuid.uuid4())
        for question in questions[start : start + 3]:
            record = program.ask(question["question"], question["half"], "--conversation", conversation, *words)
        records.append(record)
    return {
        name: [percentile([r["timings"][name] for r in records], part) for part in (0.5, 0.95)]
        for name in ("first_evidence_ms", "first_token_ms", "total_ms")}


if __name__ == "__main__":
    main()
