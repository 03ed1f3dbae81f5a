"""What was understood of exam.txt, held against what a person would expect: typed, and spoken by synthesis and heard by recognition.

Each line is `words => intent; slot=…; slot=…`, as the head of exam.txt says. A text counts as right when its words are the ones
expected, articles, case and marks aside; a time when it begins where it should.
"""

import json, pathlib, re, statistics, subprocess, wave

NOW = "2026-11-18T10:00:00"
INTENTS = ["create_event", "add_reminder", "create_note", "read_email", "send_email", "set_alarm", "none"]
# name in the list, slots of a frame
SMALL = {"a", "an", "the", "my"}
UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = {name: 20 + 10 * place for place, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}


def read(path):
    lines = []
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            text, _, rest = line.partition(" => ")
            intents, *slots = [part.strip() for part in rest.split(";")]
            lines.append((text, intents.split("|"), dict(slot.split("=", 1) for slot in slots)))
    return lines


def words(text):
    """Recognition writes numbers in digits and marks of its own."""
    found = []
    for word in re.findall(r"[\w@.]+", re.sub(r"['’]", "", text.lower())):
        word = word.strip(".")
        number = UNITS.index(word) if word in UNITS else TENS.get(word)
        if number is not None and found and found[-1] in map(str, TENS.values()) and number < 10:
            found[-1] = str(int(found[-1]) + number)
        elif word and word not in SMALL:
            found.append(word if number is None else str(number))
    return found


def same(wanted, given):
    """One of the wordings between bars; a star at an end stands for any words."""
    for one in wanted.split("|"):
        want, got = words(one.strip("*")), words(given or "")
        if not got:
            continue
        at = [place for place in range(len(got) - len(want) + 1) if got[place:place + len(want)] == want]
        if one.startswith("*") and one.endswith("*") and at or one.startswith("*") and at and at[-1] == len(got) - len(want):
            return True
        if one.endswith("*") and 0 in at or want == got:
            return True
    return False


def judged(line, answer):
    """Per slot what was found, given and wanted; and whether the frame is right as a whole."""
    _, intents, wanted = line
    frame = answer["frame"]
    given = frame["slots"]
    begins = (given.get("datetime_point") or given.get("datetime_range") or "")
    slots, remarks = {}, []
    right = frame["intent"] in intents

    def count(name, hit, has, wants):
        nonlocal right
        slots[name] = (int(hit and has and wants), int(has), int(wants))
        if (has or wants) and not (hit and has and wants):
            right = False
            remarks.append(name)

    if not right:
        remarks.append(frame["intent"])
    elif frame["intent"] != "none":
        intent = frame["intent"]
        if intent in ("create_event", "add_reminder", "create_note", "set_alarm"):
            want = wanted.get("body" if intent == "create_note" else "title")
            count("note" if intent == "create_note" else "title", same(want or "", given.get("title")), "title" in given, want is not None)
        if intent in ("create_event", "add_reminder", "set_alarm"):
            at = wanted.get("at", "any")
            hit = at == "any" or any(begins.startswith(one) for one in at.split("|"))
            if at != "any" or begins:
                count("time", hit, bool(begins), at != "-")
        if intent == "send_email":
            for name, slot in (("subj", "email_subject"), ("body", "email_body")):
                count(slot, same(wanted.get(name, ""), given.get(slot)), slot in given, name in wanted)
            want = [[words(one) for one in some.split(",")] for some in wanted.get("to", "").split("|")]
            got = [words(one) for one in given.get("email_to", [])]
            count("email_to", got in want or wanted.get("to") == "*", bool(got), "to" in wanted)
        if "dur" in wanted and length(given) != int(wanted["dur"]):
            right = False
            remarks.append("duration")
        if "rec" in wanted and not answer.get("recurrence"):
            right = False
            remarks.append("recurrence")
        if "from" in wanted and not same(wanted["from"], answer.get("email_from")):
            right = False
            remarks.append("from")
    return right, slots, remarks


def length(slots):
    if "duration_min" in slots:
        return slots["duration_min"]
    ends = re.findall(r"(\d+)-(\d+)-(\d+)T(\d+):(\d+)", slots.get("datetime_range", ""))
    minutes = [int(end[2]) * 1440 + int(end[3]) * 60 + int(end[4]) for end in ends]
    return minutes[1] - minutes[0] if len(minutes) == 2 else None


def understood(program, home, lines):
    """`lines` are texts with the recogniser's confidence or none."""
    asked = "\n".join(
        json.dumps({"id": str(number), "now": NOW, "text": text} | ({} if heard is None else {"asr_confidence": heard}))
        for number, (text, heard) in enumerate(lines))
    done = subprocess.run([program, "understand", "--json", "--home", str(home)], input=asked + "\n", capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def scores(name, lines, answers, errors=False, heard=None):
    f1s, slots, bins = [], {}, [[] for _ in range(10)]
    right, accepted, wrong, unasked, good, below, times = 0, 0, 0, 0, 0, 0, []
    results = [judged(line, answer) for line, answer in zip(lines, answers)]
    given = [answer["frame"]["intent"] for answer in answers]
    wanted = [line[1][0] if intent not in line[1] else intent for line, intent in zip(lines, given)]
    for intent in INTENTS:
        both = given.count(intent) + wanted.count(intent)
        if wanted.count(intent):
            f1s.append(2 * sum(one == other == intent for one, other in zip(given, wanted)) / both)
    for place, (line, answer, (whole, found, remarks)) in enumerate(zip(lines, answers, results)):
        times.append(answer["ms"])
        confidence = answer["frame"]["policy"]["confidence"]
        for slot, counts in found.items():
            slots[slot] = [one + other for one, other in zip(slots.get(slot, (0, 0, 0)), counts)]
        if given[place] != "none":
            bins[min(9, int(confidence * 10))].append((confidence, whole))
            accepted += confidence >= 0.91
            wrong += confidence >= 0.91 and not whole
            unasked += answer["decision"] == "act" and not whole
        if wanted[place] != "none":
            right += whole
            good += whole
            below += whole and confidence < 0.91
        if errors and not whole:
            print(f"{'!' if confidence >= 0.91 and given[place] != 'none' else ' '} {line[0]}" + (f" [heard: {heard[place]}]" if heard else ""))
            print(f"      {' '.join(remarks)}: {json.dumps(answer['frame'])} {answer.get('recurrence') or ''}")
    actions = [(one, other) for one, other in zip(given, wanted) if other != "none"]
    frames = sum(len(part) for part in bins)
    hits = sum(one == other for one, other in actions)
    ordered = sorted(times)
    return {
        "on": name, "utterances": len(lines), "macro_f1": sum(f1s) / len(f1s), "action_recall": hits / max(1, len(actions)),
        "action_precision": hits / max(1, len(lines) - given.count("none")), "whole_frames": right / max(1, len(actions)),
    } | {
        f"{slot}_f1": 2 * found / max(1, has + wants) for slot, (found, has, wants) in sorted(slots.items())
    } | {
        "accepted": accepted, "wrong_accepted": wrong, "wrong_unasked": unasked, "good_below": below / max(1, good),
        "ece": sum(abs(sum(one - hit for one, hit in part)) for part in bins) / max(1, frames),
        "p50_ms": statistics.median(times), "p95_ms": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
    }


# Real synthesis, real recognition

VOICES = ["espeak-ng:en-gb", "flite:slt", "flite:rms"]


def spoken(voice, text, file):
    engine, name = voice.split(":")
    command = ["espeak-ng", "-v", name, "-w", file, text] if engine == "espeak-ng" else ["flite", "-voice", name, "-t", text, "-o", file]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    with wave.open(str(file), "rb") as sound:
        return sound.getnframes() / sound.getframerate()


def heard(program, home, voice, texts, folder):
    """Words, their confidence and the milliseconds of recognition for every text, as this voice says it."""
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"{voice.replace(':', '-')}-{number}.wav")
        spoken(voice, text, files[-1])
    done = subprocess.run([program, "transcribe", "--json", "--language", "en", "--home", str(home)] + list(map(str, files)),
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [(one["text"].strip(), one["all_right"], one["timings"]["decode_ms"]) for one in answers]
