#!/usr/bin/env python3
"""Turns published Whisper weights into whisper.cpp's ggml file, the same bytes every time.

    whisper_to_ggml.py WEIGHTS MEL_FILTERS VOCABULARY OUT [q8_0]

Matrices become f16, or Q8_0 where that is asked for: blocks of 32 values in 127 steps, which our engine multiplies fastest.
WEIGHTS is OpenAI's `.pt` or a CTranslate2 `model.bin`; MEL_FILTERS and VOCABULARY are `mel_filters.npz` and the
`.tiktoken` file of the openai-whisper package.
"""
import base64, struct, sys
import numpy
import ctranslate2, sealed, torch_weights

# whisper.cpp wants these as f32; everything else of two or more dimensions is f16, and convolutions are so in any case.
BIASES = ("encoder.conv1.bias", "encoder.conv2.bias")
POSITIONS = ("encoder.positional_embedding", "decoder.positional_embedding")
F32, F16, Q8_0 = 0, 1, 8  # ggml's types
MOSTLY = {F16: 1, Q8_0: 2007}  # of a file: the second way of writing blocks, times a thousand, and the kind
DIMENSIONS = ("n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx", "n_text_state",
              "n_text_head", "n_text_layer", "n_mels")


def from_torch(path):
    loaded = torch_weights.read(path)
    return [int(loaded["dims"][name]) for name in DIMENSIONS], dict(loaded["model_state_dict"])


def layers(arrays, side):
    numbers = {name.split("/")[1][len("layer_"):] for name in arrays if name.startswith(side + "/layer_")}
    return 1 + max(int(number) for number in numbers if number.isdigit())


def from_ctranslate2(path):
    specification, arrays = ctranslate2.read(path)
    if specification != "WhisperSpec":
        raise SystemExit(f"{path} holds a {specification}, not a Whisper model")
    tensors = {}

    def linear(ours, theirs):
        tensors[ours + ".weight"] = arrays[theirs + "/weight"]
        if theirs + "/bias" in arrays:
            tensors[ours + ".bias"] = arrays[theirs + "/bias"]

    def norm(ours, theirs):
        tensors[ours + ".weight"] = arrays[theirs + "/gamma"]
        tensors[ours + ".bias"] = arrays[theirs + "/beta"]

    def fused(ours, theirs):  # CTranslate2 stores query, key and value as one matrix; Whisper's key has no bias
        weights = numpy.split(arrays[theirs + "/weight"], len(ours))
        biases = numpy.split(arrays[theirs + "/bias"], len(ours))
        for name, weight, bias in zip(ours, weights, biases):
            tensors[name + ".weight"] = weight
            if name.endswith("key"):
                if bias.any():
                    raise SystemExit(f"{theirs} has a bias for its keys")
            else:
                tensors[name + ".bias"] = bias

    linear("encoder.conv1", "encoder/conv1")
    linear("encoder.conv2", "encoder/conv2")
    tensors["encoder.positional_embedding"] = arrays["encoder/position_encodings/encodings"]
    tensors["decoder.positional_embedding"] = arrays["decoder/position_encodings/encodings"]
    tensors["decoder.token_embedding.weight"] = arrays["decoder/embeddings/weight"]
    norm("encoder.ln_post", "encoder/layer_norm")
    norm("decoder.ln", "decoder/layer_norm")
    for side in ("encoder", "decoder"):
        for index in range(layers(arrays, side)):
            ours, theirs = f"{side}.blocks.{index}", f"{side}/layer_{index}"
            fused([f"{ours}.attn.{part}" for part in ("query", "key", "value")], theirs + "/self_attention/linear_0")
            linear(ours + ".attn.out", theirs + "/self_attention/linear_1")
            norm(ours + ".attn_ln", theirs + "/self_attention/layer_norm")
            linear(ours + ".mlp.0", theirs + "/ffn/linear_0")
            linear(ours + ".mlp.2", theirs + "/ffn/linear_1")
            norm(ours + ".mlp_ln", theirs + "/ffn/layer_norm")
            if side == "decoder":
                linear(ours + ".cross_attn.query", theirs + "/attention/linear_0")
                fused([f"{ours}.cross_attn.{part}" for part in ("key", "value")], theirs + "/attention/linear_1")
                linear(ours + ".cross_attn.out", theirs + "/attention/linear_2")
                norm(ours + ".cross_attn_ln", theirs + "/attention/layer_norm")
    words, states = arrays["decoder/embeddings/weight"].shape
    audio, mels = arrays["encoder/conv1/weight"].shape[:2]
    sizes = [words, len(tensors["encoder.positional_embedding"]), audio, int(arrays["encoder/num_heads"]),
             layers(arrays, "encoder"), len(tensors["decoder.positional_embedding"]), states,
             int(arrays["decoder/num_heads"]), layers(arrays, "decoder"), mels]
    return sizes, tensors


def vocabulary(path, multilingual):
    with open(path, "rb") as file:
        words = [base64.b64decode(line.split()[0]) for line in file if line.strip()]
    return words if multilingual else words + [b"<|endoftext|>"]


def blocks(values):
    """Q8_0: of every 32 values the largest is 127 steps; half a step is rounded away from zero."""
    values = values.astype("<f4").reshape(-1, 32)
    step = numpy.abs(values).max(1) / numpy.float32(127)
    with numpy.errstate(divide="ignore"):
        inverse = numpy.where(step > 0, numpy.float32(1) / step, numpy.float32(0))
    scaled = values * inverse[:, None]
    laid = numpy.zeros(len(values), dtype=[("step", "<f2"), ("values", "i1", 32)])
    laid["step"] = step
    laid["values"] = numpy.copysign(numpy.floor(numpy.abs(scaled) + numpy.float32(0.5)), scaled)
    return laid


def write(path, sizes, filters, words, tensors, kind):
    with open(path, "wb") as out:
        out.write(struct.pack("<12i", 0x67676D6C, *sizes, MOSTLY[kind]))
        out.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
        out.write(struct.pack("<i", len(words)))
        for word in words:
            out.write(struct.pack("<i", len(word)) + word)
        for name, values in tensors.items():
            if name in BIASES:
                values = values.reshape(-1, 1)
            shape = values.shape
            if values.ndim < 2 or name in BIASES or name in POSITIONS:
                stored, values = F32, values.astype("<f4")
            elif kind == Q8_0 and values.ndim == 2:
                stored, values = Q8_0, blocks(values)
            else:
                stored, values = F16, values.astype("<f2")
            label = name.encode()
            out.write(struct.pack("<3i", len(shape), len(label), stored))
            out.write(struct.pack(f"<{len(shape)}i", *shape[::-1]) + label)
            out.write(numpy.ascontiguousarray(values).tobytes())


def main(weights, mel_filters, words, out, kind="f16"):
    sealed.seal()
    with open(weights, "rb") as file:
        read = from_torch if file.read(4) == b"PK\3\4" else from_ctranslate2
    sizes, tensors = read(weights)
    filters = numpy.load(mel_filters, allow_pickle=False)[f"mel_{sizes[9]}"].astype("<f4")
    write(out, sizes, filters, vocabulary(words, sizes[0] >= 51865), tensors, {"f16": F16, "q8_0": Q8_0}[kind])


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
