"""Answers beside other work: an import of our own, and a program that takes every core."""

import glob, os, random, shutil, signal, statistics, subprocess, sys, tempfile, threading, time

from governor_stage import Libera, Llama
from measuring import family, prose


def running_threads(processes):
    """Threads that compute now, but for those of lower priority, which reads documents and stands back."""
    count = 0
    for process in processes:
        for path in glob.glob(f"/proc/{process}/task/*/stat"):
            try:
                fields = open(path).read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            count += fields[0] == "R" and int(fields[16]) < os.nice(0) + 5
    return count


def imports(programs, packs, pairs):
    side, chooser = Libera(programs, packs), random.Random(7)
    folder = tempfile.mkdtemp(prefix="libera-bench-texts-")
    out = {"alone": [], "during": [], "first_alone": [], "first_during": [], "threads": [], "cores": os.cpu_count()}
    question = "Tell me something about the sea, in a few sentences."
    try:
        side.ask(question)

        def alone():
            one = side.ask(question)
            return one["total_ms"] / max(1, one["tokens"]), one["first_ms"]

        def during(number):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            for text in range(40):
                with open(os.path.join(place, f"{text}.txt"), "w") as file:
                    file.write("\n\n".join(prose(chooser, 200) for _ in range(60)))
            reading = side.read(place)
            time.sleep(4)
            processes, samples, watching = family(side.process.pid), [], True

            def watch():
                while watching:
                    samples.append(running_threads(processes))
                    time.sleep(0.02)
            watcher = threading.Thread(target=watch)
            watcher.start()
            result = alone()
            watching = False
            watcher.join()
            out["threads"] += samples
            if reading.poll() is not None:
                raise OSError("the import ended before the answer did")
            reading.send_signal(signal.SIGINT)
            reading.wait()
            return result
        for number in range(pairs):
            first, second = (alone, lambda: during(number)) if number % 2 == 0 else (lambda: during(number), alone)
            takes = [first(), second()]
            quiet, busy = takes if number % 2 == 0 else takes[::-1]
            out["alone"].append(quiet[0])
            out["during"].append(busy[0])
            out["first_alone"].append(quiet[1])
            out["first_during"].append(busy[1])
            print(f"\r  import, pair {number + 1}/{pairs}", end="", file=sys.stderr)
        print(file=sys.stderr)
    finally:
        side.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return out


# What an answer may take to its first word on a machine that is its own: Fast's time to read, and Deep's.
BUDGET_MS = {"fast": 1500, "deep": 6000}
ABOUT = ["What does the setting idleUnloadMinutes do?", "What happens when the device is too hot?", "Which rights may a key have?",
         "What does the judge read?", "What is a watched folder?", "How is a backup made?", "What may a tool server do?",
         "When is a pack taken out of memory?", "What does offline mean?", "How is an upgrade undone?"]


def busy(programs, packs, peers, pack):
    """First words of ten questions about the project's own pages, alone and beside loops that take every core, in each mode."""
    out, side = {}, Libera(programs, packs)
    loops = lambda: [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    found = []
    try:
        if side.read(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")).wait():
            raise OSError("the pages could not be imported")
        for mode in BUDGET_MS:
            out[mode] = {}
            for beside in ("alone", "busy"):
                working = loops() if beside == "busy" else []
                try:
                    side.ask(ABOUT[-1], mode, "documents")
                    answers = [side.ask(question, mode, "documents") for question in ABOUT]
                finally:
                    for one in working:
                        one.kill()
                        one.wait()
                out[mode][beside] = [one["first_ms"] for one in answers]
                if not all(one["cited"] for one in answers):
                    raise OSError("a question was answered without the pages")
                found = [one["cited"] for one in answers] if mode == "fast" and beside == "alone" else found
                print(f"  {mode}, {beside}: {statistics.median(out[mode][beside]):.0f} ms", file=sys.stderr)
    finally:
        side.stop()
    if peers:
        side, working = Llama(peers, pack, subprocess.Popen), []
        try:
            side.ask(ABOUT[0])
            prompts = ["\n\n".join(cited) + "\n\n" + question for question, cited in zip(ABOUT, found)]
            for beside in ("alone", "busy"):
                working = loops() if beside == "busy" else []
                out.setdefault("server", {})[beside] = [side.ask(prompt, tokens=4, cached=False)["first_ms"] for prompt in prompts]
        finally:
            for one in working:
                one.kill()
                one.wait()
            side.stop()
    return out
