"""The two sides that `engine.py` compares: our engine in its sealed worker, and llama.cpp's own server."""

import json, os, socket, subprocess, sys, tempfile, time, urllib.request

TICK = os.sysconf("SC_CLK_TCK")


def cpu_ms(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / TICK


def memory_mb(pid):
    lines = open(f"/proc/{pid}/smaps_rollup").read().splitlines()
    values = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
    return {"rss": values["Rss"], "anonymous": values["Anonymous"]}


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pids = {}

    def ask(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("bench-engine ended unexpectedly")
        answer = json.loads(line)
        if answer.get("error"):
            sys.exit(f"our engine: {answer['error']}")
        return answer

    def load(self, name, pack, threads, context, adapter=None, gpu=False):
        answer = self.ask(do="load", name=name, pack=pack, threads=threads, context=context, adapter=adapter, gpu=gpu)
        self.pids[name] = answer["process"]
        return answer["info"]

    def generate(self, name, prompt, tokens, speculate=False):
        """`prompt`: a text, or the messages of a conversation."""
        before = cpu_ms(self.pids[name])
        said = {"prompt" if isinstance(prompt, str) else "messages": prompt}
        answer = self.ask(do="generate", name=name, tokens=tokens, speculate=speculate, **said)
        report, read = answer["report"], answer["prompt"]
        evaluated = read["promptTokens"] - read["reusedTokens"]
        return {
            "text": answer["text"], "prompt_tokens": evaluated, "prompt_ms": report["promptMs"],
            "tokens": report["generatedTokens"], "generate_ms": report["generateMs"],
            "first_ms": answer.get("firstPieceMs") or report["firstTokenMs"], "total_ms": answer["totalMs"],
            "cpu_ms": cpu_ms(self.pids[name]) - before, "drafted": report["draftedTokens"],
            "accepted": report["acceptedTokens"],
        }


class Server:
    """`card`: the library by which it computes on a graphics card, all layers; nothing: the processor does."""

    def __init__(self, peers, pack, threads, context, *options, card=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        program = os.path.join(peers, "build", "bin", "llama-server")
        self.log = tempfile.TemporaryFile()
        environment = os.environ | ({"GGML_BACKEND_PATH": card} if card else {})
        options += ("-ngl", "99") if card else ()
        self.process = subprocess.Popen(
            [program, "-m", pack, "-t", str(threads), "-tb", str(threads), "-c", str(context), "-np", "1", "--host",
             "127.0.0.1", "--port", str(self.port), "-b", "512", "-ub", "512", "-fa", "auto", *options],
            stdout=self.log, stderr=self.log, env=environment)
        self.pid = self.process.pid
        for _ in range(600):
            if self.process.poll() is not None:
                self.log.seek(0)
                sys.exit("llama-server ended: " + self.log.read().decode(errors="replace")[-2000:])
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2).read()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("llama-server did not become ready")

    def generate(self, prompt, tokens):
        body = json.dumps({"prompt": prompt, "n_predict": tokens, "temperature": 0, "top_k": 1, "cache_prompt": True,
                           "stream": True, "seed": 1}).encode()
        before = cpu_ms(self.pid)
        began = time.monotonic()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/completion", body, {"Content-Type": "application/json"})
        first, text, last = None, "", {}
        with urllib.request.urlopen(request, timeout=600) as reply:
            for line in reply:
                if not line.startswith(b"data: "):
                    continue
                event = json.loads(line[6:])
                if event.get("content"):
                    first = first or time.monotonic()
                    text += event["content"]
                if event.get("stop"):
                    last = event
        total = (time.monotonic() - began) * 1000
        timings = last["timings"]
        return {
            "text": text, "prompt_tokens": timings["prompt_n"], "prompt_ms": timings["prompt_ms"],
            "tokens": timings["predicted_n"], "generate_ms": timings["predicted_ms"],
            "first_ms": ((first or time.monotonic()) - began) * 1000, "total_ms": total,
            "cpu_ms": cpu_ms(self.pid) - before,
            "drafted": timings.get("draft_n", 0), "accepted": timings.get("draft_n_accepted", 0),
        }

    def stop(self):
        self.process.terminate()
        self.process.wait()
