"""What llama.cpp's own server is tested for, as far as it is OpenAI's, Anthropic's or of use to the same clients; written anew."""

import json

from rows import EMBEDDER, FRANCE, LLAMA, PACK, TOOL, expect, row


def chat(s, **more):
    return s.send("/v1/chat/completions", {"model": PACK, "messages": FRANCE, "max_tokens": 8, **more})


@row("basic", "the server is asked whether it lives", to=LLAMA)
def _(s):
    expect(s.send("/api/ping")[0] == 200)


@row("basic", "`/health`, without a key", to=LLAMA)
def _(s):
    expect(s.send("/health", headers={"Authorization": ""}) == (200, {"status": "ok"}))


@row("basic", "`/props`: the context and the model", to=LLAMA)
def _(s):
    status, told = s.send("/props")
    expect(status == 200 and told["default_generation_settings"]["n_ctx"] > 500 and told["model_alias"] == PACK)
    expect(s.send("/props", headers={"Authorization": ""})[0] == 401)


@row("security", "without a key, or with a wrong one, nothing is told", to=LLAMA)
def _(s):
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}, {"Authorization": s.key}):
        expect(s.send("/v1/models", headers=headers)[0] == 401)


@row("security", "the key as `x-api-key`", to=LLAMA)
def _(s):
    expect(s.send("/v1/models", headers={"Authorization": "", "X-Api-Key": s.key})[0] == 200)


@row("completion", "the same seed gives the same words, another others", to=LLAMA)
def _(s):
    def words(seed):
        return s.send("/v1/completions", {"model": PACK, "prompt": "I believe the meaning of life is", "seed": seed, "temperature": 1.5, "max_tokens": 16})[1]["choices"][0]["text"]
    expect(words(42) == words(42) and len({words(seed) for seed in range(4)}) > 1)


@row("completion", "a prompt that was read before is not read again", to=LLAMA)
def _(s):
    body = {"model": PACK, "prompt": "The quick brown fox jumps over the lazy dog. " * 8, "max_tokens": 4}
    s.send("/v1/completions", body)
    expect(s.send("/v1/completions", body)[1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 0)


@row("completion", "several prompts", to=LLAMA)
def _(s):
    expect(len(s.send("/v1/completions", {"model": PACK, "prompt": ["I", "We"], "max_tokens": 4})[1]["choices"]) == 2)


@row("completion", "prompts as token numbers", to=LLAMA)
def _(s):
    expect(s.send("/v1/completions", {"model": PACK, "prompt": [504, 3575, 282], "max_tokens": 4})[0] == 200)


@row("completion", "logit_bias forbids and forces tokens", to=LLAMA)
def _(s):
    _, made = s.send("/v1/completions", {"model": PACK, "prompt": "One", "max_tokens": 4, "logit_bias": {"50": 100}})
    expect(len(set(made["choices"][0]["text"])) == 1)


@row("completion", "`/completion` in its own form, whole and streamed, until a word or the end of its length", to=LLAMA)
def _(s):
    asked = {"prompt": "I believe the meaning of life is", "n_predict": 8}
    whole = s.send("/completion", asked)[1]
    expect(whole["stop"] and whole["tokens_predicted"] == 8 and whole["stop_type"] == "limit" and whole["timings"]["predicted_n"] == 8)
    parts = [json.loads(line[6:]) for line in s.send("/completion", {**asked, "stream": True})[1].split("\n") if line.startswith("data: ")]
    expect("".join(part["content"] for part in parts) == whole["content"] and [part["stop"] for part in parts][-2:] == [False, True])
    expect(s.send("/completion", {**asked, "stop": ["a", "e"]})[1]["stop_type"] == "word")


@row("completion", "n_probs of each token, in `/completion` and in OpenAI's API", to=LLAMA)
def _(s):
    made = s.send("/completion", {"prompt": "One", "n_predict": 4, "n_probs": 3})[1]["completion_probabilities"]
    expect(len(made) == 4 and all(len(one["top_logprobs"]) == 3 and one["id"] == one["top_logprobs"][0]["id"] for one in made))
    openai = s.openai.completions.create(model=PACK, prompt="One", max_tokens=4, extra_body={"n_probs": 3}).choices[0].logprobs
    expect([one["id"] for one in openai.model_extra["content"]] == [one["id"] for one in made])


@row("completion", "a client that goes ends its answer", to=LLAMA)
def _(s):
    with s.openai.chat.completions.create(
            model=PACK, messages=[{"role": "user", "content": "Tell a long story."}], max_tokens=2000, stream=True) as stream:
        next(iter(stream))
    expect(s.send("/api/ping")[0] == 200 and chat(s)[0] == 200)


@row("chat", "a role that is none, content that is none, and no messages are refused", to=LLAMA)
def _(s):
    for messages in ([{"role": "wizard", "content": "x"}], [{"content": "x"}], [], "x", [42], None):
        status, told = s.send("/v1/chat/completions", {"model": PACK, "messages": messages})
        expect(status == 400 and told["error"]["type"] == "invalid_request_error", f"{messages}: {status}")


@row("chat", "a chat that cannot fit is refused with its kind", to=LLAMA)
def _(s):
    status, told = chat(s, messages=[{"role": "user", "content": "water " * 20000}])
    expect((status, told["error"]["code"]) == (400, "context_length_exceeded"))


@row("chat", "response_format: any object, a schema, none", to=LLAMA)
def _(s):
    const = {"type": "json_schema", "json_schema": {"schema": {"const": "42"}}}
    expect(chat(s, response_format=const, max_tokens=20)[1]["choices"][0]["message"]["content"] == '"42"')
    expect(chat(s, response_format={"type": "json_object"})[1]["choices"][0]["message"]["content"].lstrip().startswith("{"))
    expect(chat(s, response_format={"type": "sound"})[0] == 400)


@row("chat", "a grammar of the client's own (GBNF), in chats and completions; one that is none, or is endless, is refused", to=LLAMA)
def _(s):
    grammar = 'root ::= ("red" | "green") "!"{3}'
    expect(chat(s, grammar=grammar, max_tokens=20)[1]["choices"][0]["message"]["content"] in ("red!!!", "green!!!"))
    expect(s.send("/completion", {"prompt": "The sky is", "grammar": grammar})[1]["content"] in ("red!!!", "green!!!"))
    for hostile in ("root ::= (", "root ::= root root | \"a\"", 'root ::= "a"{100000}', "root ::= " + "(" * 20000 + '"a"' + ")" * 20000):
        expect(chat(s, grammar=hostile)[0] == 400, hostile[:40])
    expect(chat(s)[0] == 200)


@row("chat", "usage at the end of a stream, and in it where asked", to=LLAMA)
def _(s):
    parts = list(s.openai.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=4, stream=True, stream_options={"include_usage": True}))
    expect(parts[-1].usage.completion_tokens == 4)


@row("chat", "log probabilities, whole and streamed", to=LLAMA)
def _(s):
    made = s.openai.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=4, logprobs=True, top_logprobs=5)
    expect(all(one.logprob <= 0 and len(one.top_logprobs) == 5 for one in made.choices[0].logprobs.content))


@row("chat", "an answer that the client began is gone on with", to=LLAMA)
def _(s):
    begun = [*FRANCE, {"role": "assistant", "content": "The capital of France is the town of"}]
    made = chat(s, messages=begun)[1]["choices"][0]["message"]["content"]
    expect("Paris" in made and "The capital" not in made, made)


@row("embedding", "one, several, empty and mixed inputs", to=LLAMA)
def _(s):
    expect(s.send("/v1/embeddings", {"model": EMBEDDER, "input": ["a", "b", "c"]})[0] == 200)
    expect(s.send("/v1/embeddings", {"model": EMBEDDER, "input": []})[0] == 400)


@row("embedding", "as base64 the same numbers", to=LLAMA)
def _(s):
    import base64
    import struct
    plain = s.send("/v1/embeddings", {"model": EMBEDDER, "input": "a"})[1]["data"][0]["embedding"]
    packed = base64.b64decode(s.send("/v1/embeddings", {"model": EMBEDDER, "input": "a", "encoding_format": "base64"})[1]["data"][0]["embedding"])
    expect(max(abs(one - other) for one, other in zip(plain, struct.unpack(f"<{len(plain)}f", packed))) < 1e-6)


@row("embedding", "too long an input", to=LLAMA)
def _(s):
    expect(s.send("/v1/embeddings", {"model": EMBEDDER, "input": "water " * 3000})[0] == 200)


@row("tool call", "a required function is called, with arguments that fit, whole and streamed", to=LLAMA)
def _(s):
    for stream in (False, True):
        made = s.openai.chat.completions.create(
            model=PACK, messages=FRANCE, tools=[TOOL], tool_choice="required", parallel_tool_calls=False, max_tokens=200, stream=stream)
        text = made.choices[0].message.tool_calls[0].function.arguments if not stream else "".join(
            part.function.arguments for one in made if one.choices for part in one.choices[0].delta.tool_calls or [])
        expect("city" in json.loads(text))


@row("tool call", "without functions, or with none to be called, there is no call", to=LLAMA)
def _(s):
    for more in ({}, {"tools": []}, {"tools": [TOOL], "tool_choice": "none"}):
        expect("tool_calls" not in chat(s, **more)[1]["choices"][0]["message"])


@row("anthropic", "messages, streams, tools and counts", to=LLAMA)
def _(s):
    status, made = s.send("/v1/messages", {"model": PACK, "max_tokens": 8, "messages": FRANCE, "system": "Be brief."})
    expect(status == 200 and made["type"] == "message" and made["usage"]["input_tokens"] + made["usage"]["cache_read_input_tokens"] > 0)


LEFT_OUT = [
    "The program `ollama` itself: it sends no key, and who has none is not let in.",
    "llama.cpp's `/tokenize`, `/detokenize`, `/apply-template`, `/infill`, `/slots`, `/metrics`, `/lora-adapters` and `/rerank`: addresses of its own, "
    "which no client of OpenAI's asks for.",
    "llama.cpp's tests of pictures, speculation with a second model, context shifting, slots that are saved, and its page: the server has none of these "
    "in that form.",
    "Programs with a window (Open WebUI, Continue and the like): they are not run here; `libera launch` says what to set in them.",
]
