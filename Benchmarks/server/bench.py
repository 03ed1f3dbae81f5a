"""The server and its page, measured: python Benchmarks/server/bench.py --program LIBERA --packs FOLDER [--out NAME] [--quick]

Everything is asked of the real program over a fresh home, from outside, by clients of this file and by a real browser, which
share the machine with it.
"""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
STREAMS = 1000


class House:
    def __init__(self, program, packs):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-bench-server-"))
        if packs:
            subprocess.run(["cp", "-al", packs, self.folder / "packs"], check=True)
            shutil.rmtree(self.folder / "packs/.staging", ignore_errors=True)
        self.start()

    def start(self):
        began = time.perf_counter()
        self.process = subprocess.Popen([self.program, "serve", "--no-open", "--json", "--port", "0", "--home", self.folder],
                                        stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.started_ms = (time.perf_counter() - began) * 1000
        self.page, self.host = told["page"], told["address"].split("/")[2]
        key = subprocess.run([self.program, "keys", "add", "bench", "--rights", "ask,embed,transcribe,act,manage",
                              "--home", self.folder], capture_output=True, text=True, check=True)
        self.headers = {"Authorization": f"Bearer {key.stdout.strip()}"}

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)

    def link(self):
        told = subprocess.run([self.program, "serve", "--no-open", "--json", "--home", self.folder], capture_output=True,
                              text=True, check=True)
        return json.loads(told.stdout)["page"]

    def resident_kb(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1])

    def post(self, path, body):
        """The answer's lines with the moment each arrived."""
        line = http.client.HTTPConnection(self.host)
        began = time.perf_counter()
        line.request("POST", path, json.dumps(body), {**self.headers, "Content-Type": "application/json"})
        answer = line.getresponse()
        lines = []
        while text := answer.readline():
            if text.strip():
                lines.append(((time.perf_counter() - began) * 1000, text))
        line.close()
        return lines


def started(program, count):
    """From starting the program to its serving, without a model."""
    times = []
    for _ in range(count):
        house = House(program, None)
        times.append(house.started_ms)
        house.close()
    return statistics.median(times)


def trivial(house, count):
    line = http.client.HTTPConnection(house.host)
    times = []
    for place in range(count + 100):
        began = time.perf_counter()
        line.request("GET", "/api/ping", headers=house.headers)
        line.getresponse().read()
        if place >= 100:
            times.append((time.perf_counter() - began) * 1000)
    line.close()
    times.sort()
    return {"requests_per_s": round(count / sum(times) * 1000), "p50_ms": round(times[count // 2], 3),
            "p99_ms": round(times[int(count * 0.99)], 3)}


def streaming(house, count):
    """What the way from the engine to the client adds: to the first token, and to the time between tokens."""
    first, each, tokens = [], [], 0
    for number in range(count + 1):
        question = f"Tell a long story about ship number {number}, its captain, its harbour and the sea."
        lines = house.post("/api/ask", {"question": question, "task": "talk", "provider": "local"})
        events = [(at, json.loads(text)) for at, text in lines]
        pieces = [at for at, event in events if event.get("piece")]
        record = next(event["done"] for _, event in events if event.get("done"))
        timings = record["timings"]
        if number == 0 or len(pieces) < 8:
            continue  # the pack was being loaded
        first.append(pieces[0] - timings["first_token_ms"])
        each.append((pieces[-1] - pieces[0]) / (len(pieces) - 1) - 1000 / timings["tokens_per_s"])
        tokens += len(pieces)
    return {"answers": len(each), "tokens": tokens, "first_token_added_ms": round(statistics.median(first), 3),
            "token_added_ms": round(statistics.median(each), 3), "token_added_most_ms": round(max(each), 3)}


def idle_streams(house):
    host, port = house.host.split(":")
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": house.host, **house.headers}.items())
    request = f"GET /api/events HTTP/1.1\r\n{head}\r\n".encode()
    before = house.resident_kb()
    began = time.perf_counter()
    streams = []
    for _ in range(STREAMS):
        one = socket.create_connection((host, int(port)))
        one.sendall(request)
        streams.append(one)
    for one in streams:
        data = b""
        while b"event: hello" not in data:
            data += one.recv(4096)
    opened = time.perf_counter() - began
    result = {"streams": STREAMS, "open_s": round(opened, 2), "before_mb": round(before / 1024, 1),
              "with_mb": round(house.resident_kb() / 1024, 1), "kb_each": round((house.resident_kb() - before) / STREAMS, 1)}
    result["ping"] = trivial(house, 500)
    for one in streams:
        one.close()
    return result


ABOUT = """What does the setting idleUnloadMinutes do?|How long does a code of the page hold?|What happens when the device is too hot?
Which rights may a key have?|How is a backup made?|What does the judge read?|Where do packs come from?|What is a watched folder?
How many passages does Deep read?|What does doctor show?|How are times understood?|What may a tool server do?|When is a pack taken out of memory?
How is a document removed?|What is exported of a conversation?|Which languages are spoken?|What does a reminder do when the program is off?
How is a certificate checked?|What is a collection?|What does the trace show?|How is mail sent?|What is refused when the disk is full?
Which processors are supported?|What happens to a question without documents?|How long is a record kept?|What does offline mean?
How is a pack verified?|What is a trigger?|Who may listen on the network?|How is an upgrade undone?""".replace("\n", "|").split("|")


def conversation(house, task):
    """Thirty questions in one conversation, each read for half a second: milliseconds to the first word of each, and how much of its
    prompt was read anew. `documents`: about the project's own pages; `talk`: without documents."""
    first, read, name = [], [], str(uuid.uuid4())  # one that is not known begins a conversation
    for question in ABOUT:
        body = {"question": question, "task": task, "conversation": name} | ({"provider": "local"} if task == "talk" else {})
        events = [(at, json.loads(text)) for at, text in house.post("/api/ask", body)]
        record = next(event["done"] for _, event in events if event.get("done"))
        first.append(next((at for at, event in events if event.get("piece")), events[-1][0]))
        read.append(record["timings"]["prompt_tokens"] - record["timings"]["reused_tokens"])
        time.sleep(0.5)
    begun, ended = statistics.median(first[1:6]), statistics.median(first[-5:])  # the very first one loads the packs
    return {"first_ms": [round(one) for one in first], "read_tokens": read, "begun_ms": round(begun), "ended_ms": round(ended),
            "ratio": round(ended / begun, 2)}


class Word(http.server.BaseHTTPRequestHandler):
    """A page that nothing can be taken from: what a browser needs on this machine for any page at all."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Word</title><p>Word")

    def log_message(self, *_):
        pass


def page(house, count):
    """First paint, requests and bytes in a real browser that has never seen the page."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    # The browser's own start is no part of it: it has shown another page before.
    paints, words = [], []
    word = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Word)
    threading.Thread(target=word.serve_forever, daemon=True).start()
    for place in range(count * 2):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,900"):
            options.add_argument(argument)
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            driver.get("about:blank")
            if place % 2:
                driver.get(f"http://127.0.0.1:{word.server_port}/")
                while not (seen := driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")):
                    time.sleep(0.1)
                words.append(seen)
                continue
            driver.get(house.link())
            found = None
            while not found:
                time.sleep(0.1)
                found = driver.execute_script("""
                  const paint = performance.getEntriesByName('first-contentful-paint')[0];
                  if (!paint || !document.querySelector('#question')) return null;
                  const asked = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
                  // Until nothing more was asked for in a second.
                  if (performance.now() - Math.max(...asked.map((one) => one.responseEnd)) < 1000) return null;
                  return { paint: paint.startTime, bytes: asked.reduce((sum, one) => sum + one.transferSize, 0), requests: asked.length };""")
            paints.append(found["paint"])
        finally:
            driver.quit()
    word.shutdown()
    stored = sum(file.stat().st_size for file in (ROOT / "Web").rglob("*") if file.is_file())
    return {"loads": count, "first_paint_ms": round(statistics.median(paints), 1), "first_paint_most_ms": round(max(paints), 1),
            "word_paint_ms": round(statistics.median(words), 1),
            "transferred_bytes": found["bytes"],
            # The stream of events lasts, and the word that somebody looks has no answer: neither is among them.
            "requests": found["requests"] + 2, "stored_bytes": stored}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def told(result):
    ping, stream, idle, seen = result["trivial"], result.get("streaming"), result["idle"], result.get("page")

    def row(what, value, goal="", met=None):
        return f"| {what} | {value} | {goal} | {'' if met is None else 'met' if met else 'missed'} |"

    rows = [row("From the program's start to serving, no model loaded", f"{result['start_ms']:.0f} ms", "300 ms", result["start_ms"] < 300),
            row("A trivial route over one kept connection", f"{ping['requests_per_s']} requests/s"),
            row("… median, 99th percentile", f"{ping['p50_ms']} ms, {ping['p99_ms']} ms")]
    if stream:
        rows += [row("Added to each streamed token", f"{stream['token_added_ms']} ms", "1 ms", stream["token_added_ms"] < 1),
                 row("Added to the first token of an answer", f"{stream['first_token_added_ms']} ms")]
    for task, what in (("documents", "questions about documents"), ("talk", "questions without documents")):
        if one := result.get(task):
            rows += [row(f"Thirty {what} in one conversation: first word of the last five against the first five",
                         f"{one['ended_ms']} ms, {one['begun_ms']} ms: {one['ratio']}", "1.3", one["ratio"] <= 1.3)]
    if seen:
        rows += [row("First paint of the page", f"{seen['first_paint_ms']} ms", "150 ms", seen["first_paint_ms"] < 150),
                 row("… of a page of one word, beside it", f"{seen['word_paint_ms']} ms"),
                 row("The page in all, as transferred", f"{seen['transferred_bytes'] / 1000:.0f} kB", "100 kB", seen["transferred_bytes"] <= 100_000),
                 row("… in so many requests, with those that fill it", seen["requests"], "20", seen["requests"] <= 20)]
    rows += [row(f"Memory for {idle['streams']} idle event streams", f"{idle['with_mb'] - idle['before_mb']:.1f} MB ({idle['kb_each']} kB each)"),
             row("… 99th percentile of the trivial route beside them", f"{idle['ping']['p99_ms']} ms")]
    lines = ["# The server and the page, measured", "",
             f"{result['date']}, {result['processor']}, {result['cores']} cores, load average {result['load']}.", "",
             "| | | goal | |", "|---|---|---|---|", *rows, ""]
    if stream:
        lines += [f"Added to each token: the time between tokens at a client of `/api/ask`, less the time the engine itself says it took "
                  f"for a token of the same answer; the median of {stream['answers']} answers with {stream['tokens']} tokens, "
                  f"at most {stream['token_added_most_ms']} ms. To the first token: from sending the question, less the time "
                  "from its arrival to the first token.", ""]
    if seen:
        lines += [f"First paint: the first contentful paint in Chromium with an empty profile, the median of {seen['loads']} loads, "
                  f"at most {seen['first_paint_most_ms']} ms.", ""]
    return "\n".join(lines + ["Run it again with `./libera bench server`.", ""])


def main():
    reading = argparse.ArgumentParser()
    reading.add_argument("--program", required=True)
    reading.add_argument("--packs")
    reading.add_argument("--out", help="writes NAME.json and NAME.md")
    reading.add_argument("--quick", action="store_true", help="a few of each: for trying the benchmark itself")
    wanted = reading.parse_args()
    quick = wanted.quick
    result = {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "cores": os.cpu_count(),
              "start_ms": round(started(wanted.program, 3 if quick else 15), 1)}
    house = House(wanted.program, wanted.packs)
    try:
        result["trivial"] = trivial(house, 300 if quick else 20_000)
        if wanted.packs:
            result["streaming"] = streaming(house, 2 if quick else 15)
            result["talk"] = conversation(house, "talk")
            subprocess.run([wanted.program, "import", ROOT / "docs", "--home", house.folder], capture_output=True, check=True)
            result["documents"] = conversation(house, "documents")
        if shutil.which("chromium") and shutil.which("chromedriver"):
            result["page"] = page(house, 2 if quick else 9)
    finally:
        house.close()
    # Memory is measured on a server that has done nothing before.
    house = House(wanted.program, None)
    try:
        result["idle"] = idle_streams(house)
    finally:
        house.close()
    result["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(result, indent=1))
    if wanted.out:
        pathlib.Path(f"{wanted.out}.json").write_text(json.dumps(result, indent=1) + "\n")
        pathlib.Path(f"{wanted.out}.md").write_text(told(result))


if __name__ == "__main__":
    main()
