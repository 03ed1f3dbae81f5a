"""Compares LiberaGPT's text engine with llama.cpp's own server, built from the same source, in one run.

Same weights, same prompts, same number of threads, both greedy. The two sides take turns, and each figure is the median of
the ratios of the pairs, with a bootstrapped 95 % interval. Our side runs as in everyday use: in a sealed worker, spoken to
over its socket; the server's own timings leave out HTTP and its tokenising, which favours it.
"""

import argparse, hashlib, json, os, platform, random, statistics, subprocess, sys, time

from engine_sides import Ours, Server, memory_mb
from measuring import prose

HERE = os.path.dirname(os.path.abspath(__file__))


# MARK: What is asked

NAMES = "Aldous Mirela Tobias Ines Radovan Petra Callum Sunniva Dario Yvette".split()
PLACES = "Orrin Velmar Tesk Hollin Brack Sorrel Quay Daleth Umber Finch".split()


def grounded(seed):
    """A question over three paragraphs whose good answer quotes one of them."""
    chooser = random.Random(seed)
    facts = []
    for place in chooser.sample(PLACES, 3):
        keeper, other = chooser.sample(NAMES, 2)
        year = chooser.randint(1790, 1930)
        facts.append((place, f"The lighthouse at Cape {place} was built in {year} from pale granite quarried on the "
                      f"neighbouring island. Its lamp burned colza oil until {year + 29}, when the keeper {keeper} {other}sen "
                      f"replaced it with a paraffin burner of his own design, which stayed in service for "
                      f"{chooser.randint(11, 48)} years."))
    asked = chooser.choice(facts)
    text = "\n\n".join(f"[{number}] {fact}" for number, (_, fact) in enumerate(facts, 1))
    return (f"<|im_start|>system\nAnswer by quoting the passage that answers the question, word for word.<|im_end|>\n"
            f"<|im_start|>user\n{text}\n\nQuote everything that is said about the lighthouse at Cape {asked[0]}.<|im_end|>\n"
            f"<|im_start|>assistant\nThe passage says: \"The lighthouse at Cape {asked[0]}")


# How long a person takes to read an answer and to type the next question.
PAUSE = 0.5


def conversation(seed, answer, rest):
    """Asks three questions about one long text; `rest` is what a side does while the person reads. The times of their first tokens."""
    messages = [{"role": "system", "content": "You answer briefly."}]
    times = []
    for question in (f"{prose(seed, 330)}\n\nWhat is the text about?", "Name one.", "And another?"):
        messages.append({"role": "user", "content": question})
        run = answer(messages)
        times.append(run["first_ms"])
        messages.append({"role": "assistant", "content": run["text"]})
        began = time.time()
        rest(messages)
        time.sleep(max(0, PAUSE - (time.time() - began)))
    return {"cold": times[0], "third": times[2]}


def rendered(messages):
    """As the small pack's template writes them."""
    return "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages) + "<|im_start|>assistant\n"


# MARK: Judging

def interval(values, repeats=2000):
    chooser = random.Random(1)
    medians = sorted(statistics.median(chooser.choices(values, k=len(values))) for _ in range(repeats))
    return [medians[int(repeats * 0.025)], medians[int(repeats * 0.975)]]


def judged(name, goal, ours, theirs, unit, better="more"):
    ratios = [a / b for a, b in zip(ours, theirs)]
    return {"name": name, "goal": goal, "ours": statistics.median(ours), "theirs": statistics.median(theirs), "unit": unit,
            "ratio": statistics.median(ratios), "interval": interval(ratios), "pairs": len(ratios), "better": better}


def speed(run):
    return run["prompt_tokens"] / run["prompt_ms"] * 1000


def rate(run):
    # The first token comes from the prompt; the rest are what generating costs.
    return max(1, run["tokens"] - 1) / run["generate_ms"] * 1000


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--ours", required=True)
    parse.add_argument("--peers", required=True)
    parse.add_argument("--pack", default="", help="a model file; the default is the small pack")
    parse.add_argument("--pairs", type=int, default=15)
    parse.add_argument("--threads", type=int, default=min(8, os.cpu_count() or 1))
    parse.add_argument("--card", help="the engine's libggml-vulkan.so: both sides compute on the graphics card by it")
    parse.add_argument("--out", default=os.path.join(HERE, "engine"))
    options = parse.parse_args()
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "libera")
    pack = options.pack or os.path.join(cache, "test-packs", "smollm2.gguf")
    if not os.path.exists(pack):
        sys.exit(f"no model at {pack}; run ./libera test once, or name one with --pack")

    ours = Ours(options.ours)
    digest = hashlib.sha256(open(pack, "rb").read()).hexdigest()
    context = 2048
    began = time.time()
    print(f"{options.pairs} pairs, {options.threads} threads, {os.path.basename(pack)}", file=sys.stderr)

    info = ours.load("pack", pack, options.threads, context, gpu=bool(options.card))
    if options.card and "card" not in info:
        sys.exit(f"ours is on the processor: {info['backend']}")
    server = Server(options.peers, pack, options.threads, context, card=options.card)
    results, notes = [], {}
    takes = {key: [] for key in ("prompt", "generate", "cold", "third", "cpu_prompt", "cpu_generate")}

    def pair(number, ours_first, task):
        first, second = (ours_side, their_side) if ours_first else (their_side, ours_side)
        a = task(first, number)
        b = task(second, number)
        return (a, b) if ours_first else (b, a)

    ours_side = lambda prompt, tokens: ours.generate("pack", prompt, tokens)
    their_side = server.generate
    for side in (ours_side, their_side):
        side(prose("warm", 100), 8)

    for number in range(options.pairs):
        turn = number % 2 == 0
        a, b = pair(number, turn, lambda side, n: side(prose(f"p{n}", 420), 1))
        takes["prompt"].append((speed(a), speed(b)))
        takes["cpu_prompt"].append((a["cpu_ms"] / a["prompt_tokens"], b["cpu_ms"] / b["prompt_tokens"]))
        a, b = pair(number, turn, lambda side, n: side(f"Chapter {n + 1}. Once upon a time, in a small town by the sea,", 96))
        takes["generate"].append((rate(a), rate(b)))
        takes["cpu_generate"].append((a["cpu_ms"] / a["tokens"], b["cpu_ms"] / b["tokens"]))

        def talk(ours_side_asked, n):
            if ours_side_asked:
                return conversation(f"t{n}", lambda said: ours.generate("pack", said, 12),
                                    lambda said: ours.ask(do="readAhead", name="pack", messages=said, tokens=12))
            return conversation(f"t{n}", lambda said: server.generate(rendered(said), 12), lambda said: None)
        a, b = pair(number, turn, lambda side, n: talk(side is ours_side, n))
        takes["cold"].append((a["cold"], b["cold"]))
        takes["third"].append((a["third"], b["third"]))
        print(f"\r  plain pair {number + 1}/{options.pairs}", end="", file=sys.stderr)
    print(file=sys.stderr)

    def column(key, side):
        return [take[side] for take in takes[key]]

    results.append(judged("Prompt", "ratio at least 0.98", column("prompt", 0), column("prompt", 1), "tokens/s"))
    results.append(judged("Generation", "ratio at least 0.98", column("generate", 0), column("generate", 1), "tokens/s"))
    results.append(judged("First token, cold", "", column("cold", 0), column("cold", 1), "ms", "less"))
    results.append(judged("First token, third turn", "", column("third", 0), column("third", 1), "ms", "less"))
    results.append(judged("Third turn's first token against our own cold one", "ratio at most 0.10",
                          column("third", 0), column("cold", 0), "ms", "less"))
    results.append(judged("CPU time per prompt token", "", column("cpu_prompt", 0), column("cpu_prompt", 1), "ms", "less"))
    results.append(
        judged("CPU time per generated token", "", column("cpu_generate", 0), column("cpu_generate", 1), "ms", "less"))
    notes["memory"] = {"ours": memory_mb(ours.pids["pack"]), "theirs": memory_mb(server.pid)}

    if not options.pack:  # the adapter that judges passages belongs to the small pack
        adapter = os.path.join(HERE, "..", "Sources", "Retrieval", "judge.gguf")
        ours.load("adapted", pack, options.threads, context, adapter, gpu=bool(options.card))
        adapted = Server(options.peers, pack, options.threads, context, "--lora", adapter, card=options.card)
        takes["adapted"] = []
        for number in range(options.pairs + 1):
            sides = [lambda: ours.generate("adapted", prose(f"a{number}", 140), 1),
                     lambda: adapted.generate(prose(f"a{number}", 140), 1)]
            a, b = [side() for side in sides] if number % 2 else [side() for side in reversed(sides)][::-1]
            if number > 0:  # the first warms both
                takes["adapted"].append((speed(a), speed(b)))
        results.append(judged("Prompt of 200 tokens through an adapter", "ratio at least 0.98", column("adapted", 0),
                              column("adapted", 1), "tokens/s"))
        adapted.stop()
        ours.ask(do="unload", name="adapted")

    # From the wish to stop until the engine has begun the next request.
    stops = {"prefill": [], "generation": []}
    for number in range(options.pairs):
        stops["prefill"].append(ours.ask(do="cancel", name="pack", prompt=prose(f"c{number}", 900), after=150)["totalMs"])
        stops["generation"].append(ours.ask(do="cancel", name="pack", prompt=f"Chapter {number}.")["totalMs"])
    notes["cancel_ms"] = {part: {"median": statistics.median(taken), "most": max(taken)} for part, taken in stops.items()}

    # Answers that quote their evidence: four arms in turn.
    drafting = Server(options.peers, pack, options.threads, context, "--spec-type", "ngram-simple", card=options.card)
    arms = {"ours": lambda p: ours.generate("pack", p, 110, speculate=True),
            "ours plain": lambda p: ours.generate("pack", p, 110),
            "server ngram": lambda p: drafting.generate(p, 110), "server": lambda p: server.generate(p, 110)}
    quoted, same, tokens = {name: [] for name in arms}, 0, {name: 0 for name in arms}
    accepted = drafted = 0
    for number in range(options.pairs):
        prompt = grounded(number)
        for arm in arms.values():  # everyone has read the prompt; only the answers are compared
            arm(prompt) if number == 0 else None
        order = list(arms)
        order = order[number % 4:] + order[:number % 4]
        texts = {}
        for name in order:
            warm = (lambda p: ours.generate("pack", p, 1)) if name.startswith("ours") else (
                (drafting if name == "server ngram" else server).generate)
            warm(prompt, 1) if not name.startswith("ours") else warm(prompt)
            run = arms[name](prompt)
            quoted[name].append(rate(run))
            texts[name] = run["text"]
            tokens[name] += run["tokens"]
            if name == "ours":
                drafted += run["drafted"]
                accepted += run["accepted"]
        same += texts["ours"] == texts["ours plain"]
        print(f"\r  quoting pair {number + 1}/{options.pairs}", end="", file=sys.stderr)
    print(file=sys.stderr)
    results.append(judged("Quoting answers, drafts against none (ours)", "ratio at least 1.30",
                          quoted["ours"], quoted["ours plain"], "tokens/s"))
    results.append(judged("Quoting answers, against the plain server", "", quoted["ours"], quoted["server"], "tokens/s"))
    results.append(judged("Quoting answers, against the server's own ngram drafts", "", quoted["ours"],
                          quoted["server ngram"], "tokens/s"))
    notes["speculation"] = {"identical": same, "of": options.pairs, "drafted": drafted, "accepted": accepted}
    drafting.stop()
    server.stop()

    worker = os.path.join(os.path.dirname(options.ours), "echo-worker")
    notes["round_trip_us"] = json.loads(subprocess.run([worker, "rehearse-latency"], capture_output=True, check=True).stdout)

    processor = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
    report = {"date": time.strftime("%Y-%m-%d"), "machine": {"processor": processor, "cores": os.cpu_count(),
              "system": platform.platform(), "load_at_end": os.getloadavg()[0]}, "pack": {"sha256": digest,
              "description": info["description"]}, "backend": info["backend"], "threads": options.threads,
              "pairs": options.pairs,
              "omp_wait_policy": os.environ.get("OMP_WAIT_POLICY", "default"), "seconds": round(time.time() - began),
              "results": results, "notes": notes}
    with open(options.out + ".json", "w") as out:
        json.dump(report, out, indent=2)
        out.write("\n")
    with open(options.out + ".md", "w") as out:
        out.write(page(report))
    print(page(report))


def met(result):
    words = result["goal"].split()
    if not words:
        return ""
    bound = float(words[-1])
    return "met" if (result["ratio"] >= bound if "least" in words else result["ratio"] <= bound) else "missed"


def page(report):
    lines = ["# The text engine, measured", "",
             f"{report['date']}, {report['machine']['processor']}, {report['machine']['cores']} cores, "
             f"{report['threads']} threads, {report['pairs']} interleaved pairs, {report['seconds']} s in all. "
             f"Weights: {report['pack']['description']}, computed by {report['backend']}. "
             f"Load average at the end: {report['machine']['load_at_end']:.1f}.", "",
             "Ours is the sealed worker, spoken to over its socket; theirs is llama.cpp's own server from the same source,",
             "or what the line names. The ratio is the median over pairs, with its 95 % interval. Between the turns of a conversation",
             f"a person reads, on both sides for {PAUSE} s; ours reads meanwhile what every next question begins with.", "",
             "| | ours | theirs | ratio | interval | goal | |", "|---|---|---|---|---|---|---|"]
    for result in report["results"]:
        low, high = result["interval"]
        lines.append(f"| {result['name']} ({result['unit']}) | {result['ours']:.4g} | {result['theirs']:.4g} | "
                     f"{result['ratio']:.2f} | {low:.2f} to {high:.2f} | {result['goal']} | {met(result)} |")
    memory, drafts = report["notes"]["memory"], report["notes"]["speculation"]
    stops, trip = report["notes"]["cancel_ms"], report["notes"]["round_trip_us"]
    lines += ["", f"Memory: ours {memory['ours']['rss']:.0f} MB resident, of it {memory['ours']['anonymous']:.0f} MB not "
              f"shared with the file; the server {memory['theirs']['rss']:.0f} and {memory['theirs']['anonymous']:.0f} MB.", "",
              f"Drafts: {drafts['accepted']} of {drafts['drafted']} drafted tokens stood; {drafts['identical']} of "
              f"{drafts['of']} greedy answers were the same text with and without drafts.", "",
              f"Stopping, until the engine has begun the next request: {stops['prefill']['median']:.0f} ms while the prompt is "
              f"read (at most {stops['prefill']['most']:.0f}), {stops['generation']['median']:.0f} ms while it writes (at most "
              f"{stops['generation']['most']:.0f}); the goal is 50.", "",
              f"Between the worker and the main process a token costs {trip['token_cost_median']:.0f} µs of both together (the goal is "
              f"50); at a model's pace it is there after {trip['token_delivery_median']:.0f} µs (p95 "
              f"{trip['token_delivery_p95']:.0f}), and a call and its answer take {trip['call_round_trip_median']:.0f} µs.", "",
              f"Run it again with `./libera bench engine --pairs {report['pairs']}`.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
