#!/usr/bin/env python3
"""Turns a published BERT sentence embedder (safetensors) into the GGUF that llama.cpp reads, the same bytes every time.

    bert_to_gguf.py WEIGHTS CONFIG TOKENIZER POOLING NAME OUT

WEIGHTS, CONFIG, TOKENIZER and POOLING are the publisher's model.safetensors, config.json, tokenizer.json and
1_Pooling/config.json. Matrices become f16; vectors stay f32.
"""
import json, sys
import gguf, numpy
from safetensors import safe_open
import sealed

OUTER = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
INNER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
# Not used for embeddings.
IGNORED = ("embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias")


def ours(name):
    """llama.cpp's name for a tensor, or None for one it has no use for."""
    if name in IGNORED:
        return None
    if name in OUTER:
        return OUTER[name]
    _, _, index, rest = name.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{int(index)}.{INNER[part]}.{kind}"


def words(tokenizer):
    """Tokens and their kinds; llama.cpp marks a word's beginning where BERT marks its continuation."""
    added = {entry["id"]: entry["special"] for entry in tokenizer["added_tokens"]}
    by_id = sorted((identity, text) for text, identity in tokenizer["model"]["vocab"].items())
    if [identity for identity, _ in by_id] != list(range(len(by_id))):
        raise SystemExit("the vocabulary has gaps")
    texts, kinds = [], []
    for identity, text in by_id:
        special = added.get(identity, False)
        kinds.append(gguf.TokenType.CONTROL if special else gguf.TokenType.NORMAL)
        texts.append(text if special else text[2:] if text.startswith("##") else "\u2581" + text)
    return texts, kinds, {text: identity for identity, text in by_id if added.get(identity)}


def main(weights, config, tokenizer, pooling, name, out):
    sealed.seal()
    config, tokenizer, pooling = (json.load(open(path)) for path in (config, tokenizer, pooling))
    writer = gguf.GGUFWriter(out, "bert")
    writer.add_name(name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    mean = pooling["pooling_mode_mean_tokens"]
    writer.add_pooling_type(gguf.PoolingType.MEAN if mean else gguf.PoolingType.CLS)

    texts, kinds, special = words(tokenizer)
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("jina-v2-en")  # the name llama.cpp gives to lower-casing word pieces
    writer.add_token_list(texts)
    writer.add_token_types(kinds)
    writer.add_unk_token_id(special["[UNK]"])
    writer.add_sep_token_id(special["[SEP]"])
    writer.add_pad_token_id(special["[PAD]"])
    writer.add_bos_token_id(special["[CLS]"])
    writer.add_mask_token_id(special["[MASK]"])
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)

    with safe_open(weights, "numpy") as file:
        for theirs in sorted(file.keys()):
            if tensor := ours(theirs):
                values = file.get_tensor(theirs)
                # llama.cpp reads positions and token types as f32.
                matrix = values.ndim >= 2 and tensor not in ("position_embd.weight", "token_types.weight")
                writer.add_tensor(tensor, values.astype(numpy.float16 if matrix else numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    if len(sys.argv) != 7:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
