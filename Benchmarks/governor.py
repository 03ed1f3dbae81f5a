"""What governing buys and what it costs, measured in one run.

Squeeze: the product and llama.cpp's server (weights mapped and read) each live in a memory control group of the same size, each
with another program in the group that takes memory in waves. Questions come one after the other; a question counts as answered
when a non-empty answer came in time, and it is said how many of those a model wrote. Import: the same question alone and while
an import runs, in pairs. Busy: the first word of questions about documents beside a program that takes every core, and of
llama.cpp's server that is given the passages that ours found. Overhead and reaction: bench-governor, in pairs. Whoever wins is published.
"""

import argparse, glob, json, os, platform, random, statistics, subprocess, sys, time
import urllib.error

from governor_beside import ABOUT, BUDGET_MS, busy, imports
from governor_stage import PATIENCE, Group, Libera, Llama, Waves

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = ["What is the capital of France?", "Name three seas of Europe.", "Why is the sky blue?", "What is bread made of?",
             "How many days has a week?", "What is a lighthouse for?", "Who wrote Faust?", "What do bees make?"]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def interval(values, repeats=2000):
    chooser = random.Random(1)
    medians = sorted(statistics.median(chooser.choices(values, k=len(values))) for _ in range(repeats))
    return [medians[int(repeats * 0.025)], medians[int(repeats * 0.975)]]


def squeeze(make, megabytes, leave, questions):
    group = Group(megabytes)
    outcome = {"asked": questions, "answered": 0, "by_model": 0, "first_ms": [], "tokens": 0, "failures": []}
    side = None
    try:
        side = make(group.start)
        outcome["name"] = side.name
        side.ask(QUESTIONS[0])
        waves = Waves(group, leave, hold=8, rest=8)
        before = group.stat("total_pgmajfault", "pgmajfault")
        waves.start()
        for number in range(questions):
            try:
                one = side.ask(QUESTIONS[number % len(QUESTIONS)])
                outcome["answered"] += 1
                outcome["by_model"] += one["by_model"]
                outcome["tokens"] += one["tokens"]
                outcome["first_ms"].append(one["first_ms"])
            except (OSError, urllib.error.URLError, ValueError) as failure:
                outcome["failures"].append(str(failure))
            time.sleep(1)
            print(f"\r  squeeze, {side.name}: {number + 1}/{questions}", end="", file=sys.stderr)
        waves.stop()
        outcome["faults"] = group.stat("total_pgmajfault", "pgmajfault") - before
        outcome["alive"] = side.process.poll() is None
    except OSError as failure:
        outcome["failures"].append(str(failure))
        outcome["alive"] = False
    finally:
        print(file=sys.stderr)
        outcome["kills"] = group.kills
        if side:
            side.stop()
        group.remove()
    outcome["p95_first_ms"] = percentile(outcome["first_ms"], 0.95)
    outcome["faults_per_token"] = outcome.get("faults", 0) / max(1, outcome["tokens"])
    return outcome


def ratio(ours, theirs):
    ratios = [a / b for a, b in zip(ours, theirs)]
    return {"ratio": statistics.median(ratios), "interval": interval(ratios), "pairs": len(ratios)}


def share(governed, alone):
    """What the governing itself takes of the whole, in percent: the processor time that the process which governs uses more than
    without, pair by pair. The worker's own time is many times larger and the same in both but for noise."""
    shares = [100 * (a["house"] - b["house"]) / (b["house"] + b["worker"]) for a, b in zip(governed, alone)]
    return {"percent": statistics.median(shares), "interval": interval(shares), "pairs": len(shares)}


def idle(programs, packs):
    """Megabytes the main process holds with nothing loaded, some seconds after its start."""
    side = Libera(programs, packs)
    try:
        time.sleep(5)
        lines = open(f"/proc/{side.process.pid}/smaps_rollup").read().splitlines()
        values = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
        return {"rss": values["Rss"], "anonymous": values["Anonymous"]}
    finally:
        side.stop()


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--programs", required=True)
    parse.add_argument("--peers", default="")
    parse.add_argument("--pairs", type=int, default=15)
    parse.add_argument("--questions", type=int, default=24)
    parse.add_argument("--megabytes", type=int, default=1024)
    parse.add_argument("--leave", type=int, default=24, help="megabytes that the other program leaves")
    parse.add_argument("--only", choices=["squeeze", "import", "overhead", "idle", "busy"])
    parse.add_argument("--out", default=os.path.join(HERE, "governor"))
    options = parse.parse_args()
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "libera")
    packs = os.path.join(cache, "test-home", "packs")
    found = sorted(glob.glob(os.path.join(packs, "smollm2-135m-instruct-q4_1", "weights*.gguf")))
    if not found:
        sys.exit(f"no pack below {packs}; run ./libera test once")
    pack, began = found[0], time.time()
    report = {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "system": platform.platform(),
              "load": os.getloadavg()[0], "megabytes": options.megabytes, "leave": options.leave}

    def wanted(name):
        return options.only in (None, name)

    def save():
        # After each part: one that fails takes nothing of the others with it.
        report["seconds"] = round(time.time() - began)
        with open(options.out + ".json", "w") as out:
            json.dump(report, out, indent=2)
            out.write("\n")
        with open(options.out + ".md", "w") as out:
            out.write(page(report))
    if wanted("idle"):
        report["idle"] = idle(options.programs, packs)
        save()
    if wanted("overhead"):
        told = subprocess.run([os.path.join(options.programs, "bench-governor"), pack, str(options.pairs), "192"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        measured = json.loads(told)
        whole = {name: [one["house"] + one["worker"] for one in measured[name]] for name in ("governed", "alone")}
        report["overhead"] = ratio(whole["governed"], whole["alone"])
        report["governing"] = share(measured["governed"], measured["alone"])
        seen = [one for one in measured["reactions"] if one is not None]
        report["reaction"] = {"median_ms": statistics.median(seen) if seen else None, "most_ms": max(seen, default=None),
                              "times": len(seen), "missed": len(measured["reactions"]) - len(seen)}
        save()
    if wanted("import"):
        taken = imports(options.programs, packs, options.pairs)
        report["import"] = {"answer": ratio(taken["during"], taken["alone"]),
                            "first_token": ratio(taken["first_during"], taken["first_alone"]),
                            "threads_median": statistics.median(taken["threads"]),
                            "threads_p95": percentile(taken["threads"], 0.95), "cores": taken["cores"]}
        save()
    peers = options.peers if os.path.exists(os.path.join(options.peers, "build", "bin", "llama-server")) else ""
    if wanted("busy"):
        report["busy"] = busy(options.programs, packs, peers, pack)
        save()
    if wanted("squeeze"):
        sides = [lambda start: Libera(options.programs, packs, start)]
        if peers:
            sides += [lambda start: Llama(peers, pack, start), lambda start: Llama(peers, pack, start, "--load-mode", "none")]
        else:
            print("llama.cpp's server is not built: ours is measured alone", file=sys.stderr)
        report["squeeze"] = [squeeze(side, options.megabytes, options.leave, options.questions) for side in sides]
    save()
    print(page(report))


def page(report):
    lines = ["# The governor, measured", "",
             f"{report['date']}, {report['cores']} cores, {report['seconds']} s in all. Load average at the start: "
             f"{report['load']:.1f}.", ""]
    if "squeeze" in report:
        lines += [f"## Squeezed", "",
                  f"Each lives in a memory control group of {report['megabytes']} MB in which another program, in waves of 8 s, "
                  f"takes all but {report['leave']} MB of what is free. The same pack for all. A question counts as answered "
                  f"when a non-empty answer came within {PATIENCE} s; without a model ours says what it can and why.", "",
                  "| | answered | by a model | p95 first word | major faults per token | killed for memory | still runs |",
                  "|---|---|---|---|---|---|---|"]
        for one in report["squeeze"]:
            first = f"{one['p95_first_ms']:.0f} ms" if one["p95_first_ms"] else "–"
            lines.append(f"| {one.get('name', '?')} | {one['answered']} of {one['asked']} | {one['by_model']} | {first} | "
                         f"{one['faults_per_token']:.1f} | {one['kills']} | {'yes' if one['alive'] else 'no'} |")
        lines += ["", "Ours gives the memory of its model back as soon as the group is nearly full. A question then waits for memory, up "
                  "to 15 s, which the first word's p95 shows, and is answered without a model if none comes; llama.cpp's server keeps "
                  "it. *Killed for memory* counts whatever in the group the system ended, the other program included.", ""]
    if "overhead" in report:
        one, own, reaction = report["overhead"], report["governing"], report["reaction"]
        lines += ["## Cost", "", f"Governing takes {own['percent']:.2f} % of the processor time of a token "
                  f"({own['interval'][0]:.2f} to {own['interval'][1]:.2f}; goal: below 1 %): what the process that governs uses "
                  f"more than without, over {own['pairs']} pairs of two answers each, in the order governed, alone, alone, governed "
                  f"and the other way round. All processor time per token, the model's own included, governed against alone: "
                  f"{one['ratio']:.4f} ({one['interval'][0]:.4f} to {one['interval'][1]:.4f}).", ""]
        if reaction["times"]:
            lines += [f"From a hot sensor to the first token that waits: median {reaction['median_ms']:.0f} ms, at most "
                      f"{reaction['most_ms']:.0f} ms of {reaction['times']} times (goal: below 1000 ms)."]
        lines += [f"In {reaction['missed']} answers the wait was not seen before their end."] * (reaction["missed"] > 0) + [""]
    if "import" in report:
        one = report["import"]
        lines += ["## An answer while an import runs", "",
                  f"Time per token against alone: {one['answer']['ratio']:.2f} ({one['answer']['interval'][0]:.2f} to "
                  f"{one['answer']['interval'][1]:.2f}, {one['answer']['pairs']} pairs; goal: at most 1.3). First word: "
                  f"{one['first_token']['ratio']:.2f} ({one['first_token']['interval'][0]:.2f} to "
                  f"{one['first_token']['interval'][1]:.2f}).", "",
                  f"Threads computing at once, sampled every 20 ms, without those of lower priority: median "
                  f"{one['threads_median']:.0f}, 95 % at most {one['threads_p95']} on {one['cores']} cores.", ""]
    if "busy" in report:
        lines += ["## Beside a program that takes every core", "",
                  f"The first word of {len(ABOUT)} questions about the project's own pages, with the default pack: median and most. "
                  "llama.cpp's server is given the passages that ours cites in Fast, which is its fixed way.", "",
                  "| | alone | beside it | the most may be | |", "|---|---|---|---|---|"]
        for name, allowed in (("fast", 1.5), ("deep", 1.3), ("server", None)):
            if one := report["busy"].get(name):
                told = [f"{statistics.median(one[beside]):.0f} ms, {max(one[beside]):.0f} ms" for beside in ("alone", "busy")]
                most = allowed and allowed * BUDGET_MS[name]
                lines.append(f"| {'llama-server' if name == 'server' else name.capitalize()} | {told[0]} | {told[1]} | "
                             + (f"{most:.0f} ms | {'met' if max(one['busy']) <= most else 'missed'} |" if most else "| |"))
        lines += [""]
    if "idle" in report:
        lines += ["## Idle", "", f"The server with no pack loaded holds {report['idle']['rss']:.0f} MB, of it "
                  f"{report['idle']['anonymous']:.0f} MB of its own (goal: below 60 MB).", ""]
    return "\n".join(lines + ["Run it again with `./libera bench governor`.", ""])


main()
