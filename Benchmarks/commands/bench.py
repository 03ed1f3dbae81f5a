"""Commands through the whole product, and beside others in one run.

`sixty`: sixty commands in ten minutes against a running server, done one after the other: are the last ten as fast, as small and
as right as the first? `peers`: what ours, hassil's templates (ours, see templates.json) and a small model that writes JSON under a
grammar make of utterances that none of them learned from: those of SLURP's development half that do not stand in HWU64 word for
word. Ours judges them with the shipped tables, which have seen these utterances: its line here is for speed; how right it is on
sources it has not seen is what the trainer measures.
"""

import argparse, http.client, json, pathlib, shutil, statistics, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
INTENTS = ["create_event", "add_reminder", "create_note", "read_email", "send_email", "none"]

# Ten kinds, six of each; the wording differs, the kind decides what is right.
KINDS = [
    ("add_reminder", "remind me tomorrow at {n} to call {p}"), ("create_event", "schedule a meeting with {p} on friday at {n}"),
    ("create_note", "make a note that the code of door {n} is with {p}"), ("send_email", "send an email to {p} saying i am {n} minutes late"),
    ("read_email", "do i have any new emails from {p}"), ("none", "what is on my calendar in {n} days"),
    ("none", "cancel the dinner with {p} at {n}"), ("add_reminder", "don't let me forget to pay {p} in {n} hours"),
    ("create_event", "put lunch with {p} on my calendar on the {n}th of june"), ("none", "tell me a joke about {p} and {n} penguins"),
]
PEOPLE = ["anna", "ben", "carla", "david", "emma", "frank"]
NUMBERS = [4, 5, 6, 7, 8, 9]


class House:
    def __init__(self, program, packs):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-bench-"))
        subprocess.run(["cp", "-al", str(packs), str(self.folder / "packs")], check=True)
        shutil.rmtree(self.folder / "packs/.staging", ignore_errors=True)
        self.process = subprocess.Popen([program, "serve", "--json", "--no-open", "--home", str(self.folder), "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["address"].split(":")[2].strip("/"))
        token = json.loads(subprocess.run([program, "token", "--json", "--home", str(self.folder)], capture_output=True).stdout)["token"]
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def call(self, path, body):
        line = http.client.HTTPConnection("127.0.0.1", self.port)
        began = time.perf_counter()
        line.request("POST", path, json.dumps(body), self.headers)
        answer = line.getresponse()
        events = [json.loads(one) for one in answer.read().decode().splitlines() if one]
        if answer.status != 200 or any("error" in event for event in events):
            sys.exit(f"{path}: {events}")
        return events, (time.perf_counter() - began) * 1000

    def memory(self):
        """Of the server and all it started, in MB."""
        parents, sizes = {}, {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                sizes[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * 4096 / 1e6
            except OSError:
                continue
        ours = {self.process.pid}
        while more := {one for one, parent in parents.items() if parent in ours} - ours:
            ours |= more
        return sum(sizes.get(one, 0) for one in ours)


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def sixty(house, minutes):
    house.call("/api/understand", {"text": "remind me to warm up"})
    rows, began = [], time.perf_counter()
    for number in range(60):
        time.sleep(max(0, began + number * minutes * 60 / 60 - time.perf_counter()))
        round_, kind = divmod(number, 10)
        wanted, text = KINDS[kind]
        text = text.format(n=NUMBERS[round_], p=PEOPLE[round_])
        (event,), _ = house.call("/api/understand", {"text": text})
        (done,), took = house.call("/api/do", {"text": text, "confirmed": wanted != "none", "id": f"bench-{number}"})
        intent = json.loads(done["frame"])["intent"]
        right = intent == wanted and (wanted == "none") == (done.get("action") is None)
        rows.append({"text": text, "ms": took, "understood_ms": event["ms"], "right": right, "memory_mb": house.memory()})
        if not right:
            print("wrong:", text, done["frame"], file=sys.stderr)
    result = []
    for name, part in (("first ten", rows[:10]), ("last ten", rows[-10:]), ("all sixty", rows)):
        result.append({
            "which": name, "right": sum(row["right"] for row in part), "of": len(part),
            "understood_p50_ms": statistics.median(row["understood_ms"] for row in part),
            "understood_p95_ms": quantile([row["understood_ms"] for row in part], 0.95),
            "done_p50_ms": statistics.median(row["ms"] for row in part), "done_p95_ms": quantile([row["ms"] for row in part], 0.95),
            "memory_mb": max(row["memory_mb"] for row in part),
        })
    return result


def label(line):
    fine = line["label"]
    if fine == "calendar_set":
        return "add_reminder" if "remind" in line["text"] else "create_event"
    return {"email_sendemail": "send_email", "email_query": "read_email"}.get(fine, "none")


def judged(corpora, most):
    known = {json.loads(line)["text"] for line in open(corpora / "hwu64-clean.jsonl")}
    lines = [json.loads(line) for line in open(corpora / "slurp-devel.jsonl")]
    lines = [(line["text"], label(line)) for line in lines if line["text"] not in known]
    commands = [one for one in lines if one[1] != "none"]
    others = [one for one in lines if one[1] == "none"]
    return (commands + others[:: max(1, len(others) // max(1, len(commands) * 2))])[:most]


def scores(name, given, lines, times):
    f1s = []
    for intent in INTENTS:
        hit = sum(one == intent == wanted for one, (_, wanted) in zip(given, lines))
        both = sum(one == intent for one in given) + sum(wanted == intent for _, wanted in lines)
        if any(wanted == intent for _, wanted in lines):
            f1s.append(2 * hit / max(1, both))
    actions = [(one, wanted) for one, (_, wanted) in zip(given, lines) if wanted != "none"]
    return {
        "who": name, "utterances": len(lines), "macro_f1": sum(f1s) / len(f1s),
        "action_recall": sum(one == wanted for one, wanted in actions) / max(1, len(actions)),
        "false_actions": sum(one != "none" and wanted == "none" for one, (_, wanted) in zip(given, lines)),
        "p50_ms": statistics.median(times), "p95_ms": quantile(times, 0.95),
    }


def with_hassil(lines):
    from hassil import Intents, recognize

    templates = Intents.from_dict(json.loads((HERE / "templates.json").read_text()))
    given, times = [], []
    for text, _ in lines:
        began = time.perf_counter()
        found = recognize(text, templates)
        times.append((time.perf_counter() - began) * 1000)
        given.append(found.intent.name if found else "none")
    return scores("hassil 3.12.1, our templates", given, lines, times)


def with_ours(house, lines):
    given, times = [], []
    for text, _ in lines:
        (event,), _ = house.call("/api/understand", {"text": text})
        given.append(json.loads(event["frame"])["intent"])
        times.append(event["ms"])
    return scores("ours, as shipped (has learned from these)", given, lines, times)


SCHEMA = {
    "type": "object", "required": ["intent", "title", "when"], "additionalProperties": False,
    "properties": {"intent": {"enum": INTENTS}, "title": {"type": "string", "maxLength": 80}, "when": {"type": "string", "maxLength": 40}},
}
ASKED = """Say as JSON what the user wants. intent is one of create_event, add_reminder, create_note, read_email, send_email, or none
for everything else. Examples:
"remind me to water the plants at six" {"intent": "add_reminder", "title": "water the plants", "when": "at six"}
"book a table for friday night" {"intent": "create_event", "title": "table", "when": "friday night"}
"any mail from the bank" {"intent": "read_email", "title": "the bank", "when": ""}
"write to mum that we arrived" {"intent": "send_email", "title": "we arrived", "when": ""}
"note that the paint is called ivory" {"intent": "create_note", "title": "the paint is called ivory", "when": ""}
"play some jazz" {"intent": "none", "title": "", "when": ""}"""


def with_model(house, pack, lines):
    given, times = [], []
    for text, _ in lines:
        body = {
            "model": pack, "temperature": 0, "max_tokens": 120,
            "messages": [{"role": "system", "content": ASKED}, {"role": "user", "content": f'"{text}"'}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "frame", "schema": SCHEMA}},
        }
        (answer,), took = house.call("/v1/chat/completions", body)
        times.append(took)
        try:
            given.append(json.loads(answer["choices"][0]["message"]["content"])["intent"])
        except ValueError:
            given.append("malformed")
    return scores(f"{pack} writing JSON under a grammar", given, lines, times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sixty", "peers"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--corpora", type=pathlib.Path, default=HERE.parent.parent.parent / "shared/data/commands")
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--models", nargs="*", default=["smollm2-135m-instruct-q4_1"])
    options = parser.parse_args()
    house = House(options.program, options.packs)
    try:
        if options.part == "sixty":
            rows = sixty(house, options.minutes)
        else:
            lines = judged(options.corpora, options.most)
            rows = [with_ours(house, lines), with_hassil(lines)]
            rows += [with_model(house, pack, lines[:: max(1, len(lines) // 150)]) for pack in options.models]
    finally:
        house.close()
    names = list(rows[0])
    print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(f"{row[name]:.3g}" if isinstance(row[name], float) else str(row[name]) for name in names) + " |")


main()
