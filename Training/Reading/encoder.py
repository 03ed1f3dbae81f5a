"""The embedding pack's encoder in torch: the published weights, and the vocabulary as llama.cpp splits words with it."""
import math
import unicodedata

import gguf
import numpy as np
import torch
import torch.nn.functional as F

FIRST_LAYER = 2  # the layers below stay as they are
PLACES = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"]
WINDOW = 256
QUESTION_TOKENS = 62


class Vocabulary:
    def __init__(self, reader):
        tokens = reader.fields["tokenizer.ggml.tokens"].contents()
        self.numbers = {token: index for index, token in enumerate(tokens)}
        self.longest = max(len(token) for token in tokens)
        self.unknown = self.numbers["[UNK]"]
        self.first, self.last = self.numbers["[CLS]"], self.numbers["[SEP]"]
        self.known = {}

    def words(self, text):
        """Words with where they begin and end in the text."""
        words, word, begin, end = [], [], 0, 0

        def close():
            if word:
                words.append(("".join(word), begin, end))
                word.clear()

        for place, original in enumerate(text):
            for character in unicodedata.normalize("NFD", original):
                kind = unicodedata.category(character)
                if character.isspace():
                    close()
                elif character == "\ufffd" or kind in ("Cc", "Cf") or kind == "Mn":
                    continue
                elif (
                    kind.startswith("P")
                    or (ord(character) < 0x7F and kind.startswith("S"))
                    or 0x4E00 <= ord(character) <= 0x9FFF
                ):
                    close()
                    words.append((character.lower(), place, place + 1))
                else:
                    if not word:
                        begin = place
                    word.append(character.lower())
                    end = place + 1
        close()
        return words

    def pieces(self, word):
        found = self.known.get(word)
        if found is None:
            found, rest = [], "\u2581" + word
            while rest:
                for length in range(min(len(rest), self.longest + 1), 0, -1):
                    if rest[:length] in self.numbers:
                        found.append(self.numbers[rest[:length]])
                        rest = rest[length:]
                        break
                else:
                    found = [self.unknown]
                    break
            self.known[word] = found
        return found

    def tokens(self, text):
        """Token numbers, and for each where its word begins and ends in the text."""
        numbers, begins, ends = [], [], []
        for word, begin, end in self.words(text):
            for piece in self.pieces(word):
                numbers.append(piece)
                begins.append(begin)
                ends.append(end)
        return numbers, begins, ends


class Encoder(torch.nn.Module):
    """The layers from FIRST_LAYER on can be tuned: their matrices, nothing besides, so that the difference is an adapter."""

    def __init__(self, path):
        super().__init__()
        reader = gguf.GGUFReader(path)
        self.vocabulary = Vocabulary(reader)
        field = lambda name: reader.fields[name].contents()
        self.layers = field("bert.block_count")
        self.heads = field("bert.attention.head_count")
        self.epsilon = field("bert.attention.layer_norm_epsilon")
        self.fixed, self.tuned = {}, torch.nn.ParameterDict()
        for tensor in reader.tensors:
            shape = tuple(int(n) for n in reversed(tensor.shape))
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32).reshape(shape)
            values = torch.from_numpy(np.array(values))
            self.fixed[tensor.name] = values
            parts = tensor.name.split(".")
            if parts[0] == "blk" and int(parts[1]) >= FIRST_LAYER and parts[2] in PLACES and parts[3] == "weight":
                self.tuned[tensor.name.replace(".", "-")] = torch.nn.Parameter(values.clone())
        self.width = self.fixed["token_embd.weight"].shape[1]

    def _apply(self, change, *rest):
        self.fixed = {name: change(values) for name, values in self.fixed.items()}
        return super()._apply(change, *rest)

    def weight(self, name, base=False):
        tuned = name.replace(".", "-")
        return self.fixed[name] if base or tuned not in self.tuned else self.tuned[tuned]

    def norm(self, values, name):
        weight, bias = self.fixed[name + ".weight"], self.fixed[name + ".bias"]
        return F.layer_norm(values.float(), weight.shape, weight, bias, self.epsilon)

    def embedded(self, tokens, positions):
        sums = self.fixed["token_embd.weight"][tokens] + self.fixed["position_embd.weight"][positions]
        return self.norm(sums + self.fixed["token_types.weight"][0], "token_embd_norm")

    def layer(self, values, mask, number, base=False):
        def product(values, place):
            name = f"blk.{number}.{place}"
            return F.linear(values, self.weight(name + ".weight", base), self.fixed[name + ".bias"])

        batch, length, width = values.shape
        query, key, value = (
            product(values, place).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for place in ["attn_q", "attn_k", "attn_v"]
        )
        # Written out: for heads of this width faster on a processor than torch's own (1.08 s a step for 1.24).
        likeness = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        mixed = likeness.masked_fill(~mask[:, None, None, :], -1e4).softmax(-1).to(value.dtype) @ value
        mixed = product(mixed.transpose(1, 2).reshape(batch, length, width), "attn_output")
        values = self.norm(values + mixed, f"blk.{number}.attn_output_norm")
        inner = F.gelu(product(values, "ffn_up"), approximate="tanh")
        return self.norm(values + product(inner, "ffn_down"), f"blk.{number}.layer_output_norm")

    def forward(self, tokens, positions, mask, base=False, dropout=0.0):
        with torch.autocast(tokens.device.type, torch.bfloat16):
            with torch.no_grad():
                values = self.embedded(tokens, positions)
                for number in range(FIRST_LAYER):
                    values = self.layer(values, mask, number, base=True)
            values = F.dropout(values, dropout, training=dropout > 0)
            for number in range(FIRST_LAYER, self.layers):
                values = self.layer(values, mask, number, base)
        return values.float()


class Reader(torch.nn.Module):
    """The tuned encoder with its heads. For each token of the passage: whether the answer begins or ends there, and whether it belongs
    to a sentence that answers. For the whole: whether it answers at all. Beside the vectors themselves the heads see their products
    with the question's mean vector; as the published weights put like by like, these say something from the start."""

    def __init__(self, path, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.encoder = Encoder(path)
        width = self.encoder.width
        self.tokens = torch.nn.Linear(2 * width, 3)
        self.whole = torch.nn.Linear(3 * width, 1)
        with torch.no_grad():
            for head, part, bias in [(self.tokens, [0.15, 0.15, 0.25], -2.0), (self.whole, [0.5], -3.0)]:
                head.weight *= 0.2
                head.weight[:, -width:] = torch.tensor(part)[:, None]
                head.bias.fill_(bias)

    def forward(self, batch, dropout=0.0):
        """Start, end, evidence for each token, and one number for each passage."""
        values = self.encoder(batch["tokens"], batch["positions"], batch["mask"], dropout=dropout)
        mean = lambda part: (values * part[..., None]).sum(1) / part.sum(1, keepdim=True).clamp(min=1)
        drop = lambda values: F.dropout(values, dropout, training=dropout > 0)
        asked, said = mean(batch["question"]), mean(batch["inside"])
        whole = self.whole(drop(torch.cat([values[:, 0], said, said * asked], -1)))[:, 0]
        each = self.tokens(drop(torch.cat([values, values * asked[:, None]], -1)))
        return each[..., 0], each[..., 1], each[..., 2], whole


def padded(vocabulary, pairs):
    """Question's and passage's tokens as one batch. `question` and `inside` mark the two."""
    rows = []
    for question, passage in pairs:
        head = [vocabulary.first] + question[:QUESTION_TOKENS] + [vocabulary.last]
        passage = passage[: WINDOW - len(head) - 1]
        rows.append((head + passage + [vocabulary.last], len(head), len(head) + len(passage)))
    length = max(len(row[0]) for row in rows)
    tokens = torch.zeros(len(rows), length, dtype=torch.long)
    mask, asked, inside = (torch.zeros(len(rows), length, dtype=torch.bool) for _ in range(3))
    for place, (numbers, begin, end) in enumerate(rows):
        tokens[place, : len(numbers)] = torch.tensor(numbers)
        mask[place, : len(numbers)] = True
        asked[place, 1 : begin - 1] = True
        inside[place, begin:end] = True
    return {"tokens": tokens, "positions": torch.arange(length).expand_as(tokens), "mask": mask, "question": asked,
            "inside": inside, "begins": [row[1] for row in rows], "ends": [row[2] for row in rows]}
