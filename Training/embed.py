#!/usr/bin/env python3
"""embed.py ADDRESS TOKEN PACK TEXTS VECTORS: asks a running `libera serve` for the vectors of TEXTS, a JSON string a line,
and appends them to VECTORS: per text its length, itself, and 384 floats, little-endian."""
import json
import struct
import sys
import urllib.request

address, token, pack, texts, vectors = sys.argv[1:]
lines = [json.loads(line) for line in open(texts, encoding="utf-8")]
with open(vectors, "ab") as out:
    for start in range(0, len(lines), 64):
        portion = lines[start : start + 64]
        request = urllib.request.Request(
            address + "/v1/embeddings",
            json.dumps({"model": pack, "input": portion}).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer " + token},
        )
        answer = json.load(urllib.request.urlopen(request, timeout=300))
        for text, entry in zip(portion, sorted(answer["data"], key=lambda entry: entry["index"])):
            written = text.encode()
            out.write(struct.pack("<I", len(written)) + written + struct.pack("<384f", *entry["embedding"]))
        print(start + len(portion), "of", len(lines), file=sys.stderr, end="\r")
