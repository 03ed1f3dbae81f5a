"""Questions for two things at once, each made of two questions of one author: both have an answer, one of them, or none.

    ./libera bench answers --half authored --two household-authored-f household-authored-l
"""

import collections, random, re

ASKS = re.compile(r"(what|when|where|who|which|how|can|may|do|does|is|are|must|should|will|wer|wann|wo|wie|was|welche[rsmn]?|darf|muss|ist|sind|kann)\b", re.I)
LONGEST = 90


def pairs(half, questions, count):
    """(kind, the two questions, them as one): `both` count times, `one` half as often and `none` a quarter as often. Questions in other
    words are not among those with an answer: what is to be seen is what asking for two things costs."""
    chance = random.Random(7)
    asked = [q for q in questions if q["half"] == half and ASKS.match(q["question"]) and len(q["question"]) < LONGEST]
    answered = [q for q in asked if q["document"] and q["kind"] != "other words"]
    near = [q for q in asked if not q["document"]]
    chance.shuffle(answered)
    chance.shuffle(near)
    word = " und " if half.split("-")[-1].startswith("d") and len(half.split("-")[-1]) > 1 else " and "
    for place in range(count):
        first, second = (answered[(2 * place + n) % len(answered)] for n in (0, 1))
        yield "both", first, second, joined(first, second, word if place % 2 else None)
        if place % 2 == 0:
            other = near[place % len(near)]
            yield "one", first, other, joined(first, other, word if place % 4 else None)
        if place % 4 == 0:
            first, second = near[place % len(near)], near[(place + 1) % len(near)]
            yield "none", first, second, joined(first, second, word if place % 8 else None)


def joined(first, second, word):
    start, end = first["question"].rstrip("?. "), second["question"]
    return f"{start}{word}{end if end.startswith('I ') else end[0].lower() + end[1:]}" if word else f"{start}? {end}"


def ask(program, halves, questions, count, mode, holds):
    print("| | questions | first answered | second | both | declined | found |\n|---|---|---|---|---|---|---|")
    for half in halves:
        rows = collections.defaultdict(list)
        for kind, first, second, text in pairs(half, questions, count):
            record = program.ask(text, half, "--mode", mode, "--provider", "extractive")
            right = [bool(q["document"]) and not record["abstained"] and holds(record["answer"], q["expect"]) for q in (first, second)]
            rows[kind].append((*right, all(right), record["abstained"], record["finding"] == "found"))
        for kind, cases in rows.items():
            print(f"| {half}, {kind} | {len(cases)} | " + " | ".join(f"{sum(column) / len(cases):.2f}" for column in zip(*cases)) + " |", flush=True)
