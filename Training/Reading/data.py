"""Examples for the reader: windows of passages, and passages that do not answer, drawn anew in every epoch."""
import random
import re

import torch
from encoder import padded

NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
NEGATIVE = {"near": 0.55, "cut": 0.15, "changed": 0.15, "far": 0.15}


class Example:
    """A question and a window of sentences; `evidence` and `spans` in the window's tokens."""

    def __init__(self, question, tokens, spans=(), evidence=(), answers=False):
        self.question, self.tokens = question, tokens
        self.spans, self.evidence, self.answers = list(spans), list(evidence), answers


class Drawing:
    def __init__(self, data, vocabulary, seed, without=()):
        self.vocabulary, self.seed = vocabulary, seed
        self.passages = data["passages"]
        self.questions = [q for q in data["questions"] if not q["held"] and q["source"] not in without]
        self.bySource = {}
        for place, passage in enumerate(self.passages):
            if not passage["held"]:
                self.bySource.setdefault(passage["source"], []).append(place)
        # How many passages a word stands in, to see which sentence is nearest to a question.
        self.common = {}
        for passage in self.passages:
            for token in set(passage["tokens"]):
                self.common[token] = self.common.get(token, 0) + 1
        self.mark = vocabulary.pieces("?")[0]
        self.numbers = sorted({number for p in self.passages for number in NUMBER.findall(p["text"][:400])})

    def epoch(self, number):
        """The order of the questions in this epoch."""
        order = list(range(len(self.questions)))
        random.Random(f"{self.seed} {number}").shuffle(order)
        return order

    def nearest(self, question, passage):
        words = set(question)

        def weight(bounds):
            shared = set(passage["tokens"][bounds[0] : bounds[1]]) & words
            return sum(1 / self.common.get(token, 1) ** 0.5 for token in sorted(shared))

        return max(range(len(passage["sentences"])), key=lambda s: weight(passage["sentences"][s]))

    def sentence(self, passage, number):
        begin, end = passage["sentences"][number]
        return passage["text"][passage["begins"][begin] : passage["ends"][end - 1]].lower()

    def window(self, passage, centre, budget, chance):
        """First and last sentence of a window around one that must be in it."""
        sentences = passage["sentences"]
        first = last = centre
        total = sentences[centre][1] - sentences[centre][0]
        while first > 0 or last < len(sentences) - 1:
            before = first > 0 and (last == len(sentences) - 1 or chance.random() < 0.5)
            grown = sentences[first - 1] if before else sentences[last + 1]
            total += grown[1] - grown[0]
            if total > budget:
                break
            first, last = (first - 1, last) if before else (first, last + 1)
        return first, last

    def example(self, question, tokens, passage, centre, budget, chance, titled, answers=False, left_out=()):
        first, last = self.window(passage, centre, budget, chance)
        window, spans, evidence = list(titled), [], []
        for number in range(first, last + 1):
            if number in left_out:
                continue
            begin, end = passage["sentences"][number]
            shift = len(window) - begin
            if answers and number in question["evidence"]:
                evidence.append((begin + shift, end + shift))
            if answers:
                spans += [(b + shift, e + shift) for b, e in question["spans"] if begin <= b and e < end]
            window += passage["tokens"][begin:end]
        return Example(tokens, window, spans, evidence, answers)

    def changed(self, text, passage, chance):
        """The question with a number or a name exchanged, as tokens; None where it has none."""
        numbers = list(NUMBER.finditer(text))
        if numbers:
            found = chance.choice(numbers)
            if len(found.group()) == 4 and found.group()[:2] in ("18", "19", "20"):
                other = str(int(found.group()) + chance.choice([-7, -5, -3, -2, -1, 1, 2, 3, 4, 6, 9]))
            else:
                other = chance.choice(self.numbers)
            if other in passage["text"]:
                return None
            return self.vocabulary.tokens(text[: found.start()] + other + text[found.end() :])[0]
        names = [m for m in NAME.finditer(text) if m.group() in passage["text"]]
        if not names:
            return None
        found = chance.choice(names)
        other = self.passages[chance.choice(self.bySource[passage["source"]])]
        others = [name for name in NAME.findall(other["text"]) if name not in passage["text"] and name not in text]
        if not others:
            return None
        return self.vocabulary.tokens(text[: found.start()] + chance.choice(others) + text[found.end() :])[0]

    def group(self, epoch, place):
        """A question with the passage that answers it and one that does not; alone where none answers."""
        question = self.questions[place]
        chance = random.Random(f"{self.seed} {epoch} {place}")
        passage = self.passages[question["passage"]]
        budget = chance.choices([80, 120, 180], [0.5, 0.3, 0.2])[0]
        tokens = question["tokens"]
        if tokens[-1] == self.mark and chance.random() < 0.3:
            tokens = tokens[:-1]
        named = chance.random() < 0.3

        def title(one):
            name = one["title"].replace("_", " ")[:80] + "."
            return self.vocabulary.tokens(name)[0] if named and one["source"] != "tatqa" else []

        if not question["answerable"]:
            centre = self.nearest(tokens, passage)
            return [self.example(question, tokens, passage, centre, budget, chance, title(passage))]
        centre = chance.choice(question["evidence"])
        right = self.example(question, tokens, passage, centre, budget, chance, title(passage), True)
        kind = chance.choices(list(NEGATIVE), list(NEGATIVE.values()))[0]
        if kind == "cut":
            kept = [s for s in range(len(passage["sentences"])) if s not in question["evidence"]]
            said = any(answer.lower() in self.sentence(passage, s) for answer in question["answers"] for s in kept)
            if kept and not said and question["answers"]:
                centre = min(kept, key=lambda s: abs(s - question["evidence"][0]))
                left_out = question["evidence"]
                budget += 30
                return [right, self.example(question, tokens, passage, centre, budget, chance, title(passage), False, left_out)]
        if kind == "changed":
            other = self.changed(question["text"], passage, chance)
            if other:
                return [right, Example(other, right.tokens)]
        near = question["near"]
        if kind == "far" or not near:
            other = chance.choice(self.bySource[question["source"]])
        else:
            other = chance.choice(near[: chance.choice([3, 8])])
        if other == question["passage"]:
            return [right]
        other = self.passages[other]
        return [right, self.example(question, tokens, other, self.nearest(tokens, other), budget, chance, title(other))]


def batch(vocabulary, groups):
    """The examples of the groups side by side, with what is right, and which two belong to one question."""
    examples = [example for group in groups for example in group]
    made = padded(vocabulary, [(example.question, example.tokens) for example in examples])
    shape = made["tokens"].shape
    made["starts"], made["stops"], made["evidence"] = (torch.zeros(shape) for _ in range(3))
    for row, example in enumerate(examples):
        begin, end = made["begins"][row], made["ends"][row]
        for first, last in example.spans:
            if begin + last < end:
                made["starts"][row, begin + first] = 1
                made["stops"][row, begin + last] = 1
        if not example.answers:  # the place before the question stands for "nowhere"
            made["starts"][row, 0] = made["stops"][row, 0] = 1
        for first, last in example.evidence:
            made["evidence"][row, begin + first : min(end, begin + last)] = 1
    made["answers"] = torch.tensor([float(example.answers) for example in examples])
    pairs, at = [], 0
    for group in groups:
        if len(group) == 2:
            pairs.append((at, at + 1))
        at += len(group)
    made["pairs"] = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
    return made
