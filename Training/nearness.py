"""Chunks and sentences of all sources with the vectors that the program makes of them, and the questions that some of them answer."""
import base64
import collections
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "Reading"), os.path.join(HERE, "..", "Benchmarks", "answers")]
from bench import Program

CHUNK = 800  # characters, about what the program's have
PLACE = 0.5  # what the title counts beside the words, as in Sources/Retrieval/Search/ChunkVectors.swift


class Texts:
    def __init__(self, passages):
        self.chunks, self.sentences, self.questions = [], [], []
        for passage in passages:
            group = passage["source"] + ("-held" if passage["held"] else "")
            begin, held = len(self.sentences), []
            for sentence in [*passage["sentences"], None]:
                if sentence is None or held and len(sentence) + sum(map(len, held)) > CHUNK:
                    self.chunks.append({"source": group, "place": passage["title"], "text": " ".join(held)})
                    self.sentences += [{"source": group, "text": text, "chunk": len(self.chunks) - 1} for text in held]
                    held = []
                held.append(sentence)
            for question in passage["asked"]:
                if places := [begin + place for place in question["evidence"]]:
                    chunks = sorted({self.sentences[place]["chunk"] for place in places})
                    self.questions.append({"source": group, "text": question["text"], "sentences": places, "chunks": chunks})

    def embed(self, libera, packs, model, folder):
        """By the program `libera` with the packs of that folder; made once and then read from `folder`."""
        kept = f"{folder}/vectors.pt"
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(kept):
            program = Program(libera, f"{folder}/home", packs)
            program.serve()
            try:
                torch.save(self.made(program, model), kept)
            finally:
                program.end()
        self.of_chunks, self.of_sentences, self.of_questions = torch.load(kept)

    def made(self, program, model):
        titles = sorted({chunk["place"] for chunk in self.chunks})
        places = dict(zip(titles, vectors(program, model, titles)))
        words = vectors(program, model, [chunk["text"] for chunk in self.chunks])
        chunks = F.normalize(words + PLACE * torch.stack([places[chunk["place"]] for chunk in self.chunks]), dim=1)
        return chunks, *(vectors(program, model, [row["text"] for row in rows]) for rows in (self.sentences, self.questions))

    def among(self, sources):
        """For chunks and for sentences: the vectors of those sources, and where each of them stands."""
        for all_of, rows, key in ((self.of_chunks, self.chunks, "chunks"), (self.of_sentences, self.sentences, "sentences")):
            kept = [place for place, row in enumerate(rows) if row["source"] in sources]
            yield key, all_of[kept], {place: at for at, place in enumerate(kept)}

    def unseen(self, without):
        """The sources that shall teach nothing, and the titles that are held out of the others."""
        groups = {question["source"] for question in self.questions}
        return {group for group in groups if group.removesuffix("-held") in without or group.endswith("-held")}

    def judge(self, sources, asked, name):
        """Says how near what answers them lies to the questions of these sources, with the vectors that `asked` makes of them."""
        mine = [place for place, question in enumerate(self.questions) if question["source"] in sources]
        if not mine:
            return
        with torch.no_grad():
            made, said = asked(mine), []
        for key, rows, place in self.among(sources):
            hits, ranks = collections.Counter(), 0.0
            for near, number in zip(made @ rows.T, mine):
                rank = 1 + int((near > near[[place[one] for one in self.questions[number][key]]].max()).sum())
                ranks += 1 / rank
                hits.update(most for most in (1, 5, 20) if rank <= most)
            found = " ".join(f"@{most} {hits[most] / len(mine):.3f}" for most in (1, 5, 20))
            said.append(f"{key} {found}, mean of 1/rank {ranks / len(mine):.3f}")
        print(f"{name}, {sources[0]} ({len(mine)} questions): {'; '.join(said)}", flush=True)


def vectors(program, model, texts):
    rows = [None] * len(texts)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for start in range(0, len(order), 256):
        some = order[start : start + 256]
        body = {"model": model, "input": [texts[place][:2500] or "." for place in some], "encoding_format": "base64"}
        for place, entry in zip(some, program.post("v1/embeddings", body)[0]["data"]):
            rows[place] = np.frombuffer(base64.b64decode(entry["embedding"]), "<f4")
    return F.normalize(torch.from_numpy(np.stack(rows)), dim=1)


def wrongness(asked, questions, spaces, sharpness):
    """How far the choice among all chunks, and among all sentences, is from what answers."""
    loss = 0
    for key, rows, place in spaces:
        near = asked @ rows.T / sharpness
        right = [torch.logsumexp(line[[place[one] for one in question[key]]], 0) for line, question in zip(near, questions)]
        loss = loss + (torch.logsumexp(near, 1) - torch.stack(right)).mean()
    return loss
