#!/usr/bin/env python3
"""parity.py WEIGHTS STATE OUT.json: what torch computes for some passages of our own, for Tests/InferenceTests/JudgeTests."""
import json
import sys

import torch
from evaluate import read
from model import Reader

LEASE = ("Lease of a flat", [
    "The lease begins on 1 March 2024 and has no fixed end.",
    "The rent is 940 euros a month, payable in advance on the third working day.",
    "The deposit is three months' rent and is returned within six months of the end of the lease.",
    "The tenant may keep small animals; a dog needs the landlord's consent in writing."])
WASHER = ("Washing machine: faults", [
    "Error E18 stands for draining faults.", "Clean the pump filter behind the flap at the bottom.",
    "Check that the drain hose is neither bent nor blocked.", "Error E21 means that the door is not closed."])
MIETE = ("Mietvertrag", [
    "Die Kaution beträgt zwei Monatsmieten.", "Die Miete ist bis zum dritten Werktag zu zahlen.",
    "Hunde bedürfen der Zustimmung des Vermieters."])
NOTICE = ("Mode d'emploi du lave-linge", [
    "Vidange impossible : nettoyer le filtre de la pompe.", "Porte bloquée : attendre deux minutes.",
    "Bruit à l'essorage : retirer les vis de transport."])
CASES = [
    (LEASE, "How much is the rent?"), (LEASE, "May I keep a dog?"), (LEASE, "Who pays for repairs of the heating?"),
    (WASHER, "What do I do when the water does not run out?"), (WASHER, "What does E21 mean?"), (WASHER, "How heavy is the machine?"),
    (LEASE, "What does E18 stand for?"), (MIETE, "Wie viel muss ich beim Einzug hinterlegen?"), (MIETE, "Darf ich einen Hund halten?"),
    (MIETE, "Wie groß ist die Wohnung?"), (NOTICE, "Que faire quand l'eau ne s'écoule pas ?"), (NOTICE, "Combien pèse la machine ?")]


def main(weights, state, out):
    torch.set_num_threads(1)
    reader = Reader(weights, torch.float32)
    reader.take(state)
    rows = []
    for (title, sentences), question in CASES:
        said = read(reader, (title, sentences, [(question, [])]))[0][: 1 + len(sentences)]
        rows.append({"title": title, "sentences": sentences, "question": question,
                     "expected": [round(float(x), 4) for x in said - torch.logsumexp(said, 0)]})
        print(question, [round(float(x), 2) for x in said.exp()])
    with open(out, "w") as file:
        json.dump(rows, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
