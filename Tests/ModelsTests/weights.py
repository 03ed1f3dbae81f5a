"""Small published weights for tests, the same bytes every time: weights.py FOLDER makes an embedder as sentence-transformers publishes
one, and a speech model as OpenAI and as CTranslate2's users do, a sentence encoder of many languages as a Python package does."""
import base64, io, json, os, pickle, struct, sys, types, zipfile

state = 7


def noise(count):
    """Numbers of every size that halves have, smaller ones too."""
    global state
    numbers = []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        numbers.append(((state >> 40) / 2**23 - 1) * 2.0 ** ((state >> 20) % 24 - 20))
    return numbers


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def packed(form, shape):
    return struct.pack(f"<{count(shape)}{form}", *noise(count(shape)))


def embedder(folder):
    shapes = {"embeddings.position_ids": (1, 4), "pooler.dense.bias": (8,), "embeddings.LayerNorm.weight": (8,),
              "embeddings.LayerNorm.bias": (8,), "embeddings.word_embeddings.weight": (10, 8),
              "embeddings.position_embeddings.weight": (4, 8), "embeddings.token_type_embeddings.weight": (2, 8)}
    for layer in range(11):  # more than nine, for the order of names
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                     "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"):
            shapes[f"encoder.layer.{layer}.{part}.weight"] = (8,) if part.endswith("Norm") else (8, 8)
            shapes[f"encoder.layer.{layer}.{part}.bias"] = (8,)
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, shape in shapes.items():
        whole = name == "embeddings.position_ids"
        piece = struct.pack("<4q", 0, 1, 2, 3) if whole else packed("f", shape)
        header[name] = {"dtype": "I64" if whole else "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    put(folder, "weights", struct.pack("<Q", len(text)) + text + data)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "##lo", "é", "##", "##\u0301"]
    put(folder, "config", json.dumps({
        "num_hidden_layers": 11, "max_position_embeddings": 4, "hidden_size": 8, "intermediate_size": 8,
        "num_attention_heads": 2, "layer_norm_eps": 1e-12, "type_vocab_size": 2}).encode())
    put(folder, "tokenizer", json.dumps({
        "added_tokens": [{"id": number, "special": True} for number in range(5)],
        "model": {"vocab": {word: number for number, word in enumerate(words)}}}).encode())
    put(folder, "pooling", json.dumps({"pooling_mode_mean_tokens": True}).encode())


def speech_shapes():
    """In an order of its own, as a file has one."""
    shapes = {"decoder.positional_embedding": (4, 32), "encoder.positional_embedding": (6, 32),
              "decoder.token_embedding.weight": (5, 32), "encoder.conv1.weight": (32, 80, 3), "encoder.conv1.bias": (32,),
              "encoder.conv2.weight": (32, 32, 3), "encoder.conv2.bias": (32,)}
    for side in ("encoder", "decoder"):
        for part in ("attn", "cross_attn") if side == "decoder" else ("attn",):
            for name in ("query", "key", "value", "out"):
                shapes[f"{side}.blocks.0.{part}.{name}.weight"] = (32, 32)
                if name != "key":
                    shapes[f"{side}.blocks.0.{part}.{name}.bias"] = (32,)
            shapes[f"{side}.blocks.0.{part}_ln.weight"] = shapes[f"{side}.blocks.0.{part}_ln.bias"] = (32,)
        for name in ("mlp.0", "mlp.2"):
            shapes[f"{side}.blocks.0.{name}.weight"], shapes[f"{side}.blocks.0.{name}.bias"] = (32, 32), (32,)
        shapes[f"{side}.blocks.0.mlp_ln.weight"] = shapes[f"{side}.blocks.0.mlp_ln.bias"] = (32,)
    shapes["encoder.ln_post.weight"] = shapes["encoder.ln_post.bias"] = (32,)
    shapes["decoder.ln.weight"] = shapes["decoder.ln.bias"] = (32,)
    return shapes


def of_torch(folder, evil=False):
    """A `.pt` file, made without torch: its pickle names torch's functions, which are stood in for here."""
    made = {name: types.ModuleType(name) for name in ("torch", "torch._utils")}
    sys.modules.update(made)

    class HalfStorage:
        __module__, __qualname__ = "torch", "HalfStorage"

    def _rebuild_tensor_v2(*_):
        pass

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    made["torch"].HalfStorage, made["torch._utils"]._rebuild_tensor_v2 = HalfStorage, _rebuild_tensor_v2

    class Storage:
        def __init__(self, key, size):
            self.identity = ("storage", HalfStorage, key, "cpu", size)

    class Tensor:
        def __init__(self, key, shape):
            strides = [count(shape[place + 1:]) for place in range(len(shape))]
            if key == "16":  # one that lies by columns
                strides.reverse()
            self.made_of = (Storage(key, count(shape)), 0, tuple(shape), tuple(strides), False, __import__("collections").OrderedDict())

        def __reduce__(self):
            return _rebuild_tensor_v2, self.made_of

    class Evil:
        def __reduce__(self):
            return os.system, ("true",)

    class Pickler(pickle.Pickler):
        def persistent_id(self, it):
            return it.identity if isinstance(it, Storage) else None

    shapes = speech_shapes()
    sizes = {"n_mels": 80, "n_vocab": 5, "n_audio_ctx": 6, "n_audio_state": 32, "n_audio_head": 2, "n_audio_layer": 1,
             "n_text_ctx": 4, "n_text_state": 32, "n_text_head": 2, "n_text_layer": 1}
    state = {name: Tensor(str(key), shape) for key, (name, shape) in enumerate(shapes.items())}
    index = io.BytesIO()
    Pickler(index, protocol=2).dump({"dims": sizes, "model_state_dict": state, **({"more": Evil()} if evil else {})})
    with zipfile.ZipFile(os.path.join(folder, "evil.pt" if evil else "weights.pt"), "w") as archive:
        archive.writestr("archive/data.pkl", index.getvalue())
        for key, shape in enumerate(shapes.values()):
            archive.writestr(f"archive/data/{key}", packed("e", shape))


def of_ctranslate2(folder):
    arrays = {"encoder/num_heads": (2, (), struct.pack("<h", 2)), "decoder/num_heads": (2, (), struct.pack("<h", 2))}

    def array(name, *shape):
        arrays[name] = (0, shape, packed("f", shape))

    def norm(name):
        array(name + "/gamma", 32), array(name + "/beta", 32)

    def linear(name, rows):
        array(name + "/weight", rows, 32), array(name + "/bias", rows)

    def fused(name, parts):
        linear(name, 32 * parts)
        bias = arrays[name + "/bias"][2]
        key = 1 if parts == 3 else 0
        arrays[name + "/bias"] = (0, (32 * parts,), bias[:128 * key] + bytes(128) + bias[128 * (key + 1):])

    for number, name in enumerate(("encoder/conv1", "encoder/conv2")):
        array(name + "/weight", 32, 32 if number else 80, 3), array(name + "/bias", 32)
    for side in ("encoder", "decoder"):
        array(f"{side}/position_encodings/encodings", 6 if side == "encoder" else 4, 32)
        norm(f"{side}/layer_norm")
        fused(f"{side}/layer_0/self_attention/linear_0", 3)
        linear(f"{side}/layer_0/self_attention/linear_1", 32)
        norm(f"{side}/layer_0/self_attention/layer_norm")
        linear(f"{side}/layer_0/ffn/linear_0", 32), linear(f"{side}/layer_0/ffn/linear_1", 32)
        norm(f"{side}/layer_0/ffn/layer_norm")
    linear("decoder/layer_0/attention/linear_0", 32)
    fused("decoder/layer_0/attention/linear_1", 2)
    linear("decoder/layer_0/attention/linear_2", 32)
    norm("decoder/layer_0/attention/layer_norm")
    array("decoder/embeddings/weight", 5, 32)

    def text(words):
        return struct.pack("<H", len(words) + 1) + words.encode() + b"\0"

    out = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<2I", 3, len(arrays))
    for name, (kind, shape, data) in arrays.items():
        out += text(name) + struct.pack(f"<B{len(shape)}I", len(shape), *shape) + struct.pack("<BI", kind, len(data)) + data
    put(folder, "weights.bin", out + struct.pack("<I", 1) + text("one") + text("other"))


def array(form, shape, data):
    """As numpy writes it."""
    description = f"{{'descr': '{form}', 'fortran_order': False, 'shape': {shape}, }}"
    description += " " * (118 - len(description) - 1) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", 118) + description.encode() + data


def speech(folder):
    of_torch(folder)
    of_torch(folder, evil=True)
    of_ctranslate2(folder)
    with zipfile.ZipFile(os.path.join(folder, "filters"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mel_128.npy", b"another")
        archive.writestr("mel_80.npy", array("<f4", (80, 3), packed("f", (80, 3))))
    words = [b"a", b"\xff\0", b" the", b"\xe4\xb8\xad"]
    put(folder, "vocabulary", b"".join(base64.b64encode(word) + b" %d\n" % place for place, word in enumerate(words)) + b"= 4\n")


def sentences(folder):
    """A vocabulary of 20 pieces, two rows in each of the 17 tables of words, and matrices of two by four where the real ones are large."""
    def number(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)

    def field(place, data):
        return number(place << 3 | 2) + number(len(data)) + data

    pieces = [("<unk>", 2), ("<s>", 3), ("</s>", 3)] + [("\u2581" * (place % 2) + chr(97 + place), 1) for place in range(17)]
    model = b"".join(
        field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", -place) + (b"\x18" + number(kind)))
        for place, (text, kind) in enumerate(pieces))
    put(folder, "pieces", model + field(3, field(2, struct.pack("<I", 4) + bytes(4) + b"a\0") + b"\x18\x01\x20\x01"))
    tables = [(f"q{place}", "|u1", (2, 512), bytes((place * 7 + at) % 64 for at in range(1024))) for place in range(1, 18)]
    lists = ["scale", "lo", "ln_g", "ln_b", "cnn_b"]
    matrices = ["cnn_W", "d0", "d1", "p1", "d2", "d3", "p3"]
    for size in (2, 3, 5):
        lists += [f"{name}{size}" for name in ("proj_b", "ln_g", "ln_b")] + [f"b{step}_{size}" for step in (1, 2)]
        matrices += [f"proj{size}"] + [f"w{step}_{size}" for step in (1, 2)]
    arrays = tables + [(name, "<f4", (4,), packed("f", (4,))) for name in lists]
    arrays += [(name, "<f4", (2, 4), packed("f", (2, 4))) for name in matrices]
    with zipfile.ZipFile(os.path.join(folder, "weights.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, form, shape, data in arrays:
            archive.writestr(f"{name}.npy", array(form, shape, data))


def put(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


embedder(sys.argv[1])
speech(sys.argv[1])
sentences(sys.argv[1])
