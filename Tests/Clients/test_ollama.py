"""Programs that speak Ollama's API, unchanged, against `libera serve`: its own Python client, llm and LangChain over it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import langchain_ollama
import ollama

import place

BIN = pathlib.Path(sys.executable).parent
PACK = "smollm2-135m-instruct-q4_1"
EMBEDDER = "all-minilm-l6-v2-f16"
FRANCE = [{"role": "user", "content": "What is the capital of France?"}]


def add(a: int, b: int) -> int:
    """Add two numbers

    Args:
        a: the first
        b: the second
    """
    return a + b


class OllamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        cls.address, cls.key = cls.place.serve()
        cls.address = cls.address.rstrip("/")
        cls.headers = {"Authorization": f"Bearer {cls.key}"}
        cls.client = ollama.Client(host=cls.address, headers=cls.headers)

    def test_models_are_listed_shown_and_seen_in_memory(self):
        self.assertEqual({one.model for one in self.client.list().models}, {PACK, EMBEDDER, "libera"})
        shown = self.client.show(PACK)
        self.assertIn("tools", shown.capabilities)
        self.assertEqual(shown.details.quantization_level, "Q4_1")
        self.client.generate(PACK)  # without a prompt it is only loaded
        self.assertIn(PACK, [one.model for one in self.client.ps().models])

    def test_a_chat_is_whole_or_comes_in_lines(self):
        whole = self.client.chat(PACK + ":latest", FRANCE, options={"num_predict": 24, "num_thread": 2}, keep_alive="5m")
        self.assertIn("Paris", whole.message.content)
        self.assertGreater(whole.prompt_eval_count, 5)
        self.assertGreater(whole.eval_duration, 0)
        lines = list(self.client.chat(PACK, FRANCE, options={"num_predict": 24}, stream=True))
        self.assertEqual("".join(line.message.content for line in lines), whole.message.content)
        self.assertEqual([line.done for line in lines], [False] * (len(lines) - 1) + [True])
        prompt = self.client.generate(PACK, "What is the capital of France?", options={"num_predict": 24}, system="Be brief.")
        self.assertTrue(prompt.response)
        cut = self.client.chat(PACK, FRANCE, options={"num_predict": 3})
        self.assertEqual(cut.done_reason, "length")

    def test_a_format_is_kept(self):
        schema = {"type": "object", "required": ["steps", "answer"], "properties": {
            "steps": {"type": "string", "maxLength": 30}, "answer": {"type": "string", "maxLength": 20}}}
        made = json.loads(self.client.chat(PACK, FRANCE, format=schema, options={"num_predict": 200}).message.content)
        self.assertEqual(list(made), ["steps", "answer"], "in the order of the schema")
        self.assertIsInstance(json.loads(
            self.client.generate(PACK, "A colour and its name.", format="json", options={"num_predict": 400, "temperature": 0}).response), dict)

    def test_functions_are_offered_and_what_they_give_is_taken_back(self):
        asked = self.client.chat(PACK, [{"role": "user", "content": "What is 3 plus 4?"}], tools=[add], options={"num_predict": 200})
        self.assertTrue(asked.message.content or asked.message.tool_calls)
        history = [{"role": "user", "content": "What is 3 plus 4?"},
                   {"role": "assistant", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 3, "b": 4}}}]},
                   {"role": "tool", "content": "7", "tool_name": "add"}]
        self.assertTrue(self.client.chat(PACK, history, options={"num_predict": 40}).message.content)

    def test_vectors_are_made(self):
        self.assertEqual([len(one) for one in self.client.embed(EMBEDDER, ["water", "fire " * 2000]).embeddings], [384, 384])
        self.assertEqual(len(self.client.embeddings(EMBEDDER, "water").embedding), 384)
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.embed(EMBEDDER, "fire " * 2000, truncate=False)
        self.assertEqual(caught.exception.status_code, 400)

    def test_only_the_catalogue_is_pulled(self):
        self.assertEqual([one.status for one in self.client.pull(PACK, stream=True)], ["pulling manifest", "success"])
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.pull("llama3.2")
        self.assertEqual(caught.exception.status_code, 404)

    def test_a_model_is_copied_under_another_name_which_goes_before_it(self):
        self.client.copy(EMBEDDER, "other")
        self.assertEqual(len(self.client.embed("other", "a").embeddings[0]), 384)
        self.assertIn("other", [one.model for one in self.client.list().models])
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.delete(EMBEDDER)
        self.assertEqual(caught.exception.status_code, 400)
        self.assertIn("other", str(caught.exception))
        self.client.delete("other")
        self.assertEqual({one.model for one in self.client.list().models}, {PACK, EMBEDDER, "libera"})
        for call in (lambda: self.client.copy("none", "x"), lambda: self.client.delete("none")):
            with self.assertRaises(ollama.ResponseError) as caught:
                call()
            self.assertEqual(caught.exception.status_code, 404)

    def test_answers_from_the_documents_and_refusals_are_told(self):
        made = self.client.chat("libera", [{"role": "user", "content": "How often must the water filter be changed?"}])
        self.assertIn("4 months", made.message.content)
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.chat("none", FRANCE)
        self.assertEqual(caught.exception.status_code, 404)
        with self.assertRaises(ollama.ResponseError) as caught:
            ollama.Client(host=self.address).list()
        self.assertEqual(caught.exception.status_code, 401)

    def test_llm_talks_over_it(self):
        folder = tempfile.mkdtemp(prefix="libera-llm-")
        told = subprocess.run(
            [BIN / "llm", "-m", f"ollama/{PACK}", "-o", "num_predict", "24", "What is the capital of France?"], capture_output=True, text=True,
            env=dict(os.environ, LLM_USER_PATH=folder, OLLAMA_HOST=self.address.replace("://", f"://x:{self.key}@")))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("Paris", told.stdout)

    def test_langchain_talks_calls_and_embeds_over_it(self):
        options = {"base_url": self.address, "client_kwargs": {"headers": self.headers}}
        model = langchain_ollama.ChatOllama(model=PACK, num_predict=24, temperature=0, **options)
        self.assertIn("Paris", model.invoke("What is the capital of France?").content)
        self.assertIn("Paris", "".join(piece.content for piece in model.stream("What is the capital of France?")))
        vectors = langchain_ollama.OllamaEmbeddings(model=EMBEDDER, **options).embed_documents(["water", "fire"])
        self.assertEqual([len(one) for one in vectors], [384, 384])


class DeletingTest(unittest.TestCase):
    def test_a_deleted_model_is_gone_as_with_packs_remove(self):
        here = place.Place()
        self.addCleanup(here.remove)
        address, key = here.serve()
        client = ollama.Client(host=address, headers={"Authorization": f"Bearer {key}"})
        client.generate(PACK)  # it is in memory, and goes nevertheless
        client.delete(PACK)
        self.assertEqual({one.model for one in client.list().models}, {EMBEDDER, "libera"})
        self.assertFalse((here.home / "packs" / PACK).exists())
        self.assertIn(PACK, here.run("packs", "list"), "the catalogue still has it")
        with self.assertRaises(ollama.ResponseError) as caught:
            client.generate(PACK, "Hello")
        self.assertEqual(caught.exception.status_code, 404)


if __name__ == "__main__":
    unittest.main()
