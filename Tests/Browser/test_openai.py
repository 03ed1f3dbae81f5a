"""The openai package, unchanged, against the server."""

import unittest

import httpx
import openai

import stage


class OpenAITest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = stage.Stage()
        cls.client = openai.OpenAI(base_url=f"http://127.0.0.1:{cls.stage.port}/v1",
                                   api_key=(cls.stage.folder / "token").read_text(), max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.stage.stop()

    def chat(self, text, **more):
        return self.client.chat.completions.create(
            model="sample-chat", messages=[{"role": "user", "content": text}], **more)

    def test_models_are_listed_and_found(self):
        self.assertEqual({one.id for one in self.client.models.list()}, {"sample-chat", "sample-embed", "libera"})
        self.assertEqual(self.client.models.retrieve("sample-chat").owned_by, "this device")

    def test_a_chat_answers_whole_and_streamed_the_same(self):
        whole = self.chat("one two three")
        self.assertEqual(whole.choices[0].message.content, "one two three")
        self.assertEqual(whole.usage.prompt_tokens_details.cached_tokens, 4)
        chunks = list(self.chat("one two three", stream=True, stream_options={"include_usage": True}))
        self.assertEqual("".join(one.choices[0].delta.content or "" for one in chunks if one.choices), "one two three")
        self.assertEqual(chunks[-1].usage.completion_tokens, 3)

    def test_stop_seed_and_length_are_heeded(self):
        self.assertEqual(self.chat("one two STOP three", stop=["STOP"]).choices[0].message.content, "one two")
        self.assertEqual(self.chat("one", seed=7).choices[0].message.content, "one #7")
        short = self.chat("one two three", max_completion_tokens=2)
        self.assertEqual((short.choices[0].message.content, short.choices[0].finish_reason), ("one two", "length"))

    def test_log_probabilities_come_with_their_alternatives(self):
        entry = self.chat("one two", logprobs=True, top_logprobs=3).choices[0].logprobs.content[1]
        self.assertEqual((entry.token, entry.bytes, len(entry.top_logprobs)), (" two", list(b" two"), 3))
        chunks = list(self.chat("one two", logprobs=True, stream=True))
        self.assertEqual([one.choices[0].logprobs.content[0].token for one in chunks if one.choices[0].logprobs], ["one", " two"])

    def test_a_schema_reaches_the_model(self):
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        made = self.chat("x", response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": schema}})
        self.assertEqual(made.choices[0].message.content, '{"answer": "six months"}')

    def test_plain_completions_and_their_log_probabilities(self):
        made = self.client.completions.create(model="sample-chat", prompt="one two", logprobs=2)
        self.assertEqual(made.choices[0].text, "one two")
        self.assertEqual(made.choices[0].logprobs.tokens, ["one", " two"])
        streamed = self.client.completions.create(model="sample-chat", prompt="one two", stream=True)
        self.assertEqual("".join(one.choices[0].text for one in streamed), "one two")

    def test_embeddings_come_as_numbers_through_the_clients_own_encoding(self):
        made = self.client.embeddings.create(model="sample-embed", input=["abc", "de"])
        self.assertEqual([one.embedding for one in made.data], [[3.0, 0.5, -1.0], [2.0, 0.5, -1.0]])
        plain = self.client.embeddings.create(model="sample-embed", input="abc", encoding_format="float")
        self.assertEqual(plain.data[0].embedding, [3.0, 0.5, -1.0])

    def test_a_grounded_answer_carries_its_citations(self):
        made = self.client.chat.completions.create(
            model="libera", messages=[{"role": "user", "content": "When must the filter be changed?"}])
        self.assertIn("six months", made.choices[0].message.content)
        self.assertEqual(made.model_extra["libera"]["citations"][0]["page"], 12)

    def test_errors_are_the_clients_own(self):
        with self.assertRaises(openai.NotFoundError):
            self.client.chat.completions.create(model="gpt-9", messages=[{"role": "user", "content": "x"}])
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat("x", n=1000)
        self.assertIn("n must be from 1 to", str(caught.exception))
        with self.assertRaises(openai.AuthenticationError):
            self.client.with_options(api_key="wrong").models.list()

    def test_a_stream_may_be_left_early(self):
        stream = self.chat("word " * 5000, stream=True)
        next(iter(stream))
        stream.close()
        self.assertEqual(httpx.get(f"http://127.0.0.1:{self.stage.port}/api/ping",
                                   headers={"Authorization": f"Bearer {self.client.api_key}"}).status_code, 200)


if __name__ == "__main__":
    unittest.main()
