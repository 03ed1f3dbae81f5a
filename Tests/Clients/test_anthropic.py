"""Anthropic's own client for Python, unchanged, against `libera serve`."""

import json
import unittest

import anthropic

import place

PACK = "smollm2-135m-instruct-q4_1"
FRANCE = [{"role": "user", "content": "What is the capital of France?"}]
WEATHER = {"name": "get_weather", "description": "The weather in a city now", "input_schema": {
    "type": "object", "additionalProperties": False, "required": ["city", "unit"], "properties": {
        "city": {"type": "string", "maxLength": 40}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}}}
QUESTION = [{"role": "user", "content": "What is the weather in Paris, in celsius?"}]


class AnthropicTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        address, cls.key = cls.place.serve()
        cls.address = address.rstrip("/")
        cls.client = anthropic.Anthropic(base_url=cls.address, api_key=cls.key, max_retries=0)
        cls.addClassCleanup(cls.client.close)

    def test_a_message_is_whole_or_grows(self):
        whole = self.client.messages.create(model=PACK, max_tokens=24, messages=FRANCE)
        self.assertIn("Paris", whole.content[0].text)
        self.assertEqual(whole.role, "assistant")
        self.assertGreater(whole.usage.output_tokens, 3)
        with self.client.messages.stream(model=PACK, max_tokens=24, messages=FRANCE) as stream:
            self.assertEqual("".join(stream.text_stream), whole.content[0].text)
            self.assertEqual(stream.get_final_message().stop_reason, whole.stop_reason)
        cut = self.client.messages.create(model=PACK, max_tokens=3, messages=FRANCE)
        self.assertEqual(cut.stop_reason, "max_tokens")
        stopped = self.client.messages.create(model=PACK, max_tokens=24, messages=FRANCE, stop_sequences=["Paris", "~"])
        self.assertEqual((stopped.stop_reason, stopped.stop_sequence), ("stop_sequence", "Paris"))

    def test_tokens_are_counted_as_they_are_read(self):
        counted = self.client.messages.count_tokens(model=PACK, messages=FRANCE, system="Be brief.").input_tokens
        usage = self.client.messages.create(model=PACK, max_tokens=2, messages=FRANCE, system="Be brief.").usage
        self.assertEqual(counted, usage.input_tokens + usage.cache_read_input_tokens)

    def fits(self, call):
        self.assertEqual((call.type, call.name), ("tool_use", "get_weather"))
        self.assertEqual(set(call.input), {"city", "unit"})
        self.assertIn(call.input["unit"], ("celsius", "fahrenheit"))

    def test_a_tool_is_called_and_its_result_taken_back(self):
        choice = {"type": "tool", "name": "get_weather"}
        asked = self.client.messages.create(
            model=PACK, max_tokens=200, messages=QUESTION, tools=[WEATHER], tool_choice=choice)
        self.assertEqual(asked.stop_reason, "tool_use")
        self.fits(asked.content[0])
        with self.client.messages.stream(
                model=PACK, max_tokens=200, messages=QUESTION, tools=[WEATHER], tool_choice=choice) as stream:
            self.assertEqual(stream.get_final_message().content[0].input, asked.content[0].input)
        messages = [*QUESTION, {"role": "assistant", "content": asked.content},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": asked.content[0].id, "content": json.dumps({"degrees": 21})}]}]
        answer = self.client.messages.create(
            model=PACK, max_tokens=60, messages=messages, tools=[WEATHER], tool_choice={"type": "none"})
        self.assertTrue(answer.content[0].text.strip())

    def test_answers_from_the_documents_and_refusals_are_told(self):
        made = self.client.messages.create(
            model="libera", max_tokens=100, messages=[{"role": "user", "content": "How often must the water filter be changed?"}])
        self.assertIn("4 months", made.content[0].text)
        with self.assertRaises(anthropic.NotFoundError):
            self.client.messages.create(model="claude-none", max_tokens=5, messages=FRANCE)
        begun = [*FRANCE, {"role": "assistant", "content": "The capital of France is the town of"}]
        gone_on = self.client.messages.create(model=PACK, max_tokens=8, messages=begun).content[0].text
        self.assertIn("Paris", gone_on)
        self.assertNotIn("capital of France is the town", gone_on)
        with self.assertRaises(anthropic.BadRequestError):
            with self.client.messages.stream(model=PACK, max_tokens=5, messages=[{"role": "user", "content": "water " * 20000}]) as stream:
                stream.get_final_message()
        with self.assertRaises(anthropic.AuthenticationError):
            anthropic.Anthropic(base_url=self.address, api_key="wrong", max_retries=0).models.list()


if __name__ == "__main__":
    unittest.main()
