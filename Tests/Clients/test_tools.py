"""Functions called by the openai package, unchanged: with a pack whose template knows none, and with one whose template does."""

import json
import unittest
from typing import Literal

import openai
import pydantic

import place

WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather in a city now",
    "parameters": {"type": "object", "additionalProperties": False, "required": ["city", "unit"], "properties": {
        "city": {"type": "string", "description": "As in <Paris>", "maxLength": 40}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}}}}
CLOCK = {"type": "function", "function": {"name": "clock", "description": "The time now"}}
QUESTION = [{"role": "user", "content": "What is the weather in Paris, in celsius?"}]


class Place(pydantic.BaseModel):
    country: Literal["France", "Germany"]
    days: int


class Forecast(pydantic.BaseModel):
    """The weather of the coming days"""
    place: Place


class ToolsTest(unittest.TestCase):
    pack = "smollm2-135m-instruct-q4_1"

    @classmethod
    def setUpClass(cls):
        if not (place.PREPARED / "packs" / cls.pack).exists():
            raise unittest.SkipTest(f"the pack {cls.pack} is not in {place.PREPARED}")
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        address, key = cls.place.serve()
        cls.client = openai.OpenAI(base_url=address.rstrip("/") + "/v1", api_key=key, max_retries=0)
        cls.addClassCleanup(cls.client.close)

    def ask(self, messages=QUESTION, **more):
        return self.client.chat.completions.create(model=self.pack, messages=messages, max_tokens=200, **more)

    def fits(self, call):
        self.assertTrue(call.id.startswith("call_"))
        self.assertEqual(call.type, "function")
        arguments = json.loads(call.function.arguments)
        if call.function.name == "get_weather":
            self.assertEqual(set(arguments), {"city", "unit"})
            self.assertIn(arguments["unit"], ("celsius", "fahrenheit"))
        else:
            self.assertEqual((call.function.name, arguments), ("clock", {}))

    def test_a_required_or_named_function_is_called_with_arguments_that_fit(self):
        for choice in ("required", {"type": "function", "function": {"name": "get_weather"}}):
            for temperature in (0, 1):
                made = self.ask(tools=[CLOCK, WEATHER], tool_choice=choice, temperature=temperature, seed=3).choices[0]
                self.assertEqual(made.finish_reason, "tool_calls")
                self.assertIsNone(made.message.content)
                self.assertTrue(made.message.tool_calls)
                for call in made.message.tool_calls:
                    self.fits(call)
                if choice != "required":
                    self.assertEqual([call.function.name for call in made.message.tool_calls], ["get_weather"])

    def test_a_streamed_call_is_the_same(self):
        named = {"type": "function", "function": {"name": "get_weather"}}
        whole = self.ask(tools=[WEATHER], tool_choice=named).choices[0].message.tool_calls[0]
        chunks = [chunk.choices[0] for chunk in self.ask(tools=[WEATHER], tool_choice=named, stream=True) if chunk.choices]
        parts = [part for chunk in chunks for part in chunk.delta.tool_calls or []]
        self.assertTrue(parts[0].id.startswith("call_"))
        self.assertEqual(parts[0].function.name, "get_weather")
        self.assertEqual({part.index for part in parts}, {0})
        self.assertEqual("".join(part.function.arguments for part in parts), whole.function.arguments)
        self.assertEqual(chunks[-1].finish_reason, "tool_calls")

    def test_the_result_of_a_call_is_taken_back_and_answered(self):
        asked = self.ask(tools=[WEATHER], tool_choice="required", parallel_tool_calls=False).choices[0].message
        messages = [*QUESTION, asked, {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": '{"degrees": 21, "sky": "clear"}'}]
        answer = self.ask(messages, tools=[WEATHER], tool_choice="none").choices[0]
        self.assertIn(answer.finish_reason, ("stop", "length"))
        self.assertIsNone(answer.message.tool_calls)
        self.assertTrue(answer.message.content.strip())

    def test_where_the_model_may_choose_both_are_well_formed(self):
        for question in ("What is the weather in Paris?", "Say hello."):
            made = self.ask([{"role": "user", "content": question}], tools=[WEATHER, CLOCK]).choices[0]
            self.assertTrue(made.message.content or made.message.tool_calls)
            if made.finish_reason == "tool_calls":
                for call in made.message.tool_calls:
                    self.fits(call)

    def test_a_schema_with_definitions_of_its_own_is_enforced(self):
        made = self.client.chat.completions.parse(
            model=self.pack, messages=QUESTION, tools=[openai.pydantic_function_tool(Forecast)], tool_choice="required",
            parallel_tool_calls=False, max_tokens=200)
        self.assertIsInstance(made.choices[0].message.tool_calls[0].function.parsed_arguments, Forecast)

    def test_what_cannot_be_done_is_refused_with_the_reason(self):
        for more, words in (({"tools": [WEATHER], "logprobs": True}, "logprobs"), ({"tool_choice": "required"}, "needs tools"),
                            ({"tools": [WEATHER], "response_format": {"type": "json_object"}}, "response_format")):
            with self.assertRaises(openai.BadRequestError) as caught:
                self.ask(**more)
            self.assertIn(words, str(caught.exception))


class TemplateToolsTest(ToolsTest):
    """The definitions and the calls are written as the pack was taught; it is large enough to choose well."""

    pack = "qwen2.5-coder-1.5b-instruct-q4_k_m"

    def test_the_function_that_is_meant_is_called_with_what_was_said(self):
        call = self.ask(tools=[WEATHER, CLOCK], tool_choice="required", parallel_tool_calls=False).choices[0].message.tool_calls[0]
        self.assertEqual(call.function.name, "get_weather")
        arguments = json.loads(call.function.arguments)
        self.assertIn("Paris", arguments["city"])
        self.assertEqual(arguments["unit"], "celsius")
        messages = [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [call.model_dump()]},
                    {"role": "tool", "tool_call_id": call.id, "content": '{"degrees": 21, "sky": "clear"}'}]
        # Left to choose, a pack of this size calls again instead of reading the result.
        answer = self.ask(messages, tools=[WEATHER, CLOCK], tool_choice="none").choices[0]
        self.assertEqual(answer.finish_reason, "stop")
        self.assertIn("21", answer.message.content)


if __name__ == "__main__":
    unittest.main()
