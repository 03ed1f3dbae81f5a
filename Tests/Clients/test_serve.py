"""The openai and llm packages, unchanged, and schemathesis with our OpenAPI file, against `libera serve`."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import openai

import place

BIN = pathlib.Path(sys.executable).parent


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.address, cls.key = cls.place.serve()
        cls.client = openai.OpenAI(base_url=cls.address.rstrip("/") + "/v1", api_key=cls.key, max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.place.remove()

    def pack(self):
        return next(one.id for one in self.client.models.list() if one.id.startswith("smollm2"))

    def test_openai_chats_streams_and_embeds(self):
        question = [{"role": "user", "content": "What is the capital of France?"}]
        whole = self.client.chat.completions.create(model=self.pack(), messages=question, max_tokens=24)
        self.assertIn("Paris", whole.choices[0].message.content)
        pieces = self.client.chat.completions.create(model=self.pack(), messages=question, max_tokens=24, stream=True)
        streamed = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
        self.assertEqual(streamed, whole.choices[0].message.content)
        vector = self.client.embeddings.create(model="all-minilm-l6-v2-f16", input="water").data[0].embedding
        self.assertEqual(len(vector), 384)

    def test_openai_has_responses_whole_and_streamed(self):
        asked = {"model": self.pack(), "input": "What is the capital of France?", "max_output_tokens": 24}
        whole = self.client.responses.create(**asked)
        self.assertIn("Paris", whole.output_text)
        with self.client.responses.stream(**asked) as stream:
            told = "".join(one.delta for one in stream if one.type == "response.output_text.delta")
            self.assertEqual(stream.get_final_response().output_text, told)
        self.assertEqual(told, whole.output_text)
        cut = self.client.responses.create(**{**asked, "max_output_tokens": 2})
        self.assertEqual((cut.status, cut.incomplete_details.reason), ("incomplete", "max_output_tokens"))
        schema = {"type": "object", "required": ["steps", "answer"], "additionalProperties": False, "properties": {
            "steps": {"type": "string", "maxLength": 30}, "answer": {"type": "string", "maxLength": 20}}}
        made = self.client.responses.create(**{**asked, "max_output_tokens": 200}, text={
            "format": {"type": "json_schema", "name": "reasoned", "schema": schema, "strict": True}})
        self.assertEqual(list(json.loads(made.output_text)), ["steps", "answer"], "in the order of the schema")

    def test_openai_responses_call_functions_and_take_their_results(self):
        weather = {"type": "function", "name": "get_weather", "description": "The weather in a city now", "strict": True, "parameters": {
            "type": "object", "additionalProperties": False, "required": ["city"], "properties": {"city": {"type": "string", "maxLength": 40}}}}
        asked = {"model": self.pack(), "tools": [weather], "max_output_tokens": 200}
        question = [{"role": "user", "content": "What is the weather in Paris?"}]
        called = self.client.responses.create(input=question, tool_choice={"type": "function", "name": "get_weather"}, **asked).output
        self.assertEqual([(one.type, one.name) for one in called], [("function_call", "get_weather")])
        self.assertEqual(list(json.loads(called[0].arguments)), ["city"])
        with self.client.responses.stream(input=question, tool_choice="required", parallel_tool_calls=False, **asked) as stream:
            self.assertEqual(stream.get_final_response().output[0].name, "get_weather")
        history = [*question, *[one.model_dump() for one in called],
                   {"type": "function_call_output", "call_id": called[0].call_id, "output": "21 degrees"}]
        self.assertTrue(self.client.responses.create(input=history, tool_choice="none", **asked).output_text)
        asking = self.client.responses.create(input=question, tool_choice="required", **asked)
        given = [{"type": "function_call_output", "call_id": one.call_id, "output": "21 degrees"} for one in asking.output]
        self.assertTrue(self.client.responses.create(
            input=given, previous_response_id=asking.id, tool_choice="none", **asked).output_text)
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client.responses.create(model=self.pack(), input="And then?", previous_response_id="resp_none")
        self.assertEqual(caught.exception.code, "previous_response_not_found")

    def test_openai_has_several_answers_leans_on_tokens_and_reads_long_texts(self):
        question = [{"role": "user", "content": "Name a colour."}]
        made = self.client.chat.completions.create(
            model=self.pack(), messages=question, n=3, temperature=1, seed=5, max_tokens=8)
        self.assertEqual([one.index for one in made.choices], [0, 1, 2])
        texts = self.client.completions.create(model=self.pack(), prompt=["One, two,", "Red, green,"], max_tokens=4).choices
        self.assertEqual(len(texts), 2)
        leaning = self.client.completions.create(model=self.pack(), prompt="One", max_tokens=4, logit_bias={"50": 100}).choices[0].text
        self.assertEqual(len(set(leaning)), 1, leaning)
        long = self.client.embeddings.create(model="all-minilm-l6-v2-f16", input=["water " * 2000, "water"])
        self.assertEqual([len(one.embedding) for one in long.data], [384, 384])
        short = self.client.embeddings.create(model="all-minilm-l6-v2-f16", input="water", dimensions=64).data[0].embedding
        self.assertAlmostEqual(sum(one * one for one in short), 1, places=3)
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client.chat.completions.create(model=self.pack(), messages=[{"role": "user", "content": "water " * 20000}], stream=True)
        self.assertEqual((caught.exception.code, caught.exception.param), ("context_length_exceeded", "messages"))

    def test_openai_is_answered_from_the_documents(self):
        made = self.client.chat.completions.create(
            model="libera", messages=[{"role": "user", "content": "How often must the water filter be changed?"}])
        self.assertIn("4 months", made.choices[0].message.content)
        self.assertEqual(made.model_extra["libera"]["citations"][0]["document"], "boiler.md")

    def test_llm_talks_to_a_pack(self):
        folder = tempfile.mkdtemp(prefix="libera-llm-")
        pathlib.Path(folder, "extra-openai-models.yaml").write_text(
            f"- model_id: here\n  model_name: {self.pack()}\n  api_base: {self.address.rstrip('/')}/v1\n  api_key_name: here\n")
        pathlib.Path(folder, "keys.json").write_text(json.dumps({"here": self.key}))
        told = subprocess.run(
            [BIN / "llm", "-m", "here", "What is the capital of France?"], capture_output=True, text=True,
            env=dict(os.environ, LLM_USER_PATH=folder))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("Paris", told.stdout)

    def test_schemathesis_finds_nothing_that_the_description_does_not_say(self):
        described = place.ROOT / "docs/openapi.json"
        # The stream of events never ends, and the operations themselves are described in docs/cli.md.
        told = subprocess.run(
            [BIN / "schemathesis", "run", described, "--url", self.address, "-H", f"Authorization: Bearer {self.key}",
             "--exclude-path", "/api/events", "--exclude-path", "/api/{operation}", "--exclude-path", "/mcp", "--max-examples", "12",
             # A few rules cannot be said in a schema, as that the last message is the user's.
             "--exclude-checks", "positive_data_acceptance", "--seed", "1", "--request-timeout", "120"], capture_output=True, text=True,
            cwd=self.place.home)  # it leaves a cache where it runs
        self.assertEqual(told.returncode, 0, told.stdout[-6000:])


if __name__ == "__main__":
    unittest.main()
