"""The chat pack's weights, frozen, with a low-rank adapter on its upper layers; many questions read one passage in one pass."""
import math

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, pre_tokenizers

FIRST = 10  # the layers below stay as they are
RANK, ALPHA = 8, 16.0
PLACES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
LETTERS = "ABCDEFGHIJKLMNOP"  # one for each sentence of a passage


def quickest():
    """bfloat16 where the processor multiplies it; elsewhere torch does so ten times slower than f32."""
    try:
        with open("/proc/cpuinfo") as told:
            return torch.bfloat16 if "bf16" in told.read() else torch.float32
    except OSError:
        return torch.float32


class Words:
    """The pack's vocabulary, as llama.cpp splits words with it."""

    def __init__(self, reader):
        tokens = reader.fields["tokenizer.ggml.tokens"].contents()
        merges = reader.fields["tokenizer.ggml.merges"].contents()
        vocabulary = {token: number for number, token in enumerate(tokens)}
        self.tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(m.split(" ")) for m in merges]))
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
        self.known = {}
        single = lambda text: self.only(self.of(text))
        self.verdicts = [single(" none")] + [single(" " + letter) for letter in LETTERS]

    @staticmethod
    def only(tokens):
        assert len(tokens) == 1, tokens
        return tokens[0]

    def of(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer.encode(text).ids
        return self.known[text]

    def passage(self, title, sentences):
        numbers = list(self.of(title.strip()[:100]))
        for letter, sentence in zip(LETTERS, sentences):
            numbers += self.of(f"\n{letter}:") + self.of(" " + sentence)
        return numbers

    def question(self, text):
        return self.of("\nQuestion:") + self.of(" " + text.strip()) + self.of("\nAnswer:")

    def span(self, text):
        return self.of(":") + self.of(" " + text.strip())[:24] + self.of("\n")


class Reader(torch.nn.Module):
    def __init__(self, path, kind=None, device="cpu"):
        super().__init__()
        kind = kind or (quickest() if device == "cpu" else torch.bfloat16)
        reader = gguf.GGUFReader(path)
        self.words = Words(reader)
        field = lambda name: reader.fields["llama." + name].contents()
        self.layers, self.heads, self.shared = (int(field(n)) for n in
                                                ["block_count", "attention.head_count", "attention.head_count_kv"])
        self.epsilon, self.base = float(field("attention.layer_norm_rms_epsilon")), float(field("rope.freq_base"))
        self.kind, self.device, self.frozen, self.dropout = kind, torch.device(device), {}, 0.0
        for tensor in reader.tensors:
            shape = tuple(int(n) for n in reversed(tensor.shape))
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32).reshape(shape)
            values = torch.from_numpy(np.ascontiguousarray(values)).to(self.device)
            self.frozen[tensor.name.removesuffix(".weight")] = values if values.dim() == 1 else values.to(kind)
        self.width = self.frozen["token_embd"].shape[1]
        self.size = self.width // self.heads
        for n in range(self.layers):
            f, b = self.frozen, f"blk.{n}."
            f[b + "qkv"] = torch.cat([f[b + "attn_q"], f[b + "attn_k"], f[b + "attn_v"]])
            f[b + "gate_up"] = torch.cat([f[b + "ffn_gate"], f[b + "ffn_up"]])
        self.down, self.up = torch.nn.ParameterDict(), torch.nn.ParameterDict()
        for n in range(FIRST, self.layers):
            for place in PLACES:
                out, into = self.frozen[f"blk.{n}.{place}"].shape
                self.down[f"{n}_{place}"] = torch.nn.Parameter(torch.randn(RANK, into) / math.sqrt(into))
                self.up[f"{n}_{place}"] = torch.nn.Parameter(torch.zeros(out, RANK))
        self.to(self.device)

    def take(self, path):
        """The adapter of a file, as `export` wrote it or as training keeps its state; returns what the latter knows beside it."""
        if path.endswith(".gguf"):
            ends = {"lora_a": self.down, "lora_b": self.up}
            for tensor in gguf.GGUFReader(path).tensors:
                _, layer, place, _, end = tensor.name.split(".")
                shape = tuple(int(n) for n in reversed(tensor.shape))
                ends[end][f"{layer}_{place}"].data = torch.from_numpy(tensor.data.astype(np.float32).reshape(shape)).to(self.device)
            return {"epoch": -1}
        kept = torch.load(path, map_location=self.device)
        self.load_state_dict(kept["reader"])
        return kept

    def norm(self, values, name):
        return (F.rms_norm(values, (self.width,), None, self.epsilon) * self.frozen[name]).to(self.kind)

    def product(self, values, n, whole, places):
        result = F.linear(values, self.frozen[f"blk.{n}.{whole}"])
        if n < FIRST:
            return result
        down = torch.cat([self.down[f"{n}_{p}"] for p in places]).to(self.kind)
        up = torch.block_diag(*[self.up[f"{n}_{p}"] for p in places]).mul(ALPHA / RANK).to(self.kind)
        return result + F.linear(F.linear(F.dropout(values, self.dropout, self.training), down), up)

    def turned(self, values, cosine, sine):
        even, odd = values[..., 0::2], values[..., 1::2]
        return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)

    def forward(self, tokens, places, mask):
        """What the last layer makes of each token. `mask`: [batch, 1, length, length], 0 where one is seen."""
        batch, length = tokens.shape
        angles = places[..., None].float() * self.base ** (-torch.arange(0, self.size, 2, device=self.device).float() / self.size)
        cosine, sine = (part[:, None].to(self.kind) for part in (angles.cos(), angles.sin()))
        values = self.frozen["token_embd"][tokens].float()
        split = [self.width, self.shared * self.size, self.shared * self.size]
        for n in range(self.layers):
            b = f"blk.{n}."
            query, key, value = (
                part.view(batch, length, -1, self.size).transpose(1, 2)
                for part in self.product(self.norm(values, b + "attn_norm"), n, "qkv", PLACES[:3]).split(split, -1))
            query, key = self.turned(query, cosine, sine), self.turned(key, cosine, sine)
            key, value = (part.repeat_interleave(self.heads // self.shared, 1) for part in (key, value))
            if self.device.type == "cpu":
                # Written out: torch's own takes twice as long here, forward and back.
                scores = torch.matmul(query * self.size**-0.5, key.transpose(-1, -2)) + mask
                mixed = torch.matmul(scores.softmax(-1), value)
            else:
                mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            mixed = mixed.transpose(1, 2).reshape(batch, length, self.width)
            values = values + self.product(mixed, n, "attn_output", PLACES[3:4])
            gate, up = self.product(self.norm(values, b + "ffn_norm"), n, "gate_up", PLACES[4:6]).chunk(2, -1)
            values = values + self.product(F.silu(gate) * up, n, "ffn_down", PLACES[6:7])
        return self.norm(values, "output_norm")

    def batch(self, groups):
        """Groups of (tokens of a passage, [tokens of each question and what follows it]), side by side."""
        length = max(len(p) + sum(map(len, asked)) for p, asked in groups)
        length += -length % (1 if self.device.type == "cpu" else 8)  # as graphics cards want it
        tokens = torch.zeros(len(groups), length, dtype=torch.long)
        places = torch.zeros(len(groups), length, dtype=torch.long)
        block = torch.full((len(groups), length), -1)
        starts = []
        for row, (passage, asked) in enumerate(groups):
            end = len(passage)
            tokens[row, :end] = torch.tensor(passage)
            places[row, :end] = torch.arange(end)
            block[row, :end] = 0
            mine = []
            for number, one in enumerate(asked, 1):
                tokens[row, end : end + len(one)] = torch.tensor(one)
                places[row, end : end + len(one)] = torch.arange(len(passage), len(passage) + len(one))
                block[row, end : end + len(one)] = number
                mine.append(end)
                end += len(one)
            starts.append(mine)
        seen = (block[:, None, :] == 0) | (block[:, None, :] == block[:, :, None])
        seen &= torch.ones(length, length, dtype=torch.bool).tril()
        mask = torch.zeros(seen.shape, dtype=self.kind).masked_fill(~seen, -1e4)
        return *(part.to(self.device) for part in (tokens, places, mask[:, None])), starts

    def verdicts(self, states):
        """Log probabilities of "none" and of each letter, among these."""
        return F.log_softmax(F.linear(states, self.frozen["token_embd"][self.words.verdicts]).float(), -1)
