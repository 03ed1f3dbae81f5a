#!/usr/bin/env python3
"""shrink.py WEIGHTS CHECKPOINT OUT [--rank 48]

What tuning changed in each matrix, as the product of two narrow ones in f16: OUT/reader.gguf is the adapter as llama.cpp loads it,
with the heads in it; OUT/shrunk.pt is a checkpoint with the very same numbers, for evaluate.py to tell what was lost.
"""
import argparse
import os

import gguf
import numpy as np
import torch
from encoder import Reader


def narrow(change, rank):
    """Two matrices whose product is the nearest of that rank, both of the same size so that f16 serves both alike."""
    left, values, right = torch.linalg.svd(change, full_matrices=False)
    root = values[:rank].sqrt()
    return (left[:, :rank] * root).half(), (root[:, None] * right[:rank]).half()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    parser.add_argument("--rank", type=int, default=48)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    reader = Reader(options.weights, 0)
    held = torch.load(options.checkpoint)
    reader.load_state_dict(held["reader"])
    writer = gguf.GGUFWriter(f"{options.out}/reader.gguf", "bert")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(options.rank))  # so that its scale is one
    writer.add_name("LiberaGPT reading")
    kept = changed = 0.0
    with torch.no_grad():
        for name, tuned in reader.encoder.tuned.items():
            place = name.replace("-", ".")
            base = reader.encoder.fixed[place]
            up, down = narrow(tuned - base, options.rank)
            product = up.float() @ down.float()
            changed += float((tuned - base).square().sum())
            kept += float((tuned - base - product).square().sum())
            tuned.copy_(base + product)
            writer.add_tensor(f"{place}.lora_a", down.numpy())
            writer.add_tensor(f"{place}.lora_b", up.numpy())
        for head, layer in [("tokens", reader.tokens), ("whole", reader.whole)]:
            for part, values in layer.named_parameters():
                values.copy_(values.half())
                writer.add_array(f"reading.{head}.{part}", [float(v) for v in values.flatten()])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    torch.save({"reader": reader.state_dict(), "step": held.get("step")}, f"{options.out}/shrunk.pt")
    print(f"rank {options.rank}: {os.path.getsize(options.out + '/reader.gguf'):,} bytes; "
          f"{1 - kept / max(changed, 1e-12):.3f} of the change is in it")


main()
