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
             "--exclude-path", "/api/events", "--exclude-path", "/api/{operation}", "--max-examples", "30",
             # A few rules cannot be said in a schema, as that the last message is the user's.
             "--exclude-checks", "positive_data_acceptance", "--seed", "1", "--request-timeout", "30"], capture_output=True, text=True,
            cwd=self.place.home)  # it leaves a cache where it runs
        self.assertEqual(told.returncode, 0, told.stdout[-6000:])


if __name__ == "__main__":
    unittest.main()
