"""Where answers are squeezed: a memory control group, a program that fills it, and the two servers that are asked in it."""

import json, os, shutil, signal, socket, subprocess, sys, tempfile, threading, time
import urllib.error, urllib.request

PATIENCE = 60


# MARK: A control group

class Group:
    def __init__(self, megabytes):
        self.folder, self.unified = self.make()
        self.limit = megabytes << 20
        self.write("memory.max" if self.unified else "memory.limit_in_bytes", self.limit)

    @staticmethod
    def make():
        for line in open("/proc/self/cgroup"):
            number, controllers, path = line.strip().split(":", 2)
            unified = number == "0"
            if not unified and "memory" not in controllers.split(","):
                continue
            mount = "/sys/fs/cgroup" if unified else "/sys/fs/cgroup/memory"
            for parent in (mount + path, mount):
                folder = os.path.join(parent, f"libera-bench-{os.getpid()}-{time.time_ns()}")
                try:
                    os.mkdir(folder)
                except OSError:
                    continue
                if os.access(os.path.join(folder, "memory.max" if unified else "memory.limit_in_bytes"), os.W_OK):
                    return folder, unified
                os.rmdir(folder)
        sys.exit("no memory control group can be made here; the squeeze needs one")

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(str(value))

    def stat(self, *names):
        table = dict(line.split() for line in open(os.path.join(self.folder, "memory.stat")))
        return next((int(table[name]) for name in names if name in table), 0)

    @property
    def used(self):
        name = "memory.current" if self.unified else "memory.usage_in_bytes"
        return int(open(os.path.join(self.folder, name)).read()) - self.stat("total_inactive_file", "inactive_file")

    @property
    def kills(self):
        name = "memory.events" if self.unified else "memory.oom_control"
        table = dict(line.split() for line in open(os.path.join(self.folder, name)))
        return int(table.get("oom_kill", 0))

    def start(self, words, **options):
        enter = ["sh", "-c", f"echo $$ > '{self.folder}/cgroup.procs' && exec \"$@\"", "sh"]
        return subprocess.Popen(enter + words, **options)

    def remove(self):
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)


GREEDY = """
import sys, time
limit, leave, held = int(sys.argv[1]), int(sys.argv[2]), []
for _ in range(limit >> 20):
    held.append(bytearray(b'x' * (1 << 20)))
    time.sleep(0.004)
time.sleep(float(sys.argv[3]))
"""


class Waves(threading.Thread):
    """Another program that takes the group's memory but for `leave` megabytes, holds it, gives it back, and begins again."""

    def __init__(self, group, leave, hold, rest):
        super().__init__(daemon=True)
        self.group, self.leave, self.hold, self.rest = group, leave, hold, rest
        self.going, self.faults = True, 0

    def run(self):
        while self.going:
            wanted = self.group.limit - self.group.used - (self.leave << 20)
            if wanted > 0:
                process = self.group.start([sys.executable, "-c", GREEDY, str(wanted), "0", "600"],
                                           stderr=subprocess.DEVNULL)
                self.sleep(self.hold)
                process.kill()
                process.wait()
            self.sleep(self.rest)

    def sleep(self, seconds):
        end = time.monotonic() + seconds
        while self.going and time.monotonic() < end:
            time.sleep(0.1)

    def stop(self):
        self.going = False
        self.join()


# MARK: Who is asked

def post(url, body, headers=None):
    return urllib.request.urlopen(urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})}), timeout=PATIENCE)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_ready(url, process, headers=None):
    for _ in range(600):
        if process.poll() is not None:
            raise OSError(f"it ended with {process.returncode}")
        try:
            urllib.request.urlopen(urllib.request.Request(url, headers=headers or {}), timeout=2).read()
            return
        except OSError:
            time.sleep(0.1)
    raise OSError("it did not become ready")


class Libera:
    name = "libera"

    def __init__(self, programs, packs, start=subprocess.Popen):
        self.program, self.home = os.path.join(programs, "libera"), tempfile.mkdtemp(prefix="libera-bench-")
        subprocess.run(["cp", "-al", packs, os.path.join(self.home, "packs")], check=True)
        shutil.rmtree(os.path.join(self.home, "packs", ".staging"), ignore_errors=True)
        with open(os.path.join(self.home, "settings.json"), "w") as file:
            json.dump({"threads": min(8, os.cpu_count() or 1)}, file)
        self.process = start([self.program, "serve", "--home", self.home, "--port", str(free_port()),
                              "--no-open", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env={**os.environ, "XDG_CACHE_HOME": os.path.join(self.home, "cache")})
        self.address = json.loads(self.process.stdout.readline())["address"]
        key = subprocess.run([self.program, "keys", "add", "bench", "--rights", "ask,embed,transcribe,act,manage",
                              "--home", self.home], capture_output=True, text=True, check=True)
        self.headers = {"Authorization": "Bearer " + key.stdout.strip()}

    def ask(self, question, mode="fast", task="talk"):
        began, first, record = time.monotonic(), None, None
        with post(self.address + "api/ask", {"question": question, "task": task, "mode": mode}, self.headers) as reply:
            for line in reply:
                event = json.loads(line)
                if event.get("piece") and first is None:
                    first = time.monotonic() - began
                record = event.get("done") or record
        if not record or not record["answer"]:
            raise OSError("no answer")
        return {"first_ms": (first or time.monotonic() - began) * 1000, "total_ms": (time.monotonic() - began) * 1000,
                "tokens": record["timings"]["generated_tokens"], "by_model": record["provider"] == "local",
                "cited": [one["text"] for one in record["citations"]], "limits": record["limits"]}

    def read(self, folder):
        """An import, as a person begins it in a terminal: files are named there and by no program over the network."""
        return subprocess.Popen([self.program, "import", folder, "--home", self.home, "--json"], stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.home, ignore_errors=True)


class Llama:
    def __init__(self, peers, pack, start, *options):
        self.name = "llama-server" + "".join(" " + option for option in options)
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/"
        self.process = start([os.path.join(peers, "build", "bin", "llama-server"), "-m", pack, "-c", "4096", "-np", "1", "-t",
                              str(min(8, os.cpu_count() or 1)), "--host", "127.0.0.1", "--port", str(port), *options],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_ready(self.address + "health", self.process)

    def ask(self, question, tokens=384, cached=True):
        began, first, text, tokens = time.monotonic(), None, "", 0
        body = {"messages": [{"role": "user", "content": question}], "stream": True, "temperature": 0.2, "max_tokens": tokens,
                "cache_prompt": cached}
        with post(self.address + "v1/chat/completions", body) as reply:
            for line in reply:
                if not line.startswith(b"data: {"):
                    continue
                piece = (json.loads(line[6:])["choices"] or [{}])[0].get("delta", {}).get("content")
                if piece:
                    first = first or time.monotonic() - began
                    text += piece
                    tokens += 1
        if not text:
            raise OSError("no answer")
        return {"first_ms": first * 1000, "total_ms": (time.monotonic() - began) * 1000, "tokens": tokens, "by_model": True}

    def stop(self):
        self.process.terminate()
        self.process.wait()
