"""How well and how soon speech becomes words, through the whole product, beside others in one run.

Starts the server in a folder of its own with the packs given. Accuracy: every file is recognised by our server (the best pack
and the small one), by whisper.cpp's own whisper-cli with its full context and f16 weights, and by Moonshine; in turn, file
by file where a program allows it. Latency: recordings are fed in real time over HTTP as the page feeds them, and words are taken
from the page's stream of events. Word errors are counted after OpenAI's text normaliser, intervals are bootstrapped over files.
"""

import argparse, base64, gzip, http.client, json, os, pathlib, random, shutil, subprocess, sys, tempfile, threading, time

import numpy
from whisper_normalizer.english import EnglishTextNormalizer

from speech_peers import RATE, moonshine, pcm, samples, whisper_cli

HERE = pathlib.Path(__file__).resolve().parent
TICK = os.sysconf("SC_CLK_TCK")
normal = EnglishTextNormalizer()


# Sound

def end_of_speech(sound):
    """Where the last sound louder than a hundredth of the loudest ends, in seconds."""
    loud = numpy.flatnonzero(numpy.abs(sound) > numpy.abs(sound).max() / 100)
    return (loud[-1] + 1) / RATE


# Word errors

def words(text):
    return normal(text).split()


def distance(heard, said):
    row = list(range(len(heard) + 1))
    for place, word in enumerate(said):
        diagonal, row[0] = row[0], place + 1
        for index, other in enumerate(heard):
            cost = min(diagonal + (other != word), row[index] + 1, row[index + 1] + 1)
            diagonal, row[index + 1] = row[index + 1], cost
    return row[-1]


def rate(errors, counts, again=2000):
    """Percent, with the interval in which 95 of 100 resamplings of the files lie."""
    errors, counts = numpy.array(errors, float), numpy.array(counts, float)
    picks = numpy.random.default_rng(1).integers(0, len(errors), (again, len(errors)))
    rates = numpy.sort(errors[picks].sum(1) / numpy.maximum(1, counts[picks].sum(1))) * 100
    return {"percent": errors.sum() / max(1, counts.sum()) * 100, "low": rates[again // 40], "high": rates[-again // 40]}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


# Our side

class House:
    def __init__(self, program, packs, threads):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-bench-"))
        subprocess.run(["cp", "-al", str(packs), str(self.folder / "packs")], check=True)
        shutil.rmtree(self.folder / "packs/.staging", ignore_errors=True)
        (self.folder / "settings.json").write_text(json.dumps({"threads": threads}))
        self.process = subprocess.Popen([program, "serve", "--json", "--no-open", "--home", str(self.folder), "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["address"].split(":")[2].strip("/"))
        token = json.loads(subprocess.run([program, "token", "--json", "--home", str(self.folder)], capture_output=True).stdout)["token"]
        self.headers = {"Authorization": f"Bearer {token}"}

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def line(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def transcribe(self, file, model):
        """The text, and the seconds the product itself worked."""
        edge = "libera-bench"
        body = b""
        for name, value in (("model", model), ("language", "en")):
            body += f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        body += f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'.encode()
        body += pathlib.Path(file).read_bytes() + f"\r\n--{edge}--\r\n".encode()
        line = self.line()
        began = time.perf_counter()
        line.request("POST", "/v1/audio/transcriptions", body, {**self.headers, "Content-Type": f"multipart/form-data; boundary={edge}"})
        answer = json.loads(line.getresponse().read())
        if "error" in answer:
            sys.exit(f"{file}: {answer['error']}")
        return answer["text"], time.perf_counter() - began

    def worker(self):
        """The speech worker's process: the youngest of our descendants that was started as one."""
        for entry in sorted(pathlib.Path("/proc").glob("[0-9]*"), key=lambda one: -int(one.name)):
            try:
                if b"speech" not in (entry / "cmdline").read_bytes() or b"libera-worker" not in (entry / "cmdline").read_bytes():
                    continue
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if parent == self.process.pid:
                return int(entry.name)
        return None

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.worker()}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self):
        return int(pathlib.Path(f"/proc/{self.worker()}/statm").read_text().split()[1]) * 4096 / 1e6

    def listen(self, sound, real_time=True):
        """Feeds sound as the page does and returns the events with the milliseconds since its first sample."""
        session = f"bench-{random.getrandbits(64):x}"
        events, opened = [], threading.Event()
        start = [None]

        def watch():
            line = self.line()
            line.request("POST", "/api/listen", json.dumps({"session": session, "holds": True}), {**self.headers, "Content-Type": "application/json"})
            for text in line.getresponse():
                event = json.loads(text)
                if event.get("opened"):
                    opened.set()
                if "error" in event:
                    opened.set()
                    raise RuntimeError(event["error"])
                events.append(((time.perf_counter() - start[0]) * 1000 if start[0] else 0, event))

        watcher = threading.Thread(target=watch)
        watcher.start()
        opened.wait()
        data, sent, line = pcm(sound), 0, self.line()
        start[0] = time.perf_counter()
        while sent < len(data):
            if real_time:
                # What the microphone has given by now, in whole pieces of 32 ms; at least one.
                due = start[0] + (sent + 1024) / RATE / 2
                time.sleep(max(0, due - time.perf_counter()))
                most = int((time.perf_counter() - start[0]) * RATE * 2) // 1024 * 1024
                piece = data[sent:max(sent + 1024, min(most, sent + 32768))]
            else:
                piece = data[sent:sent + 65536]
            sent += len(piece)
            body = {"session": session, "at": sent - len(piece), "sound": base64.b64encode(piece).decode(), "end": sent == len(data)}
            line.request("POST", "/api/listen-sound", json.dumps(body), {**self.headers, "Content-Type": "application/json"})
            answer = line.getresponse()
            if answer.status != 200:
                raise RuntimeError(answer.read())
            answer.read()
        watcher.join()
        return events


def latency(house, clips):
    finals, firsts, gaps, errors, counts, discarded, changed, partials = [], [], [], [], [], [0, 0.0], 0, 0
    noticed, decodes, late = [], [], []
    house.listen(numpy.zeros(RATE, numpy.float32), real_time=False)  # the packs are loaded
    before, heard_seconds = house.processor_seconds(), 0
    for file, said in clips:
        sound = samples(file)
        lead = 0.5
        whole = numpy.concatenate([numpy.zeros(int(RATE * lead), numpy.float32), sound, numpy.zeros(RATE * 3 // 2, numpy.float32)])
        heard_seconds += len(whole) / RATE
        text, last, shown = [], None, None
        for at, event in house.listen(whole):
            if partial := event.get("partial"):
                partials += 1
                if shown and shown[0] == partial["utterance"]:
                    gaps.append(at - shown[2])
                    changed += not partial["confirmed"].startswith(shown[1])
                elif shown is None:
                    firsts.append(at - lead * 1000)
                shown = (partial["utterance"], partial["confirmed"], at)
            if (final := event.get("final")) and final["text"]:
                text.append(final["text"])
                last = (at, final)
            if done := event.get("done"):
                discarded[0] += done["discarded"]
                discarded[1] += done["discarded_ms"]
        if last is not None:
            at, final = last
            true_end = (lead + end_of_speech(sound)) * 1000
            finals.append(at - true_end)
            noticed.append(final["end"] - true_end)
            decodes.append(final["timings"]["decode_ms"])
            late.append(final["timings"]["late_ms"])
        errors.append(distance(words(" ".join(text)), words(said)))
        counts.append(len(words(said)))
    return {
        "commands": len(clips), "settled_ms": {"p50": quantile(finals, .5), "p95": quantile(finals, .95)},
        "noticed_ms": {"p50": quantile(noticed, .5), "p95": quantile(noticed, .95)},
        "decode_ms": {"p50": quantile(decodes, .5), "p95": quantile(decodes, .95)},
        "late_ms": {"p50": quantile(late, .5), "p95": quantile(late, .95)},
        "within_450_ms": int(sum(one <= 450 for one in finals)),
        "first_words_ms": {"p50": quantile(firsts, .5), "p95": quantile(firsts, .95)},
        "between_partials_ms": {"p50": quantile(gaps, .5), "p95": quantile(gaps, .95)}, "partials": partials,
        "confirmed_words_changed": changed, "discarded_decodes": discarded[0], "discarded_ms": discarded[1],
        "cpu_seconds_per_second": (house.processor_seconds() - before) / heard_seconds, "memory_mb": house.memory(),
        "word_errors": rate(errors, counts), "settled_all_ms": [round(one) for one in finals],
    }


def nothing(minutes):
    """Sounds without a word in them, by the minute."""
    random_source = numpy.random.default_rng(7)
    count = RATE * 60 * minutes
    time_line = numpy.arange(count) / RATE
    beat = time_line % 0.5
    chords = numpy.array([[261.6, 329.6, 392], [220, 261.6, 329.6], [174.6, 220, 261.6], [196, 246.9, 293.7]])
    music = numpy.zeros(count)
    for voice in range(3):
        tone = chords[(time_line.astype(int) % 4), voice]
        for overtone in range(1, 6):
            music += numpy.sin(2 * numpy.pi * tone * overtone * time_line) / overtone
    noise = random_source.uniform(-1, 1, count)
    hum = sum(numpy.sin(2 * numpy.pi * 50 * one * time_line) / one for one in (1, 2, 3, 5))
    return {
        "silence": numpy.zeros(count), "faint noise": noise * 0.003, "loud noise": noise * 0.3,
        "hum of the mains": hum * 0.2, "music": music * 0.08 * numpy.exp(-2 * beat) + noise * 0.4 * numpy.exp(-30 * beat),
    }


def accuracy(name, house, clips, options):
    files = [file for file, _ in clips]
    seconds = sum(len(samples(file)) for file in files) / RATE
    systems = {}

    def done(label, texts, spent):
        systems[label] = (texts, spent)
        errors = sum(distance(words(texts[file]), words(said)) for file, said in clips)
        print(f"{name}: {label}: {errors} words wrong, {spent / seconds:.2f} s a second", file=sys.stderr, flush=True)

    for label, model in (("libera, whisper base", "whisper-base-q8_0"), ("libera, whisper tiny.en", "whisper-tiny.en-q8_0")):
        texts, spent = {}, 0
        for file in files:
            texts[file], took = house.transcribe(file, model)
            spent += took
        done(label, texts, spent)
    if options.whisper:
        done("whisper-cli, base, full context", *whisper_cli(options.whisper, options.weights, options.threads, files))
    if options.moonshine:
        done("Moonshine base (moonshine-cpp)", *moonshine(files))
    counts = [len(words(said)) for _, said in clips]
    errors = {label: [distance(words(texts[file]), words(said)) for file, said in clips] for label, (texts, _) in systems.items()}
    rows = [{"system": label, **rate(errors[label], counts), "real_time_factor": systems[label][1] / seconds} for label in systems]
    result = {"name": name, "files": len(clips), "words": sum(counts), "minutes": seconds / 60, "rows": rows}
    if options.whisper:
        ours, theirs = errors["libera, whisper base"], errors["whisper-cli, base, full context"]
        result["ours_minus_whisper_cli"] = rate([a - b for a, b in zip(ours, theirs)], counts)
    result["worst"] = sorted(((a, said, systems["libera, whisper base"][0][file]) for a, (file, said) in zip(errors["libera, whisper base"], clips) if a), reverse=True)[:10]
    return result


def prompts(folder):
    """Debian's human prompts with their published texts; tones and music are left out, keys are said by name."""
    book = gzip.open(folder / "usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz", "rt", errors="replace").read()
    sounds = folder / "usr/share/asterisk/sounds/en_US_f_Allison"
    clips = []
    for entry in book.splitlines():
        name, colon, said = entry.partition(":")
        file = sounds / f"{name.strip()}.wav"
        if not colon or name.startswith(";") or "[" in said or "(" in said or not file.exists():
            continue
        said = said.replace("#", " pound ").replace("*", " star ").strip()
        if words(said):
            clips.append((file, said))
    return clips


def table(report):
    late = report["latency"]
    ms = lambda pair: f"{pair['p50']:.0f} | {pair['p95']:.0f}" if pair["p50"] is not None else "– | –"
    out = ["# Speech", "", f"`./libera bench speech` on {report['machine']}, {report['threads']} threads; load before: {report['load']:.1f}.",
           "", f"## Waiting ({late['commands']} commands, fed in real time over HTTP)", "", "| | p50 | p95 |", "|---|---|---|",
           f"| from the true end of speech to settled words, ms (hang-over of 300 ms included) | {ms(late['settled_ms'])} |",
           f"| of it: until the first silent frame is noticed, ms | {ms(late['noticed_ms'])} |",
           f"| the final decode, which begins there and hides in the hang-over, ms | {ms(late['decode_ms'])} |",
           f"| what of it came after the hang-over, ms | {ms(late['late_ms'])} |",
           f"| from the first sound to the first live words, ms | {ms(late['first_words_ms'])} |",
           f"| between live words, ms | {ms(late['between_partials_ms'])} |", "",
           f"{late['within_450_ms']} of {late['commands']} settled within 450 ms. {late['partials']} partial results; a confirmed word changed {late['confirmed_words_changed']} times. "
           f"{late['discarded_decodes']} decodes were begun at a pause and thrown away ({late['discarded_ms']:.0f} ms). "
           f"{late['cpu_seconds_per_second']:.2f} processor seconds a second of sound, {late['memory_mb']:.0f} MB. "
           f"Word errors {late['word_errors']['percent']:.1f} %.", ""]
    out += ["## Words where none were said", "", "| sound | minutes | words an hour |", "|---|---|---|"]
    out += [f"| {one['sound']} | {one['minutes']} | {one['words_per_hour']:.0f} |" for one in report["nothing"]] + [""]
    for part in report["accuracy"]:
        out += [f"## Word errors: {part['name']} ({part['files']} files, {part['words']} words, {part['minutes']:.0f} min)", "",
                "| system | errors | 95 % | seconds a second of sound |", "|---|---|---|---|"]
        out += [f"| {row['system']} | {row['percent']:.1f} % | {row['low']:.1f} to {row['high']:.1f} | {row['real_time_factor']:.2f} |" for row in part["rows"]]
        if gap := part.get("ours_minus_whisper_cli"):
            out += ["", f"libera base minus whisper-cli: {gap['percent']:+.1f} points ({gap['low']:+.1f} to {gap['high']:+.1f})."]
        out.append("")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--packs", required=True, type=pathlib.Path)
    parser.add_argument("--recordings", type=pathlib.Path, default=HERE / "../../shared/data/speech/piper")
    parser.add_argument("--prompts", type=pathlib.Path)
    parser.add_argument("--whisper")
    parser.add_argument("--weights")
    parser.add_argument("--moonshine", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=["latency", "nothing", "accuracy"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    report = {"machine": f"{processor}, {os.cpu_count()} cores", "threads": options.threads, "load": os.getloadavg()[0],
              "latency": None, "nothing": [], "accuracy": []}
    commands = [(file, file.with_suffix(".txt").read_text().strip()) for file in sorted(options.recordings.glob("*.wav"))]
    house = House(options.program, options.packs, options.threads)
    try:
        if options.only in (None, "latency"):
            report["latency"] = latency(house, commands[:6] if options.quick else commands * 3)
        if options.only in (None, "nothing"):
            minutes = 1 if options.quick else 12
            for name, sound in nothing(minutes).items():
                said = [event["final"]["text"] for _, event in house.listen(sound, real_time=False) if event.get("final")]
                report["nothing"].append({"sound": name, "minutes": minutes, "words_per_hour": len(" ".join(said).split()) * 60 / minutes, "heard": said})
        if options.only in (None, "accuracy"):
            sets = [("spoken commands (synthetic voice)", commands)]
            if options.prompts:
                sets.append(("Debian's human prompts, telephone quality", prompts(options.prompts)))
            for name, clips in sets:
                report["accuracy"].append(accuracy(name, house, clips[:15] if options.quick else clips, options))
    finally:
        house.close()
    if options.out and options.only is None:
        options.out.with_suffix(".json").write_text(json.dumps(report, indent=1, default=float) + "\n")
        options.out.with_suffix(".md").write_text(table(report))
    print(table(report) if options.only is None else json.dumps(report, indent=1, default=float))


if __name__ == "__main__":
    main()
