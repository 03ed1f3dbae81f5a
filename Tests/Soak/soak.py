"""Everything at once for hours: documents come and go, questions, conversations, embeddings, sound, commands and their undoing,
pages that open and close, answers that are broken off. Memory, descriptors, threads, files and rows of every process are counted;
what grows after the first minutes is a leak.

    ./libera soak [--minutes 120] [--out FILE]     (FILE.samples: what was counted, a line every 15 s)

Prints a table and exits with 1 where something grew by more than a hundredth."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
import wave

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LIBERA_PROGRAM", str(ROOT / ".build/release/libera"))
PREPARED = pathlib.Path(os.environ.get("LIBERA_TEST_HOME", pathlib.Path.home() / ".cache/libera/test-home"))
RIGHTS = "ask,embed,transcribe,act,manage"
# Shares below this many kilobytes, descriptors, threads, files or rows are the noise of a moment.
SLACK = {"memory_kb": 1024, "descriptors": 3, "threads": 2, "files": 4, "rows": 4}


class House:
    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="libera-soak-"))
        subprocess.run(["cp", "-al", PREPARED / "packs", self.home / "packs"], check=True)
        shutil.rmtree(self.home / "packs/.staging", ignore_errors=True)
        (self.home / "settings.json").write_text('{"threads": 2, "idleUnloadMinutes": 0, "backgroundUnloadSeconds": 86400}')
        os.chmod(self.home / "settings.json", 0o600)
        self.key = json.loads(self.run("keys", "add", "soak", "--rights", RIGHTS, "--json"))["key"]
        self.server = subprocess.Popen(self.words("serve", "--no-open", "--json"), stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.server.stdout.readline())["address"].rstrip("/")

    def words(self, *words):
        return [PROGRAM, *map(str, words), "--home", str(self.home)]

    def run(self, *words):
        return subprocess.run(self.words(*words), check=True, capture_output=True, text=True).stdout

    def open(self, path, body=None, method="POST", kind="application/json"):
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data=data, method=method,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": kind})
        return urllib.request.urlopen(request, timeout=300)

    def call(self, path, body):
        with self.open(path, body) as answer:
            return answer.read()

    def take(self, name, text):
        with self.open(f"/api/uploads?name={name}", text, "PUT", "application/octet-stream") as answer:
            upload = json.load(answer)["upload"]
        self.call("/api/import", {"uploads": [upload]})

    def remove(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(timeout=60)
        shutil.rmtree(self.home)


class Worker(threading.Thread):
    """Does one kind of thing again and again, and counts how often it was done and refused."""

    def __init__(self, name, deed, pause):
        super().__init__(daemon=True)
        self.kind, self.deed, self.pause = name, deed, pause
        self.done, self.refused, self.last = 0, 0, ""
        self.ending = threading.Event()

    def run(self):
        while not self.ending.is_set():
            try:
                self.deed(self.done)
                self.done += 1
            except urllib.error.HTTPError as error:
                self.refused += 1
                self.last = f"{error.code} {error.read()[:200]!r}"
            except (OSError, subprocess.CalledProcessError) as error:
                self.refused += 1
                self.last = f"{error} {getattr(error, 'stderr', '') or ''}"[:300]
            self.ending.wait(self.pause)


def paper(number):
    facts = "\n\n".join(
        f"Pump {number}-{part} moves {random.randint(10, 99)} litres a minute and is serviced every {part + 2} months."
        for part in range(20))
    return f"# Pumps of house {number}\n\n{facts}\n".encode()


def sound(path):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(b"".join(random.randint(-300, 300).to_bytes(2, "little", signed=True) for _ in range(32000)))


def workers(house):
    clip = house.home / "clip.wav"
    sound(clip)
    boundary = "libera-soak"
    form = b"".join([
        f'--{boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n'.encode(),
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="clip.wav"\r\n\r\n'.encode(),
        clip.read_bytes(), f"\r\n--{boundary}--\r\n".encode()])

    def imports(number):
        name = f"pumps-{number % 7}.md"
        house.take(name, paper(number))
        house.call("/api/documents-remove", {"documents": [name]})

    def conversation(number):
        name = str(uuid.uuid4())
        for question in (f"How often is pump {number % 7} serviced?", "And how much does it move?", "Thank you."):
            house.call("/api/ask", {"question": question, "conversation": name})
        house.call("/api/conversations-delete", {"ids": [name]})

    def broken_off(number):
        with house.open("/v1/chat/completions", {
                "model": "smollm2-135m-instruct-q4_1", "stream": True, "max_tokens": 200,
                "messages": [{"role": "user", "content": f"Tell me a story about the number {number}."}]}) as answer:
            for _ in range(random.randint(1, 12)):
                answer.readline()

    def page(number):
        with house.open("/api/events", None, "GET") as stream:
            stream.readline()

    def command(number):
        made = house.run("do", f"remind me tomorrow at {number % 9 + 1} pm to water plant {number}", "--json")
        house.run("actions", "undo", json.loads(made.splitlines()[-1])["action"]["id"])

    return [
        Worker("import and remove", imports, 2), Worker("converse and delete", conversation, 2), Worker("broken off", broken_off, 1),
        Worker("embed", lambda n: house.call("/v1/embeddings", {"model": "all-minilm-l6-v2-f16", "input": [f"text {n}"] * 8}), 1),
        Worker("page", page, 1), Worker("do and undo", command, 5),
        Worker("transcribe", lambda n: house.open(
            "/v1/audio/transcriptions", form, "POST", f"multipart/form-data; boundary={boundary}").read(), 20),
    ]


def processes(root):
    """The program and everything below it, as {name: pid}; workers are named by their kind, and numbered where there are several."""
    parents, found, kinds, line = {}, {"main": root}, {}, [root]
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass  # it has just ended
    while line:
        one = line.pop()
        for child in (pid for pid, parent in parents.items() if parent == one):
            try:
                words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"libera-worker"):
                kinds.setdefault(words[1].decode(), []).append(child)
            line.append(child)
    for kind, children in kinds.items():
        found |= {f"{kind} {place}" if place > 1 else kind: child for place, child in enumerate(sorted(children), 1)}
    return found


def sample(house):
    figures = {}
    for name, pid in processes(house.server.pid).items():
        try:
            rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            private = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith(("Private_Dirty", "Swap:")))
            figures[name, "memory_kb"] = private
            figures[name, "descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
            figures[name, "threads"] = len(os.listdir(f"/proc/{pid}/task"))
        except OSError:
            pass  # it has just ended
    figures["home", "files"] = sum(len(files) for folder, _, files in os.walk(house.home) if "packs" not in folder)
    with sqlite3.connect(f"file:{house.home / 'vault.sqlite'}?mode=ro", uri=True) as vault:
        tables = [row[0] for row in vault.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT GLOB '*_[cdi]*'")]
        for table in tables:
            figures[f"table {table}", "rows"] = vault.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return figures


def report(samples, settle, crew, out):
    """The middle of the first tenth after settling beside that of the last tenth."""
    later = [figures for seconds, figures in samples if seconds >= settle]
    tenth = max(3, len(later) // 10)
    rows, leaks = [], 0
    for name in sorted({key for figures in later for key in figures}):
        first = [figures[name] for figures in later[:tenth] if name in figures]
        last = [figures[name] for figures in later[-tenth:] if name in figures]
        if not first or not last:
            continue
        before, after = statistics.median(first), statistics.median(last)
        grew = after - before > max(0.01 * before, SLACK[name[1]])
        leaks += grew
        rows.append(f"{name[0]:28} {name[1]:12} {before:12.0f} {after:12.0f}  {'GREW' if grew else ''}")
    lines = [f"{'what':28} {'figure':12} {'at first':>12} {'at last':>12}", *rows, ""]
    lines += [f"{worker.kind:20} {worker.done} done, {worker.refused} refused {worker.last}" for worker in crew]
    text = "\n".join(lines)
    print(text)
    if out:
        pathlib.Path(out).write_text(text + "\n")
        # Whether something grows on and on or has filled a store of fixed size shows in between.
        with open(f"{out}.samples", "w") as file:
            for seconds, figures in samples:
                file.write(json.dumps({"seconds": round(seconds), **{" ".join(name): value for name, value in figures.items()}}) + "\n")
    return leaks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--settle", type=float, default=None, help="minutes that do not count (10, at most a third)")
    parser.add_argument("--out")
    asked = parser.parse_args()
    settle = 60 * (asked.settle if asked.settle is not None else min(10, asked.minutes / 3))
    house = House()
    crew, samples, began = workers(house), [], time.monotonic()
    try:
        # What reads the evidence of an answer is made when there first is some, and an import is gone again before anybody asks.
        house.take("kept.md", paper("kept"))
        house.call("/api/ask", {"question": "How often is pump kept-1 serviced?", "mode": "deep"})
        for worker in crew:
            worker.start()
        while time.monotonic() - began < 60 * asked.minutes:
            time.sleep(min(15, 6 * asked.minutes))
            if house.server.poll() is not None:
                sys.exit(f"The program ended by itself: {house.server.returncode}")
            samples.append((time.monotonic() - began, sample(house)))
    finally:
        for worker in crew:
            worker.ending.set()
        for worker in crew:
            worker.join(timeout=330)
        house.remove()
    sys.exit(1 if report(samples, settle, crew, asked.out) else 0)


if __name__ == "__main__":
    main()
