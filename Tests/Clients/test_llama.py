"""What clients of llama.cpp's server ask for beside OpenAI's API, through OpenAI's package as they use it and by plain requests."""

import json
import unittest
import urllib.error
import urllib.request

import openai

import place

PACK = "smollm2-135m-instruct-q4_1"
FRANCE = [{"role": "user", "content": "What is the capital of France?"}]
COLOURS = 'root ::= ("red" | "green") "!"{3}'
# Each is more than a worker should have to follow, or no grammar at all.
HOSTILE = [
    "root ::= (", "start ::= \"a\"", 'root ::= root "a" | root root | "a"', 'root ::= "a"{1,100000}', 'root ::= "a"\0', "root ::= nowhere",
    "root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000,
    "root ::= a0\n" + "".join(f"a{n} ::= a{n + 1}\n" for n in range(2_600)) + 'a2600 ::= a0 | "x"',
    "root ::= " + "a | " * 20_000 + "a\na ::= \"x\"",
    'root ::= "' + "a" * 1_000 + '"{2000}',
]


class LlamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()
        cls.addClassCleanup(cls.place.remove)
        address, cls.key = cls.place.serve()
        cls.address = address.rstrip("/")
        cls.client = openai.OpenAI(base_url=cls.address + "/v1", api_key=cls.key, max_retries=0)
        cls.addClassCleanup(cls.client.close)

    def send(self, path, body=None):
        """(status, text) of a plain request."""
        request = urllib.request.Request(
            self.address + path, None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def chat(self, **more):
        return self.client.chat.completions.create(model=PACK, messages=FRANCE, max_tokens=20, extra_body=more).choices[0]

    def test_a_grammar_holds_chats_and_completions(self):
        self.assertIn(self.chat(grammar=COLOURS).message.content, ("red!!!", "green!!!"))
        made = self.client.completions.create(model=PACK, prompt="The sky is", max_tokens=20, extra_body={"grammar": COLOURS})
        self.assertIn(made.choices[0].text, ("red!!!", "green!!!"))
        streamed = self.client.chat.completions.create(
            model=PACK, messages=FRANCE, max_tokens=20, stream=True, extra_body={"grammar": COLOURS})
        self.assertIn("".join(one.choices[0].delta.content or "" for one in streamed if one.choices), ("red!!!", "green!!!"))

    def test_a_hostile_grammar_is_refused_and_the_next_request_is_answered(self):
        for grammar in HOSTILE:
            with self.subTest(grammar[:40]):
                with self.assertRaises(openai.BadRequestError) as caught:
                    self.chat(grammar=grammar)
                self.assertEqual(caught.exception.type, "invalid_request_error")
                self.assertEqual(self.send("/completion", {"prompt": "a", "grammar": grammar})[0], 400)
                self.assertIn("Paris", self.chat().message.content)

    def test_each_token_has_its_probability_and_its_number(self):
        status, text = self.send("/completion", {"prompt": "One, two,", "n_predict": 4, "n_probs": 3})
        told = json.loads(text)["completion_probabilities"]
        self.assertEqual((status, len(told)), (200, 4))
        for one in told:
            self.assertEqual([len(one["top_logprobs"]), one["id"]], [3, one["top_logprobs"][0]["id"]])
            self.assertLessEqual(one["logprob"], 0)
        made = self.client.completions.create(model=PACK, prompt="One, two,", max_tokens=4, extra_body={"n_probs": 3}).choices[0].logprobs
        self.assertEqual([one["id"] for one in made.model_extra["content"]], [one["id"] for one in told])
        chosen = self.chat(n_probs=2).logprobs.content
        self.assertTrue(chosen and all(len(one.top_logprobs) == 2 for one in chosen))

    def test_a_completion_in_its_own_form_names_no_model_and_ends_where_the_context_does(self):
        status, text = self.send("/completion", {"prompt": "I believe the meaning of life is", "n_predict": 8, "cache_prompt": True, "seed": -1})
        whole = json.loads(text)
        self.assertEqual((status, whole["model"], whole["stop_type"], whole["tokens_predicted"]), (200, PACK, "limit", 8))
        _, text = self.send("/completion", {"prompt": "I believe the meaning of life is", "n_predict": 8, "stream": True})
        parts = [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: ")]
        self.assertEqual("".join(part["content"] for part in parts), whole["content"])
        self.assertEqual([part["stop"] for part in parts], [False] * (len(parts) - 1) + [True])
        schema = {"type": "object", "required": ["colour"], "properties": {"colour": {"type": "string", "maxLength": 20}}}
        self.assertIn("colour", json.loads(json.loads(self.send("/completion", {"prompt": "A colour:", "json_schema": schema})[1])["content"]))

    def test_the_server_says_what_it_is(self):
        told = json.loads(self.send("/props")[1])
        self.assertEqual(told["model_alias"], PACK)
        self.assertGreater(told["default_generation_settings"]["n_ctx"], 500)
        self.assertNotIn(str(self.place.home), json.dumps(told))
        self.assertEqual(self.send("/props?model=none")[0], 404)


if __name__ == "__main__":
    unittest.main()
