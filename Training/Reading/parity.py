#!/usr/bin/env python3
"""parity.py WEIGHTS SHRUNK OUT

What torch computes with the adapter as it ships (shrink.py's shrunk.pt), for a few questions; a test holds llama.cpp to it.
"""
import json
import sys

import torch
from encoder import Reader
from measure import read

CASES = [
    ("Who keeps the key of the cellar?", "House rules.", [
        "The stairs are swept every Saturday.", "Mrs Brandt, second floor, keeps the key of the cellar.",
        "Bicycles stand in the yard; not in the hall."]),
    ("How long may the boat be rented?", "", ["The fee for a boat is 12.50 EUR a day.", "Dogs are welcome."]),
    ("what year did the bridge open", "Bridge: History.", [
        "Work began in 1926 and took (as planned) five years.", "It was opened on May 8, 1931, before 40,000 people."]),
]


def main(weights, shrunk, out):
    reader = Reader(weights, 0)
    reader.load_state_dict(torch.load(shrunk)["reader"])
    vocabulary, found = reader.encoder.vocabulary, []
    for question, title, sentences in CASES:
        tokens, bounds = list(vocabulary.tokens(title)[0]), []
        for sentence in sentences:
            numbers = vocabulary.tokens(sentence)[0]
            bounds.append((len(tokens), len(tokens) + len(numbers)))
            tokens += numbers
        result = read(reader, vocabulary, [(vocabulary.tokens(question)[0], tokens)])[0]
        found.append({"question": question, "title": title, "sentences": sentences, "answers": round(result["whole"], 3),
                      "evidence": [round(float(result["evidence"][b:e].mean()), 3) for b, e in bounds],
                      "begins": [round(float(result["starts"][b:e].sum()), 3) for b, e in bounds]})
    json.dump(found, open(out, "w"), indent=1)


main(*sys.argv[1:])
