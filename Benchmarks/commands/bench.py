"""Commands through the whole product, and beside others in one run.

`sixty`: sixty commands in ten minutes against a running server, done one after the other: are the last ten as fast, as small and
as right as the first? `spoken`: the utterances of exam.txt, which nobody learned from, as typed text and as several synthetic voices
say them and recognition hears them. `peers`: the same utterances understood by ours, by ours without the encoder, by hassil's
templates (ours, see templates.json) and by models that write JSON under a grammar.
"""

import argparse, http.client, json, pathlib, shutil, statistics, subprocess, sys, tempfile, time

import exam

HERE = pathlib.Path(__file__).resolve().parent

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
        self.folder = home(packs)
        self.process = subprocess.Popen([program, "serve", "--json", "--no-open", "--home", str(self.folder), "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["address"].split(":")[2].strip("/"))
        key = subprocess.run([program, "keys", "add", "bench", "--rights", "act", "--home", str(self.folder)],
                             capture_output=True, text=True, check=True)
        self.headers = {"Authorization": f"Bearer {key.stdout.strip()}", "Content-Type": "application/json"}

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


def home(packs, without=()):
    """A data folder with the packs of another, by hard links."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-bench-"))
    subprocess.run(["cp", "-al", str(packs), str(folder / "packs")], check=True)
    for name in (".staging", *without):
        shutil.rmtree(folder / "packs" / name, ignore_errors=True)
    return folder


def spoken(program, packs, lines, voices, errors):
    folder = home(packs)
    rows, texts = [], [text for text, _, _ in lines]
    try:
        def add(name, heard):
            answers = exam.understood(program, folder, [one[:2] for one in heard])
            row = exam.scores(name, lines, answers, errors, [one[0] for one in heard])
            row["heard_right"] = sum(exam.words(one[0]) == exam.words(text) for one, text in zip(heard, texts)) / len(texts)
            row["recognition_p50_ms"] = statistics.median(one[2] for one in heard)
            rows.append(row)

        add("typed", [(text, None, 0) for text in texts])
        for voice in voices:
            add(voice, exam.heard(program, folder, voice, texts, folder))
    finally:
        shutil.rmtree(folder)
    return rows


def scores(name, given, lines, times):
    """`given` holds intent and title for each line, or the line's whole frame."""
    intents = [one["intent"] for one in given]
    wanted = [line[1][0] if intent not in line[1] else intent for line, intent in zip(lines, intents)]
    f1s = []
    for intent in exam.INTENTS:
        hit = sum(one == intent == other for one, other in zip(intents, wanted))
        if wanted.count(intent):
            f1s.append(2 * hit / (intents.count(intent) + wanted.count(intent)))
    titled = [(one, line[2]) for one, line in zip(given, lines) if "title" in line[2] or "body" in line[2]]
    actions = [(one, other) for one, other in zip(intents, wanted) if other != "none"]
    return {
        "who": name, "utterances": len(lines), "macro_f1": sum(f1s) / len(f1s),
        "action_recall": sum(one == other for one, other in actions) / max(1, len(actions)),
        "false_actions": sum(one != "none" and other == "none" for one, other in zip(intents, wanted)),
        "texts_right": sum(exam.same(slots.get("title", slots.get("body")), one["text"]) for one, slots in titled) / max(1, len(titled)),
        "p50_ms": statistics.median(times), "p95_ms": quantile(times, 0.95),
    }


def with_hassil(lines):
    from hassil import Intents, recognize

    templates = Intents.from_dict(json.loads((HERE / "templates.json").read_text()))
    given, times = [], []
    for text, _, _ in lines:
        began = time.perf_counter()
        found = recognize(text, templates)
        times.append((time.perf_counter() - began) * 1000)
        slots = {name: entity.value for name, entity in found.entities.items()} if found else {}
        given.append({"intent": found.intent.name if found else "none", "text": slots.get("title", slots.get("body"))})
    return scores("hassil 3.12.1, our templates", given, lines, times)


def with_ours(name, program, packs, lines, without=()):
    folder = home(packs, without)
    try:
        # The first opens the pack.
        answers = exam.understood(program, folder, [("remind me to warm up", None)] + [(text, None) for text, _, _ in lines])[1:]
    finally:
        shutil.rmtree(folder)
    given = [{"intent": one["frame"]["intent"], "text": one["frame"]["slots"].get("title", one["frame"]["slots"].get("email_body"))} for one in answers]
    return scores(name, given, lines, [one["ms"] for one in answers])


SCHEMA = {
    "type": "object", "required": ["intent", "title", "when"], "additionalProperties": False,
    "properties": {"intent": {"enum": exam.INTENTS}, "title": {"type": "string", "maxLength": 80}, "when": {"type": "string", "maxLength": 40}},
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
    for text, _, _ in lines:
        body = {
            "model": pack, "temperature": 0, "max_tokens": 120,
            "messages": [{"role": "system", "content": ASKED}, {"role": "user", "content": f'"{text}"'}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "frame", "schema": SCHEMA}},
        }
        (answer,), took = house.call("/v1/chat/completions", body)
        times.append(took)
        try:
            frame = json.loads(answer["choices"][0]["message"]["content"])
            given.append({"intent": frame["intent"], "text": frame["title"]})
        except ValueError:
            given.append({"intent": "malformed", "text": None})
    return scores(f"{pack} writing JSON under a grammar", given, lines, times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sixty", "spoken", "peers"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--exam", type=pathlib.Path, default=HERE / "exam.txt")
    parser.add_argument("--most", type=int, default=1000, help="utterances of the exam")
    parser.add_argument("--voices", nargs="*", default=exam.VOICES)
    parser.add_argument("--errors", action="store_true", help="print every miss")
    parser.add_argument("--models", nargs="*", default=["smollm2-135m-instruct-q4_1"])
    options = parser.parse_args()
    lines = exam.read(options.exam)
    lines = lines[:: -(-len(lines) // options.most)]
    if options.part == "spoken":
        rows = spoken(options.program, options.packs, lines, options.voices, options.errors)
    elif options.part == "peers":
        rows = [
            with_ours("ours", options.program, options.packs, lines),
            with_ours("ours, the classifier alone", options.program, options.packs, lines, ["all-minilm-l6-v2-f16"]), with_hassil(lines),
        ]
    if options.part == "sixty" or options.part == "peers" and options.models:
        house = House(options.program, options.packs)
        try:
            if options.part == "sixty":
                rows = sixty(house, options.minutes)
            else:
                rows += [with_model(house, pack, lines) for pack in options.models]
        finally:
            house.close()
    names = list(dict.fromkeys(name for row in rows for name in row))
    print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for row in rows:
        values = [row.get(name, "") for name in names]
        print("| " + " | ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in values) + " |")


if __name__ == "__main__":
    main()
