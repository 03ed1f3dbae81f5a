#!/usr/bin/env python3
"""train.py WEIGHTS READING OUT [--steps N] [--without covidqa,qed] [--threads N] [--from STATE] [--rate R]
         [--authored FILE --authors authored-a,authored-b] [--others N] [--dropout D]
         [--device cuda --tokens 8000 --ahead 3] [--minutes M]

Tunes the default chat pack to read: which of a passage's numbered sentences answers a question, or none, and in which words.
WEIGHTS is the pack's file, READING shared/data/reading. OUT/state.pt is written every few minutes and taken up again; at the end
OUT/reader.gguf is the adapter as llama.cpp loads it. With --from a finished run's state is trained on, by a schedule of its own.
--authored adds of Benchmarks/answers/authored.jsonl what these authors wrote; --others takes so many passages of READING. On a graphics
card a step can take more --tokens, and so many epochs as --ahead says are drawn meanwhile in processes of their own. With --minutes it ends
after that time at the latest, and the rate goes down by the clock, which begins anew where a run is taken up again.
"""
import argparse
import concurrent.futures
import itertools
import multiprocessing
import os
import random
import re
import time

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from corpora import authored, load
from model import ALPHA, FIRST, LETTERS, PLACES, Reader

SEED = 20261124
WARM, SPANS = 40, 0.2
COMMON = ["Overview", "Introduction", "Results", "Other", "General", "Notes", "Contents", "Summary", "Background", "Dear all,", "Hello,"]
NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")


def told(question, lines):
    """Which of the lines answer the question, as (letter, words) of each; nothing where none does."""
    at = {sentence: place for place, (sentence, _) in enumerate(lines) if sentence is not None}
    return [(at[s], question["spans"][s]) for s in question["evidence"] if s in at]


def changed(question, passage, chance):
    """The question with another number or year, which the passage does not have; None where it has none."""
    numbers = list(NUMBER.finditer(question["text"]))
    if not numbers:
        return None
    found = chance.choice(numbers)
    whole = found.group()
    other = str(int(whole) + chance.choice([-7, -5, -3, -2, 2, 3, 4, 6, 9])) if whole.isdigit() else whole[:-1] + str((int(whole[-1]) + chance.randint(1, 9)) % 10)
    if other in " ".join(passage["sentences"]):
        return None
    return {"text": question["text"][: found.start()] + other + question["text"][found.end() :], "evidence": [], "answers": []}


def window(sentences, kept, chance):
    """Mostly a stretch of some sentences, as the program shows them, else all."""
    if chance.random() < 0.4:
        return kept
    room, first = chance.randint(250, 700), chance.randrange(len(kept))
    while first > 0 and chance.random() < 0.7:
        first -= 1
    shown = []
    for sentence in kept[first:]:
        room -= len(sentences[sentence])
        if shown and room < 0:
            break
        shown.append(sentence)
    return shown


def heading(passage, chance):
    """A line as documents have them between their sentences: it may have the question's words, and answers nothing."""
    asked = [q for q in passage["asked"] + passage["near"] if len(q["text"].split()) > 3]
    if asked and chance.random() < 0.6:
        words = chance.choice(asked)["text"].strip(" ?").split()
        begin = chance.randint(1, len(words) - 2)
        text = " ".join(words[begin : begin + chance.randint(2, 6)])
    else:
        text = chance.choice([passage["title"], passage["title"], *COMMON])
    text = text[:1].upper() + text[1:]
    return chance.choice(["{}", "{}", "{}:", "%d. {}" % chance.randint(1, 9), "%d.%d {}" % (chance.randint(1, 9), chance.randint(1, 9))]).format(text)


def alike(line, chance, most):
    """Rows of a kind with this one, which differ in their numbers, as lists and registers have them: they answer nothing either."""
    first = chance.randint(1, 30)
    if not (numbers := list(NUMBER.finditer(line))):
        word = chance.choice(["Room {}: ", "No. {}: ", "{}. ", "Item {} - ", "({}) "])
        return [word.format(first + n) + line for n in range(most)]
    at = chance.choice(numbers)
    steps = [first + n for n in range(most)] if chance.random() < 0.5 else [chance.randint(1, 400) for _ in range(most)]
    return [f"{line[:at.start()]}{step}{line[at.end():]}" for step in steps]


def group(passage, epoch, strange, most=10):
    """A passage, perhaps with a sentence left out and with headings, and questions: its own and some that belong elsewhere."""
    chance = random.Random(f"{SEED} {epoch} {passage['source']} {passage['name']} {passage['sentences'][0]}")
    kept = list(range(len(passage["sentences"])))
    own = chance.sample(passage["asked"], min(most, len(passage["asked"])))
    evidence = sorted({s for q in own for s in q["evidence"]})
    if evidence and len(kept) > 1 and chance.random() < 0.3:
        kept.remove(chance.choice(evidence))
    lines = [(s, passage["sentences"][s]) for s in window(passage["sentences"], kept, chance)]
    text = " ".join(line for _, line in lines).lower()
    room = min(12, len(LETTERS) - len(lines))
    if room > 2 and chance.random() < 0.12:
        place = chance.randint(0, len(lines))
        lines[place:place] = [(None, row) for row in alike(chance.choice(strange), chance, chance.randint(3, room))]
    mark = chance.choice([""] * 6 + ["- ", "• "])
    lines = [(s, mark + line) for s, line in lines]
    while len(lines) < len(LETTERS) and chance.random() < 0.4:
        lines.insert(0 if chance.random() < 0.6 else chance.randint(0, len(lines)), (None, heading(passage, chance)))
    asked, missing = [], []
    for question in own:
        if question["evidence"] and chance.random() < 0.1:
            question = changed(question, passage, chance) or question
        answers = told(question, lines)
        if question["evidence"] and not answers:
            # Where its words stand elsewhere too, nobody knows.
            if not any(a.lower() in text for a in question["answers"]):
                missing.append((question["text"], []))
            continue
        asked.append((question["text"], answers))
    asked += missing[: max(1, len(asked))]
    few = max(3, round(0.8 * len(own))) if passage["source"].startswith("authored") else min(max(1, round(0.3 * len(own))), 4)
    others = chance.sample(passage["near"], min(len(passage["near"]), few))
    asked += [(question["text"], []) for question in others]
    chance.shuffle(asked)
    asked = [(text[:-1] if text.endswith("?") and chance.random() < 0.15 else text, answers) for text, answers in asked]
    title = passage["title"] if chance.random() < 0.8 and passage["source"] != "tatqa" else ""
    return title, [line for _, line in lines], asked


def numbered(words, drawn, chance=None):
    """Tokens of passage and questions; of each question the letters that answer and the words that follow one of them."""
    title, sentences, asked = drawn
    blocks, goals = [], []
    for text, answers in asked:
        question, follows = words.question(text), []
        if answers and chance:
            letter, span = chance.choice(answers)
            follows = [words.verdicts[1 + letter]] + words.span(span)
        blocks.append(question + follows)
        goals.append((len(question) - 1, [1 + letter for letter, _ in answers] or [0], len(follows)))
    return (words.passage(title, sentences), blocks), goals


def losses(reader, portion):
    groups, goals = [one[0] for one in portion], [one[1] for one in portion]
    tokens, places, mask, starts = reader.batch(groups)
    states = reader(tokens, places, mask)
    rows, wanted, spans = [], [], []
    for row, (mine, begins) in enumerate(zip(goals, starts)):
        for (last, letters, follows), begin in zip(mine, begins):
            rows.append((row, begin + last))
            wanted.append(letters)
            spans += [(row, begin + last + i) for i in range(1, follows)]
    verdicts = reader.verdicts(states[tuple(torch.tensor(one) for one in zip(*rows))])
    answers = torch.zeros(verdicts.shape, dtype=torch.bool)
    for row, letters in enumerate(wanted):
        answers[row, letters] = True
    answers = answers.to(reader.device)
    loss = -verdicts.masked_fill(~answers, -torch.inf).logsumexp(-1).mean()
    right = answers.gather(1, verdicts.argmax(-1, keepdim=True)).float().mean()
    words = torch.zeros((), device=reader.device)
    if spans:
        at = tuple(torch.tensor(one) for one in zip(*spans))
        logits = F.linear(states[at], reader.frozen["token_embd"]).float()
        words = F.cross_entropy(logits, tokens[at[0], at[1] + 1])
    return loss, words, right, len(wanted), tokens.numel()


class Course:
    """What is learned, epoch by epoch."""

    def __init__(self, words, passages, tokens):
        self.words, self.passages, self.tokens = words, passages, tokens
        # Lines of others, for rows that have to do with no question.
        self.strange = [line for p in passages[:: max(1, len(passages) // 2000)] for line in p["sentences"][:2] if 15 < len(line) < 90]

    def epochs(self, number, ahead):
        """The portions of this epoch and of those that follow, `ahead` of them drawn meanwhile by as many processes."""
        if not ahead:
            for each in itertools.count(number):
                yield portions(self, each)
        with concurrent.futures.ProcessPoolExecutor(ahead, multiprocessing.get_context("spawn"), share, (self,)) as processes:
            coming = [processes.submit(shared_portions, number + n) for n in range(ahead)]
            for each in itertools.count(number + ahead):
                yield coming.pop(0).result()
                coming.append(processes.submit(shared_portions, each))


def share(course):
    """Once in each process, so that a course is handed over once."""
    global shared
    shared = course


def shared_portions(epoch):
    return portions(shared, epoch)


def portions(course, epoch):
    """Passages of about one length side by side, so that little is padded."""
    chance = random.Random(f"{SEED} {epoch}")
    groups = (group(p, epoch, course.strange) for p in course.passages)
    drawn = [numbered(course.words, g, chance) for g in groups if g[2]]
    size = lambda one: len(one[0][0]) + sum(map(len, one[0][1]))
    drawn.sort(key=lambda one: size(one) + chance.random() * 40)
    all_of, held = [], []
    for one in drawn:
        if held and max(map(size, held + [one])) * (len(held) + 1) > course.tokens:
            all_of.append(held)
            held = []
        held.append(one)
    all_of.append(held)
    chance.shuffle(all_of)
    return all_of


def export(reader, path):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    writer.add_name("LiberaGPT reader")
    for n in range(FIRST, reader.layers):
        for place in PLACES:
            for letter, part in [("a", reader.down), ("b", reader.up)]:
                writer.add_tensor(f"blk.{n}.{place}.weight.lora_{letter}", part[f"{n}_{place}"].detach().cpu().numpy().astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("reading")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--without", default="covidqa,qed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--from", dest="begun")
    parser.add_argument("--authored")
    parser.add_argument("--authors", default="")
    parser.add_argument("--others", type=int)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tokens", type=int, default=1600)
    parser.add_argument("--ahead", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1e6)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    reader = Reader(options.weights, device=options.device)
    reader.dropout = options.dropout
    without = options.without.split(",")
    passages = [p for p in load(options.reading) if not p["held"] and p["source"] not in without and p["asked"]]
    if options.others is not None:
        passages = random.Random(SEED).sample(passages, options.others)
    if options.authored:
        passages += [p for p in authored(options.authored, options.authors.split(",")) if p["asked"] or p["near"]]
    course = Course(reader.words, passages, options.tokens)
    print(f"{len(passages)} passages, {sum(len(p['asked']) for p in passages)} questions", flush=True)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98))
    done = lambda step: 1 if step >= options.steps else max(step / options.steps, (time.time() - started) / 60 / options.minutes)
    rate = lambda step: min(1, (step + 1) / WARM) * max(0.03, 1 - done(step))
    step = epoch = place = 0
    os.makedirs(options.out, exist_ok=True)
    state = f"{options.out}/state.pt"
    if os.path.exists(state):
        kept = reader.take(state)
        optimiser.load_state_dict(kept["optimiser"])
        step, epoch, place = kept["step"], kept["epoch"], kept["place"]
    elif options.begun:
        epoch = reader.take(options.begun)["epoch"] + 1

    def keep():
        torch.save({"reader": reader.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "epoch": epoch, "place": place},
                   state + ".new")
        os.replace(state + ".new", state)

    sums, drawn = [0.0, 0.0, 0.0, 0, 0], course.epochs(epoch, options.ahead)
    started = began = kept_at = time.time()
    while done(step) < 1:
        ready = next(drawn)
        while place < len(ready) and done(step) < 1:
            for part in optimiser.param_groups:
                part["lr"] = options.rate * rate(step)
            loss, words, right, count, tokens = losses(reader, ready[place])
            optimiser.zero_grad()
            (loss + SPANS * words).backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step, place = step + 1, place + 1
            for i, value in enumerate([loss.item() * count, words.item() * count, right.item() * count, count, tokens]):
                sums[i] += value
            if step % 20 == 0:
                n, spent = sums[3], time.time() - began
                print(f"step {step} of epoch {epoch} ({place}/{len(ready)}): loss {sums[0] / n:.3f}, words {sums[1] / n:.3f}, right "
                      f"{sums[2] / n:.3f}, {n / spent:.1f} questions/s, {sums[4] / spent:.0f} tokens/s", flush=True)
                sums, began = [0.0, 0.0, 0.0, 0, 0], time.time()
            if time.time() - kept_at > 240:
                keep()
                kept_at = time.time()
        if place >= len(ready):
            epoch, place = epoch + 1, 0
    keep()
    export(reader, f"{options.out}/reader.gguf")


if __name__ == "__main__":
    main()
