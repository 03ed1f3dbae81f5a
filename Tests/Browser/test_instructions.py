"""What a person tells every answer is written in Settings, told to the model in a new conversation, and not to other programs. Before the
real program."""

import json
import unittest
import urllib.request

from selenium.webdriver.common.keys import Keys

import stage
from page import Page


class InstructionsTest(Page):
    @classmethod
    def raised(cls):
        return stage.House(hears=False)

    def kept(self):
        found = json.loads(self.stage.run("settings", "get", "instructions", "--json").stdout)
        return None if found["instructions"] == "null" else found["instructions"]

    def read(self):
        """How many tokens the model read for a question of the person's, and for one of a program's."""
        asked = json.loads(self.stage.run("ask", "Hello", "--task", "talk", "--json").stdout.splitlines()[-1])
        mine = asked["timings"]["prompt_tokens"]
        body = {"model": "smollm2-135m-instruct-q4_1", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]}
        answer = urllib.request.urlopen(urllib.request.Request(
            f"{self.base}v1/chat/completions", json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.stage.key('ask')}"}))
        return mine, json.load(answer)["usage"]["prompt_tokens"]

    def test_they_are_written_once_told_to_every_answer_and_to_no_program(self):
        stage.size(self.driver, 360, 740)
        before = self.read()
        self.go("settings")
        field = self.one("#set-instructions")
        field.send_keys("Use simple words.", Keys.SHIFT + Keys.ENTER + Keys.NULL, "Answer in German.", Keys.TAB)
        self.wait(lambda: self.kept() == "Use simple words.\nAnswer in German.", "they are kept")
        self.clean("instructions")
        self.shot("instructions")
        after = self.read()
        self.assertGreaterEqual(after[0], before[0] + 8)
        self.assertEqual(after[1], before[1])
        self.go("new")
        self.ask("Hello, who are you?", until=None)
        self.wait(lambda: not self.all(".made") and self.text(".turn.answer .facts"), "a model has answered")
        self.shot("instructions-answer")

        # What is too long is neither kept nor lost.
        self.go("settings")
        self.one("#set-instructions")
        self.driver.execute_script("const one = document.querySelector('#set-instructions'); one.value = 'a'.repeat(2001); one.dispatchEvent(new Event('change'))")
        self.assertIn("2001", self.driver.execute_script("return document.querySelector('#set-instructions').validationMessage"))
        self.assertEqual(len(self.one("#set-instructions").get_property("value")), 2001)
        self.assertEqual(self.kept(), "Use simple words.\nAnswer in German.")
        # So is what the program refuses.
        self.driver.execute_script("const one = document.querySelector('#set-instructions'); one.value = 'a\\u202Eb'; one.dispatchEvent(new Event('change'))")
        self.sees("cannot be", "#toasts")
        self.assertEqual(self.one("#set-instructions").get_property("value"), "a\u202eb")

        self.driver.execute_script("const one = document.querySelector('#set-instructions'); one.value = ''; one.dispatchEvent(new Event('change'))")
        self.wait(lambda: self.kept() is None, "they are gone")
        self.assertEqual(self.read(), before)


if __name__ == "__main__":
    unittest.main()
