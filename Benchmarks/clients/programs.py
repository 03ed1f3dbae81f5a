"""Libraries and programs of others: what is tried with each, and why not where it is known not to work."""

import asyncio
import json
import os
import pathlib
import subprocess
import tempfile

import httpx2
import langchain_ollama
import openai
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from rows import BIN, EMBEDDER, FILTER, FRANCE, ORIGIN, PACK, TOOL, expect, row

# OpenAI's library.

@row("openai", "chat, whole and streamed")
def _(s):
    whole = s.openai.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=24).choices[0].message.content
    parts = s.openai.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=24, stream=True)
    expect("Paris" in whole and "".join(one.choices[0].delta.content or "" for one in parts if one.choices) == whole)


@row("openai", "several answers, seeds, log probabilities")
def _(s):
    made = s.openai.chat.completions.create(
        model=PACK, messages=FRANCE, n=2, seed=4, temperature=1, logprobs=True, top_logprobs=2, max_tokens=4)
    expect(len(made.choices) == 2 and len(made.choices[0].logprobs.content[0].top_logprobs) == 2)


@row("openai", "a schema is kept, in its order")
def _(s):
    schema = {"type": "object", "required": ["steps", "answer"], "additionalProperties": False, "properties": {
        "steps": {"type": "string", "maxLength": 20}, "answer": {"type": "string", "maxLength": 20}}}
    made = s.openai.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=200, response_format={
        "type": "json_schema", "json_schema": {"name": "a", "schema": schema}}).choices[0].message.content
    expect(list(json.loads(made)) == ["steps", "answer"], made)


@row("openai", "functions: required, named, streamed, answered")
def _(s):
    for choice in ("required", {"type": "function", "function": {"name": "weather"}}):
        made = s.openai.chat.completions.create(
            model=PACK, messages=FRANCE, tools=[TOOL], tool_choice=choice, parallel_tool_calls=False, max_tokens=200).choices[0]
        expect(made.finish_reason == "tool_calls" and "city" in json.loads(made.message.tool_calls[0].function.arguments))
    history = [*FRANCE, made.message, {"role": "tool", "tool_call_id": made.message.tool_calls[0].id, "content": "sunny"}]
    expect(s.openai.chat.completions.create(model=PACK, messages=history, max_tokens=20).choices[0].message.content)


@row("openai", "responses, whole and streamed")
def _(s):
    whole = s.openai.responses.create(model=PACK, input="What is the capital of France?", max_output_tokens=24)
    with s.openai.responses.stream(model=PACK, input="What is the capital of France?", max_output_tokens=24) as stream:
        expect("Paris" in whole.output_text and stream.get_final_response().output_text == whole.output_text)


@row("openai", "responses that go on from an earlier one")
def _(s):
    first = s.openai.responses.create(model=PACK, input="My name is Ada. Say hello.", max_output_tokens=16)
    second = s.openai.responses.create(model=PACK, input="What is my name?", previous_response_id=first.id, max_output_tokens=16)
    read = first.usage.input_tokens + first.usage.output_tokens
    expect(second.usage.input_tokens > read and second.previous_response_id == first.id, second.usage)


@row("openai", "vectors, in lists, as base64, shortened, of long texts")
def _(s):
    made = s.openai.embeddings.create(model=EMBEDDER, input=["water", "fire " * 2000], dimensions=64)
    expect([len(one.embedding) for one in made.data] == [64, 64])


@row("openai", "vectors of a text's tokens, by their numbers in the pack")
def _(s):
    made = s.openai.embeddings.create(model=EMBEDDER, input=[[2300], [2543, 2300]])
    expect([len(one.embedding) for one in made.data] == [384, 384])


@row("openai", "a plain completion, of several prompts")
def _(s):
    expect(len(s.openai.completions.create(model=PACK, prompt=["One,", "Two,"], max_tokens=4).choices) == 2)


@row("openai", "speech from text")
def _(s):
    sound = s.openai.audio.speech.create(model="tts-1", voice="alloy", input="Good morning.").read()
    expect(sound[:4] == b"RIFF")


@row("openai", "text from sound")
def _(s):
    sound = s.openai.audio.speech.create(model="tts-1", voice="alloy", input="Good morning to you all.").read()
    expect("morning" in s.openai.audio.transcriptions.create(model="whisper-1", file=("a.wav", sound), language="en").text.lower())


@row("openai", "pictures in a chat", "no pack of the catalogue sees")
def _(s):
    s.openai.chat.completions.create(model=PACK, messages=[{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}])


@row("openai", "an answer from the documents, with citations")
def _(s):
    made = s.openai.chat.completions.create(model="libera", messages=[{"role": "user", "content": FILTER}])
    expect("4 months" in made.choices[0].message.content and made.model_extra["libera"]["citations"])


@row("openai", "too long a prompt is 400 with type, code and param")
def _(s):
    try:
        s.openai.chat.completions.create(model=PACK, messages=[{"role": "user", "content": "water " * 20000}])
    except openai.BadRequestError as error:
        return expect((error.code, error.param, error.type) == ("context_length_exceeded", "messages", "invalid_request_error"))
    expect(False, "it was taken")


# Anthropic's library.

@row("anthropic", "messages, whole and streamed, with stop sequences")
def _(s):
    with s.anthropic.messages.stream(model=PACK, max_tokens=24, messages=FRANCE) as stream:
        expect("Paris" in "".join(stream.text_stream))
    made = s.anthropic.messages.create(model=PACK, max_tokens=24, messages=FRANCE, stop_sequences=["Paris"])
    expect(made.stop_sequence == "Paris")


@row("anthropic", "tools, and what they give")
def _(s):
    tool = {"name": "weather", "input_schema": TOOL["function"]["parameters"]}
    made = s.anthropic.messages.create(
        model=PACK, max_tokens=200, messages=FRANCE, tools=[tool], tool_choice={"type": "any", "disable_parallel_tool_use": True})
    call = made.content[0]
    expect(call.type == "tool_use" and "city" in call.input)
    history = [*FRANCE, {"role": "assistant", "content": made.content},
               {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}]}]
    expect(s.anthropic.messages.create(model=PACK, max_tokens=20, messages=history).content[0].text)


@row("anthropic", "tokens are counted")
def _(s):
    expect(s.anthropic.messages.count_tokens(model=PACK, messages=FRANCE).input_tokens > 5)


@row("anthropic", "an answer begun by the client")
def _(s):
    begun = [*FRANCE, {"role": "assistant", "content": "The capital of France is the town of"}]
    expect("Paris" in s.anthropic.messages.create(model=PACK, max_tokens=8, messages=begun).content[0].text)


# Programs that speak Ollama's API.

@row("ollama", "models: listed, shown, in memory, loaded")
def _(s):
    expect(PACK in [one.model for one in s.ollama.list().models] and "tools" in s.ollama.show(PACK).capabilities)
    s.ollama.generate(PACK)
    expect(PACK in [one.model for one in s.ollama.ps().models])


@row("ollama", "chat and generate, whole and in lines, with options")
def _(s):
    expect("Paris" in s.ollama.chat(PACK, FRANCE, options={"num_predict": 24}).message.content)
    expect(list(s.ollama.generate(PACK, "Hello", options={"num_predict": 4}, stream=True))[-1].done)


@row("ollama", "a schema, functions, vectors")
def _(s):
    schema = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "maxLength": 20}}}
    expect("city" in json.loads(s.ollama.chat(PACK, FRANCE, format=schema, options={"num_predict": 200}).message.content))
    expect(s.ollama.chat(PACK, FRANCE, tools=[TOOL], options={"num_predict": 60}).message is not None)
    expect([len(one) for one in s.ollama.embed(EMBEDDER, ["a", "b"]).embeddings] == [384, 384])


@row("ollama", "pulls what the catalogue has")
def _(s):
    expect(s.ollama.pull(PACK).status == "success")


@row("ollama", "pulls what Ollama's own registry has", "only the catalogue's packs are fetched")
def _(s):
    s.ollama.pull("llama3.2")


@row("ollama", "copies and deletes models: other names for packs, and packs")
def _(s):
    s.ollama.copy(EMBEDDER, "other")
    expect(len(s.ollama.embed("other", "a").embeddings[0]) == 384)
    s.ollama.delete("other")
    expect("other" not in [one.model for one in s.ollama.list().models])


@row("ollama", "makes models", "a pack comes from the catalogue or from a file of the person's own, with its own template")
def _(s):
    s.ollama.create("other", from_=PACK, system="Be brief.")


@row("llm", "with its own OpenAI models")
def _(s):
    folder = tempfile.mkdtemp(prefix="libera-llm-")
    pathlib.Path(folder, "extra-openai-models.yaml").write_text(
        f"- model_id: here\n  model_name: {PACK}\n  api_base: {s.address}/v1\n  api_key_name: here\n")
    pathlib.Path(folder, "keys.json").write_text(json.dumps({"here": s.key}))
    said = subprocess.run([BIN / "llm", "-m", "here", FRANCE[0]["content"]], capture_output=True, text=True,
                          env=dict(os.environ, LLM_USER_PATH=folder))
    expect("Paris" in said.stdout, said.stderr)


@row("llm-ollama", "chat, with the key in the address")
def _(s):
    said = subprocess.run(
        [BIN / "llm", "-m", f"ollama/{PACK}", "-o", "num_predict", "24", FRANCE[0]["content"]], capture_output=True, text=True,
        env=dict(os.environ, LLM_USER_PATH=tempfile.mkdtemp(prefix="libera-llm-"), OLLAMA_HOST=s.address.replace("://", f"://x:{s.key}@")))
    expect("Paris" in said.stdout, said.stderr)


@row("langchain-ollama", "chat, streamed, and vectors")
def _(s):
    options = {"base_url": s.address, "client_kwargs": {"headers": s.headers}}
    model = langchain_ollama.ChatOllama(model=PACK, num_predict=24, temperature=0, **options)
    expect("Paris" in "".join(piece.content for piece in model.stream(FRANCE[0]["content"])))
    expect(len(langchain_ollama.OllamaEmbeddings(model=EMBEDDER, **options).embed_query("water")) == 384)


# The Model Context Protocol.

def talk(s, conversation, http):
    async def session():
        if http:
            async with httpx2.AsyncClient(headers=s.headers, timeout=120) as client:
                async with streamable_http_client(s.address + "/mcp", http_client=client) as (incoming, outgoing, *_):
                    async with ClientSession(incoming, outgoing) as one:
                        await one.initialize()
                        return await conversation(one)
        program, *words = s.place.words("mcp")
        async with stdio_client(StdioServerParameters(command=program, args=words)) as (incoming, outgoing):
            async with ClientSession(incoming, outgoing) as one:
                await one.initialize()
                return await conversation(one)
    return asyncio.run(asyncio.wait_for(session(), 120))


async def everything(client):
    expect("4 months" in (await client.call_tool("search", {"query": "water filter"})).content[0].text)
    expect("4 months" in (await client.call_tool("ask", {"question": FILTER})).content[0].text)
    documents = (await client.list_resources()).resources
    expect("4 months" in (await client.read_resource(documents[0].uri)).contents[0].text)
    expect(len((await client.list_prompts()).prompts) == 2)


@row("mcp", "tools, resources and prompts over standard input and output")
def _(s):
    talk(s, everything, http=False)


@row("mcp", "the same over HTTP, with a key")
def _(s):
    talk(s, everything, http=True)


@row("a page", "from an origin that a person has named (the setting origins, empty at first), and from no other")
def _(s):
    expect(s.send("/v1/models", headers={"Origin": ORIGIN})[0] == 200)
    expect(s.send("/v1/models", headers={"Origin": "https://other.example.org"})[0] == 403)


@row("curl", "Ollama's own examples, which declare no JSON")
def _(s):
    status, _ = s.send("/api/chat", {"model": PACK, "messages": FRANCE}, {"Content-Type": "application/x-www-form-urlencoded"})
    expect(status == 200)
