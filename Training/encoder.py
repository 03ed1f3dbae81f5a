"""The published encoder of sentences (all-MiniLM-L6-v2) in torch, from the pack's own file, and low-rank adapters to it as llama.cpp loads them."""
import math
import unicodedata

import gguf
import numpy as np
import torch
import torch.nn.functional as F

SCALE = 2.0  # of an adapter's part
PLACES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"]


class Encoder:
    """The published weights, frozen, and the vocabulary as llama.cpp splits words with it."""

    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        self.weights = {}
        for tensor in reader.tensors:
            shape = tuple(int(n) for n in reversed(tensor.shape))
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32).reshape(shape)
            self.weights[tensor.name] = torch.from_numpy(np.ascontiguousarray(values))
        field = lambda name: reader.fields[name].contents()
        self.layers = field("bert.block_count")
        self.heads = field("bert.attention.head_count")
        self.epsilon = field("bert.attention.layer_norm_epsilon")
        tokens = field("tokenizer.ggml.tokens")
        self.vocabulary = {token: index for index, token in enumerate(tokens)}
        self.longest = max(len(token) for token in tokens)
        self.unknown = self.vocabulary["[UNK]"]
        self.first, self.last = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
        self.known = {}

    def pieces(self, text):
        if text not in self.known:
            self.known[text] = [piece for word in self.split(text) for piece in self.matched(word)]
        return self.known[text]

    def split(self, text):
        words, word = [], ""
        for character in unicodedata.normalize("NFD", text):
            kind = unicodedata.category(character)
            if character.isspace():
                words, word = words + [word], ""
            elif character == "\ufffd" or kind in ("Cc", "Cf") or kind == "Mn":
                continue
            elif kind.startswith("P") or (ord(character) < 0x7F and kind.startswith("S")) or 0x4E00 <= ord(character) <= 0x9FFF:
                words, word = words + [word, character.lower()], ""
            else:
                word += character.lower()
        return [word for word in words + [word] if word]

    def matched(self, word):
        rest, found = "\u2581" + word, []
        while rest:
            for length in range(min(len(rest), self.longest + 1), 0, -1):
                if rest[:length] in self.vocabulary:
                    found.append(self.vocabulary[rest[:length]])
                    rest = rest[length:]
                    break
            else:
                return [self.unknown]
        return found

    def tokens(self, words):
        """Token numbers, and where each word begins among them; words beyond the window are left out."""
        tokens, starts = [self.first], []
        for word in words:
            pieces = self.pieces(word)
            if len(tokens) + len(pieces) > 126:
                break
            starts.append(len(tokens) if pieces else -1)
            tokens += pieces
        return tokens + [self.last], starts

    def embedded(self, tokens):
        places = torch.arange(tokens.shape[1])
        sums = self.weights["token_embd.weight"][tokens] + self.weights["position_embd.weight"][places]
        return self.norm(sums + self.weights["token_types.weight"][0], "token_embd_norm")

    def norm(self, values, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return F.layer_norm(values, weight.shape, weight, bias, self.epsilon)

    def layer(self, values, mask, number, adapter=None):
        def product(values, place):
            name = f"blk.{number}.{place}"
            result = F.linear(values, self.weights[name + ".weight"], self.weights[name + ".bias"])
            if adapter is not None and name in adapter:
                down, up = adapter[name]
                result = result + F.linear(F.linear(values, down), up) * SCALE
            return result

        batch, length, width = values.shape
        query, key, value = (
            product(values, place).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for place in ["attn_q", "attn_k", "attn_v"]
        )
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        mixed = product(mixed.transpose(1, 2).reshape(batch, length, width), "attn_output")
        values = self.norm(values + mixed, f"blk.{number}.attn_output_norm")
        inner = F.gelu(product(values, "ffn_up"), approximate="tanh")
        return self.norm(values + product(inner, "ffn_down"), f"blk.{number}.layer_output_norm")


def padded(rows, portion):
    length = max(len(rows[at]["tokens"]) for at in portion)
    tokens = torch.zeros(len(portion), length, dtype=torch.long)
    mask = torch.zeros(len(portion), length, dtype=torch.bool)
    for place, at in enumerate(portion):
        count = len(rows[at]["tokens"])
        tokens[place, :count] = torch.tensor(rows[at]["tokens"])
        mask[place, :count] = True
    return tokens, mask


def adapted(encoder, first, rank):
    """An adapter that changes nothing yet, of the layers from `first` on."""
    adapter = {}
    for number in range(first, encoder.layers):
        for place in PLACES:
            out, into = encoder.weights[f"blk.{number}.{place}.weight"].shape
            down = torch.nn.Parameter(torch.randn(rank, into) / math.sqrt(into))
            adapter[f"blk.{number}.{place}"] = (down, torch.nn.Parameter(torch.zeros(out, rank)))
    return adapter


def export(adapter, rank, name, path):
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", SCALE * rank)
    writer.add_name(name)
    for place, (down, up) in adapter.items():
        writer.add_tensor(f"{place}.weight.lora_a", down.detach().numpy().astype(np.float16))
        writer.add_tensor(f"{place}.weight.lora_b", up.detach().numpy().astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
